import { scanBacklog } from './backlog';
import { SMALLEST_PAGE } from './eventPages';
import type { EventPages } from './eventPages';
import { choose, countTooDeep, nextState, nextWatermark } from './nextState';
import type { FiringRules } from './nextState';
import { Scanner, uncounted } from './scan';
import type { Scan } from './scan';
import { BOUNDS, markSeen } from './state';
import type { State } from './state';

/**
 * Decides which events a poll fires, so that every event fires exactly once.
 *
 * The gateway lists events by date, newest first, and offers no cursor. Most new events appear on
 * top, but some appear late, below events that have fired. So the state remembers which events were
 * seen, and a low watermark: an event dated before it never fires.
 *
 *     newest   new  \  wait in the list for the next poll
 *              new  /
 *              new  \  fire: the oldest new rows, at most 'Max Events per Poll'
 *              new  /
 *              seen  <- step 1 stops at seen rows
 *              seen
 *              new      a late event
 *              seen
 *     - - - watermark  <- step 2 stops here at the latest
 *     oldest   old      never fires, and need not be remembered
 *
 * 1. `scanToSeen` reads from the top to seen rows. In a backlog it skips to the oldest new rows.
 * 2. `lateScan` reads on: to the watermark once an hour, while late rows wait and when memory is full;
 *    if the gateway counts more new rows than step 1 has found, only until those are found.
 * 3. `choose` takes the oldest new rows, as many as may fire. The others wait in the list.
 * 4. `nextWatermark` raises the watermark to the start of the look-back, or to the date of the
 *    1,500th newest seen event if that is later.
 * 5. `nextState` remembers what was taken. n8n saves it together with the events (poll.ts).
 *
 * Nothing fires twice: an event is remembered by the write that fires it, and forgotten only when the
 * watermark has passed its date.
 *
 * Nothing is lost: the watermark rises only if this very poll has read down to the old watermark without
 * a gap, and never past a row that waits or that a backlog scan has skipped above its first page. Step 4
 * trusts `scan.reachedWatermark` and, for skipped rows, the list's order. Steps 1 and 2 may stop anywhere,
 * and the count may be wrong: that costs requests, or an hour until a late event fires. There are three
 * exceptions, each with a warning in n8n's log:
 *
 * (a) Memory is full and step 2 ran out of time: the watermark rises to the 1,500th newest seen event.
 *     A late event below it is lost; only those among the 1,000 newest are promised (docs/limits.md).
 * (b) More seen events than memory holds are at least as new as the oldest row that waits or was skipped,
 *     such as thousands of one date: the watermark passes the 1,500th newest of them, and new rows below
 *     it never fire.
 * (c) The gateway serves no page that deep (`countTooDeep`): those rows never fire.
 */
export async function catchUp(
	state: State,
	pages: EventPages,
	rules: FiringRules,
	bounds = BOUNDS,
) {
	const scanner = new Scanner(pages, state, bounds);
	const upper = await scanToSeen(scanner, rules.maxEvents);
	const wasLateScanDue = isLateScanDue(scanner, upper);
	const { scan, failure } = await lateScan(scanner, upper);
	const choice = choose(scan, rules);
	const { seen } = scanner;
	for (const row of choice.taken) markSeen(seen, row);

	// A failed late scan does not hold up new rows, as long as they can be remembered. If the poll is
	// out of time, the next one would be as well, so this one goes on with what it has.
	const hasProgress = choice.taken.length > 0 && seen.size <= bounds.capacity;
	const isOutOfTime = pages.requestsLeft < 1;
	if (failure !== undefined && !hasProgress && !isOutOfTime) throw failure;

	const lateScanFailed = failure !== undefined;
	const { pageSize } = pages;
	const result = { ...choice, scan, seen, wasLateScanDue, lateScanFailed, pageSize };
	const { watermark, isForced } = nextWatermark(state.watermark, result, rules.lookBackMs, bounds);
	const tooDeep = countTooDeep(scan, state, pages.rowsPerPage);
	// For n8n's log.
	const warnings = [
		failure && `The late scan did not finish: ${failure.message}`,
		tooDeep > 0 && `${tooDeep} events are too deep in the list to be read, and never fire`,
		isForced && forgottenWarning(watermark),
	].filter((warning) => typeof warning === 'string');
	return { events: choice.events, state: nextState(state, result, watermark), warnings };
}

function forgottenWarning(watermark: number): string {
	const date = new Date(watermark).toISOString();
	return `Too many events to remember: those dated before ${date} that have not fired never will. The Payments Gateway node lists them (Event → Get Many)`;
}

async function scanToSeen(scanner: Scanner, maxEvents: number): Promise<Scan> {
	// Ten rows show whether anything is new.
	const peek = await scanner.begin(1, Math.min(SMALLEST_PAGE, scanner.pages.pageSize));
	if (peek.reachedSeen && !isLateScanDue(scanner, peek)) return peek;
	// Again from the top, by larger pages: a scan keeps the page size that it began with.
	let top = await scanner.begin(1);
	// Two pages cost less to read than to search.
	if (!top.reachedSeen) top = await scanner.readOn(top);
	if (top.reachedSeen) return top;
	const backlog = await scanBacklog(scanner, top, maxEvents);
	// With hundreds of seen future-dated rows on top, the search runs although there is no backlog. If its
	// pages show nothing new, any new row is above them: in `top`, or a late scan finds it.
	return backlog.newRows.size > 0 ? backlog : top;
}

/** A failure is returned, since the events that were found before it may fire anyway. */
async function lateScan(scanner: Scanner, upper: Scan): Promise<{ scan: Scan; failure?: Error }> {
	let scan = upper;
	while (!scan.reachedWatermark && isLateScanDue(scanner, scan)) {
		const longer = await scanner.readOn(scan).catch((error: Error) => error);
		if (longer instanceof Error) return { scan, failure: longer };
		scan = longer;
	}
	return { scan };
}

export function isLateScanDue(
	{ state, seen, bounds }: Pick<Scanner, 'state' | 'seen' | 'bounds'>,
	{ first, newRows }: Scan,
): boolean {
	// The absolute difference, since a clock that was set back must not postpone it.
	const isTime = Math.abs(first.now - state.lateScanAt) >= bounds.lateScanEvery;
	const isMemoryFull = seen.size + newRows.size > bounds.capacity;
	// The gateway counts the whole list, so only a scan from page 1 can be compared.
	const isRowMissing = first.number === 1 && uncounted(first, state) > newRows.size;
	return isTime || isMemoryFull || isRowMissing;
}
