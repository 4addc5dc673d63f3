import { MINUTE } from './durations';
import type { EventPages } from './eventPages';
import { Scanner } from './scan';
import { markSeen, storeSeen } from './seenEvents';
import type { SeenEvents } from './seenEvents';
import { BOUNDS, startAt } from './state';
import type { State } from './state';

/** The start of a trigger: events that the list shows now count as seen, later ones fire. */

/** An empty answer may be wrong. Then events fire that are dated up to this long before the start. */
const GRACE = 10 * MINUTE;

export async function takeBaseline(
	pages: EventPages,
	merchant: string,
	lookBackMs: number,
	{ kept } = BOUNDS,
): Promise<State> {
	const scanner = new Scanner(pages, startAt(merchant, 0));
	let scan = await scanner.begin(1);
	const isBlank = () => scan.newRows.size === 0 && !scan.reachedWatermark;
	// The rows of page 1 may all be left out: they are no events.
	while (isBlank() && pages.requestsLeft >= 1) scan = await scanner.readOn(scan);
	const { now, total } = scan.first;
	// Rows that are newer than this and show up on a later page arrived meanwhile: they must fire.
	const times = () => [...scan.newRows.values()].map(({ time }) => time);
	const newest = Math.max(...times());
	const lookBackFrom = Math.min(newest, now) - lookBackMs;
	const isDeepEnough = () =>
		scan.reachedWatermark || scan.newRows.size >= kept || Math.min(...times()) < lookBackFrom;
	while (!isDeepEnough() && pages.requestsLeft >= 1) scan = await scanner.readOn(scan);

	const isEmpty = scan.newRows.size === 0;
	// Rows that were not read may share the date of the last row that was.
	const readFrom = scan.reachedWatermark ? 0 : Math.min(...times()) + 1;
	const watermark = isEmpty ? now - GRACE : Math.max(0, lookBackFrom, readFrom);
	const seen: SeenEvents = new Map();
	for (const row of scan.newRows.values()) if (row.time <= newest) markSeen(seen, row);
	return {
		...startAt(merchant, watermark),
		seen: storeSeen(seen, watermark),
		lateScanAt: now,
		countedTotal: total,
		pageSize: pages.pageSize,
	};
}
