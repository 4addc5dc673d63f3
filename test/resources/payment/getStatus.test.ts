import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { engine, output } from '../../engine';
import type { EventInput, Fault, RecordedRequest } from '../../sandbox';
import { useNode } from '../../useNode';

/** What became of a payment is told as the service has it, and never guessed. */

const REFERENCE = 'ORDER-7731';
const { sandbox, run: getStatus } = useNode(
	{ resource: 'payment', operation: 'getStatus', referenceId: REFERENCE },
	{ clock: '2026-03-01T12:00:00Z', credentials: { headerToken: '' } },
);
// What is known of the service's search is no longer true of the next test's events.
beforeEach(() => engine.restart());

async function status(more: INodeParameters = {}): Promise<IDataObject> {
	const [item] = output(await getStatus(more));
	return item ?? {};
}

const add = (type: string, more: EventInput = {}) =>
	sandbox.addEvent({ type, referenceID: REFERENCE, ...more });
const daysAgo = (days: number) =>
	new Date(sandbox.clock.now().getTime() - days * 86_400_000).toISOString();
const month = (count: number) =>
	sandbox.addEvents(count, (index) => ({
		referenceID: `SALE-${1000 + index}`,
		date: daysAgo(29.9 - (index * 29.8) / count),
	}));
const requests = () => sandbox.requestsTo('webhookEvents').length;
const isSearch = ({ body }: RecordedRequest) => JSON.stringify(body).includes('"search"');
const fault = (more: Fault) => sandbox.fault({ on: 'webhookEvents', times: Infinity, ...more });

describe('the outcome', () => {
	const nothing = { transactionID: null, amount: null, amountFormatted: null };

	test('is notFound, and nothing is made up, while no event shows', async () => {
		sandbox.addEvents(3);
		expect(await status()).toEqual({
			...{ referenceID: REFERENCE, outcome: 'notFound', found: false },
			...{ ...nothing, currency: null, date: null, events: [] },
		});
	});

	test('is one item with what the service says, and the simplified events', async () => {
		const { eventID } = add('payment_success', { transactionID: 'txn_1', amount: 1999 });
		expect(await status()).toEqual({
			...{ referenceID: REFERENCE, outcome: 'succeeded', found: true, transactionID: 'txn_1' },
			...{ amount: 19.99, amountFormatted: '$19.99', currency: 'USD' },
			date: '2026-03-01T12:00:00.000Z',
			events: [expect.objectContaining({ eventID, status: 'CAPTURED', amountFormatted: '$19.99' })],
		});
	});

	const record = (fields: object) =>
		JSON.stringify({ transaction: { referenceID: REFERENCE, ...fields } });

	test.each<[string, EventInput[], object]>([
		['a failure', [{ type: 'payment_failed' }], { outcome: 'failed', amount: 25 }],
		[
			'a part that went back',
			[{}, { type: 'payment_refund', amount: 501 }],
			{ outcome: 'partiallyRefunded', amount: 19.99, amountFormatted: '$19.99' },
		],
		[
			'a part that went back, beside its payment',
			[
				{ transactionID: 't' },
				{
					type: 'payment_refund',
					payload: {
						transaction: { id: 't', amount: 2500, referenceID: REFERENCE },
						refund: { id: 'r', amount: 501, parentTransactionId: 't' },
					},
				},
			],
			{ outcome: 'partiallyRefunded', amount: 19.99 },
		],
		[
			'all that went back',
			[{}, { type: 'payment_refund' }],
			{ outcome: 'refunded', amount: 0, amountFormatted: '$0.00' },
		],
		[
			'a refund that carries no reference',
			[
				{ transactionID: 't' },
				{
					type: 'payment_refund',
					payload: { refund: { id: 'r', amount: 2500, parentTransactionId: 't', referenceID: '' } },
				},
			],
			{ outcome: 'refunded', events: [{}, {}] },
		],
		[
			'an ACH debit that was returned',
			[
				{ transactionID: 't', date: '2026-02-26T12:00:00Z' },
				{ type: 'payment_failed', transactionID: 't' },
			],
			{ outcome: 'failed', found: true, transactionID: 't', amount: 25 },
		],
		[
			'yen',
			[{ payload: record({ amount: 1999, currency: 'JPY' }) }],
			{ amount: 1999, amountFormatted: '¥1,999' },
		],
		['no currency', [{ payload: record({ amount: 2500 }) }], { amount: 25, currency: null }],
		[
			'no whole number of cents',
			[{ payload: record({ id: 't', amount: 19.99 }) }],
			{ ...nothing, transactionID: 't' },
		],
		[
			'a payload that broke off',
			[{ payload: `{"referenceID": "${REFERENCE}", ` }],
			{ outcome: 'succeeded', amount: null },
		],
		[
			'a reference that stands elsewhere',
			[
				{
					type: 'payment_failed',
					payload: { attempt: { order: { referenceID: ` ${REFERENCE} ` } } },
				},
			],
			{ outcome: 'failed' },
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

	test('is that of each item, in order', async () => {
		add('payment_success', { referenceID: 'A' });
		add('payment_failed', { referenceID: 'B' });
		const items = ['A', 'B', 'C'].map((reference) => ({ reference }));
		const run = await getStatus({ referenceId: '={{ $json.reference }}' }, { items });
		expect(output(run)).toMatchObject([
			{ referenceID: 'A', outcome: 'succeeded' },
			{ referenceID: 'B', outcome: 'failed' },
			{ referenceID: 'C', outcome: 'notFound' },
		]);
		expect(run.outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 1, 2].map((item) => ({ item })),
		);
	});
});

describe('the search', () => {
	const blind = { data: [], page: { total: 0, range: { from: 0, to: 0 }, page: 1, pageSize: 100 } };

	test.each<[string, () => void]>([
		['ignored', () => (sandbox.settings.ignoreSearch = true)],
		['refused', () => fault({ when: isSearch, status: 400 })],
		['broken', () => fault({ when: isSearch, status: 500 })],
		['lost', () => fault({ when: isSearch, drop: 'before' })],
		['blind', () => fault({ when: isSearch, answer: () => blind })],
		['odd', () => fault({ when: isSearch, body: { rows: [] } })],
	])('may be %s: the list itself is read', async (_, bend) => {
		add('payment_success', { date: daysAgo(29) });
		month(240);
		bend();
		expect(await status()).toMatchObject({ outcome: 'succeeded' });
		expect(await status()).toMatchObject({ outcome: 'succeeded' });
	});

	test('of twenty references at once in a new process is tried once', async () => {
		month(5_000);
		const items = Array.from({ length: 20 }, (_, index) => ({ reference: `ORDER-${index}` }));
		const rows = output(await getStatus({ referenceId: '={{ $json.reference }}' }, { items }));
		expect(rows).toHaveLength(20);
		expect(requests()).toBeLessThanOrEqual(45);
	});

	test("is asked in the service's own words", async () => {
		month(240);
		await status();
		const { groupID, privateToken: token } = sandbox.credentials;
		const page = { page: 1, pageSize: 100, sort: { field: 'date', order: 'desc' } };
		const asked = sandbox.requestsTo('webhookEvents').map(({ body }) => body);
		expect(asked).toContainEqual({ groupID, token, data: { page } });
		expect(asked).toContainEqual({
			groupID,
			token,
			data: { page: { ...page, search: REFERENCE } },
		});
	});

	test('finds what lies deeper than the list can be read', async () => {
		month(600);
		add('payment_success', { date: daysAgo(60) });
		const isDeep = ({ body }: RecordedRequest) => /"page":[2-9]/.test(JSON.stringify(body));
		fault({ when: isDeep, status: 400 });
		expect(await status()).toMatchObject({ outcome: 'succeeded' });
	});
});

describe('the look-back', () => {
	beforeEach(() => {
		sandbox.settings.ignoreSearch = true;
		add('payment_success', { date: daysAgo(40) });
		sandbox.addEvents(400, (index) => ({ date: daysAgo(39 - index / 11) }));
	});

	test('bounds how far the list is read', async () => {
		expect(await status({ options: { lookBackDays: 2 } })).toMatchObject({ outcome: 'notFound' });
		expect(requests()).toBeLessThanOrEqual(5);
	});

	test('reaches as far as it is told, also by small pages', async () => {
		sandbox.settings.rejectPageSizeAbove = 50;
		expect(await status({ options: { lookBackDays: 41 } })).toMatchObject({ outcome: 'succeeded' });
	});

	test('reaches further for the payment of a refund', async () => {
		add('payment_refund', { amount: 500 });
		expect(await status()).toMatchObject({ outcome: 'partiallyRefunded', amount: 20 });
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

test.each<Fault>([{ status: 500 }, { body: {} }, { body: '<html>' }])(
	'a list that cannot be read is an error, not a payment that is not found: %j',
	async (bend) => {
		fault(bend);
		const run = await getStatus();
		expect(run.error?.message).toMatch(/./);
		expect(run.items).toEqual([]);
	},
);

test.each(['', '  ', null])('a reference of %j is refused before any request', async (v) => {
	const run = await getStatus({ referenceId: '={{ $json.v }}' }, { items: [{ v }] });
	expect(run.error?.message).toBe("'Reference ID' is empty");
	expect(sandbox.requests).toEqual([]);
});

describe('waiting', () => {
	const waitForOutcome = true;
	const arrives = (after: number, type = 'payment_success') =>
		sandbox.fault({
			on: 'webhookEvents',
			after,
			run: () => void add(type, { transactionID: 'late' }),
			headers: {},
		});

	test.each(['payment_success', 'payment_failed', 'payment_refund'])(
		'ends when a %s arrives',
		async (type) => {
			arrives(2, type);
			expect(await status({ waitForOutcome })).toMatchObject({
				found: true,
				transactionID: 'late',
			});
		},
	);

	test('does not begin when the outcome is known', async () => {
		add('payment_failed');
		expect(await status({ waitForOutcome })).toMatchObject({ outcome: 'failed' });
		expect(requests()).toBeLessThanOrEqual(3);
	});

	test.each([true, false])('reads no month anew (search: %s)', async (isSearched) => {
		month(1_500);
		sandbox.settings.ignoreSearch = !isSearched;
		await status();
		const before = requests();
		await status();
		const whole = requests() - before;
		arrives(whole + 1);
		expect(await status({ waitForOutcome })).toMatchObject({ transactionID: 'late' });
		expect(requests() - before - 2 * whole).toBeLessThanOrEqual(4);
	});

	test('ends as notFound at its timeout', async () => {
		const options = { waitTimeout: 1 };
		expect(await status({ waitForOutcome, options })).toMatchObject({ outcome: 'notFound' });
		expect(requests()).toBeGreaterThan(1);
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
		expect(run.items).toMatchObject([{ outcome: 'notFound' }]);
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
