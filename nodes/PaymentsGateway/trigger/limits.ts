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
export interface Bounds {
	/** An event may appear late among so many of the newest ones. */
	kept: number;
	/** Characters that the handled events may take in the state. */
	memory: number;
	/** How often a poll reads down to the floor, in milliseconds. */
	sweepEvery: number;
	/** How many rows of page 1 show whether anything is new. */
	glance: number;
}

export const BOUNDS: Bounds = {
	// 1,000 are promised. With half as many more, the floor need not rise with every poll.
	kept: 1_500,
	// n8n saves the state with every emission, and it stays under 64 kB in all.
	memory: 56_000,
	sweepEvery: 3_600_000,
	glance: 10,
};
