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
	}: Omit<Listing<WebhookEvent, Out>, 'fetch' | 'isPast' | 'parallel' | 'warn'> & {
		/** Beyond it nothing is wanted of a list sorted by date. */
		until?: { moment: number | undefined; order: SortOrder };
	},
): Promise<Out[]> {
	let isPast: ReturnType<typeof pastMoment>;
	const fetch = async (page: PageRequest) => {
		// A list that moved is read again from its first page on, so the check starts anew as well.
		if (page.page === 1 && until !== undefined) {
			isPast = pastMoment(until.moment, until.order, PAST_ROWS);
		}
		return await client.call('webhookEvents', { page });
	};
	return await list({
		...wanted,
		fetch,
		isPast: (rows) => isPast?.(rows) ?? false,
		parallel: () => client.parallel,
		warn: client.warn,
	});
}

/**
 * Tells when a list sorted by date has gone past a moment: when as many rows as are asked for at
 * the end of a page lie beyond it. Where the dates show that the service ignores the sort, the list
 * is read to its end.
 */
export function pastMoment(
	moment: number | undefined,
	order: SortOrder,
	atLeast = Infinity,
): ((rows: ReadonlyArray<{ date: string }>) => boolean) | undefined {
	if (moment === undefined) return undefined;
	const sign = order === 'desc' ? -1 : 1;
	let isSorted = true;
	let last = -Infinity;
	return (rows) => {
		let past = 0;
		for (const { date } of rows) {
			const at = momentOf(date);
			if (at === undefined) continue;
			if (sign * at < last) isSorted = false;
			last = sign * at;
			past = sign * at > sign * moment ? past + 1 : 0;
		}
		return isSorted && rows.length > 0 && past >= Math.min(rows.length, atLeast);
	};
}
