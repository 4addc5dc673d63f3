import type { EventPages } from './eventPages';
import { Handled } from './handled';
import { startAt } from './state';
import type { State } from './state';
import { Walk } from './walk';
import { KEPT } from './sweep';

/** The start of a trigger: what the list shows is handled without firing, all that comes is new. */

/** Where the first answer is empty, what is older than this counts as old all the same. */
const TEN_MINUTES = 600_000;

export async function takeBaseline(
	pages: EventPages,
	scope: string,
	lookBackMs: number,
): Promise<State> {
	// Handled rows of its own, which stay empty: nothing that is noted here ends the walk.
	const walk = new Walk(pages, 0, new Handled(), { from: 1 });
	const handled = new Handled();
	let newest: number | undefined;
	let oldest = Infinity;
	// The rows that may still be seen: those of the look-back, and no more than are kept.
	const isEnough = () =>
		walk.reachedFloor ||
		handled.size >= KEPT ||
		(newest !== undefined && oldest < newest - lookBackMs) ||
		(walk.pagesRead > 0 && pages.isOver);
	while (!isEnough()) {
		const failure = await walk.step();
		if (failure !== undefined) throw failure;
		// Further down what is newer than all of page 1 has come since.
		const latest = walk.pagesRead > 1 ? (newest ?? Infinity) : Infinity;
		for (const { hash, at } of walk.fresh.values()) if (at <= latest) handled.add(hash, at);
		const believed = handled.newestFirst(handled.believedUntil(walk.now));
		[newest, oldest] = [believed[0], believed.at(-1) ?? Infinity];
	}
	// Rows that vanished have pulled others up, perhaps past the reader: those would fire later. It is
	// read anew for as long as the poll has time.
	if (walk.hasShrunk && !pages.isOver) return await takeBaseline(pages, scope, lookBackMs);
	let floor = walk.now - TEN_MINUTES;
	if (newest !== undefined) {
		floor = Math.max(0, Math.min(newest, walk.now) - lookBackMs);
		// The second at the lower end may go on below it.
		if (!walk.reachedFloor) floor = Math.max(floor, nextSecond(oldest));
	}
	handled.forgetBefore(floor);
	return {
		...startAt(scope, floor),
		handled: handled.toJSON(),
		sweptAt: walk.now,
		total: walk.total,
		pageSize: pages.fallbackSize,
	};
}

/** Some services sort by whole seconds. */
function nextSecond(moment: number): number {
	return 1_000 * (Math.floor(moment / 1_000) + 1);
}
