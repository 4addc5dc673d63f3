import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { createClient } from '../gateway/merchants';
import { contentOf, droppedWords } from '../gateway/pages';
import type { CustomerRow } from '../wire';
import { methodLabel } from './methodLabel';

const PAGE_SIZE = 50;

function label(row: CustomerRow): string {
	const parts = [row.name, row.email, row.city_state, methodLabel(row)];
	return parts.filter((part) => part).join(' · ') || row.id;
}

/** Where the next page starts: its number, and how many rows came before it. */
interface Place {
	page: number;
	before: number;
}

function placeOf(paginationToken = ''): Place {
	const [page, before] = paginationToken.split(':').map(Number);
	return { page: page || 1, before: before || 0 };
}

/** The picker of customers: searched and paged by the service. */
export async function searchCustomers(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const client = await createClient(this);
	const { page, before } = placeOf(paginationToken);
	const search = filter?.trim();
	const answer = await client.call('customers', {
		page: { page, pageSize: PAGE_SIZE, ...(search ? { search } : {}) },
	});
	const { rows, dropped, total = 0 } = contentOf(answer);
	if (dropped > 0) client.warn(droppedWords(dropped));
	const here = rows.length + dropped;
	const seen = before + here;
	// A full page is followed by another, whatever the total says; an empty one ends the list. A
	// short one is followed by another where the service serves fewer than were asked for.
	const isMore = here >= PAGE_SIZE || total > seen;
	return {
		results: rows.map((row) => ({ name: label(client.mask.value(row)), value: row.id })),
		...(here > 0 && isMore ? { paginationToken: `${page + 1}:${seen}` } : {}),
	};
}
