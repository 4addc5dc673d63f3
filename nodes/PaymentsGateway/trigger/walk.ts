import type { Cursor, Found } from './cursor';
import type { EventList } from './eventList';
import type { Clock, Ledger, Row } from './ledger';

/**
 * Reads pages of events one after another, newest first, and notes what in them is new and where they
 * lead to: to the events handled before, to the floor, or to the end of the list.
 */

const MOST_SIZES = 5;

/** Pages got another size during a walk, so their numbers mean other rows than they did. */
class PagesResized extends Error {
	constructor() {
		super('The service kept changing the size of its pages while they were read');
	}
}

/** Does it again from the beginning whenever pages get another size meanwhile. */
export async function withOneSize<T>(work: () => Promise<T>): Promise<T> {
	for (let sizes = 1; ; sizes++) {
		const result = await work().catch((error: unknown) => {
			if (error instanceof PagesResized && sizes < MOST_SIZES) return error;
			throw error;
		});
		if (!(result instanceof PagesResized)) return result;
	}
}

export class Walk implements Found {
	readonly fresh = new Map<string, Row>();
	readonly outdated: Row[] = [];
	/** All rows that were shown, with the date each was last seen with. */
	readonly seen = new Map<string, number | undefined>();
	/** The handled rows are reached: nothing new lies between them and the first page. */
	isJoined = false;
	reachedFloor = false;
	/** The last page ends in a handled row, which does not show by itself what is above it. */
	isNear = false;
	/** The service's count as the first page gave it; later arrivals are the next poll's. */
	total: number | undefined;
	clock: Clock = { service: 0, local: 0 };
	pages = 0;
	above = 0;
	/** The dates between which its rows lie. */
	newest = -Infinity;
	oldest = Infinity;
	/** The newest date of a row that was seen on two pages. */
	newestRepeated = -Infinity;

	private until = 0;
	private latestTotal: number | undefined;
	private repeated = 0;
	private isUneven = false;

	constructor(
		private readonly list: EventList,
		private readonly cursor: Cursor,
		private readonly ledger: Ledger,
		readonly start: number,
	) {}

	get lastPage(): number {
		return this.start + this.pages - 1;
	}

	/**
	 * A row seen on two pages was pushed down by an arrival, or took the place of another: rows of
	 * one moment may come in any order. Rows that vanish pull others up past the reader, and a
	 * short page in the middle may lack some.
	 */
	get isDoubtful(): boolean {
		const arrived = this.total === undefined ? 0 : (this.latestTotal ?? 0) - this.total;
		return this.repeated > Math.max(0, arrived) || this.isUneven;
	}

	/** How many rows the service counts above the handled ones; 0 where its count says nothing. */
	get expected(): number {
		const { total } = this.cursor;
		return this.total === undefined || total === undefined ? 0 : Math.max(0, this.total - total);
	}

	/** How many of them were not found. */
	get missing(): number {
		return Math.max(0, this.expected - this.above - this.fresh.size);
	}

	async step(): Promise<void> {
		const number = this.start + this.pages;
		const { rows, total, isShort, isLast, isRepeat, resized, clock } = await this.list.read(number);
		if (resized) throw new PagesResized();
		this.pages++;
		if (this.pages === 1) {
			this.total = total;
			this.clock = clock;
			this.above = (number - 1) * this.list.size;
			this.until = this.ledger.believedUntil(clock);
		} else if ((total ?? Infinity) < (this.latestTotal ?? 0) || (isShort && !isLast)) {
			this.isUneven = true;
		}
		this.latestTotal = total ?? this.latestTotal;

		let isBelowFloor = false;
		for (const row of rows) {
			const { at } = row;
			if (at !== undefined) {
				this.newest = Math.max(this.newest, at);
				this.oldest = Math.min(this.oldest, at);
				isBelowFloor ||= at < this.cursor.floor;
			}
			// With another date it is not a row that moved, but an ID that is listed twice.
			if (this.seen.has(row.hash) && this.seen.get(row.hash) === at) {
				this.repeated++;
				if (at !== undefined && at <= this.until) {
					this.newestRepeated = Math.max(this.newestRepeated, at);
				}
			} else if (!this.isHandled(row)) {
				// Without a date of its own, a row is as old as the place it stands at.
				if (!isBelowFloor && !this.fresh.has(row.hash)) this.fresh.set(row.hash, row);
			} else if (this.ledger.isOutdated(row)) {
				this.outdated.push(row);
			}
		}
		for (const { hash, at } of rows) this.seen.set(hash, at);
		this.reachedFloor ||= isLast || isRepeat || isBelowFloor;
		this.isJoined ||= this.reachedFloor || this.joins(rows);
		const last = rows.at(-1);
		this.isNear = last !== undefined && this.isHandled(last);
	}

	private isHandled({ hash, at }: Row): boolean {
		return this.ledger.has(hash) || (at !== undefined && at < this.cursor.floor);
	}

	/**
	 * A page joins where it ends in handled rows of more than one moment: the later of these is
	 * then seen in full, and all that is older was handled before it. Rows of the future stand on
	 * top of the list for long, handled or not, and show nothing.
	 */
	private joins(rows: readonly Row[]): boolean {
		let lowest: number | undefined;
		for (const row of [...rows].reverse()) {
			if (!this.isHandled(row)) return false;
			if (row.at === undefined || row.at > this.until) continue;
			if (lowest !== undefined && row.at > lowest) return true;
			lowest ??= row.at;
		}
		// Nothing but handled rows of one moment: if others of it hide below, the total says so.
		return lowest !== undefined;
	}
}
