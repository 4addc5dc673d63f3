import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The counts that hostile tests write for docs/reliability.md, and how they write them. What each
 * says is in that page in words (`report.ts`).
 */

type Counts<Name extends string> = Record<Name, number>;

/** Of the events that appeared since the trigger was on. */
type Fired = 'sent' | 'fired' | 'lost' | 'doubled';
/** Within a limit that the README names, as between a poll's answer and its executions. */
type Excused = 'lostInWindow' | 'doubledInWindow';
/** Not fired: the service dropped them before a poll came, or they came too late to look back for. */
type Unseen = 'purgedUnseen' | 'tooLate';
/** Requests that failed, moves of the list while it was read, events that came otherwise than due. */
type Weather = 'failures' | 'moves' | 'oddities' | 'clocks' | 'renames' | 'restarts';

type Kills = Counts<Fired | Excused | 'kills'>;
/** Unclear: fired without having been sent. */
type Storm<Length extends string> = Counts<
	Fired | Unseen | Weather | 'unclear' | 'polls' | 'requests' | Length
>;

type Asked = 'scenarios' | 'faults' | 'runs' | 'repeating' | 'asked' | 'requests';
/** Open: neither refused nor confirmed, then found out or told as unknown. Unshown: n8n shows no output. */
type Answered = 'refused' | 'made' | 'leftOpen' | 'foundOut' | 'toldUnknown' | 'unshown';
/** False alarms: told as unknown although all of it was plainly refused, or nothing was sent. */
type Wrong = 'lost' | 'doubled' | 'unclear' | 'falseAlarms';

export interface Tallies {
	storm: Storm<'schedules'>;
	month: Storm<'days'>;
	'kills with the default engine': Kills;
	'kills with durable cursors': Kills;
	'kills with the scheduler without durable cursors': Kills;
	charges: Counts<Asked | Answered | Wrong>;
	lists: Counts<'lists' | 'changes' | 'rows' | 'missed' | 'repeated'>;
	/** Places are fields of the form, a locator's once for each of its modes. */
	inputs: Counts<'places' | 'values' | 'worded' | 'requests' | 'unclear'>;
	secrets: Counts<'searches' | 'found'>;
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
