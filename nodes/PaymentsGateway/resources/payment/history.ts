import type { Client, Reply } from '../../gateway/client';
import { contentOf } from '../../gateway/pages';
import { list } from '../../gateway/paginate';
import type { ListAnswer, PageRequest, WebhookEvent } from '../../wire';
import type { Unfolded } from '../../output/event';
import { momentOf, recordOf, referenceOf, simplify, unfold } from '../../output/event';
import { isPaid, outcomeOf } from './outcome';
import type { Told } from './outcome';
import { Search, search } from './search';
import type { Found, Sightings } from './search';
import type { Work } from '../../operation/operation';
import { pastMoment } from '../../gateway/events';

/**
 * Every event that carries a reference: what Commit asks before each charge, and what Get Status
 * tells. The events are read anew each time; what they mean for the payment is outcome.ts's business.
 */

const DAY = 24 * 60 * 60 * 1000;
const IGNORES_PAGES =
	'The service answers every page of its events with the same rows, so older payments cannot be seen';
/** A shorter list is read as quickly as it is searched. */
const WORTH_SEARCHING = 4;
/** Rows beyond the look-back at the end of a page that end it: late events may stand together. */
const PAST_ROWS = 50;
const PAGE = { pageSize: 100, sort: { field: 'date', order: 'desc' } } as const;

/** A payload that broke off, or is JSON in JSON, still says whose it is. */
function mentions({ payload }: Unfolded, reference: string): boolean {
	if (typeof payload !== 'string') return false;
	const words = JSON.stringify(reference);
	return payload.includes(`"referenceID":${words}`) || payload.includes(`"referenceID": ${words}`);
}

/** What an event tells of a reference; undefined when it is another's. Notes whose it is. */
function matching(
	reference: string,
	seen: Sightings = new Map(),
): (event: WebhookEvent) => Told | undefined {
	return (event) => {
		const unfolded = unfold(event);
		const whose = referenceOf(unfolded);
		if (whose !== '') seen.set(whose, (seen.get(whose) ?? new Set()).add(event.eventID));
		if (whose !== reference && !mentions(unfolded, reference)) return undefined;
		return { event: simplify(unfolded), record: recordOf(unfolded.payload) };
	};
}

function isThere<T>(value: T | undefined): value is T {
	return value !== undefined;
}

function momentsOf(events: ReadonlyArray<{ date?: unknown }>): number[] {
	return events.map(({ date }) => momentOf(date)).filter(isThere);
}

function merged(...lists: ReadonlyArray<readonly Told[]>): Told[] {
	const byID = new Map(
		lists.flat().map((told) => [String(told.event.eventID ?? JSON.stringify(told.event)), told]),
	);
	return [...byID.values()].sort(
		(a, b) => (momentOf(a.event.date) ?? 0) - (momentOf(b.event.date) ?? 0),
	);
}

/**
 * The earliest of what may be the time now, so that no clock that runs ahead shortens the look-back:
 * the service's, this machine's, and that of the newest event. Where no event has a date, all is read.
 */
function clockOf({ answer, date }: Reply<ListAnswer<WebhookEvent>>): number {
	return Math.min(Date.now(), date ?? Infinity, Math.max(...momentsOf(contentOf(answer).rows)));
}

interface Scanned {
	events: Told[];
	/** The references that were seen on the way, the newest first. */
	seen: Sightings;
	pages: number;
}

/** Reads the list itself, back to a moment. */
async function scanned(
	{ client, complain }: Pick<Work, 'client' | 'complain'>,
	reference: string,
	since: (now: number) => number,
	mustPage: boolean,
): Promise<Scanned> {
	let isPast: ReturnType<typeof pastMoment>;
	let pages = 0;
	const seen: Sightings = new Map();
	const fetch = async (page: PageRequest) => {
		const reply = await client.send('webhookEvents', { page });
		const { answer } = reply;
		pages = Math.max(pages, page.page ?? 1);
		const said: unknown = answer.page;
		if (typeof said !== 'object' || said === null) {
			throw complain(
				'The service answered without "page", so its events cannot be relied on',
				'Check the Base URL in the credential, and that the service is up.',
			);
		}
		if (page.page === 1) isPast = pastMoment(since(clockOf(reply)), 'desc', PAST_ROWS);
		return answer;
	};
	const events = await list({
		fetch,
		page: PAGE,
		id: ({ eventID }) => eventID,
		shape: matching(reference, seen),
		isPast: (rows) => isPast?.(rows) ?? false,
		parallel: () => client.parallel,
		warn: client.warn,
		...(mustPage
			? {
					mustPage: () =>
						complain(
							IGNORES_PAGES,
							'Nothing can be looked up until the service answers page by page.',
						),
				}
			: {}),
	});
	return { events, seen, pages };
}

/**
 * What the service's search has found, with the newest page, where that is proved to be all there
 * is; otherwise undefined.
 */
async function provedBySearch(
	client: Client,
	reference: string,
	found: Found,
): Promise<Told[] | undefined> {
	const trust = new Search(client);
	if (!trust.isKnown) return undefined;
	const newest = await client.call('webhookEvents', { page: { ...PAGE, page: 1 } });
	const { rows } = contentOf(newest);
	const moments = momentsOf(rows);
	if (moments.some((moment, index) => moment > (moments[index - 1] ?? Infinity))) return undefined;
	const seen: Sightings = new Map();
	const fromList = rows.map(matching(reference, seen)).filter(isThere);
	if (!(await trust.finds(reference))) {
		// Not after a proof that failed: the newest page alone shows nothing of older events.
		if (!trust.isKnown) return undefined;
		await trust.prove(seen, reference);
		if (!(await trust.finds(reference))) return undefined;
	}
	if (!found.isExact) return undefined;
	const fromSearch = found.events.map(matching(reference)).filter(isThere);
	const told = merged(fromSearch, fromList);
	if (told.length > fromSearch.length) {
		trust.distrust();
		return undefined;
	}
	const settled = outcomeOf(told);
	if (settled.lacksPayment) return undefined;
	const isEnough = told.length === 0 || isPaid(settled) || trust.isShort(fromSearch.length);
	return isEnough ? told : undefined;
}

/**
 * Every event that carries a reference. Once the service's search has proved itself, it and the
 * newest page tell. Until then all of the look-back is read, anew each time, since an event may
 * appear late and with an old date: the search then only spares what is older than the payment. More
 * is read when a refund shows that its payment is older.
 */
export async function eventsOf(
	work: Pick<Work, 'client' | 'complain'>,
	reference: string,
	lookBackDays: number,
): Promise<Told[]> {
	const { client } = work;
	const found = await search(client, reference);
	const proved = await provedBySearch(client, reference, found);
	if (proved) return proved;

	const known = found.events.map(matching(reference)).filter(isThere);
	const paidAt = momentsOf(
		known.map(({ event }) => event).filter(({ type }) => type === 'payment_success'),
	);
	const first = paidAt.length > 0 ? Math.min(...paidAt) : -Infinity;
	const inLookBack = (now: number) => Math.max(now - lookBackDays * DAY, first);
	// Without a payment to begin from, all of the look-back is read.
	const isWhole = paidAt.length === 0;
	let { events: read, ...list } = await scanned(work, reference, inLookBack, isWhole);
	if (outcomeOf(merged(known, read)).lacksPayment) {
		({ events: read, ...list } = await scanned(work, reference, () => -Infinity, isWhole));
	}
	const trust = new Search(client);
	if (isWhole && list.pages >= WORTH_SEARCHING && !trust.isUseless) await trust.prove(list.seen);
	return merged(known, read);
}
