import type { Client } from '../../gateway/client';
import { list } from '../../gateway/list';
import { pageOf } from '../../gateway/page';
import type { PageRequest, WebhookEvent } from '../../wire';
import { momentOf } from '../../wire/moment';
import { eventKey, paymentEventOf } from './paymentEvent';
import type { PaymentEvent } from './paymentEvent';

/**
 * Reads the gateway's list of events for the cache: a scan from the newest event down, and the tail.
 *
 * The tail is the oldest ten events and the count of all events, from one answer. Only the oldest
 * events are ever removed. So the oldest event on two tails, the anchor, was listed all the time between
 * them, and every newer event has stayed. The tails show how many events were listed in between:
 *
 *     oldest                count
 *     p q r s t u v w x y     50    before
 *     r s t u v w x y z a     51    now: r is the anchor, two were removed, so three were listed
 */

/** Events may be missing from a scan. The message says why, as part of a sentence. */
export class EventsMissing extends Error {}

export interface Scan {
	/** The newest first. */
	events: PaymentEvent[];
	/**
	 * When the scan began, in epoch milliseconds: the earlier time of the gateway's clock and this
	 * machine's, so that a clock that is ahead shortens no look-back.
	 */
	startedAt: number;
}

const NEWEST_FIRST = { pageSize: 100, sort: { field: 'date', order: 'desc' } } as const;
/** Ten rows are the gateway's own page size. */
const OLDEST = { page: 1, pageSize: 10, sort: { field: 'date', order: 'asc' } } as const;

/** Reads the list from the newest event down, until `isEnd` holds for a page. */
export async function scanEvents(
	client: Client,
	isEnd: (rows: readonly WebhookEvent[], startedAt: number) => boolean,
): Promise<Scan> {
	let startedAt = Date.now();
	const fetch = async (page: PageRequest) => {
		const attempt = await client.attempt('webhookEvents', { page });
		if ('error' in attempt) throw attempt.error;
		startedAt = Math.min(startedAt, attempt.reply.date ?? Infinity);
		return attempt.reply.answer;
	};
	const { rows: events, missing } = await list<WebhookEvent, PaymentEvent>({
		...{ client, page: NEWEST_FIRST, id: eventKey, shape: paymentEventOf, fetch },
		isPast: (rows) => isEnd(rows, startedAt),
	});
	if (missing !== undefined) throw new EventsMissing(missing);
	if (isOldestFirst(events)) {
		throw new EventsMissing('the gateway lists its events with the oldest first');
	}
	return { events, startedAt };
}

/** Whether all events of a page are from before a moment. An event without a readable date may not be. */
export function areBefore(moment: number, rows: readonly WebhookEvent[]): boolean {
	return rows.length > 0 && rows.every(({ date }) => (momentOf(date) ?? moment) < moment);
}

/** Gateways may sort by whole seconds. */
const secondOf = (at: number) => Math.floor(at / 1000);

/** Two rows out of order prove nothing about a list. */
const MIN_ROWS = 3;

function isOldestFirst(events: readonly PaymentEvent[]): boolean {
	const seconds = events.map(({ at }) => secondOf(at)).filter((second) => !isNaN(second));
	const isRising = seconds.every((second, index) => second >= (seconds[index - 1] ?? second));
	return seconds.length >= MIN_ROWS && isRising && seconds[0] !== seconds.at(-1);
}

interface TailRow {
	key: string;
	/** NaN if the date cannot be read. */
	second: number;
}

export interface Tail {
	/** The oldest first. */
	rows: readonly TailRow[];
	/** Of the whole list. Undefined if the gateway does not count it. */
	count: number | undefined;
}

/** Undefined if the gateway does not answer: a longer scan then does without it. */
export async function readTail(client: Client): Promise<Tail | undefined> {
	const attempt = await client.attempt('webhookEvents', { page: OLDEST });
	if ('error' in attempt) return undefined;
	const { rows, total: count } = pageOf(attempt.reply.answer);
	const tailRow = (row: WebhookEvent): TailRow => {
		return { key: eventKey(row), second: secondOf(momentOf(row.date) ?? NaN) };
	};
	return { rows: rows.map(tailRow), count };
}

/**
 * How many events `now` counts that were listed after `before` and are not among those `seen` since.
 * Undefined if the tails do not show it: they have no event in common, or too many of one date.
 */
export function countUnseen(
	before: Tail,
	now: Tail,
	seen: readonly PaymentEvent[] = [],
): number | undefined {
	const keys = new Set(now.rows.map(({ key }) => key));
	const anchor = before.rows.find(({ key }) => keys.has(key))?.second ?? NaN;
	if (before.count === undefined || now.count === undefined) return undefined;
	if (!hasAllUntil(anchor, before) || !hasAllUntil(anchor, now)) return undefined;
	const isRemoved = ({ key, second }: TailRow) => !(second > anchor) && !keys.has(key);
	const isListed = ({ at, eventID }: PaymentEvent) => secondOf(at) > anchor || keys.has(eventID);
	const removed = before.rows.filter(isRemoved).length;
	return now.count - (before.count - removed) - seen.filter(isListed).length;
}

/** Whether no event of this second, or an earlier one, stands behind the tail. */
function hasAllUntil(second: number, { rows, count }: Tail): boolean {
	return rows.length === count || (rows.at(-1)?.second ?? NaN) > second;
}
