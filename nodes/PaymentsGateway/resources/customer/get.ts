import { readCustomer } from '../../customers/find';
import { customerId } from '../../form/fields/customer';
import { operation } from '../../operation/operation';

/**
 * Gets one customer with the saved payment methods. The mask of every output (output/mask.ts) shortens
 * account numbers and removes security codes.
 */

export const get = operation({
	name: 'Get',
	action: 'Get customer',
	description: 'Get a customer with the saved payment methods',
	fields: [customerId],
	run: async (parameters, ctx) => await readCustomer(ctx, parameters.customerId),
});
