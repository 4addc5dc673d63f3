import { idsListed, isID } from './addressBook';
import type { Client } from './client';
import { sameEmail, visibleEmail } from './email';
import { contentOf } from './pages';
import { list } from './paginate';
import type { Listing } from './paginate';
import type { CustomerRow, PageRequest } from '../wire';

/**
 * The service's list of customers, and the look-up of one by email. The service may ignore a filter,
 * or read it in a way of its own, so the email of every row is compared here.
 */

export async function customerRows<Out>(
	client: Client,
	wanted: Omit<Listing<CustomerRow, Out>, 'fetch' | 'id' | 'parallel' | 'warn'>,
): Promise<Out[]> {
	return await list({
		...wanted,
		fetch: async (page) => await client.call('customers', { page }),
		id: ({ id }) => id,
		parallel: () => client.parallel,
		warn: client.warn,
	});
}

const PAGE_SIZE = 100;

type EmailFilter = { field: 'email'; operation: 'equals'; value: string };

function emailIs(value: string): EmailFilter {
	return { field: 'email', operation: 'equals', value };
}

/**
 * Whether the service shows customers at all, and counts them whatever is asked for: then its count
 * says nothing of an answer without rows. Unless it cuts the list first and filters each page by
 * itself: then a customer of the second page is not found on the first.
 */
async function countsAll(client: Client, total: number | undefined): Promise<boolean> {
	const page = { pageSize: PAGE_SIZE };
	const ask = async (more: PageRequest) =>
		contentOf(await client.call('customers', { page: { ...page, ...more } }));
	const all = await ask({ page: 1 });
	if (all.rows.length === 0 || all.total !== total) return false;
	const { rows } = await ask({ page: 2 });
	const other = rows.find(({ email }) => typeof email === 'string' && email !== '');
	if (other === undefined) return true;
	const found = await ask({ page: 1, filter: [emailIs(other.email)] });
	return found.rows.some(({ id }) => id === other.id);
}

/** Undefined where the service counts customers that it does not show. */
async function search(
	client: Client,
	email: string,
	page: { filter: [EmailFilter] } | { search: string },
): Promise<CustomerRow[] | undefined> {
	const wanted = sameEmail(email);
	let isBroken = false;
	const found = await customerRows<CustomerRow>(client, {
		page: { pageSize: PAGE_SIZE, ...page },
		// The service may ignore a filter, or read it in a way of its own: every row is looked at.
		shape: (row) =>
			typeof row.email === 'string' && sameEmail(row.email) === wanted ? row : undefined,
		brokeOff: async ({ isEmpty, total }) => {
			isBroken = !(isEmpty && (await countsAll(client, total)));
		},
	});
	if (isBroken) return undefined;
	// A customer may have several rows, one for each card.
	return [...new Map(found.map((row) => [row.id || row, row])).values()];
}

/**
 * All customers with an email, whatever its case. A filter that tells upper from lower case finds
 * nothing where there is a customer, so the search is asked too before anybody is called unknown,
 * unless it is known already that no other spelling is there.
 */
export async function customersByEmail(
	client: Client,
	email: string,
	{ isOnlySpelling = false } = {},
): Promise<CustomerRow[] | Problem> {
	const value = visibleEmail(email);
	const found = await search(client, value, { filter: [emailIs(value)] });
	if (found === undefined) return unseen(value);
	if (found.length > 0 || isOnlySpelling) return withIDs(found, value);
	// Most emails are kept in small letters, whatever the search makes of case.
	const searched = await search(client, value, { search: sameEmail(value) });
	return searched ? withIDs(searched, value) : unseen(value);
}

/** A customer without an ID can be neither changed nor passed over. */
function withIDs(found: CustomerRow[], email: string): CustomerRow[] | Problem {
	if (found.every(({ id }) => isID(id))) return found;
	return {
		problem: `The service shows no ID of the customer with the email ${email}`,
		advice: 'Nothing was changed. Name the customer by ID.',
	};
}

/** What to tell the user. */
interface Problem {
	problem: string;
	advice: string;
}

function unseen(email: string): Problem {
	return {
		problem: `The service counts customers that it does not show, so nobody can tell whether one has the email ${email}`,
		advice: 'Nothing was changed. Try again later, or name the customer by ID.',
	};
}

export interface LookUp {
	/** It cannot be taken back, so what a list showed a moment ago is not enough. */
	isFinal?: boolean;
}

/** Who an email stands for, where it must be one customer; or what to tell the user instead. */
export async function customerByEmail(
	client: Client,
	email: string,
	{ isFinal = false }: LookUp = {},
): Promise<{ id: string } | Problem> {
	// Nothing but invisible signs would stand for every customer without an email.
	const isEmpty = visibleEmail(email) === '';
	const [id, ...twins] = (isFinal || isEmpty ? undefined : await idsListed(client, email)) ?? [];
	if (id !== undefined && twins.length === 0) return { id };
	const found = isEmpty ? [] : await customersByEmail(client, email);
	if ('problem' in found) return found;
	const [only, ...others] = found;
	if (only === undefined) {
		return {
			problem: `No customer has the email ${email}`,
			advice: 'Check the email, or use Create or Update, which makes the customer.',
		};
	}
	if (others.length === 0) return { id: only.id };
	return { problem: severalCustomers(email, found), advice: 'Pick one of them by its ID.' };
}

export function severalCustomers(email: string, found: ReadonlyArray<{ id: string }>): string {
	return `${found.length} customers have the email ${email}: ${found.map(({ id }) => id).join(', ')}`;
}
