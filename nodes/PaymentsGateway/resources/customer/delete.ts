import { idOfCustomer } from '../../customers/find';
import { noteDeleted } from '../../customers/recent';
import { notice } from '../../form/builders';
import { customerId } from '../../form/fields/customer';
import { operation } from '../../operation/operation';

/**
 * Deletes a customer. The gateway also deletes the saved payment methods, so the notice and the
 * action's name warn of it.
 */

export const remove = operation({
	name: 'Delete',
	action: 'Delete customer and payment methods',
	description: 'Delete a customer for good, together with the saved payment methods',
	fields: [
		notice('deleteNotice', "The customer's saved payment methods are deleted too"),
		customerId,
	],
	run: async (parameters, ctx) => {
		const id = await idOfCustomer(ctx, parameters.customerId);
		const answer = await ctx.client.call('deleteCustomer', { customerID: id });
		noteDeleted(ctx.client, id);
		return { ...answer, deleted: true };
	},
});
