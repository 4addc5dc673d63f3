import type { LineItem } from '../../nodes/PaymentsGateway/wire';

/**
 * What the payload of an event holds, in the service's own spelling. Only the sandbox writes such
 * payloads; the package reads whatever comes.
 */

export type KnownEventType = 'payment_success' | 'payment_failed' | 'payment_refund';

/** What an event's payload holds under `transaction` or `refund`. */
export interface Transaction {
	id: string;
	tx_id: string;
	batch_id: string;
	result: string;
	message: string;
	entry_mode: string;
	pmt_id: string;
	type: string;
	status: string;
	channel: string;
	capture_mode: string;
	amount: number;
	currency: string;
	country: string;
	merchant_id: string;
	group_id: string;
	brand: string;
	masked_number_last4: string;
	exp_month: string;
	exp_year: string;
	authcode: string;
	brand_reference: string;
	avs_address_result: string;
	avs_postal_code_result: string;
	avs_action: string;
	cvv_result: string;
	commercial_level: string;
	payment_plan_id: string;
	gsa: string;
	emv: string;
	created_by: string;
	customer_id: string;
	customer_name: string;
	customer_email: string;
	customer_phone: string;
	customer_country: string;
	customer_address: string;
	parentTransactionId: string | null;
	created_at: string;
	referenceID: string;
}

/** What a success event's payload holds under `lineItems`. */
export interface TransactionLineItems {
	id: string;
	transactionId: string;
	customerId: string;
	lineItems: LineItem[];
	tip: number;
	subTotal: number;
	tax: number;
	shipping: number;
	discount: number;
	surcharge: number;
	total: number;
	shippingAddress: unknown;
	metadata: unknown;
	narrative: string;
	created_at: string;
	referenceID: string;
	referenceSource: string;
}
