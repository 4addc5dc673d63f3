import type { Cart, CustomerForm, PaymentMethod } from '../../nodes/PaymentsGateway/wire';
import { identifier } from './identifier';

/**
 * Builds the payloads of payment events from what happened. Success and refund have the fields of
 * the document; the shape of a failure is a guess, as the document leaves it open.
 */

const results = {
	payment_success: { status: 'CAPTURED', result: '00', message: 'Approved' },
	payment_failed: { status: 'DECLINED', result: '05', message: 'Card declined' },
	payment_refund: { status: 'REVERSED', result: '00', message: 'Refunded' },
};

export type OutcomeType = keyof typeof results;

export function isOutcomeType(type: string): type is OutcomeType {
	return Object.hasOwn(results, type);
}

/** The payer's fields of a transaction. */
export function transactionPayer(customerID: string, form: CustomerForm) {
	const { nameOnCard = '', email = '', phone = '', billingCountry = '' } = form;
	const address = [form.billingAddress, form.billingCity, form.billingState, form.billingZip];
	return {
		customer_id: customerID,
		customer_name: nameOnCard,
		customer_email: email,
		customer_phone: phone,
		customer_country: billingCountry,
		customer_address: address.filter(Boolean).join(', '),
	};
}

/** A payment, a decline or a refund. */
export interface Outcome {
	transactionID: string;
	/** For a refund: the ID of the refunded payment. */
	parentTransactionID: string | null;
	amount: number;
	referenceID: string;
	groupID: string;
	payer: ReturnType<typeof transactionPayer>;
	method: PaymentMethod;
	cart: Cart;
	createdBy: string;
	at: string;
	/** Why it was declined or returned. Overrides the message of its type. */
	message?: string;
	/** Overrides the status of its type. */
	status?: string;
}

/** With every field of a transaction in the document. */
function transaction(type: OutcomeType, outcome: Outcome) {
	const { transactionID, amount, method, at } = outcome;
	const { result, ...usual } = results[type];
	const { status = usual.status, message = usual.message } = outcome;
	const [month = '', year = ''] = method.expires.split('/');
	const trace = transactionID.slice(-6).toUpperCase();
	const isApproved = type !== 'payment_failed';
	const isCard = method.type !== 'ach';
	return {
		id: transactionID,
		tx_id: `TRN_${trace}`,
		batch_id: `BAT_${at.slice(0, 10).replaceAll('-', '')}`,
		result,
		message,
		entry_mode: 'ECOM',
		pmt_id: `PMT_${trace}`,
		type: 'AUTH',
		status,
		channel: 'CNP',
		capture_mode: 'AUTO',
		amount,
		currency: 'USD',
		country: 'US',
		merchant_id: 'MER_sandbox',
		group_id: outcome.groupID,
		brand: method.brand,
		masked_number_last4: `XXXXXXXXXXXX${method.last4}`,
		exp_month: month,
		exp_year: year,
		authcode: isApproved ? trace : '',
		brand_reference: isApproved ? `REF${trace}` : '',
		avs_address_result: isCard ? 'MATCHED' : '',
		avs_postal_code_result: isCard ? 'MATCHED' : '',
		avs_action: isCard ? 'ACCEPT' : '',
		cvv_result: isCard ? 'MATCHED' : '',
		commercial_level: isCard ? 'LEVEL_1' : '',
		payment_plan_id: '',
		gsa: '',
		emv: '',
		created_by: outcome.createdBy,
		...outcome.payer,
		parentTransactionId: outcome.parentTransactionID,
		created_at: at,
		referenceID: outcome.referenceID,
	};
}

function lineItems({ transactionID, referenceID, payer, cart, at }: Outcome) {
	const { subtotal, fees, tip, tax, shipping, discount, total } = cart.breakdown;
	return {
		id: identifier('li'),
		transactionId: transactionID,
		customerId: payer.customer_id,
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

export function payloadOf(type: OutcomeType, outcome: Outcome): object {
	const record = transaction(type, outcome);
	if (type === 'payment_refund') return { refund: record };
	if (type === 'payment_failed') return { transaction: record };
	return { transaction: record, lineItems: lineItems(outcome) };
}
