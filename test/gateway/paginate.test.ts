import fc from 'fast-check';
import { sleep } from 'n8n-workflow';

import type { Listing } from '../../nodes/PaymentsGateway/gateway/paginate';
import { list } from '../../nodes/PaymentsGateway/gateway/paginate';
import type { ListAnswer, PageRequest } from '../../nodes/PaymentsGateway/wire';
import { tally } from '../reliability/tally';

interface Row {
	id: string;
}

interface Habits {
	/** The most rows on a page, and whether the answer says so. */
	cap?: number;
	saysSize?: boolean;
	/** What the answer's total is, given how many rows there are. */
	total?: (count: number) => unknown;
	/** What comes for a page after the last. */
	beyond?: 'nothing' | 'last page' | 'first page';
	/** Milliseconds that each page takes. */
	slow?: number;
	/** Answers overtake each other. */
	outOfOrder?: boolean;
	/** Changes the list just before this request, counted from 0, is answered. */
	before?: (request: number, rows: Row[]) => void;
}

const rowsUpTo = (count: number): Row[] =>
	Array.from({ length: count }, (_, index) => ({ id: `c${index}` }));
const idsOf = (rows: readonly Row[]) => rows.map(({ id }) => id);

/** A list in memory, cut anew for every request as a service does. */
function service(rows: Row[], habits: Habits = {}) {
	const {
		cap = Infinity,
		saysSize = true,
		beyond = 'nothing',
		slow = 0,
		outOfOrder = false,
		before,
	} = habits;
	const total = habits.total ?? ((count: number) => count);
	const seen = { asked: [] as PageRequest[], inFlight: 0, most: 0, moments: [] as number[][] };
	let moment: number[] | undefined;
	const fetch = async (request: PageRequest): Promise<ListAnswer<Row>> => {
		const number = seen.asked.push(request) - 1;
		seen.most = Math.max(seen.most, ++seen.inFlight);
		if (moment === undefined) seen.moments.push((moment = []));
		moment.push(request.page ?? 1);
		await new Promise((resolve) => setImmediate(resolve));
		moment = undefined;
		if (slow > 0) await sleep(slow);
		if (outOfOrder && (number * 7 + rows.length) % 3 === 0) await sleep((number * 5) % 4);
		seen.inFlight -= 1;
		before?.(number, rows);
		const { page = 1, pageSize: asked = 10 } = request;
		const pageSize = Math.min(asked, cap);
		const pages = Math.max(1, Math.ceil(rows.length / pageSize));
		const served =
			page <= pages || beyond === 'nothing' ? page : beyond === 'last page' ? pages : 1;
		const from = (served - 1) * pageSize;
		const answer = {
			data: rows.slice(from, from + pageSize),
			page: {
				total: total(rows.length),
				range: { from: 0, to: 0 },
				page,
				...(saysSize ? { pageSize } : {}),
			},
		};
		// As it would come from the service, whatever the types promise.
		return JSON.parse(JSON.stringify(answer)) as ListAnswer<Row>;
	};
	const read = async (wanted: Partial<Listing<Row, Row>> & { pageSize?: number } = {}) => {
		const { pageSize = 10, ...rest } = wanted;
		const found = await list<Row, Row>({
			fetch,
			page: { pageSize },
			id: ({ id }) => id,
			shape: (row) => row,
			parallel: () => 5,
			warn: () => undefined,
			...rest,
		});
		return idsOf(found);
	};
	const pagesAsked = () => seen.asked.map(({ page }) => page);
	return { read, seen, pagesAsked };
}

describe('all rows of a list that stands still', () => {
	test('reads the first page alone, then the rest in parallel, each page one time', async () => {
		const rows = rowsUpTo(95);
		const { read, seen, pagesAsked } = service(rows, { slow: 50 });
		expect(await read()).toEqual(idsOf(rows));
		expect(pagesAsked()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
		expect(seen.most).toBe(5);
	});

	test.each([1, 2, 20])('has at most %i pages under way', async (parallel) => {
		const { read, seen } = service(rowsUpTo(500), { slow: 10 * parallel });
		await read({ parallel: () => parallel });
		expect(seen.most).toBe(parallel);
	});

	test.each([
		[0, 1],
		[1, 1],
		[9, 1],
		// A full last page does not show that the list ends there; one more page does.
		[10, 2],
		[11, 2],
		[20, 3],
	])('%i rows in pages of 10 take %i requests', async (count, requests) => {
		const { read, seen } = service(rowsUpTo(count));
		expect(await read()).toHaveLength(count);
		expect(seen.asked).toHaveLength(requests);
	});

	test.each([
		// The service's default size, so perhaps a full page: one more shows it.
		[9, 1],
		[10, 2],
	])('%i rows, counted but of no stated size, take %i requests', async (count, requests) => {
		const { read, seen } = service(rowsUpTo(count), { saysSize: false });
		expect(await read({ pageSize: 40 })).toHaveLength(count);
		expect(seen.asked).toHaveLength(requests);
	});

	test('5,000 rows in pages of 100 take 51 requests', async () => {
		const { read, seen } = service(rowsUpTo(5000));
		expect(await read({ pageSize: 100 })).toHaveLength(5000);
		expect(seen.asked).toHaveLength(51);
	});

	test.each(['last page', 'first page'] as const)(
		'a service that answers its %s again beyond the end costs no second reading',
		async (beyond) => {
			const { read, seen } = service(rowsUpTo(500), { beyond });
			expect(await read()).toHaveLength(500);
			expect(seen.asked).toHaveLength(51);
		},
	);

	test('as many go at once as were read a moment ago', async () => {
		const { read, seen } = service(rowsUpTo(495), { slow: 20 });
		expect(await read({ parallel: () => 64, pagesBefore: 50 })).toHaveLength(495);
		expect(seen.moments.map(({ length }) => length)).toEqual([1, 49]);
	});

	test('hardly more are read than seem to be wanted, and more when that was too few', async () => {
		let pages = 0;
		// Page 7 is the last one that is wanted, whatever was said of it before.
		const pagesLeft = () => [5, 1, 1, 2, 1, 3, 0][pages++] ?? 0;
		const { read, pagesAsked } = service(rowsUpTo(5000), { slow: 20 });
		expect(await read({ parallel: () => 64, pagesLeft })).toHaveLength(70);
		expect(pagesAsked()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
	});

	test('a total that is too high does not shrink the pages to the size of the last one', async () => {
		const { read, seen } = service(rowsUpTo(91), { total: () => 10_000 });
		expect(await read()).toHaveLength(91);
		expect(new Set(seen.asked.map(({ pageSize }) => pageSize))).toEqual(new Set([10]));
	});

	test('sends sort, filter and search with every page', async () => {
		const page: PageRequest & { pageSize: number } = {
			pageSize: 10,
			sort: { field: 'email', order: 'desc' },
			filter: [{ field: 'email', operation: 'contains', value: 'x' }],
			search: 'y',
		};
		const { read, seen } = service(rowsUpTo(25));
		await read({ page });
		expect(seen.asked).toEqual([1, 2, 3].map((number) => ({ ...page, page: number })));
	});

	test('a smaller page size that the answer names is adopted, nothing is read twice', async () => {
		const { read, seen } = service(rowsUpTo(95), { cap: 10 });
		expect(await read({ pageSize: 100 })).toHaveLength(95);
		expect(seen.asked.map(({ pageSize }) => pageSize)).toEqual([100, ...Array(9).fill(10)]);
		expect(seen.asked).toHaveLength(10);
	});

	test('a smaller page size that the answer keeps to itself is found out', async () => {
		const { read, seen } = service(rowsUpTo(95), { cap: 10, saysSize: false });
		expect(await read({ pageSize: 100 })).toEqual(idsOf(rowsUpTo(95)));
		expect(seen.asked).toHaveLength(10);
	});

	test('a short first page without a total takes one more request to be believed', async () => {
		const { read, seen } = service(rowsUpTo(7), { total: () => undefined });
		expect(await read()).toHaveLength(7);
		expect(seen.asked).toHaveLength(2);
	});

	test('a total that only the first page tells is kept for the others', async () => {
		let calls = 0;
		const { read, seen } = service(rowsUpTo(95), {
			total: (count) => (calls++ === 0 ? count : undefined),
		});
		expect(await read()).toHaveLength(95);
		expect(seen.asked).toHaveLength(10);
	});

	test('a service that always answers the first page ends the reading', async () => {
		const rows = rowsUpTo(10);
		const fetch = jest.fn(async () => ({
			data: rows,
			page: { total: 5000, range: { from: 0, to: 10 }, page: 1, pageSize: 10 },
		}));
		const found = await list<Row, Row>({
			fetch,
			page: { pageSize: 10 },
			id: ({ id }) => id,
			shape: (row) => row,
			parallel: () => 5,
			warn: () => undefined,
		});
		expect(idsOf(found)).toEqual(idsOf(rows));
		expect(fetch.mock.calls.length).toBeLessThanOrEqual(12);
	});

	test('rows without an ID are all kept, and repeats of them still end the reading', async () => {
		const nameless = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name }) as unknown as Row);
		const fetch = async ({ page = 1 }: PageRequest) => ({
			data: page === 1 ? nameless.slice(0, 3) : nameless.slice(3),
			page: { total: 5, range: { from: 0, to: 0 }, page, pageSize: 3 },
		});
		const found = await list<Row, Row>({
			fetch,
			page: { pageSize: 3 },
			id: ({ id }) => id,
			shape: (row) => row,
			parallel: () => 5,
			warn: () => undefined,
		});
		expect(found).toEqual(nameless);
	});

	test('rows that say the same and have no ID are two on one page', async () => {
		const twins = [{ name: 'a' }, { name: 'a' }] as unknown as Row[];
		const { read } = service(twins);
		expect(await read()).toHaveLength(2);
	});

	test('whatever a service says of totals and sizes, all rows come once and in order', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.record({
					count: fc.nat(130),
					pageSize: fc.integer({ min: 1, max: 40 }),
					cap: fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 40 })),
					saysSize: fc.boolean(),
					parallel: fc.integer({ min: 1, max: 20 }),
					beyond: fc.constantFrom('nothing', 'last page', 'first page'),
					total: fc.constantFrom<(count: number) => unknown>(
						(count) => count,
						() => 0,
						() => undefined,
						() => null,
						() => -1,
						(count) => String(count),
						(count) => Math.floor(count / 2),
						(count) => count * 3,
						() => 10_000,
					),
				}),
				async ({ count, pageSize, parallel, ...habits }) => {
					const { cap, total } = habits;
					// A short page that holds exactly the total is the end, or every lookup would ask twice.
					fc.pre(cap >= pageSize || cap >= count || Number(total(count)) !== cap);
					const rows = rowsUpTo(count);
					const { read, seen } = service(rows, habits);
					expect(await read({ pageSize, parallel: () => parallel })).toEqual(idsOf(rows));
					expect(seen.most).toBeLessThanOrEqual(parallel);
					const pages = Math.ceil(count / Math.min(pageSize, cap)) + 1;
					expect(seen.asked.length).toBeLessThanOrEqual(3 * (pages + parallel));
				},
			),
			{ numRuns: 250 },
		);
	});
});

/** Page by page, as given; the count is of all there should be. */
function given<R extends Row>(
	pages: Array<R[] | Error>,
	{ total, pageSize = 2 }: { total?: number; pageSize?: number } = {},
) {
	const warnings: string[] = [];
	let requests = 0;
	const fetch = async ({ page = 1 }: PageRequest) => {
		requests += 1;
		const data = pages[page - 1] ?? [];
		if (data instanceof Error) throw data;
		return { data, page: { page, pageSize, total } } as ListAnswer<R>;
	};
	const read = async (wanted: Partial<Listing<R, R>> = {}) =>
		await list<R, R>({
			fetch,
			page: { pageSize },
			id: ({ id }) => id,
			shape: (row) => row,
			parallel: () => 1,
			warn: (words) => warnings.push(words),
			...wanted,
		});
	return { read, warnings, requests: () => requests };
}

const refusal = (httpCode: string) => Object.assign(new Error('Invalid page'), { httpCode });
const [a, b, c, d] = rowsUpTo(4) as [Row, Row, Row, Row];

describe('a service that refuses a page after the last one', () => {
	test.each(['400', '404', '416', '422'])('by a %s ends the list there', async (status) => {
		for (const total of [undefined, 4]) {
			const pages = [[a, b], [c, d], refusal(status)];
			const { read, warnings, requests } = given(pages, total === undefined ? {} : { total });
			expect(await read()).toEqual([a, b, c, d]);
			expect(warnings).toEqual([]);
			expect(requests()).toBe(3);
		}
	});

	test('and counts rows on it has failed, also for a part of them', async () => {
		const { read } = given([[a, b], refusal('404')], { total: 4 });
		await expect(read()).rejects.toThrow('Invalid page');
		await expect(read({ limit: 3 })).rejects.toThrow('Invalid page');
		await expect(read({ limit: 2 })).resolves.toEqual([a, b]);
	});

	test('gives out the first one, and fails by no other error', async () => {
		await expect(given([refusal('404')]).read()).rejects.toThrow('Invalid page');
		for (const status of ['401', '429', '500']) {
			await expect(given([[a, b], refusal(status)]).read()).rejects.toThrow('Invalid page');
		}
	});

	test('is asked again where the list has become shorter meanwhile', async () => {
		const pages = [[a, b], [c, d], refusal('404')];
		let total = 6;
		const { read } = given(pages);
		const fetch = async ({ page = 1 }: PageRequest) => {
			const data = pages[page - 1];
			if (data instanceof Error) {
				total = 4;
				throw data;
			}
			return { data: data ?? [], page: { page, pageSize: 2, total } } as ListAnswer<Row>;
		};
		expect(await read({ fetch })).toEqual([a, b, c, d]);
	});
});

describe('a list that breaks off before rows that it counts', () => {
	const BROKEN: Array<[string, Row[][], number]> = [
		['before the first', [], 4],
		['behind a full page', [[a, b]], 4],
		[
			'by the same page for ever',
			[
				[a, b],
				[a, b],
				[a, b],
				[a, b],
			],
			8,
		],
	];

	test.each(BROKEN)('%s is read again, and its reader is told', async (_, pages, total) => {
		const { read, warnings, requests } = given(pages, { total });
		const found = pages[0] ?? [];
		const brokeOff = jest.fn();
		expect(await read({ brokeOff })).toEqual(found);
		expect(brokeOff.mock.calls).toEqual([[{ found, isEmpty: found.length === 0, total }]]);
		expect(warnings).toEqual([]);
		expect(requests()).toBeGreaterThanOrEqual(2 * Math.min(2, pages.length + 1));
	});

	test.each(BROKEN)('%s warns whoever has no need to know', async (_, pages, total) => {
		const { read, warnings } = given(pages, { total });
		const found = pages[0] ?? [];
		for (const wanted of [{}, { limit: 50 }]) expect(await read(wanted)).toEqual(found);
		const said = expect.stringContaining(`counts ${total} rows of the list and gave out`);
		expect(warnings).toEqual([said, said]);
	});

	test('for one request only is read whole', async () => {
		const { read, warnings } = emptyAtFirst();
		expect(await read()).toEqual([a, b, c]);
		expect(warnings).toEqual([]);
	});

	/** Its first answer is without rows. */
	function emptyAtFirst() {
		let isFirst = true;
		const made = given([[a, b], [c]], { total: 3 });
		const fetch = async ({ page = 1 }: PageRequest) => {
			const data = isFirst ? [] : ([[a, b], [c]][page - 1] ?? []);
			isFirst = false;
			return { data, page: { page, pageSize: 2, total: 3 } } as unknown as ListAnswer<Row>;
		};
		return { ...made, read: async () => await made.read({ fetch }) };
	}

	test('is another than one whose count is too high, which ends with a short page', async () => {
		const { read, warnings } = given([[a, b], [c]], { total: 99 });
		const brokeOff = jest.fn();
		expect(await read({ brokeOff })).toEqual([a, b, c]);
		expect(brokeOff).not.toHaveBeenCalled();
		expect(await read()).toEqual([a, b, c]);
		expect(warnings).toHaveLength(1);
	});
});

describe('rows of one ID', () => {
	interface Card extends Row {
		last4: string;
	}
	const card = (id: string, last4: string): Card => ({ id, last4 });
	const [one, two, three] = [card('c0', '4242'), card('c0', '1881'), card('c1', '0005')];

	test.each<[string, Card[][]]>([
		['on one page', [[one, two], [three]]],
		['on two pages', [[three, one], [two]]],
		[
			'on two pages of which others are full',
			[[three, one], [two, card('c2', '7')], [card('c3', '8')]],
		],
	])('are as many rows where they say something else, %s', async (_, pages) => {
		const all = pages.flat();
		const { read, warnings } = given(pages, { total: all.length });
		expect(await read()).toEqual(all);
		expect(warnings).toEqual([]);
	});

	test('are one where they say the same', async () => {
		const { read } = given([[one, { ...one }], [three]], { total: 3 });
		expect(await read()).toEqual([one, three]);
	});

	test('are one where a page is answered again with another field in each answer', async () => {
		let nth = 0;
		const { read } = given<Card>([]);
		const fetch = async ({ page = 1 }: PageRequest) => ({
			data: [one, three].map((row) => ({ ...row, last4: String(++nth) })),
			page: { page, pageSize: 2, total: 2, range: { from: 0, to: 0 } },
		});
		expect(await read({ fetch })).toHaveLength(2);
	});

	test('are one where a row changed its place and words while the list was read', async () => {
		const other = card('c2', '7');
		let requests = 0;
		const { read } = given<Card>([]);
		const fetch = async ({ page = 1 }: PageRequest) => {
			const before = [one, three, other];
			const after = [three, other, two];
			const rows = ++requests === 1 ? before : after;
			const data = rows.slice(2 * (page - 1), 2 * page);
			return { data, page: { page, pageSize: 2, total: 3, range: { from: 0, to: 0 } } };
		};
		expect(await read({ fetch })).toEqual([three, other, two]);
	});

	test('are one in a list that never stands still', async () => {
		let nth = 0;
		const { read } = given<Card>([]);
		const fetch = async ({ page = 1 }: PageRequest) => {
			const moving = card('c0', String(++nth));
			const data = [[three, moving], [moving, card('c2', '7')], [card('c3', '8')]][page - 1] ?? [];
			return { data, page: { page, pageSize: 2, total: 4, range: { from: 0, to: 0 } } };
		};
		expect(idsOf(await read({ fetch }))).toEqual(['c1', 'c0', 'c2', 'c3']);
	});
});

describe('some rows of a list', () => {
	test.each([
		[1, 1],
		[10, 1],
		[11, 2],
		[25, 3],
		[50, 5],
	])('a limit of %i reads %i pages of 10 out of 100 rows', async (limit, requests) => {
		const { read, seen } = service(rowsUpTo(100));
		expect(await read({ limit })).toEqual(idsOf(rowsUpTo(limit)));
		expect(seen.asked).toHaveLength(requests);
	});

	test('a limit above what there is gives what there is', async () => {
		const { read, seen } = service(rowsUpTo(23));
		expect(await read({ limit: 1000 })).toHaveLength(23);
		expect(seen.asked).toHaveLength(3);
	});

	test('any limit gives the first rows, whatever the service says of totals and sizes', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.nat(90),
				fc.integer({ min: 1, max: 100 }),
				fc.integer({ min: 1, max: 30 }),
				fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 30 })),
				fc.boolean(),
				fc.constantFrom<(count: number) => unknown>(
					(count) => count,
					() => 0,
					(count) => String(count),
					() => 10_000,
				),
				async (count, limit, pageSize, cap, saysSize, total) => {
					const { read, seen } = service(rowsUpTo(count), { cap, saysSize, total });
					expect(await read({ limit, pageSize })).toEqual(idsOf(rowsUpTo(Math.min(limit, count))));
					if (cap >= pageSize && limit <= count) {
						expect(seen.asked).toHaveLength(Math.ceil(limit / pageSize));
					}
				},
			),
			{ numRuns: 150 },
		);
	});
});

describe('all rows of a list that moves while it is read', () => {
	const everyPageOnce = 10;
	const RUNS = Number(process.env.MOVING_LISTS ?? 200);

	/** What went wrong with the rows that were there all along. */
	function wrongWith(found: string[], stayed: string[], changes: number) {
		const missed = stayed.filter((id) => !found.includes(id));
		const repeated = found.filter((id, index) => found.indexOf(id) !== index);
		const counts = { missed: missed.length, repeated: repeated.length };
		tally('lists', { lists: 1, changes, rows: stayed.length, ...counts });
		return { missed, repeated };
	}

	test('a row deleted from a page that was read does not hide its neighbour', async () => {
		const rows = rowsUpTo(95);
		const { read } = service(rows, {
			before: (request, all) => {
				if (request === 3) all.splice(0, 1);
			},
		});
		expect(await read()).toEqual(idsOf(rowsUpTo(95)).slice(1));
	});

	test('a row that came first while others were read is found', async () => {
		const { read } = service(rowsUpTo(95), {
			before: (request, all) => {
				if (request === 3) all.unshift({ id: 'new' });
			},
		});
		expect(await read()).toEqual(['new', ...idsOf(rowsUpTo(95))]);
	});

	test('rows that overlap show the move where the total does not', async () => {
		const { read, seen } = service(rowsUpTo(95), {
			total: () => 95,
			before: (request, all) => {
				if (request !== 3) return;
				all.unshift({ id: 'new' });
				all.pop();
			},
		});
		expect(await read()).toEqual(['new', ...idsOf(rowsUpTo(94))]);
		expect(seen.asked.length).toBe(2 * everyPageOnce);
	});

	test('a list that never stands still is given up on, with every row that stayed', async () => {
		let added = 0;
		const { read, seen } = service(rowsUpTo(95), {
			before: (_, all) => all.unshift({ id: `new${added++}` }),
		});
		const wrong = wrongWith(await read(), idsOf(rowsUpTo(95)), added);
		expect(wrong).toEqual({ missed: [], repeated: [] });
		expect(seen.asked.length).toBeLessThan(200);
	});

	test('no row that was there all along is missed or comes twice, whatever else comes and goes', async () => {
		const change = fc.record({
			before: fc.nat(14),
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
					const rows = rowsUpTo(count);
					let changed = 0;
					const { read } = service(rows, {
						outOfOrder,
						before: (request, all) => {
							const due = changes.find(({ before }) => before === request);
							if (due === undefined) return;
							changed++;
							const index = due.place % (all.length + 1);
							if (due.kind === 'delete') all.splice(index, 1);
							else all.splice(index, 0, { id: `new${request}` });
						},
					});
					const found = await read({ pageSize, parallel: () => parallel });
					const stayed = idsOf(rows).filter((id) => id.startsWith('c'));
					expect(wrongWith(found, stayed, changed)).toEqual({ missed: [], repeated: [] });
				},
			),
			{ numRuns: RUNS },
		);
	}, 600_000);
});

describe('a page that cannot be read', () => {
	test('fails the whole list, and leaves nothing running', async () => {
		let open = 0;
		let started = 0;
		const fetch = async ({ page = 1 }: PageRequest) => {
			open += 1;
			started += 1;
			await new Promise((resolve) => setTimeout(resolve, page === 3 ? 1 : 5));
			open -= 1;
			if (page === 3) throw new Error('page 3 is gone');
			const data = rowsUpTo(page * 10).slice(-10);
			return { data, page: { total: 5000, range: { from: 0, to: 0 }, page, pageSize: 10 } };
		};
		const reading = list<Row, Row>({
			fetch,
			page: { pageSize: 10 },
			id: ({ id }) => id,
			shape: (row) => row,
			parallel: () => 5,
			warn: () => undefined,
		});
		await expect(reading).rejects.toThrow('page 3 is gone');
		expect(open).toBe(0);
		expect(started).toBeLessThan(10);
	});
});
