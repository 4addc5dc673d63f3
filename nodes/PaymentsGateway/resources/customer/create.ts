import { createCustomer, inTurnOf } from '../../customers/write';
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
			'Where a customer has the email already, this makes a second one. Create or Update changes the one that is there.',
		),
		// Open from the start: what a customer is known by.
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
		const sent = { ...form, ...withoutEmpty(parameters.options) };
		return await inTurnOf(client, [form.email], async () => await createCustomer(client, sent));
	},
});
