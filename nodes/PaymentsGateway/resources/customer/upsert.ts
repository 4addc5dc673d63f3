import { optionsOf, required } from '../../form/builders';
import { withoutEmpty } from '../../form/empty';
import { clearEmptyFields, customerFieldsWithoutEmail, email } from '../../form/fields/customer';
import { operation } from '../../operation/operation';
import { addToBook } from './find';
import { recentCustomers } from './recent';
import { changeCustomer, changesOf, createCustomer, inTurn } from './write';

/** Creates a customer, or changes the one with the same email. */

export const upsert = operation({
	name: 'Create or Update',
	action: 'Create or update customer',
	description: 'Create a new record, or update the current one if it already exists (upsert)',
	fields: [
		required({
			...email,
			description: 'What the customer is known by. Upper and lower case count as the same.',
		}),
		customerFieldsWithoutEmail,
		optionsOf([clearEmptyFields]),
	],
	run: async ({ email, customerFields, options }, work) => {
		const { client, fieldError } = work;
		const changes = changesOf(customerFields, options.clearEmptyFields);
		return await inTurn(client, [email], async () => {
			const updated = await changeCustomer(work, { by: 'email', value: email }, changes);
			if (updated !== undefined) {
				return { customerID: updated.customerID, email, outcome: updated.outcome };
			}
			if (recentCustomers(client, email).isUnsure) {
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
