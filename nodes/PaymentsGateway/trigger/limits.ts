import type { WebhookEvent } from '../wire';

/** What bounds a poll: what the user has chosen, and what the trigger sets itself. */

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

/** Parameters, so that a test can try every schedule of a world in which they are small. */
export const BOUNDS = {
	/** An event may appear late among so many of the newest. 1,000 are promised; with more, the floor
	 * need not rise with every poll. */
	kept: 1_500,
	/** So many handled events keep the state under 64 kB, which n8n saves with every emission. */
	remembered: 2_500,
	/** How often a poll reads down to the floor, in milliseconds. */
	sweepEvery: 3_600_000,
};
