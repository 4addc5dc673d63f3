import type { WebhookEvent } from '../wire';
import { uncounted } from './scan';
import type { Scan } from './scan';
import { storeSeen } from './seenEvents';
import type { Row, SeenEvents } from './seenEvents';
import type { Bounds, State } from './state';

/** Steps 3 to 5 of catchUp.ts: what to make of the rows that were read. Pure functions. */

/** What the user has chosen. */
export interface FiringRules {
	/** How long after its own date an event may appear and still fire. */
	lookBackMs: number;
	/** How many events may fire in one poll. */
	maxEvents: number;
	/** Older events do not fire. */
	skipOlderMs: number;
	isSelected: (event: WebhookEvent) => boolean;
}

/** Rows that never fire are taken as well, so that an edit of the selection does not fire them. */
export function choose(scan: Scan, { maxEvents, skipOlderMs, isSelected }: FiringRules) {
	const skipBefore = scan.first.now - skipOlderMs;
	// Of equal dates the lowest row comes first, so that waiting rows are above seen ones.
	const rows = [...scan.newRows.values()].reverse().sort((a, b) => a.time - b.time);
	const eligible = rows.filter(({ event, time }) => time >= skipBefore && isSelected(event));
	const events = eligible.slice(0, maxEvents).map(({ event }) => event);
	const firstWaiting = eligible[maxEvents];
	const end = firstWaiting === undefined ? rows.length : rows.indexOf(firstWaiting);
	return { events, taken: rows.slice(0, end), waiting: rows.slice(end) };
}

/** What a poll has read and chosen. */
export interface Outcome {
	scan: Scan;
	/** The rows that count as seen from now on: they fire, or never will. */
	taken: readonly Row[];
	/** The rows that stay in the list for the next poll, oldest first. */
	waiting: readonly Row[];
	/** A late scan was due before the poll went below the first seen rows. */
	isLateScanDue: boolean;
	/** No late scan was due, or it has finished. */
	isComplete: boolean;
	/** Including the taken rows. */
	seen: SeenEvents;
	/** How many rows the gateway accepts per page. */
	pageSize: number;
}

/** The watermark passes no new row that stays behind, unless it is forced to. */
export function nextWatermark(old: number, outcome: Outcome, lookBackMs: number, bounds: Bounds) {
	const { scan, seen } = outcome;
	const times = [...seen.values()].sort((a, b) => b - a);
	// An event dated 2030 must not raise the watermark.
	const presentTimes = times.filter((time) => time < scan.first.futureFrom);
	const lookBackFrom = Math.min(presentTimes[0] ?? 0, scan.first.now) - lookBackMs;
	const keptFrom = presentTimes[bounds.kept - 1] ?? 0;
	let target = old;
	if (scan.reachedWatermark) target = Math.max(lookBackFrom, keptFrom);
	else if (seen.size > bounds.capacity) target = keptFrom;
	const watermark = Math.max(old, Math.min(target, oldestBehind(outcome)));
	const isForced = times.filter((time) => time >= watermark).length > bounds.capacity;
	return { watermark: isForced ? Math.max(watermark, keptFrom + 1) : watermark, isForced };
}

/** The date of the oldest new row that this poll leaves to the next one. */
function oldestBehind({ scan: { first }, waiting }: Outcome): number {
	// A scan of a backlog has skipped the rows above its first row. They are no older than that row.
	const oldestSkipped = first.number > 1 ? (first.rows[0]?.time ?? 0) : Infinity;
	return Math.min(waiting[0]?.time ?? Infinity, oldestSkipped);
}

/** A complete scan accounts for all rows that do not wait, any other only for those it has taken. */
export function nextCountedTotal({ countedTotal }: State, outcome: Outcome): number | undefined {
	const { scan, isComplete, taken, waiting } = outcome;
	const { number, total } = scan.first;
	if (total === undefined) return undefined;
	if (isComplete && number === 1) return total - waiting.length;
	return countedTotal === undefined ? undefined : countedTotal + taken.length;
}

/** Without news, the state stays as it is: an idle poll must not make n8n save anything. */
export function nextState(state: State, outcome: Outcome, watermark: number): State {
	const { scan, seen, isLateScanDue, pageSize } = outcome;
	return {
		...state,
		watermark,
		seen: storeSeen(seen, watermark),
		lateScanAt: isLateScanDue && scan.reachedWatermark ? scan.first.now : state.lateScanAt,
		countedTotal: nextCountedTotal(state, outcome),
		pageSize,
	};
}

/** How many new rows are below the last page that the gateway serves. */
export function countTooDeep(scan: Scan, state: State, rowsPerPage: number): number {
	const isEndOfList = scan.last.length === 0;
	const rowsRead = (scan.last.number - 1) * rowsPerPage;
	return isEndOfList ? Math.max(0, uncounted(scan.first, state) - rowsRead) : 0;
}
