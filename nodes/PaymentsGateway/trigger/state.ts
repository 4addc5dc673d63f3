import { isObject } from '../wire/json';
import { isStoredHandled } from './handled';
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
	/** How many rows a page is asked for; ten where the gateway has refused more. */
	pageSize?: number | undefined;
}

export function startAt(merchant: string, floor: number): State {
	return { v: 3, merchant, floor, handled: {}, sweptAt: 0 };
}

function isNumber(value: unknown): value is number {
	return typeof value === 'number' && Number.isFinite(value);
}

/** A stored state of this version and merchant, or why it cannot be used. */
export function readState(
	stored: unknown,
	merchant: string,
): State | 'none' | 'broken' | 'foreign' {
	if (stored === undefined || stored === null) return 'none';
	if (!isObject(stored) || stored.v !== 3 || typeof stored.merchant !== 'string') return 'broken';
	const { floor, handled, sweptAt, accountedFor, pageSize } = stored;
	if (!isNumber(floor) || !isStoredHandled(handled)) return 'broken';
	if (stored.merchant !== merchant) return 'foreign';
	return {
		...startAt(merchant, floor),
		handled,
		sweptAt: isNumber(sweptAt) ? sweptAt : 0,
		accountedFor: isNumber(accountedFor) ? accountedFor : undefined,
		pageSize: isNumber(pageSize) && pageSize >= 1 ? pageSize : undefined,
	};
}
