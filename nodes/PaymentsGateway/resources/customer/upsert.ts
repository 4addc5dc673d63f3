import { optionsOf, required } from '../../form/builders';
import { checkedEmail } from '../../form/email';
import { withoutEmpty } from '../../form/empty';
import { clearEmptyFields, customerFieldsWithoutEmail, email } from '../../form/fields/customer';
import { operation } from '../../operation/operation';
import { addToBook, findCustomer } from './find';
import { recentCustomers } from './recent';
import { changesOf, createCustomer, inTurn, updateCustomer } from './write';

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
	run: async ({ email: typed, customerFields, options }, { client, fieldError }) => {
		const given = checkedEmail(typed, fieldError);
		const changes = changesOf(customerFields, options.clearEmptyFields, fieldError);
		return await inTurn(client, [given], async () => {
			const known = await findCustomer({ client, fieldError }, given);
			if (known !== undefined) {
				const { customerID, outcome } = await updateCustomer(client, known, changes);
				return { customerID, email: given, outcome };
			}
			if (recentCustomers(client, given).isUnsure) {
				throw fieldError(
					`It is not known whether a customer with the email ${given} was made a moment ago`,
					'Nothing was sent, so that there are never two. Run it again in a minute: by then the gateway shows whether there is one.',
				);
			}
			const { customerID } = await createCustomer(client, {
				...withoutEmpty(changes),
				email: given,
			});
			await addToBook(client, given, customerID);
			return { customerID, email: given, outcome: 'created' };
		});
	},
});
