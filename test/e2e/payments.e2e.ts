import type { Editor } from './editor';
import { addCredential, CREDENTIAL, TRIGGER, workflowOf } from './gatewayWorkflows';
import type { StoredWorkflow } from './n8nApi';
import { itemsOf } from './n8nApi';
import type { Testbed } from './testbed';
import { startTestbed, until } from './testbed';

/** From a link that n8n made, by a page that a customer opened, to an alert that n8n sent. */

const NAME = 'Payments Gateway';
/** In the order of the trigger's outputs. */
const OUTPUTS = ['paid', 'declined', 'refunded'];

let testbed: Testbed;
let editor: Editor;
let credential: string;

beforeAll(async () => {
	testbed = await startTestbed();
	editor = await testbed.editor();
	credential = await addCredential(testbed.api, testbed.sandbox);
});

afterAll(async () => await testbed?.close());

function alerts(): StoredWorkflow {
	const use = { credentials: { [CREDENTIAL]: { id: credential, name: 'Sandbox' } } };
	return {
		name: 'Alerts',
		nodes: [
			{
				name: 'Payments',
				type: TRIGGER,
				typeVersion: 1,
				position: [0, 0],
				parameters: {
					pollTimes: { item: [{ mode: 'everyMinute' }] },
					events: ['payment_refund', 'payment_success', 'payment_failed'],
					outputMode: 'perEvent',
				},
				...use,
			},
			...OUTPUTS.map((name, index) => ({
				name,
				type: 'n8n-nodes-base.httpRequest',
				typeVersion: 4.2,
				position: [260, 160 * index] as [number, number],
				parameters: {
					method: 'POST',
					url: testbed.inbox.url,
					sendBody: true,
					specifyBody: 'json',
					jsonBody: `={{ { text: "${name} " + $json.referenceID + " " + $json.amountFormatted } }}`,
					options: {},
				},
			})),
		],
		connections: {
			Payments: { main: OUTPUTS.map((node) => [{ node, type: 'main', index: 0 }]) },
		},
	};
}

/** Made in the editor; its address is read where a person would read it. */
async function makeLink(referenceId: string, amount: number): Promise<string> {
	const parameters = { resource: 'paylink', operation: 'create', amount, referenceId };
	const { id } = await testbed.api.addWorkflow(workflowOf(referenceId, parameters, credential));
	await editor.openWorkflow(id);
	await editor.openNode(NAME);
	await editor.execute();
	const output = await editor.output();
	const [link] = new RegExp(`${testbed.sandbox.url}/pay/\\w+`).exec(output) ?? [];
	if (link === undefined) throw new Error(`There is no link in the output: ${output}`);
	return link;
}

async function open(link: string): Promise<void> {
	await editor.page.goto(link);
	await editor.page.getByRole('button', { name: 'Decline (simulate)' }).waitFor();
}

async function pay(link: string): Promise<void> {
	await open(link);
	await editor.page.getByRole('button', { name: /^Pay \$/ }).click();
	await editor.page.getByText('Your payment has been received').waitFor();
}

async function decline(link: string): Promise<void> {
	await open(link);
	await editor.page.getByRole('button', { name: 'Decline (simulate)' }).click();
	await editor.page.getByText('Nothing has been charged').waitFor();
}

async function refund(link: string): Promise<void> {
	await editor.page.goto(link);
	await editor.page.getByRole('button', { name: 'Refund' }).click();
	await editor.page.getByRole('rowheader', { name: 'Refunded' }).waitFor();
}

test('what is paid, declined and refunded on the page alerts, each by its own output', async () => {
	const { api, sandbox, inbox } = testbed;
	const { id } = await api.addWorkflow(alerts());
	await editor.openWorkflow(id);
	for (const label of ['Succeeded', 'Failed', 'Refunded']) {
		await editor.node('Payments').getByText(label, { exact: true }).waitFor();
	}
	await api.activate(id);
	await until('the first poll', () => sandbox.requestsTo('webhookEvents').length > 0);
	expect(await api.executions(id)).toEqual([]);

	const paid = await makeLink('INV-9101', 19.99);
	await pay(paid);
	await decline(await makeLink('INV-9102', 45));
	await refund(paid);
	await pay(await makeLink('INV-9103', 7));
	await until('the alerts', () => inbox.alerts.length >= 4);
	expect([...inbox.alerts].sort()).toEqual([
		'declined INV-9102 $45.00',
		'paid INV-9101 $19.99',
		'paid INV-9103 $7.00',
		'refunded INV-9101 $19.99',
	]);

	const polls = sandbox.requestsTo('webhookEvents').length;
	await until('one more poll', () => sandbox.requestsTo('webhookEvents').length > polls);
	const executions = await api.executions(id);
	const types: Record<string, unknown[]> = { paid: [], declined: [], refunded: [] };
	for (const each of executions) {
		const execution = await api.finished(each.id);
		expect(execution.status).toBe('success');
		OUTPUTS.forEach((name, output) => {
			types[name]?.push(...itemsOf(execution, 'Payments', output).map((item) => Object(item).type));
		});
	}
	expect(types).toEqual({
		paid: ['payment_success', 'payment_success'],
		declined: ['payment_failed'],
		refunded: ['payment_refund'],
	});
	expect(inbox.alerts).toHaveLength(4);
	process.stderr.write(`payments: 4 events on the page, ${inbox.alerts.length} alerts\n`);
});
