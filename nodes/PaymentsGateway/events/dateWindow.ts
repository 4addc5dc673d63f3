import type { SortOrder, WebhookEvent } from '../wire';
import { timeOf } from './order';

/** The dates between which events are wanted. A list sorted by date is read until it has passed them. */

/** In epoch milliseconds. */
export interface DateWindow {
	/** The first moment that is wanted. */
	from: number;
	/** The first moment that is no longer wanted. */
	until: number;
}

/** An event whose date cannot be read is outside of every window. */
export function isWithin({ from, until }: DateWindow, event: WebhookEvent): boolean {
	const time = timeOf(event);
	return time >= from && time < until;
}

/**
 * Whether no event that follows this page can be within the window. The list is sorted, so the last row
 * shows it. If its date cannot be read, it shows nothing.
 */
export function hasPassed(
	{ from, until }: DateWindow,
	order: SortOrder,
	page: readonly WebhookEvent[],
): boolean {
	const last = page.map(timeOf).at(-1) ?? NaN;
	return order === 'desc' ? last < from : last >= until;
}
