import type { ListAnswer, PageRequest } from '../wire';
import type { Client } from './client';
import type { Coverage } from './coverage';
import { addPage, countsFewer, missingRows, NOTHING_READ } from './coverage';
import type { PageRead } from './page';
import { droppedRowsWarning, readPage, readPages } from './page';

/**
 * Reads a list, or as much of it as is wanted. If rows may have been missed, the list is read a second
 * time, and the rows of both passes are returned. Rows are recognised by their ID, or by
 * their content if they have none.
 */

export interface Listing<Row, Out> {
	fetch: (page: PageRequest) => Promise<ListAnswer<Row>>;
	/** What each request repeats. Its `pageSize` is the largest one to try. */
	page: PageRequest & { pageSize: number };
	id: (row: Row) => string;
	/**
	 * Whether rows with the same ID count as several, as the gateway counts them. Not for a list of which no
	 * row may be missed: if one is added and one removed, a row that comes again on the next page makes up for the missed one.
	 */
	countsRepeats?: boolean;
	/** Called for each row as it comes, so that raw rows are not kept. Undefined leaves the row out. */
	shape: (row: Row) => Out | undefined;
	/** How many shaped rows are wanted; all of them without it. */
	limit?: number | undefined;
	/** Whether `shape` may leave rows out, so that more than `limit` rows may be needed. */
	filters?: boolean;
	/** Whether all rows after this page are unwanted. */
	isPast?: (rows: readonly Row[]) => boolean;
	/**
	 * No row may be missed: a repeated page 1 counts as missing rows, and pages are requested one by one. In
	 * parallel, the gateway could build page 4, then add one row and remove one, then build page 3: the row
	 * that moved from 3 to 4 is on neither, and the count is the same.
	 */
	strict?: boolean;
	client: Pick<Client, 'parallel' | 'warn'>;
}

export interface Listed<Out> {
	rows: Out[];
	/** Describes the rows that are missing. Undefined if no wanted row is known to be missing. */
	missing: string | undefined;
}

interface Pass<Out> {
	/** The shaped rows by ID. A row that was left out is there as undefined. */
	rows: ReadonlyMap<string, Out | undefined>;
	coverage: Coverage;
	end: 'enough' | 'past' | 'last page' | 'page 1 repeated';
}

export async function list<Row, Out>(listing: Listing<Row, Out>): Promise<Listed<Out>> {
	const first = await readOnce(listing);
	// A page size that the gateway has refused is not tried again.
	const page = { ...listing.page, pageSize: first.coverage.pageSize };
	const last = isComplete(first) ? first : await readOnce({ ...listing, page });
	// A row that only the first pass has found was in the list during the call.
	const vanished = [...first.rows].filter(([id]) => !last.rows.has(id));
	const rows = [...last.rows, ...vanished].map(([, row]) => row);
	const wanted = rows.filter((row) => row !== undefined);
	return { rows: wanted.slice(0, listing.limit), missing: missingFrom(last, vanished.length) };
}

/** For a caller that can use an incomplete list. What is missing goes to n8n's log. */
export function rowsOf<Out>({ rows, missing }: Listed<Out>, warn: Client['warn']): Out[] {
	if (missing !== undefined) warn(`Payments Gateway: ${missing}, so some may be missing`);
	return rows;
}

function isComplete(pass: Pass<unknown>): boolean {
	// The limit is reached: a row further down has taken the place of any row that was missed.
	if (pass.end === 'enough') return true;
	return !pass.coverage.hasShrunk && missingFrom(pass, 0) === undefined;
}

function missingFrom({ coverage, end }: Pass<unknown>, others: number): string | undefined {
	if (end === 'page 1 repeated') {
		return `the gateway answers every page with the same ${coverage.entries} rows`;
	}
	return end === 'last page' ? missingRows(coverage, others) : undefined;
}

async function readOnce<Row, Out>(listing: Listing<Row, Out>): Promise<Pass<Out>> {
	const rows = new Map<string, Out | undefined>();
	let coverage = NOTHING_READ;
	let kept = 0;
	let end: Pass<Out>['end'] | undefined;
	const pages = readPages<PageRead<Row>>({
		ask: pageReader(listing),
		lastToAsk: () => lastToAsk(listing, coverage, kept),
		isStale: (page) => countsFewer(coverage, page),
	});
	for await (const page of pages) {
		const added = addRows(rows, page.rows, listing);
		coverage = addPage(coverage, page, added);
		kept += added.kept;
		end = endAfter(listing, page.rows, coverage, kept);
		if (end !== undefined) break;
	}
	// Only for the type: readPages never ends by itself, so `end` is set.
	return { rows, coverage, end: end ?? 'last page' };
}

/** Why no page is read after this one. Undefined if one is. */
function endAfter<Row, Out>(
	{ limit = Infinity, isPast, strict = false }: Listing<Row, Out>,
	rows: readonly Row[],
	coverage: Coverage,
	kept: number,
): Pass<Out>['end'] | undefined {
	if (isPast?.(rows)) return 'past';
	if (kept >= limit) return 'enough';
	if (!coverage.isAtEnd) return undefined;
	return strict && coverage.isPage1Repeated ? 'page 1 repeated' : 'last page';
}

/** Requests a page by its number. All pages have the size that the gateway has accepted for page 1. */
function pageReader<Row, Out>({ fetch, page, limit, filters, client }: Listing<Row, Out>) {
	let { pageSize } = page;
	if (limit !== undefined && !filters) {
		// As few pages as possible, all of one size, with hardly any unwanted rows.
		pageSize = Math.ceil(limit / Math.ceil(limit / pageSize));
	}
	return async (number: number): Promise<PageRead<Row>> => {
		const ask = async (size: number) => await fetch({ ...page, page: number, pageSize: size });
		const read = await readPage(number, pageSize, ask);
		pageSize = read.pageSize;
		if (read.dropped > 0) client.warn(droppedRowsWarning(read.dropped));
		return read;
	};
}

/** The last page to request ahead, as far as the pages so far show. */
function lastToAsk<Row, Out>(
	{ client, limit = Infinity, filters = false, strict = false }: Listing<Row, Out>,
	{ pages, total, fullLength }: Coverage,
	kept: number,
): number {
	// Page 1 shows how long a page is. Without a count, nothing would show that rows were removed.
	if (pages === 0 || total === undefined || strict) return pages + 1;
	// With a filter, a limit does not show how many pages are needed: request as many ahead as were read.
	const isOpenEnded = filters && limit < Infinity;
	const needed = isOpenEnded ? pages : Math.ceil((limit - kept) / fullLength);
	return Math.min(pages + Math.min(needed, client.parallel), Math.ceil(total / fullLength));
}

/** Adds the rows that no earlier page has shown, and counts them. */
function addRows<Row, Out>(
	known: Map<string, Out | undefined>,
	rows: readonly Row[],
	{ id, shape, countsRepeats = false }: Listing<Row, Out>,
): { newRows: number; repeats: number; kept: number } {
	const keyed = rows.map((row) => ({ key: id(row) || JSON.stringify(row), row }));
	const added = keyed.filter(({ key }) => !known.has(key));
	let kept = 0;
	for (const { key, row } of added) {
		// Twice on this page: kept once, but counted twice, as the gateway does.
		if (known.has(key)) continue;
		known.set(key, shape(row));
		if (known.get(key) !== undefined) kept += 1;
	}
	// A page without any new row is an earlier page again.
	const repeats = countsRepeats && added.length > 0 ? rows.length - added.length : 0;
	return { newRows: added.length, repeats, kept };
}
