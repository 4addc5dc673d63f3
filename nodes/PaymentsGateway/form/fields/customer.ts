import type { CustomerForm } from '../../wire';
import { collection, picker, required, text, toggle } from '../builders';
import { withoutEmpty } from '../empty';

/**
 * The form fields about who pays: the picker of customers, and a customer's details. The operations
 * on customers, Charge and the paylink share them.
 */

/** For a form in which there may be no customer. */
export const optionalCustomer = picker('Customer', 'customerId', {
	description: 'The customer, picked from the list, or given by ID or email',
	searchListMethod: 'searchCustomers',
	modes: [
		{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. cus_4f1d' },
		{ displayName: 'By Email', name: 'email', type: 'string', placeholder: 'name@email.com' },
	],
});

export const customerId = required(optionalCustomer);

export const email = text('Email', 'email', { placeholder: 'name@email.com', shape: 'email' });

export const nameOnCard = text('Name', 'nameOnCard', { placeholder: 'e.g. Nathan Smith' });

export const phone = text('Phone', 'phone');

const billing = [
	text('Billing Address', 'billingAddress'),
	text('Billing City', 'billingCity'),
	text('Billing Country', 'billingCountry'),
	text('Billing State', 'billingState'),
	text('Billing ZIP', 'billingZip'),
] as const;

const details = [...billing, email, nameOnCard, phone] as const;

export const customerFields = {
	...collection('Customer Fields', 'customerFields', 'Add Field', details),
	// A column that one row of a CRM lacks leaves the field unchanged; it is no error.
	typeOptions: { skipsUndefined: true },
} as const;

export const customerFieldsWithoutEmail = {
	...customerFields,
	options: [...billing, nameOnCard, phone],
} as const;

export const payerInfo = {
	...collection('Customer Info', 'customerInfo', 'Add Field', [...billing, email, nameOnCard]),
	description: 'Who pays, as on the card or bank account',
} as const;

export const clearEmptyFields = toggle(
	'Clear Empty Fields',
	'clearEmptyFields',
	'Whether an empty field clears the value at the gateway. Off: the value stays as it is. An email is never cleared.',
);

/** The changes that the form asks for. Nothing clears an email: a customer is known by it. */
export function changesOf(
	{ email, ...others }: CustomerForm,
	clearEmptyFields = false,
): CustomerForm {
	return { ...(clearEmptyFields ? others : withoutEmpty(others)), ...(email && { email }) };
}
