import { takeBaseline } from '../../nodes/PaymentsGateway/trigger/baseline';
import { catchUp } from '../../nodes/PaymentsGateway/trigger/catchUp';
import type { Decision } from '../../nodes/PaymentsGateway/trigger/catchUp';
import type { Limits } from '../../nodes/PaymentsGateway/trigger/firing';
import { readState, startAt } from '../../nodes/PaymentsGateway/trigger/state';
import type { State } from '../../nodes/PaymentsGateway/trigger/state';
import type { Habits } from './eventModel';
import { EventModel, refused } from './eventModel';

/** Single moments of the storm, and what a poll may cost. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const limits: Limits = {
	lookBackMs: 72 * HOUR,
	maxEvents: 1_000,
	skipOlderMs: Infinity,
	isWanted: () => true,
};
/** Of a poll of 45 seconds. */
const BUDGET = 40_500;

let model: EventModel;

beforeEach(() => {
	jest.spyOn(Date, 'now').mockImplementation(() => model.localNow);
});

afterEach(() => jest.restoreAllMocks());

const pages = (state?: State) => model.open(state?.pageSize ?? 100, Date.now() + BUDGET);
const baseline = async () => await takeBaseline(pages(), 'scope', limits.lookBackMs);

/** A trigger that has started where so many events were, a second apart. */
async function started(habits: Partial<Habits> = {}, old = 1_500): Promise<State> {
	model = new EventModel({ total: 'true', hasDate: true, ...habits });
	for (let row = old; row > 0; row--) model.list(model.now - 1_000 * row);
	return await baseline();
}

/** So many new events, a millisecond apart. */
function arrive(count: number): string[] {
	model.now += MINUTE;
	return Array.from({ length: count }, (_, row) => model.list(model.now - count + row));
}

/** A minute later, as n8n would: the state went through JSON. */
async function poll(state: State, more: Partial<Limits> = {}): Promise<Decision> {
	model.now += MINUTE;
	const stored = readState(JSON.parse(JSON.stringify(state)), 'scope');
	if (typeof stored === 'string') throw new Error(stored);
	return await catchUp(stored, pages(stored), { ...limits, ...more });
}

/** What so many polls fire. */
async function firedIn(polls: number, from: State, more: Partial<Limits> = {}) {
	const fired: string[] = [];
	const warnings: string[] = [];
	let state = from;
	let requests = 0;
	for (let nth = 0; nth < polls; nth++) {
		const before = model.requests;
		const decision = await poll(state, more).catch(() => ({ state, events: [], warnings: [] }));
		({ state } = decision);
		fired.push(...decision.events.map(({ eventID }) => eventID));
		warnings.push(...decision.warnings);
		requests += model.requests - before;
		// Memory does not grow with a backlog, nor does the state.
		expect(decision.events.length).toBeLessThanOrEqual(5_000);
		expect(JSON.stringify(state).length).toBeLessThan(60_000);
	}
	return { fired, warnings, state, requests };
}

test('a service that counts the rows of the page instead of the list lets the floor rise as well', async () => {
	let state = await started({ total: 'page' }, 50);
	for (let day = 0; day < 8; day++) {
		arrive(433);
		({ state } = await firedIn(2, state));
		model.now += 24 * HOUR;
	}
	({ state } = await firedIn(2, state));
	expect(state.floor).toBeGreaterThan(model.now - 5 * 24 * HOUR);
});

test('pages that become smaller in a backlog, and count their rows, are not taken for the last', async () => {
	let state = await started({ total: 'page' }, 250);
	const made = arrive(1_300);
	made.unshift(model.list(model.now - 3 * HOUR));
	const fired: string[] = [];
	for (const cap of [20, 10]) {
		model.habits.cap = cap;
		const done = await firedIn(cap === 20 ? 1 : 90, state);
		fired.push(...done.fired);
		({ state } = done);
	}
	expect([...fired].sort()).toEqual([...made].sort());
});

test('an event without an ID is known by all that it says, one with a number by that', async () => {
	let state = await started();
	const list = (eventID: unknown, date?: string) => model.list(model.now, date, eventID as string);
	list('', '2026-01-10T12:00:01Z');
	list('', '2026-01-10T12:00:02Z');
	list(7);
	let fired = await firedIn(1, state);
	expect(fired.fired).toHaveLength(3);
	({ state } = fired);
	// It is dated anew.
	list(7, '2026-01-10T12:00:05Z');
	fired = await firedIn(1, state);
	expect(fired.fired).toEqual([]);
});

test('a row without a date at the end of a page does not hide that handled rows are reached', async () => {
	const state = await started();
	const undated = model.list(model.now - 78_500, 'soon');
	const sent = arrive(20);
	const { fired, requests } = await firedIn(1, state);
	expect([...fired].sort()).toEqual([undated, ...sent].sort());
	expect(requests).toBe(2);
});

describe('a late event', () => {
	test.each([8, 400, 950])('%i rows deep fires with the next poll by the count', async (rank) => {
		const state = await started();
		const late = model.list(model.now - rank * 1_000);
		const { fired, warnings } = await firedIn(1, state);
		expect(fired).toEqual([late]);
		expect(warnings).toEqual([]);
	});

	test('fires within the hour where nothing counts', async () => {
		const state = await started({ total: 'zero' });
		const late = model.list(model.now - 400_000);
		const { fired, state: next } = await firedIn(58, state);
		expect(fired).toEqual([]);
		expect((await firedIn(2, next)).fired).toEqual([late]);
	});

	test('beyond the look-back never fires, and is looked for once', async () => {
		const state = await started({}, 20);
		model.list(model.now - 100 * HOUR);
		const { fired, requests } = await firedIn(9, state);
		expect(fired).toEqual([]);
		expect(requests).toBeLessThan(9 + 4);
	});
});

test('what a slow poll has left below what it fired is not passed over', async () => {
	let state = await started({ cap: 10, deepest: 2_500, hasDate: false }, 0);
	const more = { maxEvents: 40 };
	const fired: string[] = [];
	const pollTimes = async (polls: number, latency = 0) => {
		model.latency = latency;
		const done = await firedIn(polls, state, more);
		fired.push(...done.fired);
		({ state } = done);
	};
	const sent = arrive(126);
	await pollTimes(1);
	sent.push(...arrive(12));
	await pollTimes(1, 25_000);
	sent.push(...arrive(1_990));
	await pollTimes(1, 2_000);
	await pollTimes(1, 6_000);
	sent.push(...arrive(357));
	await pollTimes(180);
	expect([...fired].sort()).toEqual([...sent].sort());
});

test.each<[string, number, Partial<Habits>, Array<[number, number, number]>]>([
	[
		'what a slow poll has left between what waits',
		0,
		{ cap: 10 },
		[
			[2_000, 1, 25_000],
			[0, 1, 0],
			[400, 2, 15_000],
			[400, 300, 0],
		],
	],
	[
		'of what came late more than fires at once',
		120,
		{},
		[
			[50, 1, 2_000],
			[217, 1, 2_000],
			[441, 3, 2_000],
			[205, 1, 20_000],
			[451, 3, 9_000],
			[127, 3, 2_000],
			[381, 1, 9_000],
			[417, 2, 2_000],
			[57, 1, 25_000],
			[0, 160, 0],
		],
	],
])('below handled rows %s is not passed over', async (_, late, habits, rounds) => {
	let state = await started(habits, 120);
	const fired: string[] = [];
	const sent = Array.from({ length: late }, (__, row) => model.list(model.now - 24 * HOUR - row));
	// Slow polls fire from where the handled rows were.
	for (const [count, polls, latency] of rounds) {
		sent.push(...arrive(count));
		model.latency = latency;
		const done = await firedIn(polls, state, { maxEvents: 40 });
		fired.push(...done.fired);
		({ state } = done);
	}
	expect([...fired].sort()).toEqual([...sent].sort());
});

test('late events that break off a reading to the floor are not passed over', async () => {
	const state = await started({ hasDate: false }, 334);
	// Two of them end a page that ends a poll.
	const late = [340, 341, 342, 343].map((ago) => model.list(model.now - ago * 1_000));
	const sent = arrive(2_564);
	model.latency = 20_000;
	const { fired } = await firedIn(80, state);
	expect([...fired].sort()).toEqual([...late, ...sent].sort());
});

test('many at once are not all remembered, nor is a moment closed for them', async () => {
	const state = await started({}, 0);
	model.now += MINUTE;
	const sent = Array.from({ length: 20_000 }, (_, row) =>
		model.list(model.now - 20_000 + Math.floor(row / 3)),
	);
	const { fired, warnings } = await firedIn(30, state, { maxEvents: 5_000 });
	expect(warnings).toEqual([]);
	expect([...fired].sort()).toEqual([...sent].sort());
});

test('a count that no reading explains is followed once in ten minutes', async () => {
	const state = await started();
	let more = 0;
	model.before = () => {
		more++;
		model.listNull(model.now - 900_000);
		return undefined;
	};
	const { requests } = await firedIn(30, state);
	expect(more).toBe(requests);
	expect(requests).toBeLessThan(30 + 4 * 14);
});

test.each([0, 9, 99, 150])('two rows the wrong way round at row %i stop nothing', async (rank) => {
	let state = await started();
	const made = arrive(200);
	model.rows.splice(rank, 2, ...model.rows.slice(rank, rank + 2).reverse());
	const fired: string[] = [];
	for (let polls = 0; polls < 20; polls++) {
		const decision = await poll(state);
		({ state } = decision);
		fired.push(...decision.events.map(({ eventID }) => eventID));
		made.push(...arrive(1));
	}
	fired.push(...(await firedIn(3, state)).fired);
	expect(fired.sort()).toEqual(made.sort());
});

test.each([
	['true', false],
	['true', true],
	['zero', false],
] as const)(
	'a list that can be read 1,000 rows deep delivers them, and goes on (total %s, empty below: %s)',
	async (total, hidesDeeper) => {
		const state = await started({ total, deepest: 1_000, hidesDeeper });
		const made = arrive(2_600);
		const { fired, warnings, state: next } = await firedIn(12, state, { maxEvents: 300 });
		expect(fired.sort()).toEqual(made.slice(-1_000).sort());
		const words = '1600 events lie deeper than the gateway lets its list be read, and do not fire';
		expect(warnings.includes(words)).toBe(total === 'true');
		const fresh = arrive(3);
		expect((await firedIn(2, next)).fired).toEqual(fresh);
	},
);

test('a list that is refused below 2,000 rows is not read by tens for that', async () => {
	const state = await started({ deepest: 2_000 });
	const made = arrive(4_000);
	const { fired, requests, state: next } = await firedIn(10, state);
	expect(fired.sort()).toEqual(made.slice(-2_000).sort());
	expect(requests).toBeLessThan(80);
	expect(next.pageSize).toBeUndefined();
});

describe('without a count, a backlog is not cut short', () => {
	test.each([10, 100])('by arrivals that push down just a page, of %i', async (cap) => {
		for (let moment = 5; moment < 12; moment++) {
			const state = await started({ total: 'zero', cap });
			const made = arrive(25 * cap);
			const nth = model.requests + moment;
			model.before = (request) => {
				if (request === nth) made.push(...arrive(cap));
				return undefined;
			};
			const { fired } = await firedIn(12, state);
			expect([...fired].sort()).toEqual([...made].sort());
		}
	});

	test('by an answer without rows', async () => {
		const state = await started({ total: 'zero' });
		const made = arrive(2_500);
		const nth = model.requests + 12;
		model.before = (request) => {
			if (request === nth) model.empty = 1;
			return undefined;
		};
		expect((await firedIn(6, state)).fired).toEqual(made);
	});
});

test('what cannot be forgotten is not looked for with every poll', async () => {
	const state = await started({}, 0);
	const made = Array.from({ length: 2_400 }, () => model.list(model.now));
	const { fired, state: next } = await firedIn(6, state);
	expect([...fired].sort()).toEqual([...made].sort());
	expect((await firedIn(10, next)).requests).toBeLessThan(15);
});

test('events of one second, the oldest first, are in no wrong order', async () => {
	const state = await started({}, 20);
	const second = Math.floor(model.now / 1_000) * 1_000;
	const sent = Array.from({ length: 12 }, (_, row) =>
		model.list(second - row, new Date(second + row).toISOString()),
	);
	expect((await firedIn(2, state)).fired).toEqual(sent);
});

test('an event without a date, last above the floor, keeps no reading from its end', async () => {
	const state = await started({ cap: 10, total: 'zero' }, 0);
	model.list(model.now - 100 * HOUR);
	model.list(model.now - 99 * HOUR, '');
	const sent = arrive(180);
	model.latency = 20_000;
	const { fired, state: next } = await firedIn(100, state);
	expect(fired).toEqual(expect.arrayContaining(sent));
	expect(next.sweptAt).toBeGreaterThan(state.sweptAt);
});

test('a page that is refused once, and not again, is not the end', async () => {
	const state = await started({ total: 'zero' });
	const made = arrive(500);
	const from = model.requests + 4;
	model.before = (request) => (request === from ? refused('404') : undefined);
	expect((await firedIn(1, state)).fired).toEqual(made);
});

describe('a service that takes 25 seconds for each answer', () => {
	test.each([
		['true', 100, 5, 0],
		['true', 900, 60, 0],
		['zero', 900, 60, 0],
		['true', 900, 60, 3],
		// More than can be remembered, before the list was read to the floor.
		['true', 3_500, 220, 1],
	] as const)(
		'moves on with every poll (total %s, %i events, in %i polls, %i more with each)',
		async (total, count, polls, more) => {
			let state = await started({ total });
			model.latency = 25_000;
			const made = arrive(count);
			const fired: string[] = [];
			for (let nth = 0; nth < polls; nth++) {
				if (nth < polls / 4) made.push(...arrive(more));
				const one = await firedIn(1, state);
				({ state } = one);
				fired.push(...one.fired);
			}
			model.latency = 0;
			for (let hours = 0; hours < 3; hours++) {
				model.now += HOUR;
				const one = await firedIn(1, state);
				({ state } = one);
				fired.push(...one.fired);
			}
			expect(new Set(fired).size).toBe(fired.length);
			expect(fired.sort()).toEqual(made.sort());
		},
	);
});

describe('a service that lets a few requests through a poll', () => {
	test.each([2, 3, 5])('%i of them, moves on with every poll', async (most) => {
		let state = await started();
		const made = arrive(3_000);
		const fired: string[] = [];
		for (let polls = 0; polls < 100; polls++) {
			const from = model.requests + most;
			model.before = (request) => (request > from ? refused('429') : undefined);
			const one = await firedIn(1, state);
			({ state } = one);
			fired.push(...one.fired);
		}
		expect(fired).toEqual(made);
	});

	test('fails with its words when it lets none', async () => {
		const state = await started();
		model.before = () => refused('429');
		await expect(poll(state)).rejects.toThrow('429');
	});
});

const COSTS: Array<[Partial<Habits>, number, number, number, number]> = [
	// Where the service's count says how many are new.
	[{ total: 'true' }, 90, 1_000, 1, 3],
	[{ total: 'true' }, 500, 100, 5, 12],
	[{ total: 'true' }, 500, 1_000, 1, 7],
	[{ total: 'true' }, 5_000, 100, 50, 125],
	[{ total: 'true' }, 5_000, 1_000, 5, 67],
	[{ total: 'true' }, 10_000, 1_000, 10, 130],
	[{ total: 'true' }, 20_000, 50_000, 4, 230],
	// Where it says nothing: the end of the new ones is looked for from the top, and what was read down
	// to the floor is read again, since rows that vanish would not show.
	[{ total: 'zero' }, 500, 100, 5, 20],
	[{ total: 'zero' }, 5_000, 1_000, 6, 140],
	[{ total: 'zero' }, 20_000, 1_000, 24, 640],
	// Where a page beyond the last one holds those of another.
	[{ total: 'zero', beyond: 'first' }, 3_000, 1_000, 4, 80],
	[{ total: 'zero', beyond: 'last' }, 3_000, 1_000, 4, 80],
	// Where pages are small.
	[{ total: 'true', cap: 50 }, 3_000, 1_000, 8, 140],
	[{ total: 'true', refusedAbove: 50 }, 800, 1_000, 4, 240],
];
test.each(COSTS)(
	'a backlog costs few requests (%j: %i events, %i at once)',
	async (habits, backlog, maxEvents, polls, requests) => {
		const state = await started(habits);
		const made = arrive(backlog);
		const drained = await firedIn(polls, state, { maxEvents });
		expect(drained.fired).toEqual(made);
		expect(drained.requests).toBeLessThanOrEqual(requests);
		const after = await firedIn(10, drained.state, { maxEvents });
		expect(after.fired).toEqual([]);
		expect(after.requests).toBeLessThanOrEqual(10);
	},
);

test('a page size that is refused is tried again after an hour', async () => {
	let state = await started({ refusedAbove: 50 });
	expect(state.pageSize).toBe(10);
	delete model.habits.refusedAbove;
	model.now += HOUR;
	({ state } = await firedIn(1, state));
	expect(state.pageSize).toBeUndefined();
	arrive(150);
	expect((await firedIn(1, state)).requests).toBeLessThan(5);
});

describe('an answer that makes no sense fires nothing, and says so', () => {
	test('oldest first', async () => {
		const state = await started();
		arrive(20);
		model.rows.reverse();
		await expect(poll(state)).rejects.toThrow('did not sort');
	});

	test('the same page whatever is asked for', async () => {
		const state = await started();
		arrive(300);
		const { ask } = model;
		const list = model.open(100);
		Object.assign(Reflect.get(list, 'world'), {
			ask: async (_: number, size: number) => await ask(1, size),
		});
		await expect(catchUp(state, list, limits)).rejects.toThrow('for two different pages');
	});

	test('without end', async () => {
		const state = await started();
		const from = model.requests;
		model.before = () => {
			const at = (model.requests - from) * 100;
			const data = Array.from({ length: 100 }, (_, row) => ({
				eventID: `endless_${at + row}`,
				date: new Date(model.now - at - row).toISOString(),
				type: 'payment_success' as const,
				payload: '{}',
			}));
			return { reply: { answer: { data, page: { total: 7, page: 1, pageSize: 100 } as never } } };
		};
		expect((await poll(state)).events).toEqual([]);
		expect(model.requests - from).toBeLessThanOrEqual(200);
	});
});

test('what lasts is thrown; what lies above the handled rows fires without what lies below', async () => {
	const state = await started();
	model.before = () => refused('503');
	await expect(poll(state)).rejects.toThrow('503');
	model.before = () => undefined;
	const made = arrive(50);
	model.now += HOUR;
	const from = model.requests + 4;
	model.before = (request) => (request >= from ? refused('503') : undefined);
	const { events, warnings, state: next } = await poll(state);
	expect(events.map(({ eventID }) => eventID)).toEqual(made);
	expect(warnings).toEqual(['The look for late events did not get through: 503']);
	expect(next.floor).toBe(state.floor);
});

test('a page far down that cannot be read holds up nothing new', async () => {
	let state = await started();
	const { ask } = model;
	model.now += HOUR;
	for (let polls = 0; polls < 4; polls++) {
		const made = arrive(3);
		const list = pages(state);
		Object.assign(Reflect.get(list, 'world'), {
			ask: async (page: number, size: number) =>
				page === 4 ? refused('503') : await ask(page, size),
		});
		const decision = await catchUp(state, list, limits);
		expect(decision.events.map(({ eventID }) => eventID)).toEqual(made);
		({ state } = decision);
	}
});

test('a size is not refused where it cannot be told from a page too deep', async () => {
	const state = await started({ deepest: 1_000 });
	const made = arrive(2_600);
	const nth = model.requests + 3;
	model.before = (request) => (request === nth ? refused('503') : undefined);
	const { fired, state: next } = await firedIn(12, state, { maxEvents: 300 });
	expect(fired.sort()).toEqual(made.slice(-1_000).sort());
	expect(next.pageSize).toBeUndefined();
});

test('an event dated an hour behind, above others of one moment, is in no wrong order', async () => {
	const state = await started({}, 20);
	const sent = Array.from({ length: 120 }, () => model.list(model.now));
	sent.push(model.list(model.now + 1, new Date(model.now - HOUR).toISOString()));
	const { fired } = await firedIn(2, state);
	expect([...fired].sort()).toEqual([...sent].sort());
});

test('more than 1,000 events of the future do not fire, and stop nothing', async () => {
	const state = await started();
	const future = Array.from({ length: 1_200 }, (_, row) => model.list(model.now + 1e11 + row));
	const { fired, warnings, state: next } = await firedIn(3, state);
	expect(fired.sort()).toEqual(future.slice(0, 1_000).sort());
	expect(warnings[0]).toContain('200 events dated in the future do not fire');
	const made = arrive(5);
	expect((await firedIn(1, next)).fired).toEqual(made);
});

test('more events of one moment than can be remembered close it, and fire once', async () => {
	const state = await started();
	model.now += MINUTE;
	const made = new Set(Array.from({ length: 9_000 }, () => model.list(model.now)));
	const { fired, warnings, state: next } = await firedIn(15, state);
	expect(new Set(fired).size).toBe(fired.length);
	expect(fired.length).toBeGreaterThan(5_000);
	expect(fired.every((event) => made.has(event))).toBe(true);
	expect(warnings).toContain('More events share one moment than can be remembered; it is closed');
	const fresh = arrive(5);
	expect((await firedIn(1, next)).fired).toEqual(fresh);
});

describe('events older than the user wants', () => {
	test('do not fire, and not later either', async () => {
		const state = await started();
		model.now += 30 * HOUR;
		const old = arrive(2_500);
		model.now += 5 * HOUR;
		const made = arrive(40);
		const skipping = await firedIn(3, state, { skipOlderMs: HOUR });
		expect(skipping.fired).toEqual(made);
		expect(old).toHaveLength(2_500);
		expect((await firedIn(3, skipping.state)).fired).toEqual([]);
	});

	test('are told by the clock that is behind', async () => {
		const state = await started();
		model.localOff = 48 * HOUR;
		const made = arrive(2);
		expect((await firedIn(1, state, { skipOlderMs: HOUR })).fired).toEqual(made);
	});
});

describe('a start', () => {
	test('knows the 1,000 newest', async () => {
		const { floor, handled } = await started({}, 5_000);
		expect(floor).toBe(model.now - 999_000);
		expect(Object.values(handled).join('')).toHaveLength(999 * 8);
		expect(model.requests).toBe(10);
	});

	test('knows those of the look-back', async () => {
		model = new EventModel({ total: 'true', hasDate: true });
		for (let row = 500; row > 0; row--) model.list(model.now - row * HOUR);
		const { floor, handled } = await baseline();
		expect(floor).toBe(model.now - 73 * HOUR);
		expect(Object.keys(handled)).toHaveLength(73);
		expect(model.requests).toBe(1);
	});

	test('knows also what rows that vanish meanwhile pull up past it', async () => {
		model = new EventModel({ total: 'true', hasDate: true });
		for (let row = 250; row > 0; row--) model.list(model.now - row * MINUTE);
		model.before = (request) => {
			if (request === 2) model.rows.splice(50, 1);
			return undefined;
		};
		const state = await baseline();
		model.now += HOUR;
		expect((await firedIn(2, state)).fired).toEqual([]);
	});

	test('ends where its second reading is cut off before it has begun', async () => {
		model = new EventModel({ total: 'true', hasDate: true });
		for (let row = 250; row > 0; row--) model.list(model.now - row * MINUTE);
		model.before = (request) => {
			if (request === 2) model.rows.splice(50, 1);
			return request > 3 ? refused('429') : undefined;
		};
		expect((await baseline()).accountedFor).toBe(250);
	});

	test('does not take for old what comes while it reads', async () => {
		model = new EventModel({ total: 'true', hasDate: true, cap: 10 });
		for (let row = 40; row > 0; row--) model.list(model.now - row * MINUTE);
		const made: string[] = [];
		model.before = (request) => {
			if (request === 2) made.push(...arrive(31));
			return undefined;
		};
		const state = await baseline();
		expect((await firedIn(4, state)).fired).toEqual(made);
	});

	test('knows the rest of the second at which it stops, in whatever order', async () => {
		model = new EventModel({ total: 'true', hasDate: true });
		const at = model.now - HOUR;
		for (let row = 0; row < 1_003; row++) {
			model.list(model.now - row, new Date(at - 1_000 * Math.min(row, 990)).toISOString());
		}
		for (const { event } of model.rows.slice(-3)) event.date = event.date.replace('.000', '.500');
		const state = await baseline();
		model.now += HOUR;
		expect((await firedIn(2, state)).fired).toEqual([]);
	});

	test.each([0, 200])('on an empty answer takes the last ten minutes for new (%i)', async (old) => {
		model = new EventModel({ total: 'constant', hasDate: true });
		for (let row = old; row > 0; row--) model.list(model.now - 11 * MINUTE - row);
		model.empty = 1;
		const state = await baseline();
		const late = model.list(model.now - 9 * MINUTE);
		expect((await firedIn(3, state)).fired).toEqual([late]);
	});

	test.each([
		['503', 1],
		// The first one was refused for its size.
		['429', 2],
	])('fails with what the service says (%s to request %i)', async (status, nth) => {
		model = new EventModel({ total: 'true', hasDate: true, refusedAbove: 50 });
		model.list(model.now - HOUR);
		model.before = (request) => (request === nth ? refused(status) : undefined);
		await expect(baseline()).rejects.toThrow(status);
	});

	test('by a date fires all from there on, across polls', async () => {
		await started({}, 3_000);
		const { fired } = await firedIn(6, startAt('scope', model.now - 2_500_000));
		expect(fired).toHaveLength(2_500);
	});
});

test.each([
	[null, 'none'],
	['', 'broken'],
	[{ v: 1 }, 'broken'],
	[{ ...startAt('scope', 5), floor: 'x' }, 'broken'],
	[{ ...startAt('scope', 5), handled: { z: 'short' } }, 'broken'],
	[{ ...startAt('scope', 5), handled: { '-': 'abcdefgh' } }, 'broken'],
	[startAt('other', 5), 'foreign'],
	[startAt('scope', 5), expect.objectContaining({ floor: 5, sweptAt: 0 })],
	[
		{
			...startAt('scope', 5),
			reading: { from: 0 },
			accountedFor: 'many',
			sweptAt: null,
			pageSize: 0,
		},
		expect.objectContaining({ reading: undefined, accountedFor: undefined, pageSize: undefined }),
	],
])('reads the stored state %j', (stored, read) => {
	expect(readState(stored, 'scope')).toEqual(read);
});
