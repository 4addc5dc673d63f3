import type { SortOrder, WebhookEvent } from '../../wire';
import { momentOf } from '../../wire/moment';

/**
 * The window of dates in Get Many, in epoch milliseconds. The list of events sorts by date, so
 * reading can stop at the end of the window.
 */
export interface Window {
	/** The first moment in it. */
	after: number;
	/** The first moment after it. */
	before: number;
}

type Dated = Pick<WebhookEvent, 'date'>;

/** An event whose date cannot be read is in no window. */
export function isWithin({ after, before }: Window, { date }: Dated): boolean {
	const moment = momentOf(date) ?? NaN;
	return moment >= after && moment < before;
}

/** Whether nothing that follows this page can be in the window. */
export function endsBeyond({ after, before }: Window, order: SortOrder, rows: readonly Dated[]) {
	const last = momentOf(rows.at(-1)?.date) ?? NaN;
	return order === 'desc' ? last < after : last >= before;
}

/** Whether the dates of a page run the other way round than they were asked for. */
export function runsAgainst(order: SortOrder, rows: readonly Dated[]): boolean {
	const sign = order === 'asc' ? 1 : -1;
	const moments = rows.flatMap(({ date }) => momentOf(date) ?? []).map((moment) => sign * moment);
	const isFalling = moments.every((moment, at) => moment <= (moments[at - 1] ?? moment));
	return isFalling && (moments[0] ?? 0) > (moments.at(-1) ?? 0);
}
