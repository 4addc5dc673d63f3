import type { Client } from '../../nodes/PaymentsGateway/gateway/client';
import { eventRows, pastMoment } from '../../nodes/PaymentsGateway/gateway/events';
import type { PageRequest, SortOrder, WebhookEvent } from '../../nodes/PaymentsGateway/wire';
import { standIn } from '../engine/instance';

/** Where the reading of a list sorted by date ends. */

const START = Date.parse('2026-03-01T00:00:00Z');
const HOUR = 3_600_000;
const dateOf = (hour: number) => new Date(START + hour * HOUR).toISOString();

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
		['is on a second page, where all rows of the first are', '4 5 6|7', [false, true]],
		['is where rows were pushed down', '1 2 3|2 3 4 5', [false, true]],
	])('%s', (_, pages, expected) => {
		const isPast = pastMoment({ moment: START + step * 3 * HOUR, order, rowsToPass: 2 });
		const rowOf = (hour: string) => ({
			date: hour === 'soon' ? hour : dateOf(step * Number(hour)),
		});
		const found = pages
			.split('|')
			.map((page) => isPast(page.split(' ').filter(Boolean).map(rowOf)));
		expect(found).toEqual(expected);
	});
});

test('a list that has moved is read again up to the page that lies beyond the moment', async () => {
	const hours = Array.from({ length: 55 }, (_, hour) => hour);
	const asked: number[] = [];
	const call = async (_: string, { page: { page = 1 } }: { page: PageRequest }) => {
		asked.push(page);
		// A row comes twice in the first reading.
		const isFirst = asked.lastIndexOf(1) === 0;
		const listed = isFirst ? [...hours.slice(0, 10), ...hours.slice(9)] : hours;
		const dates = listed.slice((page - 1) * 10, page * 10).map(dateOf);
		const data = dates.map((date) => ({ eventID: date, date }));
		return await Promise.resolve({ data, page: { page, pageSize: 10, total: listed.length } });
	};
	const plain = { parallel: 1, warn: () => undefined };
	await eventRows<WebhookEvent>(standIn<Client>('client', { ...plain, call: call as never }), {
		page: { pageSize: 10 },
		shape: (event) => event,
		until: { moment: START + 22 * HOUR, order: 'asc' },
	});
	expect(asked).toEqual([1, 2, 3, 1, 2, 3]);
});
