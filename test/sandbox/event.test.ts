import type { EventInput } from '.';
import { useService } from './useService';

/**
 * Holds the event list of the sandbox to the service's description, and checks the settings that
 * make it misbehave.
 */

const { sandbox, call, refusal } = useService({ clock: '2026-03-01T12:00:00Z' });

const list = async (page?: unknown) => (await call('webhookEvents', { page })).answer;
const ids = async (page?: unknown): Promise<string[]> =>
	(await list(page)).data.map(({ eventID }: { eventID: string }) => eventID);
const add = (...events: EventInput[]) => events.map((event) => sandbox.addEvent(event).eventID);
const asc = { sort: { field: 'date', order: 'asc' } };
const desc = { sort: { field: 'date', order: 'desc' } };

test('a record holds eventID, date, type, and the payload as a JSON string', async () => {
	const added = sandbox.addEvent({ type: 'payment_refund', referenceID: 'R-1', amount: 700 });
	const { data } = await list();
	expect(data).toEqual([added]);
	expect(added).toMatchObject({ date: '2026-03-01T12:00:00.000Z', type: 'payment_refund' });
	const { refund } = JSON.parse(data[0].payload);
	expect(refund).toMatchObject({ status: 'REVERSED', referenceID: 'R-1', amount: 700 });
});

test('begins with page 1 of ten, newest first', async () => {
	const added = sandbox.addEvents(12).map(({ eventID }) => eventID);
	const page = { total: 12, range: { from: 0, to: 10 }, page: 1, pageSize: 10 };
	expect((await list()).page).toEqual(page);
	expect(await ids()).toEqual(added.reverse().slice(0, 10));
});

const times: EventInput[] = [
	{ eventID: 'late', date: '2026-03-01T01:00:00-05:00' },
	{ eventID: 'early', date: '2026-03-01T07:00:00+05:00' },
	{ eventID: 'middle', date: '2026-03-01T05:00:00.000Z' },
];
const odd: EventInput[] = [
	{ eventID: 'good', date: '1999-01-01T00:00:00Z' },
	{ eventID: 'garbage', date: 'event 7' },
	{ eventID: 'empty', date: '' },
	{ eventID: 'none', date: undefined },
];
const kinds: EventInput[] = [
	{ eventID: 'b', type: 'payment_refund', date: '2026-03-02T00:00:00Z' },
	{ eventID: 'c', type: 'payment_failed', date: '2026-03-03T00:00:00Z', payload: 'a Needle' },
	{ eventID: 'a', type: '', date: '2026-03-01T00:00:00Z', payload: { any: 'thing' } },
];
const by = (field: string) => ({ sort: { field, order: 'asc' } });
const where = (field: string, operation: string, value: string) => ({
	...asc,
	filter: [{ field, operation, value }],
});
const second = '2026-03-02T02:00:00+02:00';

test.each([
	['sorts by instant', times, asc, ['early', 'middle', 'late']],
	['sorts by instant', times, desc, ['late', 'middle', 'early']],
	['takes odd dates for the oldest', odd, asc, ['garbage', 'empty', 'none', 'good']],
	['keeps equal dates in order of arrival', odd, desc, ['good', 'garbage', 'empty', 'none']],
	['sorts', kinds, by('eventID'), ['a', 'b', 'c']],
	['sorts', kinds, by('type'), ['a', 'c', 'b']],
	['filters', kinds, where('type', 'equals', 'payment_failed'), ['c']],
	['knows no dots', kinds, where('type', 'equals', 'payment.failed'), []],
	['filters by instant', kinds, where('date', 'gt', second), ['c']],
	['filters by instant', kinds, where('date', 'gte', second), ['b', 'c']],
	['filters by instant', kinds, where('date', 'lt', second), ['a']],
	['filters by instant', kinds, where('date', 'lte', second), ['a', 'b']],
	['filters by instant', kinds, where('date', 'equals', second), ['b']],
	['filters by instant', kinds, where('date', 'neq', second), ['a', 'c']],
	['filters payloads', kinds, where('payload', 'contains', 'THING'), ['a']],
	['searches IDs, types and payloads', kinds, { ...asc, search: 'NEEDLE' }, ['c']],
	['searches IDs, types and payloads', kinds, { ...asc, search: 'payment_' }, ['b', 'c']],
	['searches no dates', kinds, { search: '2026-03-01' }, []],
	['cuts pages', kinds, { ...asc, page: 2, pageSize: 2 }, ['c']],
])('%s', async (_what, events, page, expected) => {
	add(...events);
	expect(await ids(page)).toEqual(expected);
});

test('a row may lack its date, and share its ID with another', async () => {
	add({ eventID: 'x', date: undefined }, { eventID: 'x', payload: '{broken' });
	const { data } = await list(asc);
	expect('date' in data[0]).toBe(false);
	expect(data).toMatchObject([{ eventID: 'x' }, { eventID: 'x', payload: '{broken' }]);
});

test.each([
	[
		where('date', 'gt', 'yesterday'),
		'data.page.filter.value for "date" must be an ISO 8601 timestamp',
	],
	[by('payload'), 'data.page.sort.field "payload" cannot be sorted by'],
])('refuses %j', async (page, words) => {
	expect(await refusal('webhookEvents', { page })).toEqual([400, words]);
});

test('shows the events of the group that asks and no others', async () => {
	const { groupID, privateToken: token } = sandbox.otherCredentials;
	add({ eventID: 'ours' }, { eventID: 'theirs', groupID });
	expect(await ids()).toEqual(['ours']);
	const { answer } = await call('webhookEvents', {}, { body: { groupID, token, data: {} } });
	expect(answer.data).toMatchObject([{ eventID: 'theirs' }]);
	expect(sandbox.events).toMatchObject([{ eventID: 'ours' }]);
});

test('an event can be given a place among its equals, and be removed', async () => {
	const [a = '', b] = add({}, {});
	const { eventID } = sandbox.addEvent({ at: 1 });
	expect(await ids()).toEqual([a, eventID, b]);
	sandbox.removeEvent(a);
	expect(await ids()).toEqual([eventID, b]);
	expect(() => sandbox.removeEvent('none')).toThrow('none');
});

describe('settings of the list', () => {
	let newest: string[];
	let oldest: string[];
	beforeEach(async () => {
		sandbox.addEvents(25);
		[newest, oldest] = [await ids({ pageSize: 25 }), await ids({ ...asc, pageSize: 25 })];
	});

	const page2 = { page: 2, pageSize: 10 };
	test.each([
		[{}, { total: 25, range: { from: 10, to: 20 }, page: 2, pageSize: 10 }],
		[{ pageSizeCap: 4 }, { total: 25, range: { from: 4, to: 8 }, page: 2, pageSize: 4 }],
		[
			{ pageSizeCap: 4, pageSizeSaid: 'asked' },
			{ pageSize: 10, range: { from: 4, to: 8 } },
		],
		[{ pageSizeSaid: 'nothing' }, { pageSize: undefined }],
		[{ total: 'zero' }, { total: 0 }],
		[{ total: 'text' }, { total: '25' }],
		[{ total: 'ofPage' }, { total: 10 }],
		[{ total: { constant: 9 } }, { total: 9 }],
		[{ ignorePage: true }, { page: 1, range: { from: 0, to: 10 } }],
	])('%j says %j of page 2', async (settings, said) => {
		Object.assign(sandbox.settings, settings);
		const { data, page } = await list(page2);
		expect({ pageSize: undefined, ...page }).toMatchObject(said);
		expect(data).toHaveLength(page.range.to - page.range.from);
	});

	test('the last page can be repeated, and a large one refused', async () => {
		Object.assign(sandbox.settings, { repeatLastPage: true, rejectPageSizeAbove: 10 });
		expect(await ids({ page: 9, pageSize: 10 })).toEqual(newest.slice(20));
		const words = 'data.page.pageSize must be at most 10';
		expect(await refusal('webhookEvents', { page: { pageSize: 11 } })).toEqual([400, words]);
	});

	test('sort, filter, search and case can be ignored, and the order turned round', async () => {
		const all = { pageSize: 25 };
		const loud = { ...all, ...where('type', 'equals', 'PAYMENT_SUCCESS') };
		expect(await ids(loud)).toEqual([]);
		sandbox.settings.ignoreCase = true;
		expect(await ids(loud)).toEqual(oldest);
		Object.assign(sandbox.settings, { ignoreSort: true, ignoreFilter: true, ignoreSearch: true });
		expect(await ids({ ...all, ...where('type', 'equals', 'none'), search: 'x' })).toEqual(newest);
		sandbox.settings.eventOrder = 'asc';
		expect(await ids(all)).toEqual(oldest);
	});

	test('equal dates can come in another order each time', async () => {
		sandbox.addEvents(40, () => ({ date: '2026-02-01T00:00:00Z' }));
		sandbox.settings.tieOrder = 'random';
		const page = { ...desc, pageSize: 65 };
		const [first, second] = [await ids(page), await ids(page)];
		expect(first).not.toEqual(second);
		expect([...first].sort()).toEqual([...second].sort());
		expect(first.slice(0, 25)).toEqual(newest);
	});
});

describe('events of payments', () => {
	const pay = () =>
		sandbox.pay(sandbox.addPaylink({ pricing: { amount: 2500 }, referenceID: 'INV-9' }).payLinkID);

	test('a refund has every field of its payment, and the status REVERSED', async () => {
		pay();
		const [{ transactionID = '' } = {}] = sandbox.charges;
		sandbox.clock.advance(60_000);
		sandbox.refund(transactionID, 1000);
		const [latest, first] = (await list()).data;
		expect(latest).toMatchObject({ type: 'payment_refund', date: '2026-03-01T12:01:00.000Z' });
		const { refund } = JSON.parse(latest.payload);
		const { transaction } = JSON.parse(first.payload);
		expect(Object.keys(refund)).toEqual(Object.keys(transaction));
		const parentTransactionId = transactionID;
		expect(refund).toMatchObject({ status: 'REVERSED', amount: 1000, parentTransactionId });
		expect([refund.id === transactionID, refund.referenceID]).toEqual([false, 'INV-9']);
	});

	test('no more is refunded than was paid', () => {
		pay();
		const [{ transactionID = '' } = {}] = sandbox.charges;
		sandbox.refund(transactionID, 2000);
		expect(() => sandbox.refund(transactionID, 501)).toThrow('between $0.01 and $5.00');
		sandbox.refund(transactionID);
		expect(() => sandbox.refund(transactionID)).toThrow('must be between');
		expect(() => sandbox.refund('txn_none')).toThrow('not found');
	});

	test('show in order of what happened, and only after the lag', async () => {
		const shown = [pay().eventID, ...add({})];
		expect(await ids()).toEqual(shown);
		sandbox.settings.eventLag = Infinity;
		const { eventID } = pay();
		expect(await ids()).toEqual(shown);
		expect(sandbox.events).toHaveLength(3);
		sandbox.settings.eventLag = 40;
		await new Promise((resolve) => setTimeout(resolve, 50));
		expect(await ids()).toEqual([...shown, eventID]);
	});
});
