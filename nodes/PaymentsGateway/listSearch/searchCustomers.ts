import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { createClient } from '../gateway/client';
import type { CustomerRow } from '../gateway/types';
import { methodLabel } from './methodLabel';

const PAGE_SIZE = 50;

function label(row: CustomerRow): string {
	const parts = [row.name, row.email, row.city_state, methodLabel(row)];
	return parts.filter((part) => part).join(' · ') || row.id;
}

/** The picker of customers: searched and paged by the service. */
export async function searchCustomers(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const client = await createClient(this);
	const page = Number(paginationToken ?? '1') || 1;
	const search = filter?.trim();
	const answer = await client.call('customers', {
		page: { page, pageSize: PAGE_SIZE, ...(search ? { search } : {}) },
	});
	const served = answer.page?.pageSize;
	const size = Number.isInteger(served) && served > 0 ? Math.min(served, PAGE_SIZE) : PAGE_SIZE;
	// A full page is followed by another, whatever the total says; an empty one ends the list.
	const more = answer.data.length > 0 && answer.data.length >= size;
	return {
		results: answer.data.map((row) => ({ name: label(client.mask.value(row)), value: row.id })),
		...(more ? { paginationToken: String(page + 1) } : {}),
	};
}
