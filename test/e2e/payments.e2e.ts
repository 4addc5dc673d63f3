import { gateway, into, NAME, tell, TRIGGER, workflowOf } from './gatewayWorkflows';
import type { StoredWorkflow } from './n8nApi';
import { itemsOf } from './n8nApi';
import { say, Testbed, use } from './testbed';
import { until } from './until';

/** From a link that n8n made, by a page that a customer opened, to an alert that n8n sent. */

/** In the order of the trigger's outputs. */
const OUTPUTS = { paid: 'Succeeded', declined: 'Failed', refunded: 'Refunded' };

const testbed = use(new Testbed());

function alerts(): StoredWorkflow {
	const parameters = {
		pollTimes: { item: [{ mode: 'everyMinute' }] },
		events: ['payment_refund', 'payment_success', 'payment_failed'],
		outputMode: 'perEvent',
	};
	const names = Object.keys(OUTPUTS);
	const told = names.map((name, index) => {
		const text = `"${name} " + $json.referenceID + " " + $json.amountFormatted`;
		return { ...tell(testbed.inbox.url, text, name), position: [260, 160 * index] };
	});
	return {
		name: 'Alerts',
		nodes: [gateway('Payments', parameters, testbed.credential, TRIGGER), ...told],
		connections: { Payments: { main: names.map((name) => into(name)) } },
	};
}

/** Made in the editor; its address is read where a person would read it. */
async function makeLink(referenceId: string, amount: number): Promise<string> {
	const editor = await testbed.editor();
	const parameters = { resource: 'paylink', operation: 'create', amount, referenceId };
	const workflow = workflowOf(referenceId, parameters, testbed.credential);
	await editor.openWorkflow(await testbed.api.addWorkflow(workflow));
	await editor.openNode(NAME);
	await editor.execute();
	const output = await editor.output();
	const [link] = new RegExp(`${testbed.sandbox.url}/pay/\\w+`).exec(output) ?? [];
	if (link === undefined) throw new Error(`There is no link in the output: ${output}`);
	return link;
}

/** On the page of a link: presses a button and waits for what the page then says. */
async function press(link: string, button: RegExp, words: string): Promise<void> {
	const { page } = await testbed.editor();
	await page.goto(link);
	await page.getByRole('button', { name: button }).click();
	await page.getByText(words).first().waitFor();
}

const PAID = 'Your payment has been received';

test('what is paid, declined and refunded on the page alerts, each by its own output', async () => {
	const { api, inbox } = testbed;
	const id = await api.addWorkflow(alerts());
	const editor = await testbed.editor();
	await editor.openWorkflow(id);
	for (const label of Object.values(OUTPUTS)) {
		await editor.node('Payments').getByText(label, { exact: true }).waitFor();
	}
	await testbed.activateAndPoll(id);
	expect(await api.executions(id)).toEqual([]);

	const paid = await makeLink('INV-9101', 19.99);
	await press(paid, /^Pay \$/, PAID);
	await press(await makeLink('INV-9102', 45), /^Decline/, 'Nothing has been charged');
	await press(paid, /^Refund/, 'Refunded');
	await press(await makeLink('INV-9103', 7), /^Pay \$/, PAID);
	await until('the alerts', () => inbox.alerts.length >= 4);
	await testbed.polled();
	expect([...inbox.alerts].sort()).toEqual([
		'declined INV-9102 $45.00',
		'paid INV-9101 $19.99',
		'paid INV-9103 $7.00',
		'refunded INV-9101 $19.99',
	]);

	const types: unknown[][] = [[], [], []];
	for (const each of await api.executions(id)) {
		const execution = await api.finished(each.id);
		expect(execution.status).toBe('success');
		types.forEach((list, output) => {
			list.push(...itemsOf(execution, 'Payments', output).map((item) => Object(item).type));
		});
	}
	expect(types).toEqual([
		['payment_success', 'payment_success'],
		['payment_failed'],
		['payment_refund'],
	]);
	say(`payments: 4 events on the page, ${inbox.alerts.length} alerts`);
});
