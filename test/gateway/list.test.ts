import fc from 'fast-check';

import type { Listing } from '../../nodes/PaymentsGateway/gateway/list';
import { list } from '../../nodes/PaymentsGateway/gateway/list';
import type { ListAnswer, PageRequest } from '../../nodes/PaymentsGateway/wire';
import { tally } from '../reliability/tally';
import type { Habits, Row, Total } from './oddList';
import { OddList, totals } from './oddList';

/**
 * Every list is read whole, each row once and in order, whatever a gateway makes of counts and page
 * sizes, and while rows come and go; by as few requests as show that nothing is left.
 */

type Wanted = Partial<Listing<Row, Row>> & { pageSize?: number; parallel?: number };

type SceneOf<A> = A extends fc.Arbitrary<infer S> ? S : never;

async function read(
	{ fetch }: Pick<OddList, 'fetch'>,
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

/** Each `noRecord`th row is no record; 0 for none. */
function listOf(count: number, habits: Partial<Habits> = {}, noRecord = 0): OddList {
	const odd = new OddList(habits);
	for (let row = 1; row <= count; row++) odd.add(noRecord === 0 || row % noRecord !== 0);
	return odd;
}

describe('a list that stands still', () => {
	const RUNS = Number(process.env.ODD_LISTS ?? 250);
	const scenes = fc.record({
		count: fc.oneof(fc.nat(130), fc.nat(12)),
		total: fc.constantFrom(...totals),
		said: fc.constantFrom('served' as const, 'asked' as const, 'nothing' as const),
		beyond: fc.constantFrom('nothing' as const, 'last page' as const, 'first page' as const),
		noRecord: fc.constantFrom(0, 0, 0, 2, 5, 17),
		pageSize: fc.oneof(fc.constantFrom(5, 10, 20, 40), fc.integer({ min: 1, max: 40 })),
		parallel: fc.integer({ min: 1, max: 20 }),
		cap: fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 40 })),
		limit: fc.integer({ min: 1, max: 150 }),
		shows: fc.integer({ min: 1, max: 5 }),
		ignoresSize: fc.boolean(),
	});
	type Scene = SceneOf<typeof scenes>;

	const listIn = (
		{ count, noRecord, cap, total, said, beyond }: Scene,
		more: Partial<Habits> = {},
	) => listOf(count, { cap, total, said, beyond, ...more }, noRecord);
	const always = async (holds: (scene: Scene) => Promise<void>) =>
		await fc.assert(fc.asyncProperty(scenes, holds), { numRuns: RUNS });

	/** A page that is short and counted as all there is, by every word of the answer, is all there is. */
	function isPlain({ total, said, cap }: Scene, pageSize: number): boolean {
		const isCountOfPage = ['of the page', 'so far', 'too low'].includes(total);
		return said === 'served' || cap >= pageSize || !isCountOfPage;
	}

	test('is read whole, in order, and what was left out is said once', async () => {
		await always(async (scene) => {
			const { count, pageSize, cap, parallel } = scene;
			fc.pre(isPlain(scene, pageSize));
			// A page size of its own, or one up to the size that is asked for.
			const { ignoresSize } = scene;
			const odd = listIn(scene, ignoresSize ? { beyond: 'nothing', ignoresSize } : {});
			const { ids, warnings } = await read(odd, { pageSize, parallel });
			expect(ids).toEqual(odd.ids);
			expect(warnings).toHaveLength(odd.rows.length > odd.ids.length ? 1 : 0);
			expect(odd.most).toBeLessThanOrEqual(parallel);
			if (ignoresSize) return;
			const pages = Math.ceil(count / Math.min(pageSize, cap)) + 1;
			// A count that changes with every page takes three readings, other odd ones two at most.
			const readings = scene.total === 'growing' ? 3 : 2;
			// The last page may hold nothing but what is no record.
			expect(odd.requests).toBeLessThanOrEqual(readings * (pages + 1 + parallel));
		});
	});

	test('is read whole where pages of the usual sizes pass for whole ones by their count', async () => {
		for (const cap of [15, 20, 25, 50, 100]) {
			const odd = listOf(130, { cap, said: 'asked', total: 'of the page' });
			expect((await read(odd, { pageSize: 200 })).ids).toEqual(odd.ids);
		}
	});

	test('is read whole where the gateway leaves rows out of its pages', async () => {
		await always(async (scene) => {
			const { pageSize, shows, total } = scene;
			// No page comes without a row; and a short page ends a list without a count, or one that is
			// counted as all there is.
			const isOdd = ['missing', 'of the page', 'so far', 'too low'].includes(total);
			fc.pre(pageSize >= shows && !isOdd);
			const odd = listIn({ ...scene, noRecord: 0 }, { cap: Infinity, said: 'asked', shows });
			expect((await read(odd, { pageSize })).ids).toEqual(odd.ids);
		});
	});

	test('gives as many of its first rows as are wanted', async () => {
		await always(async (scene) => {
			const { pageSize, parallel, limit, count, noRecord, cap } = scene;
			fc.pre(isPlain(scene, Math.min(limit, pageSize)));
			const odd = listIn(scene);
			const { ids, missing } = await read(odd, { limit, pageSize, parallel });
			expect(ids).toEqual(odd.ids.slice(0, limit));
			if (ids.length === limit) expect(missing).toBeUndefined();
			const rows = odd.asked.reduce((sum, { pageSize: size = 0 }) => sum + size, 0);
			const isPlenty = count >= limit && noRecord === 0 && cap >= pageSize;
			if (isPlenty) expect(rows).toBeLessThan(limit + Math.ceil(limit / pageSize));
		});
	});

	const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

	test.each<[number, number, Partial<Habits>, Wanted]>([
		[0, 1, {}, {}],
		// A full last page does not show that the list ends there; one more page does.
		[10, 2, {}, {}],
		[500, 51, { beyond: 'first page' }, {}],
		// The gateway's default size, so perhaps a full page.
		[9, 1, { said: 'nothing' }, { pageSize: 40 }],
		[10, 2, { said: 'nothing' }, { pageSize: 40 }],
		[7, 2, { total: 'missing' }, {}],
		[95, 10, { cap: 10 }, { pageSize: 100 }],
		[95, 11, { total: 'too high' }, { parallel: 1 }],
		[95, 2, {}, { limit: 11 }],
	])('of %i rows takes %i requests: %j %j', async (count, requests, habits, wanted) => {
		const odd = listOf(count, habits);
		const { ids, missing } = await read(odd, wanted);
		expect([ids, missing]).toEqual([odd.ids.slice(0, wanted.limit), undefined]);
		expect(odd.requests).toBe(requests);
	});

	test('is asked for by whole pages where it is unknown how many rows a limit takes', async () => {
		const odd = listOf(95);
		const shape = (row: Row) => (/0$/.test(row.id) ? row : undefined);
		const { ids } = await read(odd, { limit: 2, filters: true, shape });
		expect(ids).toEqual(['row_90', 'row_80']);
		expect(odd.asked).toEqual([1, 2].map((page) => ({ page, pageSize: 10 })));
	});

	test('is asked for by the same sort, filter and search on every page', async () => {
		const page: Listing<Row, Row>['page'] = {
			...{ pageSize: 10, sort: { field: 'email', order: 'desc' }, search: 'y' },
			filter: [{ field: 'email', operation: 'contains', value: 'x' }],
		};
		const odd = listOf(25);
		await read(odd, { page });
		expect(odd.asked).toEqual(numbers(3).map((number) => ({ ...page, page: number })));
	});

	test.each<[number, Total]>([
		[20, 'right'],
		[5, 'missing'],
		[5, 'of the page'],
	])('has %i pages under way, and page 1 alone, by a count that is %s', async (parallel, total) => {
		const odd = listOf(495, { total });
		odd.takes = () => 10;
		const before: number[] = [];
		odd.before = (request) => before.push(odd.requests - request);
		expect((await read(odd, { parallel, filters: true })).ids).toHaveLength(495);
		expect([before[0], odd.most]).toEqual([0, parallel]);
		// Page 2 goes with all others, or alone.
		expect(before[1]).toBe(total === 'right' ? parallel - 1 : 0);
		expect(odd.asked.slice(0, 50).map(({ page }) => page)).toEqual(numbers(50));
		expect(odd.requests).toBeLessThanOrEqual(total === 'right' ? 50 : 55);
	});

	test.each([1, 10])('is read to the page that is past, page %i', async (past) => {
		const odd = listOf(5_000);
		const isPast = (rows: readonly Row[]) =>
			rows.some(({ id }) => id === `row_${5_000 - past * 10 + 5}`);
		const { ids, missing } = await read(odd, { isPast, parallel: 64 });
		expect([ids, missing]).toEqual([odd.ids.slice(0, past * 10), undefined]);
		// As many in vain at most.
		expect(odd.requests).toBeLessThan(2 * past);
	});
});

describe('what is missing', () => {
	const all = (count: number) => `the gateway counts ${count} rows of the list`;
	const same = (count: number) => `answers every page with the same ${count}`;
	const repeats: Partial<Habits> = { said: 'nothing', beyond: 'last page' };
	const uncounted = { ...repeats, total: 'missing' } as const;
	const deep = { refuses: '400', total: 'missing' } as const;
	const over = { total: 'too high' } as const;

	test.each<[number, Partial<Habits>, Wanted, number, string | undefined]>([
		[250, { refuses: '400', behind: 2 }, {}, 200, `${all(250)} and gave out 200`],
		[250, { refuses: '422', behind: 2 }, {}, 200, `${all(250)} and gave out 200`],
		// What is refused is behind the last page, or is not counted.
		[250, { refuses: '404', behind: 3 }, {}, 250, undefined],
		[250, { refuses: '416', behind: 2, total: 'missing' }, {}, 200, undefined],
		// Many gateways give out so many rows of a list.
		[10_001, { ...deep, behind: 99 }, {}, 9_900, undefined],
		[
			10_001,
			{ ...deep, behind: 100 },
			{},
			10_000,
			'the gateway refuses more than 10000 rows of the list',
		],
		[250, { ignoresPage: true }, {}, 100, `${all(250)} and ${same(100)}`],
		[250, { ignoresPage: true, total: 'so far' }, {}, 100, `the gateway ${same(100)}`],
		// An odd number of rows is all there is, once they come again.
		[17, repeats, {}, 17, undefined],
		[17, uncounted, {}, 17, undefined],
		[25, uncounted, {}, 25, `the gateway ${same(25)}`],
		[37, uncounted, { pageSize: 37 }, 37, `the gateway ${same(37)}`],
		[15, { beyond: 'last page', cap: 15 }, {}, 15, `the gateway ${same(15)}`],
		// Only for who wants it.
		[0, over, {}, 0, `${all(5_000)} and gave out 0`],
		[200, over, { limit: 300 }, 200, `${all(5_200)} and gave out 200`],
		[200, over, { limit: 200 }, 200, undefined],
		[200, over, { isPast: () => true }, 100, undefined],
	])(
		'is told of %i rows with %j %j: it gives out %i',
		async (count, habits, wanted, given, words) => {
			const odd = listOf(count, habits);
			const { ids, missing } = await read(odd, { pageSize: 100, ...wanted });
			expect([ids, missing]).toEqual([odd.ids.slice(0, given), words]);
			if (count <= 250) expect(odd.requests).toBeLessThanOrEqual(8);
		},
	);

	test.each([
		[131, undefined],
		[231, `${all(232)} and gave out 200`],
	])('is no row that stands on two pages: of %i, 200 can be read', async (count, words) => {
		const odd = listOf(count, { refuses: '404', behind: 2 });
		odd.rows.splice(100, 0, odd.rows[99]);
		const { ids, missing } = await read(odd, { pageSize: 100 });
		expect([ids, missing]).toEqual([[...new Set(odd.ids.slice(0, 200))], words]);
	});

	test('is not what went while the list was read', async () => {
		const odd = listOf(95);
		odd.before = (request) => request === 3 && odd.rows.splice(4, 1);
		expect(await read(odd)).toMatchObject({ ids: odd.ids, missing: undefined });
	});

	test('is asked for again', async () => {
		const odd = listOf(95);
		const rows = [...odd.rows];
		odd.rows.length = 0;
		odd.before = (request) => request === 2 && odd.rows.push(...rows);
		const fetch = async (page: PageRequest) => {
			const answer = await odd.fetch(page);
			return odd.requests === 1 ? { ...answer, page: { ...answer.page, total: 95 } } : answer;
		};
		expect(await read({ fetch })).toMatchObject({ ids: odd.ids, missing: undefined });
	});
});

describe('a page that is refused', () => {
	test('as too large is asked for by 10 rows', async () => {
		for (const refuses of ['400', '413', '422']) {
			const odd = listOf(45, { refuses, above: 30 });
			expect(await read(odd, { pageSize: 100 })).toMatchObject({ ids: odd.ids });
			expect(odd.asked.map(({ pageSize }) => pageSize)).toEqual([100, 10, 10, 10, 10, 10]);
		}
	});

	test.each([
		// In the words of the first answer, where 10 rows are refused as well.
		['400', 100, 2],
		['404', 100, 1],
		['500', 100, 1],
		['400', 10, 1],
	])('by %s, of %i rows, fails the list in %i requests', async (refuses, size, requests) => {
		const odd = listOf(45, { refuses, above: 0 });
		await expect(read(odd, { pageSize: size })).rejects.toThrow(`${size} rows of page 1`);
		expect(odd.requests).toBe(requests);
	});

	test('later leaves nothing running', async () => {
		const odd = listOf(5_000, { refuses: '500', behind: 2 });
		odd.takes = (request) => (request === 3 ? 1 : 5);
		await expect(read(odd)).rejects.toThrow('page 3');
		const { requests } = odd;
		expect(requests).toBeLessThan(10);
		await new Promise((resolve) => setTimeout(resolve, 10));
		expect(odd.requests).toBe(requests);
	});
});

// Of each page the rows, by a letter; a dot is no record.
test.each([
	['of one ID are one', 'id', 'ab bc', 'abc', 6],
	['without an ID are known by their words', 'type', 'abc cd', 'abcd', 4],
	['that say the same and have no ID are two on one page', 'type', 'aa', 'aa', 2],
	['of one ID twice on a page are one, and it is whole', 'id', 'aab', 'ab', 2],
	['that are no records end no list', 'id', '... .a. .', 'a', 3],
	['that are no records are not read for ever', 'id', '. '.repeat(99), '', 11],
])('rows %s', async (_, key, pages, expected, requests) => {
	const rowOf = (letter: string, index: number): unknown =>
		letter === '.' ? [null, 'text', []][index] : { [key]: letter };
	let asked = 0;
	const fetch = async ({ page = 1 }: PageRequest) => {
		asked += 1;
		const data = [...(pages.split(' ')[page - 1] ?? '')].map(rowOf);
		return { data, page: { page, pageSize: 3 } } as ListAnswer<Row>;
	};
	const { rows } = await read({ fetch }, { pageSize: 3, parallel: 1 });
	expect(rows).toEqual([...expected].map(rowOf));
	expect(asked).toBe(requests);
});

describe('a list that moves while it is read', () => {
	const RUNS = Number(process.env.MOVING_LISTS ?? 200);
	const MOVED = 'the list changed each time it was read';

	/** None of the rows that were there all along is missed, and none comes twice. */
	function expectAll(stayed: string[], found: string[], changes: number): void {
		const missed = stayed.filter((id) => !found.includes(id));
		const repeated = found.filter((id, index) => found.indexOf(id) !== index);
		const read = stayed.length - missed.length;
		const wrong = { lost: missed.length, doubled: repeated.length };
		tally('lists', { lists: 1, changes, rows: stayed.length, read, ...wrong });
		expect({ missed, repeated }).toEqual({ missed: [], repeated: [] });
	}

	test.each([
		['gets rows', 'right', (odd: OddList) => odd.add(), undefined],
		['gets rows that nobody counts', 'missing', (odd: OddList) => odd.add(), MOVED],
		['loses rows', 'right', (odd: OddList) => odd.rows.splice(20, 1), MOVED],
		['is sorted anew', 'right', (odd: OddList) => odd.rows.unshift(odd.rows.pop()), MOVED],
	] as const)('which %s all the time is read three times', async (_, total, move, told) => {
		const odd = listOf(95, { total });
		const before = odd.ids;
		odd.before = () => move(odd);
		const { ids, missing } = await read(odd);
		const stayed = before.filter((id) => odd.ids.includes(id));
		expectAll(stayed, ids, odd.requests);
		expect(missing).toBe(told);
		expect(odd.requests).toBeLessThan(60);
	});

	test('which only gets rows lacks none, also where what is behind its last page is refused', async () => {
		const odd = listOf(95);
		const stayed = odd.ids;
		odd.before = (request) => request % 4 === 2 && odd.add();
		const fetch = async (page: PageRequest) => {
			const answer = await odd.fetch(page);
			if (answer.data.length > 0) return answer;
			throw Object.assign(new Error('Not found'), { httpCode: '404' });
		};
		const { ids, missing } = await read({ fetch });
		expectAll(stayed, ids, odd.rows.length - 95);
		expect(missing).toBeUndefined();
	});

	test('no row that was there all along is missed or comes twice, whatever else comes and goes', async () => {
		const change = fc.record({
			before: fc.integer({ min: 1, max: 15 }),
			place: fc.nat(),
			isDeleted: fc.boolean(),
		});
		const scenes = fc.record({
			count: fc.integer({ min: 1, max: 80 }),
			pageSize: fc.integer({ min: 1, max: 20 }),
			parallel: fc.integer({ min: 1, max: 8 }),
			// Two changes between the same two requests can hide each other from any reader.
			changes: fc.uniqueArray(change, { maxLength: 5, selector: ({ before }) => before }),
			isOutOfOrder: fc.boolean(),
		});
		const holds = async (scene: SceneOf<typeof scenes>) => {
			const { count, pageSize, parallel, changes, isOutOfOrder } = scene;
			const odd = listOf(count);
			const all = odd.ids;
			if (isOutOfOrder) odd.takes = (request) => ((request * 7 + count) % 3 ? 0 : request % 4);
			let changed = 0;
			odd.before = (request) => {
				const due = changes.find(({ before }) => before === request);
				if (due === undefined) return;
				changed++;
				const index = due.place % (odd.rows.length + 1);
				odd.rows.splice(index, due.isDeleted ? 1 : 0, ...(due.isDeleted ? [] : [odd.make()]));
			};
			const { ids, missing } = await read(odd, { pageSize, parallel });
			const there = odd.ids;
			// A list that changes in each of three readings can hide a row in all of them; it says so.
			const isKnown = (id: string) => missing === undefined && there.includes(id);
			expectAll(all.filter(isKnown), ids, changed);
		};
		await fc.assert(fc.asyncProperty(scenes, holds), { numRuns: RUNS });
	}, 600_000);

	test('no row that was there is missed while others come in, whatever the gateway counts', async () => {
		const scenes = fc.record({
			count: fc.nat(130),
			total: fc.constantFrom(...totals),
			beyond: fc.constantFrom('nothing' as const, 'last page' as const),
			at: fc.uniqueArray(fc.integer({ min: 2, max: 14 }), { maxLength: 4 }),
		});
		const holds = async ({ count, at, ...habits }: SceneOf<typeof scenes>) => {
			const odd = listOf(count, habits);
			const stayed = odd.ids;
			odd.before = (request) => at.includes(request) && odd.add();
			expectAll(stayed, (await read(odd)).ids, at.length);
		};
		await fc.assert(fc.asyncProperty(scenes, holds), { numRuns: RUNS });
	}, 600_000);
});
