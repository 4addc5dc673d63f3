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
	let start = await readStart(pages, scope, lookBackMs);
	// Rows that vanished have pulled others up, perhaps past the reader: those would fire later. It is
	// read anew for as long as the poll has time.
	while (start.hasShrunk && !pages.isOver) {
		const again = await readStart(pages, scope, lookBackMs);
		if (again.isCutOff) break;
		start = again;
	}
	return start.state;
}

async function readStart(pages: EventPages, scope: string, lookBackMs: number) {
	// Handled rows of its own, which stay empty: nothing that is noted here ends the walk.
	const walk = new Walk(pages, 0, new Handled(), { from: 1 });
	const handled = new Handled();
	let newest: number | undefined;
	let oldest = Infinity;
	let isCutOff = false;
	// The rows that may still be seen: those of the look-back, and no more than are kept.
	const isEnough = () =>
		isCutOff ||
		walk.reachedFloor ||
		handled.size >= KEPT ||
		(newest !== undefined && oldest < newest - lookBackMs) ||
		(walk.pagesRead > 0 && pages.isOver);
	while (!isEnough()) {
		const failure = await walk.step();
		if (failure !== undefined) throw failure;
		isCutOff = walk.pagesRead === 0;
		// On a later page, what is newer than all of page 1 has come while we read, and is to fire.
		const newestOnPage1 = walk.pagesRead > 1 ? (newest ?? Infinity) : Infinity;
		for (const { hash, at } of walk.fresh.values()) {
			if (at <= newestOnPage1) handled.add(hash, at);
		}
		const believed = handled.newestFirst(walk.now);
		[newest, oldest] = [believed[0], believed.at(-1) ?? Infinity];
	}
	let floor = walk.now - TEN_MINUTES;
	if (newest !== undefined) {
		floor = Math.max(0, Math.min(newest, walk.now) - lookBackMs);
		// What it did not read lies below, also where the list only seemed to end. Rows of the second at
		// which it stopped may stand there, too, in a list sorted by whole seconds.
		if (!walk.reachedFloor || walk.endsEarly) floor = Math.max(floor, nextSecond(oldest));
	}
	handled.forgetBefore(floor);
	const state: State = {
		...startAt(scope, floor),
		handled: handled.toJSON(),
		sweptAt: walk.now,
		accountedFor: walk.total,
		pageSize: pages.fallbackSize,
	};
	return { state, hasShrunk: walk.hasShrunk, isCutOff };
}

function nextSecond(moment: number): number {
	return 1_000 * (Math.floor(moment / 1_000) + 1);
}
