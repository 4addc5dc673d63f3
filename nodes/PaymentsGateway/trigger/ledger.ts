import { createHash } from 'crypto';

import type { WebhookEvent } from '../wire';
import { momentOf } from '../output/event';

/**
 * Which events were handled, so that none fires twice: a short hash of each ID with the event's
 * date, in a form that fits into n8n's stored state.
 */

/** An event as the cursor sees it. */
export interface Row {
	event: WebhookEvent;
	hash: string;
	/** Its date in epoch milliseconds; undefined when the date cannot be read. */
	at: number | undefined;
}

/** What the time is, by the service's `Date` header (ours, where it sends none) and by ours. */
export interface Clock {
	service: number;
	local: number;
}

/** Hashes of fixed width, joined, under their date (epoch milliseconds in base 36). */
export type Known = Record<string, string>;

const DAY = 86_400_000;
// 48 bits: among a few thousand known IDs a new one is taken for known once in 10^11 events.
const HASH_LENGTH = 8;
const UNDATED = 'undated';
const DATE_KEY = /^(?:undated|[0-9a-z]{1,11})$/;
const HASHES = new RegExp(`^(?:[\\w-]{${HASH_LENGTH}})+$`);

/** IDs are of any length, so what is remembered of one is a short hash. */
export function rowOf(event: WebhookEvent): Row {
	const id: unknown = event.eventID;
	const isId = typeof id === 'number' || (typeof id === 'string' && id !== '');
	// An event without an ID is known by all it says.
	const name = isId ? `id ${id}` : JSON.stringify(event);
	return {
		event,
		hash: createHash('sha256').update(name).digest('base64url').slice(0, HASH_LENGTH),
		at: momentOf(event.date),
	};
}

export function isKnown(value: unknown): value is Known {
	return (
		typeof value === 'object' &&
		value !== null &&
		Object.entries(value).every(
			([date, hashes]) => DATE_KEY.test(date) && typeof hashes === 'string' && HASHES.test(hashes),
		)
	);
}

export class Ledger {
	private readonly dates = new Map<string, number | undefined>();

	constructor(known: Known = {}) {
		for (const [date, hashes] of Object.entries(known)) {
			const at = date === UNDATED ? undefined : Number.parseInt(date, 36);
			for (let start = 0; start < hashes.length; start += HASH_LENGTH) {
				this.dates.set(hashes.slice(start, start + HASH_LENGTH), at);
			}
		}
	}

	get size(): number {
		return this.dates.size;
	}

	has(hash: string): boolean {
		return this.dates.has(hash);
	}

	/** Under the newest date that the event was seen with, or it would be forgotten too early. */
	add({ hash, at }: Row): void {
		const before = this.dates.get(hash);
		this.dates.set(hash, before !== undefined && (at === undefined || at < before) ? before : at);
	}

	/** Whether the event now carries a newer date than it was remembered with. */
	isOutdated({ hash, at }: Row): boolean {
		const before = this.dates.get(hash);
		return at !== undefined && this.dates.has(hash) && (before === undefined || before < at);
	}

	/**
	 * Dates up to here are believed: a day past the later clock, and a day past each event that is
	 * believed itself, so that a clock that is slow does not make every event one of the future.
	 */
	believedUntil({ service, local }: Clock): number {
		const dates = this.newestFirst(Infinity).reverse();
		let until = Math.max(service, local, dates[0] ?? 0) + DAY;
		for (const at of dates) if (at <= until) until = Math.max(until, at + DAY);
		return until;
	}

	/** All dates up to a moment. */
	newestFirst(until: number): number[] {
		const dates: number[] = [];
		for (const at of this.dates.values()) if (at !== undefined && at <= until) dates.push(at);
		return dates.sort((a, b) => b - a);
	}

	/** Those without a date, or with one that is not believed. */
	strays(until: number): string[] {
		const found = [...this.dates].filter(([, at]) => at === undefined || at > until);
		return found.map(([hash]) => hash);
	}

	forget(hashes: readonly string[]): void {
		for (const hash of hashes) this.dates.delete(hash);
	}

	/** Forgets all that is older than the floor. */
	settle(floor: number): void {
		for (const [hash, at] of this.dates) {
			if (at !== undefined && at < floor) this.dates.delete(hash);
		}
	}

	toJSON(): Known {
		const known: Known = {};
		for (const [hash, at] of this.dates) {
			// Before 1970 base 36 has a sign; the floor is never below, so nothing of that is kept.
			const date = at === undefined ? UNDATED : Math.max(0, at).toString(36);
			known[date] = (known[date] ?? '') + hash;
		}
		return known;
	}
}
