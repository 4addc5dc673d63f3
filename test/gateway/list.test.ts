import fc from 'fast-check';

import type { Listing } from '../../nodes/PaymentsGateway/gateway/list';
import { list } from '../../nodes/PaymentsGateway/gateway/list';
import type { ListAnswer, PageRequest } from '../../nodes/PaymentsGateway/wire';
import type { ListHabits, Row } from './servedList';
import { NumberedList } from './servedList';

/**
 * Every list that the service model allows is read whole and each row once, even while rows come and go;
 * if nothing changes, in order and with no more requests than needed.
 */

type Wanted = Partial<Listing<Row, Row>> & { pageSize?: number; parallel?: number };

async function read(
	{ fetch }: Pick<NumberedList, 'fetch'>,
	{ pageSize = 10, parallel = 5, ...wanted }: Wanted = {},
) {
	const warnings: string[] = [];
	const listed = await list<Row, Row>({
		fetch,
		page: { pageSize },
		id: ({ id }) => id,
		shape: (row) => row,
		client: { parallel, warn: (words) => warnings.push(words) },
		...wanted,
	});
	return { ...listed, ids: listed.rows.map(({ id }) => id), warnings };
}

const same = (rows: number) => `the gateway answers every page with the same ${rows} rows`;
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('in any list that a gateway may serve (servedList.ts)', () => {
	const RUNS = Number(process.env.MOVING_LISTS ?? 300);
	const change = fc.record({
		request: fc.integer({ min: 1, max: 25 }),
		place: fc.nat(),
		isOldestGone: fc.boolean(),
	});
	const scenes = fc.record({
		count: fc.oneof(fc.nat(130), fc.nat(12)),
		habits: fc.record({
			total: fc.constantFrom('number', 'number', 'text', 'missing'),
			rowsPerPage: fc.oneof(fc.constant(Infinity), fc.integer({ min: 2, max: 30 })),
			afterLast: fc.constantFrom('empty', 'lastPage', 'refused'),
			refusedAbove: fc.oneof(fc.constant(Infinity), fc.integer({ min: 10, max: 30 })),
			status: fc.constantFrom('400', '422'),
		}),
		pageSize: fc.integer({ min: 2, max: 40 }),
		parallel: fc.integer({ min: 1, max: 8 }),
		// Two changes between the same two requests can hide each other from any reader.
		changes: fc.uniqueArray(change, { maxLength: 6, selector: ({ request }) => request }),
		isOutOfOrder: fc.boolean(),
		limit: fc.option(fc.integer({ min: 1, max: 150 }), { nil: undefined }),
		/** For a strict list that is sorted by date: how many rows are newer than the first unwanted one. */
		past: fc.option(fc.nat(129), { nil: undefined }),
		isFiltered: fc.boolean(),
	});

	test('no row is lost, returned twice or wrongly reported missing', async () => {
		const holds = async (scene: typeof scenes extends fc.Arbitrary<infer S> ? S : never) => {
			const { count, habits, changes, isOutOfOrder, limit, past, isFiltered, ...how } = scene;
			const served = new NumberedList(count, habits);
			const before = served.ids;
			if (isOutOfOrder) served.takes = (request) => (request * 7 + count) % 4;
			served.before = (request) => {
				const due = changes.find((each) => each.request === request);
				if (due?.isOldestGone) served.rows.pop();
				else if (due) served.add(due.place % (served.rows.length + 1));
			};
			const isKept = ({ id }: Row) => !isFiltered || /[02468]$/.test(id);
			const { ids, missing, warnings } = await read(served, {
				...how,
				shape: (row) => (isKept(row) ? row : undefined),
				filters: isFiltered,
				limit,
				...(past !== undefined && {
					isPast: (rows) => rows.some(({ id }) => before.indexOf(id) >= past),
					strict: true,
				}),
			});
			// With the first unwanted row: its page is returned whole.
			const wanted = before
				.slice(0, past === undefined ? undefined : past + 1)
				.filter((id) => isKept({ id }) && served.ids.includes(id));
			const doubled = ids.length - new Set(ids).size;
			// With a limit, newer rows may take the place of others.
			const lost =
				limit === undefined
					? wanted.filter((id) => !ids.includes(id)).length
					: Math.max(0, Math.min(limit, wanted.length) - ids.length);
			const { total, afterLast } = habits;
			// A strict list reports a full page 1 that is repeated without a count.
			const mayBeSame = past !== undefined && total === 'missing' && afterLast === 'lastPage';
			const wrongly = mayBeSame ? missing?.replace(/^.* every page .*$/, '') : missing;
			expect([lost, doubled, wrongly || undefined]).toEqual([0, 0, undefined]);
			expect(warnings).toEqual([]);
			if (limit !== undefined) expect(ids.length).toBeLessThanOrEqual(limit);
			expect(served.maxInFlight).toBeLessThanOrEqual(how.parallel);
			if (changes.length > 0) return;
			// The last page can hold unwanted rows too.
			expect(ids.slice(0, wanted.length)).toEqual(wanted.slice(0, limit));
		};
		await fc.assert(fc.asyncProperty(scenes, holds), { numRuns: RUNS });
	}, 600_000);
});

test('a list whose oldest row is removed with every request is read whole, and nothing is reported missing', async () => {
	const served = new NumberedList(250);
	const before = served.ids;
	served.before = () => {
		served.rows.pop();
		served.add();
	};
	const { ids, missing } = await read(served);
	expect(missing).toBeUndefined();
	expect(before.filter((id) => served.ids.includes(id) && !ids.includes(id))).toEqual([]);
	expect(served.requests).toBeLessThan(150);
});

test('no row is missed if the oldest row of a list is removed, oldest first', async () => {
	const served = new NumberedList(50);
	const before = served.ids.reverse();
	// All rows move up by one, so that the first of page 3 is never seen; the count falls.
	served.before = (request) => request === 3 && served.rows.pop();
	const sort = { field: 'date', order: 'asc' } as const;
	const { ids, missing } = await read(served, { parallel: 1, page: { pageSize: 10, sort } });
	expect([ids.sort(), missing]).toEqual([before.sort(), undefined]);
});

test.each([
	['in turn', () => 0],
	['in another order', (request: number) => (request % 3) * 4],
])('a list that only grows, answered %s, is not read twice', async (_, takes) => {
	const served = new NumberedList(5_000);
	served.takes = takes;
	served.before = (request) => request % 10 === 0 && served.add();
	const { ids, missing } = await read(served, { pageSize: 100 });
	expect([new Set(ids).size >= 5_000, missing]).toEqual([true, undefined]);
	expect(served.requests).toBeLessThan(100);
});

describe('a list that does not change', () => {
	test.each<[number, number, ListHabits, Wanted]>([
		[0, 1, {}, {}],
		[0, 1, { total: 'missing' }, {}],
		[9, 1, {}, {}],
		[10, 1, {}, {}],
		[500, 50, {}, {}],
		[95, 10, { rowsPerPage: 10 }, { pageSize: 100 }],
		[95, 2, {}, { limit: 11 }],
		// Without a count, a page that is shorter than page 1 ends the list, or one more page does.
		[95, 10, { total: 'missing' }, {}],
		[10, 2, { total: 'missing' }, {}],
		[10, 2, { total: 'missing', afterLast: 'refused' }, {}],
		// A repeated last page is recognised when it comes twice.
		[20, 4, { total: 'missing', afterLast: 'lastPage' }, {}],
		[10, 3, { total: 'missing', afterLast: 'lastPage' }, {}],
		// A number below the rows that were read is no count.
		[35, 4, { total: 'fifteen' }, {}],
	])('of %i rows takes %i requests: %j %j', async (count, requests, habits, wanted) => {
		const served = new NumberedList(count, habits);
		const { ids, missing } = await read(served, wanted);
		expect([ids, missing]).toEqual([served.ids.slice(0, wanted.limit), undefined]);
		expect(served.requests).toBe(requests);
	});

	test('is requested page by page, all with the same sort, filter and search', async () => {
		const page: Listing<Row, Row>['page'] = {
			pageSize: 10,
			sort: { field: 'email', order: 'desc' },
			search: 'y',
			filter: [{ field: 'email', operation: 'contains', value: 'x' }],
		};
		const served = new NumberedList(95);
		// With a filter, a limit does not show how many rows are needed.
		const shape = (row: Row) => (/0$/.test(row.id) ? row : undefined);
		const { ids } = await read(served, { page, limit: 2, filters: true, shape });
		expect(ids).toEqual(['row_90', 'row_80']);
		expect(served.asked).toEqual([1, 2].map((number) => ({ ...page, page: number })));
	});

	test.each([
		['number', 20],
		['missing', 1],
	] as const)(
		'with its count as %s, up to %i pages are in flight after page 1',
		async (total, most) => {
			const served = new NumberedList(495, { total });
			served.takes = () => 10;
			// Requests sent before this one was answered.
			const sentMeanwhile: number[] = [];
			served.before = (request) => sentMeanwhile.push(served.requests - request);
			expect((await read(served, { parallel: 20 })).ids).toHaveLength(495);
			expect([sentMeanwhile[0], served.maxInFlight]).toEqual([0, most]);
			expect(served.asked.map(({ page }) => page)).toEqual(numbers(50));
		},
	);

	test.each([1, 10])(
		'is read up to the first page after which no row is wanted, page %i',
		async (past) => {
			const served = new NumberedList(5_000);
			const isPast = (rows: readonly Row[]) =>
				rows.some(({ id }) => id === `row_${5_000 - past * 10 + 5}`);
			const { ids, missing } = await read(served, { isPast, strict: true, parallel: 64 });
			expect([ids, missing]).toEqual([served.ids.slice(0, past * 10), undefined]);
			expect(served.requests).toBe(past);
		},
	);
});

test('a strict list is read page by page, so that no row moves between two pages unseen', async () => {
	const served = new NumberedList(100);
	const before = served.ids;
	// In parallel, page 3 would be built after page 4; in between, a row is added and the oldest removed.
	served.takes = (request) => (request === 3 ? 10 : 0);
	served.before = (request) => {
		if (request !== 3) return;
		served.add();
		served.rows.pop();
	};
	const { ids, missing } = await read(served, {
		isPast: (rows) => rows.some(({ id }) => id === before[60]),
		strict: true,
	});
	expect(missing).toBeUndefined();
	expect(before.slice(0, 60).filter((id) => !ids.includes(id))).toEqual([]);
	expect(served.maxInFlight).toBe(1);
});

describe('a list that may lack rows:', () => {
	const counted = 'the gateway counts 250 rows in the list but returned 200';
	const uncounted = { total: 'missing' } as const;
	const tens = { refusedAbove: 10, status: '400' };

	test.each<[number, ListHabits, Wanted, number, string | undefined]>([
		[250, { refusedAfterPage: 2 }, {}, 200, counted],
		// Without a count, a refusal is taken for the end.
		[250, { refusedAfterPage: 2, ...uncounted }, {}, 200, undefined],
		[250, { ignoresPage: true }, {}, 100, counted.replace('200', '100')],
		// A repeated page 1 is the end of the list, but not of a strict one.
		[250, { ignoresPage: true, ...uncounted }, {}, 100, undefined],
		[250, { ignoresPage: true, ...uncounted }, { strict: true }, 100, same(100)],
		[250, { ignoresPage: true, ...tens, ...uncounted }, { strict: true }, 10, same(10)],
		[99, { afterLast: 'lastPage', ...uncounted }, { strict: true }, 99, undefined],
		[300, { afterLast: 'lastPage', ...uncounted }, { strict: true }, 300, undefined],
		// Only if the missing rows are wanted.
		[250, { refusedAfterPage: 2 }, { limit: 300 }, 200, counted],
		[250, { refusedAfterPage: 2 }, { limit: 200 }, 200, undefined],
	])(
		'of %i rows (gateway %j, request %j): %i are returned, and the message is %j',
		async (count, habits, wanted, given, words) => {
			const served = new NumberedList(count, habits);
			const { ids, missing } = await read(served, { pageSize: 100, ...wanted });
			expect([ids, missing]).toEqual([served.ids.slice(0, given), words]);
			expect(served.requests).toBeLessThanOrEqual(8);
		},
	);
});

describe('a page that is refused', () => {
	test.each([
		['400', 100, 50, [100, 50]],
		['413', 100, 30, [100, 50, 10, 10, 10, 10, 10]],
		['422', 40, 30, [40, 10, 10, 10, 10, 10]],
	])(
		'with %s for pages of %i rows (at most %i accepted) is requested with the next smaller size, and so are all later pages',
		async (status, pageSize, refusedAbove, sizes) => {
			const served = new NumberedList(45, { refusedAbove, status });
			expect(await read(served, { pageSize })).toMatchObject({ ids: served.ids });
			expect(served.asked.map(({ pageSize }) => pageSize)).toEqual(sizes);
		},
	);

	test.each([
		// If even ten rows are refused, the first error is shown.
		['400', 100, 3],
		['404', 100, 1],
		['500', 100, 1],
		['400', 10, 1],
	])('by %s, of %i rows, fails the list in %i requests', async (status, size, requests) => {
		const served = new NumberedList(45, { refusedAbove: 0, status });
		await expect(read(served, { pageSize: size })).rejects.toThrow(`${size} rows of page 1`);
		expect(served.requests).toBe(requests);
	});

	test('as too large, and then for another reason, fails the list with that reason', async () => {
		const served = new NumberedList(45, { refusedAbove: 30, status: '422' });
		served.before = (request) => {
			if (request === 2) throw Object.assign(new Error('Down'), { httpCode: '503' });
		};
		await expect(read(served, { pageSize: 100 })).rejects.toThrow('Down');
	});

	test('after page 1 fails the list, and no request is in flight any more', async () => {
		const served = new NumberedList(5_000, { refusedAfterPage: 2, status: '500' });
		served.takes = (request) => (request === 3 ? 1 : 5);
		await expect(read(served)).rejects.toThrow('page 3');
		const { requests } = served;
		expect(requests).toBeLessThan(10);
		await new Promise((resolve) => setTimeout(resolve, 10));
		expect(served.requests).toBe(requests);
	});
});

test('an ID may be a number; entries that are no objects are left out, with one warning', async () => {
	const data: unknown[] = [{ id: 7 }, null, 'text', { id: '8' }, [{}]];
	const fetch = async ({ page }: PageRequest) =>
		await Promise.resolve({ data: page === 1 ? data : [] } as ListAnswer<Row>);
	const { ids, warnings } = await read({ fetch });
	expect(ids).toEqual(['7', '8']);
	expect(warnings).toHaveLength(1);
	expect(warnings[0]).toContain('3 rows of the list were left out');
});
