import { addExamples } from '../demo/examples';
import type { ChatModel } from './chatModel';
import { startChatModel } from './chatModel';
import { itemsOf } from './n8nApi';
import type { Execution } from './n8nApi';
import type { Testbed } from './testbed';
import { startTestbed, until } from './testbed';

/** Each example workflow does what its note says. */

let testbed: Testbed;
let model: ChatModel;
let ids: Map<string, string>;

beforeAll(async () => {
	model = await startChatModel();
	testbed = await startTestbed();
	const { sandbox, inbox, smtp } = testbed;
	const examples = await addExamples(testbed.api, { sandbox, inbox, smtp, model: model.url });
	ids = new Map(examples.map(({ id, name }) => [String(parseInt(name, 10)), id]));
});

afterAll(async () => {
	await testbed?.close();
	await model?.close();
});

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

	const ask = async (amount: string) => {
		await page.goto(`${instance.url}/form/email-a-paylink`);
		await page.getByLabel('Customer Name').fill('Nathan Smith');
		await page.getByLabel('Email').fill('nathan@example.com');
		await page.getByLabel('Amount').fill(amount);
		await page.getByLabel('Invoice').fill('INV-9001');
		await page.getByRole('button', { name: 'Submit' }).click();
	};
	await ask('19,99');
	await page.getByText('Nothing was sent').waitFor();
	await page.getByText('19,99').waitFor();
	expect(inbox.mails).toEqual([]);

	await ask('25.00');
	await page.getByText('Sent to nathan@example.com').waitFor();
	const [mail] = inbox.mails;
	expect(mail).toMatchObject({
		to: 'nathan@example.com',
		subject: 'Your invoice INV-9001: $25.00',
	});
	const [link = ''] = /http\S+/.exec(mail?.text ?? '') ?? [];
	expect(link).toContain(`${sandbox.url}/pay/`);
	await page.goto(link);
	await page.getByRole('button', { name: /^Pay \$25\.00/ }).click();
	await page.getByText('Your payment has been received').waitFor();
	expect(sandbox.paylinks.find(({ url }) => url === link)).toMatchObject({ status: 'paid' });
});

test('2. the rows of a CRM become customers, without duplicates, and two are to be looked at', async () => {
	const { sandbox } = testbed;
	const before = sandbox.customers.length;
	const execution = await succeeded('2', 'Try It Now');

	const outcomes = itemsOf(execution, 'Create or Update').map((item) => Object(item).outcome);
	expect(outcomes).toHaveLength(5);
	expect(itemsOf(execution, 'To Look At')).toEqual([
		{ row: 'Liam Novak', problem: expect.stringMatching(/email.*empty/i) },
		{ row: 'Olivia Brandt', problem: expect.stringMatching(/email.*"n\/a"/i) },
	]);
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
		expect.stringMatching(/^Payment of \$33\.00 .*failed: .*declined.* \(reference INV-9003\)$/i),
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
		expect.objectContaining({ charged: true, amount: 42 }),
	]);
	expect(itemsOf(execution, 'What Became of It')).toEqual([
		expect.objectContaining({ found: true, outcome: 'succeeded' }),
	]);
	expect(sandbox.paylinks.at(-1)).toMatchObject({ referenceID: 'order-5001', status: 'paid' });

	const again = await succeeded('5');
	expect(itemsOf(again, 'Charge Once')).toEqual([
		expect.objectContaining({ charged: false, outcome: 'alreadyPaid', amount: 42 }),
	]);
	expect(sandbox.charges).toHaveLength(before + 1);
});

test('6. a failed payment is won back, or the team hears that it was not', async () => {
	const { sandbox, inbox, api } = testbed;
	const [mails, alerts, links] = [inbox.mails.length, inbox.alerts.length, sandbox.paylinks.length];
	const requests = sandbox.requestsTo('webhookEvents').length;
	await api.activate(example('6'));
	await until('the first poll', () => sandbox.requestsTo('webhookEvents').length > requests);
	const decline = (name: string, email = `${name}@example.com`) => {
		const { payLinkID } = sandbox.addPaylink({
			referenceID: `INV-${name}`,
			pricing: { amount: 3300 },
			prefilledAddress: { nameOnCard: name, email },
		});
		sandbox.pay(payLinkID, { outcome: 'declined' });
		return payLinkID;
	};
	decline('ann');
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
	sandbox.addEvent({
		type: 'payment_failed',
		payload: {
			transaction: {
				id: 'txn_fay',
				status: 'DECLINED',
				amount: 3300,
				currency: 'EUR',
				customer_email: 'fay@example.com',
				referenceID: 'INV-fay',
			},
		},
	});
	decline('gus');
	sandbox.addEvent({ type: 'payment_failed' });

	const linkTo = async (name: string, subject: RegExp) => {
		const mail = await until(`the email to ${name}`, () =>
			inbox.mails
				.slice(mails)
				.find((each) => each.to === `${name}@example.com` && subject.test(each.subject)),
		);
		expect(mail.text).toMatch(`Hello ${name},`);
		const [url = ''] = /http\S+/.exec(mail.text) ?? [];
		return sandbox.paylinks.find((each) => each.url === url)?.payLinkID ?? '';
	};
	sandbox.pay(await linkTo('ann', /did not go through/));
	// What needs no email does not wait for those that do.
	await until('what the team hears at once', () => inbox.alerts.length === alerts + 4, {
		within: 30_000,
	});
	sandbox.pay(await linkTo('gus', /^A reminder/));
	await until('all to have ended', () => inbox.alerts.length === alerts + 7, { within: 300_000 });
	await api.deactivate(example('6'));

	const heard = inbox.alerts
		.slice(alerts)
		.map((alert) => alert.replace(/(?<=: )Payment of (\S+) .*\(reference (\S+)\)$/, '$1, $2'));
	expect(heard.sort()).toEqual([
		'No link was made, please ask by hand: $33.00, INV-dan',
		'No link was made, please ask by hand: €33.00, INV-fay',
		'Paid, and refunded since: $33.00, INV-eve',
		'Still unpaid: $33.00, INV-bob',
		'Won back: $33.00, INV-ann',
		'Won back: $33.00, INV-cyd',
		'Won back: $33.00, INV-gus',
	]);
	expect(
		inbox.mails
			.slice(mails)
			.map(({ to, subject }) => `${to}: ${subject}`)
			.sort(),
	).toEqual([
		'ann@example.com: Your payment of $33.00 did not go through',
		'bob@example.com: A last reminder: $33.00 for INV-bob',
		'bob@example.com: A reminder: $33.00 for INV-bob',
		'bob@example.com: Your payment of $33.00 did not go through',
		'gus@example.com: A reminder: $33.00 for INV-gus',
		'gus@example.com: Your payment of $33.00 did not go through',
	]);
	// The six that failed, and a new one each for the three that got an email.
	expect(sandbox.paylinks).toHaveLength(links + 9);
});

test('7. the report of yesterday covers every event, or is not sent', async () => {
	const { sandbox, inbox, api } = testbed;
	// In n8n's time zone, as `instance.ts` sets it.
	const dayOf = (date: Date) => date.toLocaleDateString('en-CA', { timeZone: 'America/New_York' });
	const day = dayOf(new Date(Date.now() - 24 * 3_600_000));
	const date = sandbox.events.find((event) => dayOf(new Date(event.date)) === day)?.date;
	sandbox.addEvent({ date, type: 'payment_dispute', payload: { note: 'of an unknown kind' } });

	const expected = new Map<string, { count: number; amount: number }>();
	for (const event of sandbox.events) {
		if (dayOf(new Date(event.date)) !== day || event.type === 'payment_dispute') continue;
		const { transaction, refund } = JSON.parse(event.payload);
		const group = expected.get(event.type) ?? { count: 0, amount: 0 };
		const { amount } = transaction ?? refund;
		expected.set(event.type, { count: group.count + 1, amount: group.amount + amount });
	}
	const line = (label: string, type: string) => {
		const { count, amount } = expected.get(type) ?? { count: 0, amount: 0 };
		return count === 0 ? [] : [`${label}, USD): ${count}, $${(amount / 100).toFixed(2)}`];
	};

	await succeeded('7', 'Try It Now');
	const [head, ...lines] =
		inbox.alerts
			.at(-1)
			?.replaceAll(/(?<=\d),(?=\d{3})/g, '')
			.split('\n') ?? [];
	const all = [...expected.values()].reduce((sum, { count }) => sum + count, 1);
	expect(head).toBe(`Payments on ${day}: ${all} events`);
	expect(lines).toEqual([
		...line('Failed payments (DECLINED', 'payment_failed'),
		...line('Payments (CAPTURED', 'payment_success'),
		...line('Refunds (REVERSED', 'payment_refund'),
		'payment_dispute (no status, no currency): 1, 0.00, 1 without an amount',
	]);
	expect(lines).toContainEqual(expect.stringContaining('Payments'));

	// The totals cannot count what has no ID.
	const before = inbox.alerts.length;
	sandbox.addEvent({ date, eventID: '' });
	const { status, error } = await api.execute(example('7'), 'Try It Now');
	sandbox.removeEvent('');
	expect([status, error?.message]).toEqual([
		'error',
		`The totals of ${day} cover ${all} of ${all + 1} events`,
	]);
	expect(inbox.alerts).toHaveLength(before);
});

/** n8n answers a moment before it has stored that an execution waits, and takes calls only then. */
async function untilWaiting(workflowId: string): Promise<void> {
	await until('the execution to wait', async () => {
		const [newest] = await testbed.api.executions(workflowId);
		return newest?.status === 'waiting';
	});
}

/** As a click on a link in an email; n8n ignores clients that look like a robot. */
async function visit(url: string): Promise<string> {
	const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x64) Firefox/140.0' };
	return await (await fetch(url, { headers })).text();
}

test.each([{ answer: 'Approve' }, { answer: 'Decline' }])(
	'8. an agent makes a paylink only when a person agrees: $answer',
	async ({ answer }) => {
		const { sandbox, inbox } = testbed;
		const [links, mails, alerts] = [
			sandbox.paylinks.length,
			inbox.mails.length,
			inbox.alerts.length,
		];
		const editor = await testbed.editor();
		await editor.openWorkflow(example('8'));
		await editor.chat('A link of $25.50 for INV-9008, please');
		const mail = await until('the question', () => inbox.mails[mails]);
		expect(mail.text).toContain('25.50 dollars, reference INV-9008');
		expect(sandbox.paylinks).toHaveLength(links);

		await untilWaiting(example('8'));
		const [, link = ''] = new RegExp(`${answer}: (\\S+)`).exec(mail.text) ?? [];
		await visit(link);
		const said = await until('what the agent says', () => inbox.alerts[alerts]);
		expect(model.offered.map(({ name }) => name)).toEqual(['Create_Paylink']);
		if (answer === 'Decline') {
			expect(said).toMatch(/rejected/);
			expect(sandbox.paylinks).toHaveLength(links);
			return;
		}
		expect(sandbox.paylinks).toHaveLength(links + 1);
		expect(sandbox.paylinks.at(-1)).toMatchObject({
			referenceID: 'INV-9008',
			form: { pricing: { amount: 2550 } },
		});
		expect(said).toContain(sandbox.paylinks.at(-1)?.url);
	},
);

async function buy(): Promise<{ url: string; back: string; id: string }> {
	const { sandbox, instance } = testbed;
	const { page } = await testbed.editor();
	await page.goto(`${instance.url}/webhook/buy-a-ticket`);
	const link = sandbox.paylinks.at(-1);
	expect(page.url()).toBe(link?.url);
	return { url: link?.url ?? '', back: link?.form.onSuccessURL ?? '', id: link?.payLinkID ?? '' };
}

test('9. a ticket is handed out when the service has the money, whatever the browser says', async () => {
	const { inbox, api } = testbed;
	const before = inbox.alerts.length;
	await api.activate(example('9'));
	const { page } = await testbed.editor();
	const { back, url } = await buy();
	await untilWaiting(example('9'));

	// As if it had been paid.
	expect(await visit(back)).toContain('Not paid yet');
	expect(inbox.alerts).toHaveLength(before);
	await untilWaiting(example('9'));

	await page.goto(url);
	await page.getByRole('button', { name: /^Pay \$25\.00/ }).click();
	await page.getByText('Thank you!').waitFor();
	const handed = [expect.stringMatching(/^Paid: \$25\.00, ticket-\d+-\d+/)];
	expect(inbox.alerts.slice(before)).toEqual(handed);
	await visit(back);
	expect(inbox.alerts.slice(before)).toEqual(handed);
	await api.deactivate(example('9'));
});

test('9. a browser that does not come back costs nobody their ticket', async () => {
	const { sandbox, inbox, api } = testbed;
	const before = inbox.alerts.length;
	const { name, nodes, connections, settings = {} } = await api.workflow(example('9'));
	// Links that end after five seconds instead of an hour.
	const hurried = JSON.parse(
		JSON.stringify(nodes).replace('plus(1, \\"hour\\")', 'plus(5, \\"seconds\\")'),
	);
	const { id } = await api.addWorkflow({ name, nodes: hurried, connections, settings });
	await api.activate(id);
	const paid = await buy();
	sandbox.pay(paid.id);
	await buy();
	// n8n looks once a minute for executions whose wait is over.
	const ended = await until('both to end', async () => {
		const executions = await api.executions(id);
		return executions.every(({ status }) => status === 'success') && executions;
	});
	await api.deactivate(id);
	expect(ended).toHaveLength(2);
	expect(inbox.alerts.slice(before)).toEqual([
		expect.stringContaining(`$25.00, ${sandbox.charges.at(-1)?.referenceID}`),
	]);
});

test('10. a call without a payment does nothing; a payment goes on at once, and once', async () => {
	const { sandbox, inbox, instance, api } = testbed;
	await api.activate(example('10'));
	const runs = async () => await api.executions(example('10'));
	const call = async () => {
		const forged = { type: 'payment_success', referenceID: 'INV-FORGED', amount: 1_000_000 };
		const { status } = await fetch(`${instance.url}/webhook/payment-event`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(forged),
		});
		expect(status).toBe(200);
	};
	// The first call brings the events of the last minutes, and no call brings them again.
	await call();
	await until('the first look', async () => (await runs())[0]?.status === 'success');
	const before = inbox.alerts.length;
	await call();
	await until('the second look', async () => (await runs())[1]?.status === 'success');
	expect(inbox.alerts).toHaveLength(before);

	const { payLinkID } = sandbox.addPaylink({ referenceID: 'INV-9010', pricing: { amount: 4400 } });
	sandbox.pay(payLinkID);
	await call();
	await until('the alert', () => inbox.alerts.length > before, { within: 20_000 });
	const made = (await runs()).length;
	await call();
	await until('the trigger to bring it too', async () => (await runs()).length > made + 1);
	await until('all to end', async () => (await runs()).every(({ status }) => status === 'success'));
	await api.deactivate(example('10'));
	expect(inbox.alerts.slice(before)).toEqual([
		expect.stringMatching(/^Payment of \$44\.00 .*succeeded \(reference INV-9010\)$/),
	]);
	expect(inbox.alerts.join()).not.toContain('INV-FORGED');
});
