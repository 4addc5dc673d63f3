import type { Cart, DynamicData, PaymentMethod } from '../../nodes/PaymentsGateway/wire';
import { computeCart, type StoredCart } from './cart';
import { webhookEvent } from './event';
import { identifier } from './identifier';
import { declineOf, settlementOf, settlementStateOf } from './paymentMethod';
import { Refusal } from './refusal';
import type { Charge } from './state';
import { type Occurrence, type OutcomeType, payloadOf } from './transaction';
import type { World } from './world';

/**
 * Charges a cart and refunds a payment, and records the events of both. The endpoint and the pay
 * page share it. A pending payment has no event until it is captured.
 */

interface PaymentOrder {
	cart: StoredCart;
	dynamicData: DynamicData;
	payer: Occurrence['payer'];
	method: PaymentMethod;
	groupID: string;
	via: Charge['via'];
	/** A good method is declined too. */
	declines?: boolean;
}

function record({ state, clock }: World, type: OutcomeType, occurrence: Occurrence, cart: Cart) {
	const event = webhookEvent(type, occurrence.at, payloadOf(type, occurrence, cart));
	state.log(occurrence.groupID).record(event, clock.now());
	return event;
}

/** The event of the capture, as far as there is one, and that of the return. */
function recordCharge(world: World, { occurrence, cart, settlesAt, returnsAt }: Charge) {
	const isOn = (at: number) => ({ ...occurrence, at: new Date(at).toISOString() });
	if (settlesAt === undefined) return undefined;
	const captured = record(world, 'payment_success', isOn(settlesAt), cart);
	if (returnsAt !== undefined) {
		const returned = { status: 'RETURNED', message: 'Returned by the bank: insufficient funds' };
		record(world, 'payment_failed', { ...isOn(returnsAt), ...returned }, cart);
	}
	return captured;
}

/**
 * Charges, or declines, and records the event. A cart that is sent twice is charged twice: the
 * worst that a gateway can do, so that tests see a double charge.
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
	const occurrence: Occurrence = {
		...{ transactionID, parentTransactionID: null, amount, referenceID, groupID, method, at },
		// The payload always names a customer, so an unknown payer gets an ID for this payment.
		payer: { ...payer, customer_id: payer.customer_id || identifier('guest') },
		createdBy: via === 'page' ? 'paylink' : 'tokenized manual entry',
	};
	const usual = method.type === 'ach' ? 'Bank account declined' : 'Card declined';
	const declined = declineOf(method, now) || (order.declines ? usual : '');
	if (declined !== '') {
		const event = record(world, 'payment_failed', { ...occurrence, message: declined }, cart);
		return { transactionID, event, declined, isPending: false };
	}
	const settlement = settlementOf(method, now, settings.bankSettlesAfter);
	const charged = { transactionID, amount, referenceID, paymentData, via };
	const charge = { ...charged, ...settlement, occurrence, cart, isRefunded: false };
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
	const refund: Occurrence = {
		...charge.occurrence,
		transactionID: identifier('txn'),
		parentTransactionID: transactionID,
		createdBy: 'refund',
		at: world.clock.now().toISOString(),
	};
	return record(world, 'payment_refund', refund, charge.cart);
}
