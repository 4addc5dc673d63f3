import type { SortOrder, WebhookEvent } from '../wire';
import { momentOf } from '../wire/moment';

/**
 * The check of a list's order that the readers of pages use. The gateway sorts events by date in both
 * directions, and readers that stop at a date rely on it. A list that plainly runs the other way round is
 * an error.
 */

/** Two rows out of order prove nothing about a list. */
const MIN_ROWS = 3;

/** The date in epoch milliseconds. NaN if it cannot be read. */
export function timeOf({ date }: Pick<WebhookEvent, 'date'>): number {
	return momentOf(date) ?? NaN;
}

/** A time in whole seconds: the gateway may sort by these. */
export function secondOf(time: number): number {
	return Math.floor(time / 1000);
}

/** Whether all dates that can be read run against the order that was asked for. */
export function runsAgainst(order: SortOrder, times: readonly number[]): boolean {
	const sign = order === 'asc' ? 1 : -1;
	const seconds = times.filter((time) => !isNaN(time)).map((time) => sign * secondOf(time));
	const isFalling = seconds.every((second, index) => second <= (seconds[index - 1] ?? second));
	return seconds.length >= MIN_ROWS && isFalling && seconds[0] !== seconds.at(-1);
}
