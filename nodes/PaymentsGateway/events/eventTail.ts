import type { Client } from '../gateway/client';
import { pageOf } from '../gateway/page';
import { secondOf, timeOf } from './order';
import { eventKey } from './paymentEvent';
import type { PaymentEvent } from './paymentEvent';

/**
 * The tail of the gateway's list: its oldest ten events and the count of all events, from one answer.
 *
 * Two tails show how many events were added between them, even if others were removed. The gateway
 * removes only its oldest events. So no event newer than the anchor, the oldest event on both tails, was
 * removed. Those that were removed are missing before the anchor.
 *
 *     oldest                count
 *     a b c d e f g h i j     50    before
 *     c d e f g h i j k l     51    after: c is the anchor
 *
 * a and b were removed: 51 - (50 - 2) = 3 events were added. k and l are not among them: they were in the
 * list before, and have moved into the tail. The three are above the tail, late ones somewhere between it
 * and the top of the list.
 */

export interface Tail {
	/** The oldest first. */
	rows: ReadonlyArray<Pick<PaymentEvent, 'key' | 'at'>>;
	/** Of the whole list. Undefined if the gateway does not count it. */
	count: number | undefined;
}

/** The gateway's own page size is ten rows. */
const OLDEST = { page: 1, pageSize: 10, sort: { field: 'date', order: 'asc' } } as const;

/** Undefined if the request fails. A longer scan then does without the tail. */
export async function readTail(client: Client): Promise<Tail | undefined> {
	const attempt = await client.attempt('webhookEvents', { page: OLDEST });
	if ('error' in attempt) return undefined;
	const { rows, total: count } = pageOf(attempt.reply.answer);
	return { rows: rows.map((row) => ({ key: eventKey(row), at: timeOf(row) })), count };
}

/**
 * How many of the events that were added between the two tails are not among those `seen` since.
 * Undefined if the list is not counted, if a tail may lack an event that is as old as the anchor, or if
 * there is no anchor and a tail is not the whole list.
 */
export function countUnseen(
	before: Tail,
	after: Tail,
	seen: readonly PaymentEvent[] = [],
): number | undefined {
	if (before.count === undefined || after.count === undefined) return undefined;
	const keysAfter = new Set(after.rows.map(({ key }) => key));
	// No event is newer than Infinity: without an anchor, each tail must be the whole list.
	const anchor = before.rows.find(({ key }) => keysAfter.has(key));
	const anchorSecond = secondOf(anchor?.at ?? Infinity);
	if (![before, after].every((tail) => isCompleteUntil(anchorSecond, tail))) return undefined;
	// Of the events that are not newer than the anchor, those that `after` does not list were removed, and
	// `after.count` does not include them. An event whose date cannot be read is not newer.
	const isListed = ({ key, at }: Tail['rows'][number]) =>
		keysAfter.has(key) || secondOf(at) > anchorSecond;
	const removed = before.rows.filter((row) => !isListed(row)).length;
	return after.count - (before.count - removed) - seen.filter(isListed).length;
}

/** Whether every event of this second and before is on the tail. */
function isCompleteUntil(second: number, { rows, count }: Tail): boolean {
	return rows.length === count || secondOf(rows.at(-1)?.at ?? NaN) > second;
}
