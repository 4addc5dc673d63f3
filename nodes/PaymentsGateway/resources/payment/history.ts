import type { Client, Reply } from '../../gateway/client';
import { contentOf, orRefused } from '../../gateway/pages';
import { list } from '../../gateway/paginate';
import type { ListAnswer, PageRequest, WebhookEvent } from '../../wire';
import { isAbout, momentOf, recordOf, referenceOf, simplify, unfold } from '../../output/event';
import { isPaid, outcomeOf } from './outcome';
import type { Told } from './outcome';
import { Search, search } from './search';
import type { Found, Sightings } from './search';
import type { Work } from '../../operation/operation';
import { pagesUntil } from '../../gateway/events';

/**
 * Every event that carries a reference: what Commit asks before each charge, and what Get Status
 * tells. The events are read anew each time; what they mean for the payment is outcome.ts's business.
 */

const COUNTS_MORE =
	'The service counts events that it does not show, so a payment may be among them';
const DAY = 24 * 60 * 60 * 1000;
const IGNORES_PAGES =
	'The service answers every page of its events with the same rows, so older payments cannot be seen';
/** A shorter list is read as quickly as it is searched. */
const WORTH_SEARCHING = 4;
/** The reading ends when so many rows at the end of a page are older than the look-back: late events may stand together. */
const PAST_ROWS = 50;
/** So many pages of rows without a date are read at the end of the list. */
const MOST_UNDATED_PAGES = 10;
/** So many milliseconds later, what was read is too old to charge by. */
export const FRESH_FOR = 1_000;
const PAGE = { pageSize: 100, sort: { field: 'date', order: 'desc' } } as const;

/** What an event tells of a reference; undefined when it is another's. Notes in `seen` whose it is. */
function matching(reference: string, seen?: Sightings): (event: WebhookEvent) => Told | undefined {
	return (event) => {
		const payload: unknown = event.payload;
		// JSON without escapes shows its words as they are, so most events need not be read.
		const isPlain = typeof payload === 'string' && !payload.includes('\\');
		if (isPlain && !seen && !payload.includes(reference)) return undefined;
		const unfolded = unfold(event);
		const whose = referenceOf(unfolded);
		if (whose !== '') seen?.set(whose, (seen.get(whose) ?? new Set()).add(event.eventID));
		if (!isAbout(unfolded, reference)) return undefined;
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

type Events = Reply<ListAnswer<WebhookEvent>>;

type LookUp = Pick<Work, 'client' | 'complain'>;

interface Asked {
	reference: string;
	lookBackDays: number;
	/** Also where a payment is found: a refund of it may be missing. */
	mustBeWhole: boolean;
}

interface Scan extends Omit<Asked, 'lookBackDays'> {
	since: (now: number) => number;
	mustPage: boolean;
	/** Events of the reference that the search has found. */
	known: readonly Told[];
	/** The list's first page, where it was read just now. */
	newest?: Events | undefined;
	/** Takes the references that are seen on the way, the newest first. */
	seen?: Sightings | undefined;
}

/** How many pages the last reading took: a hint of how many to ask for at once. */
const pagesOf = new WeakMap<Client, number>();

/** How long the service says that the list is. */
interface Length {
	total: number;
	pageSize: number;
}

/** Reads the list itself, back to a moment. */
async function scanned(
	{ client, complain }: LookUp,
	{ reference, since, mustPage, mustBeWhole, known, newest, seen }: Scan,
): Promise<{ events: Told[]; pages: number }> {
	let pagesLeft = pagesUntil(-Infinity, 'desc');
	let pages = 0;
	let left = Infinity;
	const length: Length = { total: 0, pageSize: 1 };
	const fetch = async (page: PageRequest) => {
		const reply = newest ?? (await client.send('webhookEvents', { page }));
		newest = undefined;
		const { answer } = reply;
		const said: unknown = answer.page;
		if (typeof said !== 'object' || said === null) {
			throw complain(
				'The service answered without "page", so its events cannot be relied on',
				'Check the Base URL in the credential, and that the service is up.',
			);
		}
		if (page.page === 1) {
			pagesLeft = pagesUntil(since(clockOf(reply)), 'desc', PAST_ROWS);
			pages = 0;
			// The first page of a list that goes on is a full one.
			length.pageSize = Math.max(1, answer.data.length);
		}
		length.total = contentOf(answer).total ?? length.total;
		return answer;
	};
	const matches = matching(reference, seen);
	const events = await list({
		fetch,
		page: PAGE,
		id: ({ eventID }) => eventID,
		shape: matches,
		pagesLeft: (rows) => {
			pages += 1;
			left = pagesLeft(rows);
			return left;
		},
		pagesBefore: mustPage ? pagesOf.get(client) : undefined,
		parallel: () => client.parallel,
		warn: client.warn,
		brokeOff: ({ found }) => {
			// What was not seen can be a payment too, which changes nothing for a charge.
			if (!mustBeWhole && isPaid(outcomeOf(merged(known, found)))) return;
			throw complain(COUNTS_MORE, 'Nothing can be looked up until the service shows them.');
		},
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
	if (!mustPage) return { events, pages };
	pagesOf.set(client, pages);
	const undated = left === 0 ? await atTheEnd(client, pages, length) : [];
	return { events: [...events, ...undated.map(matches).filter(isThere)], pages };
}

/**
 * Rows that no date leads to: where the reading stopped at the look-back, those without one stand
 * below it, last of all. From the last page up to the first row with a date.
 */
async function atTheEnd(
	client: Client,
	read: number,
	{ total, pageSize }: Length,
): Promise<WebhookEvent[]> {
	const found: WebhookEvent[] = [];
	const last = Math.ceil(total / pageSize);
	for (let page = last; page > Math.max(read, last - MOST_UNDATED_PAGES); page--) {
		const { rows } = await client
			.send('webhookEvents', { page: { ...PAGE, pageSize, page } })
			.then(({ answer }) => contentOf(answer), orRefused(page));
		const undated = rows.filter(({ date }) => momentOf(date) === undefined);
		found.push(...undated);
		if (undated.length < rows.length || rows.length === 0) break;
	}
	return found;
}

/**
 * What the service's search has found, with the newest page, where that is proved to be all there
 * is; otherwise undefined.
 */
async function provedBySearch(
	trust: Search,
	reference: string,
	found: Found,
	newest: Events,
): Promise<Told[] | undefined> {
	const { rows, total = 0 } = contentOf(newest.answer);
	// Without a row to show, the list proves nothing while it counts some.
	if (rows.length === 0 && total > 0) return undefined;
	const moments = momentsOf(rows);
	if (moments.some((moment, index) => moment > (moments[index - 1] ?? Infinity))) return undefined;
	const fromList = rows.map(matching(reference)).filter(isThere);
	if (!(await trust.finds(reference))) {
		// Not after a proof that failed: the newest page alone shows nothing of older events.
		if (!trust.isKnown) return undefined;
		const seen: Sightings = new Map();
		rows.forEach(matching(reference, seen));
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
	const isEnough = isPaid(settled) || trust.isShort(fromSearch.length);
	return isEnough ? told : undefined;
}

/**
 * Every event that carries a reference. Once the service's search has proved itself, it and the
 * newest page tell. Until then all of the look-back is read, anew each time, since an event may
 * appear late and with an old date: the search then only spares what is older than the payment. More
 * is read when a refund shows that its payment is older, and the newest page once more when all of
 * this took its time. A list that shows less than it counts is an error; with a payment found it is
 * one only for who asks for all there is (`mustBeWhole`).
 */
export async function eventsOf(
	work: LookUp,
	reference: string,
	lookBackDays: number,
	{ mustBeWhole = false } = {},
): Promise<Told[]> {
	const { client } = work;
	const [found, { newest, readAt }] = await Promise.all([
		search(client, reference),
		client
			.attempt('webhookEvents', { page: { ...PAGE, page: 1 } })
			.then((answered) => ({ newest: answered, readAt: performance.now() })),
	]);
	if ('error' in newest) throw newest.error;
	const asked = { reference, lookBackDays, mustBeWhole };
	const told = await toldBy(work, asked, found, newest.reply);
	if (performance.now() - readAt <= FRESH_FOR) return told;
	const since = () => Infinity;
	const last = { reference, since, mustPage: false, mustBeWhole, known: told };
	const { events } = await scanned(work, last);
	return merged(told, events);
}

async function toldBy(
	work: LookUp,
	{ reference, lookBackDays, mustBeWhole }: Asked,
	found: Found,
	newest: Events,
): Promise<Told[]> {
	const trust = new Search(work.client);
	const { isKnown } = trust;
	const proved = isKnown && (await provedBySearch(trust, reference, found, newest));
	if (proved) return proved;

	const known = found.events.map(matching(reference)).filter(isThere);
	const paidAt = momentsOf(
		known.map(({ event }) => event).filter(({ type }) => type === 'payment_success'),
	);
	const first = paidAt.length > 0 ? Math.min(...paidAt) : -Infinity;
	// Without a payment to begin from, all of the look-back is read.
	const isWhole = paidAt.length === 0;
	const seen: Sightings | undefined = isWhole && !trust.isUseless ? new Map() : undefined;
	const scan = { reference, mustPage: isWhole, mustBeWhole, known, seen };
	let { events: read, pages } = await scanned(work, {
		...scan,
		since: (now) => Math.max(now - lookBackDays * DAY, first),
		// Not where the search had to prove itself first: the page is too old by then.
		newest: isKnown ? undefined : newest,
	});
	if (outcomeOf(merged(known, read)).lacksPayment) {
		({ events: read, pages } = await scanned(work, { ...scan, since: () => -Infinity }));
	}
	if (seen && pages >= WORTH_SEARCHING) await trust.prove(seen);
	return merged(known, read);
}
