import { clearEmptyFields, customerFieldsWithoutEmail, email } from '../../form/fields/customer';
import { optionsOf } from '../../form/fields/options';
import { filledIn } from '../../form/filledIn';
import { idsListed } from '../../gateway/addressBook';
import type { Found } from '../../gateway/customers';
import { customersByEmail, hasAnother, severalCustomers } from '../../gateway/customers';
import { visibleEmail } from '../../wire/email';
import { statusOf } from '../../gateway/errors';
import type { Work } from '../../operation/operation';
import { operation } from '../../operation/operation';
import type { CustomerDetail, CustomerForm } from '../../wire';
import type { Recent } from './recent';
import { inTurn, isGone, make } from './recent';

/**
 * Creates a customer, or updates the one with the same email. Rows with one email take turns and
 * remember whom they have just made, since the service's list may show a new customer late.
 */

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
		if (given === '') throw work.complain("'Email' is empty");
		return await inTurn(work, given, async (recent) => {
			const known = await current(work, recent, given);
			if (known === undefined) {
				if (recent.isUnsure) {
					throw work.complain(
						`It is not known whether a customer with the email ${given} was made a moment ago`,
						'Nothing was sent, so that there are never two. Look for the customer before you run it again.',
					);
				}
				const data = { form: { ...filledIn(form), email: given } };
				const { customerID } = await make(work.client, recent, data, { isOnly: true });
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

/** Who has the email now. */
async function current(
	work: Work,
	recent: Recent,
	given: string,
): Promise<CustomerDetail | undefined> {
	const made = await madeJustNow(work, recent, given);
	const [only] = made;
	if (only && recent.made.length === 1 && recent.made[0]?.isOnly) return only;
	const known = await lookedUp(work, given, made);
	if (known === undefined && recent.made.length > 0) {
		throw work.complain(
			`A customer with the email ${given} was made a moment ago, and the service does not show them yet`,
			'Nothing was sent, so that there are never two. Run it again in a minute.',
		);
	}
	return known;
}

/** The customer with an ID, if there still is one. */
async function stillThere({ client }: Work, id: string): Promise<CustomerDetail | undefined> {
	const found = await client.attempt('customer', { customerID: id });
	if ('reply' in found) return found.reply.answer;
	// Any other refusal says nothing of the customer.
	if (statusOf(found.error) === '404') return undefined;
	throw found.error;
}

/**
 * Customers made just before this may not be in the service's list yet. Forgotten is whoever has got
 * another email since, or is gone.
 */
async function madeJustNow(work: Work, recent: Recent, given: string): Promise<CustomerDetail[]> {
	const known: CustomerDetail[] = [];
	const kept: Recent['made'][number][] = [];
	for (const made of recent.made) {
		const found = await stillThere(work, made.id);
		const isMeant = found ? !hasAnother(found, given) : !isGone(work.client, made);
		if (isMeant) kept.push(made);
		if (isMeant && found) known.push(found);
	}
	recent.made = kept;
	return known;
}

async function lookedUp(
	work: Work,
	given: string,
	made: readonly CustomerDetail[],
): Promise<CustomerDetail | undefined> {
	const listed = await idsListed(work.client, given, { isChecked: true });
	const [id, ...twins] = new Set([...made.map((each) => each.id), ...(listed ?? [])]);
	if (listed !== undefined && id !== undefined && twins.length === 0) {
		const known = made[0] ?? (await stillThere(work, id));
		if (typeof known?.email === 'string' && !hasAnother(known, given)) return known;
	}
	// The list shows every spelling of an email, so only somebody added since can be missing in it.
	const isOnlySpelling = listed?.length === 0;
	const found = await customersByEmail(work.client, given, { isFinal: true, isOnlySpelling });
	if ('problem' in found) throw work.complain(found.problem, found.advice);
	const all: Found[] = [...found, ...made.map((detail) => ({ id: detail.id, detail }))];
	const [only, ...others] = new Map(all.map((each) => [each.id, each])).values();
	if (only !== undefined && others.length > 0) {
		throw work.complain(
			severalCustomers(given, [only, ...others]),
			'Nothing was changed. Merge or delete the others first, or use Update with an ID.',
		);
	}
	// Where there is only one, it was looked at.
	return only?.detail;
}
