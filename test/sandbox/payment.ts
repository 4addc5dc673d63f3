import type { DynamicData } from '../../nodes/PaymentsGateway/wire';
import { computeCart, type StoredCart } from './cart';
import { webhookEvent } from './event';
import { identifier } from './identifier';
import { declineReason, captureTimesOf, captureStateOf } from './paymentMethod';
import { Refusal } from './refusal';
import type { Charge } from './state';
import { type Outcome, type OutcomeType, payloadOf } from './transaction';
import type { World } from './world';

/**
 * Charges a cart and refunds a payment, and records the events of both. The endpoint and the pay
 * page share it. A pending payment has no event until it is captured.
 */

interface PaymentOrder extends Pick<Charge, 'payer' | 'method' | 'groupID' | 'via'> {
	cart: StoredCart;
	dynamicData: DynamicData;
	forceDecline?: boolean;
}

function record({ state, clock }: World, type: OutcomeType, outcome: Outcome) {
	const event = webhookEvent(type, outcome.at, payloadOf(type, outcome));
	state.eventLog(outcome.groupID).record(event, clock.now());
	return event;
}

/**
 * Records the capture, and the return if there is one. Returns the capture's event, which may lie in
 * the future; undefined if the payment stays pending for good.
 */
function recordCharge(world: World, charge: Charge) {
	const { capturedAt, returnedAt } = charge;
	if (capturedAt === undefined) return undefined;
	const chargeAt = (at: number) => ({ ...charge, at: new Date(at).toISOString() });
	const capture = record(world, 'payment_success', chargeAt(capturedAt));
	if (returnedAt !== undefined) {
		const returned = { status: 'RETURNED', message: 'Returned by the bank: insufficient funds' };
		record(world, 'payment_failed', { ...chargeAt(returnedAt), ...returned });
	}
	return capture;
}

/**
 * Charges or declines, and records the event. A cart that is sent twice is charged twice: the worst
 * that a gateway can do, so that tests see a double charge.
 */
export function takePayment(world: World, order: PaymentOrder) {
	const { state, clock, settings } = world;
	const { paymentData, referenceID } = order.cart;
	const { payer, method, groupID, via } = order;
	const cart = computeCart(order.cart, order.dynamicData);
	const amount = cart.breakdown.total;
	if (amount === 0) throw new Refusal(400, 'The total of this cart is 0: nothing to charge');
	const transactionID = identifier('txn');
	const now = clock.now();
	const outcome: Outcome = {
		transactionID,
		parentTransactionID: null,
		amount,
		referenceID,
		groupID,
		method,
		cart,
		at: now.toISOString(),
		// The payload always names a customer, so an unknown payer gets an ID for this payment.
		payer: { ...payer, customer_id: payer.customer_id || identifier('guest') },
		createdBy: via === 'page' ? 'paylink' : 'tokenized manual entry',
	};
	const forcedMessage = method.type === 'ach' ? 'Bank account declined' : 'Card declined';
	const declineMessage = declineReason(method, now) || (order.forceDecline ? forcedMessage : '');
	if (declineMessage !== '') {
		const event = record(world, 'payment_failed', { ...outcome, message: declineMessage });
		return { transactionID, event, declineMessage, isPending: false };
	}
	const captureTimes = captureTimesOf(method, now, settings.bankCapturesAfter);
	const charge = { ...outcome, ...captureTimes, paymentData, via, isRefunded: false };
	state.charges.push(charge);
	const isPending = captureStateOf(charge, now) === 'pending';
	return { transactionID, event: recordCharge(world, charge), declineMessage, isPending };
}

export function refundPayment(world: World, transactionID: string) {
	const charge = world.state.charges.find((each) => each.transactionID === transactionID);
	if (!charge) throw new Refusal(404, `Transaction ${transactionID} not found`);
	if (charge.isRefunded) throw new Refusal(400, 'This payment has been refunded already');
	const captureState = captureStateOf(charge, world.clock.now());
	if (captureState !== 'captured') throw new Refusal(400, `This payment is ${captureState}`);
	charge.isRefunded = true;
	return record(world, 'payment_refund', {
		...charge,
		transactionID: identifier('txn'),
		parentTransactionID: transactionID,
		createdBy: 'refund',
		at: world.clock.now().toISOString(),
	});
}
