import type { Client } from './client';
import { list } from './paginate';
import type { CustomerRow } from './types';

/** How an email is compared: people write it in any case, and spaces come with spreadsheets. */
export function sameEmail(email: string): string {
	return email.trim().toLowerCase();
}

async function search(
	client: Client,
	email: string,
	page: { filter: [{ field: 'email'; operation: 'equals'; value: string }] } | { search: string },
): Promise<CustomerRow[]> {
	const wanted = sameEmail(email);
	return await list<CustomerRow, CustomerRow>({
		fetch: async (asked) => await client.call('customers', { page: asked }),
		page: { pageSize: 100, ...page },
		id: (row) => row.id,
		// The service may ignore a filter, or read it in a way of its own: every row is looked at.
		shape: (row) =>
			typeof row.email === 'string' && sameEmail(row.email) === wanted ? row : undefined,
		parallel: client.parallel,
	});
}

/**
 * All customers with an email, whatever its case. A filter that tells upper from lower case finds
 * nothing where there is a customer, so the search is asked too before anybody is called unknown.
 */
export async function customersByEmail(client: Client, email: string): Promise<CustomerRow[]> {
	const value = email.trim();
	const found = await search(client, value, {
		filter: [{ field: 'email', operation: 'equals', value }],
	});
	// Most emails are kept in small letters, whatever the search makes of case.
	return found.length > 0 ? found : await search(client, value, { search: sameEmail(value) });
}
