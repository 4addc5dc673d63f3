import type { Cart, DynamicData, WebhookEvent } from '../../nodes/PaymentsGateway/wire';
import { computeCart, type StoredCart } from './cart';
import { webhookEvent } from './event';
import { identifier } from './identifier';
import { dollars } from './money';
import { hasExpired, type PayingInstrument } from './paymentMethod';
import { Refusal } from './refusal';
import type { Capture, Charge } from './state';
import {
	failedPayload,
	type Occurrence,
	type Payer,
	refundPayload,
	successPayload,
} from './transaction';
import type { World } from './world';

/**
 * Charges a cart and refunds a payment, and records the events of both. The endpoint and the
 * payment page share it.
 */

interface PaymentOrder {
	cart: StoredCart;
	dynamicData: DynamicData;
	payer: Payer;
	instrument: PayingInstrument;
	groupID: string;
	via: Charge['via'];
	/** Undefined: as the settings say. */
	outcome?: 'paid' | 'declined' | undefined;
}

export type PaymentOutcome =
	| { paid: true; transactionID: string; cart: Cart; event: WebhookEvent }
	| { paid: false; transactionID: string; message: string; event: WebhookEvent };

/**
 * Charges, or declines, and records the event. A cart that is sent twice is charged twice: the
 * worst that a service can do, so that tests see a double charge.
 */
export function takePayment(world: World, order: PaymentOrder): PaymentOutcome {
	const { cart, payer, instrument, groupID, via } = order;
	const computed = computeCart(cart, order.dynamicData);
	const amount = computed.breakdown.total;
	if (amount === 0) throw new Refusal(400, 'The total of this cart is 0: nothing to charge');
	const { state, settings, clock } = world;
	const occurrence: Occurrence = {
		transactionID: identifier('txn'),
		amount,
		referenceID: cart.referenceID,
		groupID,
		// The payload always names a customer, so an unknown payer gets an ID for this payment.
		payer: { ...payer, customerID: payer.customerID || identifier('guest') },
		instrument,
		createdBy: via === 'page' ? 'paylink' : 'tokenized manual entry',
		at: clock.now().toISOString(),
	};
	const outcome = order.outcome ?? settings.chargeOutcome;
	const isDeclined = instrument.declined || outcome === 'declined';
	if (isDeclined || hasExpired(instrument, clock.now())) {
		const what = instrument.type === 'ach' ? 'Bank account' : 'Card';
		const message = `${what} ${isDeclined ? 'declined' : 'expired'}`;
		const payload = failedPayload(occurrence, message);
		const event = webhookEvent({
			date: occurrence.at,
			type: 'payment_failed',
			payload,
		});
		const { transactionID } = occurrence;
		return { paid: false, transactionID, message, event: state.record(groupID, event) };
	}
	const { transactionID, referenceID, at } = occurrence;
	const { paymentData } = cart;
	state.captures.set(transactionID, { occurrence, cart: computed, refunded: 0 });
	state.charges.push({ transactionID, amount, referenceID, paymentData, via, at });
	for (const paylink of state.paylinks.values()) {
		if (paylink.paymentData !== paymentData || paylink.status !== 'open') continue;
		paylink.status = 'paid';
		paylink.transactionID = transactionID;
	}
	const payload = successPayload(occurrence, computed);
	const event = webhookEvent({ date: at, type: 'payment_success', payload });
	return { paid: true, transactionID, cart: computed, event: state.record(groupID, event) };
}

export function refundable({ occurrence, refunded }: Capture): number {
	return occurrence.amount - refunded;
}

export function refundPayment(
	{ state, clock }: World,
	transactionID: string,
	amount?: number,
): WebhookEvent {
	const capture = state.captures.get(transactionID);
	if (!capture) throw new Refusal(404, `Transaction ${transactionID} not found`);
	const left = refundable(capture);
	const refunded = amount ?? left;
	if (!Number.isSafeInteger(refunded) || refunded < 1 || refunded > left) {
		throw new Refusal(400, `A refund must be between ${dollars(1)} and ${dollars(left)}`);
	}
	capture.refunded += refunded;
	for (const paylink of state.paylinks.values()) {
		if (paylink.transactionID !== transactionID) continue;
		paylink.status = refundable(capture) === 0 ? 'refunded' : 'partiallyRefunded';
	}
	const at = clock.now().toISOString();
	const occurrence: Occurrence = {
		...capture.occurrence,
		transactionID: identifier('txn'),
		amount: refunded,
		createdBy: 'refund',
		at,
	};
	const event = webhookEvent({
		date: at,
		type: 'payment_refund',
		payload: refundPayload(occurrence, transactionID),
	});
	return state.record(occurrence.groupID, event);
}
