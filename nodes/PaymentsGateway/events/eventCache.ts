import type { Client } from '../gateway/client';
import type { WebhookEvent } from '../wire';
import { DAY, MINUTE } from '../wire/duration';
import { endsBefore, scanEvents } from './eventScan';
import type { ScannedEvents } from './eventScan';
import { countUnseen, readTail } from './eventTail';
import type { Tail } from './eventTail';
import { eventKey } from './paymentEvent';
import type { PaymentEvent } from './paymentEvent';

/**
 * Keeps the events of one merchant for ten minutes: the first look-up scans the whole look-back, and each
 * later one usually costs two requests. A look-up finds every event of the look-back that is in the list
 * from its beginning to its end, or throws `EventsMissing`. It does not rely on the gateway's search.
 *
 * A later look-up scans the top of the list, down to an event that is cached. Late events may have been
 * added further down. A count alone does not show them, since the oldest events are removed. The tail of
 * the list does: see eventTail.ts.
 *
 *     newest                        oldest  count
 *     |     a b c d e f g h i j k l m n o|     15    the list when it was cached
 *     | x y a b c d e f g h i j k l m n o|     17    x and y explain the count
 *     | x y a b c d e L f g h i j k l m n|     17    they seem to, but o was removed: L is late
 *
 * So the cache is complete if as many events were added as are new at the top. Otherwise the list is
 * scanned down to three days before the last scan, since no event is added later than three days after
 * its date. If the tail counts an event that even this scan lacks, the whole look-back is scanned.
 *
 * The order of the requests matters:
 *
 *     top, tail                  The tail is read last, so its count includes every event that the
 *                                scan of the top has missed.
 *     tail, longer scan, tail    What the first tail counts was there before the scan, so the scan
 *                                finds it. If the second tail shows that nothing was added since,
 *                                it belongs to the list that was scanned, and later tails are
 *                                compared with it.
 */

/** An event is added to the list no later than this after its date (docs/limits.md). */
const MAX_LATENESS = 3 * DAY;
/** A mistake in the cache lasts no longer than this: then the whole look-back is scanned again. */
const MAX_AGE = 10 * MINUTE;

export class EventCache {
	private readonly events = new Map<string, PaymentEvent>();
	private readonly createdAt = performance.now();
	/** When the last scan began, in epoch milliseconds. 0 before the first one. */
	private scannedAt = 0;
	/**
	 * A tail that was read while every event of the look-back was cached. Later tails are compared with it.
	 * Undefined if there is none.
	 */
	private tail: Tail | undefined;
	/** False once a count was missing, or was not that of the list: then tails show nothing. */
	private isCountUsable = true;

	constructor(private readonly lookBackDays: number) {}

	get size(): number {
		return this.events.size;
	}

	isUsable(lookBackDays: number): boolean {
		return this.lookBackDays >= lookBackDays && performance.now() - this.createdAt < MAX_AGE;
	}

	/** The events of the last days, and those whose date cannot be read. */
	recent(days: number): PaymentEvent[] {
		const since = this.scannedAt - days * DAY;
		return [...this.events.values()].filter(({ at }) => !(at < since));
	}

	/** Adds the events that are new since the last scan. The first scan covers the whole look-back. */
	async update(client: Client): Promise<void> {
		const isCached = (row: WebhookEvent) => this.events.has(eventKey(row));
		const top = this.tail && (await scanEvents(client, (rows) => rows.some(isCached)));
		const before = await this.readTailIfCounted(client);
		if (top && this.countMissed(top, before) === 0) {
			this.add(top);
			this.tail = before;
			return;
		}
		const since = this.scannedAt - MAX_LATENESS;
		const isFirst = this.scannedAt === 0;
		let scan = isFirst ? undefined : await scanEvents(client, (rows) => endsBefore(since, rows));
		// If the tails show no number, this scan is enough: it covers every late event.
		if (!scan || (this.countMissed(scan, before) ?? 0) > 0) scan = await this.scanLookBack(client);
		this.add(scan);
		this.tail = undefined;
		const after = before && (await this.readTailIfCounted(client));
		if (!before || !after || countUnseen(before, after) !== 0) return;
		// The count of a list cannot be below the rows just read. If it is, it counts something else.
		if ((before.count ?? 0) >= scan.events.length) this.tail = after;
		else this.isCountUsable = false;
	}

	private async scanLookBack(client: Client): Promise<ScannedEvents> {
		const lookBack = this.lookBackDays * DAY;
		return await scanEvents(client, (rows, startedAt) => endsBefore(startedAt - lookBack, rows));
	}

	private async readTailIfCounted(client: Client): Promise<Tail | undefined> {
		const tail = this.isCountUsable ? await readTail(client) : undefined;
		if (tail && tail.count === undefined) this.isCountUsable = false;
		return tail;
	}

	/**
	 * Of the events that were added between the last tail and this one, how many the scan lacks.
	 * Undefined if the tails do not show it.
	 */
	private countMissed({ events }: ScannedEvents, tail: Tail | undefined): number | undefined {
		const newEvents = events.filter(({ key }) => !this.events.has(key));
		return this.tail && tail && countUnseen(this.tail, tail, newEvents);
	}

	private add({ events, startedAt }: ScannedEvents): void {
		for (const event of events) this.events.set(event.key, event);
		this.scannedAt = startedAt;
	}
}
