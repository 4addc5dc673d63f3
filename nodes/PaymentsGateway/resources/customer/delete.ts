import { customerId, optionsOf } from '../../operation/fields';
import { operation } from '../../operation/operation';

export const remove = operation({
	name: 'Delete',
	action: 'Delete a customer and their payment methods',
	description: 'Delete a customer for good, together with the saved payment methods',
	effect: 'write',
	fields: [
		{
			displayName: "The customer's saved payment methods are deleted too",
			name: 'deleteNotice',
			type: 'notice',
			default: '',
		},
		customerId,
		optionsOf([]),
	],
	run: async (parameters, { client, customerID }) => ({
		...(await client.call('deleteCustomer', {
			customerID: await customerID(parameters.customerId),
		})),
		deleted: true,
	}),
});
