import type { WebhookEvent } from '../wire';
import { isKnown, Ledger } from './ledger';
import type { Known, Row } from './ledger';
import { isObject } from '../wire/json';

/**
 * Where the trigger stands. Pure: a cursor and the rows that were read in, decisions out.
 *
 * An event fires when it is not known and not older than the floor; it becomes known in the same
 * write, and is forgotten only when the floor passes its date. The floor never falls, so nothing
 * fires twice. It rises only over what has been read without a gap, so nothing is passed over.
 */
export interface Cursor {
	v: 1;
	/** Which merchant group at which address this is about. */
	scope: string;
	/** Everything dated earlier is settled for good. Epoch milliseconds. */
	floor: number;
	/** The handled events from the floor on. */
	known: Known;
	/** About how many rows still lie above the handled ones: where to read on. A hint. */
	ahead: number;
	/** Since a look down to the floor, so many rows lay ahead that nothing behind is promised. */
	deep: boolean;
	/** The last look down to the floor, by the service's clock and by ours: either may stand still. */
	audited: { service: number; local: number };
	/** How many rows the service counted that are handled: a rise beyond what is found is a hint. */
	total?: number;
	/** The page size that works where the one asked for was refused or cut. */
	pageSize?: { asked: number; served: number };
}

export interface Clock {
	service: number;
	local: number;
}

export interface Limits {
	lookBackMs: number;
	/** How many events may fire at once. */
	maxEvents: number;
	/** Which events the user chose. All are kept account of, so that a new choice repeats nothing. */
	isWanted: (event: WebhookEvent) => boolean;
}

/** What a poll has read: without a gap from the handled rows upwards. */
export interface Found {
	fresh: readonly Row[];
	/** Handled events that carry a newer date than before. */
	outdated: readonly Row[];
	/** How many rows lie above those that were read. */
	above: number;
	total: number | undefined;
	/** Rows that the service counts and that were not found, and are still looked for. */
	missing: number;
	/** Everything down to the floor was read, and nothing suggests that a row was hidden. */
	isComplete: boolean;
	clock: Clock;
	pageSize?: { asked: number; served: number };
}

export interface Decision {
	cursor: Cursor;
	/** Oldest first; the wanted ones among those that are handled now. */
	events: WebhookEvent[];
	/** How many became known, the unwanted ones included. */
	handled: number;
	/** What the log should say. */
	warnings: string[];
}

export const DAY = 86_400_000;
const HOUR = 3_600_000;
/** An event may appear late among this many newest ones. */
export const KEPT = 1_000;
const MOST_STRAYS = 1_000;
/** Characters; n8n saves the state with every emission, and it stays under 64 kB in all. */
const LARGEST_LEDGER = 56_000;

/** Dates beyond this are not believed, and decide nothing. */
export function ceilingOf({ service }: Clock): number {
	return service + DAY;
}

export function startAt(scope: string, floor: number, clock: Clock): Cursor {
	return { v: 1, scope, floor, known: {}, ahead: 0, deep: false, audited: clock };
}

function isNumber(value: unknown): value is number {
	return typeof value === 'number' && Number.isFinite(value);
}

/** A stored cursor of this version and scope, or why it cannot be used. */
export function readCursor(stored: unknown, scope: string): Cursor | 'none' | 'broken' | 'foreign' {
	if (stored === undefined || stored === null) return 'none';
	if (!isObject(stored) || stored.v !== 1) return 'broken';
	const { floor, known, total, ahead, deep, audited, pageSize } = stored;
	if (
		typeof stored.scope !== 'string' ||
		!isNumber(floor) ||
		!isKnown(known) ||
		!(total === undefined || isNumber(total)) ||
		!(isNumber(ahead) && ahead >= 0) ||
		typeof deep !== 'boolean' ||
		!(isObject(audited) && isNumber(audited.service) && isNumber(audited.local))
	) {
		return 'broken';
	}
	if (stored.scope !== scope) return 'foreign';
	const size =
		isObject(pageSize) && isNumber(pageSize.asked) && isNumber(pageSize.served)
			? { pageSize: { asked: pageSize.asked, served: pageSize.served } }
			: {};
	const { service, local } = audited;
	return {
		v: 1,
		scope,
		floor,
		known: { ...known },
		ahead,
		deep,
		audited: { service, local },
		...(total === undefined ? {} : { total }),
		...size,
	};
}

export function isAuditDue({ audited }: Cursor, clock: Clock): boolean {
	return (
		Math.abs(clock.service - audited.service) >= HOUR ||
		Math.abs(clock.local - audited.local) >= HOUR
	);
}

interface Placed {
	row: Row;
	/** Its date, or its neighbour's where it has none. */
	at: number;
}

/** In the order of the list, newest first. */
function place(fresh: readonly Row[]): Placed[] {
	let at = Infinity;
	return fresh.map((row) => ({ row, at: (at = row.at ?? at) }));
}

function byDate(a: Placed, b: Placed): number {
	return a.at === b.at ? 0 : a.at - b.at;
}

function isStray({ at }: Row, ceiling: number): boolean {
	return at === undefined || at > ceiling;
}

export function decide(cursor: Cursor, found: Found, limits: Limits): Decision {
	const { clock, total } = found;
	const ceiling = ceilingOf(clock);
	const ledger = new Ledger(cursor.known);
	const warnings: string[] = [];
	for (const row of found.outdated) ledger.add(row);

	const taken = new Set<Row>();
	const held: Row[] = [];
	let room = MOST_STRAYS - ledger.strays(ceiling);
	let handled = 0;
	let refused = 0;
	// From the bottom up, also within a moment: what is handled lies below what is not.
	for (const { row } of place(found.fresh).reverse().sort(byDate)) {
		const isWanted = limits.isWanted(row.event);
		if (held.length > 0 || (isWanted && taken.size >= limits.maxEvents)) {
			held.push(row);
		} else if (isStray(row, ceiling) && --room < 0) {
			// What cannot be remembered must not fire, or it would fire at every poll.
			refused++;
		} else {
			ledger.add(row);
			handled++;
			if (isWanted) taken.add(row);
		}
	}
	if (refused > 0) {
		warnings.push(
			`${refused} events without a readable date, or dated in the future, do not fire: there are more than ${MOST_STRAYS} of them`,
		);
	}

	const isWorthIt = handled > 0 || isAuditDue(cursor, clock);
	let { floor, known } = cursor;
	const raise = (to: number) => {
		floor = Math.max(floor, to);
		ledger.settle(floor);
		known = ledger.toJSON();
	};
	const newest = ledger.newest(ceiling);
	const crowded = () => ledger.dateOfNewest(KEPT, ceiling) ?? floor;
	if (found.isComplete && isWorthIt && newest !== undefined) {
		const lowestHeld = held.reduce((lowest, { at = lowest }) => Math.min(lowest, at), Infinity);
		const aged = Math.min(newest, clock.service) - limits.lookBackMs;
		raise(Math.min(Math.max(aged, crowded()), lowestHeld));
	} else if (handled > 0 || found.outdated.length > 0) {
		known = ledger.toJSON();
	}
	if (newest !== undefined && sizeOf(known) > LARGEST_LEDGER) {
		raise(crowded());
		if (sizeOf(known) > LARGEST_LEDGER) {
			warnings.push('More events share one moment than can be remembered; it is closed');
			raise(newest + 1);
		}
	}

	const ahead = found.above + held.length;
	const next: Cursor = {
		v: 1,
		scope: cursor.scope,
		floor,
		known,
		ahead,
		deep: ahead >= KEPT && found.isComplete,
		audited: found.isComplete && !cursor.deep && isWorthIt ? { ...clock } : cursor.audited,
		...(total === undefined ? {} : { total: total - ahead - found.missing }),
		...(found.pageSize === undefined ? {} : { pageSize: found.pageSize }),
	};
	// Within a moment they fire in the order of the list.
	const fired = place(found.fresh).filter(({ row }) => taken.has(row));
	const events = fired.sort(byDate).map(({ row }) => row.event);
	return { cursor: next, events, handled, warnings };
}

function sizeOf(known: Known): number {
	return JSON.stringify(known).length;
}
