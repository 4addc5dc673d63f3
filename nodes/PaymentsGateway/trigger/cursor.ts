import type { WebhookEvent } from '../wire';
import { isObject } from '../wire/json';
import { isKnown, Ledger } from './ledger';
import type { Clock, Known, Row } from './ledger';

/**
 * Where the trigger stands, and what follows from the rows that a poll has read. Pure: a cursor and
 * rows in, events and the next cursor out.
 *
 * An event fires when it is not known and not older than the floor. It becomes known in the same
 * write, and is forgotten only when the floor passes its date. The floor never falls, so nothing
 * fires twice; it rises only over what was read without a gap, so nothing is passed over.
 */
export interface Cursor {
	v: 1;
	/** Which merchant group at which address this is about. */
	scope: string;
	/** Everything dated earlier is settled for good. Epoch milliseconds. */
	floor: number;
	/** The handled events from the floor on. */
	known: Known;
	/** About how many rows still lie above the handled ones: where to read on. */
	ahead: number;
	/** While that place is being searched for: at most so many, and `ahead` is the least. */
	atMost?: number | undefined;
	/** How many pages the next poll takes on, after one that had no time for more. */
	span?: number | undefined;
	/** A look down to the floor was done with 1,000 rows or more ahead; none is due until fewer are. */
	deep: boolean;
	/** When the last complete look down to the floor was, by the service's clock. 0: look again. */
	audited: number;
	/** How many of the rows that the service counts are accounted for. More than that are new. */
	total?: number | undefined;
	/** The page size that works where the one asked for was refused or cut. */
	pageSize?: PageSize | undefined;
}

/** How many rows a page were asked for, and how many the service gives. */
export interface PageSize {
	asked: number;
	served: number;
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
	/** Not handled yet, in the order of the list. */
	readonly fresh: ReadonlyMap<string, Row>;
	/** Handled events that carry a newer date than before. */
	readonly outdated: readonly Row[];
	/** All rows that were shown. */
	readonly seen: Pick<ReadonlyMap<string, unknown>, 'has'>;
	/** How many rows lie above those that were read. */
	readonly above: number;
	readonly total: number | undefined;
	readonly clock: Clock;
	/** The floor, or the end of the list, was reached. */
	readonly reachedFloor: boolean;
}

/**
 * `complete`: nothing below the newest row that was read can be hidden. `doubtful`: something may
 * be, and the next poll looks again. `none`: it was not looked for.
 */
export type Look = 'complete' | 'doubtful' | 'none';

export interface Decision {
	cursor: Cursor;
	/** Oldest first; the wanted ones among those that are handled now. */
	events: WebhookEvent[];
	/** How many became known, the unwanted ones included. */
	handled: number;
	/** What the log should say. */
	warnings: string[];
}

const HOUR = 3_600_000;
/** An event may appear late among this many newest ones. */
export const KEPT = 1_000;
/** How many events without a date, or of the future, can be remembered beside them. */
export const MOST_STRAYS = 1_000;
/** Characters; n8n saves the state with every emission, and it stays under 64 kB in all. */
const LARGEST_LEDGER = 56_000;

export function startAt(scope: string, floor: number): Cursor {
	return { v: 1, scope, floor, known: {}, ahead: 0, deep: false, audited: 0 };
}

/** No single clock that is fast closes what has not come yet. */
export function earliest({ service, local }: Clock): number {
	return Math.min(service, local);
}

/** Late events that no count shows are found by looking through all that is promised, hourly. */
export function isAuditDue({ audited }: Cursor, { service }: Clock): boolean {
	return Math.abs(service - audited) >= HOUR;
}

function isNumber(value: unknown): value is number {
	return typeof value === 'number' && Number.isFinite(value);
}

function isPageSize(value: unknown): value is PageSize {
	return isObject(value) && isNumber(value.asked) && isNumber(value.served);
}

/** A stored cursor of this version and scope, or why it cannot be used. */
export function readCursor(stored: unknown, scope: string): Cursor | 'none' | 'broken' | 'foreign' {
	if (stored === undefined || stored === null) return 'none';
	if (!isObject(stored) || stored.v !== 1) return 'broken';
	const { floor, known, ahead, deep, audited, atMost, span, total, pageSize } = stored;
	if (
		typeof stored.scope !== 'string' ||
		!isNumber(floor) ||
		!isKnown(known) ||
		!(isNumber(ahead) && ahead >= 0) ||
		typeof deep !== 'boolean'
	) {
		return 'broken';
	}
	if (stored.scope !== scope) return 'foreign';
	return {
		...startAt(scope, floor),
		known: { ...known },
		ahead,
		deep,
		// Version 0.1 kept two times here, which 0 replaces: the next poll looks through all.
		audited: isNumber(audited) ? audited : 0,
		total: isNumber(total) ? total : undefined,
		atMost: isNumber(atMost) ? atMost : undefined,
		span: isNumber(span) && span >= 1 ? span : undefined,
		pageSize: isPageSize(pageSize) ? pageSize : undefined,
	};
}

interface Dated {
	row: Row;
	/** Its date, or that of the row above it where it has none. */
	at: number;
}

/** Oldest last, as the list has them. */
function dated(fresh: Iterable<Row>): Dated[] {
	let at = Infinity;
	return [...fresh].map((row) => ({ row, at: (at = row.at ?? at) }));
}

/** Of two without any date the difference is NaN, which sorts as 0. */
function byDate(a: Dated, b: Dated): number {
	return a.at - b.at;
}

export function decide(cursor: Cursor, found: Found, look: Look, limits: Limits): Decision {
	const { clock, fresh, total } = found;
	const ledger = new Ledger(cursor.known);
	const until = ledger.believedUntil(clock);
	const warnings: string[] = [];
	for (const row of found.outdated) ledger.add(row);

	const isWhole = look === 'complete' && found.reachedFloor && found.above === 0;
	let strays = ledger.strays(until);
	if (isWhole && strays.length + fresh.size > MOST_STRAYS) {
		// What the list no longer shows makes room for what it does.
		ledger.forget(strays.filter((hash) => !found.seen.has(hash)));
		strays = ledger.strays(until);
	}

	const taken = new Set<Row>();
	const held: Row[] = [];
	let straysLeft = MOST_STRAYS - strays.length;
	let refused = 0;
	// Oldest first, also among events of one moment: the handled rows are at the bottom.
	for (const { row } of dated(fresh.values()).reverse().sort(byDate)) {
		const isWanted = limits.isWanted(row.event);
		if (held.length > 0 || (isWanted && taken.size >= limits.maxEvents)) {
			held.push(row);
		} else if ((row.at === undefined || row.at > until) && --straysLeft < 0) {
			// What cannot be remembered must not fire, or it would fire at every poll.
			refused++;
		} else {
			ledger.add(row);
			if (isWanted) taken.add(row);
		}
	}
	const handled = fresh.size - held.length - refused;
	if (refused > 0) {
		warnings.push(
			`${refused} events without a readable date, or dated in the future, do not fire: there are more than ${MOST_STRAYS} of them`,
		);
	}

	const isWorthIt = handled > 0 || isAuditDue(cursor, clock);
	const dates = ledger.newestFirst(until);
	const [newest] = dates;
	let { floor, known } = cursor;
	const raise = (to: number) => {
		floor = Math.max(floor, to);
		ledger.settle(floor);
		known = ledger.toJSON();
	};
	const isTooLarge = () => JSON.stringify(known).length > LARGEST_LEDGER;
	const crowded = dates[KEPT - 1] ?? floor;
	if (look === 'complete' && isWorthIt && newest !== undefined) {
		// A jump of both clocks that lasts less than two looks must not raise the floor either.
		const now = Math.min(earliest(clock), cursor.audited);
		const aged = Math.min(newest, now) - limits.lookBackMs;
		const lowestHeld = held.reduce((lowest, { at = lowest }) => Math.min(lowest, at), Infinity);
		raise(Math.min(Math.max(aged, Math.min(crowded, now)), lowestHeld));
	} else if (handled > 0 || found.outdated.length > 0) {
		known = ledger.toJSON();
	}
	if (newest !== undefined && isTooLarge()) {
		raise(crowded);
		if (isTooLarge()) {
			warnings.push('More events share one moment than can be remembered; it is closed');
			raise(newest + 1);
		}
	}

	const ahead = found.above + held.length;
	const next: Cursor = { ...startAt(cursor.scope, floor), known, ahead, audited: cursor.audited };
	next.deep = ahead >= KEPT && look === 'complete';
	if (look === 'doubtful') next.audited = 0;
	if (look === 'complete' && !cursor.deep && isWorthIt) next.audited = clock.service;
	if (total !== undefined) {
		// Without a complete look, what the count has beyond the rows found is still looked for.
		const accounted = (cursor.total ?? Infinity) + handled + refused;
		const isSure = look === 'complete' && found.reachedFloor;
		next.total = isSure ? total - ahead : Math.min(total - ahead, accounted);
	}
	// Within a moment they fire in the order of the list.
	const fired = dated(fresh.values()).filter(({ row }) => taken.has(row));
	const events = fired.sort(byDate).map(({ row }) => row.event);
	return { cursor: next, events, handled, warnings };
}
