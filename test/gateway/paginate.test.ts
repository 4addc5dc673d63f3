import fc from 'fast-check';

import type { Listing } from '../../nodes/PaymentsGateway/gateway/paginate';
import { list } from '../../nodes/PaymentsGateway/gateway/paginate';
import type { ListAnswer, PageRequest, WebhookEvent } from '../../nodes/PaymentsGateway/wire';
import { tally } from '../reliability/tally';
import type { Habits } from './oddList';
import { OddList, TOTALS } from './oddList';

/**
 * Every list is read whole, each row once and in order, whatever a service makes of counts and page
 * sizes, and while rows come and go; by as few requests as show that nothing is left.
 */

const PLAIN: Habits = { total: 'right', caps: [], said: 'served', beyond: 'nothing' };

type Wanted = Partial<Listing<WebhookEvent, WebhookEvent>> & { pageSize?: number };

async function read({ fetch }: Pick<OddList, 'fetch'>, wanted: Wanted = {}) {
	const { pageSize = 10, ...rest } = wanted;
	const warnings: string[] = [];
	const listed = await list<WebhookEvent, WebhookEvent>({
		fetch,
		page: { pageSize },
		id: ({ eventID }) => eventID,
		shape: (row) => row,
		parallel: () => 5,
		warn: (words) => warnings.push(words),
		...rest,
	});
	return { ...listed, ids: idsOf(listed.rows), warnings };
}

const idsOf = (rows: readonly WebhookEvent[]) => rows.map(({ eventID }) => eventID);
const idsIn = (odd: OddList) => idsOf(odd.events);

/** Each `noRecord`th row is no record; 0 for none. */
function listOf(count: number, habits: Partial<Habits> = {}, noRecord = 0): OddList {
	const odd = new OddList({ ...PLAIN, ...habits });
	for (let row = 1; row <= count; row++) odd.add(noRecord === 0 || row % noRecord !== 0);
	return odd;
}

describe('a list that stands still', () => {
	const RUNS = Number(process.env.ODD_LISTS ?? 250);
	const habits = {
		count: fc.oneof(fc.nat(130), fc.nat(12)),
		total: fc.constantFrom(...TOTALS),
		said: fc.constantFrom('served' as const, 'asked' as const, 'nothing' as const),
		beyond: fc.constantFrom('nothing' as const, 'last page' as const, 'first page' as const),
		noRecord: fc.constantFrom(0, 0, 0, 2, 5, 17),
		pageSize: fc.oneof(fc.constantFrom(5, 10, 20, 40), fc.integer({ min: 1, max: 40 })),
		parallel: fc.integer({ min: 1, max: 20 }),
		cap: fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 40 })),
	};
	type Scene = {
		[K in keyof typeof habits]: (typeof habits)[K] extends fc.Arbitrary<infer V> ? V : never;
	};

	/** A page that is short and counted as all there is, by every word of the answer, is all there is. */
	function isPlain({ total, said, cap, pageSize }: Scene): boolean {
		const isCountOfPage = ['of the page', 'so far', 'too low'].includes(total);
		return said === 'served' || cap >= pageSize || !isCountOfPage;
	}

	function scene({ count, noRecord, cap, total, said, beyond }: Scene, more: Partial<Habits> = {}) {
		const caps = [{ from: 1, cap }];
		return listOf(count, { total, said, beyond, caps, ...more }, noRecord);
	}

	test('is read whole, in order, and what was left out is said once', async () => {
		await fc.assert(
			fc.asyncProperty(fc.record(habits), async (given) => {
				fc.pre(isPlain(given));
				const { count, pageSize, cap, parallel } = given;
				const odd = scene(given);
				const { ids, warnings } = await read(odd, { pageSize, parallel: () => parallel });
				expect(ids).toEqual(idsIn(odd));
				expect(warnings).toHaveLength(odd.rows.length > odd.events.length ? 1 : 0);
				expect(odd.most).toBeLessThanOrEqual(parallel);
				const pages = Math.ceil(count / Math.min(pageSize, cap)) + 1;
				// A count that changes with every page takes three readings, other odd ones two at most.
				const readings = given.total === 'growing' ? 3 : 2;
				// The last page may hold nothing but what is no record.
				expect(odd.requests).toBeLessThanOrEqual(readings * (pages + 1 + parallel));
			}),
			{ numRuns: RUNS },
		);
	});

	test('is read whole from a service with a page size of its own', async () => {
		await fc.assert(
			fc.asyncProperty(fc.record(habits), async (given) => {
				fc.pre(isPlain(given) && given.beyond === 'nothing');
				const odd = scene(given, { ignoresSize: true });
				const { ids } = await read(odd, { pageSize: given.pageSize });
				expect(ids).toEqual(idsIn(odd));
			}),
			{ numRuns: RUNS },
		);
	});

	test('is read whole where the service leaves rows out of its pages', async () => {
		const shows = fc.integer({ min: 1, max: 5 });
		await fc.assert(
			fc.asyncProperty(fc.record(habits), shows, async (given, nth) => {
				// No page comes without a row; and a short page ends a list without a count, or one that is
				// counted as all there is.
				const isOdd = ['missing', 'of the page', 'so far', 'too low'].includes(given.total);
				fc.pre(given.pageSize >= nth && !isOdd);
				const odd = scene({ ...given, noRecord: 0, cap: Infinity, said: 'asked' }, { shows: nth });
				const { ids } = await read(odd, { pageSize: given.pageSize });
				expect(ids).toEqual(idsIn(odd));
			}),
			{ numRuns: RUNS },
		);
	});

	test('gives as many of its first rows as are wanted', async () => {
		const limits = fc.integer({ min: 1, max: 150 });
		await fc.assert(
			fc.asyncProperty(fc.record(habits), limits, async (given, limit) => {
				fc.pre(isPlain({ ...given, pageSize: Math.min(limit, given.pageSize) }));
				const odd = scene(given);
				const { pageSize, parallel } = given;
				const { ids, missing } = await read(odd, { limit, pageSize, parallel: () => parallel });
				expect(ids).toEqual(idsIn(odd).slice(0, limit));
				if (ids.length === limit) expect(missing).toBeUndefined();
				const rows = odd.asked.reduce((sum, { pageSize: size = 0 }) => sum + size, 0);
				const pages = Math.ceil(limit / pageSize);
				const isPlenty = given.count >= limit && given.noRecord === 0 && given.cap >= pageSize;
				if (isPlenty) expect(rows).toBeLessThan(limit + pages);
			}),
			{ numRuns: RUNS },
		);
	});

	const asked = ({ asked: pages }: OddList) => pages.map(({ page, pageSize }) => [page, pageSize]);
	const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

	test.each<[number, number, Partial<Habits>, Wanted]>([
		[0, 1, {}, {}],
		[1, 1, {}, {}],
		[9, 1, {}, {}],
		// A full last page does not show that the list ends there; one more page does.
		[10, 2, {}, {}],
		[11, 2, {}, {}],
		[20, 3, {}, {}],
		[20_000, 201, {}, { pageSize: 100 }],
		[500, 51, { beyond: 'last page' }, {}],
		[500, 51, { beyond: 'first page' }, {}],
		// The service's default size, so perhaps a full page.
		[9, 1, { said: 'nothing' }, { pageSize: 40 }],
		[10, 2, { said: 'nothing' }, { pageSize: 40 }],
		[7, 2, { total: 'missing' }, {}],
		[95, 10, { total: 'missing' }, { parallel: () => 1 }],
		[95, 10, { caps: [{ from: 1, cap: 10 }] }, { pageSize: 100 }],
		[95, 10, { caps: [{ from: 1, cap: 10 }], said: 'nothing' }, { pageSize: 100 }],
		[95, 11, { total: 'too high' }, { parallel: () => 1 }],
	])('of %i rows takes %i requests: %j %j', async (count, requests, odd, wanted) => {
		const rows = listOf(count, odd);
		const { ids, pages, missing } = await read(rows, wanted);
		expect(ids).toEqual(idsIn(rows));
		expect([rows.requests, missing]).toEqual([requests, undefined]);
		expect(pages).toBeLessThanOrEqual(requests);
	});

	test.each([
		[1, [1]],
		[7, [7]],
		[10, [10]],
		[11, [6, 6]],
		[25, [9, 9, 9]],
		[50, [10, 10, 10, 10, 10]],
		[1_000, [10, 10, 10, 10, 10, 10, 10, 10, 10, 10]],
	])('is asked for no more than a limit of %i', async (limit, sizes) => {
		const odd = listOf(95);
		expect((await read(odd, { limit })).ids).toEqual(idsIn(odd).slice(0, limit));
		expect(odd.asked.map(({ pageSize }) => pageSize)).toEqual(sizes);
	});

	test('is asked for whole pages where it is unknown how many rows a limit takes', async () => {
		const odd = listOf(95);
		const shape = (row: WebhookEvent) => (row.eventID.endsWith('0') ? row : undefined);
		const { ids } = await read(odd, { limit: 2, filters: true, shape });
		expect(ids).toEqual(['evt_90', 'evt_80']);
		expect(asked(odd)).toEqual([
			[1, 10],
			[2, 10],
		]);
	});

	test('is asked for by the same sort, filter and search on every page', async () => {
		const page: Listing<WebhookEvent, WebhookEvent>['page'] = {
			pageSize: 10,
			sort: { field: 'email', order: 'desc' },
			filter: [{ field: 'email', operation: 'contains', value: 'x' }],
			search: 'y',
		};
		const odd = listOf(25);
		await read(odd, { page });
		expect(odd.asked).toEqual(numbers(3).map((number) => ({ ...page, page: number })));
	});

	test.each([1, 5, 20])('has %i pages under way, and page 1 alone', async (parallel) => {
		const odd = listOf(495);
		odd.takes = () => 20;
		const before: number[] = [];
		odd.before = (request) => before.push(odd.requests - request);
		await read(odd, { parallel: () => parallel });
		expect([before[0], odd.most]).toEqual([0, parallel]);
		expect(odd.asked.map(({ page }) => page)).toEqual(numbers(50));
	});

	test.each(['zero', 'missing', 'of the page', 'too low'] as const)(
		'has several pages under way where its count is of no use: %s',
		async (total) => {
			const odd = listOf(500, { total });
			expect((await read(odd)).ids).toHaveLength(500);
			expect(odd.most).toBe(5);
			expect(odd.requests).toBeLessThanOrEqual(50 + 5);
		},
	);

	test.each([1, 2, 5, 10, 50])('is read to the page that is past, page %i', async (past) => {
		const odd = listOf(5_000);
		const isPast = (rows: readonly WebhookEvent[]) =>
			rows.some(({ eventID }) => eventID === `evt_${5_000 - past * 10 + 5}`);
		const { ids, missing } = await read(odd, { isPast, parallel: () => 64 });
		expect(ids).toEqual(idsIn(odd).slice(0, past * 10));
		expect(missing).toBeUndefined();
		// Half as many in vain at most.
		expect(odd.requests).toBeLessThanOrEqual(1.5 * past + 1);
	});
});

describe('what is missing', () => {
	const COUNTS = 'the gateway counts 250 rows of the list and';

	test.each<[string, Partial<Habits>, number, string | undefined]>([
		['nothing', {}, 250, undefined],
		['pages that are refused', { refuses: '400', behind: 2 }, 200, `${COUNTS} gave out 200`],
		['the same by 404', { refuses: '404', behind: 2 }, 200, `${COUNTS} gave out 200`],
		['the same by 416', { refuses: '416', behind: 2 }, 200, `${COUNTS} gave out 200`],
		['the same by 422', { refuses: '422', behind: 2 }, 200, `${COUNTS} gave out 200`],
		['nothing where these are behind the last', { refuses: '404', behind: 3 }, 250, undefined],
		['nothing that is counted', { refuses: '404', behind: 2, total: 'missing' }, 200, undefined],
		[
			'all but page 1',
			{ ignoresPage: true },
			100,
			`${COUNTS} answers every page with the same 100`,
		],
		...(['of the page', 'so far', 'zero', 'missing', 'too low'] as const).map(
			(total): [string, Partial<Habits>, number, string] => [
				`all but page 1, total ${total}`,
				{ ignoresPage: true, total },
				100,
				'the gateway answers every page with the same 100',
			],
		),
		['nothing, by a count that is too high', { total: 'too high' }, 250, undefined],
	])('is told: %s', async (_, habits, count, words) => {
		const odd = listOf(250, habits);
		const { ids, missing } = await read(odd, { pageSize: 100 });
		expect(ids).toEqual(idsIn(odd).slice(0, count));
		expect(missing).toEqual(words && expect.stringContaining(words));
		expect(odd.requests).toBeLessThanOrEqual(8);
	});

	test('is told where a count is above nothing at all, and only for who wants it', async () => {
		const empty = listOf(0, { total: 'too high' });
		expect((await read(empty)).missing).toContain('counts 5000 rows');
		const cut = listOf(200, { total: 'too high' });
		expect((await read(cut)).missing).toContain('counts 5200 rows');
		expect((await read(cut, { limit: 201 })).missing).toContain('counts 5200 rows');
		expect((await read(cut, { limit: 200 })).missing).toBeUndefined();
		expect((await read(cut, { isPast: () => true })).missing).toBeUndefined();
	});

	test('is asked for again', async () => {
		const odd = listOf(95);
		const events = [...odd.rows];
		odd.rows.length = 0;
		odd.before = (request) => request === 2 && odd.rows.push(...events);
		const first = async (page: PageRequest) => {
			const answer = await odd.fetch(page);
			return odd.requests === 1 ? { ...answer, page: { ...answer.page, total: 95 } } : answer;
		};
		expect(await read({ fetch: first })).toMatchObject({ ids: idsIn(odd), missing: undefined });
	});

	test('is what is behind the most pages that are read', async () => {
		const odd = listOf(95);
		const { missing, pages } = await read(odd, { mostPages: 4, parallel: () => 64 });
		expect([missing, pages, odd.requests]).toEqual([expect.stringContaining('4 pages'), 4, 4]);
		expect((await read(odd, { mostPages: 10 })).missing).toBeUndefined();
		odd.before = () => odd.rows.shift();
		expect((await read(odd, { mostPages: 10 })).missing).toContain('pages');
	});
});

describe('a first page that is refused', () => {
	test.each(['400', '413', '422'])(
		'as too large by %s is asked for by 10 rows',
		async (refuses) => {
			const odd = listOf(45, { refuses, above: 30 });
			expect(await read(odd, { pageSize: 100 })).toMatchObject({ ids: idsIn(odd) });
			expect(odd.asked.map(({ pageSize }) => pageSize)).toEqual([100, 10, 10, 10, 10, 10]);
		},
	);

	test.each(['400', '422'])('all the same, by %s, fails in its first words', async (refuses) => {
		const odd = listOf(45, { refuses, above: 0 });
		await expect(read(odd, { pageSize: 100 })).rejects.toThrow('100 rows of page 1');
		expect(odd.requests).toBe(2);
	});

	test.each([
		['401', 100],
		['404', 100],
		['500', 100],
		['400', 10],
	])('by %s, asked for by %i rows, is not asked for again', async (refuses, pageSize) => {
		const odd = listOf(45, { refuses, above: 0 });
		await expect(read(odd, { pageSize })).rejects.toThrow('of page 1');
		expect(odd.requests).toBe(1);
	});
});

test.each(['401', '429', '500'])(
	'a later page that fails by %s fails the list, and leaves nothing running',
	async (refuses) => {
		const odd = listOf(5_000, { refuses, behind: 2 });
		odd.takes = (request) => (request === 3 ? 1 : 5);
		await expect(read(odd)).rejects.toThrow('page 3');
		const { requests } = odd;
		expect(requests).toBeLessThan(10);
		await new Promise((resolve) => setTimeout(resolve, 10));
		expect(odd.requests).toBe(requests);
	},
);

describe('rows', () => {
	const answers = (pages: unknown[][]) => ({
		fetch: async ({ page = 1 }: PageRequest) =>
			({ data: pages[page - 1] ?? [], page: { page, pageSize: 3 } }) as ListAnswer<WebhookEvent>,
	});
	const row = (eventID: string, type = '') => ({ eventID, type });
	const nameless = (type: string) => ({ type });

	test.each<[string, unknown[][], unknown[]]>([
		[
			'of one ID are one',
			[
				[row('a'), row('b'), row('c')],
				[row('b', 'again'), row('d')],
			],
			[row('a'), row('b'), row('c'), row('d')],
		],
		[
			'without an ID are known by their words',
			[
				[nameless('a'), nameless('b'), nameless('c')],
				[nameless('c'), nameless('d')],
			],
			['a', 'b', 'c', 'd'].map(nameless),
		],
		[
			'that say the same and have no ID are two on one page',
			[[nameless('a'), nameless('a')]],
			[nameless('a'), nameless('a')],
		],
		[
			'that are no objects end no list',
			[[null, 'text', 7], [null, row('a'), []], [null]],
			[row('a')],
		],
	])('%s', async (_, pages, expected) => {
		const { rows } = await read(answers(pages), { pageSize: 3 });
		expect(rows).toEqual(expected);
	});

	test('that are no objects are not read for ever', async () => {
		const { pages, rows } = await read(answers(Array(100).fill([null])));
		expect([rows, pages]).toEqual([[], 11]);
	});

	test('are shaped once a page was read, and those left out are not kept', async () => {
		const odd = listOf(25);
		const shape = ({ eventID }: WebhookEvent) => (eventID > 'evt_2' ? undefined : eventID);
		const { rows } = await list({
			...{ fetch: odd.fetch, page: { pageSize: 10 }, parallel: () => 5, warn: () => undefined },
			id: ({ eventID }: WebhookEvent) => eventID,
			shape,
		});
		expect(rows).toEqual(idsIn(odd).filter((id) => id <= 'evt_2'));
	});
});

describe('a list that moves while it is read', () => {
	const RUNS = Number(process.env.MOVING_LISTS ?? 200);

	/** Changes the list before a request is answered. */
	const moving = (count: number, changes: Record<number, (odd: OddList) => void>) => {
		const odd = listOf(count);
		odd.before = (request) => changes[request]?.(odd);
		return odd;
	};

	test.each<[string, (odd: OddList) => void]>([
		['a row that is deleted hides none', (odd) => odd.rows.shift()],
		['a row that comes first is found', (odd) => odd.add()],
		[
			'rows that overlap show the move where the count does not',
			(odd) => {
				odd.add();
				odd.rows.pop();
			},
		],
	])('%s', async (_, change) => {
		const odd = moving(95, { 4: change });
		const { ids, missing } = await read(odd);
		expect([ids, missing]).toEqual([idsIn(odd), undefined]);
		expect(odd.requests).toBeLessThanOrEqual(21);
	});

	test('is read three times, and then holds every row that stayed', async () => {
		const odd = listOf(95);
		const stayed = idsIn(odd);
		odd.before = () => odd.add();
		const { ids, missing } = await read(odd);
		expect(wrongWith(ids, stayed, odd.requests)).toEqual({ missed: [], repeated: [] });
		expect(missing).toBe('the list changed each time it was read');
		expect(odd.requests).toBeLessThan(60);
	});

	/** What went wrong with the rows that were there all along. */
	function wrongWith(found: string[], stayed: string[], changes: number) {
		const missed = stayed.filter((id) => !found.includes(id));
		const repeated = found.filter((id, index) => found.indexOf(id) !== index);
		const counts = { missed: missed.length, repeated: repeated.length };
		tally('lists', { lists: 1, changes, rows: stayed.length, ...counts });
		return { missed, repeated };
	}

	test('no row that was there all along is missed or comes twice, whatever else comes and goes', async () => {
		const change = fc.record({
			before: fc.integer({ min: 1, max: 15 }),
			place: fc.nat(),
			kind: fc.constantFrom('insert', 'delete'),
		});
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 80 }),
				fc.integer({ min: 1, max: 20 }),
				fc.integer({ min: 1, max: 8 }),
				// Two changes between the same two requests can hide each other from any reader.
				fc.uniqueArray(change, { maxLength: 5, selector: ({ before }) => before }),
				fc.boolean(),
				async (count, pageSize, parallel, changes, outOfOrder) => {
					const odd = listOf(count);
					const all = idsIn(odd);
					if (outOfOrder) odd.takes = (request) => ((request * 7 + count) % 3 ? 0 : request % 4);
					let changed = 0;
					odd.before = (request) => {
						const due = changes.find(({ before }) => before === request);
						if (due === undefined) return;
						changed++;
						const index = due.place % (odd.rows.length + 1);
						if (due.kind === 'delete') odd.rows.splice(index, 1);
						else odd.rows.splice(index, 0, odd.make());
					};
					const { ids } = await read(odd, { pageSize, parallel: () => parallel });
					const there = idsIn(odd);
					const stayed = all.filter((id) => there.includes(id));
					expect(wrongWith(ids, stayed, changed)).toEqual({ missed: [], repeated: [] });
				},
			),
			{ numRuns: RUNS },
		);
	}, 600_000);

	test('no row that was there is missed while others come in, whatever the service counts', async () => {
		const arrivals = fc.uniqueArray(fc.integer({ min: 2, max: 14 }), { maxLength: 4 });
		const habits = {
			total: fc.constantFrom(...TOTALS),
			beyond: fc.constantFrom('nothing', 'last page'),
		};
		await fc.assert(
			fc.asyncProperty(fc.nat(130), fc.record(habits), arrivals, async (count, odds, at) => {
				const odd = listOf(count, odds as Partial<Habits>);
				const stayed = idsIn(odd);
				odd.before = (request) => at.includes(request) && odd.add();
				const { ids } = await read(odd);
				expect(wrongWith(ids, stayed, at.length)).toEqual({ missed: [], repeated: [] });
			}),
			{ numRuns: RUNS },
		);
	}, 600_000);
});
