import type { Client } from '../../gateway/client';
import { askOnTop, pageOf, SMALLEST_PAGE, USUAL_CAPS } from '../../gateway/page';
import { momentOf, recordOf, referenceOf, unfold } from '../../output/event';
import type { SortOrder, WebhookEvent } from '../../wire';
import { textOf, valueAt } from '../../wire/json';

/**
 * The service's search of the events, and whether to believe it. It may know no references, only some
 * formats of them, or only the last days; a payment that it misses would be charged twice. So it is
 * first checked with references that the list itself shows, and the result holds for ten minutes.
 */

const PAGE_SIZE = 100;
const HOLDS_FOR = 10 * 60 * 1000;
const MOST_CHECKS = 1_000;
/** Some searches take no short words. From this length on, what counts is how long a word they take. */
const SHORT = 4;

export type Rows = readonly WebhookEvent[];

/** The first page of the list, or of what the search finds in it. */
export async function firstPage(
	client: Client,
	{ search, order = 'desc' }: { search?: string; order?: SortOrder } = {},
) {
	const { answer, date } = await askOnTop(PAGE_SIZE, async (pageSize) => {
		const page = { page: 1, pageSize, sort: { field: 'date', order } };
		const answered = await client.attempt('webhookEvents', {
			page: search === undefined ? page : { ...page, search },
		});
		if ('error' in answered) throw answered.error;
		return answered.reply;
	});
	return { ...pageOf(answer), answer, date };
}

/** All rows that the search finds; undefined where there may be more than one page shows. */
export async function allFound(client: Client, search: string): Promise<Rows | undefined> {
	const { rows, total } = await firstPage(client, { search });
	// Without a count, any full page may have been cut, and pages may be as small as this. A count may
	// be that of the best hits, so that a round number of them may have been cut as well.
	const full = total === undefined ? SMALLEST_PAGE : PAGE_SIZE;
	const mayBeCut = rows.length >= full || USUAL_CAPS.has(rows.length);
	return mayBeCut || (total ?? 0) > rows.length ? undefined : rows;
}

/** Whether all these rows of the list are among those that the search has found. */
export function areAmong(found: Rows, listed: Rows): boolean {
	const ids = new Set(found.map(({ eventID }) => eventID));
	return listed.every(({ eventID }) => ids.has(eventID));
}

/** By merchant and format of reference. Who comes while a check is under way waits for its result. */
const checks = new Map<string, { began: number; longest: Promise<number | undefined> }>();

function keyOf({ scope }: Client, reference: string): string {
	return JSON.stringify([scope, formatOf(reference)]);
}

/** Whether the search is to be believed about a reference. */
export async function isSearchBelieved(client: Client, reference: string): Promise<boolean> {
	const key = keyOf(client, reference);
	let check = checks.get(key);
	if (check === undefined || performance.now() - check.began >= HOLDS_FOR) {
		if (checks.size >= MOST_CHECKS) checks.clear();
		check = { began: performance.now(), longest: checkSearch(client, formatOf(reference)) };
		checks.set(key, check);
	}
	const longest = await check.longest.catch(() => undefined);
	// Nothing was shown, or a request failed: the next look-up checks it again.
	if (longest === undefined && checks.get(key) === check) checks.delete(key);
	return reference.length <= (longest ?? 0);
}

/** It has missed something, so the next look-up checks it again. */
export function forgetCheck(client: Client, reference: string): void {
	checks.delete(keyOf(client, reference));
}

/** Which signs a reference is made of. A search that finds one format need not find another. */
function formatOf(reference: string): string {
	const signs = reference.replace(/[a-z]/g, 'a').replace(/[A-Z]/g, 'A').replace(/[0-9]/g, '0');
	const isShort = reference.length < SHORT;
	return [...new Set(signs)].sort().join('') + (isShort ? ` ${reference.length}` : '');
}

/**
 * Checks the search with references of that format on the newest page, one for each place in the
 * payload that keeps one: behind them the search takes over from the list. And with the oldest page,
 * which shows how far back the search sees. Gives the longest that it has found, 0 where it is not to
 * be believed: a longer one may be more than the search takes.
 */
async function checkSearch(client: Client, format: string): Promise<number | undefined> {
	const { rows, total = 0 } = await firstPage(client);
	// A list of one page is read as quickly as it is searched, so its search is never needed.
	const isOnePage = rows.length < PAGE_SIZE && total <= rows.length;
	if (isOnePage || !isNewestFirst(rows)) return 0;
	// The longest last, which is then the one of its place.
	const alikeAmong = (some: Rows) =>
		some
			.filter((row) => formatOf(referenceOf(unfold(row))) === format)
			.map((row) => [placeOf(row), wordOf(row)] as const)
			.sort(([, a], [, b]) => a.length - b.length);
	const recent = new Map(alikeAmong(rows));
	// Nothing to check it with, until the newest page shows a reference of that format.
	if (recent.size === 0) return undefined;

	const { rows: oldRows } = await firstPage(client, { order: 'asc' });
	// A service that ignores the order has shown the newest again.
	if (!isNewestFirst([...oldRows].reverse())) return 0;
	const old = oldRows.map(wordOf).find((word) => word !== '');
	if (old === undefined) return 0;

	// The recent ones last: of those that are equally long, one of these is asked for in any case.
	const listed = [...oldRows, ...rows];
	const [, longest] = alikeAmong(listed).at(-1) ?? [undefined, ''];
	const words = [...new Set([...recent.values(), old, longest])];
	const areFound = words.map(async (word) => {
		const its = listed.filter((row) => wordOf(row) === word);
		const found = await allFound(client, word);
		return found && areAmong(found, its);
	});
	const isRight = (await Promise.all(areFound)).every(Boolean);
	return isRight ? longest.length : 0;
}

function isNewestFirst(rows: Rows): boolean {
	const moments = rows.map(({ date }) => momentOf(date) ?? NaN);
	return !moments.some((moment, index) => moment > (moments[index - 1] ?? Infinity));
}

/** Where the row keeps its reference. */
function placeOf(row: WebhookEvent): string | undefined {
	const { payload } = unfold(row);
	const places = ['transaction', 'refund', 'lineItems'];
	return places.find((place) => textOf(valueAt(payload, `${place}.referenceID`)) !== '');
}

/** What a search has to find a row by: its reference or, where it has none, its transaction. */
function wordOf(row: WebhookEvent): string {
	const unfolded = unfold(row);
	return referenceOf(unfolded) || textOf(recordOf(unfolded).id);
}
