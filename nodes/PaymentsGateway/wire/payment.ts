import type { Ach, Card } from './customer';

/** Carts and payments, in the service's own spelling. Amounts are whole numbers of cents. */

/** The service says that no money moved. */
export function isDeclined({ status }: { status: string }): boolean {
	return /^(declined|failed|refused|rejected|voided)$/i.test(status);
}

const UNSETTLED =
	/^(?:pending|processing|in[ _-]?progress|queued|requested|initiated|received|submitted|voided|cancell?ed|denied|expired)$/i;

/**
 * Of a refund: its money has yet to move, or never will. Of one that says voided nobody can tell
 * whether it was, or its payment.
 */
export function isUnsettled({ status }: { status: string }): boolean {
	return UNSETTLED.test(status);
}

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
	/** How many of them. */
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
	/** Some services want a bank account here: Charge → ACH Details Key. */
	card?: Card | Ach;
	ach?: Ach;
}
