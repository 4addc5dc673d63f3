import type { Ach, Card, CustomerForm } from './customer';

/**
 * Carts and payments, in the gateway's own spelling, and the meaning of a charge's status. Amounts are
 * whole numbers of cents.
 */

const DECLINED = new Set(['DECLINED', 'FAILED', 'REFUSED', 'REJECTED', 'VOIDED']);

/** The charge went through. */
export function isCaptured({ status }: { status: string }): boolean {
	return status.toUpperCase() === 'CAPTURED';
}

/** No money moved. A status that is neither captured nor declined is still open: docs/limits.md, 6. */
export function isDeclined({ status }: { status: string }): boolean {
	return DECLINED.has(status.toUpperCase());
}

export type PaymentType = 'card' | 'ach';

/** The adjustments to a cart for one payment. */
export interface DynamicData {
	paymentType?: PaymentType;
	discountCodes?: string[];
	tip?: { amount: number; type: 'fixed' | 'percentage' };
	quantityAmounts?: Array<{ id: string; quantity: number }>;
}

export type FixedOrPercent = NonNullable<DynamicData['tip']>;

export interface LineItem {
	product: { sku: string; name: string; description: string; price: number };
	/** The quantity. */
	amount: number;
	total: number;
}

type Part = 'subtotal' | 'discount' | 'tax' | 'shipping' | 'fees' | 'tip' | 'total';

export interface Cart extends Record<'allowEdit' | 'allowExtraDiscount' | 'allowTip', boolean> {
	breakdown: Record<Part, number>;
	lineItems: LineItem[];
	discountBreakdown: unknown[];
	referenceID: string;
	onSuccessUrl: string;
	onFailureUrl: string;
}

/** Who pays, and with what. */
export interface CustomerInfo extends Omit<CustomerForm, 'phone'> {
	paymentType: PaymentType;
	/** Some gateways want a bank account here: Charge → ACH Details Key. */
	card?: Card | Ach;
	ach?: Ach;
}
