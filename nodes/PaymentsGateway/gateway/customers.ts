import type { CustomerDetail, CustomerRow, PageRequest } from '../wire';
import { emailKey } from '../wire/email';
import { textOf } from '../wire/json';
import { customerKey, idsListed } from './addressBook';
import type { Client } from './client';
import { httpStatusOf } from './errors';
import type { Listed, Listing } from './list';
import { list } from './list';
import { forgetCustomer, isJustNow, noteCustomer, recentCustomers } from './recentCustomers';

/**
 * The gateway's list of customers, and the look-up of one by email. The gateway may ignore a filter,
 * and its list may be behind: every row's email is compared here, and whoever is found counts only
 * if their own data show that email too.
 */

export async function customerRows<Out>(
	client: Client,
	wanted: Pick<Listing<CustomerRow, Out>, 'page' | 'shape' | 'limit'>,
): Promise<Listed<Out>> {
	return await list({
		...wanted,
		fetch: async (page) => await client.call('customers', { page }),
		id: customerKey,
		client,
	});
}

/** Makes the error of a look-up: what is wrong, and what to do. */
type FieldError = (words: string, advice: string) => Error;

const PAGE_SIZE = 100;

/** The only customer with an email; undefined where nobody has it. */
export async function findCustomer(
	client: Client,
	email: string,
	fieldError: FieldError,
): Promise<CustomerDetail | undefined> {
	const given = email.trim();
	const recent = recentCustomers(client, given);
	const notTheirs = new Set<string>();
	for await (const ids of idsFound(client, given, fieldError)) {
		const found: CustomerDetail[] = [];
		for (const id of new Set([...recent.ids, ...ids])) {
			if (notTheirs.has(id)) continue;
			const isReadable = recent.ids.includes(id) && !isJustNow(recent);
			const detail = await withEmail(client, id, given, { fieldError, isReadable });
			if (detail === undefined) notTheirs.add(id);
			else found.push(detail);
		}
		if (found.length > 1) {
			throw fieldError(
				`${found.length} customers have the email ${given}: ${found.map(({ id }) => id).join(', ')}`,
				'Nothing was changed. Name one of them by ID, or merge or delete the others first.',
			);
		}
		const [only] = found;
		if (only === undefined) continue;
		// Whoever was made with their answer lost has turned up: once deleted, they may be made anew.
		if (recent.isUnsure) noteCustomer(client, given, only.id);
		return only;
	}
	return undefined;
}

/** Who may have the email, from one look-up after another until somebody has. */
async function* idsFound(client: Client, email: string, fieldError: FieldError) {
	const ask = async (request: PageRequest) => await idsAsked(client, email, request, fieldError);
	const askFor = async (value: string) =>
		await ask({ filter: [{ field: 'email', operation: 'equals', value }] });
	const listed = await idsListed(client, email);
	if (listed !== undefined) yield listed;
	yield await askFor(email);
	// The list has shown all spellings, so only somebody added since could be missing in it.
	if (listed !== undefined) return;
	// Most emails are kept in small letters, and a filter may tell capitals from them.
	const small = emailKey(email);
	if (small !== email) yield await askFor(small);
	// Finds other spellings where the filter does not.
	yield await ask({ search: small });
}

/** The IDs of the rows with the email. A customer with two cards may have two rows. */
async function idsAsked(
	client: Client,
	email: string,
	request: PageRequest,
	fieldError: FieldError,
): Promise<readonly string[]> {
	const wanted = emailKey(email);
	const { rows, missing } = await customerRows(client, {
		page: { pageSize: PAGE_SIZE, ...request },
		shape: (row) => (emailKey(textOf(row.email)) === wanted ? row : undefined),
	});
	if (missing !== undefined) {
		throw fieldError(
			`Nobody can tell whether a customer has the email ${email}: ${missing}`,
			'Nothing was changed. Try again later, or name the customer by ID.',
		);
	}
	return rows.map(({ id }) => id);
}

/**
 * The customer's own data, where these show the email; where they show none, that is an error. A 404 means that a customer was deleted only where it
 * was made here more than a minute ago; any other may be too new to be read, which is an error.
 */
async function withEmail(
	client: Client,
	id: string,
	email: string,
	{ fieldError, isReadable }: { fieldError: FieldError; isReadable: boolean },
): Promise<CustomerDetail | undefined> {
	const asked = await client.attempt('customer', { customerID: id });
	if ('reply' in asked) {
		const { answer } = asked.reply;
		const shown = textOf(answer.email);
		if (emailKey(shown) === emailKey(email)) return answer;
		if (shown !== '') return undefined;
		throw fieldError(
			`The customer ${id} is listed under the email ${email}, but has none`,
			'Nothing was changed. Run it again in a minute, or name the customer by ID.',
		);
	}
	if (httpStatusOf(asked.error) !== '404') throw asked.error;
	if (isReadable) {
		forgetCustomer(client, id);
		return undefined;
	}
	throw fieldError(
		`The customer ${id} with the email ${email} was made or deleted a moment ago, and cannot be read`,
		'Nothing was changed. Run it again in a minute.',
	);
}
