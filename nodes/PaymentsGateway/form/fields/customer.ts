import type { Field } from '../field';
import { toggle } from './kinds';

/**
 * The form fields about who pays: the picker of customers, and a customer's details. The operations
 * on customers, Charge and the paylink share them.
 */

export const anyCustomerId = {
	displayName: 'Customer',
	name: 'customerId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description: 'The customer, picked from the list, or given by ID or email',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod: 'searchCustomers', searchable: true },
		},
		{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. cus_4f1d' },
		{ displayName: 'By Email', name: 'email', type: 'string', placeholder: 'name@email.com' },
	],
} as const satisfies Field;

export const customerId = { ...anyCustomerId, required: true } as const satisfies Field;

export const email = {
	displayName: 'Email',
	name: 'email',
	type: 'string',
	default: '',
	placeholder: 'name@email.com',
} as const satisfies Field;

export const nameOnCard = {
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

export const phone = {
	displayName: 'Phone',
	name: 'phone',
	type: 'string',
	default: '',
} as const satisfies Field;

export const customerFields = {
	displayName: 'Customer Fields',
	name: 'customerFields',
	type: 'collection',
	// A column that one row of a CRM does not have is left alone, not an error.
	typeOptions: { leavesOutMissing: true },
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

export const clearEmptyFields = toggle(
	'Clear Empty Fields',
	'clearEmptyFields',
	'Whether a field that is left empty is cleared at the gateway instead of left alone. An email is never cleared.',
);
