import type { Limits } from './firing';
import { LARGEST, MOST_REMEMBERED } from './handled';
import type { Handled } from './handled';
import type { Reading, State } from './state';
import type { Walk } from './walk';

/**
 * When the list is swept, that is, read on from the handled rows down to the floor, and what a sweep
 * allows: that the floor rises, and what is older is forgotten.
 */

const HOUR = 3_600_000;
/** A count that a sweep could not explain starts no other one for ten minutes. */
const MISCOUNTED_FOR = 600_000;
/** An event may appear late among this many newest ones. */
export const KEPT = 1_000;
/** So many more may be remembered before a sweep is due. */
const SPARE = KEPT;
/** Far down in a backlog fewer: one sweep is enough there, and the less is remembered the shorter it is. */
const SPARE_FAR = KEPT / 2;

/** What a poll goes by: where it began, and what it has read from there on. */
export interface Found {
	state: State;
	reading: Reading;
	walk: Walk;
	handled: Handled;
}

/** How many rows the gateway counts that were neither handled nor found. */
export function hiddenRows({ state, walk: { total, fresh } }: Found): number {
	return (total ?? 0) - (state.accountedFor ?? Infinity) - fresh.size;
}

/** Whether to read on to the floor, once handled rows are reached. */
export function isSweepDue(found: Found): boolean {
	const { state, reading, walk } = found;
	if (reading.sweep !== undefined) return true;
	if (isTooLow(found)) return false;
	if (remembersMuch(found) && !isBacklogSwept(found)) return true;
	if (walk.from > 1) return false;
	const isMiscount = Math.abs(walk.now - (state.miscountedAt ?? 0)) < MISCOUNTED_FOR;
	const isHidden = hiddenRows(found) > 0 && !isMiscount;
	return isHidden || Math.abs(walk.now - state.sweptAt) >= HOUR;
}

/** Whether a sweep would let much be forgotten, or is to make room for what is new. */
function remembersMuch({ walk, handled }: Found): boolean {
	const { size } = walk.fresh;
	const dates = handled.newestFirst(walk.now);
	// The floor is a date, so events of one moment are forgotten together or not at all.
	const kept = Math.max(KEPT, dates.filter((at) => at >= (dates[KEPT - 1] ?? 0)).length);
	const most = walk.rowsAbove >= KEPT ? SPARE_FAR : SPARE;
	const isMuch = dates.length + size > kept + most;
	return isMuch || (size > 0 && handled.size + size > MOST_REMEMBERED);
}

/** No sweep has got through for a day, and no more can be remembered: the newest must do. */
export function isStuck({ state, walk, handled }: Found): boolean {
	const isLongAgo = Math.abs(walk.now - state.sweptAt) >= 24 * HOUR;
	return isLongAgo && handled.size + walk.fresh.size > MOST_REMEMBERED;
}

/** It began in the middle, where nothing is new, and shows nothing. */
export function isTooLow({ reading, walk }: Found): boolean {
	return walk.from > 1 && walk.fresh.size === 0 && reading.sweep === undefined;
}

/**
 * Far down in a backlog, and swept once: all that waits lies above, and what comes late below is not
 * among the newest.
 */
export function isBacklogSwept({ reading, walk }: Found): boolean {
	return reading.swept === 'whole' && walk.rowsAbove >= KEPT;
}

/**
 * What `swept` is after this walk. Rows that vanish pull others up, perhaps past the reader: where
 * they did, or no count would show it, an earlier sweep proves nothing.
 */
export function sweptAfter({ swept }: Reading, walk: Walk, isSweptNow: boolean): Reading['swept'] {
	if (swept === 'in part') return swept;
	const isSure = !walk.hasShrunk && (walk.total ?? 0) > walk.rowsAbove;
	return isSure && (isSweptNow || swept === 'whole') ? 'whole' : undefined;
}

/**
 * The floor from now on; what is handled below it is forgotten. It rises above what nobody is promised
 * any more (older than the look-back, or not among the newest), but not above what waits.
 */
export function raiseFloor(
	{ state, walk, handled }: Found,
	oldestWaiting: number,
	{ lookBackMs }: Limits,
	warnings: string[],
): number {
	const dates = handled.newestFirst(walk.now);
	const newest = dates[0] ?? 0;
	// Where all clocks jump ahead for a while, the time of the last sweep still holds the floor down.
	const byLookBack = Math.min(newest, walk.now, state.sweptAt) - lookBackMs;
	const byNumber = dates[KEPT - 1] ?? 0;
	const floor = Math.max(state.floor, Math.min(Math.max(byLookBack, byNumber), oldestWaiting));
	handled.forgetBefore(floor);
	if (handled.characters <= LARGEST) return floor;
	// The one case in which what waits is passed over.
	warnings.push('More events share one moment than can be remembered; it is closed');
	handled.forgetBefore(newest + 1);
	return Math.max(floor, newest + 1);
}

/**
 * How many of the rows that the gateway counts are accounted for now. A sweep from the top, also one
 * that has only begun, accounts for all of them, whether it finds them or not.
 */
export function accountedAfter({ state, walk }: Found, waiting: number, isFromTop: boolean) {
	if (walk.total === undefined) return state.accountedFor;
	const known = isFromTop ? Infinity : (state.accountedFor ?? Infinity) + walk.fresh.size;
	// Too low costs a sweep, too high would hide an event.
	return Math.max(0, Math.min(walk.total, known) - waiting);
}
