import type { Cart, DynamicData, PaymentMethod } from '../../nodes/PaymentsGateway/wire';
import { computeCart, type StoredCart } from './cart';
import { webhookEvent } from './event';
import { identifier } from './identifier';
import { declineReason, settlementOf, settlementStateOf } from './paymentMethod';
import { Refusal } from './refusal';
import type { Charge } from './state';
import { type Outcome, type OutcomeType, payloadOf } from './transaction';
import type { World } from './world';

/**
 * Charges a cart and refunds a payment, and records the events of both. The endpoint and the pay
 * page share it. A pending payment has no event until it is captured.
 */

interface PaymentOrder {
	cart: StoredCart;
	dynamicData: DynamicData;
	payer: Outcome['payer'];
	method: PaymentMethod;
	groupID: string;
	via: Charge['via'];
	forceDecline?: boolean;
}

function record({ state, clock }: World, type: OutcomeType, outcome: Outcome, cart: Cart) {
	const event = webhookEvent(type, outcome.at, payloadOf(type, outcome, cart));
	state.eventLog(outcome.groupID).record(event, clock.now());
	return event;
}

/**
 * Records the capture, and the return if there is one. Returns the capture's event, which may lie in
 * the future; undefined if the payment stays pending for good.
 */
function recordCharge(world: World, { outcome, cart, settlesAt, returnsAt }: Charge) {
	if (settlesAt === undefined) return undefined;
	const outcomeAt = (at: number) => ({ ...outcome, at: new Date(at).toISOString() });
	const captured = record(world, 'payment_success', outcomeAt(settlesAt), cart);
	if (returnsAt !== undefined) {
		const returned = { status: 'RETURNED', message: 'Returned by the bank: insufficient funds' };
		record(world, 'payment_failed', { ...outcomeAt(returnsAt), ...returned }, cart);
	}
	return captured;
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
	const at = now.toISOString();
	const outcome: Outcome = {
		transactionID,
		parentTransactionID: null,
		amount,
		referenceID,
		groupID,
		method,
		at,
		// The payload always names a customer, so an unknown payer gets an ID for this payment.
		payer: { ...payer, customer_id: payer.customer_id || identifier('guest') },
		createdBy: via === 'page' ? 'paylink' : 'tokenized manual entry',
	};
	const usual = method.type === 'ach' ? 'Bank account declined' : 'Card declined';
	const declined = declineReason(method, now) || (order.forceDecline ? usual : '');
	if (declined !== '') {
		const event = record(world, 'payment_failed', { ...outcome, message: declined }, cart);
		return { transactionID, event, declined, isPending: false };
	}
	const settlement = settlementOf(method, now, settings.bankSettlesAfter);
	const charge: Charge = {
		transactionID,
		amount,
		referenceID,
		paymentData,
		via,
		...settlement,
		outcome,
		cart,
		isRefunded: false,
	};
	state.charges.push(charge);
	const isPending = settlementStateOf(settlement, now) === 'pending';
	return { transactionID, event: recordCharge(world, charge), declined: '', isPending };
}

export function refundPayment(world: World, transactionID: string) {
	const charge = world.state.charges.find((each) => each.transactionID === transactionID);
	if (!charge) throw new Refusal(404, `Transaction ${transactionID} not found`);
	if (charge.isRefunded) throw new Refusal(400, 'This payment has been refunded already');
	const settlement = settlementStateOf(charge, world.clock.now());
	if (settlement !== 'settled') throw new Refusal(400, `This payment is ${settlement}`);
	charge.isRefunded = true;
	const refund: Outcome = {
		...charge.outcome,
		transactionID: identifier('txn'),
		parentTransactionID: transactionID,
		createdBy: 'refund',
		at: world.clock.now().toISOString(),
	};
	return record(world, 'payment_refund', refund, charge.cart);
}
