import { shownWhen } from './describe';
import type { Field } from './params';

/** Fields that several operations share. Each is a literal, so that a reader sees the form. */

// Who

export const customerId = {
	displayName: 'Customer',
	name: 'customerId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: 'The customer, picked from the list, or given by ID or email',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod: 'searchCustomers', searchable: true },
		},
		{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. cus_4f1d' },
		{
			displayName: 'By Email',
			name: 'email',
			type: 'string',
			placeholder: 'name@email.com',
		},
	],
} as const satisfies Field;

export const paymentMethodId = {
	displayName: 'Payment Method',
	name: 'paymentMethodId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: 'One of the saved cards and bank accounts of the chosen customer',
	typeOptions: { loadOptionsDependsOn: ['customerId.value'] },
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod: 'searchPaymentMethods', searchable: true },
		},
		{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. card_91c2' },
	],
} as const satisfies Field;

export const email = {
	displayName: 'Email',
	name: 'email',
	type: 'string',
	default: '',
	placeholder: 'name@email.com',
} as const satisfies Field;

const nameOnCard = {
	displayName: 'Name on Card',
	name: 'nameOnCard',
	type: 'string',
	default: '',
	placeholder: 'e.g. Nathan Smith',
} as const satisfies Field;

const billing = [
	{ displayName: 'Billing Address', name: 'billingAddress', type: 'string', default: '' },
	{ displayName: 'Billing City', name: 'billingCity', type: 'string', default: '' },
	{ displayName: 'Billing Country', name: 'billingCountry', type: 'string', default: '' },
	{ displayName: 'Billing State', name: 'billingState', type: 'string', default: '' },
	{ displayName: 'Billing ZIP', name: 'billingZip', type: 'string', default: '' },
] as const satisfies readonly Field[];

const phone = {
	displayName: 'Phone',
	name: 'phone',
	type: 'string',
	default: '',
} as const satisfies Field;

export const customerFields = {
	displayName: 'Customer Fields',
	name: 'customerFields',
	type: 'collection',
	placeholder: 'Add Field',
	default: {},
	options: [...billing, email, nameOnCard, phone],
} as const satisfies Field;

export const customerFieldsWithoutEmail = {
	...customerFields,
	options: [...billing, nameOnCard, phone],
} as const satisfies Field;

export const payerInfo = {
	displayName: 'Customer Info',
	name: 'customerInfo',
	type: 'collection',
	placeholder: 'Add Field',
	default: {},
	description: 'Who pays, as the card or bank account has it',
	options: [...billing, email, nameOnCard],
} as const satisfies Field;

// With what

export const card = {
	displayName: 'Card',
	name: 'card',
	type: 'fixedCollection',
	placeholder: 'Add Card',
	default: {},
	options: [
		{
			displayName: 'Details',
			name: 'details',
			values: [
				{
					displayName: 'Card Token',
					name: 'cardToken',
					type: 'string',
					typeOptions: { password: true },
					default: '',
					description: 'The token that stands for the card, from the tokenization of the service',
				},
				{
					displayName: 'CVC',
					name: 'cvc',
					type: 'string',
					typeOptions: { password: true },
					default: '',
					description: 'The security code on the card. Never shown again in an output.',
				},
				{
					displayName: 'Expiry Date',
					name: 'expiryDate',
					type: 'string',
					default: '',
					placeholder: 'MM/YY',
					description: 'Month and year, such as 08/29',
				},
			],
		},
	],
} as const satisfies Field;

export const ach = {
	displayName: 'Bank Account (ACH)',
	name: 'ach',
	type: 'fixedCollection',
	placeholder: 'Add Bank Account',
	default: {},
	options: [
		{
			displayName: 'Details',
			name: 'details',
			values: [
				{
					displayName: 'Account Number',
					name: 'accountNumber',
					type: 'string',
					typeOptions: { password: true },
					default: '',
				},
				{
					displayName: 'Routing Number',
					name: 'routingNumber',
					type: 'string',
					typeOptions: { password: true },
					default: '',
				},
				{
					displayName: 'Account Type',
					name: 'accountType',
					type: 'string',
					default: 'CHECKING',
					description: 'As the service calls it, such as CHECKING',
				},
				{
					displayName: 'Account Holder Type',
					name: 'accountHolderType',
					type: 'string',
					default: 'PERSONAL',
					description: 'As the service calls it, such as PERSONAL',
				},
			],
		},
	],
} as const satisfies Field;

export const gpecomm = {
	displayName: 'GP Ecomm',
	name: 'gpecomm',
	type: 'fixedCollection',
	placeholder: 'Add GP Ecomm Method',
	default: {},
	options: [
		{
			displayName: 'Details',
			name: 'details',
			values: [
				{ displayName: 'GP Ecomm ID', name: 'id', type: 'string', default: '' },
				{
					displayName: 'GP Ecomm CVV',
					name: 'cvv',
					type: 'string',
					typeOptions: { password: true },
					default: '',
				},
			],
		},
	],
} as const satisfies Field;

/** The three kinds of payment method that can be saved; the form shows the one that is chosen. */
export const instruments = [
	shownWhen({ instrument: ['card'] }, card),
	shownWhen({ instrument: ['ach'] }, ach),
	shownWhen({ instrument: ['gpecomm'] }, gpecomm),
] as const;

export const skipMultiTokenConvert = {
	displayName: 'Skip Multi-Token Conversion',
	name: 'skipMultiTokenConvert',
	type: 'boolean',
	default: false,
	description: 'Whether the service keeps the card token as it is instead of converting it',
} as const satisfies Field;

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

// For what

export const paymentData = {
	displayName: 'Payment Data',
	name: 'paymentData',
	type: 'string',
	default: '',
	required: true,
	description: 'The encrypted text that stands for the cart, such as a new paylink returns it',
} as const satisfies Field;

const discountCodes = {
	displayName: 'Cart Discount Codes',
	name: 'discountCodes',
	type: 'string',
	typeOptions: { separatedBy: ',' },
	default: '',
	placeholder: 'e.g. SAVE10, WELCOME',
	description: 'Separated by commas, or a list by expression',
} as const satisfies Field;

const tip = {
	displayName: 'Cart Tip',
	name: 'tip',
	type: 'fixedCollection',
	placeholder: 'Add Tip',
	default: {},
	options: [
		{
			displayName: 'Details',
			name: 'details',
			values: [
				{
					displayName: 'Cart Tip Amount (Cents or Percent)',
					name: 'amount',
					type: 'number',
					default: 0,
					required: true,
					description: 'In cents when the type is fixed, such as 250 for $2.50',
				},
				{
					displayName: 'Cart Tip Type',
					name: 'type',
					type: 'options',
					default: 'fixed',
					options: [
						{ name: 'Fixed', value: 'fixed' },
						{ name: 'Percentage', value: 'percentage' },
					],
				},
			],
		},
	],
} as const satisfies Field;

const quantityAmounts = {
	displayName: 'Quantities',
	name: 'quantityAmounts',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Quantity',
	default: {},
	options: [
		{
			displayName: 'Items',
			name: 'items',
			values: [
				{
					displayName: 'Product SKU',
					name: 'id',
					type: 'string',
					default: '',
				},
				{
					displayName: 'New Quantity',
					name: 'quantity',
					type: 'number',
					typeOptions: { minValue: 1, numberPrecision: 0 },
					default: 1,
					required: true,
				},
			],
		},
	],
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

// Lists

export const returnAll = {
	displayName: 'Return All',
	name: 'returnAll',
	type: 'boolean',
	default: false,
	description: 'Whether to return all results or only up to a given limit',
} as const satisfies Field;

export const limit = shownWhen(
	{ returnAll: [false] },
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: 50,
		description: 'Max number of results to return',
	},
);

export const filters = {
	displayName: 'Filters',
	name: 'filters',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Filter',
	default: {},
	description: 'Only rows that meet all of these, as the service understands them',
	options: [
		{
			displayName: 'Conditions',
			name: 'conditions',
			values: [
				{
					displayName: 'Field',
					name: 'field',
					type: 'string',
					default: '',
					placeholder: 'e.g. email',
					description: "The field's name as the service writes it",
				},
				{
					displayName: 'Condition',
					name: 'condition',
					type: 'options',
					default: 'equals',
					options: [
						{ name: 'Contains', value: 'contains' },
						{ name: 'Equals', value: 'equals' },
						{ name: 'Greater or Equal', value: 'gte' },
						{ name: 'Greater Than', value: 'gt' },
						{ name: 'Less or Equal', value: 'lte' },
						{ name: 'Less Than', value: 'lt' },
						{ name: 'Not Equal', value: 'neq' },
					],
				},
				{
					displayName: 'Value',
					name: 'value',
					type: 'string',
					default: '',
				},
			],
		},
	],
} as const satisfies Field;

export const sort = {
	displayName: 'Sort',
	name: 'sort',
	type: 'fixedCollection',
	placeholder: 'Add Sort Rule',
	default: {},
	options: [
		{
			displayName: 'Rule',
			name: 'rule',
			values: [
				{
					displayName: 'Sort Field',
					name: 'field',
					type: 'string',
					default: '',
					placeholder: 'e.g. email',
					description: "The field's name as the service writes it",
				},
				{
					displayName: 'Order',
					name: 'order',
					type: 'options',
					default: 'asc',
					options: [
						{ name: 'Ascending', value: 'asc' },
						{ name: 'Descending', value: 'desc' },
					],
				},
			],
		},
	],
} as const satisfies Field;

export const simplifyOutput = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
} as const satisfies Field;

// Options

export const parallelRequests = {
	displayName: 'Parallel Requests',
	name: 'parallelRequests',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 20, numberPrecision: 0 },
	default: 5,
	noDataExpression: true,
	description: 'How many requests may be under way at once, for all items of a run together',
} as const satisfies Field;

export const includeSensitive = {
	displayName: 'Include Sensitive Data',
	name: 'includeSensitive',
	type: 'boolean',
	default: false,
	description:
		'Whether to show security codes and full account numbers. n8n stores what a node returns.',
} as const satisfies Field;

export const clearEmptyFields = {
	displayName: 'Clear Empty Fields',
	name: 'clearEmptyFields',
	type: 'boolean',
	default: false,
	description: 'Whether a field that is left empty is cleared at the service instead of left alone',
} as const satisfies Field;

export const pageSize = {
	displayName: 'Page Size',
	name: 'pageSize',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 1000, numberPrecision: 0 },
	default: 100,
	description: 'How many rows to ask for at once. A service that serves fewer is followed.',
} as const satisfies Field;

export const searchTerm = {
	displayName: 'Search',
	name: 'search',
	type: 'string',
	default: '',
	description: 'Only rows in which the service finds this',
} as const satisfies Field;

/** The options of an operation, with the one that all of them have. */
export function optionsOf<const Fields extends readonly Field[]>(fields: Fields) {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: [...fields, parallelRequests],
	} as const;
}
