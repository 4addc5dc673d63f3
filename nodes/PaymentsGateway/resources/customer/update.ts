import { filledIn, isEmpty } from '../../form/filledIn';
import { clearEmptyFields, customerFields, customerId } from '../../form/fields/customer';
import { optionsOf } from '../../form/fields/options';
import { emailsChanged } from '../../gateway/addressBook';
import { sameEmail } from '../../wire/email';
import { customerID } from '../../operation/customerID';
import { operation } from '../../operation/operation';
import type { Recent } from './recent';
import { inTurn, remember } from './recent';

/**
 * Changes some fields of a customer. A field that is sent empty is cleared at the service, so empty
 * ones are sent only with Clear Empty Fields. Look-ups by email are told of another email.
 */

export const update = operation({
	name: 'Update',
	action: 'Update a customer',
	description: 'Change the fields of a customer that you fill in, and leave the others alone',
	fields: [customerId, customerFields, optionsOf([clearEmptyFields])],
	run: async (parameters, work) => {
		const form = parameters.options.clearEmptyFields
			? parameters.customerFields
			: filledIn(parameters.customerFields);
		if (isEmpty(form)) {
			throw work.complain(
				'"Customer Fields" hold nothing to change',
				'Fill in at least one field.',
			);
		}
		const { by, value } = parameters.customerId;
		const change = { customerID: await customerID(work, parameters.customerId), form };
		const { email } = form;
		if (email === undefined || (by === 'email' && sameEmail(email) === sameEmail(value))) {
			return await work.client.call('updateCustomer', change);
		}
		const changeEmail = async (recent?: Recent) => {
			const sent = await work.client.attempt('updateCustomer', change);
			if (!('error' in sent && sent.refused)) {
				// Where the answer was lost, the customer's own data will tell.
				if (recent) remember(recent, change.customerID);
				emailsChanged(work.client);
			}
			if ('error' in sent) throw sent.error;
			return sent.reply.answer;
		};
		return sameEmail(email) === '' ? await changeEmail() : await inTurn(work, email, changeEmail);
	},
});
