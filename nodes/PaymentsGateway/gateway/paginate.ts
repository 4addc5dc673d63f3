import type { ListAnswer, PageRequest } from '../wire';
import { textOf } from '../wire/json';
import type { Page } from './page';
import { droppedWords, isNoSuchPage, isTooLarge, pageOf, SMALLEST_PAGE } from './page';

/**
 * Reads a list: page 1 alone, then several pages at once, taken in order. Page n is page n, whatever
 * it holds; rows are known by their ID. Pages are cut anew for every request, so a list that moves
 * while it is read can hide a row between two pages. A pass that saw such a move is followed by
 * another one.
 */

export interface Listing<Row, Out> {
	fetch: (page: PageRequest) => Promise<ListAnswer<Row>>;
	page: PageRequest & { pageSize: number };
	/** What a row is known by. */
	id: (row: Row) => string;
	/** Applied to each row at once, so that raw rows are not kept; undefined leaves the row out. */
	shape: (row: Row) => Out | undefined;
	/** How many rows are wanted, after `shape` has left some out; without it, all of them. */
	limit?: number | undefined;
	/** Whether `shape` may leave rows out; then it is unknown how many rows a limit takes. */
	filters?: boolean;
	/** Asked after each page, in order: whether nothing that follows is wanted. */
	isPast?: (rows: readonly Row[]) => boolean;
	/** Gives up after so many pages. */
	mostPages?: number;
	/** How many pages may be under way at once; it can change while the list is read. */
	parallel: () => number;
	/** Tells the user what was left out. */
	warn: (words: string) => void;
}

export interface Listed<Out> {
	rows: Out[];
	/** What is missing, in words for a person; undefined when nothing wanted is known to be missing. */
	missing: string | undefined;
	/** How many rows the service counts, where that can be true. */
	total: number | undefined;
	/** How many pages were read. */
	pages: number;
}

const MOST_PASSES = 3;
/** So many pages in a row without a single record end a list. */
const MOST_PAGES_WITHOUT_RECORDS = 10;

const REFUSED: Page<never> = { rows: [], dropped: 0, size: undefined, total: undefined };

/**
 * The answers to `request` for page 1, 2, 3 …, in order. `last` says before each page up to which
 * one pages may be under way at once.
 */
async function* inOrder<Answer>(
	request: (page: number) => Promise<Answer>,
	last: (page: number) => number,
	parallel: () => number,
): AsyncGenerator<Answer, void> {
	const underWay: Array<Promise<Answer>> = [];
	try {
		for (let page = 1; ; page++) {
			const end = Math.max(page, Math.min(last(page), page + parallel() - 1));
			while (page + underWay.length <= end) {
				const answer = request(page + underWay.length);
				// An error is handled where the page is awaited; until then Node must not call it unhandled.
				answer.catch(() => undefined);
				underWay.push(answer);
			}
			const answer = await underWay[0];
			underWay.shift();
			if (answer !== undefined) yield answer;
		}
	} finally {
		// When this ends, no request is under way any more, also after an error.
		await Promise.allSettled(underWay);
	}
}

/**
 * The rows of a page by what they are known by. Without an ID that is the whole row, or a service
 * that repeats its last page would never come to an end; two such rows on one page are both kept.
 */
function byKey<Row>(rows: readonly Row[], id: (row: Row) => string): Map<string, Row> {
	const keyed = new Map<string, Row>();
	for (const row of rows) {
		const known = textOf(id(row));
		let key = known || JSON.stringify(row);
		while (known === '' && keyed.has(key)) key += '#';
		keyed.set(key, row);
	}
	return keyed;
}

/** A limit asks for no more rows than it wants, in pages of one size. */
function sizeWanted<Row, Out>({ page, limit, filters = false }: Listing<Row, Out>): number {
	if (limit === undefined || filters) return page.pageSize;
	return Math.ceil(limit / Math.ceil(limit / page.pageSize));
}

/** Asks for the pages of a list, all in the size in which the first one was given out. */
function asking<Row, Out>(listing: Listing<Row, Out>): (page: number) => Promise<Page<Row>> {
	let pageSize = sizeWanted(listing);
	const ask = async (page: number) =>
		pageOf(await listing.fetch({ ...listing.page, page, pageSize }));
	return async (page) => {
		const answer = await ask(page).catch(async (refusal: unknown) => {
			if (isNoSuchPage(page, refusal)) return REFUSED;
			if (page > 1 || !isTooLarge(pageSize, refusal)) throw refusal;
			pageSize = SMALLEST_PAGE;
			// What is refused for another reason is told in the words of the first answer.
			return await ask(page).catch(() => {
				throw refusal;
			});
		});
		if (page > 1) return answer;
		const size = Math.min(answer.size ?? SMALLEST_PAGE, pageSize);
		if (answer.size !== undefined) pageSize = size;
		return { ...answer, size };
	};
}

/** One reading of the list, from its first page on. */
interface Pass<Out> {
	/** What `shape` made of each row, by the row's key. */
	rows: Map<string, Out | undefined>;
	dropped: number;
	pages: number;
	total: number | undefined;
	/** Rows came or went between two pages: others may have been hidden. */
	hasMoved: boolean;
	end: 'whole' | 'no longer wanted' | 'broken off' | 'same rows' | 'most pages' | 'moved';
}

async function readOnce<Row, Out>(
	{ id, shape, limit, filters = false, isPast, parallel }: Listing<Row, Out>,
	ask: (page: number) => Promise<Page<Row>>,
	mostPages: number,
): Promise<Pass<Out>> {
	const pass: Pass<Out> = {
		rows: new Map(),
		dropped: 0,
		pages: 0,
		total: undefined,
		hasMoved: false,
		end: 'whole',
	};
	/** How many rows it had. */
	let firstPage = 0;
	let isFull = true;
	let kept = 0;
	let pagesWithoutRecords = 0;
	/** Fewer rows were counted than were seen: the count is of something else. */
	let isMiscounted = false;

	/** Up to which page to read ahead. */
	const last = (page: number) => {
		// The first page shows what the others are like. A short page is most likely the last.
		if (page === 1 || !isFull) return page;
		const { pages, total } = pass;
		let ahead = Infinity;
		// It is unknown where it ends, so few are asked for in vain.
		if (isPast || (limit !== undefined && filters)) ahead = Math.ceil(pages / 2);
		else if (limit !== undefined) ahead = Math.ceil((limit - kept) / firstPage);
		else if (total === undefined) ahead = pages;
		// A full last page does not show that the list ends there; one more does.
		const counted = total === undefined ? Infinity : Math.floor(total / firstPage) + 1;
		return Math.min(counted, pages + ahead);
	};

	for await (const page of inOrder(ask, (number) => Math.min(last(number), mostPages), parallel)) {
		pass.pages += 1;
		const length = page.rows.length + page.dropped;
		const wasFull = isFull;
		isFull = length >= (pass.pages === 1 ? (page.size ?? 0) : firstPage);
		if (pass.pages === 1) firstPage = length;

		const rows = byKey(page.rows, id);
		const news = [...rows].filter(([key]) => !pass.rows.has(key));
		for (const [key, row] of news) {
			const out = shape(row);
			pass.rows.set(key, out);
			if (out !== undefined) kept += 1;
		}
		if (news.length > 0 || rows.size === 0) pass.dropped += page.dropped;
		pagesWithoutRecords = rows.size === 0 ? pagesWithoutRecords + 1 : 0;

		if (page.total !== undefined && !isMiscounted) {
			if (pass.total !== undefined && page.total !== pass.total) pass.hasMoved = true;
			pass.total = page.total;
		}
		const seen = pass.rows.size + pass.dropped;
		isMiscounted ||= pass.total !== undefined && pass.total < seen;
		if (isMiscounted) pass.total = undefined;
		const { total, pages } = pass;

		const isRepeat = rows.size > 0 && news.length === 0;
		if (news.length < rows.size && !(isRepeat && total === seen)) pass.hasMoved = true;
		if ((limit !== undefined && kept >= limit) || isPast?.(page.rows)) {
			pass.end = 'no longer wanted';
			break;
		}
		if (length === 0 || isRepeat || pagesWithoutRecords > MOST_PAGES_WITHOUT_RECORDS) {
			const isBrokenOff = (total ?? 0) > seen && (wasFull || page === REFUSED);
			if (isRepeat && pages === 2 && wasFull) pass.end = 'same rows';
			else if (isBrokenOff) pass.end = 'broken off';
			break;
		}
		const isAll = total === undefined ? pages > 1 && !isMiscounted : total === seen;
		if (!isFull && isAll) break;
		if (pages >= mostPages) {
			pass.end = 'most pages';
			break;
		}
	}
	return pass;
}

/** With as many rows as are wanted, it does not matter whether the list moved. */
function isWhole({ hasMoved, end }: Pass<unknown>, limit: number | undefined): boolean {
	if (end === 'no longer wanted') return limit !== undefined || !hasMoved;
	return end === 'whole' && !hasMoved;
}

/** Both saw the same rows in the same order, so a move has hidden none from either. */
function areAlike(a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): boolean {
	const keys = [...b.keys()];
	return a.size === b.size && [...a.keys()].every((key, at) => key === keys[at]);
}

function missingOf({ end, total = 0, pages, dropped }: Pass<unknown>, rows: number) {
	const seen = rows + dropped;
	const counts = total > seen ? `counts ${total} rows of the list and ` : '';
	if (end === 'same rows') return `the gateway ${counts}answers every page with the same ${seen}`;
	if (end === 'moved') return 'the list changed each time it was read';
	if (end === 'most pages') return `only the first ${pages} pages of the list were read`;
	return end === 'broken off' && counts ? `the gateway ${counts}gave out ${seen}` : undefined;
}

export async function list<Row, Out>(listing: Listing<Row, Out>): Promise<Listed<Out>> {
	const { limit, mostPages = Infinity, warn } = listing;
	const ask = asking(listing);
	let pass = await readOnce(listing, ask, mostPages);
	let { pages } = pass;
	let isSettled = false;
	for (let passes = 1; passes < MOST_PASSES && pages < mostPages; passes++) {
		if (isWhole(pass, limit)) break;
		const before = pass.rows;
		pass = await readOnce(listing, ask, mostPages - pages);
		pages += pass.pages;
		isSettled = areAlike(before, pass.rows);
		// As long as no pass is whole, rows that only an earlier one saw are kept.
		if (!isWhole(pass, limit)) {
			for (const [key, row] of before) if (!pass.rows.has(key)) pass.rows.set(key, row);
		}
		if (isSettled) break;
	}
	if (pages >= mostPages && !isWhole(pass, limit)) pass.end = 'most pages';
	else if (pass.hasMoved && pass.end === 'whole' && !isSettled) pass.end = 'moved';
	if (pass.dropped > 0) warn(droppedWords(pass.dropped));
	const rows: Out[] = [];
	for (const row of pass.rows.values()) if (row !== undefined) rows.push(row);
	return {
		rows: rows.slice(0, limit),
		missing: missingOf(pass, pass.rows.size),
		total: pass.total,
		pages,
	};
}

/** For whom the rows that there are will do; what is missing is told in n8n's log. */
export function rowsOf<Out>({ rows, missing }: Listed<Out>, warn: (words: string) => void): Out[] {
	if (missing !== undefined) warn(`Payments Gateway: ${missing}, so some may be missing`);
	return rows;
}
