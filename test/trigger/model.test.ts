import type { Habits } from './eventModel';
import { refused } from './eventModel';
import { SimulatedTrigger } from './simulatedTrigger';
import { DAY, HOUR, MINUTE, SECOND } from './spans';

/** Single moments of the storm, how soon events fire, and what a poll may cost. */

afterEach(() => jest.restoreAllMocks());

/** A trigger that has started where so many events were; its requests are counted from there. */
async function started(habits: Partial<Habits> = {}, old = 1_500, maxEvents = 1_000) {
	const trigger = new SimulatedTrigger(habits);
	trigger.limits.maxEvents = maxEvents;
	trigger.listOld(old);
	await trigger.start();
	trigger.requests = 0;
	return trigger;
}

async function passHours(trigger: SimulatedTrigger, count: number): Promise<void> {
	for (let hour = 0; hour < count; hour++) {
		trigger.now += HOUR;
		await trigger.polls(1);
	}
}

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
		expect(trigger.fired).toEqual([...trigger.due]);
		expect(await trigger.polls(10)).toBeLessThanOrEqual(10);
		expect(trigger.fired).toEqual([...trigger.due]);
	},
);

test.each<[Partial<Habits>, number, number]>([
	[{}, 1, 5_000],
	[{ total: 'zero' }, 1, 5_000],
	[{ cap: 10 }, 1, 1_500],
	[{ cap: 10, total: 'zero' }, 1, 1_500],
	[{ cap: 10, total: 'zero', beyond: 'last' }, 1, 1_500],
	[{ refusedAbove: 50 }, 1, 3_000],
	[{ refusedAbove: 30 }, 1, 1_500],
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
	await trigger.polls(8);
	expect(trigger.fired).toEqual([...trigger.due].slice(1_600));
	expect(trigger.warnings).toContain('1600 events lie too deep to be read, and do not fire');
});

test.each([
	[50, 50],
	[30, 10],
])(
	'where no more than %i rows a page are taken, %i are asked for from then on',
	async (most, size) => {
		const trigger = await started({ refusedAbove: most });
		await trigger.polls(3);
		expect(trigger.state.pageSize).toBe(size);
		trigger.arrive(30);
		// A glance, which may be a page, and three more.
		expect(await trigger.polls(1)).toBeLessThan(14);
		trigger.expectOnce();
	},
);

test.each<[string, Partial<Habits>]>([
	['for different pages', { ignoresPage: true }],
	['for different pages', { ignoresPage: true, total: 'zero' }],
	['did not sort', { isOldestFirst: true }],
])('nothing fires, and the state stays as it was: %s, %j', async (words, habits) => {
	const trigger = await started();
	const before = trigger.state;
	Object.assign(trigger.habits, habits);
	trigger.arrive(300);
	await expect(trigger.poll()).rejects.toThrow(words);
	expect(trigger.state).toEqual(before);
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
	expect(trigger.warnings[0]).toBe('The look for late events did not get through: 503');
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

test('more events of one moment than can be remembered close it, and fire once', async () => {
	const trigger = await started();
	trigger.arrive(4_000, 0);
	await trigger.polls(6);
	const { fired, due, warnings } = trigger;
	expect(new Set(fired).size).toBe(fired.length);
	expect(fired.length).toBeGreaterThan(2_000);
	expect(warnings).toContain('More events share one moment than can be remembered; it is closed');
	trigger.arrive(5);
	await trigger.polls(1);
	expect(fired.slice(-5)).toEqual([...due].slice(-5));
});

test('what comes below handled events of the future fires with the next poll', async () => {
	const trigger = await started({ total: 'zero' });
	for (let row = 0; row < 10; row++) trigger.due.add(trigger.list(trigger.now + 400 * DAY));
	await trigger.polls(1);
	trigger.arrive(1);
	await trigger.polls(1);
	trigger.expectOnce();
});

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
	expect(trigger.fired).toEqual([...trigger.due].slice(2_500));
});

describe('a start', () => {
	test.each([
		['the 1,500 newest', 5_000, SECOND, 1_499, 15],
		['those of the look-back', 500, HOUR, 73, 1],
	])('knows %s', async (_, old, every, known, requests) => {
		const trigger = new SimulatedTrigger();
		trigger.listOld(old, every);
		await trigger.start();
		expect(Object.keys(trigger.state.handled)).toHaveLength(known);
		expect(trigger.requests).toBe(requests);
		await passHours(trigger, 2);
		expect(trigger.fired).toEqual([]);
	});

	test('does not take for old what comes while it reads', async () => {
		const trigger = new SimulatedTrigger({ cap: 10 });
		trigger.listOld(40, MINUTE);
		trigger.before = (request) => {
			if (request === 2) trigger.arrive(31);
		};
		await trigger.start();
		await trigger.polls(4);
		expect(trigger.fired).toEqual([...trigger.due]);
	});
});
