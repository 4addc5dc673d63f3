import { catchUp } from '../../nodes/PaymentsGateway/trigger/catchUp';
import { startAt } from '../../nodes/PaymentsGateway/trigger/state';
import { DAY, HOUR, MINUTE, SECOND } from '../durations';
import type { EventListHabits } from './eventListGateway';
import { pagesOf, refused } from './eventListGateway';
import { NO_DISTURBANCE, Simulation } from './simulation';

/** Cases that storms reach only rarely, how soon events fire, and how many requests a poll may send. */

afterEach(() => jest.restoreAllMocks());

/** An active trigger, on a list with `old` events from before its activation. */
async function activeOn(habits: Partial<EventListHabits> = {}, old = 1_500, maxEvents = 1_000) {
	const simulation = new Simulation(habits);
	simulation.rules.maxEvents = maxEvents;
	simulation.listOld(old);
	await simulation.start();
	return simulation;
}

/** Polls a minute apart, some of which may fail. Returns how many requests they sent. */
async function pollTimes(simulation: Simulation, count: number): Promise<number> {
	const before = simulation.gateway.requests;
	for (let poll = 0; poll < count; poll++) {
		simulation.wait(1);
		await simulation.poll().catch(() => undefined);
	}
	return simulation.gateway.requests - before;
}

async function pollHourly(simulation: Simulation, hours: number): Promise<void> {
	for (let hour = 0; hour < hours; hour++) {
		simulation.wait(60);
		await simulation.poll();
	}
}

/** A late event appears below `rowsAbove` rows, half a second older than the row above it. */
function appear(simulation: Simulation, rowsAbove: number): void {
	simulation.late(1, ((rowsAbove + 0.5) * SECOND) / HOUR);
}

/** All that had to fire has fired, once, and nothing else. */
function expectAllFiredOnce({ ledger }: Simulation): void {
	expect(ledger.faults()).toEqual({ doubled: [], lost: [], wrong: [] });
}

describe('a backlog', () => {
	test.each<[number, Partial<EventListHabits>, number, number, number]>([
		// A peek at ten rows shows that nothing else is new.
		[5, {}, 1_000, 1, 1],
		[50, {}, 1_000, 1, 2],
		[500, {}, 100, 5, 30],
		[10_000, {}, 1_000, 10, 280],
		[5_000, { total: 'zero' }, 1_000, 5, 180],
		[3_000, { afterLast: 'lastPage' }, 1_000, 3, 80],
		[3_000, { rowsPerPage: 50 }, 1_000, 3, 160],
	])(
		'of %i events (%j) fires oldest first, up to %i a poll: in %i polls, with %i requests',
		async (events, habits, maxEvents, polls, requests) => {
			const simulation = await activeOn(habits, 300, maxEvents);
			const { fired, promised } = simulation.ledger;
			simulation.arrive(events);
			expect(await pollTimes(simulation, polls)).toBeLessThanOrEqual(requests);
			expect(fired).toEqual([...promised]);
			expect(await pollTimes(simulation, 10)).toBeLessThanOrEqual(10);
			expect(fired).toEqual([...promised]);
		},
	);

	test.each<[Partial<EventListHabits>, number, number]>([
		[{}, 1, 5_000],
		[{}, 1, 10_000],
		[{ total: 'zero' }, 1, 5_000],
		[{ rowsPerPage: 10 }, 1, 1_500],
		[{ rowsPerPage: 10, total: 'zero' }, 1, 1_500],
		[{ rowsPerPage: 10, total: 'zero', afterLast: 'lastPage' }, 1, 1_500],
		[{ refusedAbove: 50 }, 1, 3_000],
		[{ refusedAbove: 30 }, 1, 1_500],
		[{}, 4, 2_000],
	])(
		'fires something with every poll of a slow gateway (%j, %i s an answer, %i events)',
		async (habits, seconds, events) => {
			const simulation = await activeOn(habits);
			simulation.arrive(events);
			while (simulation.ledger.fired.length < events) {
				expect(
					await simulation.poll({ ...NO_DISTURBANCE, latency: seconds * SECOND }),
				).toBeGreaterThan(0);
			}
			await pollHourly(simulation, 3);
			expectAllFiredOnce(simulation);
			expect(simulation.warnings.filter((words) => words.includes('Too many'))).toEqual([]);
		},
	);

	test('fires what a gateway with a limited depth shows, and reports the rest', async () => {
		const simulation = await activeOn({ deepest: 1_000 }, 1_500, 300);
		simulation.arrive(2_600);
		await pollTimes(simulation, 8);
		expect(simulation.ledger.fired).toEqual([...simulation.ledger.promised].slice(1_600));
		expect(simulation.warnings).toContain(
			'1600 events are too deep in the list to be read, and never fire',
		);
	});

	test('since a Start Date is reported as well, as far as it is too deep to be read', async () => {
		const { gateway, rules } = new Simulation({ deepest: 1_000 });
		for (let row = 2_600; row > 0; row--) gateway.list(gateway.now - row * SECOND);
		const startDate = gateway.now - HOUR;
		const pages = pagesOf({ answer: gateway.answer.bind(gateway), deadline: Infinity });
		const { events, warnings } = await catchUp(startAt('merchant', startDate), pages, rules);
		expect(events).toHaveLength(1_000);
		expect(warnings).toEqual(['1600 events are too deep in the list to be read, and never fire']);
	});
});

test.each([
	[50, 50],
	[30, 10],
])(
	'if the gateway refuses more than %i rows a page, %i are requested from then on',
	async (refusedAbove, pageSize) => {
		const simulation = await activeOn({ refusedAbove });
		await pollTimes(simulation, 3);
		expect(simulation.state.pageSize).toBe(pageSize);
		simulation.arrive(30);
		// A peek, and the pages of 30 events.
		expect(await pollTimes(simulation, 1)).toBeLessThan(14);
		expectAllFiredOnce(simulation);
		expect(simulation.state.pageSize).toBe(pageSize);
	},
);

test.each<[string, Partial<EventListHabits>, number]>([
	['for different pages', { ignoresPage: true }, 1_000],
	['for different pages', { ignoresPage: true, total: 'zero' }, 1_000],
	// The scan of the backlog begins at page 2.
	['for different pages', { ignoresPage: true, total: 'zero' }, 100],
	['did not sort', { isOldestFirst: true }, 1_000],
])(
	'if the gateway ignores page numbers or the order, nothing fires and the state stays: "%s" (%j, Max Events per Poll %i)',
	async (words, habits, max) => {
		const simulation = await activeOn({}, 1_500, max);
		const before = simulation.state;
		Object.assign(simulation.gateway.habits, habits);
		simulation.arrive(300);
		await expect(simulation.poll()).rejects.toThrow(words);
		expect(simulation.state).toEqual(before);
	},
);

test('a new event does not hide that the gateway ignores page numbers', async () => {
	const simulation = await activeOn();
	Object.assign(simulation.gateway.habits, { ignoresPage: true, total: 'zero' });
	simulation.arrive(300);
	// Requests 1 to 6: the peek, pages 1 and 2, two steps of the search, and page 1 of the backlog's scan.
	const poll = simulation.poll({ ...NO_DISTURBANCE, arriveAt: 7, arrive: 1 });
	await expect(poll).rejects.toThrow('for different pages');
});

describe('a late event', () => {
	test.each<[Partial<EventListHabits>, string, number]>([
		[{}, 'with the next poll', 1],
		[{ total: 'zero' }, 'within the hour', 0],
	])('fires from 400 rows deep (%j: %s)', async (habits, _, firedByNextPoll) => {
		const simulation = await activeOn(habits);
		appear(simulation, 400);
		await pollTimes(simulation, 1);
		expect(simulation.ledger.fired).toHaveLength(firedByNextPoll);
		await pollHourly(simulation, 1);
		expectAllFiredOnce(simulation);
	});

	test.each([[{}], [{ total: 'zero' }]] as const)(
		'fires with the next polls if more appear than may fire at a time (%j)',
		async (habits) => {
			const simulation = await activeOn(habits, 1_500, 10);
			for (let late = 0; late < 50; late++) appear(simulation, 400 + late);
			await pollHourly(simulation, 1);
			expect(await pollTimes(simulation, 4)).toBeLessThan(4 * 20);
			expectAllFiredOnce(simulation);
			expect(await pollTimes(simulation, 5)).toBe(5);
		},
	);

	test.each([[false], [true]])(
		'is not given up when memory is full (the late scan fails: %s)',
		async (fails) => {
			const simulation = await activeOn({ total: 'zero' });
			appear(simulation, 600);
			const { gateway, ledger } = simulation;
			if (fails) gateway.beforeAnswer = (page) => (page >= 10 ? refused('503') : undefined);
			for (let polls = 0; polls < 3; polls++) {
				simulation.arrive(700);
				await pollTimes(simulation, 1);
			}
			// If late scans fail, nothing fires from the second poll on: memory is full.
			expect(ledger.fired).toHaveLength(fails ? 700 : 2_101);
			gateway.beforeAnswer = () => undefined;
			await pollTimes(simulation, 2);
			expectAllFiredOnce(simulation);
		},
	);
});

test.each([
	['now', (simulation: Simulation) => simulation.arrive(1)],
	['even later', (simulation: Simulation) => simulation.future((500 * DAY) / HOUR)],
])(
	'with hundreds of seen events dated in the future, one dated %s fires with the next poll',
	async (_, appearOne) => {
		const simulation = await activeOn({ total: 'zero' }, 1_500, 100);
		for (let row = 0; row < 250; row++) simulation.future((400 * DAY) / HOUR);
		await pollTimes(simulation, 3);
		appearOne(simulation);
		await pollTimes(simulation, 1);
		expectAllFiredOnce(simulation);
	},
);

test('a late scan that fails stops an idle poll, not new events; the log says why', async () => {
	const simulation = await activeOn();
	const { watermark, lateScanAt } = simulation.state;
	simulation.gateway.beforeAnswer = (page) => (page === 3 ? refused('503') : undefined);
	simulation.wait(60);
	await expect(simulation.poll()).rejects.toThrow('503');
	for (let polls = 0; polls < 4; polls++) {
		simulation.arrive(3);
		await simulation.poll();
		expectAllFiredOnce(simulation);
	}
	expect(simulation.warnings[0]).toBe('The late scan did not finish: 503');
	expect(simulation.state).toMatchObject({ watermark, lateScanAt });
});

test('a late event that a failed late scan has missed fires with the next poll', async () => {
	const simulation = await activeOn();
	appear(simulation, 400);
	simulation.arrive(3);
	expect(await simulation.poll({ ...NO_DISTURBANCE, failAt: 3 })).toBe(3);
	expect(simulation.warnings).toEqual(['The late scan did not finish: 503']);
	expect(await simulation.poll()).toBe(1);
	expectAllFiredOnce(simulation);
});

test('a late scan that runs out of time stops nothing; the log says why', async () => {
	const simulation = await activeOn();
	const { watermark } = simulation.state;
	simulation.wait(60);
	expect(await simulation.poll({ ...NO_DISTURBANCE, latency: 5 * SECOND })).toBe(0);
	expect(simulation.warnings).toEqual([
		'The late scan did not finish: The gateway is too slow: the poll ran out of time',
	]);
	expect(simulation.state.watermark).toBe(watermark);
});

test('an event that is listed again under a newer date does not fire again', async () => {
	const simulation = await activeOn();
	simulation.arrive(1);
	await pollTimes(simulation, 1);
	simulation.wait((50 * HOUR) / MINUTE);
	simulation.repeat(0, true);
	for (let hour = 0; hour < 30; hour++) {
		simulation.arrive(1);
		await pollHourly(simulation, 1);
	}
	expectAllFiredOnce(simulation);
});

test('if more events share a date than are remembered, none fires twice, and later ones fire', async () => {
	const simulation = await activeOn();
	simulation.arrive(4_000, 0);
	await pollTimes(simulation, 6);
	const { fired, promised } = simulation.ledger;
	expect(simulation.ledger.faults()).toMatchObject({ doubled: [], wrong: [] });
	expect(fired.length).toBeGreaterThan(2_000);
	const from = new Date(simulation.state.watermark).toISOString();
	expect(simulation.warnings).toEqual([
		`Too many events to remember: those dated before ${from} that have not fired never will. The Payments Gateway node lists them (Event → Get Many)`,
	]);
	simulation.arrive(5);
	await pollTimes(simulation, 1);
	expect(fired.slice(-5)).toEqual([...promised].slice(-5));
});

test('events that are older than the user wants never fire', async () => {
	const simulation = await activeOn();
	simulation.rules.skipOlderMs = HOUR;
	simulation.wait(30 * 60);
	simulation.arrive(2_500);
	simulation.wait(5 * 60);
	simulation.arrive(40);
	await pollTimes(simulation, 4);
	simulation.rules.skipOlderMs = Infinity;
	await pollTimes(simulation, 3);
	expect(simulation.ledger.fired).toEqual([...simulation.ledger.promised].slice(2_500));
});

describe('an activation', () => {
	test.each([
		['the 1,500 newest events except those of the oldest date', 5_000, SECOND, 1_499, 15],
		['the events of the look-back', 500, HOUR, 73, 1],
	])('remembers %s, and fires none of them', async (_, old, every, remembered, requests) => {
		const simulation = new Simulation();
		simulation.listOld(old, every);
		await simulation.start();
		expect(Object.keys(simulation.state.seen)).toHaveLength(remembered);
		expect(simulation.gateway.requests).toBe(requests);
		await pollHourly(simulation, 2);
		expect(simulation.ledger.fired).toEqual([]);
	});

	test.each([['correct'], ['zero']] as const)(
		'ends if the gateway returns its only, full page for every page number (count: %s)',
		async (total) => {
			const simulation = await activeOn({ afterLast: 'lastPage', total }, 100);
			expect(Object.keys(simulation.state.seen)).toHaveLength(100);
			simulation.arrive(1);
			await pollHourly(simulation, 2);
			expectAllFiredOnce(simulation);
		},
	);

	test('fires no old events if the first page has only rows that are not events', async () => {
		const simulation = new Simulation();
		simulation.listOld(40, MINUTE);
		for (let row = 0; row < 150; row++) simulation.noEvent(0);
		await simulation.start();
		simulation.arrive(1);
		await pollHourly(simulation, 2);
		expectAllFiredOnce(simulation);
	});

	test.each([
		['treats an event that arrives meanwhile as new', false],
		['does so even if an older event is dated in the future', true],
	])('%s', async (_, hasFuture) => {
		const simulation = new Simulation({ rowsPerPage: 10 });
		const { gateway, ledger } = simulation;
		simulation.listOld(40, MINUTE);
		if (hasFuture) gateway.list(gateway.now + 400 * DAY);
		gateway.beforeAnswer = () => {
			if (gateway.requests === 2) simulation.arrive(31);
			return undefined;
		};
		await simulation.start();
		await pollTimes(simulation, 4);
		expect(ledger.fired).toEqual([...ledger.promised]);
	});
});
