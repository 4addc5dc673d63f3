import { clearEmptyFields, customerFieldsWithoutEmail, email } from '../../form/fields/customer';
import { optionsOf } from '../../form/fields/options';
import { filledIn } from '../../form/filledIn';
import { idsListed } from '../../gateway/addressBook';
import { customersByEmail, severalCustomers } from '../../gateway/customers';
import { sameEmail, visibleEmail } from '../../gateway/email';
import { memoriesOf } from '../../operation/memories';
import type { Work } from '../../operation/operation';
import { operation } from '../../operation/operation';
import { createTurns } from '../../operation/turns';
import type { CustomerDetail, CustomerForm } from '../../wire';
import { recentOf } from './recent';
import type { Recent } from './recent';

/**
 * Creates a customer, or updates the one with the same email. Rows with one email take turns and
 * remember whom they have just made, since the service's list may show a new customer late.
 */

/** Across all executions in this process: two that sync the same customer at once make one. */
const inTurn = createTurns();

function saysTheSame(form: CustomerForm, stored: CustomerDetail): boolean {
	const known: Readonly<Record<string, unknown>> = { ...stored };
	return Object.entries(form).every(([name, value]) => (known[name] ?? '') === value);
}

export const upsert = operation({
	name: 'Create or Update',
	action: 'Create or update a customer',
	description: 'Create a new record, or update the current one if it already exists (upsert)',
	fields: [
		{
			...email,
			required: true,
			description: 'What the customer is known by. Upper and lower case count as the same.',
		},
		customerFieldsWithoutEmail,
		optionsOf([clearEmptyFields]),
	],
	run: async (parameters, work) => {
		const form = parameters.options.clearEmptyFields
			? parameters.customerFields
			: filledIn(parameters.customerFields);
		const given = visibleEmail(parameters.email);
		if (given === '') throw work.complain('"Email" is empty');
		const key = JSON.stringify([work.client.customers, sameEmail(given)]);
		const recent = recentOf(key, work.client.ended, memoriesOf(work.context));
		return await inTurn(key, async () => {
			const known = (await madeJustNow(work, recent, given)) ?? (await lookedUp(work, given));
			if (known === undefined) {
				const customerID = await make(work, recent, { ...filledIn(form), email: given });
				return { customerID, email: given, outcome: 'created' };
			}
			if (saysTheSame(form, known)) {
				return { customerID: known.id, email: given, outcome: 'unchanged' };
			}
			const { customerID } = await work.client.call('updateCustomer', {
				customerID: known.id,
				form,
			});
			return { customerID, email: given, outcome: 'updated' };
		});
	},
});

/** The customer with an ID, if there still is one. */
async function stillThere({ client }: Work, id: string): Promise<CustomerDetail | undefined> {
	const found = await client.attempt('customer', { customerID: id });
	if ('reply' in found) return found.reply.answer;
	if (!found.refused) throw found.error;
	return undefined;
}

/** A customer made just before this may not be in the service's list yet. */
async function madeJustNow(
	work: Work,
	recent: Recent,
	given: string,
): Promise<CustomerDetail | undefined> {
	if (typeof recent.made !== 'object') return undefined;
	const found = await stillThere(work, recent.made.id);
	if (found !== undefined && !isAnothers(found, given)) return found;
	delete recent.made;
	return undefined;
}

/** The customer has got another email since. */
function isAnothers({ email }: CustomerDetail, given: string): boolean {
	return typeof email === 'string' && sameEmail(email) !== sameEmail(given);
}

async function lookedUp(work: Work, given: string): Promise<CustomerDetail | undefined> {
	const listed = await idsListed(work.client, given);
	const [id, ...twins] = listed ?? [];
	if (id !== undefined && twins.length === 0) {
		const known = await stillThere(work, id);
		if (typeof known?.email === 'string' && !isAnothers(known, given)) return known;
	}
	// The list shows every spelling of an email, so only somebody added since can be missing in it.
	const isOnlySpelling = listed?.length === 0;
	const found = await customersByEmail(work.client, given, { isOnlySpelling });
	if ('problem' in found) throw work.complain(found.problem, found.advice);
	const [only, ...others] = found;
	if (others.length > 0) {
		throw work.complain(
			severalCustomers(given, found),
			'Nothing was changed. Merge or delete the others first, or use Update with an ID.',
		);
	}
	return only && (await work.client.call('customer', { customerID: only.id }));
}

async function make(
	{ client, complain }: Work,
	recent: Recent,
	form: CustomerForm,
): Promise<string> {
	if (recent.made === 'unsure') {
		throw complain(
			`It is not known whether a customer with the email ${form.email} was made a moment ago`,
			'Nothing was sent, so that there are never two. Look for the customer before you run it again.',
		);
	}
	const sent = await client.attempt('addCustomer', { form });
	if ('error' in sent) {
		if (!sent.refused) recent.made = 'unsure';
		throw sent.error;
	}
	const { customerID } = sent.reply.answer;
	recent.made = { id: customerID };
	return customerID;
}
