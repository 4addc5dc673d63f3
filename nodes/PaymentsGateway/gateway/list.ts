import type { ListAnswer, PageRequest } from '../wire';
import type { Client } from './client';
import type { Page } from './page';
import { byKey, droppedWords, NO_SUCH_PAGE, readPage, SMALLEST_PAGE, USUAL_CAPS } from './page';

/**
 * Reads a list: page 1 alone, then several pages at once, taken in order. A short page shifts no
 * others: n + 1 follows n, whatever that held. Rows are known by their ID. Pages are cut anew for
 * every request, so a list that moves while it is read can hide a row between two pages. A pass that
 * saw such a move is followed by another one.
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
	/** Knows how many pages may be under way at once, and tells the user what was left out. */
	client: Pick<Client, 'parallel' | 'warn'>;
}

export interface Listed<Out> {
	rows: Out[];
	/** What is missing, in words for a person; undefined when nothing wanted is known to be missing. */
	missing: string | undefined;
}

const MOST_PASSES = 3;
/** Many gateways give out so many rows of a list and refuse all further ones. */
const USUAL_DEPTH = 10_000;
/** More pages in a row than these, without a single record on them, end a list. */
const MOST_PAGES_WITHOUT_RECORDS = 10;

/** A limit asks for no more rows than it wants, in pages of one size. */
function sizeWanted<Row, Out>({ page, limit, filters = false }: Listing<Row, Out>): number {
	if (limit === undefined || filters) return page.pageSize;
	return Math.ceil(limit / Math.ceil(limit / page.pageSize));
}

/** Asks for the pages of a list, all in the size in which the first one was given out. */
function asking<Row, Out>(listing: Listing<Row, Out>): (page: number) => Promise<Page<Row>> {
	let pageSize = sizeWanted(listing);
	return async (page) => {
		const answer = await readPage(page, pageSize, async (size) => {
			pageSize = size;
			return await listing.fetch({ ...listing.page, page, pageSize });
		});
		if (page > 1) return answer;
		// A size that is not told is at least the gateway's own default.
		const size = Math.min(answer.size ?? SMALLEST_PAGE, pageSize);
		if (answer.size !== undefined) pageSize = size;
		return { ...answer, size };
	};
}

/** Why a pass ended; 'moved' is decided after the last one. */
type End = 'end of list' | 'enough' | 'past' | 'broken off' | 'same rows' | 'moved';

/** One reading of the list, from its first page on. */
class Pass<Row, Out> {
	/** What `shape` made of each row, by what the row is known by. */
	readonly rows = new Map<string, Out | undefined>();
	/** What the rows of each page are known by, as they came. */
	readonly cameAs: string[] = [];
	/** Entries that are no objects. */
	dropped = 0;
	/** Rows that stand twice on one page; the gateway counts both. */
	private doubles = 0;
	pages = 0;
	end: End | undefined;
	/** How many rows `shape` has not left out. */
	private kept = 0;
	private pagesWithoutRecords = 0;
	private rowsOnFirstPage = 0;
	/** The last page had as many rows as the first. */
	private isFull = true;
	/** How many rows came that were seen before. */
	private repeated = 0;
	/** Those of them that came with others that were new. */
	private repeatedBesideNew = 0;
	/** What the gateway counted with each page, where it did. */
	private readonly counts: number[] = [];

	constructor(private readonly listing: Listing<Row, Out>) {}

	get seen(): number {
		return this.rows.size + this.doubles + this.dropped;
	}

	/** The last count. One of fewer rows than were seen cannot be that of the list. */
	get total(): number | undefined {
		const last = this.counts.at(-1);
		return last !== undefined && last >= this.seen ? last : undefined;
	}

	get isWhole(): boolean {
		// With as many rows as are wanted, it does not matter whether the list moved.
		if (this.end === 'enough') return true;
		// Rows that came or went between two pages may have hidden others.
		const hasMoved = this.repeated > 0 || new Set(this.counts).size > 1;
		return !hasMoved && (this.end === 'end of list' || this.end === 'past');
	}

	/**
	 * New rows explain all that moved. They push others down to where the reader is yet to come, so
	 * they hide none; rows that go do. Where the list is longer than the pages that were read, the last
	 * of these may have been all of seen rows, with others below it that were not read.
	 */
	get hasOnlyGrown(): boolean {
		const { counts, repeated, total, pages, rowsOnFirstPage } = this;
		if (total === undefined || total > pages * rowsOnFirstPage) return false;
		return repeated <= total - (counts[0] ?? total);
	}

	/** The list stands still: what came again stands twice in it, on two pages, and is counted twice. */
	countRepeats(): void {
		this.doubles += this.repeatedBesideNew;
	}

	/** What is missing, in words for a person. */
	get missing(): string | undefined {
		const { end, total, seen } = this;
		const isMore = total !== undefined && total > seen;
		const counts = isMore ? `counts ${total} rows of the list and ` : '';
		if (end === 'same rows') return `the gateway ${counts}answers every page with the same ${seen}`;
		if (end === 'moved') return 'the list changed each time it was read';
		if (end !== 'broken off') return undefined;
		if (total === undefined) return `the gateway refuses more than ${seen} rows of the list`;
		return isMore ? `the gateway ${counts}gave out ${seen}` : undefined;
	}

	/** The first page may have been cut, or has as many rows as were asked for. */
	private get isUsualCap(): boolean {
		const { rowsOnFirstPage, listing } = this;
		return USUAL_CAPS.has(rowsOnFirstPage) || rowsOnFirstPage === sizeWanted(listing);
	}

	/** Up to which page to read ahead. */
	get lastWorthAsking(): number {
		const { pages, rowsOnFirstPage, total } = this;
		const { limit, filters = false, isPast } = this.listing;
		// The first page shows what the others are like. A short page is most likely the last.
		if (pages === 0 || !this.isFull) return pages + 1;
		const left = limit === undefined ? Infinity : Math.ceil((limit - this.kept) / rowsOnFirstPage);
		const isEndKnown = !isPast && (limit === undefined ? total !== undefined : !filters);
		// No more are asked for in vain than were read.
		const ahead = isEndKnown ? left : pages;
		// A full last page does not show that the list ends there; one more does.
		const counted = total === undefined ? Infinity : Math.floor(total / rowsOnFirstPage) + 1;
		return Math.min(counted, pages + ahead);
	}

	/** Adds the next page, and finds out whether the list ends with it. */
	add(page: Page<Row>): void {
		const { limit = Infinity, isPast } = this.listing;
		const wasFull = this.isFull;
		this.measure(page);
		const isRepeat = this.addRows(page);
		if (isPast?.(page.rows)) this.end = 'past';
		else if (this.kept >= limit) this.end = 'enough';
		else this.end = this.endBy(page, isRepeat, wasFull);
	}

	private measure({ rows, dropped, size = 0 }: Page<Row>): void {
		const length = rows.length + dropped;
		this.pages += 1;
		this.isFull = length >= (this.pages === 1 ? size : this.rowsOnFirstPage);
		if (this.pages === 1) this.rowsOnFirstPage = length;
		this.pagesWithoutRecords = rows.length === 0 ? this.pagesWithoutRecords + 1 : 0;
	}

	/** True where there are rows, and all of them were seen before. */
	private addRows({ rows, dropped, total }: Page<Row>): boolean {
		const { id, shape } = this.listing;
		const wasCounted = this.total !== undefined;
		const keyed = byKey(rows, id);
		this.cameAs.push(...keyed.keys());
		const news = [...keyed].filter(([key]) => !this.rows.has(key));
		for (const [key, row] of news) {
			const out = shape(row);
			this.rows.set(key, out);
			if (out !== undefined) this.kept += 1;
		}
		const isRepeat = rows.length > 0 && news.length === 0;
		if (!isRepeat) {
			this.dropped += dropped;
			this.doubles += rows.length - keyed.size;
			this.repeatedBesideNew += keyed.size - news.length;
		}
		// A count that never fitted the rows says nothing of a move.
		if (total !== undefined && (wasCounted || total >= this.seen)) this.counts.push(total);
		// Behind the last page, some gateways answer one of the others again.
		if (this.total !== this.seen) this.repeated += keyed.size - news.length;
		return isRepeat;
	}

	private endBy(page: Page<Row>, isRepeat: boolean, wasFull: boolean): End | undefined {
		const { total, pages, seen } = this;
		const isEmpty = page.rows.length + page.dropped === 0;
		if (isEmpty || isRepeat || this.pagesWithoutRecords > MOST_PAGES_WITHOUT_RECORDS) {
			const isRefused = page === NO_SUCH_PAGE;
			// What came since the first page was counted stands above.
			const counted = total && Math.min(total, this.counts[0] ?? total);
			const isMore = counted === undefined ? isRefused && seen >= USUAL_DEPTH : counted > seen;
			// Whether the page number is ignored or the last page repeated, one full page does not show.
			// No service cuts its pages at an unusual number of rows without a word.
			const mayBeFull = isMore || page.size !== undefined || this.isUsualCap;
			if (isRepeat && pages === 2 && wasFull && mayBeFull) return 'same rows';
			// After a short page the count is of something else, unless this page was refused.
			return isMore && (wasFull || isRefused) ? 'broken off' : 'end of list';
		}
		// Without any count, a short page ends a list of several; the first may be short by itself.
		const isUncounted = page.total === undefined && pages > 1;
		const isAll = total === undefined ? isUncounted : total === seen;
		// A count of the page's own rows, of a gateway that serves fewer than asked for and does not say so.
		const mayBeCapped = pages === 1 && this.isUsualCap;
		return !this.isFull && isAll && !mayBeCapped ? 'end of list' : undefined;
	}
}

async function readOnce<Row, Out>(
	listing: Listing<Row, Out>,
	ask: (page: number) => Promise<Page<Row>>,
): Promise<Pass<Row, Out>> {
	const pass = new Pass(listing);
	const underWay: Array<Promise<Page<Row>>> = [];
	try {
		while (pass.end === undefined) {
			const { pages } = pass;
			const last = Math.min(pass.lastWorthAsking, pages + listing.client.parallel);
			while (pages + underWay.length < last) {
				const answer = ask(pages + underWay.length + 1);
				// An error is handled where the page is awaited; until then Node must not call it unhandled.
				answer.catch(() => undefined);
				underWay.push(answer);
			}
			pass.add(await (underWay.shift() ?? ask(pages + 1)));
		}
	} finally {
		// When this ends, no request is under way any more, also after an error.
		await Promise.allSettled(underWay);
	}
	return pass;
}

export async function list<Row, Out>(listing: Listing<Row, Out>): Promise<Listed<Out>> {
	const { limit, client } = listing;
	const ask = asking(listing);
	let pass = await readOnce(listing, ask);
	/** Nothing would come of reading it again. */
	let isFinal = pass.isWhole;
	for (let passes = 1; passes < MOST_PASSES && !isFinal; passes++) {
		const before = pass;
		pass = await readOnce(listing, ask);
		// What looked like a move is the gateway's habit where the same rows came in the same order.
		const cameAgain = String(before.cameAs) === String(pass.cameAs);
		isFinal = pass.isWhole || cameAgain;
		if (cameAgain) pass.countRepeats();
		if (pass.isWhole) break;
		// As long as no pass is whole, rows that only an earlier one saw are kept.
		for (const [key, row] of before.rows) if (!pass.rows.has(key)) pass.rows.set(key, row);
	}
	// A list that was read past a moment is sorted by date: what comes stands on top, and hides none.
	if (!isFinal && pass.end === 'end of list' && !pass.hasOnlyGrown) pass.end = 'moved';
	if (pass.dropped > 0) client.warn(droppedWords(pass.dropped));
	const rows = [...pass.rows.values()].flatMap((row) => (row === undefined ? [] : [row]));
	return { rows: rows.slice(0, limit), missing: pass.missing };
}

/** For callers that can do with the rows that there are: what is missing is told in n8n's log. */
export function rowsOf<Out>({ rows, missing }: Listed<Out>, warn: (words: string) => void): Out[] {
	if (missing !== undefined) warn(`Payments Gateway: ${missing}, so some may be missing`);
	return rows;
}
