import { customerId } from '../../form/fields/customer';
import { limit, returnAll } from '../../form/fields/list';
import { paymentMethodsOf } from '../../gateway/paymentMethods';
import { customerDetail } from '../../operation/customerOf';
import { operation } from '../../operation/operation';

/** Gets the saved payment methods of a customer. The gateway lists them as part of the customer. */

export const getAll = operation({
	name: 'Get Many',
	action: 'Get many payment methods',
	description: 'Get the saved cards and bank accounts of a customer',
	fields: [customerId, returnAll, limit],
	run: async (parameters, work) => {
		const customer = await customerDetail(work, parameters.customerId);
		return paymentMethodsOf(work.client, customer).slice(0, parameters.limit);
	},
});
