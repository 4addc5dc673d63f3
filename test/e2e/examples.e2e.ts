import type { Example } from '../demo/examples';
import { addExamples } from '../demo/examples';
import type { StoredPaylink } from '../sandbox';
import type { ChatModel } from './chatModel';
import { startChatModel } from './chatModel';
import { itemsOf } from './n8nApi';
import type { Execution } from './n8nApi';
import { startForTests, Testbed } from './testbed';
import { until } from './until';
import { visit } from './visit';

/** Each example workflow does what its note says. */

const testbed = startForTests(new Testbed());
let model: ChatModel;
let examples: Example[];

beforeAll(async () => {
	model = await startChatModel();
	examples = await addExamples(testbed, model.url);
});

afterAll(async () => await model?.close());

function exampleId(number: number): string {
	const found = examples.find((each) => each.number === number);
	if (!found) throw new Error(`There is no example ${number}`);
	return found.id;
}

/** Executes an example, which must succeed. */
async function runExample(number: number, trigger?: string): Promise<Execution> {
	const execution = await testbed.api.execute(exampleId(number), trigger);
	expect(execution).toMatchObject({ status: 'success' });
	return execution;
}

/** Hostile text of a payer: a mention of a whole Slack channel, a disguised link, and HTML. */
const HOSTILE =
	'<!channel> <https://evil.example|Refund here> <a href="https://evil.example">Refund</a>';
/** The same text in an alert. Chats make links even of bare addresses, so spaces break them. */
const HARMLESS =
	'‹!channel› ‹https: //evil. example|Refund here› ‹a href="https: //evil. example"›Refund‹/a›';

/** Each test sees only what arrived since it began. */
let before = { alerts: 0, mails: 0, links: 0 };
beforeEach(() => {
	const { inbox, sandbox } = testbed;
	const { alerts, mails } = inbox;
	before = { alerts: alerts.length, mails: mails.length, links: sandbox.paylinks.length };
});
const alerts = () => testbed.inbox.alerts.slice(before.alerts);
const mails = () => testbed.inbox.mails.slice(before.mails);
const links = () => testbed.sandbox.paylinks.slice(before.links);

/** Adds a copy of an example, its nodes changed as text. Returns its ID. */
async function addChanged(number: number, change: (nodes: string) => string): Promise<string> {
	const example = await testbed.api.workflow(exampleId(number));
	const nodes = JSON.parse(change(JSON.stringify(example.nodes)));
	return await testbed.api.addWorkflow({ ...example, nodes });
}

/** n8n answers a moment before it stores that an execution waits, and accepts calls only then. */
async function untilWaiting(number: number): Promise<void> {
	await until('the execution to wait', async () => {
		const [newest] = await testbed.api.executions(exampleId(number));
		return newest?.status === 'waiting';
	});
}

/** Waits until a workflow has had this many executions, and all of them have succeeded. */
async function untilSucceeded(workflow: string, executions: number): Promise<void> {
	await until(`${executions} successful executions`, async () => {
		const all = await testbed.api.executions(workflow);
		return all.length >= executions && all.every(({ status }) => status === 'success');
	});
}

test('1. a filled-in form emails a link to its pay page', async () => {
	const { api, sandbox, instance } = testbed;
	const { page } = await testbed.editor();
	const submitForm = async (name: string, amount: string, answer: string) => {
		await page.goto(`${instance.url}/form/email-a-paylink`);
		await page.getByLabel('Customer Name').fill(name);
		await page.getByLabel('Email').fill('nathan@example.com');
		await page.getByLabel('Amount').fill(amount);
		await page.getByLabel('Invoice').fill('INV-9001');
		await page.getByRole('button', { name: 'Submit' }).click();
		await page.getByText(answer).waitFor();
	};
	await api.activate(exampleId(1));
	await submitForm('Nathan Smith', '<b>19,99</b>', 'Nothing was sent');
	await page.getByText('<b>19,99</b>').waitFor();
	expect(mails()).toEqual([]);
	await submitForm(HOSTILE, '25.00', 'Sent to nathan@example.com');
	await submitForm('Nathan Smith', '25.00', 'Sent to nathan@example.com');
	await api.deactivate(exampleId(1));
	const [unnamed, mail] = mails();
	expect(unnamed?.text).toMatch(/^Hello,\n\nPlease pay \$25\.00 for invoice INV-9001 here:/);
	expect(mail?.text).toMatch(/^Hello Nathan Smith,\n\nPlease pay/);
	const subject = 'Your invoice INV-9001: $25.00';
	expect(mail).toMatchObject({ to: 'nathan@example.com', subject });
	const [link = ''] = /http\S+/.exec(mail?.text ?? '') ?? [];
	expect(link).toContain(`${sandbox.url}/pay/`);
	await page.goto(link);
	await page.getByRole('button', { name: /^Pay \$25\.00/ }).click();
	await page.getByText('Your payment has been received').waitFor();
	expect(sandbox.charges.at(-1)).toMatchObject({ referenceID: 'INV-9001', via: 'page' });
});

test('2. the rows of a CRM become customers, without duplicates, and two rows with a bad email are reported', async () => {
	const { sandbox } = testbed;
	const known = sandbox.customers.length;
	const execution = await runExample(2, 'Try It Now');
	expect(itemsOf(execution, 'Create or Update')).toHaveLength(5);
	expect(itemsOf(execution, 'To Look At')).toEqual([
		{ row: 'Liam Novak', problem: expect.stringMatching(/email.*empty/i) },
		{ row: 'Olivia Brandt', problem: expect.stringMatching(/email.*"n\/a"/i) },
	]);
	expect(sandbox.customers).toHaveLength(known + 2);
	const emails = sandbox.customers.map(({ email }) => email.toLowerCase());
	expect(new Set(emails).size).toBe(emails.length);

	const again = await runExample(2, 'Try It Now');
	expect(itemsOf(again, 'Summary')).toEqual([{ outcome: 'unchanged', count_customerID: 5 }]);
});

test('3. a declined payment alerts the team within a poll, once', async () => {
	const { api } = testbed;
	await testbed.activateAndPoll(exampleId(3));
	const prefilledAddress = { nameOnCard: HOSTILE, email: 'eve@example.com' };
	const form = { referenceID: 'INV-9003', pricing: { amount: 3300 }, prefilledAddress };
	testbed.pay(form, 'declined');
	await until('the alert', () => alerts().length > 0);
	// One more poll would bring a second alert.
	await testbed.waitForEventRequests();
	await api.deactivate(exampleId(3));
	const payment = `Payment of $33.00 by ${HARMLESS} (eve@example.com)`;
	expect(alerts()).toEqual([`${payment} failed: Card declined (reference INV-9003)`]);
});

test('4. a saved card gets a link for a subscription', async () => {
	const [link] = itemsOf(await runExample(4), 'Create Subscription Link');
	expect(links()).toMatchObject([
		{ url: Object(link).url, form: { disableCustomPayment: true, customerID: 'cus_1001' } },
	]);
});

test('5. a cart is charged once, and then reported as paid', async () => {
	const { sandbox } = testbed;
	const charged = sandbox.charges.length;
	const execution = await runExample(5);
	expect(itemsOf(execution, 'Charge Once')).toMatchObject([{ charged: true, amount: 42 }]);
	expect(itemsOf(execution, 'What Became of It')).toMatchObject([
		{ found: true, outcome: 'succeeded' },
	]);
	expect(sandbox.charges.at(-1)).toMatchObject({ referenceID: 'order-5001', via: 'api' });

	const again = itemsOf(await runExample(5), 'Charge Once');
	expect(again).toMatchObject([{ charged: false, outcome: 'alreadyPaid', amount: 42 }]);
	expect(sandbox.charges).toHaveLength(charged + 1);
});

test('6. a failed payment is won back, or the team gets an alert that it was not', async () => {
	const { api, sandbox } = testbed;
	const decline = (name: string, email = `${name}@example.com`, nameOnCard = name) => {
		const prefilledAddress = { nameOnCard, email };
		const form = { referenceID: `INV-${name}`, pricing: { amount: 3300 }, prefilledAddress };
		return testbed.pay(form, 'declined').payLinkID;
	};
	const linkTo = async (name: string, subject: RegExp, greeting: string) => {
		const isTheirs = (mail: { to: string; subject: string }) =>
			mail.to === `${name}@example.com` && subject.test(mail.subject);
		const mail = await until(`the email to ${name}`, () => mails().find(isTheirs));
		expect(mail.text).toMatch(`${greeting},\n\n`);
		const [url] = /http\S+/.exec(mail.text) ?? [];
		return sandbox.paylinks.find((each) => each.url === url)?.payLinkID ?? '';
	};
	await testbed.activateAndPoll(exampleId(6));
	// Has a hostile name.
	decline('ann', 'ann@example.com', HOSTILE);
	// Fails twice, and gets one email.
	sandbox.pay(decline('bob'), { outcome: 'declined' });
	// Succeeds with another card before the email is sent.
	sandbox.pay(decline('cyd'));
	// Succeeds, and gets the money back before the email is sent.
	sandbox.pay(decline('eve'));
	sandbox.refund(sandbox.charges.at(-1)?.transactionID ?? '');
	// Has no email address.
	decline('dan', '');
	// Owes another currency than a link asks for.
	const transaction = {
		id: 'txn_fay',
		status: 'DECLINED',
		amount: 3300,
		currency: 'EUR',
		customer_email: 'fay@example.com',
		referenceID: 'INV-fay',
	};
	sandbox.addEvent({ type: 'payment_failed', payload: { transaction } });
	// Pays after the first reminder.
	decline('gus');
	// Has no reference: the workflow ignores it.
	sandbox.addEvent({ type: 'payment_failed' });

	sandbox.pay(await linkTo('ann', /did not go through/, 'Hello'));
	// Payments that need no email do not wait for those that do.
	await until('the four immediate alerts', () => alerts().length === 4, { within: 30_000 });
	sandbox.pay(await linkTo('gus', /^A reminder/, 'Hello gus'));
	await until('the alerts of all seven', () => alerts().length === 7, { within: 300_000 });
	await api.deactivate(exampleId(6));

	const inShort = (alert: string) =>
		alert.replace(/(?<=: )Payment of (\S+) .*\(reference (\S+)\)$/, '$1, $2');
	expect(alerts().map(inShort).sort()).toEqual([
		'No email was sent, please contact the customer: $33.00, INV-dan',
		'No email was sent, please contact the customer: €33.00, INV-fay',
		'Paid, and refunded since: $33.00, INV-eve',
		'Still unpaid: $33.00, INV-bob',
		'Won back: $33.00, INV-ann',
		'Won back: $33.00, INV-cyd',
		'Won back: $33.00, INV-gus',
	]);
	expect(alerts().join()).toContain(`Won back: Payment of $33.00 by ${HARMLESS} (ann@example.com)`);
	expect(JSON.stringify(mails())).not.toContain('evil.example');
	const sent = mails().map(({ to, subject }) => `${to}: ${subject}`);
	expect(sent.sort()).toEqual([
		'ann@example.com: Your payment of $33.00 did not go through',
		'bob@example.com: A last reminder: $33.00 for INV-bob',
		'bob@example.com: A reminder: $33.00 for INV-bob',
		'bob@example.com: Your payment of $33.00 did not go through',
		'gus@example.com: A reminder: $33.00 for INV-gus',
		'gus@example.com: Your payment of $33.00 did not go through',
	]);
	// The six that failed, and a new one each for the three that got an email.
	expect(links()).toHaveLength(9);
});

test('7. the report of yesterday covers every event, or is not sent', async () => {
	const { sandbox, api } = testbed;
	const yesterday = new Date(Date.now() - 24 * 3_600_000);
	// In n8n's time zone, which `instance.ts` sets.
	const day = yesterday.toLocaleDateString('en-CA', { timeZone: 'America/New_York' });
	sandbox.clearEvents();
	const date = `${day}T12:00:00Z`;
	// Still the day before in New York, so not counted.
	sandbox.addEvent({ date: `${day}T03:59:00Z`, amount: 700 });
	sandbox.addEvent({ date: `${day}T05:01:00Z`, amount: 1999 });
	sandbox.addEvent({ date, amount: 120_001 });
	sandbox.addEvent({ date, type: 'payment_failed', amount: 3300 });
	sandbox.addEvent({ date, type: 'payment_refund', amount: 1000 });
	sandbox.addEvent({ date, type: 'payment_dispute', payload: { note: 'of an unknown kind' } });

	await runExample(7, 'Try It Now');
	const report = [
		`Payments on ${day}: 5 events`,
		'Failed payments and failed refunds (DECLINED, USD): 1, $33.00',
		'Payments (CAPTURED, USD): 2, $1,220.00',
		'Refunds (REVERSED, USD): 1, $10.00',
		'payment_dispute (no status, no currency): 1, 0.00, 1 without an amount',
	].join('\n');
	expect(alerts()).toEqual([report]);

	// The totals cannot count an event without an ID.
	sandbox.addEvent({ date, eventID: '' });
	const { status, error } = await api.execute(exampleId(7), 'Try It Now');
	sandbox.clearEvents();
	expect([status, error?.message]).toEqual([
		'error',
		`Not sent: the totals for ${day} cover only 5 of 6 events. Compare 'Yesterday's Events' with 'Totals'.`,
	]);
	expect(alerts()).toEqual([report]);
});

test.each(['Approve', 'Decline'])(
	'8. an agent makes a paylink only if a person approves: %s',
	async (answer) => {
		const editor = await testbed.editor();
		await editor.openWorkflow(exampleId(8));
		await editor.chat('A link of $25.50 for INV-9008, please');
		const mail = await until('the question', () => mails()[0]);
		expect(mail.text).toContain('25.50 dollars, reference INV-9008');
		expect(links()).toEqual([]);

		await untilWaiting(8);
		const [, link = ''] = new RegExp(`${answer}: (\\S+)`).exec(mail.text) ?? [];
		await visit(link);
		const reply = await until("the agent's reply", () => alerts()[0]);
		expect(model.offeredTools).toEqual(['Create_Paylink']);
		const made = { referenceID: 'INV-9008', form: { pricing: { amount: 2550 } } };
		expect(links()).toMatchObject(answer === 'Decline' ? [] : [made]);
		expect(reply).toContain(answer === 'Decline' ? 'rejected' : links()[0]?.url);
	},
);

/** Opens the shop and returns the paylink it redirects to. */
async function openShop(): Promise<StoredPaylink> {
	const { sandbox, instance } = testbed;
	const { page } = await testbed.editor();
	await page.goto(`${instance.url}/webhook/buy-a-ticket`);
	const link = sandbox.paylinks.at(-1);
	if (link?.url !== page.url()) throw new Error(`${page.url()} is no page of a new link`);
	return link;
}

test('9. a ticket is issued only after the gateway confirms the payment', async () => {
	const { page } = await testbed.editor();
	await testbed.api.activate(exampleId(9));
	const { url, form } = await openShop();
	const { onSuccessURL: back = '' } = form;
	await untilWaiting(9);
	// The browser claims success before anything is paid.
	expect(await visit(back)).toContain('Not paid yet');
	expect(alerts()).toEqual([]);
	await untilWaiting(9);

	await page.goto(url);
	await page.getByLabel('Name').fill(HOSTILE);
	await page.getByLabel('Email').fill('<!channel>@evil.example');
	await page.getByRole('button', { name: /^Pay \$25\.00/ }).click();
	await page.getByText('Thank you!').waitFor();
	const to = '&lt;!channel&gt;@ evil. example';
	const issued = [
		expect.stringMatching(`^Paid: \\$25\\.00, ticket-\\d+-\\d+\\. The ticket goes to ${to}\\.$`),
	];
	expect(alerts()).toEqual(issued);
	await visit(back);
	expect(alerts()).toEqual(issued);
	await testbed.api.deactivate(exampleId(9));
});

test('9. a paid ticket is issued even if the browser never returns', async () => {
	const { sandbox, api } = testbed;
	// Links that expire after five seconds instead of an hour, and a last look five seconds later.
	const id = await addChanged(9, (nodes) =>
		nodes
			.replace('plus(1, \\"hour\\")', 'plus(5, \\"seconds\\")')
			.replaceAll('plus(5, \\"minutes\\")', 'plus(5, \\"seconds\\")'),
	);
	await api.activate(id);
	sandbox.pay((await openShop()).payLinkID);
	// This one is never paid.
	await openShop();
	// Once a minute, n8n looks for executions whose wait is over.
	await untilSucceeded(id, 2);
	await api.deactivate(id);
	expect(alerts()).toEqual([
		expect.stringContaining(`$25.00, ${sandbox.charges.at(-1)?.referenceID}`),
	]);
});

test('10. a webhook call without a payment alerts nobody; a payment alerts immediately, and once', async () => {
	const { instance, api } = testbed;
	const call = async () => {
		const forged = { type: 'payment_success', referenceID: 'INV-FORGED', amount: 1_000_000 };
		const { status } = await fetch(`${instance.url}/webhook/payment-event`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(forged),
		});
		expect(status).toBe(200);
	};
	await api.activate(exampleId(10));
	// The first call alerts of the events of the last minutes, and no later call does.
	await call();
	await untilSucceeded(exampleId(10), 1);
	const earlier = alerts();
	await call();
	await untilSucceeded(exampleId(10), 2);
	expect(alerts()).toEqual(earlier);

	const prefilledAddress = { nameOnCard: HOSTILE, email: 'eve@example.com' };
	testbed.pay({ referenceID: 'INV-9010', pricing: { amount: 4400 }, prefilledAddress });
	await call();
	await until('the alert', () => alerts().length > earlier.length, { within: 20_000 });
	await call();
	// The trigger fires for the payment as well, before the calls or after them.
	await untilSucceeded(exampleId(10), 5);
	expect(alerts()).toEqual([
		...earlier,
		`Payment of $44.00 by ${HARMLESS} (eve@example.com) succeeded (reference INV-9010)`,
	]);
	await api.deactivate(exampleId(10));
	expect(testbed.inbox.alerts.join()).not.toContain('INV-FORGED');
});

describe('11. invoices are reconciled with payments', () => {
	/**
	 * The lines of the table in the email: invoice, amount, result, paid amount. The invoices are
	 * renumbered, and the test pays them: earlier tests cleared the seeded payments.
	 */
	const tableOf = async (series: string, change = (nodes: string) => nodes) => {
		const id = await addChanged(11, (nodes) => change(nodes.replaceAll('INV-300', series)));
		expect(await testbed.api.execute(id, 'Try It Now')).toMatchObject({ status: 'success' });
		const [mail] = mails();
		const lines = (mail?.text ?? '').split(/\n+/);
		const table = lines.map((line) => line.split(' · ').slice(0, 4).join(', '));
		return { to: mail?.to, subject: mail?.subject, table };
	};
	const pay = (referenceID: string, amount: number, outcome?: 'declined') =>
		testbed.pay({ referenceID, pricing: { amount } }, outcome);

	test('each invoice is reported as paid, open, paid twice, paid with another amount, or refunded', async () => {
		const { sandbox } = testbed;
		pay('INV-9111', 12000);
		pay('INV-9113', 4990);
		pay('INV-9113', 4990);
		pay('INV-9114', 5800);
		pay('INV-9115', 3000);
		sandbox.refund(sandbox.charges.at(-1)?.transactionID ?? '');
		pay('INV-9116', 6000, 'declined');
		expect(await tableOf('INV-911')).toEqual({
			to: 'owner@example.com',
			subject: 'Invoices: 1 of 6 paid',
			table: [
				'Invoice, Amount, Result, Paid',
				'INV-9111, $120.00, Paid, $120.00',
				expect.stringMatching(/^INV-9112, \$75\.00, Open/),
				'INV-9113, $49.90, Paid twice, $99.80',
				'INV-9114, $85.00, Another amount, $58.00',
				'INV-9115, $30.00, Refunded, $0.00',
				expect.stringMatching(/^INV-9116, \$60\.00, Open, the last payment failed/),
			],
		});
	});

	test('a reference in HTML is text, and an invalid amount affects only its own row', async () => {
		const { subject, table } = await tableOf('INV-912', (nodes) =>
			nodes.replace('INV-9122', '<b>INV</b> & more').replace('120.00', 'a lot'),
		);
		expect(subject).toBe('Invoices: 0 of 6 paid');
		expect(table[1]).toMatch(/^INV-9121, \$a lot, Could not be checked/);
		expect(table[2]).toMatch(/^<b>INV<\/b> & more, \$75\.00, Open/);
		expect(table).toHaveLength(7);
	});
});
