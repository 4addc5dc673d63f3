import type { Client } from '../../gateway/client';
import { eventRows } from './olderEvents';
import { SMALLEST_PAGE, USUAL_CAPS } from '../../gateway/page';
import type { OperationContext } from '../../operation/operation';
import { isAbout, unfold } from '../../output/event';
import { recordOf, referenceOf } from './olderPayload';
import { eventType } from '../../wire/event';
import { momentOf } from '../../wire/moment';
import type { WebhookEvent } from '../../wire';
import { refundsIn } from './outcome';
import { idOf, idsOf, inOrder, isFailure, isSuccess, isRefund, parentOf } from './paymentEvent';
import type { PaymentEvent } from './paymentEvent';
import { allFound, areAmong, checkOf, firstPage, forgetCheck } from './search';
import type { Rows } from './search';

/**
 * Every event of a reference: what Charge asks for before each charge, and what Get Status tells.
 * Where the gateway's search is believed, it is asked, with the newest page of the list beside it,
 * since a search may lag behind. Otherwise the list is read as far as the look-back reaches.
 */

const DAY = 24 * 60 * 60 * 1000;
const PAGE_SIZE = 100;
/** The reading ends at so many rows older than the look-back: some late events may stand together. */
const PAST_ROWS = 50;
/** So few at the end of a list may all have come late. */
const LATE_ROWS = 5;

type LookUp = Pick<OperationContext, 'client' | 'fieldError'>;
type FirstPage = Awaited<ReturnType<typeof firstPage>>;

/** All events of a reference, the oldest first. An error where some may be missing. */
export async function eventsOf(
	work: LookUp,
	reference: string,
	lookBackDays: number,
): Promise<PaymentEvent[]> {
	const { client } = work;
	const { isBelieved, oldest } = await checkOf(client, reference);
	const newest = firstPage(client);
	const found = isBelieved
		? await searchFor(client, reference, newest).catch(() => undefined)
		: undefined;
	const rows = found ?? (await readBack(work, reference, lookBackDays, await newest, oldest));
	return inOrder(eventsIn(rows, reference));
}

/** Asks the search. Undefined where it misses what the newest page shows, or may have more to show. */
async function searchFor(
	client: Client,
	reference: string,
	newest: Promise<FirstPage>,
): Promise<Rows | undefined> {
	const [{ rows }, found] = await Promise.all([newest, allFound(client, reference)]);
	if (found === undefined) return undefined;
	const listed = rows.filter((row) => isAbout(unfold(row), reference));
	if (!areAmong(found, listed)) {
		forgetCheck(client, reference);
		return undefined;
	}
	const all = [...rows, ...found];
	// Refunds that carry no reference are found by the ID of their payment.
	const ids = new Set(eventsIn(all, reference).filter(isSuccess).map(idOf));
	ids.delete('');
	const ofPayments = await Promise.all([...ids].map((id) => allFound(client, id)));
	if (!ofPayments.every((its) => its !== undefined)) return undefined;
	return [...all, ...ofPayments.flat()];
}

/** Reads the list itself as far as the look-back reaches; for a refund on, until it shows its payment. */
async function readBack(
	{ client, fieldError }: LookUp,
	reference: string,
	lookBackDays: number,
	newest: FirstPage,
	oldest = -Infinity,
): Promise<Rows> {
	const { rows } = newest;
	const newestMoment = Math.max(...rows.flatMap(({ date }) => momentOf(date) ?? []));
	// The earliest of what may be the time now, so that no clock that runs ahead shortens the look-back.
	const now = Math.min(Date.now(), newest.date ?? Infinity, newestMoment);
	const since = now - lookBackDays * DAY;
	// Then all of the list is wanted: no page waits for what another shows, and the oldest page, which
	// is needed at the end, is asked for beside them.
	const isAllWanted = oldest >= since;
	const readOldest = async () => await firstPage(client, { order: 'asc' }).catch(() => undefined);
	const alreadyAsked = isAllWanted ? readOldest() : undefined;

	const mayConcern = concerning(reference);
	const kept: WebhookEvent[] = [];
	const seen = new Set<string>();
	/** How many rows in a row are older than the look-back. */
	let olderRows = 0;
	/** Whether the look-back itself was read whole. */
	let hasPassed = false;
	// Only walks the rows: what may concern the reference is kept here.
	let { missing } = await eventRows(client, {
		page: { pageSize: PAGE_SIZE, sort: { field: 'date', order: 'desc' } },
		shape: (row) => {
			seen.add(row.eventID);
			const isOlder = !isAllWanted && (momentOf(row.date) ?? since) < since;
			olderRows = isOlder ? olderRows + 1 : 0;
			hasPassed ||= olderRows > LATE_ROWS;
			if (mayConcern(row)) kept.push(row);
			return undefined;
		},
		until: isAllWanted
			? undefined
			: {
					moment: since,
					order: 'desc',
					rowsToPass: PAST_ROWS,
					// A refund whose payment has not shown yet: that lies further back.
					isWantedBeyond: () => {
						const events = eventsIn(kept, reference);
						return refundsIn(events).length > 0 && !events.some(isSuccess);
					},
				},
		// The page just read, unless it is a small one, since one of this size was refused.
		first: rows.length > SMALLEST_PAGE ? newest.answer : undefined,
	});
	// The look-back was read whole; only the payment of a refund, further back, was not reached.
	if (hasPassed && refundsIn(eventsIn(kept, reference)).length > 0) missing = undefined;
	const isCounted = newest.total === seen.size;
	const mayBeAWindow = !isCounted || seen.size > PAGE_SIZE || USUAL_CAPS.has(seen.size);
	if (missing === undefined && !hasPassed && mayBeAWindow) {
		// Some gateways show the newest rows of a list alone, as if there were no others. Asked for the
		// oldest, they show one that they have not listed.
		const other = await (alreadyAsked ?? readOldest());
		const isHidden = ({ eventID, date }: WebhookEvent) =>
			!seen.has(eventID) && (momentOf(date) ?? Infinity) < newestMoment;
		if (other?.rows.some(isHidden)) missing = 'the gateway shows only its newest events';
	}
	if (missing === undefined) return [...rows.filter(mayConcern), ...kept];
	throw fieldError(
		`Nobody can tell whether the reference "${reference}" was paid: ${missing}`,
		`Nothing was changed or charged. Run it again later. Where the gateway shows only its newest events, set 'Look Back (Days)' under Options (now ${lookBackDays}) to no more days than these go back.`,
	);
}

/**
 * Whether it may carry the reference, or give back a payment that does. To look into every payload of
 * a long list would take longer than to fetch it.
 */
function concerning(reference: string): (row: WebhookEvent) => boolean {
	// However JSON is written, letters and digits stand as they are.
	const words = reference.match(/[a-z\d]+/gi) ?? [];
	return ({ type, payload }) =>
		typeof payload !== 'string' ||
		words.every((word) => payload.includes(word)) ||
		// A success takes nothing back.
		eventType(type) !== 'payment_success';
}

/** The events of a reference among these rows: what carries it, and the refunds of its payments. */
function eventsIn(rows: Rows, reference: string): PaymentEvent[] {
	const events = rows.map((row): PaymentEvent => {
		const unfolded = unfold(row);
		return { ...unfolded, record: recordOf(unfolded) };
	});
	const carrying = events.filter((each) => isAbout(each, reference));
	const payments = new Set(carrying.filter(isSuccess).map(idOf));
	payments.delete('');
	const refunds = events.filter(
		(each) => isRefund(each) && (payments.has(parentOf(each)) || payments.has(idOf(each))),
	);
	// A debit that comes back is of its payment, also where its event carries no reference.
	const returns = events.filter(
		(each) =>
			isFailure(each) &&
			referenceOf(each) === '' &&
			[...idsOf(each), parentOf(each)].some((id) => payments.has(id)),
	);
	return [...carrying, ...refunds, ...returns];
}
