import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** The counts that hostile tests write for docs/reliability.md, and how they write them. */

interface Trigger {
	/** Events that appeared since the trigger was on. */
	sent: number;
	fired: number;
	lost: number;
	doubled: number;
}

interface Kills extends Trigger {
	kills: number;
	/** Lost within a limit that the README names, as between a poll's answer and its executions. */
	lostInWindow: number;
	doubledInWindow: number;
}

interface Storm extends Trigger {
	polls: number;
	requests: number;
	restarts: number;
	/** Of the trigger node, which n8n's default engine keeps state for by name. */
	renames: number;
	/** How often the service's clock or this machine's jumped. */
	clocks: number;
	/** Requests that failed, were refused for a while, or did not end in time. */
	failures: number;
	/** Requests before which the list changed under the reader. */
	moves: number;
	/** Events that came late, were dated ahead, not dated, listed twice, out of order, or purged. */
	oddities: number;
	/** Not fired, because the service dropped them before a poll came. */
	purgedUnseen: number;
	/** Not fired, because they appeared later than what the trigger promises to look back for. */
	tooLate: number;
	/** Fired without having been sent. */
	unclear: number;
}

/** What each kind of hostility counts; docs/reliability.md says in words what it means. */
export interface Tallies {
	storm: Storm & { schedules: number };
	month: Storm & { days: number };
	'kills with the default engine': Kills;
	'kills with durable cursors': Kills;
	'kills with the scheduler without durable cursors': Kills;
	charges: {
		scenarios: number;
		faults: number;
		runs: number;
		/** Runs that n8n repeats when they fail. */
		repeating: number;
		asked: number;
		/** Requests to charge that reached the service. */
		requests: number;
		refused: number;
		/** Neither refused nor confirmed, and what the node then said. */
		leftOpen: number;
		foundOut: number;
		toldUnknown: number;
		/** Confirmed in a run that ended for another reason: n8n shows no output of such a run. */
		unshown: number;
		made: number;
		/** Told as charged, and not charged. */
		lost: number;
		doubled: number;
		/** Left open without a word. */
		unclear: number;
		/** Told as unknown although all of it was plainly refused, or nothing was sent. */
		falseAlarms: number;
	};
	lists: { lists: number; changes: number; rows: number; missed: number; repeated: number };
	inputs: {
		/** Fields of the form, a locator's once for each of its modes. */
		places: number;
		values: number;
		/** Items that ended in words, and requests that left. */
		worded: number;
		requests: number;
		/** Bad words, bad requests, missing items. */
		unclear: number;
	};
	secrets: { searches: number; found: number };
}

/**
 * Writes down what a test has counted, if TALLY_FOLDER names a folder: into one file for each kind
 * and process, so that jest's workers do not write over each other.
 */
export function tally<K extends keyof Tallies>(kind: K, counts: Tallies[K]): void {
	const folder = process.env.TALLY_FOLDER;
	if (!folder) return;
	mkdirSync(folder, { recursive: true });
	appendFileSync(join(folder, `${kind}.${process.pid}.jsonl`), `${JSON.stringify(counts)}\n`);
}
