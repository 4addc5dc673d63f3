import type { Client } from '../../nodes/PaymentsGateway/gateway/client';
import { eventRows, pagesUntil } from '../../nodes/PaymentsGateway/gateway/events';
import type { PageRequest, SortOrder, WebhookEvent } from '../../nodes/PaymentsGateway/wire';
import { standIn } from '../engine/instance';

/** Where the reading of a list sorted by date ends, and how many pages are likely to lead there. */

const START = Date.parse('2026-03-01T00:00:00Z');
const HOUR = 3_600_000;
/** Rows of these hours; what is no number is a date that cannot be read. */
const rowsOf = (hours: readonly unknown[]) =>
	hours.map((hour) => ({
		date: typeof hour === 'number' ? new Date(START + hour * HOUR).toISOString() : String(hour),
	}));
const hoursFrom = (from: number, count: number, step = 1) =>
	Array.from({ length: count }, (_, index) => from + step * index);

describe.each<[SortOrder, number]>([
	['asc', 1],
	['desc', -1],
])('of a list sorted %s', (order, step) => {
	const until = (hours: number, atLeast?: number) =>
		pagesUntil(START + step * hours * HOUR, order, atLeast);
	/** Rows so many hours beyond the first one. */
	const page = (...hours: unknown[]) =>
		rowsOf(hours.map((hour) => (typeof hour === 'number' ? step * hour : hour)));

	test.each([15, 35, 94, 400])('pages of ten hours that lead to hour %i are counted', (hours) => {
		const left = until(hours, 5);
		// The first page whose last five rows lie beyond it.
		const last = Math.floor((hours + 5) / 10) + 1;
		for (let number = 1; number <= last + 2; number++) {
			const found = left(page(...hoursFrom((number - 1) * 10, 10)));
			if (number >= last) {
				expect(found).toBe(0);
			} else {
				expect(found).toBeGreaterThanOrEqual(last - number);
				expect(found).toBeLessThanOrEqual(1.2 * (last - number) + 1);
			}
		}
	});

	test('the moment itself is wanted, and what lies beyond it is not', () => {
		expect(until(3, 2)(page(1, 2, 3, 3))).toBeGreaterThan(0);
		expect(until(3, 2)(page(1, 2, 3, 4))).toBeGreaterThan(0);
		expect(until(3, 2)(page(1, 2, 4, 4))).toBe(0);
	});

	test('as many rows as are asked for lie beyond it, or the whole page', () => {
		expect(until(3, 5)(page(1, 4, 5, 6, 7))).toBeGreaterThan(0);
		expect(until(3, 5)(page(4, 5, 6))).toBe(0);
		expect(until(3)(page(1, 4, 5, 6, 7, 8))).toBeGreaterThan(0);
		expect(until(3)(page(4, 5, 6, 7, 8, 9))).toBe(0);
		expect(until(3)([])).toBe(Infinity);
	});

	test('a row without a date begins the count of those beyond anew', () => {
		expect(until(3, 2)(page(1, 4, 'soon', 5))).toBeGreaterThan(0);
		expect(until(3, 2)(page(1, 4, 'soon', 5, 6))).toBe(0);
	});

	test('a row without a date does not hide how dense the others are', () => {
		expect(until(8, 2)(page(1, 'soon', 4))).toBe(until(8, 2)(page(1, 2, 4)));
	});

	test('dates out of order, on one page or on two, make all of the list wanted', () => {
		const left = until(3, 2);
		expect(left(page(1, 5, 4, 6))).toBe(Infinity);
		expect(left(page(7, 8, 9))).toBe(Infinity);
		const later = until(3, 2);
		later(page(2, 3));
		expect(later(page(1, 4, 5))).toBe(Infinity);
	});

	test('nothing is known of pages of one moment', () => {
		expect(until(3, 2)(page(1, 1, 1))).toBe(Infinity);
		expect(until(3, 2)(page(1, 'soon'))).toBe(Infinity);
		expect(until(1, 2)(page(1, 1))).toBe(Infinity);
	});
});

describe('events until a moment', () => {
	/** Pages of ten; of a list that moves, each of its readings. */
	async function read(
		readings: ReadonlyArray<readonly unknown[]>,
		moment?: number,
		parallel = 1,
	): Promise<number[]> {
		const asked: number[] = [];
		let reading = -1;
		const call = async (_: string, { page: { page = 1 } }: { page: PageRequest }) => {
			if (page === 1) reading = Math.min(reading + 1, readings.length - 1);
			asked.push(page);
			const rows = rowsOf(readings[reading] ?? []).map((row) => ({ eventID: row.date, ...row }));
			const data = rows.slice((page - 1) * 10, page * 10);
			return { data, page: { page, pageSize: 10, total: rows.length } };
		};
		const client = standIn<Client>('client', {
			parallel,
			warn: () => undefined,
			call: call as never,
		});
		await eventRows<WebhookEvent>(client, {
			page: { pageSize: 10, sort: { field: 'date', order: 'asc' } },
			id: ({ eventID }) => eventID,
			shape: (event) => event,
			...(moment === undefined
				? {}
				: { until: { moment: START + moment * HOUR, order: 'asc' as const } }),
		});
		return asked;
	}
	const sorted = hoursFrom(0, 55);

	test('are read up to the page that lies beyond it, and without one to the end', async () => {
		expect(await read([sorted], 12)).toEqual([1, 2]);
		expect(await read([sorted])).toEqual([1, 2, 3, 4, 5, 6]);
	});

	test('are read ahead no further than the moment is likely to be', async () => {
		const asked = await read([hoursFrom(0, 400)], 12, 10);
		expect(asked.length).toBeLessThanOrEqual(4);
	});

	test('are read to the end where one page shows that they are not sorted', async () => {
		expect(await read([[3, 2, 1, ...hoursFrom(4, 52)]], 12)).toEqual([1, 2, 3, 4, 5, 6]);
	});

	test('end there as well when the list has moved and is read again', async () => {
		const moved = [...sorted.slice(0, 10), ...sorted.slice(9)];
		const asked = await read([moved, sorted], 22);
		expect(asked.slice(asked.lastIndexOf(1))).toEqual([1, 2, 3]);
	});
});
