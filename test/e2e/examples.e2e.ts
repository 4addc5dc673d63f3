import { addExamples } from '../demo/examples';
import { itemsOf } from './n8nApi';
import type { Execution } from './n8nApi';
import type { Testbed } from './testbed';
import { startTestbed, until } from './testbed';

let testbed: Testbed;
let ids: Map<string, string>;

beforeAll(async () => {
	testbed = await startTestbed();
	const examples = await addExamples(testbed.api, testbed);
	ids = new Map(examples.map(({ id, name }) => [name.slice(0, 1), id]));
});

afterAll(async () => await testbed?.close());

function example(number: string): string {
	const id = ids.get(number);
	if (id === undefined) throw new Error(`There is no example ${number}`);
	return id;
}

async function succeeded(number: string, trigger?: string): Promise<Execution> {
	const execution = await testbed.api.execute(example(number), trigger);
	expect(execution).toMatchObject({ status: 'success' });
	return execution;
}

test('1. a filled-in form emails a link to the page where it is paid', async () => {
	const { sandbox, inbox, instance, api } = testbed;
	await api.activate(example('1'));
	const { page } = await testbed.editor();

	await page.goto(`${instance.url}/form/email-a-paylink`);
	await page.getByLabel('Customer Name').fill('Nathan Smith');
	await page.getByLabel('Email').fill('nathan@example.com');
	await page.getByLabel('Amount').fill('25');
	await page.getByLabel('Invoice').fill('INV-9001');
	await page.getByRole('button', { name: 'Submit' }).click();

	const mail = await until('the email', () => inbox.mails[0]);
	expect(mail).toMatchObject({
		to: 'nathan@example.com',
		subject: 'Your invoice INV-9001: $25.00',
	});
	const [link = ''] = /http\S+/.exec(mail.text) ?? [];
	expect(link).toContain(`${sandbox.url}/pay/`);
	await page.goto(link);
	await page.getByRole('button', { name: /^Pay \$25\.00/ }).click();
	await page.getByText('Your payment has been received').waitFor();
	expect(sandbox.paylinks.find(({ url }) => url === link)).toMatchObject({ status: 'paid' });
});

test('2. the rows of a CRM become customers, without twins', async () => {
	const { sandbox } = testbed;
	const before = sandbox.customers.length;
	const execution = await succeeded('2', 'Try It Now');

	const outcomes = itemsOf(execution, 'Create or Update').map((item) => Object(item).outcome);
	expect(outcomes).toHaveLength(5);
	expect(itemsOf(execution, 'Create or Update', 1)).toEqual([]);
	expect(sandbox.customers).toHaveLength(before + 2);
	const emails = sandbox.customers.map(({ email }) => email.toLowerCase());
	expect(new Set(emails).size).toBe(emails.length);

	const again = await succeeded('2', 'Try It Now');
	expect(itemsOf(again, 'Summary')).toEqual([{ outcome: 'unchanged', count_customerID: 5 }]);
});

test('3. a declined payment alerts the team within a poll, once', async () => {
	const { sandbox, inbox, api } = testbed;
	await api.activate(example('3'));
	await until('the first poll', () => sandbox.requestsTo('webhookEvents').length > 0);
	const { page } = await testbed.editor();
	const link = sandbox.addPaylink({ referenceID: 'INV-9003', pricing: { amount: 3300 } });
	await page.goto(link.url);
	await page.getByRole('button', { name: 'Decline (simulate)' }).click();
	await page.getByText('Nothing has been charged').waitFor();

	await until('the alert', () => inbox.alerts.length > 0);
	await api.deactivate(example('3'));
	expect(inbox.alerts).toEqual([
		expect.stringMatching(/^Payment failed: \$33\.00 by .*, reference INV-9003 \(.*declined/i),
	]);
});

test('4. a saved card gets a link for a subscription', async () => {
	const { sandbox } = testbed;
	const before = sandbox.paylinks.length;
	const execution = await succeeded('4');

	const [link] = itemsOf(execution, 'Create Subscription Link');
	expect(sandbox.paylinks).toHaveLength(before + 1);
	expect(sandbox.paylinks.at(-1)).toMatchObject({
		url: Object(link).url,
		form: { disableCustomPayment: true, customerID: 'cus_1001' },
	});
});

test('5. a cart is charged once, and then known to be paid', async () => {
	const { sandbox } = testbed;
	const before = sandbox.charges.length;
	const execution = await succeeded('5');

	expect(sandbox.charges).toHaveLength(before + 1);
	expect(itemsOf(execution, 'Charge Once')).toEqual([
		expect.objectContaining({ charged: true, computedTotal: 4200 }),
	]);
	expect(itemsOf(execution, 'What Became of It')).toEqual([
		expect.objectContaining({ found: true, outcome: 'succeeded' }),
	]);
});
