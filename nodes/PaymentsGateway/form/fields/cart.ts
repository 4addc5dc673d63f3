import type { DynamicData } from '../../wire';
import { choice, collection, group, money, number, repeated, required, text } from '../builders';
import { isEmpty, withoutEmpty } from '../empty';
import type { ValuesOf } from '../field';

/**
 * The form fields about a cart: its payment data, and the adjustments for one payment. Calculate
 * Cost, Charge and the paylink share them.
 */

export const paymentType = choice(
	'Payment Type',
	'paymentType',
	{ card: 'Card', ach: 'Bank Account (ACH)' },
	'Cards and bank accounts may have different fees',
);

export const paymentData = required(
	text('Payment Data', 'paymentData', {
		description: 'The encrypted text of a cart',
		hint: 'Drag `paymentData` here from the output of Create paylink',
	}),
);

export const discountCodes = {
	...text('Cart Discount Codes', 'discountCodes', {
		placeholder: 'e.g. SAVE10, WELCOME',
		description: 'Comma-separated, or a list from an expression',
	}),
	typeOptions: { shape: 'list' },
} as const;

export const cartTip = money(
	'Cart Tip (Dollars or Percent)',
	'tip',
	'dollarsOrPercent',
	'Dollars such as 2.50, or a percentage such as 10%',
);

export const quantity = required(number('Quantity', 'quantity', 1, { minValue: 0 }));

const quantityAmounts = repeated(
	group('Quantities', 'quantityAmounts', { placeholder: 'Add Quantity', groupName: 'items' }, [
		text('Product SKU', 'id', { requiredPerItem: true }),
		{ ...quantity, displayName: 'New Quantity' },
	]),
);

/** Changes to a cart for this one payment, without the payment type. */
export const cartAdjustments = collection('Cart Adjustments', 'dynamicData', 'Add Adjustment', [
	discountCodes,
	cartTip,
	quantityAmounts,
]);

export const cartAdjustmentsWithType = {
	...cartAdjustments,
	options: [discountCodes, cartTip, { ...paymentType, displayName: 'Paid By' }, quantityAmounts],
} as const;

type Adjustments = ValuesOf<[typeof cartAdjustmentsWithType]>['dynamicData'];

/** As the gateway takes them; undefined if the form changes nothing about the cart. */
export function readAdjustments(given: Adjustments): DynamicData | undefined {
	const quantityAmounts = given.quantityAmounts?.items;
	// A tip of 0 is sent too: without it, the cart's own tip would be charged.
	const data = withoutEmpty({ ...given, quantityAmounts });
	return isEmpty(data) ? undefined : data;
}
