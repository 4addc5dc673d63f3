import type { SortOrder, WebhookEvent } from '../wire';
import { datesOf } from './order';

/** The dates between which events are wanted. A list sorted by date is read until it has passed them. */

/** In epoch milliseconds. */
export interface DateWindow {
	/** The first moment that is wanted. */
	from: number;
	/** The first moment that is no longer wanted. */
	until: number;
}

type Dated = Pick<WebhookEvent, 'date'>;

/** An event whose date cannot be read is outside of every window. */
export function isWithin({ from, until }: DateWindow, event: Dated): boolean {
	return datesOf([event]).some((date) => date >= from && date < until);
}

/**
 * Whether no event that follows this page can be within the window. The list is sorted, so the last row
 * shows it. If its date cannot be read, it shows nothing.
 */
export function hasPassed(
	{ from, until }: DateWindow,
	order: SortOrder,
	page: readonly Dated[],
): boolean {
	const last = datesOf(page).at(-1) ?? NaN;
	return order === 'desc' ? last < from : last >= until;
}
