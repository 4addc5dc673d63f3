import { customerId } from '../../form/fields/customer';
import { limit, returnAll } from '../../form/fields/list';
import { readCustomer } from '../../customers/find';
import { operation } from '../../operation/operation';

/** Gets the saved payment methods of a customer. The gateway lists them as part of the customer. */

export const getAll = operation({
	name: 'Get Many',
	action: 'Get many payment methods',
	description: 'Get the saved cards and bank accounts of a customer',
	fields: [customerId, returnAll, limit],
	run: async (parameters, work) => {
		const { paymentCards } = await readCustomer(work, parameters.customerId);
		// A customer without any may come without the list.
		return (paymentCards ?? []).slice(0, parameters.limit);
	},
});
