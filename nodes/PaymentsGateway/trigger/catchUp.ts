import type { WebhookEvent } from '../wire';
import type { EventPages } from './eventPages';
import { Handled } from './handled';
import type { Reading, State } from './state';
import { Walk } from './walk';
import type { Dated } from './walk';

/**
 * What a poll does. The list is read newest first. What is not handled fires once handled rows are
 * reached. Once an hour, and when much is remembered, the list is read on down to the floor, and
 * only then does the floor rise. So where handled rows seem to be reached too early, because new
 * ones came late below them, it costs an hour and no event; and where the service counts its rows,
 * the count shows at once that something is still hidden.
 */

export interface Limits {
	lookBackMs: number;
	/** How many events may fire at once. */
	maxEvents: number;
	/** Older ones are handled without firing. */
	skipOlderMs: number;
	/** Which events the user chose. All are kept account of, so that a new choice repeats nothing. */
	isWanted: (event: WebhookEvent) => boolean;
}

export interface Decision {
	state: State;
	/** Oldest first; the wanted ones among those that are handled now. */
	events: WebhookEvent[];
	/** What the log should say. */
	warnings: string[];
}

const MINUTE = 60_000;
/** A count that no reading could explain is not followed again before that. */
const MISCOUNTED_FOR = 10 * MINUTE;
const HOUR = 60 * MINUTE;
/** By ten rows a poll sees that nothing is new. */
const GLANCE = 10;
/** An event may appear late among this many newest ones. */
export const KEPT = 1_000;
/** When more is remembered, the list is read down to the floor. */
const MOST_KEPT = 2 * KEPT;
/** In a backlog sooner, since once is enough there, and the less is remembered the shorter it is. */
const MOST_KEPT_FAR = 1.5 * KEPT;
/** Whatever the user allows at once: memory does not grow with a backlog. */
const MOST_AT_ONCE = 5_000;
/** How many events of the future can be remembered beside them. */
const MOST_OF_THE_FUTURE = 1_000;
/** Characters; n8n saves the state with every emission, and it stays under 64 kB in all. */
const LARGEST = 56_000;
/** Characters that one event takes at most, and how many events fire even if all room is taken. */
const [EACH, LEAST] = [22, 10];
const START: Reading = { from: 1 };

/** What a poll goes by: where it began, and what it has read from there on. */
interface Found {
	state: State;
	reading: Reading;
	walk: Walk;
	handled: Handled;
}

/** Reads until something fires, or all is read, or the poll's time is over. */
export async function catchUp(state: State, pages: EventPages, limits: Limits): Promise<Decision> {
	const warnings: string[] = [];
	let next = state;
	for (;;) {
		const decision = await advance(next, pages, limits);
		warnings.push(...decision.warnings);
		next = decision.state;
		if (decision.events.length > 0 || next.reading === undefined || pages.isOver) {
			return { ...decision, warnings };
		}
	}
}

async function advance(state: State, pages: EventPages, limits: Limits): Promise<Decision> {
	const handled = new Handled(state.handled);
	const begin = (reading: Reading): Found => ({
		state,
		reading,
		walk: new Walk(pages, state.floor, handled, reading.from),
		handled,
	});
	let found = begin(state.reading ?? START);
	if (state.reading === undefined && pages.size > GLANCE) {
		const refusal = await found.walk.step(GLANCE);
		if (refusal !== undefined) throw refusal;
		if (!isDone(found)) found = begin(jump(found, pages.size, limits));
	}
	const { reading, walk } = found;
	let failure: Error | undefined;
	while (!isDone(found) && !walk.isFull && !pages.isOver && failure === undefined) {
		failure = await walk.step();
	}
	// What lies above the handled rows is whole without what could not be read below them.
	if (failure !== undefined && !(walk.reachedHandled && walk.fresh.size > 0)) throw failure;
	const decision = walk.pages === 0 ? nothingYet(state, reading) : decide(found, pages, limits);
	if (failure !== undefined) {
		decision.warnings.push(`The look for late events did not get through: ${failure.message}`);
	}
	return decision;
}

function nothingYet(state: State, reading: Reading): Decision {
	return { state: { ...state, reading }, events: [], warnings: [] };
}

/** Where nothing handled is in sight, the service's count says about where it begins. */
function jump({ state, walk }: Found, size: number, { maxEvents }: Limits): Reading {
	const isNew = walk.fresh.size >= GLANCE;
	const fresh = (walk.total ?? 0) - (state.total ?? Infinity);
	const from = Math.floor(fresh / size) + 1 - pagesOf(maxEvents, size);
	return isNew && from > 1 ? { from } : START;
}

/** How many pages hold what fires at once. */
function pagesOf(maxEvents: number, size: number): number {
	return Math.ceil(Math.min(maxEvents, MOST_AT_ONCE) / size);
}

/** How many rows the service counts that were neither handled nor found. */
function missing({ state, walk: { total, fresh } }: Found): number {
	return (total ?? 0) - (state.total ?? Infinity) - fresh.size;
}

function isDone(found: Found): boolean {
	const { reachedFloor, reachedHandled } = found.walk;
	return reachedFloor || (reachedHandled && !isWholeDue(found));
}

/** Whether to read on to the floor, once handled rows are reached. */
function isWholeDue(found: Found): boolean {
	const { state, reading, walk, handled } = found;
	if (reading.isWhole) return true;
	// Begun too far down, where nothing is new, it shows nothing.
	if (walk.from > 1 && walk.fresh.size === 0) return false;
	const most = walk.rowsAbove >= KEPT ? MOST_KEPT_FAR : MOST_KEPT;
	if (handled.size + walk.fresh.size > most && !isSettled(found)) return true;
	if (walk.from > 1) return false;
	const isMiscount = Math.abs(walk.now - (state.miscountedAt ?? 0)) < MISCOUNTED_FOR;
	const isHidden = missing(found) > 0 && !isMiscount;
	return isHidden || Math.abs(walk.now - state.wholeAt) >= HOUR;
}

/**
 * All that waits down here was read: it goes on to rows older than what waits, not only to handled
 * ones, which may lie in the middle of it. What comes late further down is not among the newest.
 */
function isSettled({ reading, walk }: Found): boolean {
	const { isWhole, heldFrom = 0 } = reading;
	return isWhole !== true && walk.bottom < heldFrom && walk.rowsAbove >= KEPT;
}

/** What fires of what was read, and what the next poll begins with. */
function decide(found: Found, pages: EventPages, limits: Limits): Decision {
	const { state, reading, walk, handled } = found;
	// Where there is no time to see it, the handled rows are taken to be where they were.
	const isBack = walk.next >= (reading.handledFrom ?? Infinity);
	if (!walk.reachedHandled && !isBack) return nothingYet(state, { ...reading, from: walk.next });
	if (walk.from > 1 && walk.fresh.size === 0 && !reading.isWhole) {
		// Rows vanished, or the count was wrong: the new ones are further up.
		const from = Math.floor(walk.from / 2);
		return nothingYet(state, { ...reading, from, handledFrom: walk.from });
	}
	const isDue = isWholeDue(found);
	// Rows that vanish pull others up, perhaps past the reader.
	const isSound = walk.reachedHandled && !walk.hasShrunk;
	const isWhole = isSound && walk.reachedFloor;
	const mayRise = (isWhole && !walk.isEmpty) || (isSound && isSettled(found));
	const unexplained = missing(found);
	const { fired, held, warnings } = take(found, mayRise, limits);
	const heldFrom = Math.min(
		(reading.isWhole && reading.heldFrom) || Infinity,
		// Further up more may wait than was read, none of it older than what is on top here.
		walk.from > 1 ? walk.top : Infinity,
		...held.map(({ at }) => at),
	);
	const floor = mayRise ? raiseFloor(found, heldFrom, limits, warnings) : state.floor;
	if (walk.isCutShort) warnings.push(...unreadable(state, walk));
	const isAccounted = isDue && walk.from === 1;
	const reached: Reached = { isDue, mayRise, heldFrom, held: held.length };
	const next: State = {
		...state,
		reading: readingAfter(found, reached, limits),
		floor,
		handled: handled.toJSON(),
		wholeAt: isDue && isWhole ? walk.now : state.wholeAt,
		total: totalAfter(found, held.length, isAccounted),
		miscountedAt: isAccounted && unexplained > 0 ? walk.now : state.miscountedAt,
	};
	const isToTry = isDue && isWhole && next.reading === undefined;
	next.pageSize = pages.smaller ?? (isToTry ? undefined : state.pageSize);
	return { state: next, events: fired.map(({ event }) => event), warnings };
}

/** What a poll has come to that has found the handled rows. */
interface Reached {
	isDue: boolean;
	mayRise: boolean;
	/** Nothing older waits to fire. */
	heldFrom: number;
	/** How many rows wait. */
	held: number;
}

/** Where the next poll goes on; undefined where all is read. */
function readingAfter(
	{ reading, walk }: Found,
	{ isDue, mayRise, heldFrom, held }: Reached,
	limits: Limits,
): Reading | undefined {
	// From about there on all is handled: what is held is the newest of what was read.
	const handledFrom =
		reading.isWhole && held === 0
			? (reading.handledFrom ?? 1)
			: walk.from + Math.ceil(held / walk.size);
	if (isDue && !walk.reachedFloor) {
		return { from: walk.next, handledFrom, isWhole: true, ...knownFrom(heldFrom) };
	}
	if (handledFrom === 1) return undefined;
	const from = Math.max(1, handledFrom - higher(walk, limits));
	// In a backlog that is not far, what comes late may still be among the newest.
	const isFar = (handledFrom - 1) * walk.size >= KEPT;
	const before = reading.isWhole ? undefined : reading.heldFrom;
	return { from, handledFrom, ...(isFar && knownFrom(mayRise ? heldFrom : before)) };
}

/** JSON has no Infinity. */
function knownFrom(heldFrom = Infinity): Pick<Reading, 'heldFrom'> {
	return heldFrom < Infinity ? { heldFrom } : {};
}

/** Above what nobody is promised any more: what is older than the look-back, or below the newest. */
function raiseFloor(
	{ state, walk, handled }: Found,
	heldFrom: number,
	{ lookBackMs }: Limits,
	warnings: string[],
): number {
	const dates = handled.newestFirst(handled.believedUntil(walk.now));
	const newest = dates[0] ?? 0;
	// A jump of all clocks that lasts less than two such readings must not raise the floor either.
	const aged = walk.from === 1 ? Math.min(newest, walk.now, state.wholeAt) - lookBackMs : 0;
	const crowded = dates[KEPT - 1] ?? 0;
	const floor = Math.max(state.floor, Math.min(Math.max(aged, crowded), heldFrom));
	handled.settle(floor);
	if (JSON.stringify(handled).length <= LARGEST) return floor;
	warnings.push('More events share one moment than can be remembered; it is closed');
	handled.settle(newest + 1);
	return Math.max(floor, newest + 1);
}

/** How many of the rows that the service counts are accounted for now. */
function totalAfter({ state, walk }: Found, held: number, isAccounted: boolean) {
	if (walk.total === undefined) return state.total;
	const ahead = walk.total - walk.rowsAbove - held;
	// A reading to the floor accounts for all rows, whether it found them or not.
	const known = (state.total ?? Infinity) + walk.fresh.size - held;
	const total = isAccounted ? ahead : Math.min(ahead, known);
	return Math.max(0, total);
}

/** Of a list that is refused further down, what is new below. */
function unreadable({ total = Infinity }: State, walk: Walk): string[] {
	const below = (walk.total ?? 0) - total - (walk.next - 2) * walk.size;
	if (below <= 0) return [];
	return [`${below} events lie deeper than the gateway lets its list be read, and do not fire`];
}

/** The next poll begins as many pages higher as fire at once, or as there is time for. */
function higher(walk: Walk, { maxEvents }: Limits): number {
	return Math.min(pagesOf(maxEvents, walk.size), 2 * walk.pages);
}

/** Takes the oldest of what is new, as many as may fire at once and can be remembered. */
function take({ walk, handled }: Found, mayRise: boolean, limits: Limits) {
	const until = handled.believedUntil(walk.now);
	const free = (LARGEST - JSON.stringify(handled).length) / EACH;
	let room = mayRise ? Infinity : Math.max(LEAST, free);
	let future = MOST_OF_THE_FUTURE - (handled.size - handled.newestFirst(until).length);
	const most = Math.min(limits.maxEvents, MOST_AT_ONCE);
	const taken = new Set<Dated>();
	const held: Dated[] = [];
	let refused = 0;
	const rows = [...walk.fresh.values()];
	// Of one moment those further down are older.
	for (const row of [...rows].reverse().sort((a, b) => a.at - b.at)) {
		const isTooOld = row.at < walk.now - limits.skipOlderMs;
		const isWanted = !isTooOld && limits.isWanted(row.event);
		if (held.length > 0 || room < 1 || (isWanted && taken.size >= most)) {
			held.push(row);
		} else if (row.at > until && --future < 0) {
			// What cannot be remembered must not fire, or it would fire at every poll.
			refused++;
		} else {
			handled.add(row.hash, row.at);
			room--;
			if (isWanted) taken.add(row);
		}
	}
	const warnings: string[] = [];
	if (refused > 0) {
		warnings.push(
			`${refused} events dated in the future do not fire: there are more than ${MOST_OF_THE_FUTURE} of them`,
		);
	}
	// Within a moment they fire in the order of the list.
	const fired = rows.filter((row) => taken.has(row)).sort((a, b) => a.at - b.at);
	return { fired, held, warnings };
}
