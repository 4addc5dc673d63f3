import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { output } from '../../engine';
import type { EventInput } from '../../sandbox';
import { useNode } from '../../useNode';

/** Past events come as they were recorded, checked here whatever the service does with a filter. */

const {
	sandbox,
	run: getAll,
	sent,
} = useNode(
	{ resource: 'webhookEvent', operation: 'getAll' },
	{ clock: '2026-03-01T12:00:00Z', credentials: { headerToken: '' } },
);

const ids = async (more: INodeParameters = {}) =>
	output(await getAll({ returnAll: true, ...more })).map(({ eventID }) => eventID);
const add = (eventID: string, more: EventInput = {}) => sandbox.addEvent({ eventID, ...more });
const hoursAgo = (hours: number) =>
	new Date(sandbox.clock.now().getTime() - hours * 3_600_000).toISOString();
const requests = () => sent('webhookEvents').map(({ page }) => page);

describe('how many', () => {
	test('fifty by default, in one request', async () => {
		sandbox.addEvents(120);
		expect(output(await getAll())).toHaveLength(50);
		expect(requests()).toEqual([{ page: 1, pageSize: 50 }]);
	});

	test('all of them, each once, in order', async () => {
		const added = sandbox.addEvents(1234).map(({ eventID }) => eventID);
		expect(await ids()).toEqual(added.reverse());
	});

	test('as many as the limit, of what is left after filtering', async () => {
		sandbox.addEvents(400, (index) => ({
			type: index % 10 === 0 ? 'payment_refund' : 'payment_success',
		}));
		sandbox.settings.ignoreFilter = true;
		const run = await getAll({ limit: 25, eventTypes: ['payment_refund'] });
		expect(output(run)).toHaveLength(25);
		expect(output(run).every(({ type }) => type === 'payment_refund')).toBe(true);
	});
});

describe('types', () => {
	const [failed, refund, success] = ['payment_failed', 'payment_refund', 'payment_success'];
	beforeEach(() => {
		for (const type of [success, failed, refund]) add(type, { type });
		add('dotted', { type: 'payment.success' });
		add('unknown', { type: 'payment_created' });
	});

	test.each([
		[[], ['dotted', failed, refund, success, 'unknown']],
		[[success], ['dotted', success]],
		['={{ ["payment.failed", "Payment_Refund"] }}', [failed, refund]],
	])('chosen %j: those alone, dotted or not, or all of them', async (eventTypes, found) => {
		expect((await ids({ eventTypes })).sort()).toEqual(found);
	});

	test('a dotted type is shown with underscores, and as it came where nothing is simplified', async () => {
		const typesOf = async (simplify: boolean) =>
			output(await getAll({ simplify, eventTypes: ['payment_success'] })).map(({ type }) => type);
		expect(await typesOf(true)).toEqual(['payment_success', 'payment_success']);
		expect((await typesOf(false)).sort()).toEqual(['payment.success', 'payment_success']);
	});

	test.each(['payment.success', 'payment_success'])(
		'a filter by %s goes as it was chosen',
		async (type) => {
			const conditions = [{ field: 'type', condition: 'equals', value: type }];
			expect(await ids({ filters: { conditions } })).toHaveLength(1);
			expect(requests()[0]?.filter).toEqual([{ field: 'type', operation: 'equals', value: type }]);
		},
	);
});

describe('a window', () => {
	const within = (options: INodeParameters) => ({ options });

	test('is inclusive where it begins, and exclusive where it ends', async () => {
		for (const hours of [5, 4, 3, 2, 1]) add(`h${hours}`, { date: hoursAgo(hours) });
		const receivedAfter = hoursAgo(4);
		const receivedBefore = hoursAgo(2);
		expect(await ids(within({ receivedAfter, receivedBefore }))).toEqual(['h3', 'h4']);
		expect(await ids(within({ receivedAfter }))).toEqual(['h1', 'h2', 'h3', 'h4']);
		expect(await ids(within({ receivedBefore }))).toEqual(['h3', 'h4', 'h5']);
	});

	const descending = { field: 'date', order: 'desc' };
	const ascending = { field: 'date', order: 'asc' };
	test.each<[object, INodeParameters, INodeParameters, number]>([
		[descending, {}, { receivedAfter: hoursAgo(2.05) }, 20],
		[descending, { rule: descending }, { receivedAfter: hoursAgo(2.05) }, 20],
		[ascending, { rule: ascending }, { receivedBefore: hoursAgo(297.95) }, 21],
	])('ends the listing early by %j (chosen: %j)', async (sort, chosen, options, count) => {
		sandbox.addEvents(3000, (index) => ({ date: hoursAgo((3000 - index) / 10) }));
		expect(await ids({ options, sort: chosen })).toHaveLength(count);
		expect(requests()).toMatchObject([{ sort }]);
	});

	test.each<[string, object]>([
		['ignores the order', { ignoreSort: true, eventOrder: 'asc' }],
		['serves few rows', { pageSizeCap: 7 }],
		['tells no total', { total: 'zero' }],
		['tells the total as text', { total: 'text' }],
	])('holds what it should when the service %s', async (_, settings) => {
		sandbox.addEvents(300, (index) => ({ date: hoursAgo((300 - index) / 10) }));
		Object.assign(sandbox.settings, settings);
		expect(await ids(within({ receivedAfter: hoursAgo(2.05) }))).toHaveLength(20);
	});

	test('leaves out what has no date that can be read', async () => {
		add('none', { date: undefined });
		add('odd', { date: 'yesterday' });
		add('good');
		expect(await ids(within({ receivedAfter: hoursAgo(1) }))).toEqual(['good']);
		expect((await ids()).sort()).toEqual(['good', 'none', 'odd']);
	});
});

const byExpression = { options: { referenceId: '={{ $json.v }}' } };
const between = (receivedAfter: string, receivedBefore: string) => ({
	options: { receivedAfter, receivedBefore },
});
test.each<[string, INodeParameters, IDataObject?]>([
	["'Limit' ", { limit: 0 }],
	["'Limit' ", { limit: -1 }],
	["'Limit' ", { limit: 1.5 }],
	["'Limit' ", { limit: 'all' }],
	[`'Event Types' cannot be "payment_gone"; choose one of: `, { eventTypes: ['payment_gone'] }],
	["'Event Types' is empty", { eventTypes: '={{ $json.missing }}' }],
	["'Received After' takes a date", { options: { receivedAfter: 'soon' } }],
	["'Received Before' takes a date", { options: { receivedBefore: '={{ {} }}' } }],
	["'Received After' must be earlier", between('2026-03-02', '2026-03-01')],
	["'Received After' must be earlier", between('2026-03-01', '2026-03-01')],
	["'Reference ID' is empty", byExpression],
	["'Reference ID' is empty", byExpression, { v: null }],
	["'Reference ID' is empty", byExpression, { v: '' }],
	["'Reference ID' is empty", byExpression, { v: ' ' }],
])('says %s before any request: %j of %j', async (words, parameters, item = {}) => {
	const { error } = await getAll(parameters, { items: [item] });
	expect(error?.message).toContain(words);
	expect(error?.message).not.toContain('[item');
	expect(sandbox.requests).toEqual([]);
});

test('the reference is matched here, exactly, wherever an event carries it', async () => {
	add('plain', { referenceID: 'A-1' });
	add('longer', { referenceID: 'A-10' });
	add('deep', { type: 'payment_failed', payload: { attempt: { order: { referenceID: 'A-1' } } } });
	add('text', { payload: 'A-1' });
	add('brokenOff', { payload: '{"transaction":{"referenceID":"A-1","status":"CAPT' });
	const ofReference = async (referenceId: string) =>
		(await ids({ options: { referenceId } })).sort();
	expect(await ofReference(' A-1 ')).toEqual(['brokenOff', 'deep', 'plain']);
	expect(await ofReference('')).toHaveLength(5);
});

test('filters, sort, search and page size go to the service in its own words', async () => {
	const conditions = [{ field: 'eventID', condition: 'neq', value: 'x' }];
	const sort = { field: 'type', order: 'asc' };
	const options = { search: ' word ', pageSize: 7 };
	output(await getAll({ returnAll: true, filters: { conditions }, sort: { rule: sort }, options }));
	const filter = [{ field: 'eventID', operation: 'neq', value: 'x' }];
	expect(requests()).toEqual([{ page: 1, pageSize: 7, filter, sort, search: 'word' }]);
});

describe('the shape', () => {
	const transaction = { id: 'txn_1', amount: 1999, currency: 'USD', customer_name: 'Ada' };

	test('is flat where it is simplified, else the event with its payload read', async () => {
		add('e1', { payload: { transaction } });
		const summary = 'Payment of $19.99 by Ada succeeded';
		const told = { summary, amount: 19.99, transactionID: 'txn_1', message: null, eventID: 'e1' };
		expect(output(await getAll())).toMatchObject([told]);
		expect(output(await getAll({ simplify: false }))).toEqual([
			{
				...{ eventID: 'e1', type: 'payment_success', date: '2026-03-01T12:00:00.000Z' },
				payload: { transaction },
			},
		]);
	});

	test('stays the text where the payload is not JSON, which stops nothing', async () => {
		add('broken', { payload: '{"transaction":' });
		add('fine');
		for (const simplify of [true, false]) {
			const rows = output(await getAll({ simplify }));
			const payloadError = 'The payload is not JSON';
			const broken = { eventID: 'broken', payload: '{"transaction":', payloadError };
			expect(rows).toMatchObject([broken, { eventID: 'fine' }]);
		}
	});

	test('what is sensitive is masked, unless it is asked for', async () => {
		const source = [{ account_number: '000123456789', cvc: '987' }];
		add('e1', { payload: { transaction: { id: 't', source } } });
		const shown = async (options: INodeParameters) =>
			output(await getAll({ simplify: false, options }))[0]?.payload;
		const masked = [{ account_number: '••••6789' }];
		expect(await shown({})).toEqual({ transaction: { id: 't', source: masked } });
		expect(await shown({ includeSensitive: true })).toEqual({ transaction: { id: 't', source } });
	});
});

test.each<[string, unknown]>([
	['data that is no list', { data: 7, page: { total: 1 } }],
	['no rows', { page: { total: 1 } }],
])('an answer with %s is an error', async (_, body) => {
	sandbox.fault({ on: 'webhookEvents', times: Infinity, body });
	const run = await getAll({ returnAll: true });
	expect(run.error?.message).toMatch(/without "data"/);
});
