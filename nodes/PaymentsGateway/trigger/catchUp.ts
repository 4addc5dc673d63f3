import type { WebhookEvent } from '../wire';
import { readBacklog } from './backlog';
import type { EventPages } from './eventPages';
import { Handled } from './handled';
import type { Row } from './handled';
import { BOUNDS } from './state';
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
 * the 1,500th newest handled event also without a sweep, and, if that frees too little, past its moment.
 * What is lost by that is not among the 1,000 newest, and only those are promised.
 */

/** What the user has chosen. */
export interface Limits {
	/** How long after its own date an event may appear and still fire. */
	lookBackMs: number;
	/** How many events may fire at once. */
	maxEvents: number;
	/** Older events are handled without firing. */
	skipOlderMs: number;
	/** Events that were not chosen are handled as well, so that a wider choice repeats none. */
	isWanted: (event: WebhookEvent) => boolean;
}

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
	const handled = new Handled(state.handled);
	/** How many more can be remembered; negative where there are too many. */
	const spare = () => bounds.remembered - handled.size;
	const begin = async (page: number, pageSize?: number) =>
		new Walk(await pages.read(page, pageSize), pages, state, handled);
	const isTimeToSweep = ({ fresh, first }: Walk) =>
		fresh.size > spare() || Math.abs(first.now - state.sweptAt) >= bounds.sweepEvery;
	// The count is that of the whole list, so it can only be compared from the top.
	const isSweepDue = (walk: Walk) =>
		isTimeToSweep(walk) || (walk.first.number === 1 && walk.risenBy > walk.fresh.size);

	const readToHandled = async (): Promise<Walk> => {
		const glance = await begin(1, Math.min(GLANCE, pages.pageSize));
		if (glance.reachedHandled && !isSweepDue(glance)) return glance;
		const top = await begin(1);
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
	const reason = failure?.message ?? 'the poll ran out of time';
	const warnings = isThrough ? [] : [`The look for late events did not get through: ${reason}`];
	const tooDeep = walk.hasEnded ? walk.risenBy - (walk.next - 2) * pages.rowsPerPage : 0;
	if (tooDeep > 0) warnings.push(`${tooDeep} events lie too deep to be read, and do not fire`);

	const { events, taken, waiting } = choose(walk, limits);
	for (const { hash, at } of taken) handled.add(hash, at);
	// What is new above handled rows does not wait for the sweep, as long as it can be remembered.
	const mayFireAllTheSame = taken.length > 0 && spare() >= 0;
	if (failure && !mayFireAllTheSame && pages.requestsLeft >= 1) throw failure;

	const { now, futureFrom } = walk.first;
	const dates = handled.newestBefore(futureFrom);
	const lastKept = dates[bounds.kept - 1] ?? 0;
	const lookBackFrom = Math.min(dates[0] ?? 0, now) - limits.lookBackMs;
	let rise = 0;
	if (walk.reachedFloor) rise = Math.max(lookBackFrom, lastKept);
	else if (spare() < 0) rise = lastKept;
	let floor = Math.max(state.floor, Math.min(rise, oldestNotTaken(walk, waiting)));
	handled.forgetBefore(floor);
	if (spare() < 0) {
		warnings.push('More events share one moment than can be remembered; it is closed');
		floor = Math.max(floor, lastKept + 1);
		handled.forgetBefore(floor);
	}

	// What is counted, less what waits and what lies above the walk. After a look that did not get
	// through, no more than before and what was taken: too high would hide a late event for an hour.
	const { number, total } = walk.first;
	const counted = (total ?? 0) - (number - 1) * pages.rowsPerPage - waiting.length;
	const isComplete = number === 1 && isThrough;
	const most = isComplete ? Infinity : (state.accountedFor ?? Infinity) + taken.length;
	const next: State = {
		...state,
		floor,
		handled: handled.toJSON(),
		// Only where it was due: a poll that finds nothing leaves the state as it is.
		sweptAt: isSweep && walk.reachedFloor ? now : state.sweptAt,
		accountedFor: total === undefined ? undefined : Math.max(0, Math.min(counted, most)),
		pageSize: pages.pageSize,
	};
	return { state: next, events, warnings };
}

/** The date of the oldest event that is left for a later poll: it waits, or was not read. */
function oldestNotTaken({ first: { number, rows } }: Walk, waiting: readonly Row[]): number {
	// Where the walk began below page 1, what it has not read is new, and no older than its first row.
	const oldestUnread = number > 1 ? (rows[0]?.at ?? 0) : Infinity;
	return Math.min(waiting[0]?.at ?? Infinity, oldestUnread);
}

/** Of the new rows the oldest, as many as may fire at once. */
function choose(walk: Walk, { maxEvents, skipOlderMs, isWanted }: Limits) {
	// Of one moment those further down come first: what waits is to lie above what is handled.
	const rows = [...walk.fresh.values()].reverse().sort((a, b) => a.at - b.at);
	const mayFire = rows.filter(
		({ event, at }) => at >= walk.first.now - skipOlderMs && isWanted(event),
	);
	const firstLeft = mayFire[maxEvents];
	const count = firstLeft === undefined ? rows.length : rows.indexOf(firstLeft);
	const events = mayFire.slice(0, maxEvents).map(({ event }) => event);
	return { events, taken: rows.slice(0, count), waiting: rows.slice(count) };
}
