import { choice, collection, money, rows, text } from '../builders';

/**
 * The form fields about a cart: what stands for it, and what is changed for one payment. Calculate
 * Cost, Charge and the paylink share them.
 */

export const paymentType = choice(
	'Payment Type',
	'paymentType',
	{ card: 'Card', ach: 'Bank Account (ACH)' },
	{ description: 'Cards and bank accounts may have different fees' },
);

export const paymentData = {
	...text('Payment Data', 'paymentData', {
		description: 'The encrypted text that stands for the cart, such as a new paylink returns it',
	}),
	required: true,
} as const;

export const discountCodes = {
	...text('Cart Discount Codes', 'discountCodes', {
		placeholder: 'e.g. SAVE10, WELCOME',
		description: 'Separated by commas, or a list by expression',
	}),
	typeOptions: { separatedBy: ',' },
} as const;

export const cartTip = money(
	'Cart Tip (Dollars or Percent)',
	'tip',
	'Dollars such as 2.50, or a percentage such as 10%',
);

export const quantity = {
	displayName: 'Quantity',
	name: 'quantity',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 1,
	required: true,
} as const;

const quantityAmounts = rows('Quantities', 'quantityAmounts', 'Add Quantity', [
	text('Product SKU', 'id'),
	{ ...quantity, displayName: 'New Quantity' },
]);

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

export const lookBackDays = {
	displayName: 'Look Back (Days)',
	name: 'lookBackDays',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 3650 },
	default: 30,
	description: 'How far back payments with this reference are looked for',
} as const;
