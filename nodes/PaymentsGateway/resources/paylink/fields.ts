import type { AmountUnit } from '../../form/amount';
import { shownWhen } from '../../form/shownWhen';
import type { Condition } from '../../form/shownWhen';
import { customerId } from '../../form/fields/customer';
import { paymentMethodId } from '../../form/fields/paymentMethod';
import type { Field } from '../../form/field';

/**
 * The form of a paylink: what is paid, by whom, and what the payment page allows. Each field of
 * money exists once for each unit, so that its label can say Dollars or Cents.
 */

export const amountUnit = {
	displayName: 'Amount Unit',
	name: 'amountUnit',
	type: 'options',
	default: 'major',
	description: 'How you write the amounts of this form. Percentages stay percentages.',
	options: [
		{ name: 'Major Units (25.00)', value: 'major' },
		{ name: 'Minor Units (2500)', value: 'minor' },
	],
} as const satisfies Field;

export const pricingMode = {
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

/** The unit in labels and examples. An agent sees the label only, and not what Amount Unit is. */
const UNITS = {
	major: { unit: 'Dollars', example: 'e.g. 25.00' },
	minor: { unit: 'Cents', example: 'e.g. 2500' },
} as const;

type Words = (typeof UNITS)[AmountUnit];

/**
 * A field of money, once for each unit; the form shows the one that Amount Unit asks for, and both
 * are stored under one name.
 */
function inEachUnit<const F extends Field>(
	make: (words: Words) => F,
	condition: Condition,
	amountUnit: 'amountUnit' | '/amountUnit' = '/amountUnit',
) {
	return [
		shownWhen({ ...condition, [amountUnit]: ['major'] }, make(UNITS.major)),
		shownWhen({ ...condition, [amountUnit]: ['minor'] }, make(UNITS.minor)),
	] as const;
}

export const amount = inEachUnit(
	({ unit, example }) => ({
		displayName: `Amount (${unit})`,
		name: 'amount',
		type: 'string',
		default: '',
		required: true,
		placeholder: example,
		description: 'What is to be paid',
	}),
	{ pricingMode: ['amount'] },
	'amountUnit',
);

export const lineItemsInput = shownWhen(
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

const recurringMode = {
	displayName: 'Billed',
	name: 'recurringMode',
	type: 'options',
	default: 'MONTHLY',
	description: 'A subscription always needs it',
	options: [
		{ name: 'Daily', value: 'DAILY' },
		{ name: 'Monthly', value: 'MONTHLY' },
		{ name: 'Yearly', value: 'YEARLY' },
	],
} as const satisfies Field;

const whole = { minValue: 0, numberPrecision: 0 } as const;

const subscription = {
	displayName: 'Subscription',
	name: 'subscription',
	type: 'collection',
	placeholder: 'Add Subscription Field',
	default: {},
	description: 'Fill in Billed, and the product is paid again and again',
	options: [
		recurringMode,
		{
			displayName: 'Interval Between Payments',
			name: 'recurringInterval',
			type: 'number',
			typeOptions: whole,
			default: 1,
		},
		{
			displayName: 'Payments per Interval',
			name: 'recurringFrequency',
			type: 'number',
			typeOptions: whole,
			default: 1,
		},
		...inEachUnit(
			({ unit, example }) => ({
				displayName: `Setup Fee (${unit})`,
				name: 'recurringSetupFee',
				type: 'string',
				default: '',
				placeholder: example,
				description: 'Paid once, with the first payment',
			}),
			{},
		),
		{
			displayName: 'Setup Fee Is Refundable',
			name: 'recurringRefundable',
			type: 'boolean',
			default: false,
			description: 'Whether the setup fee can be refunded',
		},
		{
			displayName: 'Total Payments',
			name: 'recurringTotalCycles',
			type: 'number',
			typeOptions: whole,
			default: 12,
			description: 'After how many payments the subscription ends',
		},
		{
			displayName: 'Trial Days',
			name: 'recurringTrialDays',
			type: 'number',
			typeOptions: whole,
			default: 0,
		},
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
		options: [
			{
				displayName: 'Items',
				name: 'items',
				values: [
					{
						displayName: 'Product',
						name: 'productSource',
						type: 'options',
						default: 'inline',
						options: [
							{ name: 'Described Here', value: 'inline' },
							{ name: 'Known to the Service (by ID)', value: 'id' },
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
					...inEachUnit(
						({ unit, example }) => ({
							displayName: `Price (${unit})`,
							name: 'price',
							type: 'string',
							default: '',
							required: true,
							placeholder: example,
							description: 'Of one',
						}),
						inline,
					),
					{
						displayName: 'Quantity',
						name: 'quantity',
						type: 'number',
						typeOptions: { minValue: 1, numberPrecision: 0 },
						default: 1,
						required: true,
					},
					shownWhen(inline, subscription),
				],
			},
		],
	},
);

export const lineItemsJson = shownWhen(
	{ pricingMode: ['lineItems'], lineItemsInput: ['json'] },
	{
		displayName: 'Line Items (JSON, Minor Units)',
		name: 'lineItemsJson',
		type: 'json',
		default: '[]',
		description:
			'In the service\'s own shape, so prices are in cents whatever Amount Unit says, such as [{ "product": { "sku": "T-1", "name": "T-shirt", "price": 2500 }, "amount": 1 }]',
	},
);

export const referenceId = {
	displayName: 'Reference ID',
	name: 'referenceId',
	type: 'string',
	default: '',
	description: 'Your own reference, such as an invoice number. Events and Get Status carry it.',
} as const satisfies Field;

export const customer = {
	displayName: 'Customer',
	name: 'customer',
	type: 'collection',
	placeholder: 'Add Field',
	default: {},
	options: [
		{ ...customerId, displayName: 'Existing Customer', required: false },
		{
			...paymentMethodId,
			displayName: 'Saved Payment Method',
			name: 'customerPaymentId',
			required: false,
			typeOptions: { loadOptionsDependsOn: ['customer.customerId.value'] },
		},
		{
			displayName: 'Prefilled Address',
			name: 'prefilledAddress',
			type: 'fixedCollection',
			placeholder: 'Add Address',
			default: {},
			options: [
				{
					displayName: 'Details',
					name: 'details',
					values: [
						{
							displayName: 'Prefill Email',
							name: 'email',
							type: 'string',
							placeholder: 'name@email.com',
							default: '',
						},
						{
							displayName: 'Prefill Name on Card',
							name: 'nameOnCard',
							type: 'string',
							default: '',
						},
						{ displayName: 'Prefill Phone', name: 'phone', type: 'string', default: '' },
						{ displayName: 'Prefill Address', name: 'address', type: 'string', default: '' },
						{ displayName: 'Prefill City', name: 'city', type: 'string', default: '' },
						{ displayName: 'Prefill State', name: 'state', type: 'string', default: '' },
						{ displayName: 'Prefill ZIP', name: 'zip', type: 'string', default: '' },
						{ displayName: 'Prefill Country', name: 'country', type: 'string', default: '' },
					],
				},
			],
		},
	],
} as const satisfies Field;

const fixedOrPercentage = [
	{ name: 'Fixed', value: 'fixed' },
	{ name: 'Percentage', value: 'percentage' },
] as const;

export const pricing = {
	displayName: 'Pricing',
	name: 'pricing',
	type: 'collection',
	placeholder: 'Add Field',
	default: {},
	options: [
		{
			displayName: 'Discount Codes',
			name: 'discountCodes',
			type: 'string',
			typeOptions: { separatedBy: ',' },
			default: '',
			placeholder: 'e.g. SAVE10, WELCOME',
			description: 'Separated by commas, or a list by expression',
		},
		{
			displayName: 'Processing Method',
			name: 'methodVerifyOrProcess',
			type: 'string',
			default: 'process',
			description: 'As the service calls it; process takes the payment at once',
		},
		...inEachUnit(
			({ unit, example }) => ({
				displayName: `Shipping (${unit})`,
				name: 'shipping',
				type: 'string',
				default: '',
				placeholder: example,
			}),
			{},
		),
		...inEachUnit(
			({ unit, example }) => ({
				displayName: `Tax (${unit} or Percent)`,
				name: 'tax',
				type: 'string',
				default: '',
				placeholder: example,
				description: 'An amount, or a percentage if Tax Type says so',
			}),
			{},
		),
		{
			displayName: 'Tax Type',
			name: 'taxType',
			type: 'options',
			default: 'fixed',
			options: fixedOrPercentage,
		},
		...inEachUnit(
			({ unit, example }) => ({
				displayName: `Tip (${unit} or Percent)`,
				name: 'tip',
				type: 'string',
				default: '',
				placeholder: example,
				description: 'An amount, or a percentage if Tip Type says so',
			}),
			{},
		),
		{
			displayName: 'Tip Type',
			name: 'tipType',
			type: 'options',
			default: 'fixed',
			options: fixedOrPercentage,
		},
	],
} as const satisfies Field;

function toggle<const N extends string, const D extends string>(
	name: N,
	displayName: D,
	description: string,
) {
	return { displayName, name, type: 'boolean', default: false, description } as const;
}

export const linkOptions = {
	displayName: 'Link Options',
	name: 'linkOptions',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options: [
		toggle('allowEdit', 'Allow Editing', 'Whether the payer may edit the payment form'),
		toggle('allowExtraDiscount', 'Allow Discount Codes', 'Whether the payer may enter a discount'),
		toggle('allowTip', 'Allow Tip', 'Whether the payer may add a tip'),
		toggle('disableAch', 'Disable ACH', 'Whether to take no bank accounts'),
		toggle('disableCard', 'Disable Card', 'Whether to take no cards'),
		toggle(
			'disableCustomAddress',
			'Disable Custom Address',
			'Whether the prefilled address cannot be edited',
		),
		toggle(
			'disableCustomPayment',
			'Disable Custom Payment',
			'Whether only the saved payment method can be used',
		),
		toggle('disablePreselectCard', 'Disable Preselected Card', 'Whether no card is preselected'),
		{
			displayName: 'Redirect If Not Paid',
			name: 'onFailureUrl',
			type: 'string',
			default: '',
			placeholder: 'e.g. https://example.com/sorry',
		},
		{
			displayName: 'Redirect After Success',
			name: 'onSuccessUrl',
			type: 'string',
			default: '',
			placeholder: 'e.g. https://example.com/thanks',
		},
		{
			displayName: 'Valid Until',
			name: 'validUntil',
			type: 'dateTime',
			default: '',
			description: "When the link stops working. Without a zone, in the workflow's timezone.",
		},
	],
} as const satisfies Field;
