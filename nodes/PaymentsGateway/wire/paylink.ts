import type { Amount, DynamicData } from './payment';

/**
 * Paylinks, in the gateway's own spelling: what is sent to create one, and what comes back. Amounts
 * are whole numbers of cents; an option of the form lets those of a link itself go out in dollars.
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
	/** How many of them. */
	amount: number;
}

export interface PaylinkPricing {
	methodVerifyOrProcess?: string;
	lineItems?: PaylinkLineItem[];
	amount?: number;
	tip?: number;
	tipType?: Amount['type'];
	tax?: number;
	taxType?: Amount['type'];
	discountCodes?: string[];
	shipping?: number;
}

type Address = 'email' | 'phone' | 'country' | 'state' | 'city' | 'zip' | 'address' | 'nameOnCard';

export type PrefilledAddress = Partial<Record<Address, string>>;

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
	prefilledAddress?: PrefilledAddress;
}

export type Paylink = Record<'payLinkID' | 'paymentData' | 'token' | 'groupID' | 'url', string>;
