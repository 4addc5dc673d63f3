import { endAlike, uncounted } from './scan';
import type { Scan, Scanner } from './scan';

/**
 * A backlog is more new rows than two pages hold. The oldest of them fire first, and they are right
 * above the seen rows. So a poll searches for the first page that ends in seen rows, and reads it and
 * as many pages above it as hold the events of one poll.
 *
 * Example: 550 new rows, 100 rows per page, Max Events per Poll 200.
 *
 *     page    1     2     3     4     5       6        7
 *     rows   new   new   new   new   new   50 new    seen
 *                                          50 seen
 *                              '------ read ------'
 *
 * Page 6 is the first that ends in seen rows. With a count of 550 new rows, the search tries pages 6
 * and 5; without one, after pages 1 and 2, it tries pages 4, 8, 6 and 5. Of the 250 new rows that are
 * read, the oldest 200 fire. The next poll searches again.
 */

/** `top` has read the first pages without reaching seen rows. */
export async function scanBacklog(scanner: Scanner, top: Scan, maxEvents: number): Promise<Scan> {
	const { pages } = scanner;
	const firstSeenPage = await findFirstSeenPage(scanner, top);
	// At most half of the time that is left: the other half is for the pages below.
	const affordable = Math.floor(pages.requestsLeft / 2);
	const pagesAbove = Math.max(1, Math.min(Math.ceil(maxEvents / pages.rowsPerPage), affordable));
	let scan = await scanner.begin(Math.max(1, firstSeenPage - pagesAbove));
	// A late event among the last rows of a page makes that page look new, so the search can end on a
	// page far below the backlog. The scan then reaches seen rows before that event, and reads on to it. It
	// fires first, and the backlog waits for the next poll.
	while (!scan.reachedSeen || scan.last.number < firstSeenPage) scan = await scanner.readOn(scan);
	return scan;
}

/** A binary search. A wrong result costs requests, never an event: see catchUp.ts. */
async function findFirstSeenPage(scanner: Scanner, top: Scan): Promise<number> {
	const guess = Math.floor(uncounted(top.first, scanner.state) / scanner.pages.rowsPerPage) + 1;
	let lastNew = top.last;
	let firstSeen = Infinity;
	while (firstSeen - lastNew.number > 1) {
		const number = nextProbe({ lastNew: lastNew.number, firstSeen, guess });
		const probe = await scanner.begin(number);
		// Beyond its last page, a list may return that page again.
		if (probe.reachedSeen || endAlike(lastNew, probe.last)) firstSeen = number;
		else lastNew = probe.last;
	}
	return firstSeen;
}

/** First the page that the count points to and those beside it, then doubling, then halving. */
function nextProbe(known: { lastNew: number; firstSeen: number; guess: number }): number {
	const { lastNew, firstSeen, guess } = known;
	const isBetween = (page: number) => lastNew < page && page < firstSeen;
	const guessed = [guess, guess - 1, guess + 1].find(isBetween);
	if (guessed !== undefined) return guessed;
	return firstSeen === Infinity ? 2 * lastNew : Math.floor((lastNew + firstSeen) / 2);
}
