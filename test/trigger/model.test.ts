import { takeBaseline } from '../../nodes/PaymentsGateway/trigger/baseline';
import { catchUp } from '../../nodes/PaymentsGateway/trigger/catchUp';
import type { Cursor, Decision, Limits } from '../../nodes/PaymentsGateway/trigger/cursor';
import { Pace } from '../../nodes/PaymentsGateway/trigger/pace';
import type { Habits } from './eventModel';
import { EventModel } from './eventModel';
import { randomFrom } from './storm';

/** Single moments of the storm that are too rare in it to be left to chance. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const limits: Limits = { lookBackMs: 72 * HOUR, maxEvents: 1_000, isWanted: () => true };

function modelOf(habits: Partial<Habits> = {}, seed = 1): EventModel {
	const plain = { total: 'true', isCapSaid: true, ties: 'stable', hasDate: true } as const;
	return new EventModel({ ...plain, ...habits }, randomFrom(seed));
}

const start = async (model: EventModel) =>
	await takeBaseline(model.open(), 'scope', limits.lookBackMs);

/** A minute later. */
async function poll(model: EventModel, cursor: Cursor, most = limits): Promise<Decision> {
	model.now += MINUTE;
	return await catchUp(cursor, { list: model.open(100, cursor.pageSize) }, most);
}

/** What so many polls fire, so long apart and a minute more. */
async function firedIn(
	polls: number,
	model: EventModel,
	from: Cursor,
	{ most = limits, apart = 0 } = {},
): Promise<string[]> {
	const fired: string[] = [];
	for (let [nth, cursor] = [0, from]; nth < polls; nth++) {
		model.now += apart;
		const decision = await poll(model, cursor, most);
		({ cursor } = decision);
		fired.push(...decision.events.map(({ eventID }) => eventID));
	}
	return fired;
}

/** What a poll an hour later fires, which looks at everything. */
const firedOf = async (model: EventModel, cursor: Cursor) =>
	await firedIn(1, model, cursor, { apart: HOUR });

const refusal = () => ({
	error: Object.assign(new Error('Not so fast'), { httpCode: '429' }) as never,
	refused: true,
});

describe('what was there before the start does not fire', () => {
	test('where the first answer was empty, though it counted rows', async () => {
		const model = modelOf({ total: 'constant' });
		for (let row = 0; row < 150; row++) model.list(model.now - 1_000 - row);
		model.empty = 1;
		expect(await firedOf(model, await start(model))).toEqual([]);
	});

	test('where a row vanished while the list was read, and pulled another past the reader', async () => {
		const model = modelOf();
		for (let row = 0; row < 250; row++) model.list(model.now - row * 1_000);
		model.before = (request) => {
			if (request === 2) model.rows.splice(0, 1);
			return undefined;
		};
		expect(await firedOf(model, await start(model))).toEqual([]);
	});

	test.each([1, 2, 3, 4, 5])(
		'where rows of one moment are shuffled with each answer (%i)',
		async (seed) => {
			const model = modelOf({ ties: 'random' }, seed);
			for (let row = 0; row < 400; row++) model.list(model.now - HOUR);
			const cursor = await start(model);
			expect(await firedOf(model, cursor)).toEqual([]);
			const late = model.list(model.now - MINUTE);
			expect(await firedOf(model, cursor)).toEqual([late]);
		},
	);
});

test('a poll that is refused asks for nothing more', async () => {
	const model = modelOf();
	const cursor = await start(model);
	for (let row = 0; row < 3_000; row++) model.list(model.now + row);
	const before = model.requests;
	model.before = (request) => (request > before + 2 ? refusal() : undefined);
	const { events, cursor: next } = await poll(model, cursor);
	expect(events).toEqual([]);
	expect(next.ahead).toBeGreaterThan(0);
	expect(model.requests).toBe(before + 3);
});

test('a poll that learned nothing fails with what the service said', async () => {
	const model = modelOf();
	const cursor = await start(model);
	model.before = refusal;
	await expect(poll(model, cursor)).rejects.toThrow('Not so fast');
});

describe('while events that were not chosen are passed over', () => {
	const begin = async () => {
		const model = modelOf();
		const cursor = await start(model);
		for (let row = 0; row < 3_000; row++) model.list(model.now + row);
		return { model, cursor, from: model.requests };
	};
	const few: Limits = { ...limits, maxEvents: 200, isWanted: () => false };

	test.each([20, 21, 22, 23, 24])(
		'refusal %i ends the poll, and what was passed over stays so',
		async (most) => {
			const { model, cursor, from } = await begin();
			model.before = (request) => (request > from + most ? refusal() : undefined);
			const { cursor: next } = await poll(model, cursor, few);
			expect(next.ahead).toBeLessThan(3_000);
			expect(next.ahead).toBeGreaterThan(0);
			model.before = () => undefined;
			const late = model.list(model.now + MINUTE);
			const wanted: Limits = { ...limits, isWanted: ({ eventID }) => eventID === late };
			expect((await poll(model, next, wanted)).events).toMatchObject([{ eventID: late }]);
		},
	);

	test('another failure is told', async () => {
		const { model, cursor, from } = await begin();
		const broken = { error: new Error('Broken') as never, refused: false };
		model.before = (request) => (request > from + 20 ? broken : undefined);
		await expect(poll(model, cursor, few)).rejects.toThrow('Broken');
	});
});

describe('pages', () => {
	test('that the service gives out smaller are asked for so the next time', async () => {
		const model = modelOf({ cap: 30 });
		for (let row = 0; row < 90; row++) model.list(model.now - row);
		const { pageSize } = await start(model);
		expect(pageSize).toEqual({ asked: 100, served: 30 });
	});

	test('that are all the same fire nothing', async () => {
		const model = modelOf({ total: 'constant' });
		const cursor = await start(model);
		for (let row = 0; row < 300; row++) model.list(model.now + row);
		const ask = model.ask.bind(model);
		const list = modelOf().open();
		Object.assign(list, { ask: async (_: number, size: number) => await ask(1, size) });
		model.now += MINUTE;
		await expect(catchUp(cursor, { list }, limits)).rejects.toThrow(
			'the same events for two different pages',
		);
	});
});

test('a list that is not sorted fires nothing', async () => {
	const model = modelOf();
	const cursor = await start(model);
	for (let row = 0; row < 20; row++) model.list(model.now + row);
	model.rows.reverse();
	await expect(poll(model, cursor)).rejects.toThrow('did not sort');
});

test('events without a date make room for others once the service shows them no more', async () => {
	const model = modelOf();
	for (let row = 0; row < 300; row++) model.list(model.now - row * 1_000);
	const cursor = await start(model);
	for (let row = 0; row < 900; row++) model.list(model.now, 'some day');
	const first = await poll(model, cursor);
	expect(first.events).toHaveLength(900);
	model.rows.splice(0, 900);
	for (let row = 0; row < 200; row++) model.list(model.now, 'some other day');
	const { events, warnings } = await poll(model, first.cursor);
	expect(events).toHaveLength(200);
	expect(warnings).toEqual([]);
});

test('a look that finds all that is counted has nothing to warn of', async () => {
	const model = modelOf();
	for (let row = 0; row < 250; row++) model.list(model.now - row);
	const cursor = await start(model);
	model.now += HOUR;
	const fresh = model.list(model.now);
	const { events, warnings } = await poll(model, cursor);
	expect(events).toMatchObject([{ eventID: fresh }]);
	expect(warnings).toEqual([]);
});

test('a list that never comes to an end nor to what is known ends the poll all the same', async () => {
	const model = modelOf({ total: 'random' });
	const cursor = await start(model);
	model.before = () => {
		const from = model.requests * 100;
		const data = Array.from({ length: 100 }, (_, row) => ({
			eventID: `endless_${from + row}`,
			date: new Date(model.now - from - row).toISOString(),
			type: 'payment_success' as const,
			payload: '{}',
		}));
		return { reply: { answer: { data, page: { total: 7, page: 1, pageSize: 100 } as never } } };
	};
	const { events } = await poll(model, cursor);
	expect(events).toEqual([]);
	expect(model.requests).toBeLessThan(500);
});

/** Has time for so many requests. */
class ShortPace extends Pace {
	constructor(private left: number) {
		super(Infinity);
	}

	override count(): void {
		this.left--;
	}

	override get requestsLeft(): number {
		return Math.max(0, this.left);
	}
}

/** A trigger that has started, and so many events since. */
async function withBacklog(model: EventModel, count: number) {
	for (let row = 0; row < 1_500; row++) model.list(model.now - 1_000 * row);
	const cursor = await start(model);
	model.now += MINUTE;
	const made = Array.from({ length: count }, (_, row) => model.list(model.now + row));
	return { cursor, made };
}

const COSTS: Array<[Partial<Habits>, number, number, number, number]> = [
	// Where the service's count says how many are new.
	[{ total: 'true' }, 90, 1_000, 1, 1],
	[{ total: 'true' }, 500, 100, 5, 11],
	[{ total: 'true' }, 500, 1_000, 1, 6],
	[{ total: 'true' }, 5_000, 100, 50, 110],
	[{ total: 'true' }, 5_000, 1_000, 5, 65],
	[{ total: 'true' }, 20_000, 50_000, 4, 214],
	// Where it says nothing, and the end of the new ones is searched for.
	[{ total: 'zero' }, 500, 100, 5, 15],
	[{ total: 'zero' }, 5_000, 100, 50, 122],
	[{ total: 'zero' }, 5_000, 1_000, 6, 83],
	[{ total: 'zero' }, 20_000, 1_000, 21, 251],
	[{ total: 'zero' }, 20_000, 50_000, 5, 269],
	// Where it leads astray.
	[{ total: 'random' }, 500, 1_000, 1, 30],
	[{ total: 'random' }, 5_000, 1_000, 6, 118],
	// Where a page beyond the last one holds those of another.
	[{ total: 'zero', beyond: 'first' }, 3_000, 1_000, 4, 58],
	[{ total: 'zero', beyond: 'last' }, 3_000, 1_000, 4, 58],
];
test.each(COSTS)(
	'a backlog costs few requests (%j: %i events, %i at once)',
	async (habits, backlog, maxEvents, polls, requests) => {
		const model = modelOf(habits);
		let { cursor } = await withBacklog(model, backlog);
		const before = model.requests;
		let fired = 0;
		for (let nth = 0; nth < polls; nth++) {
			const decision = await poll(model, cursor, { ...limits, maxEvents });
			({ cursor } = decision);
			fired += decision.events.length;
			// Memory does not grow with the backlog.
			expect(decision.events.length).toBeLessThan(5_500);
		}
		expect(fired).toBe(backlog);
		expect(model.requests - before).toBeLessThanOrEqual(requests);
	},
);

test.each([1, 2, 3, 4, 5, 6, 8, 11])(
	'a backlog that is searched for is found when its request %i is refused',
	async (nth) => {
		const model = modelOf({ total: 'zero' });
		const { made, ...started } = await withBacklog(model, 3_000);
		let { cursor } = started;
		const from = model.requests + nth;
		const fired: string[] = [];
		for (let polls = 0; fired.length < made.length; polls++) {
			expect(polls).toBeLessThan(20);
			// The rest of the first poll is refused as well.
			model.before = (request) => (polls === 0 && request >= from ? refusal() : undefined);
			const decision = await poll(model, cursor).catch(() => undefined);
			if (decision === undefined) continue;
			({ cursor } = decision);
			fired.push(...decision.events.map(({ eventID }) => eventID));
		}
		expect(fired).toEqual(made);
		expect(model.requests - from).toBeLessThanOrEqual(60);
	},
);

describe.each(['true', 'zero'] as const)('pages that become smaller (total %s)', (total) => {
	const SOON = Array.from({ length: 12 }, (_, at) => at + 1);
	test.each(SOON)('at request %i, and do not say so, leave nothing out', async (nth) => {
		const model = modelOf({ total, isCapSaid: false });
		const { made, cursor } = await withBacklog(model, 1_500);
		const from = model.requests + nth;
		model.before = (request) => {
			if (request === from) model.habits.cap = 10;
			return undefined;
		};
		expect(await firedIn(5, model, cursor)).toEqual(made);
	});
});

describe.each(['true', 'zero'] as const)('a poll whose time is over (total %s)', (total) => {
	const SHORT = Array.from({ length: 30 }, (_, at) => at + 1);
	const some: Limits = { ...limits, maxEvents: 400 };
	const shortPoll = async (model: EventModel, cursor: Cursor, requests: number) => {
		model.now += MINUTE;
		const before = model.requests;
		const list = model.open(100, cursor.pageSize, new ShortPace(requests));
		const decision = await catchUp(cursor, { list }, some);
		expect(model.requests - before).toBeLessThanOrEqual(requests + 1);
		return decision;
	};

	test.each(SHORT)('after %i requests leaves nothing out', async (requests) => {
		const model = modelOf({ total });
		const { made, cursor } = await withBacklog(model, 850);
		const first = await poll(model, cursor, some);
		// Below what is still to come, and among the 1,000 newest.
		made.push(model.list(model.now - 4 * MINUTE));
		const second = await shortPoll(model, first.cursor, requests);
		const fired = [first, second].flatMap(({ events }) => events.map(({ eventID }) => eventID));
		// At each of these the look through all is due.
		fired.push(...(await firedIn(6, model, second.cursor, { most: some, apart: HOUR })));
		expect(fired.sort()).toEqual(made.sort());
	});
});
