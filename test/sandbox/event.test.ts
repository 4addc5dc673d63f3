import axios from 'axios';
import { startSandbox, type EventInput, type Sandbox } from '.';

/**
 * Holds the event list of the sandbox to the service's description, and checks the settings that
 * make it misbehave.
 */

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ clock: '2026-03-01T12:00:00Z' });
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.close());

async function list(page?: unknown, credentials = sandbox.credentials) {
	const { groupID, privateToken: token } = credentials;
	const { status, data: answer } = await axios.post(
		`${sandbox.url}/api/gateway/webhookEvents`,
		{ groupID, token, data: { page } },
		{ validateStatus: () => true },
	);
	return { status, answer };
}

async function ids(page?: unknown): Promise<string[]> {
	const { answer } = await list(page);
	return answer.data.map(({ eventID }: { eventID: string }) => eventID);
}

const add = (...events: EventInput[]) => events.map((event) => sandbox.addEvent(event).eventID);
const asc = { sort: { field: 'date', order: 'asc' } };
const desc = { sort: { field: 'date', order: 'desc' } };

describe('webhookEvents', () => {
	test('records hold eventID, date, type, and the payload as a JSON string', async () => {
		const added = sandbox.addEvent({ type: 'payment_refund', referenceID: 'R-1', amount: 700 });
		const { answer } = await list();
		expect(answer.data).toEqual([added]);
		expect(answer.data[0]).toMatchObject({
			date: '2026-03-01T12:00:00.000Z',
			type: 'payment_refund',
		});
		expect(JSON.parse(answer.data[0].payload).refund).toMatchObject({
			status: 'REVERSED',
			referenceID: 'R-1',
			amount: 700,
		});
	});

	test('defaults to page 1 of ten, newest first', async () => {
		const added = sandbox.addEvents(12).map(({ eventID }) => eventID);
		const { answer } = await list();
		expect(answer.page).toEqual({ total: 12, range: { from: 0, to: 10 }, page: 1, pageSize: 10 });
		expect(await ids()).toEqual(added.reverse().slice(0, 10));
	});

	test('range.to equals pageSize on a full first page, and range.from is 0', async () => {
		sandbox.addEvents(5);
		expect((await list({ pageSize: 3 })).answer.page.range).toEqual({ from: 0, to: 3 });
	});

	test('sorts by instant, whatever the offset', async () => {
		const [late, early, middle] = add(
			{ date: '2026-03-01T01:00:00-05:00' },
			{ date: '2026-03-01T07:00:00+05:00' },
			{ date: '2026-03-01T05:00:00.000Z' },
		);
		expect(await ids(asc)).toEqual([early, middle, late]);
		expect(await ids(desc)).toEqual([late, middle, early]);
	});

	test('unreadable and missing dates sort as the oldest', async () => {
		const [good, garbage, empty, none] = add(
			{ date: '1999-01-01T00:00:00Z' },
			{ date: 'event 7' },
			{ date: '' },
			{ date: undefined },
		);
		expect(await ids(asc)).toEqual([garbage, empty, none, good]);
		const { answer } = await list(asc);
		expect('date' in answer.data[2]).toBe(false);
	});

	test('equal dates keep the order of arrival in both directions', async () => {
		const date = '2026-03-01T00:00:00Z';
		const added = add({ date }, { date }, { date });
		expect(await ids(asc)).toEqual(added);
		expect(await ids(desc)).toEqual(added);
	});

	test('equal dates come in another order each time when ties are random', async () => {
		const [oldest] = add({ date: '2026-01-01T00:00:00Z' });
		sandbox.addEvents(40, () => ({ date: '2026-02-01T00:00:00Z' }));
		sandbox.settings.tieOrder = 'random';
		const page = { ...asc, pageSize: 50 };
		const [first, second] = [await ids(page), await ids(page)];
		expect(first).not.toEqual(second);
		expect([...first].sort()).toEqual([...second].sort());
		expect(first[0]).toBe(oldest);
		expect(await ids({ ...asc, pageSize: 10, page: 2 })).toHaveLength(10);
	});

	test('sorts by type and by eventID too', async () => {
		add(
			{ eventID: 'b', type: 'payment_refund' },
			{ eventID: 'c', type: 'payment_failed' },
			{ eventID: 'a', type: 'payment_success' },
		);
		expect(await ids({ sort: { field: 'eventID', order: 'asc' } })).toEqual(['a', 'b', 'c']);
		expect(await ids({ sort: { field: 'type', order: 'asc' } })).toEqual(['c', 'b', 'a']);
	});

	test('filters by type with an underscore; the dotted type matches nothing', async () => {
		add({ eventID: 'a' }, { eventID: 'b', type: 'payment_failed' });
		const of = (value: string) => ids({ filter: [{ field: 'type', operation: 'equals', value }] });
		expect(await of('payment_failed')).toEqual(['b']);
		expect(await of('payment.failed')).toEqual([]);
	});

	test.each([
		['gt', ['c']],
		['gte', ['b', 'c']],
		['lt', ['a']],
		['lte', ['a', 'b']],
		['equals', ['b']],
		['neq', ['a', 'c']],
	])('filters dates by instant: %s', async (operation, expected) => {
		add(
			{ eventID: 'a', date: '2026-03-01T00:00:00Z' },
			{ eventID: 'b', date: '2026-03-02T00:00:00Z' },
			{ eventID: 'c', date: '2026-03-03T00:00:00Z' },
		);
		const value = '2026-03-02T02:00:00+02:00';
		expect(await ids({ ...asc, filter: [{ field: 'date', operation, value }] })).toEqual(expected);
	});

	test('refuses to compare dates with what is none', async () => {
		const filter = [{ field: 'date', operation: 'gt', value: 'yesterday' }];
		expect((await list({ filter })).status).toBe(400);
	});

	test('searches eventID, type and payload', async () => {
		add(
			{ eventID: 'needle-1' },
			{ eventID: 'b', type: 'needle_type' },
			{ eventID: 'c', payload: 'a Needle, not JSON' },
			{ eventID: 'd' },
		);
		expect((await ids({ search: 'NEEDLE' })).sort()).toEqual(['b', 'c', 'needle-1']);
	});

	test('refuses to sort by payload', async () => {
		expect((await list({ sort: { field: 'payload', order: 'asc' } })).status).toBe(400);
	});

	test('shows the events of the group given in groupID and no others', async () => {
		const { groupID } = sandbox.otherCredentials;
		add({ eventID: 'ours' }, { eventID: 'theirs', groupID });
		expect(await ids()).toEqual(['ours']);
		const { answer } = await list({}, sandbox.otherCredentials);
		expect(answer.data).toMatchObject([{ eventID: 'theirs' }]);
		expect(sandbox.events).toMatchObject([{ eventID: 'ours' }]);
	});
});

describe('events a test adds', () => {
	test('may have any type, any payload, and an ID that is there already', async () => {
		add(
			{ eventID: 'x', type: 'payout_created', payload: { any: 'thing' } },
			{ eventID: 'x', type: '', payload: '{broken' },
		);
		const { answer } = await list();
		expect(answer.data).toMatchObject([
			{ eventID: 'x', type: 'payout_created', payload: '{"any":"thing"}' },
			{ eventID: 'x', type: '', payload: '{broken' },
		]);
	});

	test('stand where a late or future date puts them', async () => {
		const [now, late, future] = add(
			{},
			{ date: '2026-02-01T00:00:00Z' },
			{ date: '2030-01-01T00:00:00Z' },
		);
		expect(await ids()).toEqual([future, now, late]);
	});

	test('can be given a place among their equals', async () => {
		const [a, b] = add({}, {});
		const { eventID } = sandbox.addEvent({ at: 1 });
		expect(await ids()).toEqual([a, eventID, b]);
	});

	test('can be removed', async () => {
		const [a, b] = add({}, {});
		sandbox.removeEvent(a ?? '');
		expect(await ids()).toEqual([b]);
		expect(() => sandbox.removeEvent('none')).toThrow('none');
	});
});

describe('settings of the list', () => {
	beforeEach(() => sandbox.addEvents(25));

	test('a cap lowers pageSize silently and says so', async () => {
		sandbox.settings.pageSizeCap = 4;
		const { answer } = await list({ page: 2, pageSize: 100 });
		expect(answer.data).toHaveLength(4);
		expect(answer.page).toEqual({ total: 25, range: { from: 4, to: 8 }, page: 2, pageSize: 4 });
	});

	test('a limit refuses a larger pageSize', async () => {
		sandbox.settings.rejectPageSizeAbove = 10;
		expect((await list({ pageSize: 11 })).status).toBe(400);
		expect((await list({ pageSize: 10 })).status).toBe(200);
	});

	test.each([
		['right' as const, 25],
		['zero' as const, 0],
		['text' as const, '25'],
		[{ constant: 9 }, 9],
	])('total can be %j', async (total, expected) => {
		sandbox.settings.total = total;
		expect((await list()).answer.page.total).toBe(expected);
	});

	test('page, sort, filter and search can be ignored', async () => {
		const newest = await ids();
		Object.assign(sandbox.settings, {
			ignorePage: true,
			ignoreSort: true,
			ignoreFilter: true,
			ignoreSearch: true,
		});
		const filter = [{ field: 'type', operation: 'equals', value: 'nothing' }];
		expect(await ids({ ...asc, page: 2, filter, search: 'nothing' })).toEqual(newest);
	});

	test('the order without a sort can be the other way round', async () => {
		const oldest = await ids(asc);
		sandbox.settings.eventOrder = 'asc';
		expect(await ids()).toEqual(oldest);
	});

	test('equals can disregard case', async () => {
		const filter = [{ field: 'type', operation: 'equals', value: 'PAYMENT_SUCCESS' }];
		expect(await ids({ filter })).toEqual([]);
		sandbox.settings.ignoreCase = true;
		expect(await ids({ filter })).toHaveLength(10);
	});
});

describe('outcomes of payments', () => {
	const link = () => sandbox.addPaylink({ pricing: { amount: 2500 }, referenceID: 'INV-9' });

	test('a refund is a payment_refund event with the status REVERSED', async () => {
		const { payLinkID } = link();
		sandbox.pay(payLinkID);
		const transactionID = sandbox.charges[0]?.transactionID ?? '';
		sandbox.clock.advance(60_000);
		sandbox.refund(transactionID, 1000);
		const { answer } = await list();
		expect(answer.data[0]).toMatchObject({
			type: 'payment_refund',
			date: '2026-03-01T12:01:00.000Z',
		});
		const { refund } = JSON.parse(answer.data[0].payload);
		expect(refund).toMatchObject({
			status: 'REVERSED',
			amount: 1000,
			parentTransactionId: transactionID,
			referenceID: 'INV-9',
		});
		expect(refund.id).not.toBe(transactionID);
		const original = JSON.parse(answer.data[1].payload).transaction;
		expect(Object.keys(refund).sort()).toEqual(Object.keys(original).sort());
	});

	test('no more is refunded than was paid', () => {
		sandbox.pay(link().payLinkID);
		const transactionID = sandbox.charges[0]?.transactionID ?? '';
		sandbox.refund(transactionID, 2000);
		expect(() => sandbox.refund(transactionID, 501)).toThrow('between $0.01 and $5.00');
		sandbox.refund(transactionID);
		expect(() => sandbox.refund(transactionID)).toThrow();
		expect(() => sandbox.refund('txn_none')).toThrow('not found');
	});

	test('without a lag arrive in the order of what happened', async () => {
		const first = sandbox.pay(link().payLinkID).eventID;
		const second = sandbox.addEvent().eventID;
		expect(await ids()).toEqual([first, second]);
	});

	test('show in the list only after the lag', async () => {
		sandbox.settings.eventLag = Infinity;
		const { eventID } = sandbox.pay(link().payLinkID);
		expect(await ids()).toEqual([]);
		expect(sandbox.events).toHaveLength(1);
		sandbox.settings.eventLag = 40;
		await new Promise((resolve) => setTimeout(resolve, 50));
		expect(await ids()).toEqual([eventID]);
	});
});
