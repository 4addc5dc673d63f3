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
	'One amount, or products with quantities, including subscriptions',
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
		'A subscription always needs it. An expression may give any value that the gateway accepts.',
	),
	default: 'MONTHLY',
	allowArbitraryValues: true,
} as const;

const WHOLE_NUMBER = { minValue: 0, numberPrecision: 0 };

const subscription = {
	...collection('Subscription', 'subscription', 'Add Subscription Field', [
		billed,
		number('Interval Between Payments', 'recurringInterval', 1, WHOLE_NUMBER),
		number('Payments per Interval', 'recurringFrequency', 1, WHOLE_NUMBER),
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
			WHOLE_NUMBER,
			'After how many payments the subscription ends',
		),
		number('Trial Days', 'recurringTrialDays', 0, WHOLE_NUMBER),
	]),
	description: "Add 'Billed' to make the product a subscription",
} as const;

const inline = { productSource: ['inline'] };

const lineItems = repeated(
	group('Line Items', 'lineItems', { placeholder: 'Add Line Item', groupName: 'items' }, [
		choice('Product', 'productSource', {
			inline: 'Described Here',
			id: 'Known to the Gateway (by ID)',
		}),
		shownWhen({ productSource: ['id'] }, text('Product ID', 'productId')),
		shownWhen(inline, text('Product Name', 'name')),
		shownWhen(inline, text('SKU', 'sku')),
		shownWhen(inline, {
			...text('Product Description', 'description'),
			typeOptions: { rows: 2 },
		}),
		shownWhen(inline, required(money('Price (Dollars)', 'price', 'dollars', 'For one unit'))),
		quantity,
		shownWhen(inline, subscription),
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
	hint: 'Lets Get Status find the payment',
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
	// The Email field is open from the start: most links have one.
	default: { email: '' },
	description: 'Who pays: details that prefill the payment page, or an existing customer',
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
		toggle('Disable ACH', 'disableAch', 'Whether the payer cannot use a bank account'),
		toggle('Disable Card', 'disableCard', 'Whether the payer cannot use a card'),
		toggle(
			'Disable Custom Address',
			'disableCustomAddress',
			'Whether the payer cannot edit the prefilled address',
		),
		toggle(
			'Disable Custom Payment',
			'disableCustomPayment',
			"Whether the payer can use only the customer's saved payment methods",
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
				"When the link stops working; a date without a time includes that day. Without a zone, the workflow's timezone applies.",
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
	'The unit in which amount, tip, tax and shipping are sent. You always type dollars. Change it only if links show amounts 100 times too small or too large.',
);

const dynamicData = {
	...cartAdjustmentsWithType,
	displayName: 'Cart Adjustments (Advanced)',
	description:
		'The same adjustments that Calculate Cost and Charge make, sent beside Pricing as meta.dynamic. The gateway takes tip and discount codes in both places: fill in only one.',
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
