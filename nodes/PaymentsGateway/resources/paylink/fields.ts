import {
	choice,
	collection,
	date,
	group,
	money,
	number,
	optionsOf,
	repeated,
	required,
	shownWhen,
	text,
	toggle,
} from '../../form/builders';
import { cartAdjustmentsWithType, cartTip, discountCodes, quantity } from '../../form/fields/cart';
import { email, nameOnCard, optionalCustomer, phone } from '../../form/fields/customer';
import { optionalPaymentMethod } from '../../form/fields/paymentMethod';

/**
 * The form of a paylink: what is paid, by whom, and what the payment page allows. Sums of money are
 * in dollars, and their labels say so, because an agent sees only labels.
 */

const pricingMode = choice(
	'Price By',
	'pricingMode',
	{ amount: 'Amount', lineItems: 'Line Items' },
	'One sum, or products with quantities, subscriptions among them',
);

export const amount = required(
	money('Amount (Dollars)', 'amount', 'dollars', 'What is to be paid'),
);

const lineItemsInput = choice('Line Items Input', 'lineItemsInput', {
	fields: 'Fields Below',
	json: 'JSON',
});

const billed = {
	...choice(
		'Billed',
		'recurringMode',
		{ DAILY: 'Daily', MONTHLY: 'Monthly', YEARLY: 'Yearly' },
		'A subscription always needs it. By expression, any word of the gateway.',
	),
	default: 'MONTHLY',
	allowArbitraryValues: true,
} as const;

/** Counts of a subscription. */
const WHOLE = { minValue: 0, numberPrecision: 0 };

const subscription = {
	...collection('Subscription', 'subscription', 'Add Subscription Field', [
		billed,
		number('Interval Between Payments', 'recurringInterval', 1, WHOLE),
		number('Payments per Interval', 'recurringFrequency', 1, WHOLE),
		money('Setup Fee (Dollars)', 'recurringSetupFee', 'dollars', 'Paid once'),
		toggle(
			'Setup Fee Is Refundable',
			'recurringRefundable',
			'Whether the setup fee can be refunded',
		),
		number(
			'Total Payments',
			'recurringTotalCycles',
			12,
			WHOLE,
			'After how many payments the subscription ends',
		),
		number('Trial Days', 'recurringTrialDays', 0, WHOLE),
	]),
	description: 'Fill in Billed, and the product is paid again and again',
} as const;

const described = { productSource: ['inline'] };

const lineItems = repeated(
	group('Line Items', 'lineItems', { placeholder: 'Add Line Item', groupName: 'items' }, [
		choice('Product', 'productSource', {
			inline: 'Described Here',
			id: 'Known to the Gateway (by ID)',
		}),
		shownWhen({ productSource: ['id'] }, text('Product ID', 'productId')),
		shownWhen(described, text('Product Name', 'name')),
		shownWhen(described, text('SKU', 'sku')),
		shownWhen(described, {
			...text('Product Description', 'description'),
			typeOptions: { rows: 2 },
		}),
		shownWhen(described, required(money('Price (Dollars)', 'price', 'dollars', 'Of one'))),
		quantity,
		shownWhen(described, subscription),
	]),
);

export const lineItemsJson = {
	displayName: 'Line Items (JSON, Prices in Cents)',
	name: 'lineItemsJson',
	type: 'json',
	default: '[]',
	description:
		'In the gateway\'s own shape, such as [{ "product": { "sku": "T-1", "name": "T-shirt", "price": 2500 }, "amount": 1 }] for one of $25.00',
} as const;

const referenceId = text('Reference ID', 'referenceId', {
	placeholder: 'e.g. INV-1042',
	hint: 'Get Status finds the payment by it',
	description: 'Your own, such as an invoice number',
});

const customer = {
	...collection('Customer', 'customer', 'Add Field', [
		text('Address', 'address'),
		text('City', 'city'),
		text('Country', 'country'),
		email,
		{ ...optionalCustomer, displayName: 'Existing Customer' },
		nameOnCard,
		phone,
		{
			...optionalPaymentMethod,
			displayName: 'Saved Payment Method',
			name: 'customerPaymentId',
			typeOptions: { loadOptionsDependsOn: ['customer.customerId.value'] },
		},
		text('State', 'state'),
		text('ZIP', 'zip'),
	]),
	// Open from the start: most links have it.
	default: { email: '' },
	description: 'Who pays: what the payment page is filled in with, or a customer that is saved',
} as const;

export const tip = { ...cartTip, displayName: 'Tip (Dollars or Percent)' } as const;

const pricing = {
	...collection('Pricing', 'pricing', 'Add Discount Code, Shipping, Tax or Tip', [
		{ ...discountCodes, displayName: 'Discount Codes' },
		text('Processing Method', 'methodVerifyOrProcess', {
			default: 'process',
			description: 'As the gateway calls it; process takes the payment immediately',
		}),
		money('Shipping (Dollars)', 'shipping', 'dollars', 'Added to what is to be paid'),
		money(
			'Tax (Dollars or Percent)',
			'tax',
			'dollarsOrPercent',
			'Dollars such as 2.06, or a percentage such as 8.25%',
		),
		tip,
	]),
	description: 'What is added to the price or taken off it: discount codes, shipping, tax and tip',
} as const;

const linkOptions = {
	...collection('Link Options', 'linkOptions', 'Add Valid Until, Redirect or Permission', [
		toggle('Allow Discount Codes', 'allowExtraDiscount', 'Whether the payer may enter a discount'),
		toggle('Allow Editing', 'allowEdit', 'Whether the payer may edit the payment form'),
		toggle('Allow Tip', 'allowTip', 'Whether the payer may add a tip'),
		toggle('Disable ACH', 'disableAch', 'Whether to take no bank accounts'),
		toggle('Disable Card', 'disableCard', 'Whether to take no cards'),
		toggle(
			'Disable Custom Address',
			'disableCustomAddress',
			'Whether the address that is filled in cannot be edited',
		),
		toggle(
			'Disable Custom Payment',
			'disableCustomPayment',
			'Whether only what is saved of the customer can be paid with',
		),
		toggle('Disable Preselected Card', 'disablePreselectCard', 'Whether no card is preselected'),
		text('Redirect After Success', 'onSuccessUrl', {
			placeholder: 'e.g. https://example.com/thanks',
		}),
		text('Redirect If Not Paid', 'onFailureUrl', { placeholder: 'e.g. https://example.com/sorry' }),
		{
			...date(
				'Valid Until',
				'validUntil',
				"When the link stops working; a date without a time works until its end. Without a zone, in the workflow's timezone.",
			),
			typeOptions: { endsDay: true },
		},
	]),
	description:
		'When the link stops working, where the payer goes afterwards, and what the payer may do',
} as const;

const sendAmountsAs = choice(
	'Amounts Are Sent In',
	'sendAmountsAs',
	{ minor: 'Cents (2500)', major: 'Dollars (25.00)' },
	'How amount, tip, tax and shipping go out; you type dollars in any case. Change it only if links show a hundredth or a hundred times of what you typed.',
);

const dynamicData = {
	...cartAdjustmentsWithType,
	displayName: 'Cart Adjustments (Advanced)',
	description:
		'The same adjustments that Calculate Cost and Charge make, sent beside Pricing as meta.dynamic. The gateway has tip and discount codes in both places: fill in one of them.',
} as const;

const byItems = { pricingMode: ['lineItems'] };

export const fields = [
	pricingMode,
	shownWhen({ pricingMode: ['amount'] }, amount),
	shownWhen(byItems, lineItemsInput),
	shownWhen({ ...byItems, lineItemsInput: ['fields'] }, lineItems),
	shownWhen({ ...byItems, lineItemsInput: ['json'] }, lineItemsJson),
	referenceId,
	customer,
	pricing,
	linkOptions,
	optionsOf([sendAmountsAs]),
	dynamicData,
] as const;
