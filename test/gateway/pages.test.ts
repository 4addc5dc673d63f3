import fc from 'fast-check';

import type { Reading } from '../../nodes/PaymentsGateway/gateway/pages';
import { contentOf, startReading, turnPage } from '../../nodes/PaymentsGateway/gateway/pages';
import { list } from '../../nodes/PaymentsGateway/gateway/paginate';
import { takeBaseline } from '../../nodes/PaymentsGateway/trigger/baseline';
import { catchUp } from '../../nodes/PaymentsGateway/trigger/catchUp';
import { startAt } from '../../nodes/PaymentsGateway/trigger/cursor';
import type { Cursor } from '../../nodes/PaymentsGateway/trigger/cursor';
import { EventList } from '../../nodes/PaymentsGateway/trigger/eventList';
import { Pace } from '../../nodes/PaymentsGateway/trigger/pace';
import type { ListAnswer, WebhookEvent } from '../../nodes/PaymentsGateway/wire';
import type { Habits } from './oddList';
import { OddList, TOTALS } from './oddList';

/**
 * One rule says where a list ends and how large its pages are. Return All and the trigger read by
 * it, and each sees every row exactly once, whatever a
 * service makes of sizes and totals.
 */

const RUNS = Number(process.env.ODD_LISTS ?? 250);
const DAYS = 86_400_000;

interface Scene extends Habits {
	count: number;
	/** Each so manyth row is no record; 0 for none. */
	noRecord: number;
	pageSize: number;
	parallel: number;
}

interface Seen {
	ids: unknown[];
	warnings: string[];
}

/** Reads all there is, by one of those that read lists. */
type Reader = (odd: OddList, scene: Pick<Scene, 'pageSize' | 'parallel'>) => Promise<Seen>;

const returnAll: Reader = async (odd, { pageSize, parallel }) => {
	const warnings: string[] = [];
	const rows = await list<WebhookEvent, WebhookEvent>({
		fetch: odd.fetch,
		page: { pageSize },
		id: ({ eventID }) => eventID,
		shape: (row) => row,
		parallel: () => parallel,
		warn: (words) => warnings.push(words),
	});
	return { ids: rows.map(({ eventID }) => eventID), warnings };
};

const openList = (odd: OddList, pageSize: number, cursor?: Cursor, warnings: string[] = []) =>
	new EventList(
		pageSize,
		cursor?.pageSize,
		async (page, size) => ({
			reply: { answer: await odd.fetch({ page, pageSize: size }), date: OddList.now },
		}),
		(words) => new Error(words),
		new Pace(Infinity),
		(words) => warnings.push(words),
	);

const LAST_ARRIVAL = 14;
const LIMITS = { lookBackMs: 30 * DAYS, maxEvents: 1_000, isWanted: () => true };

/** Polls from a cursor on until nothing more fires. */
async function pollOut(odd: OddList, pageSize: number, from: Cursor): Promise<Seen> {
	const ids: string[] = [];
	const warnings: string[] = [];
	let cursor = from;
	// Some tests let events come in up to the request after which none does.
	for (let quiet = 0; quiet < 2 || odd.requests <= LAST_ARRIVAL;) {
		const list = openList(odd, pageSize, cursor, warnings);
		const glance = openList(odd, 10, cursor, warnings);
		const { events, cursor: next } = await catchUp(cursor, { list, glance }, LIMITS);
		ids.push(...events.map(({ eventID }) => eventID));
		quiet = events.length === 0 && next.ahead === 0 ? quiet + 1 : 0;
		cursor = next;
	}
	return { ids: ids.reverse(), warnings };
}

const trigger: Reader = async (odd, { pageSize }) => await pollOut(odd, pageSize, startAt('s', 0));

const READERS: Record<string, Reader> = {
	'Return All': returnAll,
	'the trigger': trigger,
};
const names = Object.keys(READERS);
const readerOf = (name: string) => READERS[name] ?? returnAll;

const totals = fc.constantFrom(...TOTALS);
const habits = {
	count: fc.oneof(fc.nat(130), fc.nat(12)),
	total: totals,
	said: fc.constantFrom('served' as const, 'asked' as const, 'nothing' as const),
	beyond: fc.constantFrom('nothing' as const, 'last page' as const, 'first page' as const),
	noRecord: fc.constantFrom(0, 0, 0, 2, 5, 17),
	pageSize: fc.constantFrom(5, 10, 20, 40),
	parallel: fc.integer({ min: 1, max: 20 }),
};
const oneCap = fc.oneof(
	fc.constant<Scene['caps']>([]),
	fc.integer({ min: 2, max: 40 }).map((cap) => [{ from: 1, cap }]),
);
const fallingCaps = fc
	.tuple(
		fc.integer({ min: 20, max: 60 }),
		fc.integer({ min: 2, max: 20 }),
		fc.integer({ min: 2, max: 8 }),
	)
	.map(([high, low, from]) => [
		{ from: 1, cap: high },
		{ from, cap: low },
	]);

/** The service always counts more rows than there are. */
const countsMore = ({ total }: Pick<Scene, 'total'>) => total === 'too high' || total === 'growing';

/** A page that is short and counted as all there is, by every word of the answer, is all there is. */
function isPlain({ total, said, caps, pageSize }: Scene): boolean {
	const isCountOfPage = ['of the page', 'so far', 'too low'].includes(total);
	const isServed = said === 'served' || caps.every(({ cap }) => cap >= pageSize);
	return isServed || !isCountOfPage;
}

function listOf({ count, noRecord, ...rest }: Scene): OddList {
	const odd = new OddList(rest);
	for (let row = 1; row <= count; row++) odd.add(noRecord === 0 || row % noRecord !== 0);
	return odd;
}

const idsIn = (odd: OddList) => odd.events.map(({ eventID }) => eventID);

function pagesOf({ caps, pageSize }: Scene, rows: number): number {
	const size = Math.min(pageSize, ...caps.map(({ cap }) => cap));
	return Math.ceil(rows / size) + 1;
}

describe.each(names)('%s', (name) => {
	const read = readerOf(name);

	test('sees each row once, in order, and says once what was left out', async () => {
		await fc.assert(
			fc.asyncProperty(fc.record({ ...habits, caps: oneCap }), async (scene) => {
				fc.pre(isPlain(scene));
				const odd = listOf(scene);
				const { ids, warnings } = await read(odd, scene);
				expect(ids).toEqual(idsIn(odd));
				const isDropped = odd.rows.length > odd.events.length;
				const isMissing = name === 'Return All' && countsMore(scene);
				if (name !== 'the trigger') {
					expect(warnings).toHaveLength((isDropped ? 1 : 0) + (isMissing ? 1 : 0));
				}
				// Beside rows that are no records it takes two repeated pages to end a list.
				const more = scene.noRecord > 0 && scene.beyond !== 'nothing' ? 1 : 0;
				const pages = pagesOf(scene, odd.rows.length) + more;
				// Odd counts and repeated pages take a second reading, a count that changes with every
				// page a third, the trigger's doubts some more.
				const asked = scene.total === 'growing' ? 3 : 2;
				const readings = name === 'the trigger' ? 20 : asked;
				const ahead = scene.total === 'too high' ? scene.parallel : 1;
				expect(odd.requests).toBeLessThanOrEqual(readings * (2 * pages + ahead));
			}),
			{ numRuns: RUNS },
		);
	}, 120_000);

	test('sees each row once on a service with a page size of its own', async () => {
		const scenes = fc.record({ ...habits, caps: oneCap, ignoresSize: fc.constant(true) });
		await fc.assert(
			fc.asyncProperty(scenes, async (scene) => {
				fc.pre(isPlain(scene) && scene.beyond === 'nothing');
				const odd = listOf(scene);
				const { ids } = await read(odd, scene);
				expect(ids).toEqual(idsIn(odd));
			}),
			{ numRuns: RUNS },
		);
	}, 120_000);

	test('sees each row once when the page size falls meanwhile', async () => {
		await fc.assert(
			fc.asyncProperty(fc.record({ ...habits, caps: fallingCaps }), async (scene) => {
				fc.pre(isPlain(scene));
				const odd = listOf(scene);
				const { ids } = await read(odd, scene);
				expect(ids).toEqual(idsIn(odd));
				const pages = pagesOf(scene, odd.rows.length);
				const readings = name === 'the trigger' ? 25 : 4;
				expect(odd.requests).toBeLessThanOrEqual(readings * (2 * pages + scene.parallel));
			}),
			{ numRuns: RUNS },
		);
	}, 120_000);

	test('sees each row once where the service leaves rows out of its pages', async () => {
		const scenes = fc.record({
			...habits,
			count: fc.nat(300),
			said: fc.constantFrom(
				'served' as const,
				'asked' as const,
				'nothing' as const,
				'rows' as const,
			),
			noRecord: fc.constant(0),
			caps: fc.constant<Scene['caps']>([]),
			shows: fc.integer({ min: 1, max: 5 }),
		});
		await fc.assert(
			fc.asyncProperty(scenes, async (scene) => {
				const isCountOfPage = ['of the page', 'so far', 'too low'].includes(scene.total);
				// No page that is asked for comes without a row.
				fc.pre(scene.shows ** 2 <= scene.pageSize);
				fc.pre(isPlain(scene) && (scene.said === 'rows' || !isCountOfPage));
				const odd = listOf(scene);
				const { ids } = await read(odd, scene);
				expect(ids).toEqual(idsIn(odd));
			}),
			{ numRuns: RUNS },
		);
	}, 120_000);

	test('sees each row that stays once while others come in', async () => {
		const arrivals = fc.uniqueArray(fc.integer({ min: 2, max: LAST_ARRIVAL }), { maxLength: 4 });
		await fc.assert(
			fc.asyncProperty(fc.record({ ...habits, caps: oneCap }), arrivals, async (scene, at) => {
				fc.pre(isPlain(scene));
				const odd = listOf(scene);
				const stayed = idsIn(odd);
				odd.before = (request) => {
					if (at.includes(request)) odd.add();
				};
				const { ids } = await read(odd, scene);
				expect(ids.filter((id) => stayed.includes(String(id)))).toEqual(stayed);
				expect(new Set(ids).size).toBe(ids.length);
				if (name === 'the trigger') expect(new Set(ids)).toEqual(new Set(idsIn(odd)));
			}),
			{ numRuns: RUNS },
		);
	}, 120_000);

	test.each(TOTALS)(
		'does not take a service that ignores pages for a whole list, total %s',
		async (total) => {
			const odd = new OddList({
				total,
				caps: [],
				said: 'served',
				beyond: 'nothing',
				ignoresPage: true,
			});
			for (let row = 0; row < 250; row++) odd.add();
			const reading = read(odd, { pageSize: 100, parallel: 5 });
			if (name === 'Return All') {
				// Which hands over what there is to be had.
				expect((await reading).ids).toEqual(idsIn(odd).slice(0, 100));
			} else {
				await expect(reading).rejects.toThrow(/same (rows|events)/);
			}
			expect(odd.requests).toBeLessThan(15);
		},
	);
});

describe('the trigger, from an activation on', () => {
	test('fires what came since then, and nothing else, also when the page size falls', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.record({ ...habits, caps: fallingCaps }),
				fc.nat(120),
				async (scene, count) => {
					fc.pre(isPlain(scene) && scene.count > 0);
					const odd = listOf(scene);
					const cursor = await takeBaseline(openList(odd, scene.pageSize), 's', LIMITS.lookBackMs);
					const came = Array.from({ length: count }, () => odd.add()?.eventID ?? '');
					const { ids } = await pollOut(odd, scene.pageSize, cursor);
					expect(ids).toEqual(came.reverse());
				},
			),
			{ numRuns: RUNS },
		);
	}, 120_000);
});

describe('several pages at once', () => {
	test.each(['zero', 'missing', 'of the page', 'too low'] as const)(
		'also where the total is of no use: %s',
		async (total) => {
			const odd = new OddList({ total, caps: [], said: 'served', beyond: 'nothing' });
			for (let row = 0; row < 500; row++) odd.add();
			let inFlight = 0;
			let most = 0;
			await list<WebhookEvent, WebhookEvent>({
				fetch: async (page) => {
					most = Math.max(most, ++inFlight);
					const answer = await odd.fetch(page);
					inFlight--;
					return answer;
				},
				page: { pageSize: 10 },
				id: ({ eventID }) => eventID,
				shape: (row) => row,
				parallel: () => 5,
				warn: () => undefined,
			});
			expect(most).toBe(5);
			expect(odd.requests).toBeLessThanOrEqual(50 + 5);
		},
	);
});

describe('what an answer says of its list', () => {
	const rows = [{ id: 'a' }, { id: 'b' }];
	const sizes = (page: unknown, data: unknown[] = rows) => {
		const { total, saidSize } = contentOf({ data, page } as ListAnswer<object>);
		return [total, saidSize];
	};

	test.each([
		[{ total: 7, pageSize: 2 }, [7, 2]],
		[{ total: '7', pageSize: '50' }, [7, 50]],
		[{ total: 0, pageSize: 0 }, [0, undefined]],
		// Fewer than there are on the page.
		[{ total: 1, pageSize: 1 }, [1, undefined]],
		[{ total: -1, pageSize: -100 }, [undefined, undefined]],
		[{ total: 7.5, pageSize: 99.5 }, [undefined, undefined]],
		[{ total: Infinity, pageSize: NaN }, [undefined, undefined]],
		[{ total: 'of 7', pageSize: '100 rows' }, [undefined, undefined]],
		[{ total: '', pageSize: ' 100' }, [undefined, undefined]],
		[{ total: '0x10', pageSize: '1e3' }, [undefined, undefined]],
		[{ total: null, pageSize: [100] }, [undefined, undefined]],
		[{}, [undefined, undefined]],
		[undefined, [undefined, undefined]],
		['7', [undefined, undefined]],
	])('%j', (page, expected) => {
		expect(sizes(page)).toEqual(expected);
	});

	test('is no page size where the page is empty and none is said', () => {
		expect(sizes({ pageSize: 0 }, [])).toEqual([undefined, undefined]);
		expect(sizes({ pageSize: 1 }, [])).toEqual([undefined, 1]);
	});

	test('leaves out what is no record, and counts it', () => {
		const data = [null, rows[0], 'x', 7, [], rows[1]] as object[];
		expect(contentOf({ data, page: {} } as ListAnswer<object>)).toMatchObject({ rows, dropped: 4 });
	});
});

describe('what is concluded from the pages of a list, read by 100 rows', () => {
	type Page = { rows: number; number?: number } & Partial<Parameters<typeof turnPage>[1]>;
	const after = (pages: readonly Page[]) =>
		pages.reduce(
			(reading, page) =>
				turnPage(reading, {
					...{ number: reading.page + 1, dropped: 0, repeated: 0 },
					...{ saidSize: undefined, total: undefined },
					...page,
				}),
			startReading(100),
		);
	const page = (rows: number, more: Partial<Page> = {}): Page => ({ rows, ...more });

	const CASES: Array<[string, Page[], Partial<Reading>]> = [
		['a full page says that more follows', [page(100)], { size: 100, isFull: true, isEnd: false }],
		['a page of none ends the list', [page(0)], { isEnd: true, isBrokenOff: false }],
		['unless rows are counted', [page(0, { total: 40 })], { isEnd: true, isBrokenOff: true }],
		['a short page may be a full one', [page(30, { total: 30 })], { size: 30, isGuess: true }],
		['not below the default of ten', [page(7, { total: 7 })], { size: 100, isEnd: true }],
		[
			'nor where a size is said',
			[page(30, { total: 30, saidSize: 100 })],
			{ size: 100, isEnd: true, total: 30 },
		],
		['a size that is said counts', [page(50, { saidSize: 50 })], { asking: 50, isGuess: false }],
		['a larger page is taken as it is', [page(200)], { asking: 100, size: 200 }],
		[
			'also where its size is said',
			[page(200, { saidSize: 200 }), page(200, { saidSize: 200, repeated: 1 })],
			{ asking: 100, size: 200 },
		],
		[
			'a count of one page is none',
			[page(100, { total: 100 })],
			{ total: undefined, isEnd: false },
		],
		[
			'a short page ends what was counted',
			[page(100, { total: 250 }), page(100, { total: 250 }), page(50, { total: 250 })],
			{ isEnd: true, total: 250, isBrokenOff: false, hasMoved: false },
		],
		[
			'also where rows were seen twice',
			[page(100, { total: 150 }), page(60, { repeated: 10, total: 150 })],
			{ isEnd: true, hasMoved: true },
		],
		[
			'a full page of less than is counted is no end',
			[page(100, { total: 250 }), page(100, { total: 250 })],
			{ isEnd: false, isBrokenOff: false },
		],
		[
			'nothing after a full page, and more counted, is a list that broke off',
			[page(100, { total: 250 }), page(100, { total: 250 }), page(0)],
			{ isEnd: true, isBrokenOff: true },
		],
		[
			'another count is a list that moved',
			[page(100, { total: 250 }), page(100, { total: 249 })],
			{ isRecounted: true, hasMoved: true },
		],
		['so is a row seen twice', [page(100), page(100, { repeated: 1 })], { hasMoved: true }],
		['so are rows after a short page', [page(100), page(60), page(10)], { hasMoved: true }],
		['and not nothing after it', [page(100), page(60), page(0)], { hasMoved: false, isEnd: true }],
		[
			'the same page again is the end, or no other can be had',
			[page(100), page(100, { repeated: 100 })],
			{ isRepeat: true, isStuck: true },
		],
		[
			'it can where pages were different',
			[page(100), page(100), page(100, { repeated: 100 })],
			{ isRepeat: true, isStuck: false },
		],
		[
			'and where the page is short',
			[page(30, { number: 3 }), page(30, { repeated: 30 })],
			{ isRepeat: true, isStuck: false },
		],
		[
			'rows beside those left out may just have moved down',
			[page(90, { dropped: 10 }), page(90, { dropped: 10, repeated: 90 })],
			{ isRepeat: false },
		],
		[
			'once, and not twice',
			[
				page(90, { dropped: 10 }),
				page(90, { dropped: 10, repeated: 90 }),
				page(90, { dropped: 10, repeated: 90 }),
			],
			{ isRepeat: true },
		],
		[
			'a later page may say how many rows it has',
			[page(100), page(50, { saidSize: 50 })],
			{ size: 100, isResized: false },
		],
		[
			'with rows seen before, pages became smaller',
			[page(100), page(50, { saidSize: 50, repeated: 50 })],
			{ size: 50, isResized: true, resizes: 1, hasMoved: true },
		],
		[
			'and on a page that is no neighbour',
			[page(100), page(50, { number: 5, saidSize: 50 })],
			{ size: 50, isResized: true },
		],
		[
			'the same small page again was no small page',
			[page(50, { saidSize: 50 }), page(50, { saidSize: 50, repeated: 50 })],
			{ asking: 100, isResized: true, resizes: 2 },
		],
		[
			'a list read from its third page on ends where that was full',
			[page(100, { number: 3 }), page(20, { total: 320 })],
			{ isEnd: true },
		],
		['and not where it was short', [page(20, { number: 3, total: 220 })], { isEnd: false }],
	];

	test.each(CASES)('%s', (_, pages, expected) => {
		expect(after(pages)).toMatchObject(expected);
	});
});
