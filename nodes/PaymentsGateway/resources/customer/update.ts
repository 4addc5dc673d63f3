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
 * Changes the fields of a customer that are filled in. An update sends all fields, so it would undo
 * another that runs at the same time. Items with the same ID or email therefore run one after another. So
 * do an item by ID and one by email of the same customer: see the second lock in `customers/write.ts`.
 */

export const update = operation({
	name: 'Update',
	action: 'Update customer',
	description: 'Change the customer fields that you fill in, and keep the others',
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
