import { readState, startAt } from '../../nodes/PaymentsGateway/trigger/state';
import type { Habits } from './eventModel';
import { refused } from './eventModel';
import { ModelTrigger } from './modelTrigger';
import { BUDGET, DAY, HOUR, MINUTE } from './spans';

/** Single moments of the storm, and what a poll may cost. */

afterEach(() => jest.restoreAllMocks());

/** A trigger that has started where so many events were; its requests are counted from there. */
async function started(
	habits: Partial<Habits> = {},
	old = 1_500,
	maxEvents = 1_000,
): Promise<ModelTrigger> {
	const trigger = new ModelTrigger(habits);
	trigger.limits.maxEvents = maxEvents;
	trigger.listOld(old);
	await trigger.start();
	trigger.requests = 0;
	return trigger;
}

test('a service that counts the rows of the page instead of the list lets the floor rise as well', async () => {
	const trigger = await started({ total: 'page' }, 50);
	for (let day = 0; day < 8; day++) {
		trigger.arrive(433);
		await trigger.polls(2);
		trigger.now += DAY;
	}
	await trigger.polls(2);
	expect(trigger.state.floor).toBeGreaterThan(trigger.now - 5 * DAY);
});

test('pages that become smaller in a backlog, and count their rows, are not taken for the last', async () => {
	const trigger = await started({ total: 'page' }, 250);
	trigger.arrive(1_300);
	trigger.add(3 * HOUR);
	trigger.habits.cap = 20;
	await trigger.polls(1);
	trigger.habits.cap = 10;
	await trigger.polls(90);
	trigger.expectOnce();
});

test('an event without an ID is known by all that it says, one with a number by that', async () => {
	const trigger = await started();
	const list = (eventID: unknown, date?: string) =>
		trigger.list(trigger.now, date, eventID as string);
	list('', '2026-01-10T12:00:01Z');
	list('', '2026-01-10T12:00:02Z');
	list(7);
	await trigger.polls(1);
	// It is dated anew.
	list(7, '2026-01-10T12:00:05Z');
	await trigger.polls(1);
	expect([...trigger.fired].sort()).toEqual(['', '', 7]);
});

test('a row without a date at the end of a page does not hide that handled rows are reached', async () => {
	const trigger = await started();
	trigger.add(78_500, 'soon');
	trigger.arrive(20);
	expect(await trigger.polls(1)).toBe(2);
	trigger.expectOnce();
});

test('a row of long ago in the middle of a backlog does not end it', async () => {
	const trigger = await started();
	trigger.arrive(150);
	const old = new Date(trigger.now - 100 * HOUR).toISOString();
	trigger.list(trigger.rows[97]?.at ?? NaN, old);
	await trigger.polls(1);
	trigger.expectOnce();
});

describe('a late event', () => {
	test.each([8, 400, 950])('%i rows deep fires with the next poll by the count', async (rank) => {
		const trigger = await started();
		trigger.add(rank * 1_000);
		await trigger.polls(1);
		trigger.expectOnce();
		expect(trigger.warnings).toEqual([]);
	});

	test('fires within the hour where nothing counts', async () => {
		const trigger = await started({ total: 'zero' });
		trigger.add(400_000);
		await trigger.polls(58);
		expect(trigger.fired).toEqual([]);
		await trigger.polls(2);
		trigger.expectOnce();
	});

	test('fires with the next poll right after the hourly look', async () => {
		const trigger = await started({}, 200);
		trigger.now += HOUR;
		// A glance, its two pages and the empty one behind them.
		expect(await trigger.polls(1)).toBe(4);
		trigger.add(HOUR + 100_000);
		await trigger.polls(1);
		trigger.expectOnce();
	});

	test('fires within ten minutes after a count that nothing explains', async () => {
		const trigger = await started();
		trigger.listNull(trigger.now - 900_000);
		await trigger.polls(1);
		trigger.add(400_000);
		await trigger.polls(12);
		trigger.expectOnce();
	});

	test('beyond the look-back never fires, and is looked for once', async () => {
		const trigger = await started({}, 20);
		trigger.list(trigger.now - 100 * HOUR);
		expect(await trigger.polls(9)).toBeLessThan(9 + 4);
		expect(trigger.fired).toEqual([]);
	});
});

type Round = [arrive: number, polls: number, latency: number];
test.each<[string, Partial<Habits>, number, number, Round[]]>([
	[
		'what a slow poll has left below what it fired',
		{ cap: 10, deepest: 2_500, hasDate: false },
		...([0, 0] as const),
		[
			[126, 1, 0],
			[12, 1, 25_000],
			[1_990, 1, 2_000],
			[0, 1, 6_000],
			[357, 180, 0],
		],
	],
	[
		'what a slow poll has left between what waits',
		{ cap: 10 },
		...([120, 0] as const),
		[
			[2_000, 1, 25_000],
			[0, 1, 0],
			[400, 2, 15_000],
			[400, 300, 0],
		],
	],
	[
		'of what came late more than fires at once',
		{},
		...([120, 120] as const),
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
])('below handled rows %s is not passed over', async (_, habits, old, late, rounds) => {
	const trigger = await started(habits, old, 40);
	for (let row = 0; row < late; row++) trigger.add(DAY + row);
	// Slow polls fire from where the handled rows were.
	for (const [count, polls, latency] of rounds) {
		if (count > 0) trigger.arrive(count);
		trigger.latency = latency;
		await trigger.polls(polls);
	}
	trigger.expectOnce();
});

test('a page that a list is too short for, answered as page 1, is not taken for its end', async () => {
	const trigger = await started({ cap: 20, beyond: 'first' }, 250);
	trigger.arrive(280);
	trigger.latency = 20_000;
	await trigger.polls(7);
	// The gateway removes all events, also those that were yet to fire.
	trigger.sent.length = trigger.rows.length = 0;
	trigger.arrive(200);
	await trigger.polls(1);
	for (let round = 0; round < 9; round++) {
		trigger.arrive(250);
		await trigger.polls(2);
	}
	await trigger.polls(250);
	trigger.expectOnce();
});

test('late events that break off a reading to the floor are not passed over', async () => {
	const trigger = await started({ hasDate: false }, 334);
	// Two of them end a page that ends a poll.
	for (const ago of [340, 341, 342, 343]) trigger.add(ago * 1_000);
	trigger.arrive(2_564);
	trigger.latency = 20_000;
	await trigger.polls(80);
	trigger.expectOnce();
});

test('many at once are not all remembered, nor is a moment closed for them', async () => {
	const trigger = await started({}, 0, 5_000);
	trigger.now += MINUTE;
	for (let row = 0; row < 20_000; row++) trigger.add(20_000 - Math.floor(row / 3));
	expect(await trigger.polls(1)).toBeLessThan(70);
	await trigger.polls(29);
	trigger.expectOnce();
	expect(trigger.warnings).toEqual([]);
});

test('a count that no reading explains is followed once in ten minutes', async () => {
	const trigger = await started();
	trigger.before = () => trigger.listNull(trigger.now - 900_000);
	expect(await trigger.polls(30)).toBeLessThan(30 + 4 * 14);
});

test.each([0, 9, 99, 150])('two rows the wrong way round at row %i stop nothing', async (rank) => {
	const trigger = await started();
	trigger.arrive(200);
	const { rows } = trigger;
	rows.splice(rank, 2, ...rows.slice(rank, rank + 2).reverse());
	for (let polls = 0; polls < 20; polls++) {
		await trigger.poll();
		trigger.arrive(1);
	}
	await trigger.polls(3);
	trigger.expectOnce();
});

test.each<[Partial<Habits>, number, number, number, number]>([
	[{ deepest: 1_000 }, 2_600, 300, 46, 0],
	[{ deepest: 1_000, hidesDeeper: true }, 2_600, 300, 1_000, 0],
	[{ deepest: 1_000, total: 'zero' }, 2_600, 300, 1_000, 0],
	// Such pages are not read by tens.
	[{ deepest: 2_000 }, 4_000, 1_000, 58, 0],
	// Where a size that is refused cannot be told from a page too deep.
	[{ deepest: 1_000 }, 2_600, 300, 1_000, 3],
])(
	'a list that can be read so deep delivers what it shows, and goes on (%j)',
	async (habits, count, maxEvents, requests, failing) => {
		const trigger = await started(habits, 1_500, maxEvents);
		trigger.arrive(count);
		const { deepest = 0, total } = habits;
		trigger.sent.splice(0, count - deepest);
		trigger.before = (request) => (request === failing ? refused('503') : undefined);
		expect(await trigger.polls(12)).toBeLessThan(requests);
		trigger.expectOnce();
		expect(trigger.state.pageSize).toBeUndefined();
		const words = `${count - deepest} events lie deeper than the gateway lets its list be read, and do not fire`;
		expect(trigger.warnings.includes(words)).toBe(total === undefined);
		trigger.arrive(3);
		await trigger.polls(2);
		expect(trigger.fired.slice(-3)).toEqual(trigger.sent.slice(-3));
	},
);

describe('without a count, a backlog is not cut short', () => {
	test.each([
		[10, Infinity],
		[10, 1_000],
		[100, Infinity],
	])('by arrivals that push down just a page, of %i (pages to %d)', async (cap, pages) => {
		for (let moment = 5; moment < 12; moment++) {
			const trigger = await started({ total: 'zero', cap });
			trigger.arrive(25 * cap);
			trigger.before = (request, page) => {
				if (request === moment) trigger.arrive(cap);
				return page > pages ? refused('404') : undefined;
			};
			await trigger.polls(12);
			trigger.expectOnce();
		}
	});

	test('by an answer without rows', async () => {
		const trigger = await started({ total: 'zero' });
		trigger.arrive(2_500);
		trigger.before = (request) => {
			if (request === 12) trigger.empty = 1;
		};
		await trigger.polls(6);
		expect(trigger.fired).toEqual(trigger.sent);
	});

	test('by one right above the last rows, with a count', async () => {
		const trigger = await started({}, 50);
		trigger.arrive(150);
		const empty = { reply: { answer: { data: [], page: { total: 200 } as never } } };
		trigger.before = (request, page) => (page === 2 && request < 4 ? empty : undefined);
		await trigger.polls(1);
		expect(trigger.fired).toEqual(trigger.sent);
	});

	test('by a page that is refused once', async () => {
		const trigger = await started({ total: 'zero' });
		trigger.arrive(500);
		trigger.before = (request) => (request === 4 ? refused('404') : undefined);
		await trigger.polls(1);
		expect(trigger.fired).toEqual(trigger.sent);
	});
});

test('a list of which every page is refused for a while has not ended', async () => {
	const trigger = await started({}, 1_500, 300);
	trigger.arrive(2_600);
	trigger.before = (request) => (request >= 8 && request < 12 ? refused('404') : undefined);
	await trigger.polls(15);
	expect(trigger.fired).toEqual(trigger.sent);
});

test('nothing old fires where a start comes upon such a list', async () => {
	const trigger = new ModelTrigger();
	trigger.listOld(600);
	trigger.before = (request) => (request >= 3 ? refused('404') : undefined);
	await expect(trigger.start()).rejects.toThrow('404');
});

test('what cannot be forgotten is not looked for with every poll', async () => {
	const trigger = await started({}, 0);
	for (let row = 0; row < 2_400; row++) trigger.add(0);
	await trigger.polls(6);
	trigger.expectOnce();
	expect(await trigger.polls(10)).toBeLessThan(15);
});

test('fewer than ten events, the oldest first, are in no wrong order', async () => {
	const trigger = await started({}, 0);
	for (let seconds = 1; seconds <= 8; seconds++) trigger.add(seconds * 1_000);
	trigger.rows.reverse();
	await trigger.poll();
	trigger.expectOnce();
});

test('fewer than ten events fire though every page holds them', async () => {
	const trigger = await started({ ignoresPage: true }, 0);
	trigger.arrive(9);
	await trigger.poll();
	expect(trigger.fired).toEqual(trigger.sent);
});

test('events of one second, the oldest first, are in no wrong order', async () => {
	const trigger = await started({}, 20);
	const second = Math.floor(trigger.now / 1_000) * 1_000;
	for (let row = 0; row < 12; row++) trigger.add(row, new Date(second + row).toISOString());
	await trigger.polls(2);
	expect(trigger.fired).toEqual(trigger.sent);
});

test('an event without a date, last above the floor, keeps no reading from its end', async () => {
	const trigger = await started({ cap: 10, total: 'zero' }, 0);
	const { sweptAt } = trigger.state;
	trigger.list(trigger.now - 100 * HOUR);
	trigger.list(trigger.now - 99 * HOUR, '');
	trigger.arrive(180);
	trigger.latency = 20_000;
	await trigger.polls(100);
	expect(trigger.fired).toEqual(expect.arrayContaining(trigger.sent));
	expect(trigger.state.sweptAt).toBeGreaterThan(sweptAt);
});

test.each([
	['true', 100, 5, 0],
	['true', 900, 60, 0],
	['zero', 900, 60, 0],
	['true', 900, 60, 3],
	// More than can be remembered, before the list was read to the floor.
	['true', 3_500, 220, 1],
] as const)(
	'a service that takes 25 seconds for each answer moves on with every poll (total %s, %i events, in %i polls, %i more with each)',
	async (total, count, polls, more) => {
		const trigger = await started({ total });
		trigger.latency = 25_000;
		trigger.arrive(count);
		for (let nth = 0; nth < polls; nth++) {
			if (nth < polls / 4) trigger.arrive(more);
			await trigger.polls(1);
		}
		trigger.latency = 0;
		for (let hours = 0; hours < 3; hours++) {
			trigger.now += HOUR;
			await trigger.polls(1);
		}
		trigger.expectOnce();
	},
);

test('a poll ends in time', async () => {
	const trigger = await started();
	trigger.arrive(500);
	trigger.latency = 20_000;
	const begun = trigger.now;
	await trigger.polls(1);
	expect(trigger.now - begun - MINUTE).toBeLessThanOrEqual(BUDGET);
});

test.each([2, 3, 5])(
	'a service that lets %i requests through a poll moves on with every one',
	async (most) => {
		const trigger = await started();
		trigger.arrive(3_000);
		trigger.before = (request) => (request > most ? refused('429') : undefined);
		for (let polls = 0; polls < 100; polls++) {
			trigger.requests = 0;
			await trigger.polls(1);
		}
		expect(trigger.fired).toEqual(trigger.sent);
	},
);

const COSTS: Array<[Partial<Habits>, number, number, number, number]> = [
	// A glance of ten rows shows that nothing else is new.
	[{}, 5, 1_000, 1, 1],
	[{}, 8, 1_000, 1, 2],
	[{}, 50, 1_000, 1, 2],
	// Where the service's count says how many are new.
	[{}, 90, 1_000, 1, 3],
	[{}, 500, 100, 5, 12],
	[{}, 500, 1_000, 1, 7],
	[{}, 5_000, 100, 50, 125],
	[{}, 5_000, 1_000, 5, 67],
	[{}, 10_000, 1_000, 10, 130],
	[{}, 20_000, 50_000, 4, 230],
	// Where it says nothing: the end of the new ones is looked for from the top, and what was read down
	// to the floor is read again, since rows that vanish would not show.
	[{ total: 'zero' }, 500, 100, 5, 20],
	[{ total: 'zero' }, 5_000, 1_000, 6, 140],
	[{ total: 'zero' }, 20_000, 1_000, 24, 640],
	// Where a page beyond the last one holds those of another.
	[{ total: 'zero', beyond: 'first' }, 3_000, 1_000, 4, 80],
	[{ total: 'zero', beyond: 'last' }, 3_000, 1_000, 4, 80],
	// Where pages are small.
	[{ cap: 50 }, 3_000, 1_000, 8, 140],
	[{ refusedAbove: 50 }, 800, 1_000, 4, 240],
];
test.each(COSTS)(
	'a backlog costs few requests (%j: %i events, %i at once)',
	async (habits, backlog, maxEvents, polls, requests) => {
		const trigger = await started(habits, 1_500, maxEvents);
		trigger.arrive(backlog);
		expect(await trigger.polls(polls)).toBeLessThanOrEqual(requests);
		expect(trigger.fired).toEqual(trigger.sent);
		expect(await trigger.polls(10)).toBeLessThanOrEqual(10);
		expect(trigger.fired).toEqual(trigger.sent);
	},
);

test('a page size that is refused is tried again after an hour, not before', async () => {
	const few = new ModelTrigger({ refusedAbove: 50 });
	few.listOld(12, 30 * HOUR);
	await few.start();
	await few.polls(3);
	expect(few.state.pageSize).toBe(10);
	const trigger = await started({ refusedAbove: 50 });
	expect(trigger.state.pageSize).toBe(10);
	delete trigger.habits.refusedAbove;
	trigger.now += HOUR;
	await trigger.polls(1);
	expect(trigger.state.pageSize).toBeUndefined();
	trigger.arrive(150);
	expect(await trigger.polls(1)).toBeLessThan(5);
});

describe('an answer that makes no sense fires nothing, and says so', () => {
	test('oldest first', async () => {
		const trigger = await started();
		trigger.arrive(20);
		trigger.rows.reverse();
		await expect(trigger.poll()).rejects.toThrow('did not sort');
	});

	test.each([Infinity, 50])('the same page whatever is asked for, of %d rows', async (cap) => {
		const trigger = await started();
		trigger.arrive(300);
		Object.assign(trigger.habits, { cap, ignoresPage: true });
		await expect(trigger.poll()).rejects.toThrow('for two different pages');
	});

	test('without end', async () => {
		const trigger = await started();
		trigger.before = (request) => {
			const data = Array.from({ length: 100 }, (_, row) => ({
				eventID: `endless_${request * 100 + row}`,
				date: new Date(trigger.now - request * 100 - row).toISOString(),
				type: 'payment_success' as const,
				payload: '{}',
			}));
			return { reply: { answer: { data, page: { total: 7, page: 1, pageSize: 100 } as never } } };
		};
		await trigger.poll();
		expect(trigger.fired).toEqual([]);
		expect(trigger.requests).toBeLessThanOrEqual(200);
	});
});

test('what lasts is thrown; what lies above the handled rows fires without what lies below', async () => {
	const trigger = await started();
	const { floor } = trigger.state;
	for (const status of ['429', '503']) {
		trigger.before = () => refused(status);
		await expect(trigger.poll()).rejects.toThrow(status);
	}
	trigger.arrive(50);
	trigger.now += HOUR;
	trigger.requests = 0;
	trigger.before = (request) => (request >= 4 ? refused('503') : undefined);
	await trigger.poll();
	expect(trigger.fired).toEqual(trigger.sent);
	expect(trigger.warnings).toEqual(['The look for late events did not get through: 503']);
	expect(trigger.state.floor).toBe(floor);
});

test('a page far down that cannot be read holds up nothing new', async () => {
	const trigger = await started();
	trigger.now += HOUR;
	trigger.before = (_, page) => (page === 4 ? refused('503') : undefined);
	for (let polls = 0; polls < 4; polls++) {
		trigger.arrive(3);
		await trigger.poll();
		expect(trigger.fired).toEqual(trigger.sent);
	}
});

test('an event dated an hour behind, above others of one moment, is in no wrong order', async () => {
	const trigger = await started({}, 20);
	for (let row = 0; row < 120; row++) trigger.add(0);
	trigger.add(-1, new Date(trigger.now - HOUR).toISOString());
	await trigger.polls(2);
	trigger.expectOnce();
});

test('more than 1,000 events of the future do not fire, and stop nothing', async () => {
	const trigger = await started();
	for (let row = 0; row < 1_200; row++) trigger.add(-1e11 - row);
	trigger.sent.splice(1_000);
	await trigger.polls(3);
	expect(trigger.warnings[0]).toContain('200 events dated in the future do not fire');
	trigger.arrive(5);
	await trigger.polls(1);
	trigger.expectOnce();
});

test('more events of one moment than can be remembered close it, and fire once', async () => {
	const trigger = await started();
	trigger.now += MINUTE;
	for (let row = 0; row < 9_000; row++) trigger.add(0);
	await trigger.polls(15);
	const { fired, sent, warnings } = trigger;
	expect(new Set(fired).size).toBe(fired.length);
	expect(fired.length).toBeGreaterThan(5_000);
	expect(fired.filter((id) => !sent.includes(id))).toEqual([]);
	expect(warnings).toContain('More events share one moment than can be remembered; it is closed');
	trigger.arrive(5);
	await trigger.polls(1);
	expect(fired.slice(-5)).toEqual(sent.slice(-5));
});

describe('events older than the user wants', () => {
	test('do not fire, and not later either', async () => {
		const trigger = await started();
		trigger.limits.skipOlderMs = HOUR;
		trigger.now += 30 * HOUR;
		trigger.arrive(2_500);
		trigger.now += 5 * HOUR;
		trigger.arrive(40);
		await trigger.polls(3);
		trigger.limits.skipOlderMs = Infinity;
		await trigger.polls(3);
		expect(trigger.fired).toEqual(trigger.sent.slice(2_500));
	});

	test('are told by the clock that is behind', async () => {
		const trigger = await started();
		trigger.limits.skipOlderMs = HOUR;
		trigger.localOff = 48 * HOUR;
		trigger.arrive(2);
		await trigger.polls(1);
		expect(trigger.fired).toEqual(trigger.sent);
	});
});

describe('a start', () => {
	test('knows the 1,000 newest', async () => {
		const trigger = new ModelTrigger();
		trigger.listOld(5_000);
		await trigger.start();
		const { floor, handled } = trigger.state;
		expect(floor).toBe(trigger.now - 999_000);
		expect(Object.values(handled).join('')).toHaveLength(999 * 8);
		expect(trigger.requests).toBe(10);
	});

	test('knows those of the look-back', async () => {
		const trigger = new ModelTrigger();
		trigger.listOld(500, HOUR);
		await trigger.start();
		const { floor, handled } = trigger.state;
		expect(floor).toBe(trigger.now - 73 * HOUR);
		expect(Object.keys(handled)).toHaveLength(73);
		expect(trigger.requests).toBe(1);
	});

	test('knows also what rows that vanish meanwhile pull up past it', async () => {
		const trigger = new ModelTrigger();
		trigger.listOld(250, MINUTE);
		trigger.before = (request) => {
			if (request === 2) trigger.rows.splice(50, 1);
		};
		await trigger.start();
		trigger.now += HOUR;
		await trigger.polls(2);
		trigger.expectOnce();
	});

	test('knows all events of the newest moment', async () => {
		const trigger = new ModelTrigger();
		trigger.listOld(250, 0, MINUTE);
		await trigger.start();
		trigger.now += HOUR;
		await trigger.polls(2);
		trigger.expectOnce();
	});

	test('ends where its second reading is cut off before it has begun', async () => {
		const trigger = new ModelTrigger();
		trigger.listOld(250, MINUTE);
		trigger.before = (request) => {
			if (request === 2) trigger.rows.splice(50, 1);
			return request > 3 ? refused('429') : undefined;
		};
		await trigger.start();
		expect(trigger.state.accountedFor).toBe(250);
	});

	test('does not take for old what comes while it reads', async () => {
		const trigger = new ModelTrigger({ cap: 10 });
		trigger.listOld(40, MINUTE);
		trigger.before = (request) => {
			if (request === 2) trigger.arrive(31);
		};
		await trigger.start();
		await trigger.polls(4);
		expect(trigger.fired).toEqual(trigger.sent);
	});

	test('knows the rest of the second at which it stops, in whatever order', async () => {
		const trigger = new ModelTrigger();
		const at = trigger.now - HOUR;
		for (let row = 0; row < 1_003; row++) {
			trigger.list(trigger.now - row, new Date(at - 1_000 * Math.min(row, 990)).toISOString());
		}
		for (const { event } of trigger.rows.slice(-3)) event.date = event.date.replace('.000', '.500');
		await trigger.start();
		trigger.now += HOUR;
		await trigger.polls(2);
		trigger.expectOnce();
	});

	test.each([0, 200])('on an empty answer takes the last ten minutes for new (%i)', async (old) => {
		const trigger = new ModelTrigger({ total: 'constant' });
		trigger.listOld(old, 1, 11 * MINUTE);
		trigger.empty = 1;
		await trigger.start();
		trigger.add(9 * MINUTE);
		await trigger.polls(3);
		trigger.expectOnce();
	});

	test.each([
		['503', 1],
		// The first one was refused for its size.
		['429', 2],
	])('fails with what the service says (%s to request %i)', async (status, nth) => {
		const trigger = new ModelTrigger({ refusedAbove: 50 });
		trigger.listOld(1, HOUR);
		trigger.before = (request) => (request === nth ? refused(status) : undefined);
		await expect(trigger.start()).rejects.toThrow(status);
	});

	test('by a date fires all from there on, across polls', async () => {
		const trigger = await started({}, 3_000);
		trigger.state = startAt('scope', trigger.now - 2_500_000);
		await trigger.polls(6);
		expect(trigger.fired).toHaveLength(2_500);
	});
});

test.each([
	[null, 'none'],
	['', 'broken'],
	[{ ...startAt('scope', 5), v: 1 }, 'broken'],
	[{ ...startAt('scope', 5), scope: 7 }, 'broken'],
	[{ ...startAt('scope', 5), floor: 'x' }, 'broken'],
	[{ ...startAt('scope', 5), handled: { z: 'short' } }, 'broken'],
	[{ ...startAt('scope', 5), handled: { '-': 'abcdefgh' } }, 'broken'],
	[startAt('other', 5), 'foreign'],
	[startAt('scope', 5), expect.objectContaining({ floor: 5, sweptAt: 0 })],
	[
		{
			...{ ...startAt('scope', 5), sweptAt: null },
			...{ reading: { from: 0 }, accountedFor: 'many', pageSize: 0 },
		},
		expect.objectContaining({ reading: undefined, accountedFor: undefined, pageSize: undefined }),
	],
])('reads the stored state %j', (stored, read) => {
	expect(readState(stored, 'scope')).toEqual(read);
});
