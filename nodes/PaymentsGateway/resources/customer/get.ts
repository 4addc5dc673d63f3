import { customerId } from '../../form/fields/customer';
import { includeSensitive, optionsOf } from '../../form/fields/options';
import { customerDetail } from '../../operation/customerOf';
import { operation } from '../../operation/operation';
import { inColumns } from './columns';

/**
 * Gets one customer with the saved payment methods. Account numbers are masked and security codes
 * left out, unless Include Sensitive Data is on.
 */

export const get = operation({
	name: 'Get',
	action: 'Get customer',
	description: 'Get a customer with the saved payment methods',
	fields: [customerId, optionsOf([includeSensitive])],
	run: async (parameters, work) => inColumns(await customerDetail(work, parameters.customerId)),
});
