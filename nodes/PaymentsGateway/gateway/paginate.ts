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

/** The answers to `request` for page 1, 2, 3 …, in order. `last` says how far ahead to ask. */
async function* inOrder<Answer>(
	request: (page: number) => Promise<Answer>,
	last: () => number,
	parallel: () => number,
): AsyncGenerator<Answer, void> {
	const underWay: Array<Promise<Answer>> = [];
	try {
		for (let page = 1; ; page++) {
			const end = Math.max(page, Math.min(last(), page + parallel() - 1));
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

type End = 'whole' | 'no longer wanted' | 'broken off' | 'same rows' | 'most pages' | 'moved';

/** One reading of the list, from its first page on. */
interface Pass<Out> {
	/** What `shape` made of each row, by what the row is known by. */
	rows: Map<string, Out | undefined>;
	/** How many rows `shape` has not left out. */
	kept: number;
	/** Entries that are no objects. */
	dropped: number;
	pages: number;
	pagesWithoutRecords: number;
	/** Rows on the first page, and whether the last page had as many. */
	firstPage: number;
	isFull: boolean;
	total: number | undefined;
	/** Rows came or went between two pages, so others may have been hidden. */
	hasMoved: boolean;
	end?: End | undefined;
}

function seenBy({ rows, dropped }: Pass<unknown>): number {
	return rows.size + dropped;
}

/** Up to which page to read ahead. */
function lastWorthAsking<Row, Out>(pass: Pass<Out>, listing: Listing<Row, Out>): number {
	const { pages, firstPage, isFull, total, kept } = pass;
	const { limit, filters = false, isPast } = listing;
	// The first page shows what the others are like. A short page is most likely the last.
	if (pages === 0 || !isFull) return pages + 1;
	let ahead = Infinity;
	// It is unknown where it ends, so few are asked for in vain.
	if (isPast || (limit !== undefined && filters)) ahead = Math.ceil(pages / 2);
	else if (limit !== undefined) ahead = Math.ceil((limit - kept) / firstPage);
	else if (total === undefined) ahead = pages;
	// A full last page does not show that the list ends there; one more does.
	const counted = total === undefined ? Infinity : Math.floor(total / firstPage) + 1;
	return Math.min(counted, pages + ahead);
}

/** Adds a page; true where it holds rows, and all of them were seen before. */
function add<Row, Out>(
	pass: Pass<Out>,
	{ rows, dropped, size = 0, total }: Page<Row>,
	{ id, shape }: Listing<Row, Out>,
): boolean {
	const length = rows.length + dropped;
	pass.pages += 1;
	pass.isFull = length >= (pass.pages === 1 ? size : pass.firstPage);
	if (pass.pages === 1) pass.firstPage = length;
	pass.pagesWithoutRecords = rows.length === 0 ? pass.pagesWithoutRecords + 1 : 0;

	const keyed = byKey(rows, id);
	const news = [...keyed].filter(([key]) => !pass.rows.has(key));
	for (const [key, row] of news) {
		const out = shape(row);
		pass.rows.set(key, out);
		if (out !== undefined) pass.kept += 1;
	}
	const isRepeat = rows.length > 0 && news.length === 0;
	if (!isRepeat) pass.dropped += dropped;

	if (total !== undefined) {
		if (pass.total !== undefined && total !== pass.total) pass.hasMoved = true;
		// A count of fewer rows than were seen is of something else.
		pass.total = total < seenBy(pass) ? undefined : total;
	}
	// Behind the last page, some services answer one of the others again.
	const isBehindAll = isRepeat && pass.total === seenBy(pass);
	if (news.length < keyed.size && !isBehindAll) pass.hasMoved = true;
	return isRepeat;
}

/** How the list ended with the page that was added last; undefined where more may follow. */
function endOf(
	pass: Pass<unknown>,
	page: Page<unknown>,
	{ isRepeat, wasFull }: { isRepeat: boolean; wasFull: boolean },
): End | undefined {
	const { total, pages, isFull, pagesWithoutRecords } = pass;
	const isEmpty = page.rows.length + page.dropped === 0;
	if (isEmpty || isRepeat || pagesWithoutRecords > MOST_PAGES_WITHOUT_RECORDS) {
		if (isRepeat && pages === 2 && wasFull) return 'same rows';
		const isCountedOn = total !== undefined && total > seenBy(pass);
		return isCountedOn && (wasFull || page === REFUSED) ? 'broken off' : 'whole';
	}
	// Without any count, a short page ends a list of several; the first may be short by itself.
	const isUncounted = page.total === undefined && pages > 1;
	const isAll = total === undefined ? isUncounted : total === seenBy(pass);
	return !isFull && isAll ? 'whole' : undefined;
}

async function readOnce<Row, Out>(
	listing: Listing<Row, Out>,
	ask: (page: number) => Promise<Page<Row>>,
	mostPages: number,
): Promise<Pass<Out>> {
	const { limit = Infinity, isPast, parallel } = listing;
	const pass: Pass<Out> = {
		rows: new Map(),
		kept: 0,
		dropped: 0,
		pages: 0,
		pagesWithoutRecords: 0,
		firstPage: 0,
		isFull: true,
		total: undefined,
		hasMoved: false,
	};
	const last = () => Math.min(lastWorthAsking(pass, listing), mostPages);
	for await (const page of inOrder(ask, last, parallel)) {
		const wasFull = pass.isFull;
		const isRepeat = add(pass, page, listing);
		if (isPast?.(page.rows) || pass.kept >= limit) pass.end = 'no longer wanted';
		else pass.end = endOf(pass, page, { isRepeat, wasFull });
		if (pass.pages >= mostPages) pass.end ??= 'most pages';
		if (pass.end !== undefined) break;
	}
	return pass;
}

function isWhole({ hasMoved, end }: Pass<unknown>, limit: number | undefined): boolean {
	// With as many rows as are wanted, it does not matter whether the list moved.
	if (end === 'no longer wanted') return limit !== undefined || !hasMoved;
	return end === 'whole' && !hasMoved;
}

function missingOf(pass: Pass<unknown>): string | undefined {
	const { end, total = 0, pages } = pass;
	const seen = seenBy(pass);
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
	for (let passes = 1; passes < MOST_PASSES && pages < mostPages && !isSettled; passes++) {
		if (isWhole(pass, limit)) break;
		const before = pass.rows;
		pass = await readOnce(listing, ask, mostPages - pages);
		pages += pass.pages;
		// Both saw the same rows in the same order, so no move has hidden one.
		isSettled = String([...before.keys()]) === String([...pass.rows.keys()]);
		if (isWhole(pass, limit)) break;
		// As long as no pass is whole, rows that only an earlier one saw are kept.
		for (const [key, row] of before) if (!pass.rows.has(key)) pass.rows.set(key, row);
	}
	if (pages >= mostPages && !isWhole(pass, limit)) pass.end = 'most pages';
	else if (pass.end === 'whole' && pass.hasMoved && !isSettled) pass.end = 'moved';
	if (pass.dropped > 0) warn(droppedWords(pass.dropped));
	const rows: Out[] = [];
	for (const row of pass.rows.values()) if (row !== undefined) rows.push(row);
	return { rows: rows.slice(0, limit), missing: missingOf(pass), total: pass.total, pages };
}

/** For whom the rows that there are will do; what is missing is told in n8n's log. */
export function rowsOf<Out>({ rows, missing }: Listed<Out>, warn: (words: string) => void): Out[] {
	if (missing !== undefined) warn(`Payments Gateway: ${missing}, so some may be missing`);
	return rows;
}
