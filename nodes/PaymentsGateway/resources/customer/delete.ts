import { notice } from '../../form/builders';
import { customerId } from '../../form/fields/customer';
import { operation } from '../../operation/operation';
import { idOfCustomer } from './find';
import { forgetCustomer } from './recent';

/**
 * Deletes a customer. The gateway deletes the saved payment methods too, which the notice and the
 * operation's name say.
 */

export const remove = operation({
	name: 'Delete',
	action: 'Delete customer and payment methods',
	description: 'Delete a customer for good, together with the saved payment methods',
	fields: [
		notice('deleteNotice', "The customer's saved payment methods are deleted too"),
		customerId,
	],
	run: async (parameters, work) => {
		const id = await idOfCustomer(work, parameters.customerId);
		const answer = await work.client.call('deleteCustomer', { customerID: id });
		forgetCustomer(work.client, id);
		return { ...answer, deleted: true };
	},
});
