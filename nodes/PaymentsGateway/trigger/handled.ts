import { createHash } from 'crypto';

import type { WebhookEvent } from '../wire';
import { momentOf } from '../wire/moment';
import { isObject, textOf } from '../wire/json';

/**
 * Which events were handled, so that none fires twice: a short hash of each ID with the event's
 * date, in a form that fits into n8n's stored state.
 */

/** An event as it stands in the list. */
export interface Row {
	event: WebhookEvent;
	hash: string;
	/** Its date in epoch milliseconds; undefined where that cannot be read. */
	at: number | undefined;
}

/** Hashes of fixed width, joined, under their date (epoch milliseconds in base 36). */
export type StoredHandled = Record<string, string>;

/** Characters; n8n saves the state with every emission, and it stays under 64 kB in all. */
export const LARGEST = 56_000;
/** Characters that one event takes at most, with a date before 2059. */
export const EACH = 22;
/** So many events have room in the state, also where no two share a date. */
export const MOST_REMEMBERED = Math.floor(LARGEST / EACH);

const DAY = 86_400_000;
// 48 bits: among a few thousand known IDs a new one is taken for known once in 10^11 events.
const HASH_LENGTH = 8;
const DATE_KEY = /^[0-9a-z]{1,11}$/;
const HASHES = new RegExp(`^(?:[\\w-]{${HASH_LENGTH}})+$`);

/** IDs are of any length, so what is remembered of one is a short hash. */
export function rowOf(event: WebhookEvent): Row {
	const id = textOf(event.eventID);
	// An event without an ID, or with a number that JavaScript has rounded, is known by all it says.
	const name = id === '' ? JSON.stringify(event) : `id ${id}`;
	return {
		event,
		hash: createHash('sha256').update(name).digest('base64url').slice(0, HASH_LENGTH),
		at: momentOf(event.date),
	};
}

export function isStoredHandled(value: unknown): value is StoredHandled {
	return (
		isObject(value) &&
		Object.entries(value).every(
			([date, hashes]) => DATE_KEY.test(date) && typeof hashes === 'string' && HASHES.test(hashes),
		)
	);
}

export class Handled {
	private readonly dates = new Map<string, number>();

	constructor(stored: StoredHandled = {}) {
		for (const [date, hashes] of Object.entries(stored)) {
			for (let start = 0; start < hashes.length; start += HASH_LENGTH) {
				this.dates.set(hashes.slice(start, start + HASH_LENGTH), Number.parseInt(date, 36));
			}
		}
	}

	get size(): number {
		return this.dates.size;
	}

	/** How many characters of the state it takes. */
	get characters(): number {
		return JSON.stringify(this).length;
	}

	has(hash: string): boolean {
		return this.dates.has(hash);
	}

	/** Under the newest date that the event was seen with, or it would be forgotten too early. */
	add(hash: string, at: number): void {
		this.dates.set(hash, Math.max(at, this.dates.get(hash) ?? 0));
	}

	/**
	 * The latest date that is believed: a day after now or after the oldest handled event, whichever is
	 * later, and then a day after each newer one that is believed itself. So the events of each day make
	 * the next day believable, and a slow clock here does not turn today's events into future ones,
	 * unless none came for more than a day.
	 */
	believedUntil(now: number): number {
		const dates = [...this.dates.values()].sort((a, b) => a - b);
		let until = Math.max(now, dates[0] ?? 0) + DAY;
		for (const at of dates) if (at <= until) until = Math.max(until, at + DAY);
		return until;
	}

	/** The dates that are believed, the newest first. */
	newestFirst(now: number): number[] {
		const until = this.believedUntil(now);
		return [...this.dates.values()].filter((at) => at <= until).sort((a, b) => b - a);
	}

	forgetBefore(floor: number): void {
		for (const [hash, at] of this.dates) if (at < floor) this.dates.delete(hash);
	}

	toJSON(): StoredHandled {
		const stored: StoredHandled = {};
		for (const [hash, at] of this.dates) {
			const date = at.toString(36);
			stored[date] = (stored[date] ?? '') + hash;
		}
		return stored;
	}
}
