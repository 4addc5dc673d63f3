import type { SortOrder, WebhookEvent } from '../wire';
import { momentOf } from '../wire/moment';

/**
 * The one check of a list's order. The gateway sorts events by date in both directions, and readers that
 * stop at a date rely on it. A list that plainly runs the other way round is an error.
 */

/** Two rows out of order prove nothing about a list. */
const MIN_ROWS = 3;

/** In epoch milliseconds. A date that cannot be read is NaN. */
export function datesOf(events: ReadonlyArray<Pick<WebhookEvent, 'date'>>): number[] {
	return events.map(({ date }) => momentOf(date) ?? NaN);
}

/** A date in whole seconds: the gateway may sort by these. */
export function secondOf(date: number): number {
	return Math.floor(date / 1000);
}

/** Whether all dates that can be read run against the order that was asked for. */
export function runsAgainst(order: SortOrder, dates: readonly number[]): boolean {
	const sign = order === 'asc' ? 1 : -1;
	const seconds = dates.filter((date) => !isNaN(date)).map((date) => sign * secondOf(date));
	const isFalling = seconds.every((second, index) => second <= (seconds[index - 1] ?? second));
	return seconds.length >= MIN_ROWS && isFalling && seconds[0] !== seconds.at(-1);
}
