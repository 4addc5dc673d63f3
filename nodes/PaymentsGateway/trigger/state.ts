import { isObject } from '../wire/json';
import type { StoredHandled } from './handled';

/** What the trigger keeps from poll to poll; catchUp.ts says why it is enough. */
export interface State {
	v: 3;
	/** Which merchant group at which address this is about. */
	merchant: string;
	/** An event that is dated earlier never fires, and is not remembered. Epoch milliseconds. */
	floor: number;
	/** The events from the floor on that have fired, or never will (not chosen, too old). */
	handled: StoredHandled;
	/** When a poll last read down to the floor. 0: the next one has to. */
	sweptAt: number;
	/** How many of the rows that the gateway counts are handled, or were looked for in vain. */
	accountedFor?: number | undefined;
	/** How many rows a page is asked for: 100, or 50 or ten where the gateway has refused more. */
	pageSize?: number | undefined;
}

/** What bounds the state. A test tries every schedule of a world in which these are small. */
export const BOUNDS = {
	/** Among so many of the newest one may be late. With the 1,000 promised, sweeps would be many. */
	kept: 1_500,
	/** So many handled events keep the state under 64 kB, which n8n saves with every emission. */
	remembered: 2_500,
	/** How often a poll reads down to the floor, in milliseconds. */
	sweepEvery: 3_600_000,
};

export function startAt(merchant: string, floor: number): State {
	return { v: 3, merchant, floor, handled: {}, sweptAt: 0 };
}

/** Nothing else writes that number at this place. */
export function isState(stored: unknown): stored is State {
	return isObject(stored) && stored.v === 3;
}
