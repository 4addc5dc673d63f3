import type { ListAnswer, PageRequest } from '../wire';
import type { Client } from './client';
import type { Page } from './page';
import { droppedWords, readPage } from './page';

/**
 * Reads a list: page 1 alone, then several pages at once, taken in order; page after page if it is read
 * down to a date (`isPast`). Rows are known by their ID.
 * New rows push others down to where the reader is yet to come, and so hide none. Where rows have gone,
 * or not as many came as the gateway counts, the list is read once more.
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
	/** With a limit: whether `shape` may leave rows out, so that more than those may be needed. */
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

/** One reading of the list, from its first page on. */
class Reading<Row, Out> {
	/** What `shape` made of each row, by what the row is known by. */
	readonly rows = new Map<string, Out | undefined>();
	/** Entries that are no objects. */
	dropped = 0;
	private end: 'last page' | 'same page' | 'enough' | 'past' | undefined;
	/** How many pages were read. */
	private pages = 0;
	/** By how many rows pages are asked for, and how many page 1 has: as many as any other full page. */
	pageSize: number;
	private fullLength = 0;
	/** How many entries came that no page above has shown, and how many of those `shape` has kept. */
	private seen = 0;
	private kept = 0;
	/** So many of the last pages, in a row, had none that was new. */
	private pagesWithoutNews = 0;
	/** The gateway's count with page 1, and with the last page that was read. */
	private firstTotal: number | undefined;
	private total: number | undefined;
	/** The count has fallen: rows have gone. */
	private hasLost = false;

	constructor(private readonly listing: Listing<Row, Out>) {
		const { pageSize } = listing.page;
		const { limit = pageSize, filters = false } = listing;
		// No more rows are asked for than are wanted, in pages of one size.
		this.pageSize = filters ? pageSize : Math.ceil(limit / Math.ceil(limit / pageSize));
	}

	async read(): Promise<this> {
		const underWay: Array<Promise<Page<Row>>> = [];
		/** The last page that was asked for once more. */
		let askedAgain = 0;
		try {
			while (this.end === undefined) {
				const next = this.pages + 1;
				const last = Math.min(this.lastWorthAsking, this.pages + this.listing.client.parallel);
				while (next + underWay.length <= last) {
					const answer = this.ask(next + underWay.length);
					// An error is handled where the page is awaited; until then Node must not call it unhandled.
					answer.catch(() => undefined);
					underWay.push(answer);
				}
				const page = await (underWay.shift() ?? this.ask(next));
				if (this.isCountedLower(page) && askedAgain !== next) {
					askedAgain = next;
					// Those that were asked for together with it may be as old.
					await Promise.allSettled(underWay.splice(0));
				} else {
					this.add(page);
				}
			}
		} finally {
			// When this ends, no request is under way any more, also after an error.
			await Promise.allSettled(underWay);
		}
		return this;
	}

	private async ask(page: number): Promise<Page<Row>> {
		return await readPage(page, this.pageSize, async (pageSize) => {
			this.pageSize = pageSize;
			return await this.listing.fetch({ ...this.listing.page, page, pageSize });
		});
	}

	/** Up to which page it may be read ahead. */
	private get lastWorthAsking(): number {
		const { pages, total, kept, fullLength } = this;
		const { limit = Infinity, filters = false, isPast } = this.listing;
		// Page 1 shows how long the others are. Without counts, nothing would show that rows have gone.
		if (pages === 0 || total === undefined) return pages + 1;
		// Read down to a date, a list must not miss a row. The gateway may make page 4 before page 3; if
		// one row comes and one goes between the two, page 3's last row is on neither, at the same count.
		if (isPast !== undefined) return pages + 1;
		// Where nobody knows how many are wanted, no more are asked for in vain than were read.
		const isOpen = filters && limit < Infinity;
		const ahead = isOpen ? pages : Math.ceil((limit - kept) / fullLength);
		return Math.min(pages + ahead, Math.ceil(total / fullLength));
	}

	/**
	 * The page is counted lower than the one above it. Either rows have gone, or the gateway cut this
	 * page before that one, and what came in between has pushed rows past both.
	 */
	private isCountedLower({ total }: Page<Row>): boolean {
		return total !== undefined && this.total !== undefined && total < this.total;
	}

	private add(page: Page<Row>): void {
		const { rows, dropped, total = this.total } = page;
		const length = rows.length + dropped;
		const news = this.addRows(rows);
		this.pages += 1;
		this.dropped += dropped;
		this.seen += news + dropped;
		this.pagesWithoutNews = news > 0 ? 0 : this.pagesWithoutNews + 1;
		this.hasLost ||= this.isCountedLower(page);
		// A count of fewer rows than were seen is not that of the list.
		this.total = total !== undefined && total >= this.seen ? total : undefined;
		if (this.pages === 1) [this.fullLength, this.firstTotal] = [length, this.total];
		this.end = this.endWith(rows, length);
	}

	/** Why nothing is read after this page; undefined when more is. */
	private endWith(rows: readonly Row[], length: number): typeof this.end {
		const { limit = Infinity, isPast } = this.listing;
		if (isPast?.(rows)) return 'past';
		if (this.kept >= limit) return 'enough';
		if (!this.isLast(length)) return undefined;
		const { pages, pagesWithoutNews, fullLength, pageSize, total } = this;
		const isPage1Again = pages === 3 && pagesWithoutNews === 2 && fullLength >= pageSize;
		// A full page 1, not counted and answered three times, is the whole list, or the gateway passes over
		// the number of the page. Who reads back to a date, as a charge does, must not take it for the whole.
		return isPast && isPage1Again && total === undefined ? 'same page' : 'last page';
	}

	/** Tells how many of them no page above has shown. */
	private addRows(rows: readonly Row[]): number {
		const { id, shape } = this.listing;
		const keyed = rows.map((row) => [id(row) || JSON.stringify(row), row] as const);
		// Of two alike on one page, the gateway counts both.
		const news = keyed.filter(([key]) => !this.rows.has(key));
		for (const [key, row] of new Map(news)) {
			const out = shape(row);
			this.rows.set(key, out);
			if (out !== undefined) this.kept += 1;
		}
		return news.length;
	}

	private isLast(length: number): boolean {
		const { total, seen, fullLength, pagesWithoutNews } = this;
		// One page without news may also be that a pageful of new rows came in. Two are the last page again.
		if (length === 0 || pagesWithoutNews > 1) return true;
		return total === undefined ? length < fullLength : seen >= total;
	}

	/** Nothing would come of reading the list once more. */
	get isWhole(): boolean {
		return this.end === 'enough' || (!this.hasLost && this.missing() === undefined);
	}

	/** What is missing, in words for a person, where so many other rows are known of. */
	missing(others = 0): string | undefined {
		const { end, seen, total = 0, firstTotal = 0 } = this;
		if (end === 'same page') return `the gateway answers every page with the same ${seen} rows`;
		const given = seen + others;
		// What came in since page 1 was read need not be among them.
		const counted = Math.min(total, firstTotal);
		if (end !== 'last page' || counted <= given) return undefined;
		return `the gateway counts ${counted} rows of the list and gave out ${given}`;
	}
}

export async function list<Row, Out>(listing: Listing<Row, Out>): Promise<Listed<Out>> {
	const first = await new Reading(listing).read();
	// A page size that the gateway has refused is not tried again.
	const page = { ...listing.page, pageSize: first.pageSize };
	const last = first.isWhole ? first : await new Reading({ ...listing, page }).read();
	if (last.dropped > 0) listing.client.warn(droppedWords(last.dropped));
	// What only the first reading has seen was there as well when this began.
	const known = new Map(last.rows);
	for (const [key, out] of first.rows) if (!known.has(key)) known.set(key, out);
	const rows = [...known.values()].filter((out) => out !== undefined);
	const missing = last.missing(known.size - last.rows.size);
	return { rows: rows.slice(0, listing.limit), missing };
}

/** For callers that can do with the rows that there are: what is missing is told in n8n's log. */
export function rowsOf<Out>({ rows, missing }: Listed<Out>, warn: (words: string) => void): Out[] {
	if (missing !== undefined) warn(`Payments Gateway: ${missing}, so some may be missing`);
	return rows;
}
