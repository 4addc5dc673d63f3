import type { Cart, CustomerForm, PaymentMethod } from '../../nodes/PaymentsGateway/wire';
import { identifier } from './identifier';

/**
 * Builds the payloads of payment events from what happened. Success and refund have the fields of
 * the service's description; the shape of a failure is a guess, as the description leaves it open.
 */

export type OutcomeType = 'payment_success' | 'payment_failed' | 'payment_refund';

export type Payer = ReturnType<typeof payerOf>;

/** Who pays, as a transaction names them. */
export function payerOf(customerID: string, form: CustomerForm) {
	const { billingAddress, billingCity, billingState, billingZip } = form;
	return {
		customer_id: customerID,
		customer_name: form.nameOnCard ?? '',
		customer_email: form.email ?? '',
		customer_phone: form.phone ?? '',
		customer_country: form.billingCountry ?? '',
		customer_address: [billingAddress, billingCity, billingState, billingZip]
			.filter(Boolean)
			.join(', '),
	};
}

/** A payment, a decline or a refund. */
export interface Occurrence {
	transactionID: string;
	/** Of a refund: the payment that it is of. */
	parentTransactionID: string | null;
	amount: number;
	referenceID: string;
	groupID: string;
	payer: Payer;
	method: PaymentMethod;
	createdBy: string;
	at: string;
	/** Why it was declined. */
	message?: string;
}

const results: Readonly<Record<OutcomeType, { status: string; result: string; message: string }>> =
	{
		payment_success: { status: 'CAPTURED', result: '00', message: 'Approved' },
		payment_failed: { status: 'DECLINED', result: '05', message: 'Card declined' },
		payment_refund: { status: 'REVERSED', result: '00', message: 'Refunded' },
	};

/** With every field of a transaction that the service's description knows. */
function transaction(type: OutcomeType, occurrence: Occurrence) {
	const { transactionID, payer, method, at } = occurrence;
	const { status, result, message } = results[type];
	const [month = '', year = ''] = method.expires.split('/');
	const approved = (text: string) => (type === 'payment_failed' ? '' : text);
	const ofCard = (text: string) => (method.type === 'ach' ? '' : text);
	const trace = transactionID.slice(-6).toUpperCase();
	return {
		id: transactionID,
		tx_id: `TRN_${trace}`,
		batch_id: `BAT_${at.slice(0, 10).replaceAll('-', '')}`,
		result,
		message: occurrence.message ?? message,
		entry_mode: 'ECOM',
		pmt_id: `PMT_${trace}`,
		type: 'AUTH',
		status,
		channel: 'CNP',
		capture_mode: 'AUTO',
		amount: occurrence.amount,
		currency: 'USD',
		country: 'US',
		merchant_id: 'MER_sandbox',
		group_id: occurrence.groupID,
		brand: method.brand,
		masked_number_last4: `XXXXXXXXXXXX${method.last4}`,
		exp_month: month,
		exp_year: year,
		authcode: approved(trace),
		brand_reference: approved(`REF${trace}`),
		avs_address_result: ofCard('MATCHED'),
		avs_postal_code_result: ofCard('MATCHED'),
		avs_action: ofCard('ACCEPT'),
		cvv_result: ofCard('MATCHED'),
		commercial_level: ofCard('LEVEL_1'),
		payment_plan_id: '',
		gsa: '',
		emv: '',
		created_by: occurrence.createdBy,
		...payer,
		parentTransactionId: occurrence.parentTransactionID,
		created_at: at,
		referenceID: occurrence.referenceID,
	};
}

function lineItems({ transactionID, referenceID, payer, at }: Occurrence, cart: Cart) {
	const { subtotal, discount, tax, shipping, fees, tip, total } = cart.breakdown;
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

export function payloadOf(type: OutcomeType, occurrence: Occurrence, cart: Cart): object {
	const record = transaction(type, occurrence);
	if (type === 'payment_refund') return { refund: record };
	if (type === 'payment_failed') return { transaction: record };
	return { transaction: record, lineItems: lineItems(occurrence, cart) };
}
