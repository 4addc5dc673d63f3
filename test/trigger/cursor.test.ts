import type { WebhookEvent } from '../../nodes/PaymentsGateway/wire';
import {
	decide as decideOn,
	readCursor,
	startAt,
} from '../../nodes/PaymentsGateway/trigger/cursor';
import type { Cursor, Found, Limits, Look } from '../../nodes/PaymentsGateway/trigger/cursor';
import { Ledger, rowOf } from '../../nodes/PaymentsGateway/trigger/ledger';
import type { Row } from '../../nodes/PaymentsGateway/trigger/ledger';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 5, 1, 12);
const clock = { service: NOW, local: NOW };
const limits: Limits = { lookBackMs: 72 * HOUR, maxEvents: 1_000, isWanted: () => true };

function event(eventID: string, at: number | string = NOW): WebhookEvent {
	const date = typeof at === 'string' ? at : new Date(at).toISOString();
	return { eventID, date, type: 'payment_success', payload: '{}' };
}

function rows(count: number, date: (index: number) => number | string, name = 'evt'): Row[] {
	return Array.from({ length: count }, (_, index) => rowOf(event(`${name}_${index}`, date(index))));
}

interface Read extends Found {
	look: Look;
}

function found(fresh: Row[], { look = 'complete', ...more }: Partial<Read> = {}): Read {
	return {
		fresh: new Map(fresh.map((row) => [row.hash, row])),
		outdated: [],
		seen: new Map(fresh.map(({ hash, at }) => [hash, at])),
		above: 0,
		total: undefined,
		reachedFloor: true,
		clock,
		look,
		...more,
	};
}

function decide(cursor: Cursor, read: Read, chosen: Limits) {
	return decideOn(cursor, read, read.look, chosen);
}

const empty: Cursor = { ...startAt('scope', 0), audited: NOW };

function stored(cursor: Cursor): unknown {
	return JSON.parse(JSON.stringify(cursor));
}

describe('the stored state', () => {
	const good = decide(empty, found(rows(3, (index) => NOW - index)), limits).cursor;

	test('is read as it was written', () => {
		expect(readCursor(stored(good), 'scope')).toEqual(good);
		expect(JSON.stringify(readCursor(stored(good), 'scope'))).toBe(JSON.stringify(good));
	});

	test.each([undefined, null])('is none when there is %p', (nothing) => {
		expect(readCursor(nothing, 'scope')).toBe('none');
	});

	test('of another group or address is foreign', () => {
		expect(readCursor(stored(good), 'other')).toBe('foreign');
	});

	test.each([
		['text', 'cursor'],
		['a list', []],
		['another version', { ...good, v: 2 }],
		['no floor', { ...good, floor: undefined }],
		['a floor that is no number', { ...good, floor: NaN }],
		['IDs that are no hashes', { ...good, known: { mb5: 'short' } }],
		['dates that are none', { ...good, known: { 'not a date': 'AAAAAAAA' } }],
		['a negative place', { ...good, ahead: -1 }],
	])('with %s is broken', (_, broken) => {
		expect(readCursor(broken, 'scope')).toBe('broken');
	});
});

describe('what fires', () => {
	test('is in order of date, and within a moment in the order of the list', () => {
		const fresh = [
			...rows(2, () => NOW, 'same'),
			rowOf(event('dateless', 'soon')),
			...rows(1, () => NOW - 1, 'older'),
		];
		const { events } = decide(empty, found(fresh), limits);
		expect(events.map(({ eventID }) => eventID)).toEqual([
			'older_0',
			'same_0',
			'same_1',
			'dateless',
		]);
	});

	test('stops before the first one too many, and holds the floor there', () => {
		const fresh = rows(10, (index) => NOW - index * 40 * HOUR);
		const { cursor, events } = decide(empty, found(fresh), { ...limits, maxEvents: 3 });
		expect(events.map(({ eventID }) => eventID)).toEqual(['evt_9', 'evt_8', 'evt_7']);
		expect(cursor.ahead).toBe(7);
		expect(cursor.floor).toBeLessThanOrEqual(NOW - 6 * 40 * HOUR);
	});

	test('does not count what nobody chose', () => {
		const fresh = rows(2_000, (index) => NOW - index);
		const isWanted = ({ eventID }: WebhookEvent) => eventID === 'evt_0';
		const { cursor, events, handled } = decide(empty, found(fresh), { ...limits, isWanted });
		expect([events.length, handled, cursor.ahead]).toEqual([1, 2_000, 0]);
	});

	test('never includes more events without a usable date than can be remembered', () => {
		const future = rows(1_300, (index) => NOW + (1_000 + index) * HOUR);
		const { cursor, events, warnings } = decide(empty, found(future), {
			...limits,
			maxEvents: 5_000,
		});
		expect(events).toHaveLength(1_000);
		expect(warnings).toHaveLength(1);
		expect(decide(cursor, found(rows(5, () => NOW, 'good')), limits).events).toHaveLength(5);
	});
});

describe('the floor', () => {
	test('rises with the newest event, and not above the look-back', () => {
		const { cursor } = decide(empty, found(rows(5, (index) => NOW - index * 30 * HOUR)), limits);
		expect(cursor.floor).toBe(NOW - 72 * HOUR);
		expect(new Ledger(cursor.known).size).toBe(3);
	});

	test('does not rise where a row may be hidden', () => {
		const fresh = rows(5, (index) => NOW - index * 30 * HOUR);
		expect(decide(empty, found(fresh, { look: 'none' }), limits).cursor.floor).toBe(0);
	});

	test('never passes an event that is held back', () => {
		const { cursor } = decide(empty, found(rows(2, () => NOW)), limits);
		const late = found(rows(3, () => NOW - 2 * HOUR, 'late'));
		const next = decide(cursor, late, { ...limits, lookBackMs: HOUR, maxEvents: 1 });
		expect(next.cursor.floor).toBeLessThanOrEqual(NOW - 2 * HOUR);
	});

	test('does not follow an event of the future', () => {
		const fresh = [...rows(1, () => '2030-01-01T00:00:00Z', 'future'), ...rows(1, () => NOW)];
		expect(decide(empty, found(fresh), limits).cursor.floor).toBe(NOW - 72 * HOUR);
	});

	test('keeps the newest 1,000, in whole moments', () => {
		const fresh = rows(3_000, (index) => NOW - Math.floor(index / 7));
		const { cursor } = decide(empty, found(fresh), { ...limits, maxEvents: 3_000 });
		expect(cursor.floor).toBe(NOW - 142);
		expect(new Ledger(cursor.known).size).toBe(1_001);
	});

	test('keeps the state under 64 kB whatever comes', () => {
		let cursor = empty;
		for (let poll = 0; poll < 12; poll++) {
			const moment = rows(1_000, () => NOW, `poll ${poll}`);
			const past = rows(400, (index) => NOW - 1 - index * 9, `past ${poll}`);
			const next = found([...moment, ...past], { look: poll % 3 === 0 ? 'complete' : 'none' });
			cursor = decide(cursor, next, limits).cursor;
			expect(JSON.stringify(cursor).length).toBeLessThan(60_000);
		}
		expect(cursor.floor).toBeGreaterThan(NOW);
	});
});

test('remembers an event under its newest date', () => {
	const once = decide(empty, found(rows(1, () => NOW - 60 * HOUR)), limits).cursor;
	const later = rowOf(event('evt_0', NOW + 20 * HOUR));
	expect(new Ledger(once.known).isOutdated(later)).toBe(true);
	const moved = decide(once, found([], { outdated: [later] }), limits).cursor;
	const then = NOW + 30 * HOUR;
	const clock = { service: then, local: then };
	const after = found(
		rows(1, () => NOW + 20 * HOUR, 'next'),
		{ clock },
	);
	const { cursor } = decide({ ...moved, audited: then }, after, limits);
	expect(cursor.floor).toBeGreaterThan(NOW - 60 * HOUR);
	expect(new Ledger(cursor.known).has(later.hash)).toBe(true);
});

describe('what the next poll is told', () => {
	const DUE = NOW - HOUR;
	const next = (before: Partial<Cursor>, fresh: number, more: Partial<Read>) =>
		decide(
			{ ...empty, ...before },
			found(
				rows(fresh, () => NOW),
				more,
			),
			limits,
		).cursor;

	test.each<[string, Partial<Cursor>, number, Partial<Read>, Partial<Cursor>]>([
		['that a deep look is done', {}, 0, { above: 1_000 }, { ahead: 1_000, deep: true }],
		['not where few are ahead', {}, 0, { above: 999 }, { ahead: 999, deep: false }],
		['not where it did not look', {}, 0, { above: 1_000, look: 'none' }, { deep: false }],
		['not where it is in doubt', {}, 0, { above: 1_000, look: 'doubtful' }, { deep: false }],
		['when all was looked through', { audited: DUE }, 0, {}, { audited: NOW }],
		['also before it is due', { audited: DUE + 1 }, 1, {}, { audited: NOW }],
		['not where nothing was due', { audited: DUE + 1 }, 0, {}, { audited: DUE + 1 }],
		['not after a look from deep below', { audited: DUE, deep: true }, 0, {}, { audited: DUE }],
		['not without a look', { audited: DUE }, 1, { look: 'none' }, { audited: DUE }],
		['to look again in doubt', { audited: NOW }, 1, { look: 'doubtful' }, { audited: 0 }],
		['the count', { total: 10 }, 3, { total: 15 }, { total: 15 }],
		['less what is ahead', { total: 10 }, 3, { total: 15, above: 2 }, { total: 13 }],
		['what is found of it', { total: 10 }, 3, { total: 15, look: 'none' }, { total: 13 }],
		['not above', { total: 10 }, 3, { total: 15, reachedFloor: false }, { total: 13 }],
		['a count that fell', { total: 10 }, 3, { total: 9, look: 'none' }, { total: 9 }],
		['the first count', {}, 3, { total: 9, look: 'none' }, { total: 9 }],
		['no count', { total: 10 }, 3, {}, {}],
	])('%s', (_, before, fresh, more, expected) => {
		const { ahead, deep, audited, total } = next(before, fresh, more);
		expect({ ahead, deep, audited, total }).toMatchObject(expected);
		if (more.total === undefined) expect(total).toBeUndefined();
	});

	test('no more than what it can hold on to fires', () => {
		const strays = rows(1_200, () => 'some day');
		const { events, handled, warnings, cursor } = decide(empty, found(strays), {
			...limits,
			maxEvents: 5_000,
		});
		expect([events.length, handled]).toEqual([1_000, 1_000]);
		expect(warnings).toEqual([expect.stringMatching(/^200 events without a readable date/)]);
		expect(new Ledger(cursor.known).size).toBe(1_000);
	});

	test.each<[string, Partial<Read>, number]>([
		['of those that the list shows no more', {}, 200],
		['of none while rows above were not seen', { above: 500 }, 100],
		['of none while rows below were not seen', { reachedFloor: false }, 100],
		['of none in doubt', { look: 'doubtful' }, 100],
	])('events without a date take the place %s', (_, more, count) => {
		const first = rows(900, () => 'some day', 'first');
		const { cursor: before } = decide(empty, found(first), limits);
		const next = found(
			rows(200, () => 'some day', 'next'),
			more,
		);
		const { cursor, events } = decide(before, next, limits);
		expect(events).toHaveLength(count);
		const ledger = new Ledger(cursor.known);
		expect(first.filter(({ hash }) => ledger.has(hash))).toHaveLength(count === 200 ? 0 : 900);
	});

	test('what is held back keeps the floor below it', () => {
		const fresh = rows(5, (index) => NOW - (80 + index) * HOUR);
		const { events, cursor } = decide(empty, found([...rows(1, () => NOW, 'now'), ...fresh]), {
			...limits,
			maxEvents: 2,
		});
		expect(events.map(({ eventID }) => eventID)).toEqual(['evt_4', 'evt_3']);
		expect(cursor.ahead).toBe(4);
		expect(cursor.floor).toBeLessThanOrEqual(NOW - 82 * HOUR);
	});
});
