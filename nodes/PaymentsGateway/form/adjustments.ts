import type { DynamicData } from '../wire';
import { readCentsOrPercentage } from './amount';
import { isEmpty, withoutEmpty } from './empty';
import type { Parameters } from './field';
import type { FieldError } from './fieldError';
import { cartTip } from './fields/cart';
import type { cartAdjustmentsWithType } from './fields/cart';

/**
 * Reads the Cart Adjustments of a form: checks them and brings them into the shape that the gateway
 * takes as `dynamicData`. Calculate Cost, Charge and the paylink share it.
 */

/** As the paylink asks for them; the other forms have the payment type at their top. */
type AdjustmentParameters = Parameters<[typeof cartAdjustmentsWithType]>['dynamicData'];

/** Undefined when the form changes nothing about the cart. */
export function adjustments(
	{ paymentType, discountCodes, tip, quantityAmounts }: AdjustmentParameters,
	fieldError: FieldError,
): DynamicData | undefined {
	const quantities = quantityAmounts?.items ?? [];
	if (quantities.some(({ id }) => id === '')) throw fieldError("'Product SKU' is empty");
	const data = withoutEmpty({
		paymentType,
		discountCodes,
		// A tip of 0 is sent as well: without it, the cart's own tip would be charged.
		tip: tip ? readCentsOrPercentage(cartTip.displayName, tip, fieldError) : undefined,
		quantityAmounts: quantities,
	});
	return isEmpty(data) ? undefined : data;
}
