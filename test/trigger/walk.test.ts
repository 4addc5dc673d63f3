import type { Cursor } from '../../nodes/PaymentsGateway/trigger/cursor';
import { startAt } from '../../nodes/PaymentsGateway/trigger/cursor';
import { Ledger, rowOf } from '../../nodes/PaymentsGateway/trigger/ledger';
import { Walk } from '../../nodes/PaymentsGateway/trigger/walk';
import { EventModel } from './eventModel';
import { randomFrom } from './storm';

/** What pages show, read one after another, ten rows each. */

const SIZE = 10;
const habits = { total: 'true', isCapSaid: true, ties: 'stable', hasDate: true } as const;

function setUp(total: 'true' | 'zero' = 'true') {
	const model = new EventModel({ ...habits, total }, randomFrom(1));
	const ledger = new Ledger();
	const cursor: Cursor = { ...startAt('scope', model.now - 1_000_000), total: 0 };
	/** Has been handled before. */
	const handle = (id: string) => {
		const found = model.rows.find(({ event }) => event.eventID === id);
		if (found) ledger.add(rowOf(found.event));
	};
	const walk = (start = 1) => new Walk(model.open(SIZE), cursor, ledger, start);
	/** So many events, a second apart, the newest one so many seconds ago. */
	const add = (count: number, ago = 0) =>
		Array.from({ length: count }, (_, row) => model.list(model.now - (ago + row) * 1_000));
	return { model, ledger, cursor, handle, walk, add };
}

const freshOf = ({ fresh }: Walk) => [...fresh.values()].map(({ event }) => event.eventID);

test('goes on until the handled rows, and knows between which dates', async () => {
	const { model, handle, walk, add } = setUp();
	const made = add(14);
	for (const id of add(30, 14)) handle(id);
	const reader = walk();
	expect([reader.isJoined, reader.pages]).toEqual([false, 0]);
	await reader.step();
	expect([reader.isJoined, reader.isNear, reader.lastPage]).toEqual([false, false, 1]);
	expect([reader.newest, reader.oldest]).toEqual([model.now, model.now - 9_000]);
	await reader.step();
	expect([reader.isJoined, reader.isNear, reader.lastPage]).toEqual([true, true, 2]);
	expect([reader.newest, reader.oldest]).toEqual([model.now, model.now - 19_000]);
	expect(freshOf(reader)).toEqual(made);
	expect([reader.reachedFloor, reader.isDoubtful, reader.above]).toEqual([false, false, 0]);
});

test('says how many rows lie above it, and how many of those that are counted it has not found', async () => {
	const { cursor, handle, walk, add } = setUp();
	add(25);
	for (const id of add(30, 25)) handle(id);
	cursor.total = 28;
	const reader = walk(2);
	await reader.step();
	await reader.step();
	expect([reader.above, reader.fresh.size, reader.expected, reader.missing]).toEqual([
		10, 15, 27, 2,
	]);
	expect(reader.isJoined).toBe(true);
});

describe('handled rows of one moment', () => {
	test('do not show that nothing new of it lies among them', async () => {
		const { model, handle, walk } = setUp();
		const rows = Array.from({ length: 10 }, () => model.list(model.now));
		for (const id of rows.slice(0, 5)) handle(id);
		for (let row = 0; row < 20; row++) handle(model.list(model.now - 60_000));
		const reader = walk();
		// The newest of a moment stand first: five that are new, and five that are not.
		await reader.step();
		expect(reader.isJoined).toBe(false);
		expect(reader.fresh.size).toBe(5);
	});

	test('join where nothing else stands above them', async () => {
		const { model, handle, walk } = setUp();
		for (let row = 0; row < 30; row++) handle(model.list(model.now));
		const reader = walk();
		await reader.step();
		expect(reader.isJoined).toBe(true);
	});
});

test('rows of the future do not join, handled or not', async () => {
	const { model, handle, walk, add } = setUp();
	const future = Date.now() + 30 * 86_400_000;
	for (let row = 0; row < 12; row++) handle(model.list(future));
	const made = add(3);
	for (const id of add(20, 3)) handle(id);
	const reader = walk();
	await reader.step();
	expect(reader.isJoined).toBe(false);
	await reader.step();
	expect(freshOf(reader)).toEqual(made);
	expect(reader.isJoined).toBe(true);
});

test('what stands below the floor is not new, whatever its date', async () => {
	const { model, cursor, walk, add } = setUp();
	const made = add(3);
	model.list(cursor.floor - 1);
	model.list(cursor.floor - 2, 'some day');
	const at = model.list(cursor.floor);
	const reader = walk();
	await reader.step();
	expect(freshOf(reader)).toEqual([...made, at]);
	expect([reader.reachedFloor, reader.isJoined]).toEqual([true, true]);
});

describe('a row that was seen on two pages', () => {
	const repeat = async (total: 'true' | 'zero', change: (model: EventModel) => void) => {
		const { model, walk, add } = setUp(total);
		add(40);
		const reader = walk();
		await reader.step();
		change(model);
		await reader.step();
		return { model, reader };
	};

	test('leaves nothing in doubt where an arrival has pushed it down', async () => {
		const { model, reader } = await repeat('true', (list) => void list.list(list.now));
		expect(reader.isDoubtful).toBe(false);
		expect(reader.newestRepeated).toBe(model.now - 9_000);
		expect(reader.seen.size).toBe(19);
	});

	test('says nothing of a moment where it has none', async () => {
		const { model, walk, add } = setUp();
		add(8);
		const undated = model.list(model.now - 8_500, 'some day');
		add(30, 9);
		const reader = walk();
		await reader.step();
		for (let row = 0; row < 2; row++) model.list(model.now);
		await reader.step();
		expect(freshOf(reader)).toContain(undated);
		expect([reader.isDoubtful, reader.newestRepeated]).toEqual([false, model.now - 9_000]);
	});

	test('leaves in doubt what nothing explains', async () => {
		const { reader } = await repeat('zero', (list) => void list.list(list.now));
		expect(reader.isDoubtful).toBe(true);
	});

	test('is an ID that stands there twice where the date is another', async () => {
		const { model, reader } = await repeat('zero', (list) => {
			list.list(list.now - 15_500, undefined, 'evt_1');
		});
		expect(reader.isDoubtful).toBe(false);
		expect(reader.newestRepeated).toBe(-Infinity);
		expect(model.rows).toHaveLength(41);
	});
});

test('rows that vanished while it read leave it in doubt', async () => {
	const { model, walk, add } = setUp();
	add(40);
	const reader = walk();
	await reader.step();
	model.rows.splice(3, 1);
	await reader.step();
	expect(reader.isDoubtful).toBe(true);
});
