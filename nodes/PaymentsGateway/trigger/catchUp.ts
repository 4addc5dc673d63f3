import type { WebhookEvent } from '../wire';
import { readBacklog } from './backlog';
import type { EventPages } from './eventPages';
import { Handled } from './handled';
import { BOUNDS } from './limits';
import type { Limits } from './limits';
import type { State } from './state';
import { Walk } from './walk';

/**
 * Decides what a poll fires. The list stands newest first. Events that have fired, or never will, are
 * "handled"; below a date, the "floor", nothing fires any more. A poll reads in two parts.
 *
 * 1. From the top down to handled rows. What is new above them fires, the oldest first, as many as may
 *    fire at once. The rest waits in the list, where the next poll finds it again.
 * 2. From there down to the floor, for events that came late, below handled rows. This "sweep" is due
 *    once an hour, before handled events have to be forgotten, and where the gateway counts more new
 *    rows than were found.
 *
 * Nothing fires twice: an event becomes handled with the same write that hands it over, it is forgotten
 * only when the floor passes its date, and below the floor nothing fires. The floor never falls.
 *
 * Nothing is passed over: the floor rises only where this very poll has read everything down to the old
 * floor, and never above an event that waits. So where part 1 ends, and what the gateway counts, decide
 * only how soon a late event fires. The exception: where no more can be remembered, the floor rises to
 * the 1,500th newest handled event also without a sweep, and, if that frees nothing, past its moment.
 * What is lost by that is not among the 1,000 newest, and only those are promised.
 */

export interface Decision {
	state: State;
	/** Oldest first. */
	events: WebhookEvent[];
	/** What the log should say. */
	warnings: string[];
}

/** So many rows of page 1 show whether anything is new. */
const GLANCE = 10;

export async function catchUp(
	state: State,
	pages: EventPages,
	limits: Limits,
	bounds = BOUNDS,
): Promise<Decision> {
	const handled = new Handled(state.handled, bounds.remembered);
	const begin = (page = 1) => new Walk(pages, state, handled, page);
	const isTimeToSweep = ({ fresh, now }: Walk) =>
		fresh.size > handled.spare || Math.abs(now - state.sweptAt) >= bounds.sweepEvery;
	// The count is that of the whole list, so it can only be compared from the top.
	const isSweepDue = (walk: Walk) =>
		isTimeToSweep(walk) || (walk.from === 1 && walk.risenBy > walk.fresh.size);

	const readToHandled = async (): Promise<Walk> => {
		const glance = begin();
		await glance.read(Math.min(GLANCE, pages.size));
		if (glance.reachedHandled && !isSweepDue(glance)) return glance;
		const top = begin();
		await top.read();
		if (!top.reachedHandled) await top.read();
		return top.reachedHandled ? top : await readBacklog(top, begin, pages, limits.maxEvents);
	};

	const sweep = async (walk: Walk): Promise<void> => {
		while (!walk.reachedFloor && isSweepDue(walk) && pages.requestsLeft >= 1) await walk.read();
	};

	const walk = await readToHandled();
	const isSweep = isTimeToSweep(walk);
	const failure = await sweep(walk).catch((error: Error) => error);
	const isThrough = walk.reachedFloor || !isSweepDue(walk);
	const warnings = isThrough ? [] : ['The look for late events did not get through'];
	const tooDeep = walk.hasEnded ? walk.risenBy - (walk.next - 2) * pages.longest : 0;
	if (tooDeep > 0) warnings.push(`${tooDeep} events lie too deep to be read, and do not fire`);

	const { events, taken, waiting } = choose(walk, limits);
	for (const { hash, at } of taken) handled.add(hash, at);
	// What is new above handled rows does not wait for the sweep, as long as it can be remembered.
	const isRemembered = taken.length > 0 && handled.spare >= 0;
	if (failure && !isRemembered && pages.requestsLeft >= 1) throw failure;

	const dates = handled.newestFirst(walk.believedUntil);
	const byNumber = dates[bounds.kept - 1] ?? 0;
	const byLookBack = Math.min(dates[0] ?? 0, walk.now) - limits.lookBackMs;
	const highest = Math.max(
		walk.reachedFloor ? byLookBack : 0,
		walk.reachedFloor || handled.spare < 0 ? byNumber : 0,
	);
	// Rows above the first one read are new as well, where the walk began below page 1.
	const oldestLeft = Math.min(waiting[0]?.at ?? Infinity, walk.from > 1 ? walk.newest : Infinity);
	let floor = Math.max(state.floor, Math.min(highest, oldestLeft));
	handled.forgetBefore(floor);
	if (handled.spare < 0) {
		warnings.push('More events share one moment than can be remembered; it is closed');
		floor = Math.max(floor, byNumber + 1);
		handled.forgetBefore(floor);
	}

	const counted = (walk.total ?? NaN) - (walk.from - 1) * pages.longest - waiting.length;
	const isWhole = walk.from === 1 && isThrough;
	const known = isWhole ? Infinity : (state.accountedFor ?? Infinity) + taken.length;
	const next: State = {
		...state,
		floor,
		handled: handled.toJSON(),
		sweptAt: isSweep && walk.reachedFloor ? walk.now : state.sweptAt,
		// Too low costs a sweep, too high would hide an event for an hour.
		accountedFor: walk.total === undefined ? undefined : Math.max(0, Math.min(counted, known)),
		pageSize: pages.size,
	};
	return { state: next, events, warnings };
}

/** Of the new rows the oldest, as many as may fire at once. */
function choose(walk: Walk, { maxEvents, skipOlderMs, isWanted }: Limits) {
	// Of one moment those further down come first: what waits is to lie above what is handled.
	const rows = [...walk.fresh.values()].reverse().sort((a, b) => a.at - b.at);
	const mayFire = rows.filter(({ event, at }) => at >= walk.now - skipOlderMs && isWanted(event));
	const firstLeft = mayFire[maxEvents];
	const count = firstLeft === undefined ? rows.length : rows.indexOf(firstLeft);
	const events = mayFire.slice(0, maxEvents).map(({ event }) => event);
	return { events, taken: rows.slice(0, count), waiting: rows.slice(count) };
}
