import type { EventPage, EventPages } from './eventPages';
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
	/** The number of the page that it reads next. */
	next = 1;
	/** The hash of the last row that it has read. */
	last: string | undefined;
	private repeats = 0;

	constructor(
		/** The page where it begins. What the gateway counts, and its clock, are taken from this one. */
		readonly first: EventPage,
		private readonly pages: EventPages,
		private readonly state: State,
		private readonly handled: Handled,
	) {
		this.note(first);
	}

	/** How many more rows the gateway counts than are accounted for; negative where it does not say. */
	get risenBy(): number {
		return (this.first.total ?? 0) - (this.state.accountedFor ?? Infinity);
	}

	async read(): Promise<void> {
		this.note(await this.pages.read(this.next));
	}

	private note({ number, rows, length }: EventPage): void {
		const isOld = ({ at }: Row) => at < this.state.floor;
		for (const row of rows) {
			if (this.handled.sawAgain(row) || isOld(row) || this.fresh.has(row.hash)) continue;
			this.fresh.set(row.hash, row);
		}
		this.hasEnded = length === 0;
		// Behind its last page a list may answer that page for each number.
		const last = rows.at(-1)?.hash;
		this.repeats = last !== undefined && last === this.last ? this.repeats + 1 : 0;
		this.last = last;
		const isLastAgain = this.repeats >= REPEATS;
		if (isLastAgain && this.ignoresPageNumber(number)) {
			throw this.pages.nothingFired('The gateway answered the same events for different pages');
		}
		const lowest = rows.slice(-LAST_ROWS);
		const areOld = lowest.length > 0 && lowest.every(isOld);
		this.reachedFloor ||= this.hasEnded || isLastAgain || areOld;
		const areHandled = lowest.every((row) => isOld(row) || this.handled.has(row.hash));
		// Rows of the future stay on top for long, and what is below them may be new.
		const isOneOfNow = lowest.some(({ at }) => at < this.first.futureFrom);
		this.reachedHandled ||= this.reachedFloor || (areHandled && isOneOfNow);
		this.next = number + 1;
	}

	/** Whether the page that is the same again cannot be the last one. */
	private ignoresPageNumber(number: number): boolean {
		const { pages } = this;
		const { total } = this.first;
		if (total !== undefined) return total > (number - 1) * pages.rowsPerPage;
		// Where nothing is counted, a list of just one full page looks the same, and fails too.
		return number === 1 + REPEATS && pages.rowsPerPage === pages.pageSize;
	}
}
