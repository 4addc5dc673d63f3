import { inOrder, isFailure, isPayment, isRefund } from './paymentEvent';
import type { PaymentEvent } from './paymentEvent';

/**
 * What the events of one reference add up to. Get Status reports this outcome, and Charge relies on it.
 *
 * - A payment counts once per transaction, less its refunds.
 * - A later failure of the same transaction takes it back, as when a bank returns an ACH debit. A failure
 *   that is not later belongs to an earlier attempt, since attempts can share an ID.
 * - A payment that was returned or refunded in full does not count beside another one, and neither do
 *   its refunds. If all payments were, the last one counts.
 */

export type Outcome =
	'succeeded' | 'partiallyRefunded' | 'refunded' | 'returned' | 'failed' | 'notFound';

/** Amounts are in the currency's smallest unit, and undefined if unknown. */
export interface PaymentOutcome {
	outcome: Outcome;
	/** What was paid less what was refunded. If it was returned or failed, what was returned or tried. */
	amount: number | undefined;
	/** What was paid, before any refund. */
	paid: number | undefined;
	refunded: number | undefined;
	/** How many payments went through and were not returned. 2 means paid twice. */
	payments: number;
	/** Empty if no event names it. */
	currency: string;
	/** The transaction of the last payment or, if there is none, of the last refund or failure. */
	transactionID: string;
	/** The date of the last event that moved money or, if there is none, of the last failure. */
	date: string | undefined;
	/** All events of the reference, the oldest first. */
	events: readonly PaymentEvent[];
	failures: readonly PaymentEvent[];
}

type Events = readonly PaymentEvent[];

interface Payment {
	event: PaymentEvent;
	isReturned: boolean;
	refunds: PaymentEvent[];
}

export function outcomeOf(unordered: Events): PaymentOutcome {
	const events = inOrder(unordered);
	const failures = events.filter(isFailure);
	const payments = paymentsIn(events, failures);
	const allRefunds = refundsIn(events, payments);
	const unassigned = assignRefunds(allRefunds, payments);
	const counted = countedAmong(payments);
	const refunds = [...unassigned, ...counted.flatMap((payment) => payment.refunds)];
	const { paid, refunded } = addUp(eventsOf(counted), refunds);
	const left = Math.max(0, paid - refunded);

	const lasting = payments.filter(({ isReturned }) => !isReturned);
	const hasMoney = lasting.length > 0 && left !== 0;
	let outcome: Outcome = failures.length > 0 ? 'failed' : 'notFound';
	if (payments.length > 0) outcome = lasting.length > 0 ? 'succeeded' : 'returned';
	// If an amount is unknown, `left` is NaN: nothing shows that all of it was refunded.
	if (refunds.length > 0) outcome = hasMoney ? 'partiallyRefunded' : 'refunded';
	const last = counted.at(-1)?.event ?? refunds.at(-1) ?? failures.at(-1);
	return {
		outcome,
		amount: ifKnown(outcome === 'failed' ? last?.amount : left),
		paid: ifKnown(paid),
		refunded: ifKnown(refunded),
		payments: lasting.length,
		currency: last?.currency ?? '',
		transactionID: last?.transactionID ?? '',
		date: (inOrder([...eventsOf(lasting), ...allRefunds]).at(-1) ?? failures.at(-1))?.date,
		...{ events, failures },
	};
}

function paymentsIn(events: Events, failures: Events): Payment[] {
	const keyOf = ({ transactionID, eventID }: PaymentEvent) => transactionID || eventID;
	return lastPerKey(events.filter(isPayment), keyOf).map((event) => {
		return { event, isReturned: isReturned(event, failures), refunds: [] };
	});
}

function isReturned({ transactionID, at }: PaymentEvent, failures: Events): boolean {
	const isLater = (failure: PaymentEvent) =>
		failure.transactionID === transactionID && failure.at > at;
	return transactionID !== '' && failures.some(isLater);
}

/** A refund counts once per ID of its own. Without one, or with that of its payment, once per event. */
function refundsIn(events: Events, payments: readonly Payment[]): PaymentEvent[] {
	const notItsOwn = new Set(payments.map(({ event }) => event.transactionID)).add('');
	return lastPerKey(events.filter(isRefund), ({ transactionID, eventID }) =>
		notItsOwn.has(transactionID) ? eventID : transactionID,
	);
}

/**
 * Adds each refund to the payment that it names or, if it names none, to the first one before it that
 * still has money. Returns the refunds for which there is no such payment.
 */
function assignRefunds(refunds: Events, payments: readonly Payment[]): PaymentEvent[] {
	const returnedLast = [...payments].sort((a, b) => Number(a.isReturned) - Number(b.isReturned));
	return refunds.filter((refund) => {
		const names = [refund.transactionID, refund.parentTransactionID].filter(Boolean);
		const payment =
			payments.find(({ event }) => names.includes(event.transactionID)) ??
			returnedLast.find((each) => each.event.at <= refund.at && !isRefunded(each));
		payment?.refunds.push(refund);
		return payment === undefined;
	});
}

function countedAmong(payments: readonly Payment[]): readonly Payment[] {
	const notReturned = payments.filter(({ isReturned }) => !isReturned);
	const kept = notReturned.filter((payment) => !isRefunded(payment));
	if (kept.length > 0) return kept;
	return (notReturned.length > 0 ? notReturned : payments).slice(-1);
}

/** In full. */
function isRefunded({ event, refunds }: Payment): boolean {
	const { paid, refunded } = addUp([event], refunds);
	return refunded >= paid;
}

/** A sum is NaN if it is unknown: an amount is missing, or there are several currencies. */
function addUp(payments: Events, refunds: Events) {
	const currencies = new Set([...payments, ...refunds].flatMap(({ currency }) => currency || []));
	const sum = (events: Events) => {
		if (events.length > 0 && currencies.size > 1) return NaN;
		return events.reduce((total, { amount }) => total + amount, 0);
	};
	return { paid: payments.length > 0 ? sum(payments) : NaN, refunded: sum(refunds) };
}

function eventsOf(payments: readonly Payment[]): PaymentEvent[] {
	return payments.map(({ event }) => event);
}

/** The last event for each key. */
function lastPerKey(events: Events, keyOf: (event: PaymentEvent) => string): PaymentEvent[] {
	const last = new Map(events.map((event) => [keyOf(event), event]));
	return events.filter((event) => last.get(keyOf(event)) === event);
}

function ifKnown(amount = NaN): number | undefined {
	return Number.isNaN(amount) ? undefined : amount;
}
