import { customerId, includeSensitive, optionsOf } from '../../operation/fields';
import { operation } from '../../operation/operation';

export const get = operation({
	name: 'Get',
	action: 'Get a customer',
	description: 'Get a customer with the saved payment methods',
	effect: 'read',
	fields: [customerId, optionsOf([includeSensitive])],
	run: async (parameters, { client, customerID }) =>
		await client.call('customer', { customerID: await customerID(parameters.customerId) }),
});
