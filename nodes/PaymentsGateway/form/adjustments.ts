import type { DynamicData } from '../wire';
import { amountOrPercentageOf } from './amount';
import type { AsSent } from './amount';
import type { FieldError } from './fieldError';
import type { Parameters } from './field';
import { CART_TIP } from './fields/cart';
import type { cartAdjustmentsWithType } from './fields/cart';
import { filledIn, isEmpty } from './filledIn';

/**
 * Reads the Cart Adjustments of a form: checks them and brings them into the shape that the gateway
 * takes as `dynamicData`. Calculate Cost, Charge and the paylink share it.
 */

/** As the paylink asks for them; the other forms have the payment type at their top. */
type AdjustmentParameters = Parameters<[typeof cartAdjustmentsWithType]>['dynamicData'];

/** Undefined when the form changes nothing about the cart. A tip goes out as `asSent` has its cents. */
export function adjustments(
	{ paymentType, discountCodes, tip: { details: tip } = {}, quantityAmounts }: AdjustmentParameters,
	fieldError: FieldError,
	asSent?: AsSent,
): DynamicData | undefined {
	const quantities = quantityAmounts?.items ?? [];
	if (quantities.some(({ id }) => id === '')) throw fieldError("'Product SKU' is empty");
	const data = filledIn({
		paymentType,
		discountCodes,
		// A tip of 0 is sent as well: without it, the cart's own tip would be charged.
		tip: tip && {
			amount: amountOrPercentageOf(CART_TIP, tip.amount, tip.type, fieldError, asSent),
			type: tip.type,
		},
		quantityAmounts: quantities,
	});
	return isEmpty(data) ? undefined : data;
}
