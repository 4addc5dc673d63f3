import { inOrder, isFailure, isRefund, isSuccess } from './paymentEvent';
import type { PaymentEvent } from './paymentEvent';

/**
 * What a payment came to, by the events of its reference: the one rule by which Get Status tells and
 * by which a charge is held back. Payments count once for each transaction, less their refunds. A later
 * failure of the same transaction takes a payment back, as when a bank returns an ACH debit.
 */

export type Outcome =
	'succeeded' | 'partiallyRefunded' | 'refunded' | 'returned' | 'failed' | 'notFound';

/** Amounts are in the currency's smallest unit, and undefined where they are not known. */
export interface Settled {
	outcome: Outcome;
	/** Payments less refunds; of a return or a failure, what came back or was tried. */
	amount: number | undefined;
	/** What was paid, before anything went back. */
	paid: number | undefined;
	refunded: number | undefined;
	/** Empty where no event says it. */
	currency: string;
	transactionID: string;
	/** Of the last event that moved money, or failed to. */
	date: string | undefined;
	failures: readonly PaymentEvent[];
}

type Events = readonly PaymentEvent[];

/** Of those with the same key, the last. */
function lastOfEach(events: Events, keyOf: (event: PaymentEvent) => string): PaymentEvent[] {
	const last = new Map(events.map((event) => [keyOf(event), event]));
	return events.filter((event) => last.get(keyOf(event)) === event);
}

const ifKnown = (amount = NaN) => (Number.isNaN(amount) ? undefined : amount);

export function outcomeOf(all: Events): Settled {
	const events = inOrder(all);
	const failures = events.filter(isFailure);
	const payments = lastOfEach(events.filter(isSuccess), ({ id, eventID }) => id || eventID);
	const standing = payments.filter((payment) => !isReturned(payment, failures));
	const refunds = refundsIn(events, payments);
	const counted = countedOf({ payments, standing, refunds });
	const { paid, refunded } = addUp(counted);
	const left = Math.max(0, paid - refunded);

	let outcome: Outcome = failures.length > 0 ? 'failed' : 'notFound';
	if (payments.length > 0) outcome = standing.length > 0 ? 'succeeded' : 'returned';
	// If an amount is unknown, `left` is NaN: nothing shows that all of it was refunded.
	const isNothingLeft = standing.length === 0 || left === 0;
	if (counted.refunds.length > 0) outcome = isNothingLeft ? 'refunded' : 'partiallyRefunded';
	const last = counted.payments.at(-1) ?? refunds.at(-1) ?? failures.at(-1);
	return {
		outcome,
		amount: ifKnown(outcome === 'failed' ? last?.amount : left),
		paid: ifKnown(paid),
		refunded: ifKnown(refunded),
		currency: last?.currency ?? '',
		transactionID: last?.id ?? '',
		date: (inOrder([...standing, ...refunds]).at(-1) ?? failures.at(-1))?.date,
		failures,
	};
}

function isReturned({ id, at }: PaymentEvent, failures: Events): boolean {
	return id !== '' && failures.some((failure) => failure.id === id && failure.at > at);
}

/** A refund counts once per ID of its own. Without one, or with that of its payment, once per event. */
function refundsIn(events: Events, payments: Events): PaymentEvent[] {
	const notItsOwn = new Set(payments.map(({ id }) => id)).add('');
	return lastOfEach(events.filter(isRefund), ({ id, eventID }) =>
		notItsOwn.has(id) ? eventID : id,
	);
}

interface Counted {
	payments: Events;
	refunds: Events;
}

/**
 * The payments that count, and their refunds. One that was returned or refunded in full does not count
 * beside another, and neither do its refunds. If all were, the last one counts.
 */
function countedOf({ payments, standing, refunds }: Counted & { standing: Events }): Counted {
	const refundedOf = new Map<PaymentEvent, Events>();
	const isRefunded = (payment: PaymentEvent) => {
		const { paid, refunded } = addUp({
			payments: [payment],
			refunds: refundedOf.get(payment) ?? [],
		});
		return refunded >= paid;
	};
	const inTurn = [...standing, ...payments.filter((payment) => !standing.includes(payment))];
	for (const refund of refunds) {
		const { id, parent, at } = refund;
		const isItsOwn = (payment: PaymentEvent) =>
			payment.id !== '' && (payment.id === parent || payment.id === id);
		// A refund that names no payment is one of an earlier payment.
		const isEarlier = (payment: PaymentEvent) => payment.at <= at && !isRefunded(payment);
		const its = payments.find(isItsOwn) ?? inTurn.find(isEarlier);
		if (its) refundedOf.set(its, [...(refundedOf.get(its) ?? []), refund]);
	}
	const lasting = standing.filter((payment) => !isRefunded(payment));
	const latest = standing.at(-1) ?? payments.at(-1);
	const counted = lasting.length > 0 || !latest ? lasting : [latest];
	const ofOthers = payments
		.filter((payment) => !counted.includes(payment))
		.flatMap((payment) => refundedOf.get(payment) ?? []);
	return { payments: counted, refunds: refunds.filter((refund) => !ofOthers.includes(refund)) };
}

/** A sum is NaN if it is unknown: an amount is missing, or there are several currencies. */
function addUp({ payments, refunds }: Counted) {
	const currencies = new Set([...payments, ...refunds].flatMap(({ currency }) => currency || []));
	const sum = (events: Events) => {
		if (events.length > 0 && currencies.size > 1) return NaN;
		return events.reduce((total, { amount }) => total + amount, 0);
	};
	return { paid: payments.length > 0 ? sum(payments) : NaN, refunded: sum(refunds) };
}
