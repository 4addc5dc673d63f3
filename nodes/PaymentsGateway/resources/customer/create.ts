import { createCustomer, withIdentifierLock } from '../../customers/write';
import { notice, optionsOf } from '../../form/builders';
import { isEmpty, withoutEmpty } from '../../form/empty';
import { changesOf, customerFields } from '../../form/fields/customer';
import {
	instrumentOf,
	methodDetails,
	methodToSaveOrNone,
	skipMultiTokenConvert,
} from '../../form/fields/paymentMethod';
import { operation } from '../../operation/operation';

/**
 * Creates a customer, with a payment method if one is given. It does not look for a customer with
 * the same email, as the notice says; Create or Update (`upsert.ts`) does.
 */

export const create = operation({
	name: 'Create',
	action: 'Create customer',
	description: 'Create a customer, with a payment method if you like',
	fields: [
		notice(
			'createNotice',
			'If a customer with this email exists, this makes a second one. Create or Update changes the existing one, and finds it by its email.',
		),
		// Open from the start: the fields that identify a customer.
		{ ...customerFields, default: { email: '', nameOnCard: '' } },
		methodToSaveOrNone,
		...methodDetails,
		optionsOf([skipMultiTokenConvert]),
	],
	run: async (parameters, { client, fieldError }) => {
		const form = { ...changesOf(parameters.customerFields), ...instrumentOf(parameters) };
		if (isEmpty(form)) {
			throw fieldError("'Customer Fields' are empty: fill in at least one, such as Email");
		}
		const request = { ...form, ...withoutEmpty(parameters.options) };
		// So that a Create or Update of the same email waits, and finds this customer.
		return await withIdentifierLock(
			client,
			[form.email],
			async () => await createCustomer(client, request),
		);
	},
});
