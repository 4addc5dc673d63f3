import { EventsMissing } from '../events/eventScan';
import { secondOf } from '../events/order';
import { outcomeOf } from '../events/outcome';
import type { Outcome, PaymentOutcome } from '../events/outcome';
import { eventsAbout } from '../events/paymentEvent';
import type { PaymentEvent } from '../events/paymentEvent';
import { recentEvents } from '../events/recentEvents';
import type { OperationContext } from '../operation/operation';
import { CART_CURRENCY } from '../output/money';
import { keysOf } from './keys';
import { findSent, mayHaveFailed } from './sentCharges';
import type { SentCharge } from './sentCharges';

/**
 * What became of a payment, according to the gateway's events and, while they show no payment or only one
 * that was given back, the charges that this process has sent. Otherwise a workflow that asks right after
 * a charge would learn that nothing is paid, and ask the customer to pay again.
 */

/** What the events show about a reference. It fails if an event may be missing. */
export async function lookUpPayment(
	{ client, fieldError }: Pick<OperationContext, 'client' | 'fieldError'>,
	referenceID: string,
	lookBackDays: number,
): Promise<PaymentOutcome> {
	const events = await recentEvents(client, lookBackDays).catch((error: unknown) => {
		if (!(error instanceof EventsMissing)) throw error;
		throw fieldError(
			`Could not check whether the reference "${referenceID}" is already paid: ${error.message}`,
			`Nothing was changed or charged. Run it again later. If the gateway no longer lists older events, set 'Look Back (Days)' under Options (now ${lookBackDays}) to fewer days.`,
		);
	});
	return outcomeOf(eventsAbout(referenceID, events));
}

/** `pending`: this process has sent a charge whose outcome is unknown. */
export type PaymentStatus = Omit<PaymentOutcome, 'outcome'> & { outcome: Outcome | 'pending' };

export function statusOf(
	ctx: OperationContext,
	referenceID: string,
	shown: PaymentOutcome,
): PaymentStatus {
	return statusWith(findSent(keysOf(ctx, { paymentData: '', referenceID }), false), shown);
}

/** The status of a reference whose charges were sent by this process. */
export function statusWith(sent: readonly SentCharge[], shown: PaymentOutcome): PaymentStatus {
	if (shown.outcome === 'succeeded' || shown.outcome === 'partiallyRefunded') return shown;
	const unlisted = sent.filter((charge) => mayBeUnlisted(charge, shown));
	const captured = unlisted.filter(({ state }) => state === 'charged');
	if (captured.length > 0) {
		// An earlier attempt can have the same transaction ID. Its failure takes no charge back.
		const isOfEarlier = ({ key }: PaymentEvent) =>
			captured.some(({ earlierFailures }) => earlierFailures.has(key));
		const events = shown.events.filter((event) => !isOfEarlier(event));
		return { ...outcomeOf([...events, ...captured.map(eventOf)]), events: shown.events };
	}
	const last = unlisted.filter((charge) => !mayHaveFailed(charge, shown.failures)).at(-1);
	if (!last) return shown;
	const { date, amount, currency, transactionID } = eventOf(last);
	return { ...shown, outcome: 'pending', date, amount, paid: undefined, currency, transactionID };
}

/**
 * Whether the events may lack this charge. If all that they show was given back, that may be this charge,
 * unless every event is older. An event whose date cannot be read counts as older.
 */
function mayBeUnlisted({ sentAfter }: SentCharge, { outcome, events }: PaymentOutcome): boolean {
	const isLater = events.every(({ at }) => !(secondOf(at) >= secondOf(sentAfter)));
	return isLater || (outcome !== 'refunded' && outcome !== 'returned');
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
