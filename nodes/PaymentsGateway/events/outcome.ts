import { inOrder } from './paymentEvent';
import type { PaymentEvent } from './paymentEvent';

/**
 * What the events of one reference add up to. Get Status reports this outcome, and Charge relies on it.
 *
 * - A payment counts once per transaction, less its refunds.
 * - A later failure of the same transaction takes it back, as when a bank returns an ACH debit. A failure
 *   that is not later belongs to an earlier attempt, since attempts can share an ID.
 * - A payment that was returned does not count if another exists, and neither do its refunds. If
 *   all payments were returned, the last one counts.
 */

export type Outcome =
	'succeeded' | 'partiallyRefunded' | 'refunded' | 'returned' | 'failed' | 'notFound';

/** Amounts are in the currency's smallest unit, and undefined if unknown. */
export interface PaymentOutcome {
	outcome: Outcome;
	/** What was paid less what was refunded. If it was returned, what was paid; if it failed, what was tried. */
	amount: number | undefined;
	/** What was paid, before any refund. Undefined without a payment, too. */
	paid: number | undefined;
	refunded: number | undefined;
	/** How many payments went through and were not returned. 2 means paid twice. */
	payments: number;
	/** Of the event that gives `transactionID`. Empty if that event names none. */
	currency: string;
	/** Of the last payment that counts; without one, of the last refund; without that, of the last failure. */
	transactionID: string;
	/** The date of the last payment that was not returned, or of a later refund that counts; else of the last failure. */
	date: string | undefined;
	/** All events of the reference, the oldest first. */
	events: readonly PaymentEvent[];
	failures: readonly PaymentEvent[];
}

type Events = readonly PaymentEvent[];

export function outcomeOf(unordered: Events): PaymentOutcome {
	const events = inOrder(unordered);
	const failures = events.filter(({ kind }) => kind === 'failure');
	const payments = paymentsIn(events);
	const lasting = payments.filter((payment) => !isReturned(payment, failures));
	const counted = lasting.length > 0 ? lasting : payments.slice(-1);
	const refunds = refundsIn(events, payments).filter((refund) =>
		refundCounts(refund, { payments, counted }),
	);
	const { paid, refunded } = addUp(counted, refunds);
	const left = Math.max(0, paid - refunded);
	const outcome = outcomeName({ failures, payments, lasting, refunds }, left);
	const received = outcome === 'returned' ? paid : left;
	const last = counted.at(-1) ?? refunds.at(-1) ?? failures.at(-1);
	return {
		outcome,
		amount: ifKnown(outcome === 'failed' ? last?.amount : received),
		paid: ifKnown(paid),
		refunded: ifKnown(refunded),
		payments: lasting.length,
		currency: last?.currency ?? '',
		transactionID: last?.transactionID ?? '',
		date: (inOrder([...lasting, ...refunds]).at(-1) ?? failures.at(-1))?.date,
		events,
		failures,
	};
}

/** If `left` is unknown, it is NaN: nothing shows that all of it was refunded. */
function outcomeName(
	events: Record<'failures' | 'payments' | 'lasting' | 'refunds', Events>,
	left: number,
): Outcome {
	const { failures, payments, lasting, refunds } = events;
	if (payments.length > 0) {
		// The merchant gave all of it back on purpose, and expects no payment: that outranks a return.
		if (refunds.length > 0 && left === 0) return 'refunded';
		if (lasting.length === 0) return 'returned';
		return refunds.length > 0 ? 'partiallyRefunded' : 'succeeded';
	}
	if (refunds.length > 0) return 'refunded';
	return failures.length > 0 ? 'failed' : 'notFound';
}

function paymentsIn(events: Events): PaymentEvent[] {
	const payments = events.filter(({ kind }) => kind === 'payment');
	return lastPerKey(payments, ({ transactionID, key }) => transactionID || key);
}

function isReturned({ transactionID, at }: PaymentEvent, failures: Events): boolean {
	const isLater = (failure: PaymentEvent) =>
		failure.transactionID === transactionID && failure.at > at;
	return transactionID !== '' && failures.some(isLater);
}

/**
 * A refund that is reported twice counts once, by its own transaction ID. Without one, or if that ID is
 * its payment's, it counts once per event.
 */
function refundsIn(events: Events, payments: Events): PaymentEvent[] {
	const paymentIDs = new Set(payments.map(({ transactionID }) => transactionID)).add('');
	const refunds = events.filter(({ kind }) => kind === 'refund');
	return lastPerKey(refunds, ({ transactionID, key }) =>
		paymentIDs.has(transactionID) ? key : transactionID,
	);
}

/**
 * A refund that names a payment counts if that payment counts. One that names no payment of the reference
 * counts unless every counted payment is known to be later. If there is no payment at all, it counts.
 */
function refundCounts(
	refund: PaymentEvent,
	{ payments, counted }: Record<'payments' | 'counted', Events>,
): boolean {
	const ids = [refund.transactionID, refund.parentTransactionID].filter(Boolean);
	const parent = payments.find(({ transactionID }) => ids.includes(transactionID));
	if (parent) return counted.includes(parent);
	return counted.length === 0 || counted.some(({ at }) => !(at > refund.at));
}

/**
 * A sum is NaN if it is unknown: an amount is missing, or there are several currencies. `paid` is NaN
 * without a payment, too.
 */
function addUp(payments: Events, refunds: Events) {
	const currencies = new Set([...payments, ...refunds].flatMap(({ currency }) => currency || []));
	const sum = (events: Events) => {
		if (events.length > 0 && currencies.size > 1) return NaN;
		return events.reduce((total, { amount }) => total + amount, 0);
	};
	return { paid: payments.length > 0 ? sum(payments) : NaN, refunded: sum(refunds) };
}

/** The last event for each key. */
function lastPerKey(events: Events, keyOf: (event: PaymentEvent) => string): PaymentEvent[] {
	const last = new Map(events.map((event) => [keyOf(event), event]));
	return events.filter((event) => last.get(keyOf(event)) === event);
}

function ifKnown(amount = NaN): number | undefined {
	return Number.isNaN(amount) ? undefined : amount;
}
