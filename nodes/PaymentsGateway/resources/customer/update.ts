import { noCustomerError } from '../../customers/find';
import { changeCustomer, withIdentifierLock } from '../../customers/write';
import { optionsOf } from '../../form/builders';
import {
	changesOf,
	clearEmptyFields,
	customerFields,
	customerId,
} from '../../form/fields/customer';
import { operation } from '../../operation/operation';

/**
 * Changes the fields of a customer that are filled in. Items that name one customer, by ID or by email,
 * follow each other, or each could put back what the other has changed.
 */

export const update = operation({
	name: 'Update',
	action: 'Update customer',
	description: 'Change the fields of a customer that you fill in, and keep the others',
	fields: [customerId, customerFields, optionsOf([clearEmptyFields])],
	run: async ({ customerId: customer, customerFields: fields, options }, ctx) => {
		const changes = changesOf(fields, options.clearEmptyFields);
		return await withIdentifierLock(ctx.client, [customer.value, changes.email], async () => {
			const updated = await changeCustomer(ctx, customer, changes);
			if (updated === undefined) throw noCustomerError(ctx, customer.value);
			return updated;
		});
	},
});
