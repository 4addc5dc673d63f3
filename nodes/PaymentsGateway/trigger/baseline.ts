import type { EventPages } from './eventPages';
import { Handled } from './handled';
import { BOUNDS, startAt } from './state';
import type { State } from './state';
import { Walk } from './walk';

/** The start of a trigger: what the list shows is handled without firing, all that comes is new. */

/** Where the first answer is empty, what is older than this counts as old all the same. */
const TEN_MINUTES = 600_000;

export async function takeBaseline(
	pages: EventPages,
	merchant: string,
	lookBackMs: number,
	{ kept } = BOUNDS,
): Promise<State> {
	const handled = new Handled();
	const walk = new Walk(await pages.read(1), pages, startAt(merchant, 0), handled);
	const { now, total } = walk.first;
	const dates = () => [...walk.fresh.values()].map(({ at }) => at);
	// What is newer on a later page has come while we read, and is to fire.
	const latest = Math.max(...dates());
	const lookBackFrom = Math.min(latest, now) - lookBackMs;
	const isEnough = () =>
		walk.reachedFloor || walk.fresh.size >= kept || Math.min(...dates()) < lookBackFrom;
	while (!isEnough() && pages.requestsLeft >= 1) await walk.read();
	// Rows that were not read may share the date of the last one that was.
	const readFrom = walk.reachedFloor ? 0 : Math.min(...dates()) + 1;
	const isEmpty = walk.fresh.size === 0;
	const floor = isEmpty ? now - TEN_MINUTES : Math.max(0, lookBackFrom, readFrom);
	for (const { hash, at } of walk.fresh.values()) if (at <= latest) handled.add(hash, at);
	handled.forgetBefore(floor);
	return {
		...startAt(merchant, floor),
		handled: handled.toJSON(),
		sweptAt: now,
		accountedFor: total,
		pageSize: pages.pageSize,
	};
}
