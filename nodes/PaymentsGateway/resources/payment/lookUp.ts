import type { Client, Reply } from '../../gateway/client';
import { eventRows } from '../../gateway/events';
import { pageOf, SMALLEST_PAGE } from '../../gateway/page';
import type { Work } from '../../operation/operation';
import { eventType, isAbout, momentOf, recordOf, unfold } from '../../output/event';
import type { ListAnswer, WebhookEvent } from '../../wire';
import { idOf, inOrder, isPayment, isRefund, parentOf } from './outcome';
import type { Told } from './outcome';
import { allFound, areAmong, firstPage, forgetCheck, isSearchBelieved } from './search';
import type { Rows } from './search';

/**
 * Every event of a reference: what Charge asks for before each charge, and what Get Status tells.
 * Where the service's search is believed, it is asked, with the newest page of the list beside it,
 * since a search may lag behind. Otherwise the list is read as far as the look-back reaches.
 */

const DAY = 24 * 60 * 60 * 1000;
const PAGE_SIZE = 100;
/** The reading ends at so many rows older than the look-back: some late events may stand together. */
const PAST_ROWS = 50;

/** Types of events that give nothing back. */
const NO_REFUNDS: ReadonlySet<string> = new Set(['payment_success', 'payment_failed']);

type LookUp = Pick<Work, 'client' | 'complain'>;

/** All events of a reference, the oldest first. An error where some may be missing. */
export async function eventsOf(
	work: LookUp,
	reference: string,
	lookBackDays: number,
): Promise<Told[]> {
	const { client } = work;
	const isSearched = await isSearchBelieved(client, reference);
	const [newest, found] = await Promise.all([
		firstPage(client),
		isSearched ? allFound(client, reference) : undefined,
	]);
	if ('error' in newest) throw newest.error;
	const { rows } = pageOf(newest.reply.answer);
	const its = rows.filter((row) => isAbout(unfold(row), reference));
	if (found && areAmong(found, its)) {
		const all = await withRefunds(work, reference, [...rows, ...found]);
		if (all) return eventsIn(all, reference);
	} else if (found) forgetCheck(client, reference);
	return eventsIn(await readBack(work, reference, lookBackDays, newest.reply), reference);
}

/**
 * With the refunds that carry no reference, which are found by the ID of their payment. Undefined
 * where the search fails.
 */
async function withRefunds(
	{ client }: LookUp,
	reference: string,
	rows: Rows,
): Promise<Rows | undefined> {
	const ids = new Set(eventsIn(rows, reference).filter(isPayment).map(idOf));
	ids.delete('');
	const answers = await Promise.all([...ids].map((id) => firstPage(client, { search: id })));
	const found = answers.map((each) =>
		'error' in each ? undefined : pageOf(each.reply.answer).rows,
	);
	return found.every((each) => each !== undefined) ? [...rows, ...found.flat()] : undefined;
}

/** To look into every payload of a long list would take longer than to fetch it. */
function mayName({ payload }: WebhookEvent, reference: string): boolean {
	// However JSON is written, letters and digits stand as they are.
	const words = reference.match(/[a-z\d]+/gi) ?? [];
	return typeof payload !== 'string' || words.every((word) => payload.includes(word));
}

/** Reads the list itself as far as the look-back reaches, or until it shows the payment of a refund. */
async function readBack(
	{ client, complain }: LookUp,
	reference: string,
	lookBackDays: number,
	newest: Reply<ListAnswer<WebhookEvent>>,
): Promise<Rows> {
	const { rows } = pageOf(newest.answer);
	// The earliest of what may be the time now, so that no clock that runs ahead shortens the look-back.
	const moments = rows.flatMap(({ date }) => momentOf(date) ?? []);
	const now = Math.min(Date.now(), newest.date ?? Infinity, Math.max(...moments));
	const since = now - lookBackDays * DAY;

	const kept: WebhookEvent[] = [];
	// A refund whose payment has not shown yet: that lies further back.
	const lacksPayment = () => {
		const told = eventsIn(kept, reference);
		return told.some(isRefund) && !told.some(isPayment);
	};
	let hasPassed = false;
	const seen = new Set<unknown>(rows.map(({ eventID }) => eventID));
	const { missing } = await eventRows(client, {
		page: { pageSize: PAGE_SIZE, sort: { field: 'date', order: 'desc' } },
		shape: (row) => {
			seen.add(row.eventID);
			hasPassed ||= (momentOf(row.date) ?? since) < since;
			const mayRefund = !NO_REFUNDS.has(eventType(row.type));
			if (!mayRefund && !mayName(row, reference)) return undefined;
			const told = toldOf(row);
			if (isAbout(told, reference) || isRefund(told)) kept.push(row);
			return undefined;
		},
		until: { moment: since, order: 'desc', pastRows: PAST_ROWS, isWantedBeyond: lacksPayment },
		// The page just read, unless it is a small one, since one of this size was refused.
		first: rows.length > SMALLEST_PAGE ? newest.answer : undefined,
	});
	const isUnseen = ({ eventID, date }: WebhookEvent) => {
		const moment = momentOf(date) ?? -Infinity;
		return !seen.has(eventID) && moment >= since && moment < Math.max(...moments);
	};
	const isOnePage = seen.size <= PAGE_SIZE;
	const oldest = hasPassed || isOnePage ? [] : await oldestRows(client);
	if (missing === undefined && !oldest.some(isUnseen)) return [...rows, ...kept];
	throw complain(
		`Nobody can tell whether the reference "${reference}" was paid: ${missing ?? 'the gateway shows only its newest events'}`,
		`Nothing was changed or charged. Run it again later. Where the gateway shows only its newest events, set 'Look Back (Days)' under Options (now ${lookBackDays}) to no more days than these go back.`,
	);
}

/** Some services show the newest rows of a list alone, and no end: these show what lies below. */
async function oldestRows(client: Client): Promise<Rows> {
	const oldest = await firstPage(client, { order: 'asc' });
	return 'error' in oldest ? [] : pageOf(oldest.reply.answer).rows;
}

/** The events of a reference among these rows: what carries it, and the refunds of its payments. */
function eventsIn(rows: Rows, reference: string): Told[] {
	const told = rows.map(toldOf);
	const carrying = told.filter((each) => isAbout(each, reference));
	const payments = new Set(carrying.filter(isPayment).map(idOf));
	payments.delete('');
	const refunds = told.filter(
		(each) => isRefund(each) && (payments.has(parentOf(each)) || payments.has(idOf(each))),
	);
	return inOrder([...carrying, ...refunds]);
}

function toldOf(row: WebhookEvent): Told {
	const unfolded = unfold(row);
	return { ...unfolded, record: recordOf(unfolded) };
}
