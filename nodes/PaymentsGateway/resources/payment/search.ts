import type { Client } from '../../gateway/client';
import { askOnTop, pageOf, SMALLEST_PAGE, USUAL_CAPS } from '../../gateway/page';
import { unfold } from '../../output/event';
import { recordOf, referenceOf } from './olderPayload';
import { momentOf } from '../../wire/moment';
import type { SortOrder, WebhookEvent } from '../../wire';
import { textOf, valueAt } from '../../wire/json';

/**
 * The gateway's search of the events, and whether to believe it. It may know no references, only some
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
export function areAmong(
	found: Rows,
	listed: ReadonlyArray<Pick<WebhookEvent, 'eventID'>>,
): boolean {
	const ids = new Set(found.map(({ eventID }) => eventID));
	return listed.every(({ eventID }) => ids.has(eventID));
}

interface Learned {
	/** Up to which length of a reference the search is believed: 0 where it is not. */
	believedUpTo: number;
	/** The moment of the oldest event, where the list has shown that. */
	oldest?: number | undefined;
}

interface Check {
	began: number;
	/**
	 * Undefined where nothing was there to check the search with. Who comes while the check is under
	 * way waits for it.
	 */
	learned: Promise<Learned | undefined>;
}

/** By merchant and format of reference. */
const checks = new Map<string, Check>();

function keyOf({ scope }: Client, reference: string): string {
	return JSON.stringify([scope, formatOf(reference)]);
}

/** Whether the search is to be believed about a reference, and how far back the whole list goes. */
export async function checkOf(client: Client, reference: string) {
	const key = keyOf(client, reference);
	let check = checks.get(key);
	if (check === undefined || performance.now() - check.began >= HOLDS_FOR) {
		if (checks.size >= MOST_CHECKS) checks.clear();
		check = { began: performance.now(), learned: checkSearch(client, formatOf(reference)) };
		checks.set(key, check);
	}
	const learned = await check.learned.catch(() => undefined);
	// Nothing was shown, or a request failed: the next look-up checks it again.
	if (learned === undefined && checks.get(key) === check) checks.delete(key);
	const { believedUpTo = 0, oldest } = learned ?? {};
	return { isBelieved: reference.length <= believedUpTo, oldest };
}

/** It has missed something, so the next look-up checks it again. */
export function forgetCheck(client: Client, reference: string): void {
	checks.delete(keyOf(client, reference));
}

/** Which signs a reference is made of. A search that finds one format need not find another. */
function formatOf(reference: string): string {
	const signs = reference.replace(/[a-z]/g, 'a').replace(/[A-Z]/g, 'A').replace(/[0-9]/g, '0');
	return `${[...new Set(signs)].sort().join('')} ${Math.min(reference.length, SHORT)}`;
}

/**
 * Checks the search with references of that format on the newest page, one for each place in the
 * payload that keeps one, and with the oldest page, which shows how far back the search sees. A
 * reference longer than those that it has found may be more than it takes.
 */
async function checkSearch(client: Client, format: string): Promise<Learned | undefined> {
	const { rows, total = 0 } = await firstPage(client);
	// A list of one page is read as quickly as it is searched, so its search is never needed.
	const isOnePage = rows.length < PAGE_SIZE && total <= rows.length;
	if (isOnePage || !isNewestFirst(rows)) return { believedUpTo: 0 };
	const newest = rows.map(sought);
	const isAlike = ({ reference }: Sought) => formatOf(reference) === format;
	// The longest last, which is then the one of its place.
	const alike = newest.filter(isAlike).sort(byLength);
	const recent = new Map(alike.map(({ place, word }) => [place, word]));
	// Nothing to check it with, until the newest page shows a reference of that format.
	if (recent.size === 0) return undefined;

	const { rows: oldRows } = await firstPage(client, { order: 'asc' });
	// A gateway that ignores the order has shown the newest again.
	if (!isNewestFirst([...oldRows].reverse())) return { believedUpTo: 0 };
	const oldest = areAmong(rows, oldRows) ? undefined : momentOf(oldRows[0]?.date);
	const oldSought = oldRows.map(sought);
	const old = oldSought.find(({ word }) => word !== '')?.word;
	if (old === undefined) return { believedUpTo: 0, oldest };

	const longest = [...oldSought.filter(isAlike), ...alike].sort(byLength).at(-1)?.word ?? '';
	const words = new Set([...recent.values(), old, longest]);
	const areFound = [...words].map(async (word) => {
		const its = [...newest, ...oldSought].filter((each) => each.word === word);
		const found = await allFound(client, word);
		return found && areAmong(found, its);
	});
	const isRight = (await Promise.all(areFound)).every(Boolean);
	return { believedUpTo: isRight ? longest.length : 0, oldest };
}

function isNewestFirst(rows: Rows): boolean {
	const moments = rows.map(({ date }) => momentOf(date) ?? NaN);
	return !moments.some((moment, index) => moment > (moments[index - 1] ?? Infinity));
}

type Sought = ReturnType<typeof sought>;

/** What a search has to find a row by, its reference or else its transaction, and where it keeps it. */
function sought(row: WebhookEvent) {
	const unfolded = unfold(row);
	const reference = referenceOf(unfolded);
	const place = ['transaction', 'refund', 'lineItems'].find(
		(name) => textOf(valueAt(unfolded.payload, `${name}.referenceID`)) !== '',
	);
	const word = reference || textOf(recordOf(unfolded).id);
	return { eventID: row.eventID, reference, place, word };
}

function byLength(a: Sought, b: Sought): number {
	return a.word.length - b.word.length;
}
