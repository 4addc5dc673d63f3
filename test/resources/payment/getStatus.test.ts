import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { DAY } from '../../durations';
import { engine, output } from '../../engine';
import type { EventInput, Fault, RecordedRequest } from '../../sandbox';
import { useNode } from '../../useNode';

/**
 * Get Status reports what the gateway's events show of a payment, and never guesses. How they are looked
 * up is tested in test/events.
 */

const REFERENCE = 'ORDER-7731';
const fixed = { resource: 'payment', operation: 'getStatus', referenceId: REFERENCE };
const {
	sandbox,
	credentials,
	run: getStatus,
} = useNode(fixed, { clock: '2026-03-01T12:00:00Z', credentials: { headerToken: '' } });
// The cached events of one test are wrong in the next one.
beforeEach(() => engine.restart());

async function status(more: INodeParameters = {}): Promise<IDataObject> {
	const [item] = output(await getStatus(more));
	return item ?? {};
}

const add = (type: string, more: EventInput = {}) =>
	sandbox.addEvent({ type: `payment_${type}`, referenceID: REFERENCE, ...more });
const requests = () => sandbox.requestsTo('webhookEvents').length;
const fault = (more: Fault) => sandbox.fault({ on: 'webhookEvents', times: Infinity, ...more });

test('while no event shows, the outcome is notFound and every value of the payment is null', async () => {
	sandbox.addEvents(3);
	expect(await status()).toEqual({
		summary: `No payment found for ${REFERENCE}. It may not be paid or settled yet, or the reference is different.`,
		referenceID: REFERENCE,
		outcome: 'notFound',
		found: false,
		matches: null,
		difference: null,
		payments: 0,
		transactionID: null,
		amount: null,
		amountFormatted: null,
		currency: null,
		date: null,
		events: [],
	});
});

test('the sentence of an event shows no card number that is masked in the message beside it', async () => {
	const message = JSON.stringify({ cardNumber: '4111111111111111', cvv: '7370' });
	const record = { id: 'txn_1', referenceID: REFERENCE, message };
	add('failed', { payload: { transaction: record } });
	const masked = '{"cardNumber":"••••1111"}';
	const summary = `Payment failed: ${masked} (reference ${REFERENCE})`;
	expect(await status()).toMatchObject({ events: [{ message: masked, summary }] });
});

test('a name that a payer has typed as deeply nested JSON stops no look-up', async () => {
	const customer_name = '['.repeat(9_999) + ']'.repeat(9_999);
	add('success', { payload: { transaction: { referenceID: REFERENCE, customer_name } } });
	expect(await status()).toMatchObject({
		outcome: 'succeeded',
		events: [{ customerName: '••••' }],
	});
});

test("a payment is one item with the gateway's values and the simplified events", async () => {
	const { eventID } = add('success', { transactionID: 'txn_1', amount: 1999 });
	expect(await status()).toEqual({
		summary: `Payment of $19.99 (reference ${REFERENCE}) succeeded`,
		referenceID: REFERENCE,
		outcome: 'succeeded',
		found: true,
		transactionID: 'txn_1',
		matches: null,
		difference: null,
		payments: 1,
		amount: 19.99,
		amountFormatted: '$19.99',
		currency: 'USD',
		date: '2026-03-01T12:00:00.000Z',
		events: [expect.objectContaining({ eventID, status: 'CAPTURED', amountFormatted: '$19.99' })],
	});
});

test.each<[string[], string]>([
	[['failed'], 'Payment of $25.00 (reference ORDER-7731) failed'],
	[['success', 'failed'], 'Payment of $25.00 (reference ORDER-7731) was returned'],
	[['success', 'refund'], 'Payment of $25.00 (reference ORDER-7731) was refunded'],
	[['refund'], 'Payment (reference ORDER-7731) was refunded'],
])('the summary of %j is: %s', async (types, sentence) => {
	types.forEach((type, minute) => {
		const transactionID = type === 'refund' ? 'txn_2' : 'txn_1';
		add(type, { amount: 2500, date: `2026-03-01T11:0${minute}:00Z`, transactionID });
	});
	expect((await status()).summary).toBe(sentence);
});

describe('an expected amount', () => {
	type Row = [paid: string, types: string[], expectedAmount: string, object];
	test.each<Row>([
		['paid', ['success'], '$25.00', { matches: true, difference: 0, payments: 1 }],
		['paid less', ['success'], '25.01', { matches: false, difference: -0.01, payments: 1 }],
		[
			'paid twice',
			['success', 'success'],
			'25',
			{
				matches: false,
				difference: 25,
				payments: 2,
				summary: 'Payment of $50.00 (2 payments, reference ORDER-7731) succeeded',
			},
		],
		[
			'paid and refunded',
			['success', 'refund'],
			'25',
			{ matches: false, difference: -25, payments: 1 },
		],
		['failed', ['failed'], '25', { matches: false, difference: -25, payments: 0 }],
		['no payment found', [], '25', { matches: null, difference: null, payments: 0 }],
	])('is compared with what was paid: %s', async (_, types, expectedAmount, compared) => {
		types.forEach((type, index) => {
			const date = `2026-03-01T11:0${index}:00Z`;
			add(type, { amount: 2500, transactionID: `txn_${index}`, date });
		});
		expect(await status({ expectedAmount })).toMatchObject(compared);
	});

	test('matches two payments if one of them was refunded', async () => {
		add('success', { amount: 2500, transactionID: 'a', date: '2026-03-01T11:00:00Z' });
		add('refund', { amount: 2500, transactionID: 'r', date: '2026-03-01T11:01:00Z' });
		add('success', { amount: 2500, transactionID: 'b', date: '2026-03-01T11:02:00Z' });
		const compared = { outcome: 'partiallyRefunded', matches: true, difference: 0, payments: 2 };
		expect(await status({ expectedAmount: '25' })).toMatchObject(compared);
	});

	test('does not match a payment that was returned', async () => {
		add('success', { amount: 2500, transactionID: 'a', date: '2026-03-01T11:00:00Z' });
		add('failed', { amount: 2500, transactionID: 'a', date: '2026-03-01T11:01:00Z' });
		const compared = { outcome: 'returned', matches: false, difference: -25, payments: 0 };
		expect(await status({ expectedAmount: '25' })).toMatchObject(compared);
	});

	test.each([
		['euros', { amount: 2500, currency: 'EUR' }],
		['an unknown amount', {}],
	])('is not compared with %s', async (_, more) => {
		const transaction = { id: 'txn_1', referenceID: REFERENCE, status: 'CAPTURED', ...more };
		add('success', { payload: { transaction } });
		const compared = { matches: null, difference: null, payments: 1 };
		expect(await status({ expectedAmount: '25' })).toMatchObject(compared);
	});
});

test('a payment is found if it is not older than Look Back', async () => {
	add('success', { date: '2026-01-15T12:00:00Z' });
	expect((await status()).outcome).toBe('notFound');
	expect((await status({ options: { lookBackDays: 60 } })).outcome).toBe('succeeded');
});

test('an item whose look-back the list allows has its outcome, even beside one that looks back too far', async () => {
	const now = sandbox.clock.now().getTime();
	// Page 1 goes back 20 days, and page 2 from 35 to 60 days.
	const daysAgo = (row: number) => (row < 100 ? row / 5 : 35 + (row - 100) / 4);
	sandbox.addEvents(299, (index) => ({
		date: new Date(now - daysAgo(299 - index) * DAY).toISOString(),
	}));
	add('success');
	const isDeep = ({ body }: RecordedRequest) => Number(Object(body).data.page.page) > 2;
	fault({ when: isDeep, status: 400 });
	const parameters = { options: { lookBackDays: '={{ $json.days }}' } };
	const items = [{ days: 15 }, { days: 365 }];
	const settings = { onError: 'continueRegularOutput' as const };
	expect((await getStatus(parameters, { items, settings })).items).toMatchObject([
		{ outcome: 'succeeded' },
		{ error: expect.stringContaining('Could not check') },
	]);
});

test('a look-up that fails is an error, not the outcome notFound', async () => {
	fault({ status: 500 });
	expect(await getStatus()).toMatchObject({ error: expect.anything(), items: [] });
});

describe('waiting', () => {
	const waitForOutcome = true;

	test('does not begin if the outcome is known', async () => {
		add('failed');
		expect(await status({ waitForOutcome })).toMatchObject({ outcome: 'failed' });
		expect(requests()).toBeLessThanOrEqual(3);
	});

	test('ends as notFound at its timeout, even if an agent calls', async () => {
		const parameters = { ...fixed, waitForOutcome, options: { waitTimeout: 1 } };
		// This path has no execution that could be cancelled.
		const agent = { via: 'ephemeral' as const, credentials: credentials(), parameters };
		expect(output(await engine.agentRun(agent))).toMatchObject([{ outcome: 'notFound' }]);
		expect(requests()).toBeGreaterThan(1);
	});

	test('looks less and less often', async () => {
		await status({ waitForOutcome, options: { waitTimeout: 3 } });
		// After 0, 1, 2.5 and 3 seconds: a look-up costs three requests, and a later one two.
		expect(requests()).toBeLessThanOrEqual(3 + 2 + 2 + 2);
	});

	test('goes on after a look-up that fails', async () => {
		// A request that fails is tried three times.
		sandbox.fault({ on: 'webhookEvents', times: 3, status: 503 });
		const arrives = () => void add('success', { transactionID: 'late' });
		sandbox.fault({ on: 'webhookEvents', after: 4, run: arrives });
		expect(await status({ waitForOutcome })).toMatchObject({ transactionID: 'late' });
	});

	test('fails at its timeout with the error of the last look-up', async () => {
		fault({ after: 1, status: 503, body: { message: 'Down' } });
		const { error } = await getStatus({ waitForOutcome, options: { waitTimeout: 1 } });
		expect(error?.message).toBe('Down');
	});

	test('fails immediately if the gateway refuses, or the credential is not complete', async () => {
		fault({ after: 1, status: 403, body: { message: 'Closed' } });
		expect((await getStatus({ waitForOutcome })).error?.message).toBe('Closed');
		const lacking = { credentials: credentials({ groupId: '' }) };
		const { error } = await getStatus({ waitForOutcome }, lacking);
		expect(error?.message).toContain("The credential has no 'Group ID'");
	});

	test('ends when the execution is cancelled', async () => {
		const stop = new AbortController();
		const cancels = () => void setImmediate(() => stop.abort());
		sandbox.fault({ on: 'webhookEvents', after: 1, run: cancels });
		const run = await getStatus({ waitForOutcome }, { signal: stop.signal });
		expect(run.items.filter(({ found }) => found === true)).toEqual([]);
		expect(requests()).toBeLessThanOrEqual(2);
	});
});
