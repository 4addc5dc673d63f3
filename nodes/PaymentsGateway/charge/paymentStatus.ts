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
	const isPaidBefore = shown.outcome === 'refunded' || shown.outcome === 'returned';
	const sent = findSent(keysOf(ctx, { paymentData: '', referenceID }), false).filter(
		(charge) => !isPaidBefore || isLaterThan(shown.events, charge),
	);
	const captured = sent.filter(({ state }) => state === 'charged');
	if (captured.length > 0) {
		const isEarlierFailure = ({ key }: PaymentEvent) =>
			captured.some(({ earlierFailures }) => earlierFailures.has(key));
		const events = shown.events.filter((event) => !isEarlierFailure(event));
		const outcome = outcomeOf([...events, ...captured.map(eventOf)]);
		return { ...outcome, events: shown.events };
	}
	const last = sent.filter((charge) => mayBePending(charge, shown.failures)).at(-1);
	return last ? { ...shown, ...pending(last) } : shown;
}

/** Whether it is a repeated charge, and not one that the events show already. */
function isLaterThan(events: readonly PaymentEvent[], { sentAfter }: SentCharge): boolean {
	return events.every(({ at }) => !(secondOf(at) >= secondOf(sentAfter)));
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
		currency: CART_CURRENCY,
		transactionID,
		date: new Date(sentAfter).toISOString(),
	};
}
