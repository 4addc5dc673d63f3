import type { Client } from '../../nodes/PaymentsGateway/gateway/client';
import { eventRows, pastMoment } from '../../nodes/PaymentsGateway/gateway/events';
import type { PageRequest, SortOrder, WebhookEvent } from '../../nodes/PaymentsGateway/wire';
import { standIn } from '../engine/instance';

/** Where the reading of a list sorted by date ends. */

const START = Date.parse('2026-03-01T00:00:00Z');
const HOUR = 3_600_000;
/** Rows of these hours; what is no number is a date that cannot be read. */
const rowsOf = (hours: readonly unknown[]) =>
	hours.map((hour) => ({
		date: typeof hour === 'number' ? new Date(START + hour * HOUR).toISOString() : String(hour),
	}));
const hoursFrom = (from: number, count: number) =>
	Array.from({ length: count }, (_, index) => from + index);

describe.each<[SortOrder, number]>([
	['asc', 1],
	['desc', -1],
])('a list sorted %s, with two rows in a row past hour 3,', (order, step) => {
	test.each<[string, string, boolean[]]>([
		['is past the moment', '1 2 4 4', [true]],
		['is not at the moment itself', '1 2 3 3', [false]],
		['is past it on two pages', '1 2 3 4|5', [false, true]],
		['is not while there are no rows', '', [false]],
		['is not while all rows are of one moment', '4 4 4|4 5', [false, true]],
		['is looked at anew after a row without a date', '1 4 soon 5|6', [false, true]],
		['is past it beside rows without a date', 'soon|soon 4 5', [false, true]],
		['is not where one page is not sorted', '1 5 4 6|7 8 9', [false, false]],
		['is not where two pages are not sorted', '2 3|1 4 5', [false, false]],
		['is where rows were pushed down', '1 2 3|2 3 4 5', [false, true]],
	])('%s', (_, pages, expected) => {
		const isPast = pastMoment({ moment: START + step * 3 * HOUR, order, rowsToPass: 2 });
		const found = pages.split('|').map((page) => {
			const hours = page.split(' ').filter(Boolean);
			return isPast(rowsOf(hours.map((hour) => (hour === 'soon' ? hour : step * Number(hour)))));
		});
		expect(found).toEqual(expected);
	});
});

describe('events until a moment', () => {
	/** Pages of ten; of a list that moves, each of its readings. */
	async function read(readings: unknown[][], hour?: number): Promise<number[]> {
		const asked: number[] = [];
		let reading = -1;
		const call = async (_: string, { page: { page = 1 } }: { page: PageRequest }) => {
			if (page === 1) reading = Math.min(reading + 1, readings.length - 1);
			asked.push(page);
			const rows = rowsOf(readings[reading] ?? []).map((row) => ({ eventID: row.date, ...row }));
			const data = rows.slice((page - 1) * 10, page * 10);
			return { data, page: { page, pageSize: 10, total: rows.length } };
		};
		const plain = { parallel: 1, warn: () => undefined };
		const client = standIn<Client>('client', { ...plain, call: call as never });
		await eventRows<WebhookEvent>(client, {
			page: { pageSize: 10, sort: { field: 'date', order: 'asc' } },
			shape: (event) => event,
			...(hour && { until: { moment: START + hour * HOUR, order: 'asc' } }),
		});
		return asked;
	}
	const sorted = hoursFrom(0, 55);

	test('are read up to the page that lies beyond it, and without one to the end', async () => {
		expect(await read([sorted], 12)).toEqual([1, 2]);
		expect(await read([sorted])).toEqual([1, 2, 3, 4, 5, 6]);
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
