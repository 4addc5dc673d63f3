/**
 * Customers and their saved payment methods, in the gateway's own spelling. These are types for
 * what is sent and what comes back; nothing here exists at run time.
 */

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
