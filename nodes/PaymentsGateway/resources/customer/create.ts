import { filledIn, isEmpty } from '../../form/filledIn';
import { instrumentOf } from '../../form/instrument';
import { customerFields } from '../../form/fields/customer';
import { notice } from '../../form/fields/kinds';
import {
	instrumentDetails,
	instrumentOrNone,
	skipMultiTokenConvert,
} from '../../form/fields/paymentMethod';
import { optionsOf } from '../../form/fields/options';
import { operation } from '../../operation/operation';
import { changesOf, createCustomer, inTurn } from './write';

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
		instrumentOrNone,
		...instrumentDetails,
		optionsOf([skipMultiTokenConvert]),
	],
	run: async (parameters, { client, fieldError }) => {
		const form = {
			...changesOf(parameters.customerFields, false, fieldError),
			...instrumentOf(parameters.instrument, parameters, fieldError),
		};
		if (isEmpty(form)) {
			throw fieldError("'Customer Fields' are empty: fill in at least one, such as Email");
		}
		const sent = { ...form, ...filledIn(parameters.options) };
		return await inTurn(client, [form.email], async () => await createCustomer(client, sent));
	},
});
