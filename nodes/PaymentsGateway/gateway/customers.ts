import { customerKey, idsListed, isID } from './addressBook';
import type { Client } from './client';
import { sameEmail, visibleEmail } from '../wire/email';
import { contentOf } from './pages';
import { list } from './paginate';
import type { Listed, Listing } from './paginate';
import type { CustomerDetail, CustomerRow, PageRequest } from '../wire';

/**
 * The service's list of customers, and the look-up of one by email. The service may ignore a filter,
 * or read it in a way of its own, so the email of every row is compared here.
 */

export async function customerRows<Out>(
	client: Client,
	wanted: Pick<Listing<CustomerRow, Out>, 'page' | 'shape' | 'limit' | 'filters'>,
): Promise<Listed<Out>> {
	return await list({
		...wanted,
		fetch: async (page) => await client.call('customers', { page }),
		id: customerKey,
		parallel: () => client.parallel,
		warn: client.warn,
	});
}

const PAGE_SIZE = 100;

type EmailFilter = { field: 'email'; operation: 'equals'; value: string };
type Way = { filter: [EmailFilter] } | { search: string };

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
	page: Way,
): Promise<CustomerRow[] | undefined> {
	const wanted = sameEmail(email);
	let seen = 0;
	const { rows, missing, total } = await customerRows<CustomerRow>(client, {
		page: { pageSize: PAGE_SIZE, ...page },
		// The service may ignore a filter, or read it in a way of its own: every row is looked at.
		shape: (row) => {
			seen += 1;
			return typeof row.email === 'string' && sameEmail(row.email) === wanted ? row : undefined;
		},
	});
	if (missing !== undefined && !(seen === 0 && (await countsAll(client, total)))) {
		return undefined;
	}
	// A customer may have several rows, one for each card.
	return [...new Map(rows.map((row) => [row.id || row, row])).values()];
}

/** A customer with an email; with their own data, where these were looked at. */
export interface Found {
	id: string;
	detail?: CustomerDetail;
}

export interface LookUp {
	/**
	 * The customer is changed for good, so what the list shows is not enough: it may be behind. If it
	 * shows one, their own data are looked at, and count.
	 */
	isFinal?: boolean;
}

/**
 * All customers with an email, whatever its case. A filter that tells upper from lower case finds
 * nothing where there is a customer, so the search is asked too before anybody is called unknown,
 * unless it is known already that no other spelling is there.
 */
export async function customersByEmail(
	client: Client,
	email: string,
	{ isFinal = false, isOnlySpelling = false }: LookUp & { isOnlySpelling?: boolean } = {},
): Promise<Found[] | Problem> {
	const value = visibleEmail(email);
	const ways: Way[] = [
		{ filter: [emailIs(value)] },
		// Most emails are kept in small letters, whatever the search makes of case.
		...(isOnlySpelling ? [] : [{ search: sameEmail(value) }]),
	];
	const moved = new Set<string>();
	for (const way of ways) {
		const rows = await search(client, value, way);
		if (rows === undefined) return unseen(value);
		if (!rows.every(({ id }) => isID(id))) return withoutID(value);
		const found = rows.filter(({ id }) => !moved.has(id));
		const [only, ...others] = found;
		if (only === undefined) continue;
		if (!isFinal || others.length > 0) return found;
		const detail = await client.call('customer', { customerID: only.id });
		if (!hasAnother(detail, value)) return [{ id: only.id, detail }];
		moved.add(only.id);
	}
	return [];
}

/** Whether a customer's own data show another email. Without one they say nothing. */
export function hasAnother({ email }: CustomerDetail, wanted: string): boolean {
	return typeof email === 'string' && sameEmail(email) !== sameEmail(wanted);
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

/** A customer without an ID can be neither changed nor passed over. */
function withoutID(email: string): Problem {
	return {
		problem: `The service shows no ID of the customer with the email ${email}`,
		advice: 'Nothing was changed. Name the customer by ID.',
	};
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
	const found = isEmpty ? [] : await customersByEmail(client, email, { isFinal });
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
