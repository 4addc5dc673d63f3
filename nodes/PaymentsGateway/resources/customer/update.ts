import { filledIn, isEmpty } from '../../form/filledIn';
import { clearEmptyFields, customerFields, customerId } from '../../form/fields/customer';
import { optionsOf } from '../../form/fields/options';
import { customerID } from '../../operation/customerID';
import { operation } from '../../operation/operation';

/**
 * Changes some fields of a customer. A field that is sent empty is cleared at the service, so empty
 * ones are sent only with Clear Empty Fields.
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
		return await work.client.call('updateCustomer', {
			customerID: await customerID(work, parameters.customerId),
			form,
		});
	},
});
