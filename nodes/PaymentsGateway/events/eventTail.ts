import type { Client } from '../gateway/client';
import { pageOf } from '../gateway/page';
import type { WebhookEvent } from '../wire';
import { datesOf, secondOf } from './order';
import { eventKey } from './paymentEvent';
import type { PaymentEvent } from './paymentEvent';

/**
 * The tail of the gateway's list: its oldest ten events and the count of all events, from one answer.
 *
 * Two tails show how many events were listed between them, even if others were removed. Only the oldest
 * events are ever removed. So the oldest event on both tails, the anchor, was listed all the time, and so
 * was every newer event. What was removed is missing before the anchor.
 *
 *     oldest                count
 *     p q r s t u v w x y     50    before
 *     r s t u v w x y z a     51    now: r is the anchor, p and q were removed, three were listed
 */

export interface Tail {
	/** The oldest first. */
	rows: readonly TailRow[];
	/** Of the whole list. Undefined if the gateway does not count it. */
	count: number | undefined;
}

interface TailRow {
	key: string;
	/** The date in seconds. NaN if it cannot be read. */
	second: number;
}

/** The gateway's own page size is ten rows. */
const OLDEST = { page: 1, pageSize: 10, sort: { field: 'date', order: 'asc' } } as const;

/** Undefined if the gateway does not answer. A longer scan then does without the tail. */
export async function readTail(client: Client): Promise<Tail | undefined> {
	const attempt = await client.attempt('webhookEvents', { page: OLDEST });
	if ('error' in attempt) return undefined;
	const { rows, total: count } = pageOf(attempt.reply.answer);
	return { rows: rows.map(tailRow), count };
}

function tailRow(row: WebhookEvent): TailRow {
	const [date = NaN] = datesOf([row]);
	return { key: eventKey(row), second: secondOf(date) };
}

/**
 * How many events `now` counts that were listed after `before` and are not among the events `seen`
 * since. Undefined if the tails do not show it: there is no anchor, or too many events have its date.
 */
export function countUnseen(
	before: Tail,
	now: Tail,
	seen: readonly PaymentEvent[] = [],
): number | undefined {
	if (before.count === undefined || now.count === undefined) return undefined;
	const keys = new Set(now.rows.map(({ key }) => key));
	const anchor = before.rows.find(({ key }) => keys.has(key))?.second ?? NaN;
	if (!isCompleteUntil(anchor, before) || !isCompleteUntil(anchor, now)) return undefined;
	const isRemoved = ({ key, second }: TailRow) => !keys.has(key) && !(second > anchor);
	// An event that was seen may have been removed before the tail was read.
	const isCounted = ({ at, eventID }: PaymentEvent) => secondOf(at) > anchor || keys.has(eventID);
	const removed = before.rows.filter(isRemoved).length;
	return now.count - (before.count - removed) - seen.filter(isCounted).length;
}

/** Whether the tail has all events of this second and before it: no other stands behind the tail. */
function isCompleteUntil(second: number, { rows, count }: Tail): boolean {
	return rows.length === count || (rows.at(-1)?.second ?? NaN) > second;
}
