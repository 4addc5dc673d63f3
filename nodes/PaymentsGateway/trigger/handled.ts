import { createHash } from 'crypto';

import type { WebhookEvent } from '../wire';
import { textOf } from '../wire/json';
import { momentOf } from '../wire/moment';

/** Which events were handled, so that none fires twice: a short hash of each ID, with its date. */

/** An event as it stands in the list. */
export interface Row {
	event: WebhookEvent;
	hash: string;
	/** Its date in epoch milliseconds. One that cannot be read counts as the moment of reading. */
	at: number;
}

export function rowOf(event: WebhookEvent, now: number): Row {
	const id = textOf(event.eventID);
	// An event without an ID, or with a number that JavaScript has rounded, is known by all it says.
	const name = id === '' ? JSON.stringify(event) : `id ${id}`;
	// 48 bits: among a few thousand known IDs a new one is taken for known once in 10^11 events.
	const hash = createHash('sha256').update(name).digest('base64url').slice(0, 8);
	return { event, hash, at: momentOf(event.date) ?? now };
}

/** By hash, the date in epoch milliseconds and base 36: 22 characters an event in n8n's state. */
export type StoredHandled = Record<string, string>;

export class Handled {
	private readonly dates = new Map<string, number>();

	constructor(stored: StoredHandled = {}) {
		for (const [hash, date] of Object.entries(stored)) this.add(hash, Number.parseInt(date, 36));
	}

	has(hash: string): boolean {
		return this.dates.has(hash);
	}

	/** Whether it is handled; then also under the date that it is seen with now. */
	sawAgain({ hash, at }: Row): boolean {
		if (!this.has(hash)) return false;
		this.add(hash, at);
		return true;
	}

	/** Under the newest date that the event was seen with, or it would be forgotten too early. */
	add(hash: string, at: number): void {
		this.dates.set(hash, Math.max(at, this.dates.get(hash) ?? 0));
	}

	get size(): number {
		return this.dates.size;
	}

	/** The dates before a moment, newest first. */
	newestBefore(end: number): number[] {
		return [...this.dates.values()].filter((at) => at < end).sort((a, b) => b - a);
	}

	forgetBefore(floor: number): void {
		for (const [hash, at] of this.dates) if (at < floor) this.dates.delete(hash);
	}

	toJSON(): StoredHandled {
		return Object.fromEntries([...this.dates].map(([hash, at]) => [hash, at.toString(36)]));
	}
}
