import type { EventPages } from './eventPages';
import type { Handled, Row } from './handled';
import type { State } from './state';

/**
 * Reads pages one after another, newest first, and notes what on them is new and where they lead to.
 * Newest first is the one order in which a list that moves hides nothing: what comes in pushes rows
 * down, where they are seen again.
 */

/** The last rows of a page show where it leads to; fewer might just stand in the wrong order. */
const LAST_ROWS = 5;
/** A page that is the same so often is no page that arrivals have pushed down. */
const REPEATS = 2;

export class Walk {
	/** What is neither handled nor older than the floor, in the order of the list. */
	readonly fresh = new Map<string, Row>();
	/** A page has led to handled rows: what else is new has come late, and lies below them. */
	reachedHandled = false;
	/** Nothing that may fire lies below. */
	reachedFloor = false;
	/** There was no such page as it has read last. */
	hasEnded = false;
	/** Of its first page: how many rows the gateway counts, and its moment. */
	total: number | undefined;
	now = 0;
	believedUntil = 0;
	/** The date of the first row that it has read; the rows above that are not older. */
	newest = 0;
	/** The hash of the last row that it has read. */
	last: string | undefined;
	private repeats = 0;

	constructor(
		private readonly pages: EventPages,
		private readonly state: State,
		private readonly handled: Handled,
		readonly from = 1,
		/** The page that it reads next. */
		public next = from,
	) {}

	/** How many more rows the gateway counts than are accounted for; negative where it does not say. */
	get risenBy(): number {
		return (this.total ?? 0) - (this.state.accountedFor ?? Infinity);
	}

	async read(size?: number): Promise<void> {
		const { rows, length, ...page } = await this.pages.read(this.next, size);
		if (this.next === this.from) {
			({ total: this.total, now: this.now, believedUntil: this.believedUntil } = page);
			this.newest = rows[0]?.at ?? 0;
		}
		const isOld = ({ at }: Row) => at < this.state.floor;
		for (const row of rows) {
			if (this.handled.has(row.hash)) this.handled.add(row.hash, row.at);
			else if (!isOld(row) && !this.fresh.has(row.hash)) this.fresh.set(row.hash, row);
		}
		this.hasEnded = length === 0;
		const isEnd = this.hasEnded || this.isLastAgain(rows);
		const lowest = rows.slice(-LAST_ROWS);
		const areOld = lowest.length > 0 && lowest.every(isOld);
		this.reachedFloor ||= isEnd || areOld;
		const areHandled = lowest.every((row) => isOld(row) || this.handled.has(row.hash));
		// Rows of the future stay on top for long, and what is below them may be new.
		const isOneOfNow = lowest.some(({ at }) => at <= this.believedUntil);
		this.reachedHandled ||= this.reachedFloor || (areHandled && isOneOfNow);
		this.next++;
	}

	/** Behind its last page a list may answer that page for each number. */
	private isLastAgain(rows: readonly Row[]): boolean {
		const last = rows.at(-1)?.hash;
		this.repeats = last !== undefined && last === this.last ? this.repeats + 1 : 0;
		this.last = last;
		if (this.repeats < REPEATS) return false;
		const { next, total, pages } = this;
		// Where nothing is counted, a list of just one full page cannot be told from pages ignored.
		const isPage1Full = next === 1 + REPEATS && pages.longest === pages.size;
		const ignoresPage = total === undefined ? isPage1Full : total > (next - 1) * pages.longest;
		if (ignoresPage) throw pages.ignoresPage();
		return true;
	}
}
