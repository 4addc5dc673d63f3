import { scanBacklog } from '../../nodes/PaymentsGateway/trigger/backlog';
import { catchUp, isLateScanDue } from '../../nodes/PaymentsGateway/trigger/catchUp';
import type { EventPage, Row } from '../../nodes/PaymentsGateway/trigger/eventPages';
import { eventHash } from '../../nodes/PaymentsGateway/trigger/keys';
import {
	choose,
	nextCountedTotal,
	nextState,
	nextWatermark,
} from '../../nodes/PaymentsGateway/trigger/nextState';
import type { PollResult } from '../../nodes/PaymentsGateway/trigger/nextState';
import { Scanner, uncounted, withPage } from '../../nodes/PaymentsGateway/trigger/scan';
import type { Scan } from '../../nodes/PaymentsGateway/trigger/scan';
import { startAt, storeSeen } from '../../nodes/PaymentsGateway/trigger/state';
import type { State } from '../../nodes/PaymentsGateway/trigger/state';
import { DAY } from '../durations';
import { cutPage } from '../gateway/servedList';
import { pagesOf } from './eventListGateway';

/**
 * Each step of a poll alone. Dates are small numbers: rows below 100, the watermark, are old; the
 * present is 1,000; rows from 2,000 on are dated in the future. A row is known by its date.
 */

const WATERMARK = 100;
const NOW = 1_000;
const FUTURE_FROM = 2_000;
const STATE: State = { ...startAt('merchant', WATERMARK), lateScanAt: NOW, countedTotal: 40 };

function rowAt(time: number, hash = `at ${time}`): Row {
	return { event: { eventID: hash, date: '', type: 't', payload: '' }, hash, time };
}

/** From the newest down to the oldest, both included. */
function range(newest: number, oldest: number): number[] {
	return Array.from({ length: newest - oldest + 1 }, (_, index) => newest - index);
}

function pageOf(rows: readonly Row[], more: Partial<EventPage> = {}): EventPage {
	return {
		number: 1,
		pageSize: 10,
		rows,
		length: rows.length,
		total: undefined,
		now: NOW,
		futureFrom: FUTURE_FROM,
		...more,
	};
}

function pageAt(times: readonly number[], more?: Partial<EventPage>): EventPage {
	return pageOf(
		times.map((time) => rowAt(time)),
		more,
	);
}

/** A scan of these pages, if the rows of these dates are seen. */
function scanOf(pages: readonly EventPage[], seenTimes: readonly number[] = []): Scan {
	const seen = new Map(seenTimes.map((time) => [`at ${time}`, time]));
	let scan: Scan | undefined;
	for (const page of pages) scan = withPage(scan, page, { seen, state: STATE });
	if (scan === undefined) throw new Error('A scan has at least one page');
	return scan;
}

function newTimesOf({ newRows }: Scan): number[] {
	return [...newRows.values()].map(({ time }) => time);
}

const ROWS_PER_PAGE = 10;

/** A list whose rows are known by their rank: some are seen, the others are new. */
function listOf({ length, isSeen, total }: ListGiven) {
	const events = Array.from({ length }, (_, rank) => ({
		eventID: `${rank}`,
		date: new Date(1e12 - rank).toISOString(),
		type: '',
		payload: '',
	}));
	const requested: number[] = [];
	const pages = pagesOf({
		answer: (request) => {
			requested.push(request.page);
			const data = cutPage(events, request) ?? [];
			return { answer: { data, page: total === undefined ? {} : { total } } };
		},
		deadline: Date.now() + 1e6,
		pageSize: ROWS_PER_PAGE,
	});
	const seenEvents = events.filter((_, rank) => isSeen(rank));
	const seen = new Map(seenEvents.map((event) => [eventHash(event), 1e12]));
	const countedTotal = seen.size;
	const state = { ...startAt('merchant', 0), seen: storeSeen(seen, 0), countedTotal };
	return { pages, state, requested };
}

interface ListGiven {
	length: number;
	isSeen: (rank: number) => boolean;
	/** What the gateway counts, if it does. */
	total: number | undefined;
}

test.each([-5_000, 5_000])(
	'a page is dated by the earlier clock, and the future begins a day after the later one (the gateway is ahead by %i ms)',
	async (ahead) => {
		const machine = Date.UTC(2026, 0, 10);
		const clock = jest.spyOn(Date, 'now').mockReturnValue(machine);
		const gateway = machine + ahead;
		const answer = () => ({ answer: { data: [] }, date: gateway });
		const page = await pagesOf({ answer, deadline: Infinity }).read(1);
		clock.mockRestore();
		expect(page.now).toBe(Math.min(machine, gateway));
		expect(page.futureFrom).toBe(Math.max(machine, gateway) + DAY);
	},
);

describe('a scan', () => {
	test.each([
		['five seen rows', range(210, 201), range(205, 201), 'seen'],
		['four seen rows', range(210, 201), range(204, 201), 'nowhere'],
		['one new row', range(210, 201), range(210, 202), 'nowhere'],
		['seen future rows', range(2_009, 2_000), range(2_009, 2_000), 'nowhere'],
		['a seen row of now', range(2_008, 1_999), range(2_008, 1_999), 'seen'],
		['five old rows', range(104, 95), [], 'watermark'],
		['four old rows', range(105, 96), [], 'nowhere'],
		['seen and old rows', range(104, 97), range(104, 100), 'seen'],
	])('of a page that ends in %s has reached: %s', (_, times, seen, end) => {
		const scan = scanOf([pageAt(times)], seen);
		expect(scan).toMatchObject({
			reachedSeen: end === 'seen' || end === 'watermark',
			reachedWatermark: end === 'watermark',
		});
		const isNew = (time: number) => time >= WATERMARK && !seen.includes(time);
		expect(newTimesOf(scan)).toEqual(times.filter(isNew));
	});

	test('finds a row once: on the page above, if new rows have pushed it down, and at its upper place', () => {
		const pages = [pageAt([209, 208, 207]), pageAt([207, 206, 205], { number: 2 })];
		expect(newTimesOf(scanOf(pages))).toEqual(range(209, 205));
		const page = pageOf([rowAt(209, 'twice'), rowAt(207, 'twice'), rowAt(205)]);
		expect(newTimesOf(scanOf([page]))).toEqual([209, 205]);
	});

	test('goes by the count and the clock of its first page', () => {
		const pages = [pageAt([209], { total: 7 }), pageAt([208], { number: 2, total: 8, now: 1_001 })];
		expect(scanOf(pages).first).toMatchObject({ number: 1, total: 7, now: NOW });
	});

	test.each([
		['an empty page', true, [[209, 208], []]],
		['the same page twice', false, [[209], [208], [208]]],
		['the same page a third time', true, [[209], [208], [208], [208]]],
		['a page that is the same again, but not in a row', false, [[208], [208], [209], [208]]],
	])('takes %s for the end of the list: %s', (_, isEnd, pages) => {
		const scan = scanOf(pages.map((times, index) => pageAt(times, { number: index + 1 })));
		expect(scan.reachedWatermark).toBe(isEnd);
	});

	test('counts the rows that no poll has found, and none if the gateway does not count', () => {
		expect(uncounted(pageAt([], { total: 47 }), STATE)).toBe(7);
		expect(uncounted(pageAt([], { total: 33 }), STATE)).toBe(0);
		expect(uncounted(pageAt([]), STATE)).toBe(0);
		expect(uncounted(pageAt([], { total: 47 }), startAt('merchant', 0))).toBe(0);
	});
});

describe('a late scan', () => {
	const bounds = { keepNewest: 3, capacity: 5, lateScanEvery: 60 };

	test.each<[string, boolean, Partial<EventPage>, number]>([
		['is due after an hour', true, { now: NOW + 60 }, 0],
		['is not due earlier', false, { now: NOW + 59 }, 0],
		['is due if the clock was set back by an hour', true, { now: NOW - 60 }, 0],
		['is due if memory cannot hold the new rows', true, {}, 3],
		['is due if the gateway counts more new rows than were found', true, { total: 43 }, 2],
		['is not due if it counts as many', false, { total: 42 }, 2],
		[
			'is not due because of rows that a backlog scan has skipped',
			false,
			{ total: 43, number: 5 },
			2,
		],
	])('%s', (_, isDue, page, newRows) => {
		const seen = new Map([1, 2, 3].map((time) => [`seen ${time}`, time]));
		const scan = scanOf([pageAt(range(500 + newRows, 501), page)]);
		expect(isLateScanDue({ state: STATE, seen, bounds }, scan)).toBe(isDue);
	});

	test('ends once it has found the new rows that the gateway counts', async () => {
		const isSeen = (rank: number) => rank !== 45 && rank !== 62;
		const { pages, state, requested } = listOf({ length: 100, isSeen, total: 100 });
		const rules = { lookBackMs: 0, maxEvents: 5, skipOlderMs: Infinity, isSelected: () => true };
		const { events } = await catchUp({ ...state, lateScanAt: Date.now() }, pages, rules);
		expect(events.map(({ eventID }) => eventID)).toEqual(['62', '45']);
		// A peek, and the pages down to the row of rank 62.
		expect(requested).toEqual([1, ...range(7, 1).reverse()]);
	});
});

describe('the choice', () => {
	const rules = { lookBackMs: 0, maxEvents: 2, skipOlderMs: 800, isSelected: () => true };
	const hashes = (rows: readonly Row[]) => rows.map(({ hash }) => hash);

	test('takes the oldest rows, up to the first that waits; of one date, the lowest first', () => {
		const rows = [rowAt(309, 'no'), rowAt(307, 'upper'), rowAt(307, 'no 2'), rowAt(307, 'lower')];
		const scan = scanOf([pageOf([...rows, rowAt(200), rowAt(199, 'too old')])]);
		const isSelected = ({ eventID }: Row['event']) => !eventID.startsWith('no');
		const { events, taken, waiting } = choose(scan, { ...rules, isSelected });
		expect(events.map(({ eventID }) => eventID)).toEqual(['at 200', 'lower']);
		expect(hashes(taken)).toEqual(['too old', 'at 200', 'lower', 'no 2']);
		expect(hashes(waiting)).toEqual(['upper', 'no']);
	});
});

/** A poll result with nothing read, except what is given. */
function pollResultOf({
	firstPage,
	...given
}: Partial<PollResult> & { firstPage?: EventPage }): PollResult {
	return {
		scan: scanOf([firstPage ?? pageAt([])]),
		taken: [],
		waiting: [],
		seen: new Map(),
		wasLateScanDue: false,
		lateScanFailed: false,
		pageSize: 100,
		...given,
	};
}

describe('the next watermark', () => {
	const bounds = { keepNewest: 3, capacity: 5, lateScanEvery: 0 };
	const LOOK_BACK = 300;

	/**
	 * `reached`: whether the scan reached the watermark. `seen`: the dates of the seen events.
	 * `skipped`: the first row of a scan of a backlog.
	 */
	function next(given: { reached: boolean; seen: number[]; waiting?: number[]; skipped?: number }) {
		const { reached, seen, waiting = [], skipped } = given;
		const firstPage = skipped === undefined ? pageAt([]) : pageAt([skipped], { number: 4 });
		const result = pollResultOf({
			scan: { ...scanOf([firstPage]), reachedWatermark: reached },
			waiting: waiting.map((time) => rowAt(time)),
			seen: new Map(seen.map((time, index) => [`${index} at ${time}`, time])),
		});
		return nextWatermark(WATERMARK, result, LOOK_BACK, bounds);
	}

	test.each([
		['stays if the scan did not reach it', { reached: false, seen: [900, 800] }, 100],
		['rises to the start of the look-back', { reached: true, seen: [900, 800] }, 600],
		['is not raised by the future', { reached: true, seen: [2_500, 800] }, 500],
		['treats a date after now as now', { reached: true, seen: [1_900, 800] }, 700],
		['never falls', { reached: true, seen: [350] }, 100],
		['stays if there is no seen event', { reached: true, seen: [] }, 100],
		['keeps the newest seen events only', { reached: true, seen: [900, 890, 880, 870] }, 880],
		['does not count the future among them', { reached: true, seen: [2_500, 900, 890, 880] }, 880],
		['does not pass a row that waits', { reached: true, seen: [900], waiting: [550, 950] }, 550],
		['does not pass a skipped row', { reached: true, seen: [900], skipped: 520 }, 520],
		[
			'rises if memory is full, even if not reached',
			{ reached: false, seen: range(900, 895) },
			898,
		],
		[
			'stops at a row that waits even then, if the rest can be remembered',
			{ reached: false, seen: range(900, 895), waiting: [896] },
			896,
		],
	])('%s', (_, given, watermark) => {
		expect(next(given)).toEqual({ watermark, isForced: false });
	});

	test.each([
		['a date that more events share', Array<number>(6).fill(900), [], 901],
		['a row that waits at a date that more events share', Array<number>(6).fill(900), [900], 901],
		['a row that waits below more events', range(900, 895), [890], 899],
	])('passes %s than can be remembered', (_, seen, waiting, watermark) => {
		expect(next({ reached: true, seen, waiting })).toEqual({ watermark, isForced: true });
	});
});

describe('the next count', () => {
	const rows = { taken: [rowAt(1), rowAt(2), rowAt(3)], waiting: [rowAt(4), rowAt(5)] };
	const firstPage = pageAt([500], { total: 50 });

	test.each([
		['accounts for all but what waits, after a scan from page 1', {}, 48],
		['adds what was taken, after a late scan that failed', { lateScanFailed: true }, 43],
		[
			'adds what was taken, after a scan of a backlog',
			{ firstPage: pageAt([500], { number: 5, total: 50 }) },
			43,
		],
		['is unknown if the gateway does not count', { firstPage: pageAt([500]) }, undefined],
	])('%s', (_, given, expected) => {
		expect(nextCountedTotal(STATE, pollResultOf({ firstPage, ...rows, ...given }))).toBe(expected);
	});

	test('stays unknown while late scans fail', () => {
		const start = startAt('merchant', 0);
		const failed = pollResultOf({ firstPage, ...rows, lateScanFailed: true });
		expect(nextCountedTotal(start, failed)).toBeUndefined();
		expect(nextCountedTotal(start, pollResultOf({ firstPage, ...rows }))).toBe(48);
	});
});

describe('the next state', () => {
	const seen = new Map([
		['above', 301],
		['at it', 300],
		['below', 299],
	]);

	test('remembers the seen events from the watermark on', () => {
		const next = nextState(STATE, pollResultOf({ seen, pageSize: 50 }), 300);
		expect(next.seen).toEqual(storeSeen(new Map([...seen].slice(0, 2)), 0));
		expect(next).toMatchObject({ watermark: 300, merchant: 'merchant', pageSize: 50 });
	});

	test.each([
		['was due and reached the watermark', true, true, NOW + 99],
		['was due and did not reach it', true, false, NOW],
		['was not due', false, true, NOW],
	])('notes a late scan only if it %s', (_, isDue, reachedWatermark, lateScanAt) => {
		const scan = { ...scanOf([pageAt([], { now: NOW + 99 })]), reachedWatermark };
		expect(nextState(STATE, pollResultOf({ scan, wasLateScanDue: isDue }), 300)).toMatchObject({
			lateScanAt,
		});
	});

	test.each([
		['below a seen one: the late scan stays due', 300, NOW],
		['at the date of the newest seen one: the late scan is noted', 301, NOW + 99],
		['above all seen ones but those of the future: the late scan is noted', 302, NOW + 99],
	])('a row waits %s', (_, waitingAt, lateScanAt) => {
		const scan = { ...scanOf([pageAt([], { now: NOW + 99 })]), reachedWatermark: true };
		const withFuture = new Map([...seen, ['in the future', FUTURE_FROM] as const]);
		const given = { scan, wasLateScanDue: true, seen: withFuture, waiting: [rowAt(waitingAt)] };
		expect(nextState(STATE, pollResultOf(given), 300)).toMatchObject({ lateScanAt });
	});
});

describe('a backlog', () => {
	const [MAX_EVENTS, OLD] = [20, 100];

	/** Which rows are read if the `newest` newest rows are new, and those of `lateRanks`. */
	async function readRanks(newest: number, lateRanks: number[], countedWrongBy?: number) {
		const length = newest + OLD;
		const isSeen = (rank: number) => rank >= newest && !lateRanks.includes(rank);
		const total = countedWrongBy === undefined ? undefined : length + countedWrongBy;
		const { pages, state } = listOf({ length, isSeen, total });
		const scanner = new Scanner(pages, state);
		const top = await scanner.readOn(await scanner.begin(1));
		const { newRows } = await scanBacklog(scanner, top, MAX_EVENTS);
		return [...newRows.values()].map(({ event }) => Number(event.eventID));
	}

	test.each([
		['counts right', 0],
		['counts 30 too many', 30],
		['counts 30 too few', -30],
		['does not count', undefined],
	])('of any size is read at its oldest rows, if the gateway %s', async (_, countedWrongBy) => {
		for (let newest = 25; newest < 200; newest++) {
			const ranks = await readRanks(newest, [], countedWrongBy);
			expect(ranks).toEqual(range(newest - 1, newest - ranks.length).reverse());
			// A page counts as new if at least one of its last five rows is.
			expect(ranks.length).toBeGreaterThanOrEqual(MAX_EVENTS - 4);
			expect(ranks.length).toBeLessThan(MAX_EVENTS + ROWS_PER_PAGE);
		}
	});

	test('waits if a late event misleads the search: the scan finds only that event', async () => {
		expect(await readRanks(45, [77])).toEqual([77]);
	});
});
