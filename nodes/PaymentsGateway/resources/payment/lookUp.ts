import type { Client, Reply } from '../../gateway/client';
import { pastMoment } from '../../gateway/events';
import { isTooLarge, pageOf, SMALLEST_PAGE } from '../../gateway/page';
import { list } from '../../gateway/paginate';
import type { Work } from '../../operation/operation';
import { isAbout, momentOf, recordOf, referenceOf, simplify, unfold } from '../../output/event';
import type { ListAnswer, PageRequest, SortOrder, WebhookEvent } from '../../wire';
import { idOf, inOrder, isPayment, isRefund, parentOf } from './outcome';
import type { Told } from './outcome';

/**
 * Every event of a reference: what Charge asks for before each charge, and what Get Status tells.
 * The service's search is asked first, with the newest page of the list beside it. It may know no
 * references, or not all of them, so it is believed only once it has found what the list shows of
 * others, and for ten minutes. Otherwise the list is read as far as the look-back reaches.
 */

const DAY = 24 * 60 * 60 * 1000;
const PAGE_SIZE = 100;
const BELIEVED_FOR = 10 * 60 * 1000;
const MOST_PROOFS = 1_000;
/** The reading ends when so many rows at the end of a page are older than the look-back: late events may stand together. */
const PAST_ROWS = 50;
/** Some searches take no short words, or cut long ones. Between these lengths all are alike. */
const SHORT = 4;
const LONG = 24;

type LookUp = Pick<Work, 'client' | 'complain'>;
type Rows = readonly WebhookEvent[];

/** The first page of the list, or of what the search finds in it; an error where there is none. */
async function firstPage(client: Client, search?: string, order: SortOrder = 'desc') {
	const ask = async (pageSize: number) => {
		const page = { page: 1, pageSize, sort: { field: 'date', order } };
		return await client.attempt('webhookEvents', {
			page: search === undefined ? page : { ...page, search },
		});
	};
	const answered = await ask(PAGE_SIZE);
	const isRefused = 'error' in answered && isTooLarge(PAGE_SIZE, answered.error);
	return isRefused ? await ask(SMALLEST_PAGE) : answered;
}

function rowsOf(answered: Awaited<ReturnType<typeof firstPage>>): Rows {
	return 'error' in answered ? [] : pageOf(answered.reply.answer).rows;
}

/** The events of a reference among these rows: what carries it, and the refunds of its payments. */
function eventsIn(rows: Rows, reference: string): Told[] {
	const all = rows.map((row) => {
		const unfolded = unfold(row);
		const { type, payload } = unfolded;
		const told = { event: { type }, record: recordOf(payload) };
		return { unfolded, told, carries: isAbout(unfolded, reference) };
	});
	const paid = all.filter(({ told, carries }) => carries && isPayment(told));
	const payments = new Set(paid.map(({ told }) => idOf(told)));
	const isOfPayment = (told: Told) =>
		isRefund(told) && parentOf(told) !== '' && payments.has(parentOf(told));
	const its = all.filter(({ told, carries }) => carries || isOfPayment(told));
	return inOrder(
		its.map(({ unfolded, told: { record } }) => ({ event: simplify(unfolded), record })),
	);
}

/** How a reference is written. A search that finds one need not find those of another kind. */
function kindOf(reference: string): string {
	const alike = reference.replace(/[a-z]/g, 'a').replace(/[A-Z]/g, 'A').replace(/[0-9]/g, '0');
	const isUsual = reference.length >= SHORT && reference.length <= LONG;
	return [...new Set(alike)].sort().join('') + (isUsual ? '' : reference.length);
}

/** Whether the search finds what a page shows of a reference; undefined where it cannot be asked. */
async function finds(
	client: Client,
	reference: string,
	shown: Rows,
	order: SortOrder,
): Promise<boolean | undefined> {
	const answered = await firstPage(client, reference, order);
	if ('error' in answered) return answered.refused && !client.ended.aborted ? false : undefined;
	const ids = new Set(rowsOf(answered).map(({ eventID }) => eventID));
	return shown.every((row) => referenceOf(unfold(row)) !== reference || ids.has(row.eventID));
}

/**
 * Tries the search with a reference of the same kind from the end of the newest page, where it must
 * take over from the list, and with one of the oldest page, which shows how far back it sees.
 * Undefined where there is nothing to try it with.
 */
async function prove(client: Client, kind: string): Promise<boolean | undefined> {
	const answered = await firstPage(client);
	if ('error' in answered) return undefined;
	const { rows, total = 0 } = pageOf(answered.reply.answer);
	// A list of one page is read as quickly as it is searched.
	if (rows.length < PAGE_SIZE && total <= rows.length) return false;
	const shown = rows.map((row) => referenceOf(unfold(row)));
	const near = shown.filter((one) => kindOf(one) === kind).at(-1);
	if (near === undefined) return undefined;
	const [isNearFound, oldest] = await Promise.all([
		finds(client, near, rows, 'desc'),
		firstPage(client, undefined, 'asc'),
	]);
	if ('error' in oldest) return undefined;
	const old = rowsOf(oldest);
	const far = old.map((row) => referenceOf(unfold(row))).find((one) => one !== '');
	return isNearFound && (far === undefined || (await finds(client, far, old, 'asc')));
}

/** By merchant and kind of reference. Who comes while it is tried waits for that. */
const proofs = new Map<string, { at: number; isProved: Promise<boolean | undefined> }>();

function proofOf({ scope }: Client, reference: string): string {
	return JSON.stringify([scope, kindOf(reference)]);
}

async function isBelieved(client: Client, reference: string): Promise<boolean> {
	const key = proofOf(client, reference);
	let proof = proofs.get(key);
	if (proof === undefined || performance.now() - proof.at >= BELIEVED_FOR) {
		proof = { at: performance.now(), isProved: prove(client, kindOf(reference)) };
		proofs.delete(key);
		proofs.set(key, proof);
		for (const oldest of proofs.keys()) if (proofs.size > MOST_PROOFS) proofs.delete(oldest);
	}
	const isProved = await proof.isProved;
	if (isProved === undefined && proofs.get(key) === proof) proofs.delete(key);
	return isProved ?? false;
}

interface Seen {
	newest: Reply<ListAnswer<WebhookEvent>>;
	/** The rows of the newest page, and with them what the search has found. */
	rows: Rows;
	/** The search is believed, and nothing speaks against its answer. */
	isWhole: boolean;
}

/** What the search and the newest page show. */
async function look(client: Client, reference: string): Promise<Seen> {
	const isSearched = await isBelieved(client, reference);
	const [answered, searched] = await Promise.all([
		firstPage(client),
		isSearched ? firstPage(client, reference) : undefined,
	]);
	if ('error' in answered) throw answered.error;
	const newest = answered.reply;
	const { rows } = pageOf(newest.answer);
	if (searched === undefined || 'error' in searched) return { newest, rows, isWhole: false };
	const found = pageOf(searched.reply.answer);
	const ids = new Set(found.rows.map(({ eventID }) => eventID));
	const misses = rows.some((row) => !ids.has(row.eventID) && isAbout(unfold(row), reference));
	if (misses) proofs.delete(proofOf(client, reference));
	// One that is as long as a page of the list may have been cut.
	const isCut = found.rows.length >= rows.length || (found.total ?? 0) > found.rows.length;
	const moments = rows.map(({ date }) => momentOf(date) ?? NaN);
	const isNewest = !moments.some((moment, index) => moment > (moments[index - 1] ?? Infinity));
	return { newest, rows: [...rows, ...found.rows], isWhole: !misses && !isCut && isNewest };
}

/** Reads the list itself as far as the look-back reaches, or until it shows the payment of a refund. */
async function readBack(
	{ client, complain }: LookUp,
	reference: string,
	lookBackDays: number,
	{ newest, rows }: Seen,
): Promise<Told[]> {
	// The earliest of what may be the time now, so that no clock that runs ahead shortens the look-back.
	const moments = rows.flatMap(({ date }) => momentOf(date) ?? []);
	const now = Math.min(Date.now(), newest.date ?? Infinity, Math.max(...moments));
	const since = now - lookBackDays * DAY;
	const incomplete = () =>
		complain(
			`The gateway counts events that it does not show, so a payment with the reference "${reference}" may be among them`,
			`Nothing was changed or charged. Where the gateway shows only its newest events, set 'Look Back (Days)' under Options (now ${lookBackDays}) to no more days than these go back.`,
		);

	const kept = [...rows];
	const lacksPayment = () => {
		const told = eventsIn(kept, reference);
		return told.some(isRefund) && !told.some(isPayment);
	};
	// The newest page is the first of the list, unless the service gives out none as large as is asked for.
	const { length } = pageOf(newest.answer).rows;
	let first = length > SMALLEST_PAGE ? newest.answer : undefined;
	let isPast = pastMoment(since, 'desc', PAST_ROWS);
	const { missing } = await list<WebhookEvent, WebhookEvent>({
		fetch: async (page: PageRequest) => {
			const answer = first ?? (await client.call('webhookEvents', { page }));
			first = undefined;
			if (page.page === 1) isPast = pastMoment(since, 'desc', PAST_ROWS);
			return answer;
		},
		page: { pageSize: PAGE_SIZE, sort: { field: 'date', order: 'desc' } },
		id: ({ eventID }) => eventID,
		shape: (row) => {
			const unfolded = unfold(row);
			const isRelated =
				isAbout(unfolded, reference) ||
				parentOf({ event: {}, record: recordOf(unfolded.payload) }) !== '';
			if (isRelated) kept.push(row);
			return undefined;
		},
		isPast: (page) => isPast(page) && !lacksPayment(),
		parallel: () => client.parallel,
		warn: client.warn,
	});
	if (missing !== undefined) throw incomplete();
	return eventsIn(kept, reference);
}

/** All events of a reference, the oldest first. An error where some may be missing. */
export async function eventsOf(
	work: LookUp,
	reference: string,
	lookBackDays: number,
): Promise<Told[]> {
	const { client } = work;
	const seen = await look(client, reference);
	if (!seen.isWhole) return await readBack(work, reference, lookBackDays, seen);
	// A refund may carry no reference, and is then found by the transaction that it gives back.
	const payments = eventsIn(seen.rows, reference).filter(isPayment).map(idOf);
	const ofPayments = await Promise.all(
		[...new Set(payments)].map(async (id) => await firstPage(client, id)),
	);
	if (ofPayments.some((answered) => 'error' in answered)) {
		return await readBack(work, reference, lookBackDays, seen);
	}
	return eventsIn([...seen.rows, ...ofPayments.flatMap(rowsOf)], reference);
}

/** Those that are found at once: for who has looked for all of them a moment ago. */
export async function newEventsOf({ client }: LookUp, reference: string): Promise<Told[]> {
	return eventsIn((await look(client, reference)).rows, reference);
}
