import type { Field } from '../field';
import { groupOf } from '../group';
import { money } from './kinds';

/**
 * The form fields about a cart: what stands for it, and what is changed for one payment. Calculate
 * Cost, Charge and the paylink share them.
 */

export const paymentType = {
	displayName: 'Payment Type',
	name: 'paymentType',
	type: 'options',
	default: 'card',
	description: 'Cards and bank accounts may have different fees',
	options: [
		{ name: 'Bank Account (ACH)', value: 'ach' },
		{ name: 'Card', value: 'card' },
	],
} as const satisfies Field;

export const paymentData = {
	displayName: 'Payment Data',
	name: 'paymentData',
	type: 'string',
	default: '',
	required: true,
	description: 'The encrypted text that stands for the cart, such as a new paylink returns it',
} as const satisfies Field;

export const discountCodes = {
	displayName: 'Cart Discount Codes',
	name: 'discountCodes',
	type: 'string',
	typeOptions: { separatedBy: ',' },
	default: '',
	placeholder: 'e.g. SAVE10, WELCOME',
	description: 'Separated by commas, or a list by expression',
} as const satisfies Field;

/** Whether the number beside it is an amount or a percentage. */
export function amountType<const L extends string, const N extends string>(
	displayName: L,
	name: N,
) {
	const options = [
		{ name: 'Fixed', value: 'fixed' },
		{ name: 'Percentage', value: 'percentage' },
	] as const;
	return { displayName, name, type: 'options', default: 'fixed', options } as const;
}

export const CART_TIP = 'Cart Tip (Dollars or Percent)';

const tip = {
	displayName: 'Cart Tip',
	name: 'tip',
	type: 'fixedCollection',
	placeholder: 'Add Tip',
	default: {},
	options: groupOf('details', 'Details', [
		amountType('Cart Tip Type', 'type'),
		{
			...money(CART_TIP, 'amount', 'An amount, or a percentage if Cart Tip Type says so'),
			required: true,
			placeholder: 'e.g. 2.50',
		},
	]),
} as const satisfies Field;

export const quantity = {
	displayName: 'Quantity',
	name: 'quantity',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 1,
	required: true,
} as const satisfies Field;

const quantityAmounts = {
	displayName: 'Quantities',
	name: 'quantityAmounts',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Quantity',
	default: {},
	options: groupOf('items', 'Items', [
		{ displayName: 'Product SKU', name: 'id', type: 'string', default: '' },
		{ ...quantity, displayName: 'New Quantity' },
	]),
} as const satisfies Field;

/** Changes to a cart for this one payment, without the payment type. */
export const cartAdjustments = {
	displayName: 'Cart Adjustments',
	name: 'dynamicData',
	type: 'collection',
	placeholder: 'Add Adjustment',
	default: {},
	options: [discountCodes, tip, quantityAmounts],
} as const satisfies Field;

export const cartAdjustmentsWithType = {
	...cartAdjustments,
	options: [discountCodes, tip, { ...paymentType, displayName: 'Paid By' }, quantityAmounts],
} as const satisfies Field;

export const lookBackDays = {
	displayName: 'Look Back (Days)',
	name: 'lookBackDays',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 3650 },
	default: 30,
	description: 'How far back payments with this reference are looked for',
} as const satisfies Field;
