import { addToBook } from '../../customers/list';
import { recentOf } from '../../customers/recent';
import { changeCustomer, createCustomer, withIdentifierLock } from '../../customers/write';
import { optionsOf, required } from '../../form/builders';
import { withoutEmpty } from '../../form/empty';
import {
	changesOf,
	clearEmptyFields,
	customerFieldsWithoutEmail,
	email,
} from '../../form/fields/customer';
import { operation } from '../../operation/operation';

/** Creates a customer, or changes the one with the same email. */

export const upsert = operation({
	name: 'Create or Update',
	action: 'Create or update customer',
	description: 'Create a new record, or update the current one if it already exists (upsert)',
	fields: [
		required({
			...email,
			description: 'Identifies the customer. Upper and lower case count as the same.',
		}),
		customerFieldsWithoutEmail,
		optionsOf([clearEmptyFields]),
	],
	run: async ({ email, customerFields, options }, ctx) => {
		const { client, fieldError } = ctx;
		const changes = changesOf(customerFields, options.clearEmptyFields);
		return await withIdentifierLock(client, [email], async () => {
			const updated = await changeCustomer(ctx, { by: 'email', value: email }, changes);
			if (updated !== undefined) {
				return { customerID: updated.customerID, email, outcome: updated.outcome };
			}
			if (recentOf(client, email)?.isUnconfirmed) {
				throw fieldError(
					`It is not known whether a customer with the email ${email} was made a moment ago`,
					'Nothing was sent, so that there are never two. Run it again in a minute: by then the gateway shows whether there is one.',
				);
			}
			const { customerID } = await createCustomer(client, { ...withoutEmpty(changes), email });
			await addToBook(client, email, customerID);
			return { customerID, email, outcome: 'created' };
		});
	},
});
