import { groupOf } from '../../form/group';
import { shownWhen } from '../../form/shownWhen';
import { anyCustomerId, email, nameOnCard, phone } from '../../form/fields/customer';
import {
	amountType,
	cartAdjustmentsWithType,
	discountCodes,
	quantity,
} from '../../form/fields/cart';
import { money, toggle, whole } from '../../form/fields/kinds';
import { optionsOf } from '../../form/fields/options';
import { anyPaymentMethodId } from '../../form/fields/paymentMethod';
import type { Field } from '../../form/field';

/**
 * The form of a paylink: what is paid, by whom, and what the payment page allows. Sums of money are
 * in dollars, and their labels say so, since an agent sees nothing else.
 */

export const MONEY = {
	amount: 'Amount (Dollars)',
	price: 'Price (Dollars)',
	setupFee: 'Setup Fee (Dollars)',
	shipping: 'Shipping (Dollars)',
	tax: 'Tax (Dollars or Percent)',
	tip: 'Tip Amount (Dollars or Percent)',
} as const;

const pricingMode = {
	displayName: 'Price By',
	name: 'pricingMode',
	type: 'options',
	default: 'amount',
	options: [
		{ name: 'Amount', value: 'amount', description: 'One sum, such as 25' },
		{
			name: 'Line Items',
			value: 'lineItems',
			description: 'Products with quantities, and subscriptions',
		},
	],
} as const satisfies Field;

const amount = shownWhen(
	{ pricingMode: ['amount'] },
	{ ...money(MONEY.amount, 'amount', 'What is to be paid'), required: true },
);

const lineItemsInput = shownWhen(
	{ pricingMode: ['lineItems'] },
	{
		displayName: 'Line Items Input',
		name: 'lineItemsInput',
		type: 'options',
		default: 'fields',
		options: [
			{ name: 'Fields Below', value: 'fields' },
			{ name: 'JSON', value: 'json' },
		],
	},
);

const subscription = {
	displayName: 'Subscription',
	name: 'subscription',
	type: 'collection',
	placeholder: 'Add Subscription Field',
	default: {},
	description: 'Fill in Billed, and the product is paid again and again',
	options: [
		{
			displayName: 'Billed',
			name: 'recurringMode',
			type: 'options',
			allowArbitraryValues: true,
			default: 'MONTHLY',
			description: 'A subscription always needs it. By expression, any word of the gateway.',
			options: [
				{ name: 'Daily', value: 'DAILY' },
				{ name: 'Monthly', value: 'MONTHLY' },
				{ name: 'Yearly', value: 'YEARLY' },
			],
		},
		whole('Interval Between Payments', 'recurringInterval', 1),
		whole('Payments per Interval', 'recurringFrequency', 1),
		money(MONEY.setupFee, 'recurringSetupFee', 'Paid once'),
		toggle(
			'Setup Fee Is Refundable',
			'recurringRefundable',
			'Whether the setup fee can be refunded',
		),
		{
			...whole('Total Payments', 'recurringTotalCycles', 12),
			description: 'After how many payments the subscription ends',
		},
		whole('Trial Days', 'recurringTrialDays', 0),
	],
} as const satisfies Field;

const inline = { productSource: ['inline'] };

export const lineItems = shownWhen(
	{ pricingMode: ['lineItems'], lineItemsInput: ['fields'] },
	{
		displayName: 'Line Items',
		name: 'lineItems',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add Line Item',
		default: {},
		options: groupOf('items', 'Items', [
			{
				displayName: 'Product',
				name: 'productSource',
				type: 'options',
				default: 'inline',
				options: [
					{ name: 'Described Here', value: 'inline' },
					{ name: 'Known to the Gateway (by ID)', value: 'id' },
				],
			},
			shownWhen(
				{ productSource: ['id'] },
				{ displayName: 'Product ID', name: 'productId', type: 'string', default: '' },
			),
			shownWhen(inline, {
				displayName: 'Product Name',
				name: 'name',
				type: 'string',
				default: '',
			}),
			shownWhen(inline, { displayName: 'SKU', name: 'sku', type: 'string', default: '' }),
			shownWhen(inline, {
				displayName: 'Product Description',
				name: 'description',
				type: 'string',
				typeOptions: { rows: 2 },
				default: '',
			}),
			shownWhen(inline, { ...money(MONEY.price, 'price', 'Of one'), required: true }),
			quantity,
			shownWhen(inline, subscription),
		]),
	},
);

export const lineItemsJson = shownWhen(
	{ pricingMode: ['lineItems'], lineItemsInput: ['json'] },
	{
		displayName: 'Line Items (JSON, Prices in Cents)',
		name: 'lineItemsJson',
		type: 'json',
		default: '[]',
		description:
			'In the gateway\'s own shape, such as [{ "product": { "sku": "T-1", "name": "T-shirt", "price": 2500 }, "amount": 1 }] for one of $25.00',
	},
);

const referenceId = {
	displayName: 'Reference ID',
	name: 'referenceId',
	type: 'string',
	default: '',
	placeholder: 'e.g. INV-1042',
	hint: 'Without it nobody can tell later which payment this is.',
	description: 'Your own, such as an invoice number',
} as const satisfies Field;

const customer = {
	displayName: 'Customer',
	name: 'customer',
	type: 'collection',
	placeholder: 'Add Field',
	// Open from the start: what most links are filled in with.
	default: { email: '' },
	description: 'Who pays: what the payment page is filled in with, or a customer that is saved',
	options: [
		{ displayName: 'Address', name: 'address', type: 'string', default: '' },
		{ displayName: 'City', name: 'city', type: 'string', default: '' },
		{ displayName: 'Country', name: 'country', type: 'string', default: '' },
		email,
		{ ...anyCustomerId, displayName: 'Existing Customer' },
		nameOnCard,
		phone,
		{
			...anyPaymentMethodId,
			displayName: 'Saved Payment Method',
			name: 'customerPaymentId',
			typeOptions: { loadOptionsDependsOn: ['customer.customerId.value'] },
		},
		{ displayName: 'State', name: 'state', type: 'string', default: '' },
		{ displayName: 'ZIP', name: 'zip', type: 'string', default: '' },
	],
} as const satisfies Field;

const pricing = {
	displayName: 'Pricing',
	name: 'pricing',
	type: 'collection',
	placeholder: 'Add Field',
	default: {},
	options: [
		{ ...discountCodes, displayName: 'Discount Codes' },
		{
			displayName: 'Processing Method',
			name: 'methodVerifyOrProcess',
			type: 'string',
			typeOptions: { mustBeFound: true },
			default: 'process',
			description: 'As the gateway calls it; process takes the payment at once',
		},
		money(MONEY.shipping, 'shipping', 'Added to what is to be paid'),
		money(MONEY.tax, 'tax', 'An amount, or a percentage if Tax Type says so'),
		amountType('Tax Type', 'taxType'),
		money(MONEY.tip, 'tip', 'An amount, or a percentage if Tip Type says so'),
		amountType('Tip Type', 'tipType'),
	],
} as const satisfies Field;

const linkOptions = {
	displayName: 'Link Options',
	name: 'linkOptions',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options: [
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
		{
			displayName: 'Redirect After Success',
			name: 'onSuccessUrl',
			type: 'string',
			default: '',
			placeholder: 'e.g. https://example.com/thanks',
		},
		{
			displayName: 'Redirect If Not Paid',
			name: 'onFailureUrl',
			type: 'string',
			default: '',
			placeholder: 'e.g. https://example.com/sorry',
		},
		{
			displayName: 'Valid Until',
			name: 'validUntil',
			type: 'dateTime',
			typeOptions: { endsDay: true },
			default: '',
			description:
				"When the link stops working; a date without a time works until its end. Without a zone, in the workflow's timezone.",
		},
	],
} as const satisfies Field;

const options = optionsOf([
	{
		displayName: 'Send Amounts As',
		name: 'sendAmountsAs',
		type: 'options',
		default: 'minor',
		description:
			'How amount, tip, tax and shipping go out. Change it only if links show a hundredth or a hundred times of what you typed.',
		options: [
			{ name: 'Cents (2500)', value: 'minor' },
			{ name: 'Dollars (25.00)', value: 'major' },
		],
	},
]);

export const fields = [
	pricingMode,
	amount,
	lineItemsInput,
	lineItems,
	lineItemsJson,
	referenceId,
	customer,
	pricing,
	linkOptions,
	options,
	{ ...cartAdjustmentsWithType, displayName: 'Cart Adjustments (Advanced)' },
] as const;
