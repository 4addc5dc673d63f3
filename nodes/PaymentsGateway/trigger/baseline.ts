import { MINUTE } from '../wire/duration';
import type { EventPages } from './eventPages';
import { Scanner } from './scan';
import { BOUNDS, markSeen, startAt, storeSeen } from './state';
import type { SeenEvents, State } from './state';

/** The start of a trigger: events that the list shows now count as seen, later ones fire. */

/**
 * If the list is empty, only events dated up to this long before the start fire late. With the whole
 * look-back, an empty answer that was wrong would fire days of old events. Chosen, not measured.
 */
const GRACE = 10 * MINUTE;

export async function takeBaseline(
	pages: EventPages,
	merchant: string,
	lookBackMs: number,
	{ keepNewest } = BOUNDS,
): Promise<State> {
	// Watermark 0 and nothing seen: every row is new, and the end of the list is the watermark.
	const scanner = new Scanner(pages, startAt(merchant, 0));
	let scan = await scanner.begin(1);
	const isBlank = () => scan.newRows.size === 0 && !scan.reachedWatermark;
	// All rows of page 1 may be left out, if they are not events.
	while (isBlank() && pages.requestsLeft >= 1) scan = await scanner.readOn(scan);
	const { now, total, futureFrom } = scan.first;
	const times = () => [...scan.newRows.values()].map(({ time }) => time);
	// Events that arrive meanwhile can be on a page that is read later. Newer than this, they fire.
	const newest = Math.max(...times().map((time) => (time < futureFrom ? time : now)));
	const lookBackFrom = Math.min(newest, now) - lookBackMs;
	const isDeepEnough = () =>
		scan.reachedWatermark || scan.newRows.size >= keepNewest || Math.min(...times()) < lookBackFrom;
	while (!isDeepEnough() && pages.requestsLeft >= 1) scan = await scanner.readOn(scan);

	const isEmpty = scan.newRows.size === 0;
	// Rows that were not read may share the date of the last row that was.
	const readFrom = scan.reachedWatermark ? 0 : Math.min(...times()) + 1;
	const watermark = isEmpty ? now - GRACE : Math.max(0, lookBackFrom, readFrom);
	const seen: SeenEvents = new Map();
	for (const row of scan.newRows.values()) {
		if (row.time <= newest || row.time >= futureFrom) markSeen(seen, row);
	}
	return {
		...startAt(merchant, watermark),
		seen: storeSeen(seen, watermark),
		lateScanAt: now,
		countedTotal: total,
		pageSize: pages.pageSize,
	};
}
