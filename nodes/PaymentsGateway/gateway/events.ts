import { momentOf } from '../output/event';
import type { PageRequest, SortOrder, WebhookEvent } from '../wire';
import type { Client } from './client';
import { list } from './paginate';
import type { Listed, Listing } from './paginate';

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
	}: Pick<Listing<WebhookEvent, Out>, 'page' | 'shape' | 'limit' | 'filters'> & {
		/** Beyond it nothing is wanted of a list sorted by date. */
		until?: { moment: number; order: SortOrder };
	},
): Promise<Listed<Out>> {
	const listing: Listing<WebhookEvent, Out> = {
		...wanted,
		fetch: async (page) => await client.call('webhookEvents', { page }),
		id: ({ eventID }) => eventID,
		parallel: () => client.parallel,
		warn: client.warn,
	};
	if (until === undefined) return await list(listing);
	let isPast = pastMoment(until.moment, until.order, PAST_ROWS);
	return await list({
		...listing,
		fetch: async (page: PageRequest) => {
			// A list that moved is read again from its first page on, so the check starts anew as well.
			if (page.page === 1) isPast = pastMoment(until.moment, until.order, PAST_ROWS);
			return await listing.fetch(page);
		},
		isPast: (rows) => isPast(rows),
	});
}

/**
 * Tells, page by page, whether a list sorted by date has passed a moment: so many rows in a row lie
 * beyond it. Where the dates show that the service ignores the sort, it never has.
 */
export function pastMoment(
	moment: number,
	order: SortOrder,
	atLeast: number,
): (rows: ReadonlyArray<{ date: string }>) => boolean {
	const sign = order === 'desc' ? -1 : 1;
	let isSorted = true;
	let pastRows = 0;
	/** The first date of the page before. Rows of that page may have been pushed down to this one. */
	let pageBegan = -Infinity;
	return (rows) => {
		// What has no date is as old as its place, or not: what follows it is looked at as well.
		const dates = rows.map(({ date }) => sign * (momentOf(date) ?? NaN));
		let above = pageBegan;
		for (const date of dates) {
			pastRows = date > sign * moment ? pastRows + 1 : 0;
			if (Number.isNaN(date)) continue;
			if (date < above) isSorted = false;
			above = date;
		}
		pageBegan = dates.find((date) => !Number.isNaN(date)) ?? pageBegan;
		return isSorted && pastRows >= atLeast;
	};
}
