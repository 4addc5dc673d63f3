import type { Cart } from '../../nodes/PaymentsGateway/wire';
import type { KnownEventType, Transaction, TransactionLineItems } from './eventPayload';
import { identifier } from './identifier';
import type { PayingInstrument } from './paymentMethod';

/**
 * Builds the payloads of payment events from what happened. Success and refund have the fields of
 * the service's description; the shape of a failure is a guess, as the description leaves it open.
 */

export interface Payer {
	customerID: string;
	name: string;
	email: string;
	phone: string;
	country: string;
	address: string;
}

export interface Occurrence {
	transactionID: string;
	amount: number;
	referenceID: string;
	groupID: string;
	payer: Payer;
	instrument: PayingInstrument;
	createdBy: string;
	at: string;
}

/** With every field of a transaction that the service's description knows. */
function transaction(
	{ transactionID, amount, referenceID, groupID, payer, instrument, createdBy, at }: Occurrence,
	outcome: Pick<Transaction, 'status' | 'result' | 'message' | 'parentTransactionId'>,
): Transaction {
	const [month = '', year = ''] = instrument.expires.split('/');
	const approved = outcome.status !== 'DECLINED';
	const isCard = instrument.type !== 'ach';
	const trace = transactionID.slice(-6).toUpperCase();
	return {
		id: transactionID,
		tx_id: `TRN_${trace}`,
		batch_id: `BAT_${at.slice(0, 10).replaceAll('-', '')}`,
		result: outcome.result,
		message: outcome.message,
		entry_mode: 'ECOM',
		pmt_id: `PMT_${trace}`,
		type: 'AUTH',
		status: outcome.status,
		channel: 'CNP',
		capture_mode: 'AUTO',
		amount,
		currency: 'USD',
		country: 'US',
		merchant_id: 'MER_sandbox',
		group_id: groupID,
		brand: instrument.brand,
		masked_number_last4: `XXXXXXXXXXXX${instrument.last4}`,
		exp_month: month,
		exp_year: year,
		authcode: approved ? trace : '',
		brand_reference: approved ? `REF${trace}` : '',
		avs_address_result: isCard ? 'MATCHED' : '',
		avs_postal_code_result: isCard ? 'MATCHED' : '',
		avs_action: isCard ? 'ACCEPT' : '',
		cvv_result: isCard ? 'MATCHED' : '',
		commercial_level: isCard ? 'LEVEL_1' : '',
		payment_plan_id: '',
		gsa: '',
		emv: '',
		created_by: createdBy,
		customer_id: payer.customerID,
		customer_name: payer.name,
		customer_email: payer.email,
		customer_phone: payer.phone,
		customer_country: payer.country,
		customer_address: payer.address,
		parentTransactionId: outcome.parentTransactionId,
		created_at: at,
		referenceID,
	};
}

function lineItems(
	{ transactionID, referenceID, payer, at }: Occurrence,
	cart: Pick<Cart, 'breakdown' | 'lineItems'>,
): TransactionLineItems {
	const { subtotal, discount, tax, shipping, fees, tip, total } = cart.breakdown;
	return {
		id: identifier('li'),
		transactionId: transactionID,
		customerId: payer.customerID,
		lineItems: cart.lineItems,
		tip,
		subTotal: subtotal,
		tax,
		shipping,
		discount,
		surcharge: fees,
		total,
		shippingAddress: null,
		metadata: null,
		narrative: cart.lineItems.map(({ product }) => product.name).join(', ') || 'Payment',
		created_at: at,
		referenceID,
		referenceSource: referenceID ? 'MERCHANT' : '',
	};
}

export function successPayload(
	occurrence: Occurrence,
	cart: Pick<Cart, 'breakdown' | 'lineItems'>,
): { transaction: Transaction; lineItems: TransactionLineItems } {
	return {
		transaction: transaction(occurrence, {
			status: 'CAPTURED',
			result: '00',
			message: 'Approved',
			parentTransactionId: null,
		}),
		lineItems: lineItems(occurrence, cart),
	};
}

/** A guess: the transaction, declined. The service's description leaves this shape open. */
export function failedPayload(occurrence: Occurrence, message: string) {
	return {
		transaction: transaction(occurrence, {
			status: 'DECLINED',
			result: '05',
			message,
			parentTransactionId: null,
		}),
	};
}

export function refundPayload(occurrence: Occurrence, parentTransactionId: string) {
	return {
		refund: transaction(occurrence, {
			status: 'REVERSED',
			result: '00',
			message: 'Refunded',
			parentTransactionId,
		}),
	};
}

/** A payload for an event that a test adds without one. */
export function samplePayload(type: string, occurrence: Occurrence): object {
	const { amount, referenceID, transactionID } = occurrence;
	const samples: Record<KnownEventType, () => object> = {
		payment_success: () =>
			successPayload(occurrence, {
				lineItems: [],
				breakdown: {
					subtotal: amount,
					discount: 0,
					tax: 0,
					shipping: 0,
					fees: 0,
					tip: 0,
					total: amount,
				},
			}),
		payment_failed: () => failedPayload(occurrence, 'Card declined'),
		payment_refund: () => refundPayload(occurrence, identifier('txn')),
	};
	const known = Object.entries(samples).find(([name]) => name === type);
	return known ? known[1]() : { id: transactionID, referenceID };
}
