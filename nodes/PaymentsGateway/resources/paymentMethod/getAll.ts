import { customerId } from '../../form/fields/customer';
import { includeSensitive, optionsOf } from '../../form/fields/options';
import { limit, returnAll } from '../../form/fields/list';
import { customerID } from '../../operation/customerID';
import { operation } from '../../operation/operation';

export const getAll = operation({
	name: 'Get Many',
	action: 'Get many payment methods of a customer',
	description: 'Get the saved cards and bank accounts of a customer',
	fields: [customerId, returnAll, limit, optionsOf([includeSensitive])],
	run: async (parameters, work) => {
		const { paymentCards } = await work.client.call('customer', {
			customerID: await customerID(work, parameters.customerId),
		});
		// A customer without any may come without the list.
		const methods = Array.isArray(paymentCards) ? paymentCards : [];
		return methods.slice(0, parameters.limit);
	},
});
