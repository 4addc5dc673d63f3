import { customerId, includeSensitive, limit, optionsOf, returnAll } from '../../operation/fields';
import { operation } from '../../operation/operation';

export const getAll = operation({
	name: 'Get Many',
	action: 'Get many payment methods of a customer',
	description: 'Get the saved cards and bank accounts of a customer',
	effect: 'read',
	fields: [customerId, returnAll, limit, optionsOf([includeSensitive])],
	run: async (parameters, { client, customerID }) => {
		const { paymentCards } = await client.call('customer', {
			customerID: await customerID(parameters.customerId),
		});
		// A customer without any may come without the list.
		const methods = Array.isArray(paymentCards) ? paymentCards : [];
		return parameters.returnAll ? methods : methods.slice(0, parameters.limit);
	},
});
