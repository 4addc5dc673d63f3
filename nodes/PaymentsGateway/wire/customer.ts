/**
 * Customers and their saved payment methods, in the gateway's own spelling. A request may leave out
 * any field; in an answer, a field without a value is empty text.
 */

/** The fields of a customer, besides the payment methods. */
export const CUSTOMER_FIELDS = [
	'nameOnCard',
	'email',
	'phone',
	'billingAddress',
	'billingCity',
	'billingState',
	'billingZip',
	'billingCountry',
] as const;

type CustomerFields = Record<(typeof CUSTOMER_FIELDS)[number], string>;

export type CustomerForm = Partial<CustomerFields>;

export interface CustomerDetail extends CustomerFields {
	id: string;
	paymentCards: PaymentMethod[];
}

type MethodSummary = Record<'brand' | 'last4' | 'expires', string> & { isDefault: boolean };

type Account = Record<
	'accountNumber' | 'routingNumber' | 'accountType' | 'accountHolderType',
	string
>;

/** A row of the list. A customer may have several, one for each card. */
export interface CustomerRow
	extends MethodSummary, Record<'id' | 'name' | 'email' | 'phone' | 'city_state' | 'zip', string> {}

/** A saved card or bank account; the fields of the other kind are empty. */
export interface PaymentMethod
	extends MethodSummary, Account, Record<'cardID' | 'type' | 'cvc' | 'gpEcommID', string> {}

export type Card = Partial<Record<'cardToken' | 'cvc' | 'expiryDate', string>>;

export type Ach = Partial<Account>;

/** A payment method to save: one of the three kinds. */
export interface Instrument {
	card?: Card;
	ach?: Ach;
	gpecomm?: Partial<Record<'id' | 'cvv', string>>;
	skipMultiTokenConvert?: boolean;
}
