import type { IDataObject } from 'n8n-workflow';

import type { Client, Reply } from '../../gateway/client';
import { contentOf } from '../../gateway/pages';
import { list } from '../../gateway/paginate';
import type { ListAnswer, PageRequest, WebhookEvent } from '../../wire';
import type { Unfolded } from '../../output/event';
import { momentOf, referenceOf, simplify, unfold } from '../../output/event';
import { outcomeOf } from './outcome';
import type { Work } from '../../operation/operation';
import { pastMoment } from '../../gateway/events';

const DAY = 24 * 60 * 60 * 1000;
const IGNORES_PAGES =
	'The service answers every page of its events with the same rows, so older payments cannot be seen';
const PAGE = { pageSize: 100, sort: { field: 'date', order: 'desc' } } as const;

/** A payload that broke off still says whose it is. */
function mentions({ payload, payloadError }: Unfolded, reference: string): boolean {
	if (payloadError === undefined || typeof payload !== 'string') return false;
	const words = JSON.stringify(reference);
	return payload.includes(`"referenceID":${words}`) || payload.includes(`"referenceID": ${words}`);
}

function matching(reference: string): (event: WebhookEvent) => IDataObject | undefined {
	return (event) => {
		const unfolded = unfold(event);
		const isIts = referenceOf(unfolded) === reference || mentions(unfolded, reference);
		return isIts ? simplify(unfolded) : undefined;
	};
}

function momentsOf(events: ReadonlyArray<{ date?: unknown }>): number[] {
	return events.map(({ date }) => momentOf(date)).filter((moment) => moment !== undefined);
}

/** What the service finds by itself. It may know no search, so what it does not find means nothing. */
async function searched(client: Client, reference: string): Promise<IDataObject[]> {
	const result = await client.attempt('webhookEvents', {
		page: { ...PAGE, page: 1, search: reference },
	});
	if ('error' in result) return [];
	const found = contentOf(result.reply.answer).rows.map(matching(reference));
	return found.filter((event) => event !== undefined);
}

/** The service's own clock, or else the latest moment that it can have. */
function clockOf({ answer, date }: Reply<ListAnswer<WebhookEvent>>): number {
	if (date !== undefined) return date;
	const moments = momentsOf(contentOf(answer).rows);
	return moments.length === 0 ? Date.now() : Math.min(Date.now(), Math.max(...moments));
}

/** Reads the list itself, back to a moment. */
async function scanned(
	{ client, complain }: Pick<Work, 'client' | 'complain'>,
	reference: string,
	since: (now: number) => number,
	mustPage: boolean,
): Promise<IDataObject[]> {
	let isPast: ReturnType<typeof pastMoment>;
	const fetch = async (page: PageRequest) => {
		const reply = await client.send('webhookEvents', { page });
		const { answer } = reply;
		const said: unknown = answer.page;
		if (typeof said !== 'object' || said === null) {
			throw complain('The service answered without "page", so its events cannot be relied on');
		}
		if (page.page === 1) isPast = pastMoment(since(clockOf(reply)), 'desc');
		return answer;
	};
	return await list({
		fetch,
		page: PAGE,
		id: ({ eventID }) => eventID,
		shape: matching(reference),
		isPast: (rows) => isPast?.(rows) ?? false,
		parallel: () => client.parallel,
		warn: client.warn,
		...(mustPage ? { mustPage: () => complain(IGNORES_PAGES) } : {}),
	});
}

/**
 * Every event that carries a reference. The service's search comes first: once it has shown the
 * payment, only what happened since then is left to be read through. Without it, all of the
 * look-back is read, and more when a refund shows that its payment is older.
 */
export async function eventsOf(
	work: Pick<Work, 'client' | 'complain'>,
	reference: string,
	lookBackDays: number,
): Promise<IDataObject[]> {
	const known = await searched(work.client, reference);
	const paidAt = momentsOf(known.filter(({ type }) => type === 'payment_success'));
	const first = paidAt.length > 0 ? Math.min(...paidAt) : -Infinity;
	const inLookBack = (now: number) => Math.max(now - lookBackDays * DAY, first);
	const mustPage = paidAt.length === 0;
	let read = await scanned(work, reference, inLookBack, mustPage);
	if (outcomeOf([...known, ...read]).lacksPayment) {
		read = await scanned(work, reference, () => -Infinity, mustPage);
	}
	const byID = new Map(
		[...known, ...read].map((event) => [String(event.eventID ?? JSON.stringify(event)), event]),
	);
	return [...byID.values()].sort((a, b) => (momentOf(a.date) ?? 0) - (momentOf(b.date) ?? 0));
}
