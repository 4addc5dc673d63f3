import { customerId } from '../../form/fields/customer';
import { emailsChanged } from '../../gateway/addressBook';
import { customerID } from '../../operation/customerID';
import { operation } from '../../operation/operation';
import { noteDeleted } from './recent';

/**
 * Deletes a customer. The service deletes the saved payment methods too, which the notice and the
 * operation's name say.
 */

export const remove = operation({
	name: 'Delete',
	action: 'Delete a customer and their payment methods',
	description: 'Delete a customer for good, together with the saved payment methods',
	fields: [
		{
			displayName: "The customer's saved payment methods are deleted too",
			name: 'deleteNotice',
			type: 'notice',
			default: '',
		},
		customerId,
	],
	run: async (parameters, work) => {
		const id = await customerID(work, parameters.customerId, { isFinal: true });
		const answer = await work.client.call('deleteCustomer', { customerID: id });
		noteDeleted(work.client, id);
		emailsChanged(work.client);
		return { ...answer, deleted: true };
	},
});
