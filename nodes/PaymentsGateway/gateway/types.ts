/** Wire shapes, in the service's own spelling. Amounts are integers in minor units (cents). */

// Paging

export type SortOrder = 'asc' | 'desc';
export type FilterOperation = 'contains' | 'equals' | 'gt' | 'gte' | 'lt' | 'lte' | 'neq';

export interface PageFilter {
	field: string;
	operation: FilterOperation;
	value: string;
}

export interface PageRequest {
	page?: number;
	pageSize?: number;
	sort?: { field: string; order: SortOrder };
	filter?: PageFilter[];
	search?: string;
}

export interface PageAnswer {
	total: number;
	range: { from: number; to: number };
	page: number;
	pageSize: number;
}

export interface ListAnswer<Row> {
	data: Row[];
	page: PageAnswer;
}

// Customers and their payment methods

export interface CustomerRow {
	id: string;
	isDefault: boolean;
	last4: string;
	brand: string;
	expires: string;
	name: string;
	city_state: string;
	zip: string;
	email: string;
	phone: string;
}

export interface CustomerForm {
	nameOnCard?: string;
	email?: string;
	phone?: string;
	billingAddress?: string;
	billingCity?: string;
	billingState?: string;
	billingZip?: string;
	billingCountry?: string;
}

export interface Card {
	cardToken?: string;
	cvc?: string;
	expiryDate?: string;
}

export interface Ach {
	accountNumber?: string;
	routingNumber?: string;
	accountType?: string;
	accountHolderType?: string;
}

export interface GpEcomm {
	id?: string;
	cvv?: string;
}

export interface Instrument {
	card?: Card;
	ach?: Ach;
	gpecomm?: GpEcomm;
	skipMultiTokenConvert?: boolean;
}

export interface PaymentMethod {
	cardID: string;
	type: string;
	isDefault: boolean;
	last4: string;
	brand: string;
	expires: string;
	cvc: string;
	accountNumber: string;
	routingNumber: string;
	accountType: string;
	accountHolderType: string;
	gpEcommID: string;
}

export interface CustomerDetail extends Required<CustomerForm> {
	id: string;
	paymentCards: PaymentMethod[];
}

// Carts and payments

export type PaymentType = 'card' | 'ach';
export type AmountType = 'fixed' | 'percentage';

export interface DynamicData {
	paymentType?: PaymentType;
	discountCodes?: string[];
	tip?: { amount: number; type: AmountType };
	quantityAmounts?: Array<{ id: string; quantity: number }>;
}

export interface LineItem {
	product: { sku: string; name: string; description: string; price: number };
	amount: number;
	total: number;
}

export interface Cart {
	breakdown: {
		subtotal: number;
		discount: number;
		tax: number;
		shipping: number;
		fees: number;
		tip: number;
		total: number;
	};
	lineItems: LineItem[];
	discountBreakdown: unknown[];
	allowEdit: boolean;
	allowExtraDiscount: boolean;
	allowTip: boolean;
	referenceID: string;
	onSuccessUrl: string;
	onFailureUrl: string;
}

export interface CustomerInfo {
	nameOnCard?: string;
	email?: string;
	billingAddress?: string;
	billingCity?: string;
	billingState?: string;
	billingZip?: string;
	billingCountry?: string;
	paymentType: PaymentType;
	card?: Card | Ach;
	ach?: Ach;
}

// Paylinks

export type RecurringMode = 'DAILY' | 'MONTHLY' | 'YEARLY';

export interface Product {
	sku?: string;
	name?: string;
	description?: string;
	price?: number;
	isRecurring?: boolean;
	recurringMode?: string;
	recurringInterval?: number;
	recurringFrequency?: number;
	recurringTotalCycles?: number;
	recurringTrialDays?: number;
	recurringSetupFee?: number;
	recurringRefundable?: boolean;
}

export interface PaylinkLineItem {
	productId?: string;
	product?: Product;
	amount: number;
}

export interface PaylinkPricing {
	methodVerifyOrProcess?: string;
	lineItems?: PaylinkLineItem[];
	amount?: number;
	tip?: number;
	tipType?: AmountType;
	tax?: number;
	taxType?: AmountType;
	discountCodes?: string[];
	shipping?: number;
}

export interface PrefilledAddress {
	email?: string;
	phone?: string;
	country?: string;
	state?: string;
	city?: string;
	zip?: string;
	address?: string;
	nameOnCard?: string;
}

export interface PaylinkForm {
	pricing: PaylinkPricing;
	meta?: { dynamic: DynamicData };
	allowEdit?: boolean;
	allowExtraDiscount?: boolean;
	allowTip?: boolean;
	disableCC?: boolean;
	disableACH?: boolean;
	validUntil?: string;
	referenceID?: string;
	onSuccessURL?: string;
	onFailureURL?: string;
	customerID?: string;
	customerPaymentID?: string;
	prefilledAddress?: PrefilledAddress;
	disableCustomAddress?: boolean;
	disableCustomPayment?: boolean;
	disablePreselectCard?: boolean;
}

export interface Paylink {
	payLinkID: string;
	paymentData: string;
	token: string;
	groupID: string;
	url: string;
}

// Events

export type KnownEventType = 'payment_success' | 'payment_failed' | 'payment_refund';

export interface WebhookEvent {
	eventID: string;
	date: string;
	type: string;
	/** A JSON document, encoded as a string. */
	payload: string;
}

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

// Endpoints

/** What each endpoint takes in `data`, and what it answers. */
export interface Endpoints {
	customers: { data: { page: PageRequest }; answer: ListAnswer<CustomerRow> };
	addCustomer: {
		data: { form: CustomerForm & Instrument };
		answer: { customerID: string; paymentCardID?: string };
	};
	customer: { data: { customerID: string }; answer: CustomerDetail };
	updateCustomer: {
		data: { customerID: string; form: CustomerForm };
		answer: { customerID: string };
	};
	deleteCustomer: { data: { customerID: string }; answer: { customerID: string } };
	addPaymentMethod: {
		data: { customerID: string; form: Instrument & { setAsDefault?: boolean } };
		answer: { customerID: string; paymentCardID: string };
	};
	deletePaymentMethod: {
		data: { customerID: string; cardID: string };
		answer: { customerID: string };
	};
	setDefaultPaymentMethod: {
		data: { customerID: string; cardID: string };
		answer: { customerID: string };
	};
	webhookEvents: { data: { page: PageRequest }; answer: ListAnswer<WebhookEvent> };
	computeTokenizedCheckout: {
		data: { paymentData: string; dynamicData?: DynamicData };
		answer: Cart;
	};
	createTokenizedManualEntry: {
		data: { paymentData: string; dynamicData?: DynamicData; customerInfo: CustomerInfo };
		answer: { transactionID: string; status: string };
	};
	createCheckoutData: {
		data: { form: PaylinkForm };
		answer: { data: Paylink; token: string; groupID: string; url: string };
	};
}

export type Endpoint = keyof Endpoints;
export type Data<E extends Endpoint> = Endpoints[E]['data'];
export type Answer<E extends Endpoint> = Endpoints[E]['answer'];

/** read: safe to repeat. write: repeated only when it cannot have been done. charge: never repeated. */
export type Effect = 'read' | 'write' | 'charge';

interface EndpointRules {
	effect: Effect;
	/** Which credential it takes: the header token, or the group ID and the private token. */
	token: 'header' | 'body';
	/** What an answer must hold to be believed: a path, and what stands there. */
	answers: Readonly<Record<string, 'array' | 'integer' | 'string'>>;
}

export const endpoints: { readonly [E in Endpoint]: EndpointRules } = {
	customers: { effect: 'read', token: 'header', answers: { data: 'array' } },
	addCustomer: { effect: 'write', token: 'header', answers: { customerID: 'string' } },
	customer: { effect: 'read', token: 'header', answers: { id: 'string' } },
	updateCustomer: { effect: 'write', token: 'header', answers: { customerID: 'string' } },
	deleteCustomer: { effect: 'write', token: 'header', answers: { customerID: 'string' } },
	addPaymentMethod: {
		effect: 'write',
		token: 'header',
		answers: { customerID: 'string', paymentCardID: 'string' },
	},
	deletePaymentMethod: { effect: 'write', token: 'header', answers: { customerID: 'string' } },
	setDefaultPaymentMethod: { effect: 'write', token: 'header', answers: { customerID: 'string' } },
	webhookEvents: { effect: 'read', token: 'body', answers: { data: 'array' } },
	computeTokenizedCheckout: {
		effect: 'read',
		token: 'body',
		answers: { 'breakdown.total': 'integer' },
	},
	createTokenizedManualEntry: {
		effect: 'charge',
		token: 'body',
		answers: { transactionID: 'string', status: 'string' },
	},
	createCheckoutData: {
		effect: 'write',
		token: 'body',
		answers: { 'data.payLinkID': 'string', 'data.url': 'string' },
	},
};
