import type { IDataObject } from 'n8n-workflow';

import type { Client } from '../gateway/client';
import type { WebhookEvent } from '../gateway/types';
import { momentOf, referenceOf, simplify, unfold } from '../output/event';
import { eventRows, pastMoment } from './pages';

const DAY = 24 * 60 * 60 * 1000;
const PAGE = { pageSize: 100, sort: { field: 'date', order: 'desc' } } as const;

function matching(reference: string): (event: WebhookEvent) => IDataObject | undefined {
	return (event) => {
		const unfolded = unfold(event);
		return referenceOf(unfolded) === reference ? simplify(unfolded) : undefined;
	};
}

interface Searched {
	events: IDataObject[];
	/** The service's own clock. */
	now: number;
}

/** What the service finds by itself. It may know no search, so what it does not find means nothing. */
async function searched(client: Client, reference: string): Promise<Searched> {
	const result = await client.attempt('webhookEvents', {
		page: { ...PAGE, page: 1, search: reference },
	});
	if ('error' in result) return { events: [], now: Date.now() };
	const { answer, date } = result.reply;
	const found = answer.data.map(matching(reference));
	return { events: found.filter((event) => event !== undefined), now: date ?? Date.now() };
}

/**
 * Every event that carries a reference. The service's search comes first: once it has shown the
 * payment, only what happened since then is left to be read through. Without it, all of the
 * look-back is read.
 */
export async function eventsOf(
	client: Client,
	reference: string,
	lookBackDays: number,
): Promise<IDataObject[]> {
	const { events: known, now } = await searched(client, reference);
	const paidAt = known
		.filter(({ type }) => type === 'payment_success')
		.map(({ date }) => momentOf(date))
		.filter((moment) => moment !== undefined);
	const first = paidAt.length > 0 ? Math.min(...paidAt) : -Infinity;
	const since = Math.max(now - lookBackDays * DAY, first);
	const isPast = pastMoment(since, 'desc');
	const read = await eventRows(client, {
		page: PAGE,
		id: ({ eventID }) => eventID,
		shape: matching(reference),
		...(isPast === undefined ? {} : { isPast }),
	});
	const byID = new Map([...known, ...read].map((event) => [String(event.eventID), event]));
	return [...byID.values()].sort((a, b) => (momentOf(a.date) ?? 0) - (momentOf(b.date) ?? 0));
}
