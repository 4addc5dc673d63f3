import type { CustomerDetail, CustomerForm } from '../../gateway/types';
import { filledIn } from '../../operation/body';
import {
	clearEmptyFields,
	customerFieldsWithoutEmail,
	email,
	optionsOf,
} from '../../operation/fields';
import { operation } from '../../operation/operation';

/** What is learned of an email when the answer to making its customer was lost. */
const UNSURE = '';

function saysTheSame(form: CustomerForm, stored: CustomerDetail): boolean {
	const known: Readonly<Record<string, unknown>> = { ...stored };
	return Object.entries(form).every(([name, value]) => (known[name] ?? '') === value);
}

export const upsert = operation({
	name: 'Create or Update',
	action: 'Create or update a customer',
	description: 'Create a new record, or update the current one if it already exists (upsert)',
	effect: 'write',
	fields: [
		{
			...email,
			required: true,
			description: 'What the customer is known by. Upper and lower case count as the same.',
		},
		customerFieldsWithoutEmail,
		optionsOf([clearEmptyFields]),
	],
	run: async (parameters, { client, complain, customersByEmail, inTurn, learned }) => {
		const form = parameters.options.clearEmptyFields
			? parameters.customerFields
			: filledIn(parameters.customerFields);
		const key = parameters.email.toLowerCase();
		return await inTurn(key, async (turn) => {
			// A customer made by an item before this one may not be in the service's list yet.
			const own = learned.get(key) ?? turn.word;
			const learn = (id: string) => {
				learned.set(key, id);
				turn.word = id;
			};
			const found = own ? [{ id: own }] : await customersByEmail(parameters.email);
			const [customer, ...others] = found;
			if (others.length > 0) {
				throw complain(
					`${found.length} customers have the email ${parameters.email}: ${found.map(({ id }) => id).join(', ')}`,
					'Nothing was changed. Merge or delete the others first, or use Update with an ID.',
				);
			}
			if (customer === undefined) {
				if (own === UNSURE) {
					throw complain(
						`It is not known whether an item before this one made a customer with the email ${parameters.email}`,
						'Nothing was sent, so that there are never two. Look for the customer before you run it again.',
					);
				}
				const made = await client.attempt('addCustomer', {
					form: { ...filledIn(form), email: parameters.email },
				});
				if ('error' in made) {
					if (!made.refused) learn(UNSURE);
					throw made.error;
				}
				const { customerID } = made.reply.answer;
				learn(customerID);
				return { customerID, outcome: 'created' };
			}
			const stored = await client.call('customer', { customerID: customer.id });
			if (saysTheSame(form, stored)) return { customerID: customer.id, outcome: 'unchanged' };
			const { customerID } = await client.call('updateCustomer', {
				customerID: customer.id,
				form,
			});
			return { customerID, outcome: 'updated' };
		});
	},
});
