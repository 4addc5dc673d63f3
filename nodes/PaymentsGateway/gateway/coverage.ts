import type { PageRead } from './page';

/**
 * Decides whether the pages that were read are the whole list, even if it has changed meanwhile. These
 * are pure functions of what the pages have shown. While page 2 of a list of nine is being requested:
 *
 *   [a b c] d e f  g h i     page 1 was read; the gateway counts 9
 *    n a b [c d e] f g h i   n is added: c appears twice, nothing is missed, the count rises
 *    b c d [e f g] h i       a is removed: d is missed, and the count falls to 8
 */

export interface Coverage {
	readonly pages: number;
	readonly pageSize: number;
	/** How many entries page 1 has. Every other full page has as many. */
	readonly fullLength: number;
	/** How many entries were read. One that was on an earlier page as well counts once, unless repeats count. */
	readonly entries: number;
	/** How many pages in a row, up to the last one, had no new rows. */
	readonly pagesWithoutNews: number;
	/** The gateway's count with page 1, and with the last page that has one. */
	readonly firstTotal?: number | undefined;
	readonly total?: number | undefined;
	/** The count has fallen, and `readPages` has read the page once more: rows were probably removed. */
	readonly hasShrunk: boolean;
	readonly isAtEnd: boolean;
	/** A full page 1 came three times, without a count: the gateway may ignore the page number. */
	readonly isPage1Repeated: boolean;
}

export const NOTHING_READ: Coverage = {
	pages: 0,
	pageSize: 0,
	fullLength: 0,
	entries: 0,
	pagesWithoutNews: 0,
	hasShrunk: false,
	isAtEnd: false,
	isPage1Repeated: false,
};

/** `newRows`: how many rows of the page were on no earlier page. `repeats`: how many others count. */
export function addPage(
	before: Coverage,
	page: PageRead<unknown>,
	{ newRows, repeats = 0 }: { newRows: number; repeats?: number },
): Coverage {
	const { pageSize } = page;
	const pages = before.pages + 1;
	const length = page.rows.length + page.dropped;
	const fullLength = pages === 1 ? length : before.fullLength;
	const entries = before.entries + newRows + repeats + page.dropped;
	const pagesWithoutNews = newRows > 0 ? 0 : before.pagesWithoutNews + 1;
	const { total: counted = before.total } = page;
	// A number below the entries read is not the list's count.
	const total = counted !== undefined && counted >= entries ? counted : undefined;
	const isLast = total === undefined ? length < fullLength : entries >= total;
	const isFull = fullLength >= pageSize && length >= fullLength;
	const isFullAgain = pages === 3 && pagesWithoutNews === 2 && isFull;
	return {
		pages,
		pageSize,
		fullLength,
		entries,
		pagesWithoutNews,
		total,
		firstTotal: pages === 1 ? total : before.firstTotal,
		hasShrunk: before.hasShrunk || countsFewer(before, page),
		// If a pageful of rows is added at the top, the next page repeats the previous one: no new rows, but
		// not the end. After two such pages, the gateway is repeating its last page.
		isAtEnd: isLast || length === 0 || pagesWithoutNews > 1,
		isPage1Repeated: isFullAgain && total === undefined,
	};
}

/** Either rows were removed, or the gateway built this page before the previous one. */
export function countsFewer({ total }: Coverage, page: PageRead<unknown>): boolean {
	return page.total !== undefined && total !== undefined && page.total < total;
}

/** Describes what is missing at the end of a list. `others`: how many rows only another pass has found. */
export function missingRows({ entries, total = 0, firstTotal = 0 }: Coverage, others: number) {
	const known = entries + others;
	// Rows that were added after page 1, or removed since, do not count as missing.
	const counted = Math.min(total, firstTotal);
	if (counted <= known) return undefined;
	return `the gateway counts ${counted} rows in the list but returned ${known}`;
}
