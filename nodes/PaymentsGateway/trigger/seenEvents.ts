import type { WebhookEvent } from '../wire';
import { momentOf } from '../wire/moment';
import { eventHash } from './keys';

/** The events that a trigger has seen: they have fired, or never will. */

/** A row of the gateway's list of events. */
export interface Row {
	event: WebhookEvent;
	hash: string;
	/** The event's date in epoch milliseconds. If that is unreadable, the time of reading. */
	time: number;
}

/** `now`: epoch milliseconds. */
export function rowOf(event: WebhookEvent, now: number): Row {
	return { event, hash: eventHash(event), time: momentOf(event.date) ?? now };
}

/** By hash, the event's date in epoch milliseconds. */
export type SeenEvents = Map<string, number>;

/** The newest of several dates counts; otherwise an event would be forgotten while still listed. */
export function markSeen(seen: SeenEvents, { hash, time }: Row): void {
	seen.set(hash, Math.max(time, seen.get(hash) ?? 0));
}

/** As in n8n's state: 22 characters an event, with the date in base 36. */
export type StoredSeen = Record<string, string>;

export function parseSeen(stored: StoredSeen): SeenEvents {
	return new Map(Object.entries(stored).map(([hash, time]) => [hash, parseInt(time, 36)]));
}

/** Stores the events from the watermark on. Older ones cannot fire, so they may be forgotten. */
export function storeSeen(seen: SeenEvents, watermark: number): StoredSeen {
	const remembered = [...seen].filter(([, time]) => time >= watermark);
	return Object.fromEntries(remembered.map(([hash, time]) => [hash, time.toString(36)]));
}
