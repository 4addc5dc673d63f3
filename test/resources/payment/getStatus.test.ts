import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { output } from '../../engine';
import type { EventInput, Fault } from '../../sandbox';
import { useNode } from '../../useNode';

/** What became of a payment is told as the service has it, and never guessed. */

const REFERENCE = 'ORDER-7731';
const { sandbox, run: getStatus } = useNode(
	{ resource: 'payment', operation: 'getStatus', referenceId: REFERENCE },
	{ clock: '2026-03-01T12:00:00Z', credentials: { headerToken: '' } },
);

async function status(more: INodeParameters = {}): Promise<IDataObject> {
	const [item] = output(await getStatus(more));
	return item ?? {};
}

const add = (type: string, more: EventInput = {}) =>
	sandbox.addEvent({ type, referenceID: REFERENCE, ...more });
const daysAgo = (days: number) =>
	new Date(sandbox.clock.now().getTime() - days * 86_400_000).toISOString();

describe('the outcome', () => {
	test('is pending, and nothing is made up, while no event shows', async () => {
		sandbox.addEvents(3);
		expect(await status()).toEqual({
			referenceID: REFERENCE,
			outcome: 'pending',
			found: false,
			events: [],
		});
	});

	test('is one item with what the service says, and the simplified events', async () => {
		const { eventID } = add('payment_success', { transactionID: 'txn_1', amount: 1999 });
		const date = '2026-03-01T12:00:00.000Z';
		expect(await status()).toEqual({
			referenceID: REFERENCE,
			outcome: 'succeeded',
			found: true,
			transactionID: 'txn_1',
			amount: 1999,
			amountFormatted: '$19.99',
			currency: 'USD',
			date,
			events: [
				{
					eventID,
					type: 'payment_success',
					date,
					referenceID: REFERENCE,
					transactionID: 'txn_1',
					status: 'CAPTURED',
					amount: 1999,
					amountFormatted: '$19.99',
					currency: 'USD',
					customerID: expect.any(String) as string,
					customerName: expect.any(String) as string,
					customerEmail: expect.any(String) as string,
					brand: 'VISA',
					last4: expect.stringContaining('4242') as string,
					message: 'Approved',
				},
			],
		});
	});

	test.each<[string, EventInput[], object]>([
		['a failure', [{ type: 'payment_failed' }], { outcome: 'failed', amount: 2500 }],
		[
			'a part that went back',
			[{}, { type: 'payment_refund', amount: 501 }],
			{ outcome: 'partiallyRefunded', amount: 1999, amountFormatted: '$19.99' },
		],
		[
			'all that went back',
			[{}, { type: 'payment_refund' }],
			{ outcome: 'refunded', amount: 0, amountFormatted: '$0.00' },
		],
		['a failure, then a success', [{ type: 'payment_failed' }, {}], { outcome: 'succeeded' }],
		[
			'an amount without a currency',
			[{ payload: `{"transaction":{"amount":2500,"referenceID":"${REFERENCE}"}}` }],
			{ amount: 2500, amountFormatted: '25.00' },
		],
		[
			'an amount that is no whole number of cents',
			[
				{
					payload: `{"transaction":{"amount":19.99,"currency":"USD","referenceID":"${REFERENCE}"}}`,
				},
			],
			{ amount: 19.99, amountFormatted: undefined },
		],
		['a dotted type', [{ type: 'payment.success' }], { outcome: 'succeeded' }],
		['one event twice', [{ eventID: 'e' }, { eventID: 'e' }], { amount: 2500 }],
		['one payment twice', [{ transactionID: 't' }, { transactionID: 't' }], { amount: 2500 }],
		[
			'a type that nobody knows',
			[{ type: 'payment_created' }],
			{ outcome: 'pending', found: false },
		],
		[
			'a payload that broke off',
			[{ payload: `{"referenceID": "${REFERENCE}", ` }],
			{ outcome: 'succeeded' },
		],
		[
			'a payload that is no object',
			[{ payload: '"text"' }, { payload: 'null' }],
			{ outcome: 'pending' },
		],
	])('is read from %s', async (_, events, expected) => {
		for (const event of events) add('payment_success', event);
		expect(await status()).toMatchObject(expected);
	});

	test('is that of this reference alone', async () => {
		add('payment_success', { referenceID: `${REFERENCE}-2` });
		add('payment_success', { referenceID: REFERENCE.toLowerCase() });
		add('payment_failed');
		expect(await status()).toMatchObject({
			outcome: 'failed',
			events: [{ referenceID: REFERENCE }],
		});
	});

	test('finds the reference wherever an event carries it', async () => {
		add('payment_failed', { payload: { attempt: { order: { referenceID: ` ${REFERENCE} ` } } } });
		expect(await status()).toMatchObject({ outcome: 'failed', found: true });
	});

	test('is that of each item, in order', async () => {
		add('payment_success', { referenceID: 'A' });
		add('payment_failed', { referenceID: 'B' });
		const items = ['A', 'B', 'C'].map((reference) => ({ reference }));
		const run = await getStatus({ referenceId: '={{ $json.reference }}' }, { items });
		expect(output(run)).toMatchObject([
			{ referenceID: 'A', outcome: 'succeeded' },
			{ referenceID: 'B', outcome: 'failed' },
			{ referenceID: 'C', outcome: 'pending' },
		]);
		expect(run.outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
			{ item: 2 },
		]);
	});
});

describe('the search', () => {
	const isSearch = ({ body }: { body: unknown }) => JSON.stringify(body).includes('"search"');
	const empty = { data: [], page: { total: 0, range: { from: 0, to: 0 }, page: 1, pageSize: 100 } };

	test.each<[string, () => void]>([
		['ignored', () => (sandbox.settings.ignoreSearch = true)],
		['refused', () => fault({ status: 400 })],
		['broken', () => fault({ status: 500 })],
		['lost', () => fault({ drop: 'before' })],
		['blind', () => fault({ answer: () => empty })],
		['odd', () => fault({ body: { rows: [] } })],
	])('may be %s: the list itself is read', async (_, bend) => {
		add('payment_success', { date: daysAgo(29) });
		sandbox.addEvents(240);
		bend();
		expect(await status()).toMatchObject({ outcome: 'succeeded' });
	});

	const fault = (more: Fault) =>
		sandbox.fault({ on: 'webhookEvents', when: isSearch, times: Infinity, ...more });

	test('that shows the payment saves the reading of what is older', async () => {
		sandbox.addEvents(1500, (index) => ({ date: daysAgo(28 - index / 100) }));
		add('payment_success', { date: daysAgo(10) });
		add('payment_refund', { amount: 500, date: daysAgo(1) });
		expect(await status()).toMatchObject({ outcome: 'partiallyRefunded', amount: 2000 });
		expect(sandbox.requestsTo('webhookEvents').length).toBeLessThanOrEqual(7);
	});

	test("is asked in the service's own words", async () => {
		await status();
		const { groupID, privateToken: token } = sandbox.credentials;
		const sort = { field: 'date', order: 'desc' };
		expect(sandbox.requestsTo('webhookEvents').map(({ body }) => body)).toEqual([
			{ groupID, token, data: { page: { page: 1, pageSize: 100, sort, search: REFERENCE } } },
			{ groupID, token, data: { page: { page: 1, pageSize: 100, sort } } },
		]);
	});
});

describe('the look-back', () => {
	beforeEach(() => {
		sandbox.settings.ignoreSearch = true;
		add('payment_success', { date: daysAgo(40) });
		sandbox.addEvents(400, (index) => ({ date: daysAgo(39 - index / 11) }));
	});

	test('bounds how far the list is read', async () => {
		expect(await status({ options: { lookBackDays: 2 } })).toMatchObject({ outcome: 'pending' });
		expect(sandbox.requestsTo('webhookEvents').length).toBeLessThanOrEqual(3);
	});

	test('reaches as far as it is told', async () => {
		expect(await status({ options: { lookBackDays: 41 } })).toMatchObject({ outcome: 'succeeded' });
	});

	test('reaches further for the payment of a refund', async () => {
		add('payment_refund', { amount: 500 });
		expect(await status()).toMatchObject({ outcome: 'partiallyRefunded', amount: 2000 });
	});

	test.each([0, -1, 4000, 'a month'])(
		'of %p is refused before any request',
		async (lookBackDays) => {
			const run = await getStatus({ options: { lookBackDays } });
			expect(run.error?.message).toMatch(/'Look Back \(Days\)'/);
			expect(sandbox.requests).toEqual([]);
		},
	);
});

test('a list that cannot be read is an error, not a pending payment', async () => {
	const faults: Fault[] = [
		{ status: 500 },
		{ body: {} },
		{ body: { data: [] } },
		{ body: '<html>' },
	];
	for (const fault of faults) {
		sandbox.clearFaults();
		sandbox.fault({ on: 'webhookEvents', times: Infinity, ...fault });
		const run = await getStatus();
		expect(run.error?.message).toMatch(/./);
		expect(run.items).toEqual([]);
	}
});

test('an empty reference is refused before any request', async () => {
	for (const v of ['', '  ', null]) {
		const run = await getStatus({ referenceId: '={{ $json.v }}' }, { items: [{ v }] });
		expect(run.error?.message).toBe("'Reference ID' is empty");
	}
	expect(sandbox.requests).toEqual([]);
});

describe('waiting', () => {
	const waitForOutcome = true;

	test('ends when the outcome arrives', async () => {
		const arrives = () => void add('payment_success', { transactionID: 'txn_late' });
		sandbox.fault({ on: 'webhookEvents', after: 2, run: arrives, times: 1, headers: {} });
		expect(await status({ waitForOutcome })).toMatchObject({
			outcome: 'succeeded',
			transactionID: 'txn_late',
		});
	});

	test('does not begin when the outcome is known', async () => {
		add('payment_failed');
		expect(await status({ waitForOutcome })).toMatchObject({ outcome: 'failed' });
		expect(sandbox.requestsTo('webhookEvents')).toHaveLength(2);
	});

	test('ends as pending at its timeout', async () => {
		const options = { waitTimeout: 1 };
		expect(await status({ waitForOutcome, options })).toMatchObject({
			outcome: 'pending',
			found: false,
		});
		expect(sandbox.requestsTo('webhookEvents').length).toBeGreaterThan(2);
	});

	test('ends at its timeout when the clock of the machine is put back', async () => {
		const now = Date.now.bind(Date);
		const clock = jest.spyOn(Date, 'now');
		const puts = () => void clock.mockImplementation(() => now() - 86_400_000);
		sandbox.fault({ on: 'webhookEvents', after: 1, run: puts, headers: {} });
		const parameters = { waitForOutcome, options: { waitTimeout: 1 } };
		// By then it would wait for a day.
		const run = await getStatus(parameters, { signal: AbortSignal.timeout(4_000) });
		clock.mockRestore();
		expect(run.status).toBe('success');
		expect(run.items).toMatchObject([{ outcome: 'pending' }]);
	});

	test('ends when the execution is cancelled', async () => {
		const stop = new AbortController();
		const cancels = () => void setImmediate(() => stop.abort());
		sandbox.fault({ on: 'webhookEvents', after: 1, run: cancels });
		const run = await getStatus({ waitForOutcome }, { signal: stop.signal });
		expect(run.items.filter(({ found }) => found === true)).toEqual([]);
		expect(sandbox.requestsTo('webhookEvents').length).toBeLessThanOrEqual(2);
	});
});
