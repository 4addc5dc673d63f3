import { addToBook } from '../../customers/list';
import { isUnconfirmed } from '../../customers/recent';
import { changeCustomer, createCustomer, withIdentifierLock } from '../../customers/write';
import { optionsOf, required } from '../../form/builders';
import { withoutEmpty } from '../../form/empty';
import {
	changesOf,
	clearEmptyFields,
	customerFieldsWithoutEmail,
	email as emailField,
} from '../../form/fields/customer';
import { operation } from '../../operation/operation';

/** Creates a customer, or changes the one with the same email. */

export const upsert = operation({
	name: 'Create or Update',
	action: 'Create or update customer',
	description: 'Create a new record, or update the current one if it already exists (upsert)',
	fields: [
		required({
			...emailField,
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
			if (isUnconfirmed(client, email)) {
				throw fieldError(
					`Could not confirm whether a customer with the email ${email} was just created`,
					'No second one was created. Run it again in a minute: by then, the gateway lists an existing customer.',
				);
			}
			const { customerID } = await createCustomer(client, { ...withoutEmpty(changes), email });
			await addToBook(client, email, customerID);
			return { customerID, email, outcome: 'created' };
		});
	},
});
