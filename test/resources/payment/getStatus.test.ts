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
/** Adds events of $25, a minute apart. 'success a' has the transaction ID "a". */
const givenEvents = (...events: readonly string[]) =>
	events.forEach((each, minute) => {
		const [type = '', transactionID = ''] = each.split(' ');
		add(type, { amount: 2500, transactionID, date: `2026-03-01T11:0${minute}:00Z` });
	});
const requests = () => sandbox.requestsTo('webhookEvents').length;
const fault = (more: Fault) => sandbox.fault({ on: 'webhookEvents', times: Infinity, ...more });

const notFound = {
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
};
test('while no event shows, the outcome is notFound and every value of the payment is null', async () => {
	sandbox.addEvents(3);
	expect(await status()).toEqual(notFound);
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
		...notFound,
		summary: `Payment of $19.99 (reference ${REFERENCE}) succeeded`,
		outcome: 'succeeded',
		found: true,
		transactionID: 'txn_1',
		payments: 1,
		amount: 19.99,
		amountFormatted: '$19.99',
		currency: 'USD',
		date: '2026-03-01T12:00:00.000Z',
		events: [expect.objectContaining({ eventID, status: 'CAPTURED', amountFormatted: '$19.99' })],
	});
});

test.each<[string[], string]>([
	[['failed a'], 'Payment of $25.00 (reference ORDER-7731) failed'],
	[['success a', 'failed a'], 'Payment of $25.00 (reference ORDER-7731) was returned'],
	[['success a', 'refund r'], 'Payment of $25.00 (reference ORDER-7731) was refunded'],
	[['success a', 'success b'], 'Payment of $50.00 (2 payments, reference ORDER-7731) succeeded'],
	[['refund r'], 'Payment (reference ORDER-7731) was refunded'],
])('the summary of %j is: %s', async (events, sentence) => {
	givenEvents(...events);
	expect((await status()).summary).toBe(sentence);
});

describe('an expected amount', () => {
	type Row = [string, events: string[], expected: string, boolean | null, number | null, number];
	test.each<Row>([
		['paid', ['success a'], '$25.00', true, 0, 1],
		['paid less', ['success a'], '25.01', false, -0.01, 1],
		['paid twice', ['success a', 'success b'], '25', false, 25, 2],
		['paid and refunded', ['success a', 'refund r'], '25', false, -25, 1],
		['refunded, and paid again', ['success a', 'refund r', 'success b'], '25', true, 0, 2],
		['paid and returned', ['success a', 'failed a'], '25', false, -25, 0],
		['failed', ['failed a'], '25', false, -25, 0],
		['no payment found', [], '25', null, null, 0],
	])(
		'is compared with what was paid: %s',
		async (_, events, expectedAmount, matches, difference, payments) => {
			givenEvents(...events);
			const compared = { matches, difference, payments };
			expect(await status({ expectedAmount })).toMatchObject(compared);
		},
	);

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
