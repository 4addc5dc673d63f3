import type { SortOrder, WebhookEvent } from '../wire';
import { datesOf } from './order';

/**
 * The dates between which events are wanted. A list that is sorted by date is read until it has passed
 * them.
 */

/** In epoch milliseconds. */
export interface DateWindow {
	/** The first moment that is wanted. */
	after: number;
	/** The first moment that is no longer wanted. */
	before: number;
}

type Dated = Pick<WebhookEvent, 'date'>;

/** An event whose date cannot be read is outside of every window. */
export function isWithin({ after, before }: DateWindow, event: Dated): boolean {
	return datesOf([event]).some((date) => date >= after && date < before);
}

/** Whether no event that follows this page can be within the window. */
export function hasPassed(
	{ after, before }: DateWindow,
	order: SortOrder,
	page: readonly Dated[],
): boolean {
	const last = datesOf(page).at(-1) ?? NaN;
	return order === 'desc' ? last < after : last >= before;
}
