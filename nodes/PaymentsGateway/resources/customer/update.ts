import { filledIn, isEmpty } from '../../operation/body';
import { clearEmptyFields, customerFields, customerId, optionsOf } from '../../operation/fields';
import { operation } from '../../operation/operation';

export const update = operation({
	name: 'Update',
	action: 'Update a customer',
	description: 'Change the fields of a customer that you fill in, and leave the others alone',
	effect: 'write',
	fields: [customerId, customerFields, optionsOf([clearEmptyFields])],
	run: async (parameters, { client, complain, customerID }) => {
		const form = parameters.options.clearEmptyFields
			? parameters.customerFields
			: filledIn(parameters.customerFields);
		if (isEmpty(form)) {
			throw complain('"Customer Fields" hold nothing to change', 'Fill in at least one field.');
		}
		return await client.call('updateCustomer', {
			customerID: await customerID(parameters.customerId),
			form,
		});
	},
});
