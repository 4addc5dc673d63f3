import type { WebhookEvent } from '../wire';
import { EACH, LARGEST } from './handled';
import type { Handled } from './handled';
import type { Dated, Walk } from './walk';

/** Which of the new events that a poll has found fire now, and which wait. */

export interface Limits {
	lookBackMs: number;
	/** How many events may fire at once. */
	maxEvents: number;
	/** Older ones are handled without firing. */
	skipOlderMs: number;
	/** Which events the user chose. All are kept account of, so that a new choice repeats nothing. */
	isWanted: (event: WebhookEvent) => boolean;
}

interface Firing {
	/** Oldest first; of one moment, as they stand in the list. */
	fired: WebhookEvent[];
	/** The dates of the new events that do not fire yet; none is older than what fires. */
	waiting: number[];
	warnings: string[];
}

/** Whatever the user allows at once: memory does not grow with a backlog. */
const MOST_AT_ONCE = 5_000;
/** How many events of the future can be remembered beside the others. */
const MOST_OF_THE_FUTURE = 1_000;

export function mostAtOnce({ maxEvents }: Limits): number {
	return Math.min(maxEvents, MOST_AT_ONCE);
}

/**
 * Takes the oldest, as many as may fire at once and can be remembered, and notes them as handled, also
 * those that are not wanted.
 */
export function fire(walk: Walk, handled: Handled, floorMayRise: boolean, limits: Limits): Firing {
	const until = handled.believedUntil(walk.now);
	const free = (LARGEST - handled.characters) / EACH;
	// A floor that rises makes room right after. If it does not, one event goes on at least: one that
	// waited for ever would hold the floor down for ever.
	let room = floorMayRise ? Infinity : Math.max(1, free);
	let roomForFuture = MOST_OF_THE_FUTURE - (handled.size - handled.newestFirst(walk.now).length);
	const most = mostAtOnce(limits);
	const taken = new Set<Dated>();
	const waiting: number[] = [];
	let unremembered = 0;
	const rows = [...walk.fresh.values()];
	// Of one moment those further down come first: what is taken lies right above handled rows.
	for (const row of [...rows].reverse().sort((a, b) => a.at - b.at)) {
		const isTooOld = row.at < walk.now - limits.skipOlderMs;
		const isWanted = !isTooOld && limits.isWanted(row.event);
		if (waiting.length > 0 || room < 1 || (isWanted && taken.size >= most)) {
			waiting.push(row.at);
		} else if (row.at > until && roomForFuture < 1) {
			// What cannot be remembered must not fire, or it would fire at every poll.
			unremembered++;
		} else {
			handled.add(row.hash, row.at);
			room--;
			if (row.at > until) roomForFuture--;
			if (isWanted) taken.add(row);
		}
	}
	const words = `${unremembered} events dated in the future do not fire: there are more than ${MOST_OF_THE_FUTURE} of them`;
	const warnings = unremembered > 0 ? [words] : [];
	const fired = rows.filter((row) => taken.has(row)).sort((a, b) => a.at - b.at);
	return { fired: fired.map(({ event }) => event), waiting, warnings };
}
