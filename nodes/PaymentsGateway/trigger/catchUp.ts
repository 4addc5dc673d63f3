import { httpStatusOf } from '../gateway/errors';
import type { WebhookEvent } from '../wire';
import type { EventPages } from './eventPages';
import type { Limits } from './firing';
import { fire, mostAtOnce } from './firing';
import { Handled } from './handled';
import type { Reading, State } from './state';
import {
	accountedAfter,
	isBacklogSwept,
	isSweepDue,
	isStuck,
	isTooLow,
	KEPT,
	hiddenRows,
	raiseFloor,
	sweptAfter,
} from './sweep';
import type { Found } from './sweep';
import { Walk } from './walk';

/**
 * What a poll does. The list is read newest first, and what is not handled fires once handled rows
 * are reached below it. Once an hour, and when much is remembered, a poll reads on from there down to
 * the floor, and only such a sweep lets the floor rise (for exceptions see state.ts). So where handled
 * rows seem to be reached too early, because new ones came late below them, it costs an hour and no
 * event; and where the gateway counts its rows, the count shows at once that something is still hidden.
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

/** By ten rows a poll sees that nothing is new. */
const GLANCE = 10;
const START: Reading = { from: 1 };

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
		const failure = await found.walk.step(GLANCE);
		if (failure !== undefined) throw failure;
		if (!isDone(found)) found = begin(whereToBegin(found, pages.size, limits));
	}
	const { walk } = found;
	let failure: Error | undefined;
	while (!isDone(found) && !walk.holdsMuch && !pages.isOver && failure === undefined) {
		failure = await walk.step();
	}
	if (failure === undefined) return decide(found, pages, limits);
	const decision = decideAfter(failure, found, pages, limits);
	decision.warnings.push(`The look for late events did not get through: ${failure.message}`);
	return decision;
}

/** A failure is thrown, unless something can be done without what could not be read. */
function decideAfter(failure: Error, found: Found, pages: EventPages, limits: Limits): Decision {
	const { state, walk } = found;
	const reading: Reading = { ...found.reading, hasFailed: true };
	// What lies above the handled rows is whole without what lies below them.
	if (walk.reachedHandled && walk.fresh.size > 0) {
		return handOver({ ...found, reading }, pages, limits);
	}
	// A sweep that cannot go on must not hold up what is new above it.
	if (reading.sweep === undefined || httpStatusOf(failure) === '429') throw failure;
	const { sweep, swept, hasFailed } = reading;
	return {
		state: { ...state, reading: { from: sweep.handledPage, swept, hasFailed } },
		events: [],
		warnings: [],
	};
}

/**
 * Where all rows of the glance are new, the count tells how many pages are new: the reading then
 * begins a little above the handled rows, not at the top.
 */
function whereToBegin({ state, walk }: Found, size: number, limits: Limits): Reading {
	const areAllNew = walk.fresh.size >= GLANCE;
	const newByCount = (walk.total ?? 0) - (state.accountedFor ?? Infinity);
	const from = Math.floor(newByCount / size) + 1 - pagesToFire(limits, size);
	return areAllNew ? { from: Math.max(1, from) } : START;
}

/** How many pages hold what fires at once. */
function pagesToFire(limits: Limits, size: number): number {
	return Math.ceil(mostAtOnce(limits) / size);
}

function isDone(found: Found): boolean {
	const { reachedFloor, reachedHandled } = found.walk;
	return reachedFloor || (reachedHandled && !isSweepDue(found));
}

/** What fires of what was read, and what the next poll begins with. */
function decide(found: Found, pages: EventPages, limits: Limits): Decision {
	const { state, walk } = found;
	if (walk.reachedHandled && !isTooLow(found)) return handOver(found, pages, limits);
	const reading = walk.reachedHandled ? furtherUp(found) : furtherDown(found);
	const pageSize = pages.fallbackSize ?? state.pageSize;
	return { state: { ...state, reading, pageSize }, events: [], warnings: [] };
}

/**
 * No handled row was reached: the next poll reads on. A sweep that comes to this has found a backlog,
 * not a few late events. It is broken off, goes on as an ordinary reading, and counts as made in part:
 * it has passed by rows that are yet to fire.
 */
function furtherDown({ reading, walk }: Found): Reading {
	if (walk.pagesRead === 0) return reading;
	const { size, lastRead } = walk;
	const swept = reading.sweep === undefined ? sweptAfter(reading, walk, false) : 'in part';
	return { ...reading, from: walk.next, size, lastRead, swept, sweep: undefined };
}

/**
 * Nothing is new here: it began too low. Where the poll before has read down to just above this page,
 * the new rows end there, with the last that it read. Else half as deep is tried.
 */
function furtherUp({ reading, walk }: Found): Reading {
	const border = reading.lastRead;
	if (border === undefined) return { ...reading, from: Math.floor(walk.from / 2) };
	return { ...reading, from: walk.from - 1, border, lastRead: undefined };
}

/** What is new and does not fire yet. */
interface Waiting {
	count: number;
	/** How many of them lie below handled rows. */
	below: number;
	/** The date of the oldest; Infinity where none waits. */
	oldest: number;
}

/** Fires what lies right above the handled rows, the oldest first, and what came late below them. */
function handOver(found: Found, pages: EventPages, limits: Limits): Decision {
	const { state, reading, walk, handled } = found;
	// Both are asked before anything fires, since that is remembered at once.
	const isDue = isSweepDue(found);
	const unexplained = hiddenRows(found);
	// Rows that vanish pull others up, perhaps past the reader.
	const isSwept = walk.reachedFloor && !walk.hasShrunk;
	// A list that is empty today may have been so by mistake.
	const floorMayRise =
		(isSwept && !walk.isListEmpty) ||
		(isBacklogSwept(found) && !walk.hasShrunk) ||
		(reading.hasFailed === true && isStuck(found));
	const { fired, waiting: dates, warnings } = fire(walk, handled, floorMayRise, limits);
	// Further up more may wait than was read, none of it older than what is on top here.
	const isMoreAbove = reading.sweep === undefined && walk.from > 1;
	const waiting: Waiting = {
		count: dates.length,
		// The oldest fire first, and those below were found last.
		below: Math.max(0, dates.length - walk.freshAbove),
		oldest: Math.min(
			isMoreAbove ? walk.oldestOnTop : Infinity,
			reading.sweep?.oldestWaiting ?? Infinity,
			...dates,
		),
	};
	const floor = floorMayRise ? raiseFloor(found, waiting.oldest, limits, warnings) : state.floor;
	if (walk.isLastEmpty) warnings.push(...unreadable(state, walk));
	const isSweepFromTop = isDue && walk.from === 1;
	// What an earlier poll of this sweep found below, and left to wait, is to be found again at once.
	const isNoneLeftBelow = waiting.below === 0 && reading.swept !== 'in part';
	// With no time left, the next poll goes up a page less than this one has read, so that it reaches
	// handled rows again; else twice as far.
	const pagesHigher = pages.isOver
		? Math.max(1, walk.pagesRead - 1)
		: Math.min(pagesToFire(limits, walk.size), 2 * walk.pagesRead);
	const nextReading = readingAfter(found, isDue, waiting, pagesHigher);
	// Caught up: from here on the size that was asked for is tried again.
	const triesAskedSize = isDue && isSwept && nextReading === undefined;
	const next: State = {
		...state,
		reading: nextReading,
		floor,
		handled: handled.toJSON(),
		sweptAt: isDue && isSwept && isNoneLeftBelow ? walk.now : state.sweptAt,
		accountedFor: accountedAfter(found, waiting.count, isSweepFromTop),
		miscountedAt: isSweepFromTop && unexplained > 0 ? walk.now : state.miscountedAt,
		pageSize: pages.fallbackSize ?? (triesAskedSize ? undefined : state.pageSize),
	};
	return { state: next, events: fired, warnings };
}

/** Where the next poll goes on; undefined where all is read. */
function readingAfter(
	{ reading, walk }: Found,
	isDue: boolean,
	waiting: Waiting,
	pagesHigher: number,
): Reading | undefined {
	const { from, size } = walk;
	// What waits are the newest rows that were read; below them all is handled.
	const handledPage =
		reading.sweep?.handledPage ?? from + Math.ceil((waiting.count - waiting.below) / size);
	if (isDue && !walk.reachedFloor) {
		const swept = waiting.below > 0 ? 'in part' : reading.swept;
		return { from: walk.next, size, sweep: { handledPage, oldestWaiting: waiting.oldest }, swept };
	}
	if (handledPage === 1) return undefined;
	const swept = sweptAfter(reading, walk, isDue && waiting.below === 0);
	// Nearer to the top, what comes late may still be among the newest.
	const isFar = (handledPage - 1) * size >= KEPT;
	return {
		from: Math.max(1, handledPage - pagesHigher),
		size,
		swept: swept === 'whole' && !isFar ? undefined : swept,
	};
}

/** Of a list that is refused or empty further down, what is new below. */
function unreadable({ accountedFor: known = Infinity }: State, walk: Walk): string[] {
	// The last page that was read is the empty one.
	const readable = (walk.next - 2) * walk.size;
	const below = (walk.total ?? 0) - known - readable;
	const words = `${below} events lie deeper than the gateway lets its list be read, and do not fire`;
	return below > 0 ? [words] : [];
}
