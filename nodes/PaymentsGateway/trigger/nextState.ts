import type { WebhookEvent } from '../wire';
import type { Row } from './eventPages';
import { uncounted } from './scan';
import type { Scan } from './scan';
import { storeSeen } from './state';
import type { Bounds, SeenEvents, State } from './state';

/** Steps 3 to 5 of catchUp.ts: what to make of the rows that were read. Pure functions. */

/** What the user has chosen. */
export interface FiringRules {
	/** How long after its own date an event may appear and still fire. */
	lookBackMs: number;
	maxEvents: number;
	skipOlderMs: number;
	isSelected: (event: WebhookEvent) => boolean;
}

/** Rows that never fire are taken as well, so that an edit of the selection does not fire them. */
export function choose(scan: Scan, { maxEvents, skipOlderMs, isSelected }: FiringRules) {
	const skipBefore = scan.first.now - skipOlderMs;
	// Among equal dates, the lowest row comes first, so that waiting rows are above seen ones.
	const rows = [...scan.newRows.values()].reverse().sort((a, b) => a.time - b.time);
	const eligible = rows.filter(({ event, time }) => time >= skipBefore && isSelected(event));
	const events = eligible.slice(0, maxEvents).map(({ event }) => event);
	const firstWaiting = eligible[maxEvents];
	const end = firstWaiting === undefined ? rows.length : rows.indexOf(firstWaiting);
	return { events, taken: rows.slice(0, end), waiting: rows.slice(end) };
}

/** What a poll has read and chosen. */
export interface PollResult {
	scan: Scan;
	/** The rows that count as seen from now on: they fire, or never will. */
	taken: readonly Row[];
	/** The rows that stay in the list for the next poll, oldest first. */
	waiting: readonly Row[];
	/** A late scan was due when step 1 had ended. */
	wasLateScanDue: boolean;
	lateScanFailed: boolean;
	/** Including the taken rows. */
	seen: SeenEvents;
	pageSize: number;
}

/** The watermark does not pass new rows left behind, unless memory overflows. */
export function nextWatermark(old: number, result: PollResult, lookBackMs: number, bounds: Bounds) {
	const { scan, seen } = result;
	const times = [...seen.values()].sort((a, b) => b - a);
	// An event dated 2030 must not raise the watermark.
	const timesWithoutFuture = times.filter((time) => time < scan.first.futureFrom);
	// Counted from the newest seen event, not from now: so the state of a quiet list stays
	// unchanged.
	const lookBackFrom = Math.min(timesWithoutFuture[0] ?? 0, scan.first.now) - lookBackMs;
	const rememberedFrom = timesWithoutFuture[bounds.keepNewest - 1] ?? 0;
	let target = old;
	if (scan.reachedWatermark) target = Math.max(lookBackFrom, rememberedFrom);
	// Exception (a) of catchUp.ts: memory is full, and the late scan ran out of time.
	else if (seen.size > bounds.capacity) target = rememberedFrom;
	const watermark = Math.max(old, Math.min(target, oldestBehind(result)));
	const remembered = times.filter((time) => time >= watermark);
	if (remembered.length <= bounds.capacity) return { watermark, isForced: false };
	// Exception (b): too many share a date, or are above a row that waits. Forget all but the newest.
	return { watermark: Math.max(watermark, rememberedFrom + 1), isForced: true };
}

/** The date of the oldest new row that this poll leaves to the next one. */
function oldestBehind({ scan: { first }, waiting }: PollResult): number {
	// A scan of a backlog has skipped the rows above its first row. They are no older than that row.
	const oldestSkipped = first.number > 1 ? (first.rows[0]?.time ?? 0) : Infinity;
	return Math.min(waiting[0]?.time ?? Infinity, oldestSkipped);
}

/**
 * A scan from page 1, even a peek, accounts for all rows but those that wait: if the count showed more, a late
 * scan has looked for them. If that failed, or the scan began further down, only the rows taken count.
 */
export function nextCountedTotal({ countedTotal }: State, result: PollResult): number | undefined {
	const { scan, lateScanFailed, taken, waiting } = result;
	const { number, total } = scan.first;
	if (total === undefined) return undefined;
	if (number === 1 && !lateScanFailed) return total - waiting.length;
	return countedTotal === undefined ? undefined : countedTotal + taken.length;
}

/**
 * An idle poll should change nothing, so that n8n has nothing to save. So `lateScanAt` is set only if
 * a late scan was due: with a short list, every poll reaches the watermark.
 */
export function nextState(state: State, result: PollResult, watermark: number): State {
	const { scan, seen, wasLateScanDue, pageSize } = result;
	const isLateScanDone = wasLateScanDue && scan.reachedWatermark && !isLateRowWaiting(result);
	return {
		...state,
		watermark,
		seen: storeSeen(seen, watermark),
		lateScanAt: isLateScanDone ? scan.first.now : state.lateScanAt,
		countedTotal: nextCountedTotal(state, result),
		pageSize,
	};
}

/** If so, the next poll needs another late scan: its step 1 would stop at the seen rows above. */
function isLateRowWaiting({ scan, seen, waiting: [oldest] }: PollResult): boolean {
	if (oldest === undefined) return false;
	return [...seen.values()].some((time) => time > oldest.time && time < scan.first.futureFrom);
}

/**
 * How many new rows are below the last page that the gateway serves, if all those above are new. From a Start
 * Date on, it can be too many: rows from before that date count as well.
 */
export function countTooDeep(scan: Scan, state: State, rowsPerPage: number): number {
	const { first, last } = scan;
	const endedOnEmptyPage = last.length === 0;
	const rowsAbove = (last.number - 1) * rowsPerPage;
	// From a Start Date on, no row is accounted for before the first late scan.
	const newRows = state.lateScanAt === 0 ? (first.total ?? 0) : uncounted(first, state);
	return endedOnEmptyPage ? Math.max(0, newRows - rowsAbove) : 0;
}
