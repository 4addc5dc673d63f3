import { momentOf } from '../../wire/moment';
import type { ListAnswer, SortOrder, WebhookEvent } from '../../wire';
import type { Client } from '../../gateway/client';
import { list } from '../../gateway/list';
import type { Listed, Listing } from '../../gateway/list';

/**
 * Reads the list of webhook events. Where the list is sorted by date, reading stops once the dates
 * have passed the last moment that is wanted.
 */

interface Until {
	/** Beyond it nothing is wanted of a list sorted by date. */
	moment: number;
	order: SortOrder;
	/** So many rows, one after another, must lie beyond it: a single late event does not end the list. */
	rowsToPass?: number;
	/** Whether the reading goes on all the same. */
	isWantedBeyond?: () => boolean;
}

type Wanted<Out> = Pick<Listing<WebhookEvent, Out>, 'page' | 'shape' | 'limit' | 'filters'> & {
	until?: Until | undefined;
	/** The first page, where it has just been read. */
	first?: ListAnswer<WebhookEvent> | undefined;
};

export async function eventRows<Out>(
	client: Client,
	{ until, first, ...wanted }: Wanted<Out>,
): Promise<Listed<Out>> {
	let alreadyRead = first;
	let isPast: ReturnType<typeof pastMoment> | undefined;
	return await list<WebhookEvent, Out>({
		...wanted,
		fetch: async (page) => {
			const answer = alreadyRead ?? (await client.call('webhookEvents', { page }));
			alreadyRead = undefined;
			// A list that moved is read again from its first page on, so the check starts anew as well.
			if (page.page === 1) isPast = until && pastMoment(until);
			return answer;
		},
		id: ({ eventID }) => eventID,
		...(until && {
			isPast: (rows) => isPast?.(rows) === true && until.isWantedBeyond?.() !== true,
		}),
		client,
	});
}

/**
 * Tells, page by page, whether a list sorted by date has passed a moment: so many rows in a row lie
 * beyond it. It never has where the dates show that the gateway ignores the sort, and not yet while
 * all are of one moment, or on one page and all beyond, which shows nothing of the sort.
 */
export function pastMoment({
	moment,
	order,
	rowsToPass = 5,
}: Until): (rows: ReadonlyArray<{ date: string }>) => boolean {
	const sign = order === 'desc' ? -1 : 1;
	let isSorted = true;
	let hasOrder = false;
	let inARow = 0;
	let pages = 0;
	/** The first date of the page before. Rows of that page may have been pushed down to this one. */
	let pageBegan = -Infinity;
	return (rows) => {
		// A row without a date ends the run of those beyond: what follows it is looked at as well.
		const dates = rows.map(({ date }) => sign * (momentOf(date) ?? NaN));
		let above = pageBegan;
		pages += 1;
		for (const date of dates) {
			inARow = date > sign * moment ? inARow + 1 : 0;
			if (Number.isNaN(date)) continue;
			if (date < above) isSorted = false;
			if (date > above && above > -Infinity) hasOrder = true;
			above = date;
		}
		pageBegan = dates.find((date) => !Number.isNaN(date)) ?? pageBegan;
		const isAllBeyond = pages === 1 && inARow === dates.length;
		return isSorted && hasOrder && inARow >= rowsToPass && !isAllBeyond;
	};
}
