import { secondOf } from '../events/order';
import { outcomeOf } from '../events/outcome';
import type { Outcome, PaymentOutcome } from '../events/outcome';
import type { PaymentEvent } from '../events/paymentEvent';
import type { OperationContext } from '../operation/operation';
import { CART_CURRENCY } from '../output/money';
import { keysOf } from './keys';
import { canBeOwn, findSent, hasFailed } from './sentCharges';
import type { SentCharge } from './sentCharges';

/**
 * What became of a payment, according to the gateway's events and, while they show no payment or only one
 * that was given back, the charges that this process has sent. Otherwise a workflow that asks right after
 * a charge would learn that nothing is paid, and ask the customer to pay again.
 */

/** `pending`: this process has sent a charge whose outcome is unknown. */
export type PaymentStatus = Omit<PaymentOutcome, 'outcome'> & { outcome: Outcome | 'pending' };

export function statusOf(
	ctx: OperationContext,
	referenceID: string,
	shown: PaymentOutcome,
): PaymentStatus {
	if (shown.outcome === 'succeeded' || shown.outcome === 'partiallyRefunded') return shown;
	const sent = findSent(keysOf(ctx, { paymentData: '', referenceID }), false);
	const unlisted = sent.filter((charge) => isUnlisted(charge, shown));
	const captured = unlisted.filter(({ state }) => state === 'charged');
	if (captured.length > 0) {
		const events = withoutEarlierFailures(shown.events, captured);
		return { ...outcomeOf([...events, ...captured.map(eventOf)]), events: shown.events };
	}
	const last = unlisted.filter((charge) => mayBePending(charge, shown.failures)).at(-1);
	return last ? { ...shown, ...pending(last) } : shown;
}

/** If the events show a payment that was given back, it may be this charge's, unless the charge was sent later. */
function isUnlisted({ sentAfter }: SentCharge, { outcome, events }: PaymentOutcome): boolean {
	const isLater = events.every(({ at }) => !(secondOf(at) >= secondOf(sentAfter)));
	return isLater || (outcome !== 'refunded' && outcome !== 'returned');
}

/** An earlier attempt can have the same transaction ID. Its failure takes no charge back. */
function withoutEarlierFailures(
	events: readonly PaymentEvent[],
	captured: readonly SentCharge[],
): PaymentEvent[] {
	const earlier = new Set(captured.flatMap(({ earlierFailures }) => [...earlierFailures]));
	return events.filter(({ key }) => !earlier.has(key));
}

/** The event that the gateway has yet to list. Its date is shortly before the charge was sent. */
function eventOf({ transactionID, cart, sentAfter }: SentCharge): PaymentEvent {
	return {
		key: transactionID,
		kind: 'payment',
		date: new Date(sentAfter).toISOString(),
		at: sentAfter,
		references: [cart.referenceID],
		transactionID,
		parentTransactionID: '',
		amount: cart.total,
		currency: CART_CURRENCY,
		json: '',
	};
}

/**
 * Without a transaction ID, a later failure counts as this charge's. Charge is stricter: without
 * that ID it reports an unknown outcome, whatever failures show.
 */
function mayBePending(charge: SentCharge, failures: readonly PaymentEvent[]): boolean {
	if (charge.transactionID) return !hasFailed(charge, failures);
	return !failures.some((failure) => canBeOwn(charge, failure));
}

function pending({ cart, transactionID, sentAfter }: SentCharge) {
	return {
		outcome: 'pending' as const,
		amount: cart.total,
		paid: undefined,
		currency: CART_CURRENCY,
		transactionID,
		date: new Date(sentAfter).toISOString(),
	};
}
