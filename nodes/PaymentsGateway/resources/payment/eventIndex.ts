import type { Client } from '../../gateway/client';
import { createKeyedMutex } from '../../gateway/keyedMutex';
import type { OperationContext } from '../../operation/operation';

import type { WebhookEvent } from '../../wire';
import { areBefore, countUnseen, EventsMissing, readTail, scanEvents } from './eventList';
import type { Scan, Tail } from './eventList';
import { eventKey, eventsAbout } from './paymentEvent';
import type { PaymentEvent } from './paymentEvent';

/**
 * Keeps each merchant's events for ten minutes, so that a look-up costs two requests instead of the
 * whole list. A look-up finds every event of the look-back that was listed when it began. It does not
 * rely on the gateway's search.
 *
 * The first look-up scans the whole look-back. A later one scans the top of the list, down to an event
 * that is cached. More events can have been listed further down, late. A count alone does not show
 * them, since the oldest events are removed. The tail of the list does: see eventList.ts.
 *
 *     newest                        oldest  count
 *     |     a b c d e f g h i j k l m n o|     15    the list when it was cached
 *     | x y a b c d e f g h i j k l m n o|     17    x and y explain the count
 *     | x y a b c d e L f g h i j k l m n|     17    so they seem to, but o was removed: L is hidden
 *
 * So the cache is complete if as many events were listed as the top has new ones. Otherwise the list is
 * scanned down to three days before the last scan, since no event is listed later than three days
 * after its date. If even this scan lacks an event that the tail counts, the whole look-back is scanned.
 *
 * The order of the requests matters. The tail is read after the top, so that it counts everything that
 * the top can hide. It is read before a longer scan, so that it counts nothing that the scan can miss,
 * and once more after it: only if no event was listed in between is it known which events it counts.
 */

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** An event is listed no later than this after its date (docs/limits.md). */
const MAX_LATENESS = 3 * DAY;
const MAX_AGE = 10 * MINUTE;
/** Of all merchants together: 70 MB, at 1.4 kB an event (measured). */
const MAX_EVENTS = 50_000;

/** The events of one merchant. */
class EventCache {
	private readonly events = new Map<string, PaymentEvent>();
	private readonly createdAt = performance.now();
	/** When the last scan began, in epoch milliseconds. */
	private scannedAt = 0;
	/** The tail that counts exactly the cached events of the look-back, and older ones. */
	private tail: Tail | undefined;
	/** The gateway counts its list. */
	private isCounting = true;

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

	async fill(client: Client): Promise<void> {
		const tail = await this.readTail(client);
		await this.addAll(client, tail, await this.scanLookBack(client));
	}

	/** Adds the events that were listed since the last scan. */
	async update(client: Client): Promise<void> {
		const isCached = (row: WebhookEvent) => this.events.has(eventKey(row));
		const top = this.tail && (await scanEvents(client, (rows) => rows.some(isCached)));
		const tail = await this.readTail(client);
		if (top && this.lackedBy(top, tail) === 0) {
			this.add(top);
			this.tail = tail;
			return;
		}
		const since = this.scannedAt - MAX_LATENESS;
		const scan = await scanEvents(client, (rows) => areBefore(since, rows));
		const isLacking = (this.lackedBy(scan, tail) ?? 0) > 0;
		await this.addAll(client, tail, isLacking ? await this.scanLookBack(client) : scan);
	}

	/** Undefined if it shows nothing. */
	private async readTail(client: Client): Promise<Tail | undefined> {
		const tail = this.isCounting ? await readTail(client) : undefined;
		if (tail && tail.count === undefined) this.isCounting = false;
		return tail;
	}

	private async scanLookBack(client: Client): Promise<Scan> {
		const lookBack = this.lookBackDays * DAY;
		return await scanEvents(client, (rows, startedAt) => areBefore(startedAt - lookBack, rows));
	}

	/** How many events the scan lacks of those listed since the last tail. Undefined if nothing shows it. */
	private lackedBy({ events }: Scan, tail: Tail | undefined): number | undefined {
		const seen = events.filter(({ eventID }) => !this.events.has(eventID));
		return this.tail && tail && countUnseen(this.tail, tail, seen);
	}

	private add({ events, startedAt }: Scan): void {
		for (const event of events) this.events.set(event.eventID, event);
		this.scannedAt = startedAt;
	}

	/** Adds a longer scan, before which the tail was read. */
	private async addAll(client: Client, before: Tail | undefined, scan: Scan): Promise<void> {
		this.add(scan);
		const after = before && (await this.readTail(client));
		this.tail = before && after && countUnseen(before, after) === 0 ? after : undefined;
		// A number below that of the rows seen is not the count of the list.
		if (this.tail && (before?.count ?? 0) < scan.events.length) {
			this.isCounting = false;
			this.tail = undefined;
		}
	}
}

/** By merchant, the one used last at the end. */
const caches = new Map<string, EventCache>();

/** The scans of a merchant follow one another, so that each can build on the one before. */
const mutex = createKeyedMutex();

/** All events of a reference within the look-back, the oldest first. An error where some may be missing. */
export async function eventsOf(
	{ client, fieldError }: Pick<OperationContext, 'client' | 'fieldError'>,
	reference: string,
	lookBackDays: number,
): Promise<PaymentEvent[]> {
	const cache = await nextScan(client, lookBackDays).catch((error: unknown) => {
		if (!(error instanceof EventsMissing)) throw error;
		throw fieldError(
			`Nobody can tell whether the reference "${reference}" was paid: ${error.message}`,
			`Nothing was changed or charged. Run it again later. Where the gateway gives out no older events, set 'Look Back (Days)' under Options (now ${lookBackDays}) to fewer days.`,
		);
	});
	return eventsAbout(reference, cache.recent(lookBackDays));
}

/** A scan that has yet to begin. `lookBackDays` is the longest that a caller wants. */
interface Flight {
	lookBackDays: number;
	readonly result: Promise<EventCache>;
}

/** By client, which is by run: a run that is cancelled breaks no look-up of another. */
const flights = new WeakMap<Client, Flight>();

/**
 * Single flight: the look-ups of a run share the next scan. They do not join a scan that has begun,
 * since it may have passed the place of an event that was listed in the meantime.
 */
async function nextScan(client: Client, lookBackDays: number): Promise<EventCache> {
	const begin = async () => {
		flights.delete(client);
		return await upToDate(client, flight.lookBackDays);
	};
	const flight: Flight = flights.get(client) ?? {
		lookBackDays,
		result: mutex.run([client.scope], begin),
	};
	flight.lookBackDays = Math.max(flight.lookBackDays, lookBackDays);
	flights.set(client, flight);
	return await flight.result;
}

async function upToDate(client: Client, lookBackDays: number): Promise<EventCache> {
	let cache = caches.get(client.scope);
	if (cache?.isUsable(lookBackDays)) {
		await cache.update(client);
	} else {
		cache = new EventCache(lookBackDays);
		await cache.fill(client);
	}
	keep(client.scope, cache);
	return cache;
}

/** The merchants used last have the first claim to the room. */
function keep(merchant: string, cache: EventCache): void {
	caches.delete(merchant);
	caches.set(merchant, cache);
	let room = MAX_EVENTS;
	for (const [each, { size }] of [...caches].reverse()) {
		if (size > room) caches.delete(each);
		else room -= size;
	}
}
