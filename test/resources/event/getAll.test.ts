import type { INodeParameters } from 'n8n-workflow';

import { output } from '../../engine';
import type { EventInput } from '../../sandbox';
import { useNode } from '../../useNode';

/** Past events are returned as recorded. The node filters them itself, even if the gateway does not. */

const {
	sandbox,
	run: getAll,
	sent,
} = useNode(
	{ resource: 'event', operation: 'getAll' },
	{ clock: '2026-03-01T12:00:00Z', credentials: { headerToken: '' } },
);

const ids = async (more: INodeParameters = {}) =>
	output(await getAll({ returnAll: true, ...more })).map(({ eventID }) => eventID);
const add = (eventID: string, more: EventInput = {}) => sandbox.addEvent({ eventID, ...more });
const hoursAgo = (hours: number) =>
	new Date(sandbox.clock.now().getTime() - hours * 3_600_000).toISOString();
const requests = () => sent('webhookEvents').map(({ page }) => page);

test('the default is fifty events, in one request', async () => {
	sandbox.addEvents(120);
	expect(output(await getAll())).toHaveLength(50);
	expect(requests()).toEqual([{ page: 1, pageSize: 50 }]);
});

test('a limit counts the events after filtering', async () => {
	const [refund, success] = ['payment_refund', 'payment_success'];
	sandbox.addEvents(400, (index) => ({ type: index % 10 === 0 ? refund : success }));
	const found = output(await getAll({ limit: 25, eventTypes: [refund] }));
	expect(found.map(({ type }) => type)).toEqual(Array(25).fill(refund));
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
		['={{ ["payment.failed", "payment_refund"] }}', [failed, refund]],
	])(
		'the choice %j returns only those types, in either spelling; an empty choice returns all',
		async (eventTypes, found) => {
			expect((await ids({ eventTypes })).sort()).toEqual(found);
		},
	);

	test('a filter by type is sent as it was typed, and a dotted one is shown with underscores', async () => {
		const type = 'payment.success';
		const filters = { conditions: [{ field: 'type', condition: 'equals', value: type }] };
		expect(output(await getAll({ filters }))).toMatchObject([{ type: 'payment_success' }]);
		expect(output(await getAll({ filters, simplify: false }))).toMatchObject([{ type }]);
		const filter = [{ field: 'type', operation: 'equals', value: type }];
		expect(requests()[0]).toMatchObject({ filter });
	});
});

describe('a window', () => {
	test('includes its beginning and excludes its end', async () => {
		for (const hours of [5, 4, 3, 2, 1]) add(`h${hours}`, { date: hoursAgo(hours) });
		const receivedAfter = hoursAgo(4);
		const receivedBefore = hoursAgo(2);
		expect(await ids({ options: { receivedAfter, receivedBefore } })).toEqual(['h3', 'h4']);
		expect(await ids({ options: { receivedAfter } })).toEqual(['h1', 'h2', 'h3', 'h4']);
		expect(await ids({ options: { receivedBefore } })).toEqual(['h3', 'h4', 'h5']);
	});

	const descending = { field: 'date', order: 'desc' };
	const ascending = { field: 'date', order: 'asc' };
	test.each<[object, INodeParameters, INodeParameters, number, number]>([
		[descending, {}, { receivedAfter: hoursAgo(2.05) }, 20, 1],
		[descending, {}, { receivedAfter: hoursAgo(15.05) }, 150, 2],
		[ascending, { rule: ascending }, { receivedBefore: hoursAgo(297.95) }, 21, 1],
	])(
		'requests no page beyond it when sorted by %j (form: %j; %j: %i events on %i pages)',
		async (sort, chosen, options, count, pages) => {
			sandbox.addEvents(3000, (index) => ({ date: hoursAgo((3000 - index) / 10) }));
			expect(await ids({ options, sort: chosen })).toHaveLength(count);
			const numbers = Array.from({ length: pages }, (_, index) => index + 1);
			expect(requests()).toMatchObject(numbers.map((page) => ({ page, sort })));
		},
	);

	test.each<[INodeParameters, 'asc' | 'desc']>([
		[{}, 'asc'],
		[{ rule: ascending }, 'desc'],
	])('with the sort %j is refused if the gateway sorts the list %s', async (sort, eventOrder) => {
		sandbox.addEvents(300, (index) => ({ date: hoursAgo((300 - index) / 10) }));
		Object.assign(sandbox.settings, { eventOrder });
		const { error } = await getAll({ sort, options: { receivedAfter: hoursAgo(2.05) } });
		expect(error?.message).toBe('The gateway did not sort the events by date');
		expect(await ids({ sort })).toHaveLength(300);
	});
});

test('a window that ends before it begins is refused before any request', async () => {
	const options = { receivedAfter: '2026-03-01', receivedBefore: '2026-03-01' };
	const { error } = await getAll({ options });
	expect(error?.message).toBe("'Received After' must be earlier than 'Received Before'");
	expect(sandbox.requests).toEqual([]);
});

test('the node matches the reference exactly, wherever an event has it', async () => {
	add('plain', { referenceID: 'A-1' });
	add('longer', { referenceID: 'A-10' });
	add('deep', { type: 'payment_failed', payload: { attempt: { order: { referenceID: 'A-1' } } } });
	add('text', { payload: 'A-1' });
	const lineItems = { referenceID: 'A-1' };
	add('second', { payload: { transaction: { referenceID: 'A' }, lineItems } });
	const ofReference = async (referenceId: string) =>
		(await ids({ options: { referenceId } })).sort();
	expect(await ofReference(' A-1 ')).toEqual(['deep', 'plain', 'second']);
	expect(await ofReference('')).toHaveLength(5);
});

test.each([
	['Reference ID', 'referenceId'],
	['Received After', 'receivedAfter'],
	['Received Before', 'receivedBefore'],
	['Search', 'search'],
])(
	'if an expression leaves %s empty, no event is returned: without it, other events would be',
	async (label, name) => {
		sandbox.addEvents(3);
		for (const empty of ['={{ null }}', '={{ "" }}']) {
			const { error } = await getAll({ options: { [name]: empty } });
			expect(error?.message).toBe(`'${label}' is empty`);
		}
		expect(sandbox.requests).toEqual([]);
	},
);

test('an event is flat if it is simplified, else it has its parsed payload; a payload that is no JSON stays text', async () => {
	const transaction = { id: 'txn_1', amount: 1999, currency: 'USD', customer_name: 'Ada' };
	add('e1', { payload: { transaction } });
	add('e2', { payload: '{"a":' });
	const broken = { payload: '{"a":', payloadError: 'The payload is not JSON' };
	const facts = { amount: 19.99, transactionID: 'txn_1', message: null, eventID: 'e1' };
	const summary = 'Payment of $19.99 by Ada succeeded';
	expect(output(await getAll())).toMatchObject([{ summary, ...facts }, broken]);
	const [event] = output(await getAll({ simplify: false }));
	const date = '2026-03-01T12:00:00.000Z';
	expect(event).toEqual({ eventID: 'e1', type: 'payment_success', date, payload: { transaction } });
});
