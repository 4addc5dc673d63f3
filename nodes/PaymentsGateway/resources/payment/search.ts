import type { Client } from '../../gateway/client';
import { isTooLarge, pageOf, SMALLEST_PAGE } from '../../gateway/page';
import { momentOf, referenceOf, unfold } from '../../output/event';
import type { SortOrder, WebhookEvent } from '../../wire';

/**
 * The service's search of the events, and whether to believe it. It may know no references, only some
 * kinds of them, or only the last days; a payment that it misses would be charged twice. So it is
 * first tried with references that the list itself shows, and what that has shown holds for ten
 * minutes.
 */

const PAGE_SIZE = 100;
const BELIEVED_FOR = 10 * 60 * 1000;
const MOST_TRIALS = 1_000;
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

/** All that the search finds; undefined where it cannot be asked, or may have more than it shows. */
export async function search(client: Client, words: string): Promise<Rows | undefined> {
	const answered = await firstPage(client, { search: words });
	if ('error' in answered) return undefined;
	const { rows, total } = pageOf(answered.reply.answer);
	// Without a count, any full page may have been cut, and pages may be as small as this.
	const full = total === undefined ? SMALLEST_PAGE : PAGE_SIZE;
	return rows.length < full && (total ?? 0) <= rows.length ? rows : undefined;
}

/** Which of these rows, of the list, are not among those that were found. */
export function missedBy(found: Rows, rows: Rows): Rows {
	const ids = new Set(found.map(({ eventID }) => eventID));
	return rows.filter(({ eventID }) => !ids.has(eventID));
}

/** Whether the search is to be believed about a reference. Who comes while it is tried waits for that. */
export async function isBelieved(client: Client, reference: string): Promise<boolean> {
	const key = keyOf(client, reference);
	let trial = trials.get(key);
	if (trial === undefined || performance.now() - trial.at >= BELIEVED_FOR) {
		if (trials.size >= MOST_TRIALS) trials.clear();
		trial = { at: performance.now(), hasPassed: tried(client, kindOf(reference)) };
		trials.set(key, trial);
	}
	const hasPassed = await trial.hasPassed;
	// Nothing is known, so the next look-up tries it again.
	if (hasPassed === undefined && trials.get(key) === trial) trials.delete(key);
	return hasPassed ?? false;
}

/** Once it has missed something, it is tried anew. */
export function believeNoMore(client: Client, reference: string): void {
	trials.delete(keyOf(client, reference));
}

/** By merchant and kind of reference; a trial that is under way is one for all. */
const trials = new Map<string, { at: number; hasPassed: Promise<boolean | undefined> }>();

function keyOf({ scope }: Client, reference: string): string {
	return JSON.stringify([scope, kindOf(reference)]);
}

/** How a reference is written. A search that finds one need not find those of another kind. */
function kindOf(reference: string): string {
	const signs = reference.replace(/[a-z]/g, 'a').replace(/[A-Z]/g, 'A').replace(/[0-9]/g, '0');
	const isUsual = reference.length >= SHORT && reference.length <= LONG;
	return [...new Set(signs)].sort().join('') + (isUsual ? '' : reference.length);
}

/**
 * Tries the search with two references. One of the kind that is asked for is the last on the newest
 * page: behind it the search takes over from the list. One of the oldest page shows how far back the
 * search sees. Undefined where it could not be tried.
 */
async function tried(client: Client, kind: string): Promise<boolean | undefined> {
	const newest = await firstPage(client);
	if ('error' in newest) return undefined;
	const { rows, total = 0 } = pageOf(newest.reply.answer);
	// A list of one page is read as quickly as it is searched.
	if (rows.length < PAGE_SIZE && total <= rows.length) return false;
	if (!isNewestFirst(rows)) return false;
	const near = referencesOf(rows)
		.filter((one) => kindOf(one) === kind)
		.at(-1);
	if (near === undefined) return undefined;
	const isNearFound = await finds(client, near, rows, 'desc');
	if (!isNearFound) return isNearFound;

	const oldest = await firstPage(client, { order: 'asc' });
	if ('error' in oldest) return undefined;
	const old = pageOf(oldest.reply.answer).rows;
	const [far] = referencesOf(old);
	return far === undefined ? true : await finds(client, far, old, 'asc');
}

function isNewestFirst(rows: Rows): boolean {
	const moments = rows.map(({ date }) => momentOf(date) ?? NaN);
	return !moments.some((moment, index) => moment > (moments[index - 1] ?? Infinity));
}

function referencesOf(rows: Rows): string[] {
	return rows.map((row) => referenceOf(unfold(row))).filter((reference) => reference !== '');
}

/** Whether the search finds what a page of the list shows of a reference. */
async function finds(
	client: Client,
	reference: string,
	page: Rows,
	order: SortOrder,
): Promise<boolean | undefined> {
	const answered = await firstPage(client, { search: reference, order });
	if ('error' in answered) return answered.refused && !client.ended.aborted ? false : undefined;
	const its = page.filter((row) => referenceOf(unfold(row)) === reference);
	return missedBy(pageOf(answered.reply.answer).rows, its).length === 0;
}
