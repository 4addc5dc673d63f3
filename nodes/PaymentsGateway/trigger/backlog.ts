import type { EventPages } from './eventPages';
import type { Walk } from './walk';

/**
 * A backlog is more new events than two pages hold. Those to fire next are the oldest, so the border
 * is looked for, the page at which handled rows begin, and only the pages right above it are read.
 * A border that is found too high or too low costs requests, and no event: see catchUp.ts.
 */

/** A walk that has read this page. */
type Begin = (page: number) => Promise<Walk>;

/** `top` has read the first pages, and has not come to handled rows. */
export async function readBacklog(
	top: Walk,
	begin: Begin,
	pages: EventPages,
	maxEvents: number,
): Promise<Walk> {
	// Reads the pages above a border, and on from there to handled rows.
	const readAbove = async (border: number): Promise<Walk> => {
		// As many as may fire, one more as the last one is new in part, and as there is time for.
		const wanted = Math.min(
			Math.ceil(maxEvents / pages.rowsPerPage) + 1,
			Math.floor(pages.requestsLeft / 2),
		);
		const walk = await begin(Math.max(1, border + 1 - Math.max(1, wanted)));
		// To the border at least: what came late makes a page above it look like one of handled rows.
		while (walk.next <= border || (!walk.reachedHandled && walk.next <= border + 2)) {
			await walk.read();
		}
		return walk;
	};

	const counted = Math.floor(top.risenBy / pages.rowsPerPage) + 1;
	if (counted > top.next) {
		const walk = await readAbove(counted);
		if (walk.reachedHandled && walk.fresh.size > 0) return walk;
	}
	const walk = await readAbove(await lastNewPage(top, begin));
	if (!walk.reachedHandled) throw pages.tooSlow();
	// Rows of the future lead to no border, however many there are: what is new may be among them.
	return walk.fresh.size > 0 ? walk : top;
}

/** Finds the border by doubling page numbers, and then by halves. */
async function lastNewPage(top: Walk, begin: Begin): Promise<number> {
	// No page down to `above` leads to handled rows, and `below` does.
	let [above, below] = [top.next - 1, Infinity];
	let { last } = top;
	while (below - above > 1) {
		const page = below === Infinity ? 2 * above : Math.floor((above + below) / 2);
		const probe = await begin(page);
		// Behind its last page a list may answer that once more.
		if (probe.reachedHandled || probe.last === last) below = page;
		else [above, last] = [page, probe.last];
	}
	return above;
}
