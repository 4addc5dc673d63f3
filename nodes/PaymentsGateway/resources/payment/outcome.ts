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

const sumOf = (events: Events) => events.reduce((sum, { amount }) => sum + amount, 0);
const ifKnown = (amount = NaN) => (Number.isNaN(amount) ? undefined : amount);

export function outcomeOf(all: Events): Settled {
	const events = inOrder(all);
	const failures = events.filter(isFailure);
	const successes = lastOfEach(events.filter(isSuccess), ({ id, eventID }) => id || eventID);
	const isReturned = ({ id, at }: PaymentEvent) =>
		id !== '' && failures.some((failure) => failure.id === id && failure.at > at);
	const standing = successes.filter((event) => !isReturned(event));
	const payments = standing.length > 0 ? standing : successes;
	const ids = new Set(successes.map(({ id }) => id));
	// A refund may be told under the ID of its payment, and is then known by its event.
	const refunds = lastOfEach(events.filter(isRefund), ({ id, eventID }) =>
		id === '' || ids.has(id) ? eventID : id,
	);

	const currencies = new Set([...payments, ...refunds].flatMap(({ currency }) => currency || []));
	// Amounts in several currencies are not added up.
	const isAddable = currencies.size <= 1;
	const paid = isAddable && payments.length > 0 ? sumOf(payments) : NaN;
	const refunded = isAddable ? sumOf(refunds) : NaN;
	const left = Math.max(0, paid - refunded);

	let outcome: Outcome = failures.length > 0 ? 'failed' : 'notFound';
	if (successes.length > 0) outcome = standing.length > 0 ? 'succeeded' : 'returned';
	// Where an amount is not known, nobody can say that all of it went back.
	const isAllBack = standing.length === 0 || left === 0;
	if (refunds.length > 0) outcome = isAllBack ? 'refunded' : 'partiallyRefunded';
	const telling = payments.at(-1) ?? refunds.at(-1) ?? failures.at(-1);
	return {
		outcome,
		amount: ifKnown(outcome === 'failed' ? telling?.amount : left),
		paid: ifKnown(paid),
		refunded: ifKnown(refunded),
		currency: telling?.currency ?? '',
		transactionID: telling?.id ?? '',
		date: (inOrder([...standing, ...refunds]).at(-1) ?? failures.at(-1))?.date,
		failures,
	};
}
