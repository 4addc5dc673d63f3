import type { Client } from '../gateway/client';
import { list } from '../gateway/list';
import type { PageRequest, WebhookEvent } from '../wire';
import { runsAgainst, secondOf, timeOf } from './order';
import { eventKey, paymentEventOf } from './paymentEvent';
import type { PaymentEvent } from './paymentEvent';

/** Reads the gateway's list of events from the newest event down, page after page. */

/** Events may be missing from a scan. The message says why, as part of a sentence. */
export class EventsMissing extends Error {}

export interface ScannedEvents {
	/** The newest first. */
	events: PaymentEvent[];
	/**
	 * When the scan began, in epoch milliseconds: the earlier time of the gateway's clock and this
	 * machine's, so that a fast clock does not shorten a look-back.
	 */
	startedAt: number;
}

const NEWEST_FIRST = { pageSize: 100, sort: { field: 'date', order: 'desc' } } as const;

/** Ends with the page for which `isEnd` holds. */
export async function scanEvents(
	client: Client,
	isEnd: (rows: readonly WebhookEvent[], startedAt: number) => boolean,
): Promise<ScannedEvents> {
	let startedAt = Date.now();
	const fetch = async (page: PageRequest) => {
		const attempt = await client.attempt('webhookEvents', { page });
		if ('error' in attempt) throw attempt.error;
		startedAt = Math.min(startedAt, attempt.reply.date ?? Infinity);
		return attempt.reply.answer;
	};
	const { rows: events, missing } = await list<WebhookEvent, PaymentEvent>({
		client,
		page: NEWEST_FIRST,
		fetch,
		id: eventKey,
		shape: (row) => paymentEventOf(row, client.mask),
		isPast: (rows) => isEnd(rows, startedAt),
		strict: true,
	});
	if (missing !== undefined) throw new EventsMissing(missing);
	const times = events.map(({ at }) => at);
	if (runsAgainst('desc', times)) {
		throw new EventsMissing('the gateway lists its events oldest first');
	}
	return { events, startedAt };
}

/**
 * Whether the page ends with an event from before a moment: so are all that follow it, as the list is
 * sorted. The gateway may sort by whole seconds. An event without a readable date shows nothing.
 */
export function endsBefore(moment: number, rows: readonly WebhookEvent[]): boolean {
	const [last] = rows.slice(-1);
	return last !== undefined && secondOf(timeOf(last)) < secondOf(moment);
}
