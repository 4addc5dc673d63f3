import { HOUR } from '../wire/duration';
import { isObject } from '../wire/json';
import type { Row } from './eventPages';

/** What the trigger remembers from poll to poll. catchUp.ts explains why this is enough. */
export interface State {
	v: 4;
	/** The hash of the address and the merchant group whose events these are. */
	merchant: string;
	/** An event dated before this never fires. Epoch milliseconds. */
	watermark: number;
	/** The events dated from the watermark on that have fired or never will. */
	seen: StoredSeen;
	/**
	 * When a late scan that was due was last completed: it reached the watermark, and no late row was left
	 * waiting. At first, when the baseline was taken. Epoch milliseconds; 0 makes one due.
	 */
	lateScanAt: number;
	/** How many of the rows that the gateway counts are accounted for: see `nextCountedTotal`. */
	countedTotal?: number | undefined;
	/** How many rows to request per page: 100, or 50 or 10 once the gateway has refused more. */
	pageSize?: number | undefined;
	/** Identifies the last poll that fired. Only stateStore.ts reads and writes it. */
	lastEmission?: string | undefined;
}

/** The first two keep the state small: n8n saves it with every emission. A test makes them tiny. */
export const BOUNDS = {
	/** How many seen events may be remembered: 22 characters each, 55 kB of the 64 kB of a state. */
	capacity: 2_500,
	/**
	 * The watermark rises until this many of the newest seen events are remembered, or fewer if the look-back
	 * begins later. Late events among the newest 1,000 are promised to fire (docs/limits.md); 500 are a
	 * reserve for events that arrive before a poll reads the list. The rest of `capacity`, 1,000, is room for
	 * one poll by the default of 'Max Events per Poll'.
	 */
	keepNewest: 1_500,
	/** How often a poll reads down to the watermark even if nothing hints at a late event. */
	lateScanEvery: HOUR,
};
export type Bounds = typeof BOUNDS;

export function startAt(merchant: string, watermark: number): State {
	return { v: 4, merchant, watermark, seen: {}, lateScanAt: 0 };
}

export function isState(stored: unknown): stored is State {
	return isObject(stored) && stored.v === 4;
}

/** By hash, the event's date in epoch milliseconds. These events have fired, or never will. */
export type SeenEvents = Map<string, number>;

/** The newest of several dates counts; otherwise an event would be forgotten while still listed. */
export function markSeen(seen: SeenEvents, { hash, time }: Row): void {
	seen.set(hash, Math.max(time, seen.get(hash) ?? 0));
}

/** As in n8n's state: 22 characters an event, with the date in base 36. */
type StoredSeen = Record<string, string>;

export function parseSeen(stored: StoredSeen): SeenEvents {
	return new Map(Object.entries(stored).map(([hash, time]) => [hash, parseInt(time, 36)]));
}

/** Stores the events from the watermark on. Older ones cannot fire, so they may be forgotten. */
export function storeSeen(seen: SeenEvents, watermark: number): StoredSeen {
	const remembered = [...seen].filter(([, time]) => time >= watermark);
	return Object.fromEntries(remembered.map(([hash, time]) => [hash, time.toString(36)]));
}
