import type { EventPage, EventPages, Row } from './eventPages';
import { BOUNDS, markSeen, parseSeen } from './state';
import type { SeenEvents, State } from './state';

/**
 * A scan is what consecutive pages have shown, read from one page downwards. That direction is safe
 * while new events arrive: they push rows down, so a row may be read twice, but none is skipped.
 */
export interface Scan {
	/** The page that the scan began with. The scan goes by its count and its clock. */
	readonly first: EventPage;
	/** The page read last. */
	readonly last: EventPage;
	/** The rows that are neither seen nor below the watermark, by hash, in the list's order. */
	readonly newRows: ReadonlyMap<string, Row>;
	/** A page ended in seen rows, so new rows further down are late events. */
	readonly reachedSeen: boolean;
	/** Every row from the first page down to the watermark was read. */
	readonly reachedWatermark: boolean;
	/** How many pages right above the last one ended with the same row. */
	readonly repeats: number;
}

/**
 * How many rows decide what a page ends in: one alone may be out of order. Five are half of a peek at
 * ten rows, so a peek can show five new rows and still reach seen ones.
 */
const LAST_ROWS = 5;
/**
 * Beyond its last page, a list may return that page again. The same happens if new rows push the
 * rows down by exactly one page, but hardly twice in a row.
 */
const REPEATS_AT_END = 2;

/** The scan with one more page; without a scan, a new one. */
export function withPage(
	scan: Scan | undefined,
	page: EventPage,
	{ seen, state }: Pick<Scanner, 'seen' | 'state'>,
): Scan {
	const isOld = ({ time }: Row) => time < state.watermark;
	const isKnown = (row: Row) => isOld(row) || seen.has(row.hash);
	// Seen future-dated rows on top do not show that the new rows have ended: new rows appear below them.
	const isFuture = ({ time }: Row) => time >= page.futureFrom;

	const newRows = new Map(scan?.newRows);
	for (const row of page.rows) {
		if (!isKnown(row) && !newRows.has(row.hash)) newRows.set(row.hash, row);
	}
	const repeats = scan !== undefined && endAlike(scan.last, page) ? scan.repeats + 1 : 0;
	const isEndOfList = page.length === 0 || repeats >= REPEATS_AT_END;
	const lastRows = page.rows.slice(-LAST_ROWS);
	const endsInOld = lastRows.length > 0 && lastRows.every(isOld);
	const endsInSeen = lastRows.every(isKnown) && !lastRows.every(isFuture);
	const reachedWatermark = scan?.reachedWatermark || isEndOfList || endsInOld;
	const reachedSeen = scan?.reachedSeen || reachedWatermark || endsInSeen;
	const first = scan?.first ?? page;
	return { first, last: page, newRows, reachedSeen, reachedWatermark, repeats };
}

/** Whether both pages end with the same row. */
export function endAlike(one: EventPage, other: EventPage): boolean {
	const hash = one.rows.at(-1)?.hash;
	return hash !== undefined && hash === other.rows.at(-1)?.hash;
}

/** How many rows the gateway counts beyond the `countedTotal`. 0 if either count is unknown. */
export function uncounted({ total = 0 }: EventPage, { countedTotal = Infinity }: State): number {
	return Math.max(0, total - countedTotal);
}

export class Scanner {
	/** The state's seen events, each with the newest date that was read. */
	readonly seen: SeenEvents;

	constructor(
		readonly pages: EventPages,
		readonly state: State,
		readonly bounds = BOUNDS,
	) {
		this.seen = parseSeen(state.seen);
	}

	/** A scan of one page. */
	async begin(number: number, pageSize?: number): Promise<Scan> {
		return withPage(undefined, await this.read(number, pageSize), this);
	}

	/** The scan with the next page down, of the size that the scan began with. */
	async readOn(scan: Scan): Promise<Scan> {
		const page = await this.read(scan.last.number + 1, scan.first.pageSize);
		const longer = withPage(scan, page, this);
		if (longer.repeats >= REPEATS_AT_END && !(await this.isLastPageAgain(longer))) {
			throw this.pages.readError(
				'The gateway returned the same events for different pages',
				'If the next polls fail as well, ask your gateway to heed the page number of webhookEvents.',
			);
		}
		return longer;
	}

	private async read(number: number, pageSize?: number): Promise<EventPage> {
		const page = await this.pages.read(number, pageSize);
		// An event may be listed again under a newer date.
		for (const row of page.rows) if (this.seen.has(row.hash)) markSeen(this.seen, row);
		return page;
	}

	/** Whether the same page came again because the list has ended. If not, page numbers are ignored. */
	private async isLastPageAgain({ first: { total }, last: { number } }: Scan): Promise<boolean> {
		const { rowsPerPage, pageSize } = this.pages;
		if (total !== undefined) return total <= (number - 1) * rowsPerPage;
		// No page was full, so this is probably the last one. A gateway that ignores page numbers and also
		// serves fewer rows than requested is not detected.
		if (rowsPerPage < pageSize) return true;
		// This page was full: it is the last one, or page numbers are ignored. If the gateway heeds them,
		// pages 1 and 2 of half the size differ.
		const upperHalf = await this.read(1, Math.ceil(pageSize / 2));
		return !endAlike(upperHalf, await this.read(2, Math.ceil(pageSize / 2)));
	}
}
