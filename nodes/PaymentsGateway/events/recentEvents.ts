import type { Client } from '../gateway/client';
import { createKeyedMutex } from '../gateway/keyedMutex';
import { EventCache } from './eventCache';
import { EventsMissing } from './eventScan';
import type { PaymentEvent } from './paymentEvent';

/** The recent events of a merchant, from a cache that is brought up to date for each look-up. */

/** For all merchants together: 70 MB, at 1.4 kB an event (measured). */
const MAX_EVENTS = 50_000;

/** By merchant, the most recently used last. */
const caches = new Map<string, EventCache>();

/** The scans of a merchant follow one another, so that each can build on the one before. */
const mutex = createKeyedMutex();

/** All events of the last days. Throws `EventsMissing` if some may be missing. */
export async function recentEvents(client: Client, lookBackDays: number): Promise<PaymentEvent[]> {
	const scan = nextScans.get(client) ?? queueScan(client);
	scan.lookBackDays = Math.max(scan.lookBackDays, lookBackDays);
	const cache = await scan.result.catch(async (error: unknown) => {
		// The list may be readable as far back as this look-up wants.
		const wantedMore = scan.lookBackDays > lookBackDays;
		if (error instanceof EventsMissing && wantedMore) return undefined;
		throw error;
	});
	return cache ? cache.recent(lookBackDays) : await recentEvents(client, lookBackDays);
}

/** A scan that has not begun. */
interface NextScan {
	/** The longest that a look-up wants. */
	lookBackDays: number;
	readonly result: Promise<EventCache>;
}

/**
 * Single flight: the look-ups of a run share the next scan. They do not join a scan that has begun,
 * since it may have passed the place of an event that was added meanwhile.
 *
 * By client, and so by run: if a run is cancelled, the look-ups of other runs go on.
 */
const nextScans = new WeakMap<Client, NextScan>();

function queueScan(client: Client): NextScan {
	const begin = async () => {
		nextScans.delete(client);
		return await upToDate(client, scan.lookBackDays);
	};
	// The mutex never calls `begin` before `run` returns, so `scan` is set by then.
	const scan: NextScan = { lookBackDays: 0, result: mutex.run([client.scope], begin) };
	nextScans.set(client, scan);
	return scan;
}

async function upToDate(client: Client, lookBackDays: number): Promise<EventCache> {
	const cached = caches.get(client.scope);
	const cache = cached?.isUsable(lookBackDays) ? cached : new EventCache(lookBackDays);
	await cache.update(client);
	cacheAndEvict(client.scope, cache);
	return cache;
}

/** Keeps merchants, the most recently used first, and drops each one that no longer fits. */
function cacheAndEvict(merchant: string, cache: EventCache): void {
	caches.delete(merchant);
	caches.set(merchant, cache);
	let room = MAX_EVENTS;
	for (const [each, { size }] of [...caches].reverse()) {
		if (size > room) caches.delete(each);
		else room -= size;
	}
}
