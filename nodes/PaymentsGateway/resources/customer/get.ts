import { customerId } from '../../form/fields/customer';
import { operation } from '../../operation/operation';
import { customerDetail } from './find';

/**
 * Gets one customer with the saved payment methods. Account numbers are masked and security codes
 * left out.
 */

export const get = operation({
	name: 'Get',
	action: 'Get customer',
	description: 'Get a customer with the saved payment methods',
	fields: [customerId],
	run: async (parameters, work) => await customerDetail(work, parameters.customerId),
});
