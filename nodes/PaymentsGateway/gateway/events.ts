import { momentOf } from '../output/event';
import type { PageRequest, SortOrder, WebhookEvent } from '../wire';
import type { Client } from './client';
import { list } from './paginate';
import type { Listing } from './paginate';

/**
 * Reads the list of webhook events. Where the list is sorted by date, reading stops once the dates
 * have passed the last moment that is wanted.
 */

/** So many rows in a row must lie beyond the moment: a single late event does not end the list. */
const PAST_ROWS = 5;

export async function eventRows<Out>(
	client: Client,
	{
		until,
		...wanted
	}: Omit<Listing<WebhookEvent, Out>, 'fetch' | 'pagesLeft' | 'parallel' | 'warn'> & {
		/** Beyond it nothing is wanted of a list sorted by date. */
		until?: { moment: number; order: SortOrder };
	},
): Promise<Out[]> {
	let pagesLeft: ReturnType<typeof pagesUntil> | undefined;
	const fetch = async (page: PageRequest) => {
		// A list that moved is read again from its first page on, so the check starts anew as well.
		if (page.page === 1 && until !== undefined) {
			pagesLeft = pagesUntil(until.moment, until.order, PAST_ROWS);
		}
		return await client.call('webhookEvents', { page });
	};
	return await list({
		...wanted,
		fetch,
		pagesLeft: (rows) => pagesLeft?.(rows) ?? Infinity,
		parallel: () => client.parallel,
		warn: client.warn,
	});
}

/**
 * Tells about how many more pages of a list sorted by date lead to a moment: none once as many rows
 * as are asked for at the end of a page lie beyond it, and until then as many as there are if they
 * stay as dense as they were. Where the dates show that the service ignores the sort, the list is
 * read to its end.
 */
export function pagesUntil(
	moment: number,
	order: SortOrder,
	atLeast = Infinity,
): (rows: ReadonlyArray<{ date: string }>) => number {
	const sign = order === 'desc' ? -1 : 1;
	let isSorted = true;
	let pages = 0;
	let first = Infinity;
	let last = -Infinity;
	return (rows) => {
		let past = 0;
		for (const { date } of rows) {
			const at = momentOf(date);
			if (at === undefined) {
				// It is as old as its place, or not: what follows it is looked at as well.
				past = 0;
				continue;
			}
			if (sign * at < last) isSorted = false;
			last = sign * at;
			first = Math.min(first, last);
			past = sign * at > sign * moment ? past + 1 : 0;
		}
		pages += 1;
		if (!isSorted) return Infinity;
		if (rows.length > 0 && past >= Math.min(rows.length, atLeast)) return 0;
		const dense = (pages * (sign * moment - last)) / (last - first);
		return last > first ? Math.max(1, Math.ceil(dense) + 1) : Infinity;
	};
}
