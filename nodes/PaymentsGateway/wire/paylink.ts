import type { DynamicData, FixedOrPercent } from './payment';

/**
 * Paylinks, in the gateway's own spelling: the request that creates one, and the answer. Amounts are
 * whole numbers of cents. The option Amounts Are Sent In can turn amount, tip, tax and shipping into
 * dollars, since the document names no unit for them; it says that a product's price is in cents.
 */

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
	/** The quantity. */
	amount: number;
}

export interface PaylinkPricing {
	methodVerifyOrProcess?: string;
	lineItems?: PaylinkLineItem[];
	amount?: number;
	tip?: number;
	tipType?: FixedOrPercent['type'];
	tax?: number;
	taxType?: FixedOrPercent['type'];
	discountCodes?: string[];
	shipping?: number;
}

type Address = 'email' | 'phone' | 'country' | 'state' | 'city' | 'zip' | 'address' | 'nameOnCard';

/** What the payer may do. */
type Allowed = 'allowEdit' | 'allowExtraDiscount' | 'allowTip';
type Disabled = 'CC' | 'ACH' | 'CustomAddress' | 'CustomPayment' | 'PreselectCard';

export interface PaylinkForm extends Partial<Record<Allowed | `disable${Disabled}`, boolean>> {
	pricing: PaylinkPricing;
	meta?: { dynamic: DynamicData };
	validUntil?: string;
	referenceID?: string;
	onSuccessURL?: string;
	onFailureURL?: string;
	customerID?: string;
	customerPaymentID?: string;
	prefilledAddress?: Partial<Record<Address, string>>;
}

export type Paylink = Record<'payLinkID' | 'paymentData' | 'token' | 'groupID' | 'url', string>;
