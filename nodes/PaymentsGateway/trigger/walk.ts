import { ceilingOf } from './cursor';
import type { Clock, Cursor } from './cursor';
import type { EventList } from './eventList';
import type { Ledger, Row } from './ledger';

const MOST_SIZES = 5;

/** Pages got another size during a walk, and what was worked out from their numbers is void. */
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

/** Pages read one after another, newest first: what is fresh in them, and where they lead to. */
export class Walk {
	/** Not handled yet, in the order of the list. */
	readonly fresh = new Map<string, Row>();
	readonly outdated: Row[] = [];
	/** The rows handled before are reached: nothing new lies between them and the first page. */
	isJoined = false;
	/** The floor, or the end of the list, is reached. */
	isGrounded = false;
	/** When the first page was read; later arrivals are the next poll's. */
	total: number | undefined;
	clock: Clock = { service: 0, local: 0 };
	pages = 0;

	private readonly seen = new Set<string>();
	private latest: number | undefined;
	private repeated = 0;
	private readonly repeatedMoments = new Set<number>();
	/** How many rows each moment has. */
	private readonly moments = new Map<number, number>();
	private isUneven = false;

	constructor(
		private readonly list: EventList,
		private readonly cursor: Cursor,
		private readonly ledger: Ledger,
		readonly start: number,
	) {}

	get nextPage(): number {
		return this.start + this.pages;
	}

	/** Rows above the first page. */
	get above(): number {
		return (this.start - 1) * this.list.size;
	}

	/**
	 * A row seen on two pages was pushed down by an arrival, or took the place of another: rows of
	 * one moment may come in any order. Rows that vanish pull others up past the reader, and a
	 * short page in the middle may lack some.
	 */
	get isDoubtful(): boolean {
		const arrived =
			this.total === undefined || this.latest === undefined ? 0 : this.latest - this.total;
		return this.repeated > Math.max(0, arrived) || this.isUneven;
	}

	/** Rows of one moment come in another order with every page: each look may show others. */
	get isShuffled(): boolean {
		return [...this.repeatedMoments].some((at) => (this.moments.get(at) ?? 0) > 1);
	}

	/** The newest date of a row that was seen on two pages. */
	get newestRepeated(): number {
		return [...this.repeatedMoments].reduce((newest, at) => Math.max(newest, at), -Infinity);
	}

	async step(): Promise<void> {
		const { rows, total, isShort, isLast, isRepeat, resized, clock } = await this.list.read(
			this.nextPage,
		);
		if (resized) throw new PagesResized();
		this.pages++;
		if (this.pages === 1) {
			this.total = total;
			this.clock = clock;
		}
		if (total !== undefined && this.latest !== undefined && total < this.latest) {
			this.isUneven = true;
		}
		if (this.pages > 1 && isShort && !isLast) this.isUneven = true;
		this.latest = total ?? this.latest;

		let isBelowFloor = false;
		for (const row of rows) {
			isBelowFloor ||= row.at !== undefined && row.at < this.cursor.floor;
			if (this.seen.has(row.hash)) {
				this.repeated++;
				if (row.at !== undefined) this.repeatedMoments.add(row.at);
				continue;
			}
			if (row.at !== undefined) this.moments.set(row.at, (this.moments.get(row.at) ?? 0) + 1);
			if (!this.isHandled(row)) {
				// Without a date of its own, a row is as old as the place it stands at.
				if (!isBelowFloor && !this.fresh.has(row.hash)) this.fresh.set(row.hash, row);
			} else if (this.ledger.isOutdated(row)) {
				this.outdated.push(row);
			}
		}
		for (const { hash } of rows) this.seen.add(hash);
		const isEnd = isLast || isRepeat;
		this.isGrounded ||= isEnd || isBelowFloor;
		this.isJoined ||= this.isGrounded || this.joins(rows);
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
		const ceiling = ceilingOf(this.clock);
		let lowest: number | undefined;
		for (const row of [...rows].reverse()) {
			if (!this.isHandled(row)) return false;
			if (row.at === undefined || row.at > ceiling) continue;
			if (lowest !== undefined && row.at > lowest) return true;
			lowest ??= row.at;
		}
		// Nothing but handled rows of one moment: if others of it hide below, the total says so.
		return lowest !== undefined;
	}
}
