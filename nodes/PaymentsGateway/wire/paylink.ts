import type { AmountType, DynamicData } from './payment';

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
