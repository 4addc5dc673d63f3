import type { EventPage, EventPages } from './eventPages';
import type { Handled, Row } from './handled';
import type { Reading } from './state';

/**
 * Reads pages one after another, newest first, and notes what on them is new and where they lead
 * to: to the handled rows, or to the floor.
 */

/** A row with the date that it goes by. */
export type Dated = Row & { at: number };

/** The last rows of a page tell where it has led to; fewer might just stand in the wrong order. */
const LAST_ROWS = 5;
/** So often rows may vanish: of a count that jumps up and down, a walk would never come to its end. */
const MOST_RETURNS = 20;
/** Memory does not grow with a backlog: after so many new rows the next walk goes on. */
const MOST_ROWS = 6_000;

export class Walk {
	/** Not handled and not older than the floor, in the order of the list. */
	readonly fresh = new Map<string, Dated>();
	/** The last page led to handled rows: what is new lies above them, or came late. */
	reachedHandled = false;
	/** Nothing that could still fire lies below. */
	reachedFloor = false;
	/** Rows vanished while it read, and what they have pulled up past it was not read since. */
	hasShrunk = false;
	/** The last page was empty, or refused. */
	isLastEmpty = false;
	/** The gateway's count as the first page gave it; later arrivals are the next poll's. */
	total: number | undefined;
	now = 0;
	pagesRead = 0;
	/** How many of the new rows lie above the handled rows that it came upon first. */
	freshAbove = 0;

	private last: EventPage | undefined;
	/** The most rows of a page, and of one that another page followed. */
	private longest = 0;
	private longestFollowed = 0;
	private rowsRead = 0;
	private returns = 0;
	/** Once it would read this page, it has read again what was pulled up. */
	private shrunkUntil = 0;
	private hasMetHandled: boolean;
	/** Later dates are those of the future. */
	private believedUntil = 0;
	/** A row without a readable date goes by that of the row above it. */
	private dateAbove = 0;

	constructor(
		private readonly pagesOfEvents: EventPages,
		private readonly floor: number,
		private readonly handled: Handled,
		private readonly reading: Reading,
	) {
		// A sweep has met them before.
		this.hasMetHandled = reading.sweep !== undefined;
	}

	/** The page at which it begins. */
	get from(): number {
		return this.reading.from;
	}

	get holdsMuch(): boolean {
		return this.fresh.size >= MOST_ROWS;
	}

	/** The page that it would read next. */
	get next(): number {
		return this.from + this.pagesRead;
	}

	/** It began on top, and found no row there. */
	get isListEmpty(): boolean {
		return this.next === 2 && this.last?.rows.length === 0;
	}

	/** By the count, rows lie below the page with which the list has ended. */
	get endsEarly(): boolean {
		return this.isLastEmpty && (this.total ?? 0) > this.rowsAbove + this.rowsRead;
	}

	/** The hash of the last row that it read. */
	get lastRead(): string | undefined {
		return this.last?.rows.at(-1)?.hash;
	}

	/** How many rows a page holds; the last one of the list may hold fewer. */
	get size(): number {
		return this.longestFollowed || Math.max(this.longest, this.reading.size ?? 1);
	}

	/** How many rows lie above it, about. */
	get rowsAbove(): number {
		return (this.from - 1) * this.size;
	}

	/** The oldest of the first new rows; by a few of them, since two may stand in the wrong order. */
	get oldestOnTop(): number {
		return Math.min(...[...this.fresh.values()].slice(0, LAST_ROWS).map(({ at }) => at));
	}

	/** Reads a page further, or none where the time is over. Of an error nothing is noted. */
	async step(size?: number): Promise<Error | undefined> {
		const page = await this.pagesOfEvents.read(this.next, size);
		if (page === undefined || page instanceof Error) return page;
		if (this.last === undefined) this.begin(page);
		const looksRepeated = this.repeatsAbove(page);
		if (looksRepeated && this.next === 2) await this.pagesOfEvents.requirePaging(page);
		const isRepeat = looksRepeated && (await this.pagesOfEvents.repeatsBelow(this.next, page.rows));
		const vanished = this.vanished(page);
		this.isLastEmpty = page.rows.length === 0;
		if (page.rows.length > 0) {
			this.longestFollowed = Math.max(this.longestFollowed, this.last?.rows.length ?? 0);
			this.longest = Math.max(this.longest, page.rows.length);
		}
		this.last = page;
		this.rowsRead += page.rows.length;
		this.pagesRead++;
		this.note(page.rows, isRepeat || this.isLast(page));
		// It began where no rows are any more: what it was shown instead stands elsewhere.
		if (isRepeat && this.pagesRead === 2 && this.endsAbove(page)) this.fresh.clear();
		if (vanished > 0) this.goBack(vanished);
		else if (this.next >= this.shrunkUntil) this.hasShrunk = false;
		return undefined;
	}

	/** A count that is that of the page, as some gateways give it, says nothing of the list. */
	private vanished({ total = Infinity }: EventPage): number {
		const before = this.last?.total ?? 0;
		return before > this.size ? before - total : 0;
	}

	/**
	 * Rows that vanish pull others up by as many, perhaps past the reader: it goes back to where those
	 * stand now. A list whose oldest rows are removed all the time would else never be read to its end.
	 */
	private goBack(vanished: number): void {
		const pages = Math.ceil(vanished / this.size) + 1;
		const isOver = this.reachedFloor || this.returns >= MOST_RETURNS;
		const canReturn = !isOver && pages + 1 < this.pagesRead;
		this.hasShrunk = true;
		this.shrunkUntil = canReturn ? Math.max(this.shrunkUntil, this.next) : Infinity;
		if (!canReturn) return;
		this.returns++;
		this.pagesRead -= pages;
		this.rowsRead -= pages * this.size;
	}

	private begin(page: EventPage): void {
		({ total: this.total, now: this.now } = page);
		this.believedUntil = this.handled.believedUntil(page.now);
		const nextDate = page.rows.find(({ at }) => at !== undefined)?.at;
		const newest = this.handled.newestFirst(page.now)[0] ?? (this.floor || this.now);
		// On top of the list a row is as new as any; elsewhere as the next one below that has a date.
		this.dateAbove =
			this.from === 1 ? Math.max(nextDate ?? 0, newest, this.floor) : (nextDate ?? newest);
	}

	/**
	 * A page that is shorter than another, and by the count nothing lies below it. The next is then not
	 * asked for, since some gateways would answer page 1. What the poll before has seen does not count:
	 * pages may have become smaller.
	 */
	private isLast({ rows, total }: EventPage): boolean {
		return rows.length < this.longest && this.rowsAbove + this.rowsRead === total;
	}

	/** By the count all rows lie above where it began, and they are more than a page. */
	private endsAbove({ total = 0 }: EventPage): boolean {
		return total > this.size && total <= this.rowsAbove;
	}

	/** Perhaps the end of a list that answers its last page for every one below. */
	private repeatsAbove({ rows, total }: EventPage): boolean {
		const last = rows.at(-1)?.hash;
		// Arrivals that push a whole page down show in the count, where there is a true one.
		return last !== undefined && last === this.last?.rows.at(-1)?.hash && total === this.last.total;
	}

	private note(rows: readonly Row[], isEnd: boolean): void {
		const dated = rows.map(({ event, hash, at = this.dateAbove }): Dated => {
			this.dateAbove = at;
			return { event, hash, at };
		});
		for (const row of dated) {
			if (this.handled.has(row.hash)) this.handled.add(row.hash, row.at);
			else if (row.at >= this.floor && !this.fresh.has(row.hash)) this.fresh.set(row.hash, row);
		}
		// A row without a date of its own does not show where the page has led to, unless none has one.
		const withDate = dated.filter((_, index) => rows[index]?.at !== undefined);
		const shown = (withDate.length > 0 ? withDate : dated).slice(-LAST_ROWS);
		const isOld = ({ at }: Dated) => at < this.floor;
		// Also where there are no rows at all.
		this.reachedFloor ||= isEnd || shown.every(isOld);
		// By the last page alone. Rows of the future stay on top, handled or not, and show nothing.
		this.reachedHandled =
			this.reachedFloor ||
			dated.some(({ hash }) => hash === this.reading.border) ||
			(shown.every((row) => isOld(row) || this.handled.has(row.hash)) &&
				shown.some(({ at }) => at <= this.believedUntil));
		if (!this.hasMetHandled) this.freshAbove = this.fresh.size;
		this.hasMetHandled ||= this.reachedHandled;
	}
}
