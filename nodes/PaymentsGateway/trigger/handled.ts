import { createHash } from 'crypto';

import type { WebhookEvent } from '../wire';
import { isObject, textOf } from '../wire/json';
import { momentOf } from '../wire/moment';
import { BOUNDS } from './limits';

/**
 * Which events were handled, so that none fires twice: a short hash of each ID under the event's
 * date, in a form that fits into n8n's stored state.
 */

/** An event as it stands in the list. */
export interface Row {
	event: WebhookEvent;
	hash: string;
	/** Its date in epoch milliseconds; undefined where that cannot be read. */
	at: number | undefined;
}

/** Hashes of one length, joined, under their date (epoch milliseconds in base 36). */
export type StoredHandled = Record<string, string>;

// 48 bits: among a few thousand known IDs a new one is taken for known once in 10^11 events.
const HASH_LENGTH = 8;
const DATE_KEY = /^[0-9a-z]{1,11}$/;
const HASHES = new RegExp(`^(?:[\\w-]{${HASH_LENGTH}})+$`);
/** Characters of the state that one event takes at most, with a date before 2059. */
export const EACH = 22;

export function rowOf(event: WebhookEvent): Row {
	const id = textOf(event.eventID);
	// An event without an ID, or with a number that JavaScript has rounded, is known by all it says.
	const name = id === '' ? JSON.stringify(event) : `id ${id}`;
	const hash = createHash('sha256').update(name).digest('base64url').slice(0, HASH_LENGTH);
	return { event, hash, at: momentOf(event.date) };
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

	constructor(
		stored: StoredHandled = {},
		private readonly memory = BOUNDS.memory,
	) {
		for (const [date, hashes] of Object.entries(stored)) {
			for (let start = 0; start < hashes.length; start += HASH_LENGTH) {
				this.add(hashes.slice(start, start + HASH_LENGTH), Number.parseInt(date, 36));
			}
		}
	}

	has(hash: string): boolean {
		return this.dates.has(hash);
	}

	/** Under the newest date that the event was seen with, or it would be forgotten too early. */
	add(hash: string, at: number): void {
		this.dates.set(hash, Math.max(at, this.dates.get(hash) ?? 0));
	}

	/** How many more can be remembered; negative where there are too many. */
	get spare(): number {
		return Math.floor((this.memory - JSON.stringify(this).length) / EACH);
	}

	/** The dates up to a moment. */
	newestFirst(until: number): number[] {
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
