import type { WebhookEvent } from '../wire';
import type { EventPages } from './eventPages';
import type { Limits } from './firing';
import { fire, LARGEST, MOST_REMEMBERED, mostAtOnce } from './firing';
import { Handled } from './handled';
import type { Reading, State, Whole } from './state';
import { Walk } from './walk';

/**
 * What a poll does. The list is read newest first, and what is not handled fires once handled rows
 * are reached below it. Once an hour, and when much is remembered, the list is read on from there
 * down to the floor, and only then does the floor rise. So where handled rows seem to be reached too
 * early, because new ones came late below them, it costs an hour and no event; and where the service
 * counts its rows, the count shows at once that something is still hidden.
 *
 * Of a backlog that one poll cannot read, the next poll reads on from where that one stopped. Once
 * the handled rows are reached, what is right above them fires, and each poll begins higher.
 */

export interface Decision {
	state: State;
	/** Oldest first; the wanted ones among those that are handled now. */
	events: WebhookEvent[];
	/** What the log should say. */
	warnings: string[];
}

const HOUR = 3_600_000;
/** A count that no reading could explain is not followed again before that. */
const MISCOUNTED_FOR = HOUR / 6;
/** By ten rows a poll sees that nothing is new. */
const GLANCE = 10;
/** An event may appear late among this many newest ones. */
export const KEPT = 1_000;
/** When more is remembered, the list is read down to the floor. */
const MOST_KEPT = 2 * KEPT;
/** In a long backlog sooner: once is enough there, and the less is remembered the shorter it is. */
const MOST_KEPT_FAR = 1.5 * KEPT;
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
		walk: new Walk(pages, state.floor, handled, reading),
		handled,
	});
	let found = begin(state.reading ?? START);
	if (state.reading === undefined && pages.size > GLANCE) {
		const refusal = await found.walk.step(GLANCE);
		if (refusal !== undefined) throw refusal;
		if (!isDone(found)) found = begin(jump(found, pages.size, limits));
	}
	const { walk } = found;
	let failure: Error | undefined;
	while (!isDone(found) && !walk.hasReadMuch && !pages.isOver && failure === undefined) {
		failure = await walk.step();
	}
	// What lies above the handled rows is whole without what could not be read below them.
	if (failure !== undefined && !(walk.reachedHandled && walk.fresh.size > 0)) throw failure;
	const decision = decide(found, pages, limits);
	if (failure !== undefined) {
		decision.warnings.push(`The look for late events did not get through: ${failure.message}`);
	}
	return decision;
}

/** Where nothing handled is in sight, the service's count says about where it begins. */
function jump({ state, walk }: Found, size: number, limits: Limits): Reading {
	const isNew = walk.fresh.size >= GLANCE;
	const newByCount = (walk.total ?? 0) - (state.total ?? Infinity);
	const from = Math.floor(newByCount / size) + 1 - pagesToFire(limits, size);
	return isNew && from > 1 ? { from } : START;
}

/** How many pages hold what fires at once. */
function pagesToFire(limits: Limits, size: number): number {
	return Math.ceil(mostAtOnce(limits) / size);
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
	const { state, reading, walk } = found;
	if (reading.whole !== undefined) return true;
	if (isTooLow(found)) return false;
	if (remembersMuch(found) && !isBacklogSwept(found)) return true;
	if (walk.from > 1) return false;
	const isMiscount = Math.abs(walk.now - (state.miscountedAt ?? 0)) < MISCOUNTED_FOR;
	const isHidden = missing(found) > 0 && !isMiscount;
	return isHidden || Math.abs(walk.now - state.wholeAt) >= HOUR;
}

/** Whether a reading to the floor would let much be forgotten, or is to make room for what is new. */
function remembersMuch({ walk, handled }: Found): boolean {
	const most = walk.rowsAbove >= KEPT ? MOST_KEPT_FAR : MOST_KEPT;
	const { size } = walk.fresh;
	const dates = handled.newestFirst(handled.believedUntil(walk.now));
	// With all that tie with the last of them: of one moment none is forgotten before the others.
	const kept = Math.max(KEPT, dates.filter((at) => at >= (dates[KEPT - 1] ?? 0)).length);
	const isMuch = dates.length - kept + size > most - KEPT;
	return isMuch || (size > 0 && handled.size + size > MOST_REMEMBERED);
}

/** It began in the middle, where nothing is new, and shows nothing. */
function isTooLow({ reading, walk }: Found): boolean {
	return walk.from > 1 && walk.fresh.size === 0 && reading.whole === undefined;
}

/**
 * Far down in a backlog, and read down to the floor once: all that waits lies above, and what comes
 * late below is not among the newest.
 */
function isBacklogSwept({ reading, walk }: Found): boolean {
	return reading.sweep === 'done' && walk.rowsAbove >= KEPT;
}

/** What fires of what was read, and what the next poll begins with. */
function decide(found: Found, pages: EventPages, limits: Limits): Decision {
	const { state, walk, handled } = found;
	if (!walk.reachedHandled || isTooLow(found)) {
		const reading = walk.reachedHandled ? furtherUp(found) : furtherDown(found);
		const pageSize = pages.fallbackSize ?? state.pageSize;
		return { state: { ...state, reading, pageSize }, events: [], warnings: [] };
	}
	// Asked before anything fires, since that is remembered at once.
	const isDue = isWholeDue(found);
	// Rows that vanish pull others up, perhaps past the reader.
	const isSound = !walk.hasShrunk;
	const isWhole = isSound && walk.reachedFloor;
	// A list that is empty today may have been so by mistake.
	const mayRise = (isWhole && !walk.isListEmpty) || (isSound && isBacklogSwept(found));
	const unexplained = missing(found);
	const { fired, held, warnings } = fire(walk, handled, mayRise, limits);
	const oldestHeld = Math.min(
		// Further up more may wait than was read, none of it older than what is on top here.
		found.reading.whole === undefined && walk.from > 1 ? walk.oldestOnTop : Infinity,
		found.reading.whole?.oldestHeld ?? Infinity,
		...held,
	);
	// The oldest fire first: of what waits, so many rows lie below handled ones.
	const leftBelow = Math.max(0, held.length - walk.freshAbove);
	const floor = mayRise ? raiseFloor(found, oldestHeld, limits, warnings) : state.floor;
	if (walk.isCutShort) warnings.push(...unreadable(state, walk));
	const isAccounted = isDue && walk.from === 1;
	// A slow poll begins so much higher as it can read again; a quick one doubles its way.
	const pagesHigher = pages.isOver
		? Math.max(1, walk.pagesRead - 1)
		: Math.min(pagesToFire(limits, walk.size), 2 * walk.pagesRead);
	const next: State = {
		...state,
		reading: readingAfter(
			found,
			isDue,
			{ count: held.length, below: leftBelow, oldest: oldestHeld },
			pagesHigher,
		),
		floor,
		handled: handled.toJSON(),
		wholeAt: isDue && isWhole && leftBelow === 0 ? walk.now : state.wholeAt,
		total: accountedFor(found, held.length, isAccounted),
		miscountedAt: isAccounted && unexplained > 0 ? walk.now : state.miscountedAt,
	};
	// Caught up: from here on the size that was asked for is tried again.
	const triesAskedSize = isDue && isWhole && next.reading === undefined;
	next.pageSize = pages.fallbackSize ?? (triesAskedSize ? undefined : state.pageSize);
	return { state: next, events: fired, warnings };
}

/**
 * No handled row was reached: the next poll reads on. What waits now is no late event, and a reading
 * that was on its way to the floor is broken: it has passed by rows that are yet to fire.
 */
function furtherDown(found: Found): Reading {
	const { reading, walk } = found;
	if (walk.pagesRead === 0) return reading;
	const { size, lastRead } = walk;
	const sweep = reading.whole === undefined ? sweepAfter(found, false) : 'broken';
	return { ...reading, from: walk.next, size, lastRead, sweep, whole: undefined };
}

/**
 * Where the poll before went down (see furtherDown), the new rows are right above the last that it
 * read. Else they are somewhere further up, since rows vanished or the count was wrong.
 */
function furtherUp({ reading, walk }: Found): Reading {
	const border = reading.lastRead;
	if (border === undefined) return { ...reading, from: Math.floor(walk.from / 2) };
	return { ...reading, from: walk.from - 1, border, lastRead: undefined };
}

/** Where the next poll goes on, with so many rows that wait; undefined where all is read. */
function readingAfter(
	found: Found,
	isDue: boolean,
	held: { count: number; below: number; oldest: number },
	pagesHigher: number,
): Reading | undefined {
	const { reading, walk } = found;
	const { from, size } = walk;
	// Else what waits are the newest rows that were read.
	const handledPage =
		reading.whole?.handledPage ?? from + Math.ceil((held.count - held.below) / size);
	if (isDue && !walk.reachedFloor) {
		// JSON has no Infinity.
		const whole: Whole = {
			handledPage,
			oldestHeld: held.oldest < Infinity ? held.oldest : undefined,
		};
		return { from: walk.next, size, whole, sweep: held.below > 0 ? 'broken' : reading.sweep };
	}
	if (handledPage === 1) return undefined;
	// Nearer to the top, what comes late may still be among the newest.
	const isFar = (handledPage - 1) * size >= KEPT;
	const sweep = sweepAfter(found, isDue && held.below === 0);
	return {
		from: Math.max(1, handledPage - pagesHigher),
		size,
		sweep: sweep === 'done' && !isFar ? undefined : sweep,
	};
}

/** Rows that vanish pull others up, perhaps past the reader; without a count nobody sees that. */
function sweepAfter({ reading, walk }: Found, isWhole: boolean): Reading['sweep'] {
	if (reading.sweep === 'broken') return 'broken';
	const isSure = !walk.hasShrunk && (walk.total ?? 0) > walk.rowsAbove;
	return isSure && (isWhole || reading.sweep === 'done') ? 'done' : undefined;
}

/** Above what nobody is promised any more: what is older than the look-back, or below the newest. */
function raiseFloor(
	{ state, walk, handled }: Found,
	oldestHeld: number,
	{ lookBackMs }: Limits,
	warnings: string[],
): number {
	const dates = handled.newestFirst(handled.believedUntil(walk.now));
	const newest = dates[0] ?? 0;
	// A jump of all clocks that lasts less than two such readings must not raise the floor either.
	const aged = walk.from === 1 ? Math.min(newest, walk.now, state.wholeAt) - lookBackMs : 0;
	const crowded = dates[KEPT - 1] ?? 0;
	const floor = Math.max(state.floor, Math.min(Math.max(aged, crowded), oldestHeld));
	handled.forgetBefore(floor);
	if (JSON.stringify(handled).length <= LARGEST) return floor;
	warnings.push('More events share one moment than can be remembered; it is closed');
	handled.forgetBefore(newest + 1);
	return Math.max(floor, newest + 1);
}

/** How many of the rows that the service counts are accounted for now. */
function accountedFor({ state, walk }: Found, held: number, isAccounted: boolean) {
	if (walk.total === undefined) return state.total;
	const ahead = walk.total - walk.rowsAbove - held;
	// The lower one: too low costs a reading to the floor, too high would hide an event. Such a reading
	// accounts for all rows, whether it found them or not.
	const known = (state.total ?? Infinity) + walk.fresh.size - held;
	const total = isAccounted ? ahead : Math.min(ahead, known);
	return Math.max(0, total);
}

/** Of a list that is refused further down, what is new below. */
function unreadable({ total = Infinity }: State, walk: Walk): string[] {
	// The last page that was read is the refused one, empty.
	const readable = (walk.next - 2) * walk.size;
	const below = (walk.total ?? 0) - total - readable;
	if (below <= 0) return [];
	return [`${below} events lie deeper than the gateway lets its list be read, and do not fire`];
}
