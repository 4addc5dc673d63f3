import { optionsOf } from '../../form/builders';
import { clearEmptyFields, customerFields, customerId } from '../../form/fields/customer';
import { operation } from '../../operation/operation';
import { customerDetail } from './find';
import { changesOf, inTurn, updateCustomer } from './write';

/**
 * Changes the fields of a customer that are filled in. Items that name one customer alike take turns,
 * or each could put back what the other has changed.
 */

export const update = operation({
	name: 'Update',
	action: 'Update customer',
	description: 'Change the fields of a customer that you fill in, and leave the others alone',
	fields: [customerId, customerFields, optionsOf([clearEmptyFields])],
	run: async ({ customerId: customer, customerFields: fields, options }, work) => {
		const { client } = work;
		const changes = changesOf(fields, options.clearEmptyFields);
		return await inTurn(client, [customer.value, changes.email], async () => {
			const detail = await customerDetail(work, customer);
			return await updateCustomer(client, detail, changes);
		});
	},
});
