import type { Client } from '../../gateway/client';
import { isTooLarge, pageOf, SMALLEST_PAGE } from '../../gateway/page';
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
/** Some searches take no short words, or cut long ones. Between these lengths all are alike. */
const SHORT = 4;
const LONG = 24;

export type Rows = readonly WebhookEvent[];

/** The first page of the list, or of what the search finds in it; an error where there is none. */
export async function firstPage(
	client: Client,
	{ search, order = 'desc' }: { search?: string; order?: SortOrder } = {},
) {
	const ask = async (pageSize: number) => {
		const page = { page: 1, pageSize, sort: { field: 'date', order } };
		return await client.attempt('webhookEvents', {
			page: search === undefined ? page : { ...page, search },
		});
	};
	const answered = await ask(PAGE_SIZE);
	const isRefused = 'error' in answered && isTooLarge(PAGE_SIZE, answered.error);
	return isRefused ? await ask(SMALLEST_PAGE) : answered;
}

/** All rows that the search finds; undefined where it fails, or may have more than one page shows. */
export async function allFound(client: Client, search: string): Promise<Rows | undefined> {
	const answered = await firstPage(client, { search });
	if ('error' in answered) return undefined;
	const { rows, total } = pageOf(answered.reply.answer);
	// Without a count, any full page may have been cut, and pages may be as small as this.
	const full = total === undefined ? SMALLEST_PAGE : PAGE_SIZE;
	const isCut = rows.length >= full || (total ?? 0) > rows.length;
	return isCut ? undefined : rows;
}

/** Whether all these rows of the list are among those that the search has found. */
export function areAmong(found: Rows, listed: Rows): boolean {
	const ids = new Set(found.map(({ eventID }) => eventID));
	return listed.every(({ eventID }) => ids.has(eventID));
}

/** By merchant and format of reference. Who comes while a check is under way waits for its result. */
const checks = new Map<string, { began: number; result: Promise<boolean | undefined> }>();

function keyOf({ scope }: Client, reference: string): string {
	return JSON.stringify([scope, formatOf(reference)]);
}

/** Whether the search is to be believed about a reference. */
export async function isSearchBelieved(client: Client, reference: string): Promise<boolean> {
	const key = keyOf(client, reference);
	let check = checks.get(key);
	if (check === undefined || performance.now() - check.began >= HOLDS_FOR) {
		if (checks.size >= MOST_CHECKS) checks.clear();
		check = { began: performance.now(), result: checkSearch(client, formatOf(reference)) };
		checks.set(key, check);
	}
	const hasPassed = await check.result;
	// Nothing is known, so the next look-up checks it again.
	if (hasPassed === undefined && checks.get(key) === check) checks.delete(key);
	return hasPassed ?? false;
}

/** It has missed something, so it is checked anew. */
export function forgetCheck(client: Client, reference: string): void {
	checks.delete(keyOf(client, reference));
}

/** Which signs a reference is made of. A search that finds one format need not find another. */
function formatOf(reference: string): string {
	const signs = reference.replace(/[a-z]/g, 'a').replace(/[A-Z]/g, 'A').replace(/[0-9]/g, '0');
	const isUsual = reference.length >= SHORT && reference.length <= LONG;
	return [...new Set(signs)].sort().join('') + (isUsual ? '' : reference.length);
}

/**
 * Checks the search with two references or more. The last of that format on the newest page, of each
 * place in the payload that keeps one: behind them the search takes over from the list. And one of
 * the oldest page, or a transaction of it where none has a reference: it shows how far back the
 * search sees. Undefined where there was nothing to check it with.
 */
async function checkSearch(client: Client, format: string): Promise<boolean | undefined> {
	const newest = await firstPage(client);
	if ('error' in newest) return undefined;
	const { rows, total = 0 } = pageOf(newest.reply.answer);
	// A list of one page is read as quickly as it is searched, so its search is never needed.
	if (rows.length < PAGE_SIZE && total <= rows.length) return false;
	if (!isNewestFirst(rows)) return false;
	const alike = rows.filter((row) => formatOf(referenceOf(unfold(row))) === format);
	// By the place in the payload: a search may know one of them.
	const recent = new Map(alike.map((row) => [placeOf(row), referenceOf(unfold(row))]));
	if (recent.size === 0) return undefined;
	for (const reference of recent.values()) {
		const isRecentFound = await isFound(client, reference, rows, 'desc');
		if (!isRecentFound) return isRecentFound;
	}

	const oldest = await firstPage(client, { order: 'asc' });
	if ('error' in oldest) return undefined;
	const oldRows = pageOf(oldest.reply.answer).rows;
	// A service that ignores the order has shown the newest again.
	if (!isNewestFirst([...oldRows].reverse())) return false;
	const old = oldRows.map(knownAs).find((word) => word !== '');
	return old !== undefined && (await isFound(client, old, oldRows, 'asc'));
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

/** What a search has to find a row by. */
function knownAs(row: WebhookEvent): string {
	const unfolded = unfold(row);
	return referenceOf(unfolded) || textOf(recordOf(unfolded).id);
}

/** Whether the search finds all that a page of the list shows of a word. */
async function isFound(
	client: Client,
	word: string,
	listed: Rows,
	order: SortOrder,
): Promise<boolean | undefined> {
	const answered = await firstPage(client, { search: word, order });
	if ('error' in answered) return answered.refused && !client.ended.aborted ? false : undefined;
	const its = listed.filter((row) => knownAs(row) === word);
	return areAmong(pageOf(answered.reply.answer).rows, its);
}
