import type { Habits } from './eventModel';
import { refused } from './eventModel';
import { ModelTrigger } from './modelTrigger';
import { DAY, HOUR, MINUTE, SECOND } from './spans';

/** Single moments of the storm, how soon events fire, and what a poll may cost. */

afterEach(() => jest.restoreAllMocks());

/** A trigger that has started where so many events were; its requests are counted from there. */
async function started(habits: Partial<Habits> = {}, old = 1_500, maxEvents = 1_000) {
	const trigger = new ModelTrigger(habits);
	trigger.limits.maxEvents = maxEvents;
	trigger.listOld(old);
	await trigger.start();
	trigger.requests = 0;
	return trigger;
}

async function passHours(trigger: ModelTrigger, count: number): Promise<void> {
	for (let hour = 0; hour < count; hour++) {
		trigger.now += HOUR;
		await trigger.polls(1);
	}
}

describe('a late event', () => {
	test.each([8, 400, 950])('%i rows deep fires with the next poll by the count', async (rank) => {
		const trigger = await started();
		trigger.add(rank * SECOND);
		await trigger.polls(1);
		trigger.expectOnce();
		expect(trigger.warnings).toEqual([]);
	});

	test('fires within the hour where nothing counts', async () => {
		const trigger = await started({ total: 'zero' });
		trigger.add(400 * SECOND);
		await trigger.polls(58);
		expect(trigger.fired).toEqual([]);
		await trigger.polls(2);
		trigger.expectOnce();
	});
});

test.each<[Partial<Habits>, number, number, number, number]>([
	// A glance of ten rows shows that nothing else is new.
	[{}, 5, 1_000, 1, 1],
	[{}, 50, 1_000, 1, 2],
	[{}, 500, 100, 5, 26],
	[{}, 10_000, 1_000, 10, 260],
	[{ total: 'zero' }, 5_000, 1_000, 5, 180],
	[{ beyond: 'last' }, 3_000, 1_000, 3, 80],
	[{ cap: 50 }, 3_000, 1_000, 3, 160],
])(
	'a backlog costs few requests (%j: %i events, %i at once)',
	async (habits, backlog, maxEvents, polls, requests) => {
		const trigger = await started(habits, 300, maxEvents);
		trigger.arrive(backlog);
		expect(await trigger.polls(polls)).toBeLessThanOrEqual(requests);
		expect(trigger.fired).toEqual(trigger.sent);
		expect(await trigger.polls(10)).toBeLessThanOrEqual(10);
		expect(trigger.fired).toEqual(trigger.sent);
	},
);

test.each<[Partial<Habits>, number, number]>([
	[{}, 1, 5_000],
	[{ total: 'zero' }, 1, 5_000],
	[{ cap: 10 }, 1, 1_500],
	[{ cap: 10, total: 'zero' }, 1, 1_500],
	[{ cap: 10, total: 'zero', beyond: 'last' }, 1, 1_500],
	[{ refusedAbove: 50 }, 1, 1_500],
	[{}, 4, 2_000],
])(
	'every poll of a slow gateway fires something (%j, %i s an answer, %i events)',
	async (habits, seconds, count) => {
		const trigger = await started(habits);
		trigger.latency = seconds * SECOND;
		trigger.arrive(count);
		while (trigger.fired.length < count) {
			const before = trigger.fired.length;
			await trigger.poll();
			expect(trigger.fired.length).toBeGreaterThan(before);
		}
		await passHours(trigger, 3);
		trigger.expectOnce();
		expect(trigger.warnings.filter((words) => words.includes('closed'))).toEqual([]);
	},
);

test('deep pages that are refused end the list, and that is told', async () => {
	const trigger = await started({ deepest: 1_000 }, 1_500, 300);
	trigger.arrive(2_600);
	trigger.sent.splice(0, 1_600);
	await trigger.polls(8);
	trigger.expectOnce();
	expect(trigger.warnings).toContain('1600 events lie too deep to be read, and do not fire');
});

test('a page size that is refused stays ten', async () => {
	const trigger = await started({ refusedAbove: 50 });
	await trigger.polls(3);
	expect(trigger.state.pageSize).toBe(10);
	trigger.arrive(30);
	// A glance, which is a page, and three more.
	expect(await trigger.polls(1)).toBeLessThan(14);
	trigger.expectOnce();
});

describe('nothing fires, and the state stays as it was,', () => {
	test.each<[string, string, Partial<Habits>, (trigger: ModelTrigger) => void]>([
		['where the list stands the oldest first', 'did not sort', {}, ({ rows }) => rows.reverse()],
		['where every page is the same', 'for different pages', { ignoresPage: true }, () => undefined],
		[
			'where every page is the same and nothing counts',
			'for different pages',
			{ ignoresPage: true, total: 'zero' },
			() => undefined,
		],
		[
			'where a page of a backlog cannot be read',
			'503',
			{},
			(trigger) => {
				trigger.before = (request) => (request === 3 ? refused('503') : undefined);
			},
		],
	])('%s', async (_, words, habits, change) => {
		const trigger = await started({}, 1_500);
		const before = trigger.state;
		Object.assign(trigger.habits, habits);
		trigger.arrive(300);
		change(trigger);
		await expect(trigger.poll()).rejects.toThrow(words);
		expect(trigger.state).toBe(before);
	});
});

test('a sweep that fails is thrown where nothing is new, else logged; the floor stays', async () => {
	const trigger = await started();
	const { floor } = trigger.state;
	trigger.before = (_, page) => (page === 3 ? refused('503') : undefined);
	trigger.now += HOUR;
	await expect(trigger.poll()).rejects.toThrow('503');
	for (let polls = 0; polls < 4; polls++) {
		trigger.arrive(3);
		await trigger.poll();
		trigger.expectOnce();
	}
	expect(new Set(trigger.warnings)).toEqual(
		new Set(['The look for late events did not get through']),
	);
	expect(trigger.state.floor).toBe(floor);
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

test('events without a readable date fire once, on top and at the end of a page', async () => {
	const trigger = await started();
	trigger.add(78_500, 'soon');
	trigger.arrive(20);
	trigger.add(0, 'soon');
	await trigger.polls(2);
	await passHours(trigger, 2);
	trigger.expectOnce();
});

test.each([1_000, 5_000])('a moment of 2,000 events fires once, %i at once', async (most) => {
	const trigger = await started({}, 150, most);
	trigger.now += MINUTE;
	for (let row = 0; row < 2_000; row++) trigger.add(0);
	await trigger.polls(4);
	await passHours(trigger, 2);
	trigger.expectOnce();
	expect(trigger.warnings).toEqual([]);
});

test('more events of one moment than can be remembered close it, and fire once', async () => {
	const trigger = await started();
	trigger.now += MINUTE;
	for (let row = 0; row < 4_000; row++) trigger.add(0);
	await trigger.polls(6);
	const { fired, sent, warnings } = trigger;
	expect(new Set(fired).size).toBe(fired.length);
	expect(fired.length).toBeGreaterThan(2_000);
	expect(warnings).toContain('More events share one moment than can be remembered; it is closed');
	trigger.arrive(5);
	await trigger.polls(1);
	expect(fired.slice(-5)).toEqual(sent.slice(-5));
});

test.each<Habits['total']>(['true', 'zero'])(
	'an event of the future fires above hundreds that are handled (total: %s)',
	async (total) => {
		const trigger = await started({ total }, 1_500, 100);
		for (let row = 0; row < 500; row++) trigger.add(-400 * DAY - row);
		await trigger.polls(6);
		trigger.add(-500 * DAY);
		await passHours(trigger, 8);
		trigger.expectOnce();
	},
);

test('events older than the user wants do not fire, and not later either', async () => {
	const trigger = await started();
	trigger.limits.skipOlderMs = HOUR;
	trigger.now += 30 * HOUR;
	trigger.arrive(2_500);
	trigger.now += 5 * HOUR;
	trigger.arrive(40);
	await trigger.polls(4);
	trigger.limits.skipOlderMs = Infinity;
	await trigger.polls(3);
	expect(trigger.fired).toEqual(trigger.sent.slice(2_500));
});

describe('a start', () => {
	test.each([
		['the 1,500 newest', 5_000, SECOND, 1_499, 15],
		['those of the look-back', 500, HOUR, 73, 1],
	])('knows %s', async (_, old, every, known, requests) => {
		const trigger = new ModelTrigger();
		trigger.listOld(old, every);
		await trigger.start();
		expect(Object.keys(trigger.state.handled)).toHaveLength(known);
		expect(trigger.requests).toBe(requests);
		await passHours(trigger, 2);
		expect(trigger.fired).toEqual([]);
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
});
