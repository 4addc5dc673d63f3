import { readState, startAt } from '../../nodes/PaymentsGateway/trigger/state';
import type { Habits } from './eventModel';
import { refused } from './eventModel';
import { ModelTrigger } from './modelTrigger';
import { BUDGET, DAY, HOUR, MINUTE, SECOND } from './spans';

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

test('a gateway that counts the rows of the page instead of the list lets the floor rise as well', async () => {
	const trigger = await started({ total: 'page' }, 50);
	for (let day = 0; day < 8; day++) {
		trigger.arrive(433);
		await trigger.polls(2);
		trigger.now += DAY;
	}
	await trigger.polls(2);
	expect(trigger.state.floor).toBeGreaterThan(trigger.now - 5 * DAY);
});

test('a list whose oldest rows are removed all the time is read to its floor as well', async () => {
	const trigger = await started({}, 4_000);
	trigger.before = (request) => {
		if (request % 4 === 0) trigger.rows.pop();
	};
	for (let polls = 0; polls < 40; polls++) {
		trigger.arrive(100);
		await trigger.poll();
	}
	expect(trigger.fired).toEqual(trigger.sent);
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

describe('a late event', () => {
	test.each([8, 950])('%i rows deep fires with the next poll by the count', async (rank) => {
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

	test('of more than fire at once is not left for an hour by a sweep of several polls', async () => {
		const trigger = await started({ total: 'zero', cap: 30 }, 1_500, 5);
		for (let row = 0; row < 30; row++) trigger.add(50_001 + row * SECOND);
		// A poll reads twenty pages of fifty.
		trigger.latency = 2 * SECOND;
		await trigger.polls(80);
		trigger.expectOnce();
	});

	test('fires with the next poll right below a handled one with which a glance ends', async () => {
		const trigger = await started({ total: 'zero' });
		trigger.add(0);
		await trigger.polls(1);
		for (let second = 1; second <= 6; second++) trigger.add(MINUTE + second * SECOND);
		trigger.arrive(9);
		await trigger.polls(1);
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
});

describe('a late event is not passed over', () => {
	/** Dated as the row of that rank. */
	function addAt(trigger: ModelTrigger, rank: number): void {
		trigger.add(trigger.serviceNow - (trigger.rows[rank]?.at ?? 0));
	}

	/** A row above it vanishes as the page is asked for on which it stands alone. */
	function hideOnce(trigger: ModelTrigger, lastPage: number, rank: number): void {
		let isHidden = false;
		trigger.before = (_, page) => {
			if (page === lastPage && !isHidden) trigger.rows.splice(rank, 1);
			isHidden ||= page === lastPage;
		};
	}

	async function pollFailingAt(trigger: ModelTrigger, deepPage: number): Promise<void> {
		trigger.before = (_, page) => (page === deepPage ? refused('503') : undefined);
		await trigger.poll();
		trigger.before = () => undefined;
	}

	test('where no more can be remembered and a sweep fails once', async () => {
		const trigger = await started();
		trigger.arrive(1_000);
		await trigger.poll();
		addAt(trigger, 900);
		trigger.arrive(700);
		await pollFailingAt(trigger, 9);
		await trigger.polls(3);
		trigger.expectOnce();
	});

	test('where sweeps fail for more than a day, while more can be remembered', async () => {
		const trigger = await started();
		addAt(trigger, 985);
		trigger.now += 25 * HOUR;
		trigger.arrive(100);
		await pollFailingAt(trigger, 4);
		await trigger.polls(3);
		trigger.expectOnce();
	});

	test('where a sweep of a backlog ends just as a row vanishes', async () => {
		const trigger = await started({}, 400);
		trigger.add(HOUR);
		trigger.arrive(5_000);
		hideOnce(trigger, 55, 5_200);
		await trigger.polls(8);
		trigger.expectOnce();
	});

	test('where the same happens and nothing counts', async () => {
		const trigger = await started({ total: 'zero' }, 400, 40);
		trigger.add(HOUR);
		trigger.arrive(3_000);
		hideOnce(trigger, 35, 3_200);
		await trigger.polls(95);
		trigger.expectOnce();
	});

	test('where a sweep of several polls finds more than fire at once, below a thousand newer ones', async () => {
		const trigger = await started({ total: 'zero', cap: 10 }, 1_500, 40);
		for (let row = 0; row < 50; row++) addAt(trigger, 500);
		for (let polls = 0; polls < 20; polls++) {
			trigger.arrive(40);
			await trigger.poll();
		}
		trigger.now += HOUR;
		trigger.latency = 2 * SECOND;
		await trigger.polls(40);
		trigger.expectOnce();
	});

	test('where it comes near the end of a backlog, right before another one', async () => {
		const trigger = await started({}, 1_500, 100);
		trigger.arrive(2_600);
		while (trigger.state.reading?.from !== 5) await trigger.poll();
		addAt(trigger, 900);
		trigger.arrive(3_000);
		trigger.latency = 20 * SECOND;
		await trigger.polls(4);
		trigger.latency = 0;
		await trigger.polls(40);
		trigger.expectOnce();
	});
});

const SLOW_ROUNDS =
	'50 1 2, 217 1 2, 441 3 2, 205 1 20, 451 3 9, 127 3 2, 381 1 9, 417 2 2, 57 1 25, 0 160 0';

// Rounds: so many events arrive, so many polls follow, at so many seconds a request.
test.each<[string, Partial<Habits>, number, number, string]>([
	[
		'what a slow poll has left below what it fired',
		{ cap: 10, deepest: 2_500, hasDate: false },
		...([0, 0, '126 1 0, 12 1 25, 1990 1 2, 0 1 6, 357 180 0'] as const),
	],
	[
		'what a slow poll has left between what waits',
		{ cap: 10 },
		...([120, 0, '2000 1 25, 0 1 0, 400 2 15, 400 300 0'] as const),
	],
	['of what came late more than fires at once', {}, 120, 120, SLOW_ROUNDS],
])('below handled rows %s is not passed over', async (_, habits, old, late, rounds) => {
	const trigger = await started(habits, old, 40);
	for (let row = 0; row < late; row++) trigger.add(DAY + row);
	// Slow polls fire from where the handled rows were.
	for (const round of rounds.split(', ')) {
		const [count = 0, polls = 0, seconds = 0] = round.split(' ').map(Number);
		if (count > 0) trigger.arrive(count);
		trigger.latency = seconds * SECOND;
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

test.each<[Partial<Habits>, number, number]>([
	[{ deepest: 1_000 }, 0, 46],
	// Where a size that is refused cannot be told from a page too deep.
	[{ deepest: 1_000 }, 3, 1_000],
	[{ deepest: 1_000, hidesDeeper: true, total: 'zero' }, 0, 1_000],
])(
	'a list that can be read so deep delivers what it shows, and goes on (%j, request %i failing)',
	async (habits, failing, requests) => {
		const trigger = await started(habits, 1_500, 300);
		trigger.arrive(2_600);
		trigger.sent.splice(0, 1_600);
		trigger.before = (request) => (request === failing ? refused('503') : undefined);
		expect(await trigger.polls(12)).toBeLessThan(requests);
		trigger.expectOnce();
		expect(trigger.state.pageSize).toBeUndefined();
		const words = '1600 events lie deeper than the gateway lets its list be read, and do not fire';
		expect(trigger.warnings.includes(words)).toBe(habits.total === undefined);
		trigger.arrive(3);
		await trigger.polls(2);
		trigger.expectOnce();
	},
);

const noRows = (total: number) => ({
	reply: { answer: { data: [], page: { total } as never } },
});

describe('a backlog is not cut short', () => {
	test.each([Infinity, 1_000])(
		'by arrivals that push down just a page, without a count (pages to %d)',
		async (pages) => {
			for (let moment = 5; moment < 12; moment++) {
				const trigger = await started({ total: 'zero', cap: 10 });
				trigger.arrive(250);
				trigger.before = (request, page) => {
					if (request === moment) trigger.arrive(10);
					return page > pages ? refused('404') : undefined;
				};
				await trigger.polls(12);
				trigger.expectOnce();
			}
		},
	);

	test.each<[string, Partial<Habits>, number, number, ReturnType<typeof refused>]>([
		['without rows', { total: 'zero' }, 2_500, 12, noRows(0)],
		['without rows, right above the last ones', {}, 150, 3, noRows(200)],
		['that refuses a page once', { total: 'zero' }, 500, 4, refused('404')],
	])('by an answer %s', async (_, habits, count, nth, answer) => {
		const trigger = await started(habits, 50);
		trigger.arrive(count);
		trigger.before = (request) => (request === nth ? answer : undefined);
		await trigger.polls(6);
		expect(trigger.fired).toEqual(trigger.sent);
	});
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

test('events of one second, the oldest first, below one dated an hour behind, are in no wrong order', async () => {
	const trigger = await started({}, 20);
	const second = Math.floor(trigger.now / 1_000) * 1_000;
	for (let row = 0; row < 12; row++) trigger.add(row, new Date(second + row).toISOString());
	trigger.add(-1, new Date(second - HOUR).toISOString());
	await trigger.polls(2);
	trigger.expectOnce();
});

test.each([
	['zero', 900, 60, 0],
	// More than can be remembered, before the list was read to the floor.
	['true', 3_500, 220, 1],
] as const)(
	'by 25 seconds an answer each poll moves on, in time (total %s, %i events, %i polls, %i more each)',
	async (total, count, polls, more) => {
		const trigger = await started({ total });
		trigger.latency = 25_000;
		trigger.arrive(count);
		for (let nth = 0; nth < polls; nth++) {
			if (nth < polls / 4) trigger.arrive(more);
			const begun = trigger.now;
			await trigger.polls(1);
			expect(trigger.now - begun - MINUTE).toBeLessThanOrEqual(BUDGET);
		}
		trigger.latency = 0;
		for (let hours = 0; hours < 3; hours++) {
			trigger.now += HOUR;
			await trigger.polls(1);
		}
		trigger.expectOnce();
	},
);

test.each([2, 5])(
	'a gateway that lets %i requests through a poll moves on with every one',
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

test.each<[Partial<Habits>, number, number, number, number]>([
	// A glance of ten rows shows that nothing else is new.
	[{}, 5, 1_000, 1, 1],
	[{}, 50, 1_000, 1, 2],
	// Where the gateway's count says how many are new.
	[{}, 500, 100, 5, 12],
	[{}, 5_000, 100, 50, 125],
	[{}, 20_000, 50_000, 4, 230],
	// Where it says nothing: the end of the new ones is looked for from the top, and what was read down
	// to the floor is read again, since rows that vanish would not show.
	[{ total: 'zero' }, 5_000, 1_000, 6, 140],
	// Where a page beyond the last one holds those of another.
	[{ total: 'zero', beyond: 'first' }, 3_000, 1_000, 4, 80],
	[{ total: 'zero', beyond: 'last' }, 3_000, 1_000, 4, 80],
	// Where pages are small.
	[{ cap: 50 }, 3_000, 1_000, 8, 140],
	[{ refusedAbove: 50 }, 800, 1_000, 4, 240],
])(
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
	const trigger = new ModelTrigger({ refusedAbove: 50 });
	// The first ten lead to the floor.
	trigger.listOld(12, 30 * HOUR);
	await trigger.start();
	await trigger.polls(3);
	expect(trigger.state.pageSize).toBe(10);
	delete trigger.habits.refusedAbove;
	trigger.now += HOUR;
	await trigger.polls(1);
	expect(trigger.state.pageSize).toBeUndefined();
	trigger.arrive(150);
	expect(await trigger.polls(1)).toBeLessThan(5);
});

test('a list that stands the oldest first fires nothing, and is told', async () => {
	const trigger = await started();
	trigger.arrive(20);
	trigger.rows.reverse();
	await expect(trigger.poll()).rejects.toThrow('did not sort');
});

test('a poll sends 200 requests at most', async () => {
	const trigger = await started({ cap: 10 });
	trigger.arrive(5_000);
	expect(await trigger.polls(1)).toBe(200);
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

test('a page refused while page 1 cannot be had is no end of the list', async () => {
	const trigger = await started({ total: 'zero' });
	trigger.arrive(450);
	const { floor } = trigger.state;
	let isOut = false;
	trigger.before = (_, page) => {
		isOut ||= page === 3;
		return isOut ? refused(page === 1 ? '503' : '404') : undefined;
	};
	await trigger.polls(3);
	expect(trigger.fired).toEqual([]);
	expect(trigger.state.floor).toBe(floor);
	trigger.before = () => undefined;
	await trigger.polls(3);
	trigger.expectOnce();
});

test('a page on which as many rows are no events as are some is asked for once', async () => {
	const trigger = await started({ total: 'zero' }, 100);
	for (let row = 0; row < 50; row++) {
		trigger.list(trigger.now - 200 * SECOND - row);
		trigger.listNull(trigger.now - 200 * SECOND - row);
	}
	trigger.now += HOUR;
	// The glance, both pages and the empty one below them, twice.
	expect(await trigger.polls(1)).toBe(5);
});

test('a list shorter than the one size of its pages, answered for every page, is read to its end', async () => {
	const trigger = await started({ fixed: 60, beyond: 'last' }, 31);
	trigger.arrive(7);
	trigger.now += HOUR;
	await trigger.poll();
	trigger.expectOnce();
});

test('a list of one full page, answered once more for page 2, is read to its end', async () => {
	const trigger = await started({ total: 'zero', beyond: 'last' }, 95);
	trigger.arrive(5);
	trigger.now += HOUR;
	await trigger.poll();
	trigger.expectOnce();
});

test('of rows in the wrong order the one with the earliest date fires first', async () => {
	const trigger = await started();
	trigger.limits.maxEvents = 1;
	const dates = [3, 1, 2].map((minutes) => new Date(trigger.now + minutes * SECOND).toISOString());
	trigger.now += MINUTE;
	for (const [row, date] of dates.entries()) trigger.add(3 - row, date);
	await trigger.polls(3);
	const [last, earliest, middle] = trigger.sent;
	expect(trigger.fired).toEqual([earliest, middle, last]);
});

test.each([
	['answered', 0],
	['answered in time', BUDGET],
])('a page that is never %s again holds up nothing new for a week', async (_, takes) => {
	const trigger = await started();
	trigger.arrive(200);
	await trigger.poll();
	const broken = trigger.rows[150];
	trigger.before = (_, page) => {
		const rows = trigger.rows.slice((page - 1) * 100, page * 100);
		if (!rows.some((row) => row === broken)) return undefined;
		trigger.now += takes;
		return refused('500');
	};
	for (let polls = 0; polls < 168; polls++) {
		trigger.arrive(15);
		await trigger.poll();
		trigger.now += HOUR;
	}
	expect(JSON.stringify(trigger.state).length).toBeLessThan(60_000);
	await trigger.polls(3);
	trigger.expectOnce();
});

test('an event without a date, the first of all, is not dated by a clock that is days fast', async () => {
	const trigger = await started({ hasDate: false }, 0);
	trigger.localOff = 6 * DAY;
	await trigger.polls(1);
	trigger.add(0, 'soon');
	await trigger.polls(2);
	trigger.localOff = 0;
	trigger.arrive(5);
	await trigger.polls(3);
	trigger.expectOnce();
});

test.each([1_000, 5_000])(
	'more than 1,000 events of the future do not fire, and stop nothing (%i at once)',
	async (most) => {
		const trigger = await started();
		trigger.limits.maxEvents = most;
		for (let row = 0; row < 1_200; row++) trigger.add(-1e11 - row);
		trigger.sent.splice(1_000);
		await trigger.polls(3);
		expect(trigger.warnings[0]).toContain('200 events dated in the future do not fire');
		trigger.arrive(5);
		await trigger.polls(1);
		trigger.expectOnce();
	},
);

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

test('events older than the user wants do not fire, and not later either', async () => {
	const trigger = await started();
	trigger.limits.skipOlderMs = HOUR;
	// It goes by the clock that is behind.
	trigger.localOff = 48 * HOUR;
	trigger.now += 30 * HOUR;
	trigger.arrive(2_500);
	trigger.now += 5 * HOUR;
	trigger.arrive(40);
	await trigger.polls(3);
	trigger.limits.skipOlderMs = Infinity;
	await trigger.polls(3);
	expect(trigger.fired).toEqual(trigger.sent.slice(2_500));
});

describe('a start', () => {
	async function expectNothingOld(trigger: ModelTrigger): Promise<void> {
		await trigger.start();
		trigger.now += HOUR;
		await trigger.polls(2);
		expect(trigger.fired).toEqual([]);
	}

	test.each([
		['the 1,000 newest', 5_000, SECOND, 999, 10],
		['those of the look-back', 500, HOUR, 73, 1],
	])('knows %s', async (_, old, every, known, requests) => {
		const trigger = new ModelTrigger();
		trigger.listOld(old, every);
		await trigger.start();
		expect(trigger.state.floor).toBe(trigger.now - known * every);
		expect(Object.keys(trigger.state.handled)).toHaveLength(known);
		expect(trigger.requests).toBe(requests);
	});

	test('knows all events of the newest moment', async () => {
		const trigger = new ModelTrigger();
		trigger.listOld(250, 0, MINUTE);
		await expectNothingOld(trigger);
	});

	test('knows the rest of the second at which it stops, in whatever order', async () => {
		const trigger = new ModelTrigger();
		const at = trigger.now - HOUR;
		for (let row = 0; row < 1_003; row++) {
			trigger.list(trigger.now - row, new Date(at - 1_000 * Math.min(row, 990)).toISOString());
		}
		for (const { event } of trigger.rows.slice(-3)) event.date = event.date.replace('.000', '.500');
		await expectNothingOld(trigger);
	});

	test('knows also what rows that vanish meanwhile pull up past it', async () => {
		const trigger = new ModelTrigger();
		trigger.listOld(250, MINUTE);
		trigger.before = (request) => {
			if (request === 2) trigger.rows.splice(50, 1);
		};
		await expectNothingOld(trigger);
	});

	test('takes what a page hides that is refused for a moment for old', async () => {
		const trigger = new ModelTrigger();
		trigger.listOld(500);
		trigger.before = (request) => ([3, 4].includes(request) ? refused('404') : undefined);
		await expectNothingOld(trigger);
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

	test.each([
		// Page 3 is refused and then page 1 as well: the list has not ended there.
		['404', 3, {}],
		// The first one was refused for its size.
		['429', 2, { refusedAbove: 50 }],
	])('fails with what the gateway says (%s from request %i on)', async (status, first, habits) => {
		const trigger = new ModelTrigger(habits);
		trigger.listOld(600);
		trigger.before = (request) => (request >= first ? refused(status) : undefined);
		await expect(trigger.start()).rejects.toThrow(status);
	});
});

test.each([
	{ v: 1 },
	{ scope: 7 },
	{ floor: 'x' },
	{ handled: { z: 'short' } },
	{ handled: { '-': 'abcdefgh' } },
])('a stored state with %j is broken', (odd) => {
	expect(readState({ ...startAt('scope', 5), ...odd }, 'scope')).toBe('broken');
});

test('of a stored state what is not as it should be is left out', () => {
	const odd = { sweptAt: null, reading: { from: 0 }, accountedFor: 'many', pageSize: 0 };
	expect(readState({ ...startAt('scope', 5), ...odd }, 'scope')).toEqual(startAt('scope', 5));
});
