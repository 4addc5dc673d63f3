import type { DynamicData, PaymentType } from '../wire';
import { amountOf, percentageOf } from './amount';
import type { Complain } from './complain';
import { CART_TIP } from './fields/cart';
import { isEmpty } from './filledIn';

/**
 * Reads the Cart Adjustments of a form: checks them and brings them into the shape that the service
 * takes as `dynamicData`. Calculate Cost, Charge and the paylink share it.
 */

interface Tip {
	amount: string;
	type: 'fixed' | 'percentage';
}

interface AdjustmentParameters {
	paymentType?: PaymentType;
	discountCodes?: string[];
	tip?: { details?: Tip };
	quantityAmounts?: { items?: Array<{ id: string; quantity: number }> };
}

function tipAmount({ amount, type }: Tip, complain: Complain): number {
	return (type === 'fixed' ? amountOf : percentageOf)(CART_TIP, amount, complain);
}

/** Undefined when the form changes nothing about the cart. */
export function adjustments(
	parameters: AdjustmentParameters,
	complain: Complain,
): DynamicData | undefined {
	const tip = parameters.tip?.details;
	const quantities = parameters.quantityAmounts?.items ?? [];
	if (quantities.some(({ id }) => id === '')) throw complain("'Product SKU' is empty");
	const discountCodes = parameters.discountCodes ?? [];
	const data: DynamicData = {
		...(parameters.paymentType === undefined ? {} : { paymentType: parameters.paymentType }),
		...(discountCodes.length === 0 ? {} : { discountCodes }),
		// A tip of 0 is sent as well: without it, the cart's own tip would be charged.
		...(tip === undefined ? {} : { tip: { amount: tipAmount(tip, complain), type: tip.type } }),
		...(quantities.length === 0 ? {} : { quantityAmounts: quantities }),
	};
	return isEmpty(data) ? undefined : data;
}
