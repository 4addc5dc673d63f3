import { isObject } from '../wire/json';
import { isStoredHandled } from './handled';
import type { StoredHandled } from './handled';

/**
 * What the trigger keeps from poll to poll.
 *
 * An event fires when it is not handled and not older than the floor. Handled are those that have
 * fired, and those that never will: not chosen, or older than the user wants. The write that hands
 * events over also records them as handled. A handled event is forgotten only when the floor passes
 * its date, and the floor never falls: so nothing fires twice. The floor rises only after the list was
 * read down to it, or in a long backlog whose lower part has been: so nothing is passed over, except
 * where no more can be remembered (isStuck, raiseFloor), which docs/limits.md tells.
 */
export interface State {
	v: 2;
	/** Which merchant group at which address this is about. */
	scope: string;
	/** What is dated earlier never fires, and is not remembered. Epoch milliseconds. */
	floor: number;
	/** The handled events from the floor on. */
	handled: StoredHandled;
	/** When the list was last swept: read down to the floor. 0: it has to be. */
	sweptAt: number;
	/**
	 * How many of the rows that the gateway counts are handled, or were swept for in vain. Where it
	 * counts more, some are new, or came late below handled rows.
	 */
	accountedFor?: number | undefined;
	/** When a sweep from the top last left some of the counted rows unfound, so far. */
	miscountedAt?: number | undefined;
	/** What the poll before has left to read. */
	reading?: Reading | undefined;
	/** The size of a page, where the gateway refuses the one asked for. */
	pageSize?: number | undefined;
}

/**
 * A reading that takes several polls. It has three phases: down to the handled rows (`lastRead`), up
 * from them page by page as events fire (`border` where a row shows where they begin), and from the
 * handled rows on down to the floor (`sweep`).
 */
export interface Reading {
	/** The page at which the next poll begins. */
	from: number;
	/** The most rows that one of its pages held. */
	size?: number | undefined;
	/** The hash of the last row that the poll before has read, while it goes down. */
	lastRead?: string | undefined;
	/** The hash of a row below which the next row is handled. */
	border?: string | undefined;
	/** Handled rows were reached, and it is on its way from there down to the floor. */
	sweep?: Sweep | undefined;
	/**
	 * Whether the list was swept in this backlog. In part: the sweep came upon events that had yet to
	 * fire, and above those others may have been passed by.
	 */
	swept?: 'whole' | 'in part' | undefined;
	/** It, or a sweep of it, could not go on. */
	hasFailed?: boolean | undefined;
}

interface Sweep {
	/** When it set out, all from about this page down was handled; what waits lies above it. */
	handledPage: number;
	/** The date of the oldest event that waits; Infinity, of which JSON makes null, where none does. */
	oldestWaiting?: number | null;
}

export function startAt(scope: string, floor: number): State {
	return { v: 2, scope, floor, handled: {}, sweptAt: 0 };
}

function isNumber(value: unknown): value is number {
	return typeof value === 'number' && Number.isFinite(value);
}

function isReading(value: unknown): value is Reading {
	return isObject(value) && isNumber(value.from) && value.from >= 1;
}

/** A stored state of this version and scope, or why it cannot be used. */
export function readState(stored: unknown, scope: string): State | 'none' | 'broken' | 'foreign' {
	if (stored === undefined || stored === null) return 'none';
	if (!isObject(stored) || stored.v !== 2 || typeof stored.scope !== 'string') return 'broken';
	const { floor, handled, sweptAt, accountedFor, miscountedAt, reading, pageSize } = stored;
	if (!isNumber(floor) || !isStoredHandled(handled)) return 'broken';
	if (stored.scope !== scope) return 'foreign';
	return {
		...startAt(scope, floor),
		handled,
		sweptAt: isNumber(sweptAt) ? sweptAt : 0,
		accountedFor: isNumber(accountedFor) ? accountedFor : undefined,
		miscountedAt: isNumber(miscountedAt) ? miscountedAt : undefined,
		reading: isReading(reading) ? { ...reading } : undefined,
		pageSize: isNumber(pageSize) && pageSize >= 1 ? pageSize : undefined,
	};
}
