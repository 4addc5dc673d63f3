import { readCustomer } from '../../customers/find';
import { customerId } from '../../form/fields/customer';
import { operation } from '../../operation/operation';

/**
 * Gets one customer with the saved payment methods. Account numbers are masked and security codes
 * left out.
 */

export const get = operation({
	name: 'Get',
	action: 'Get customer',
	description: 'Get a customer with the saved payment methods',
	fields: [customerId],
	run: async (parameters, ctx) => await readCustomer(ctx, parameters.customerId),
});
