import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { createClient } from '../gateway/merchants';
import { droppedWords, readPage, SMALLEST_PAGE, USUAL_CAPS } from '../gateway/page';
import type { CustomerRow } from '../wire';
import { brandAndLast4 } from './brandAndLast4';

/**
 * The picker behind every Customer field. The gateway searches and pages; this turns its rows into
 * labels and says whether more rows follow.
 */

/**
 * Where a page starts: its number, its size, how many rows came before it, and the ID of the first
 * row of the page before.
 */
const TOP = { page: 1, pageSize: 50, before: 0, above: '' };

function customerLabel(row: CustomerRow): string {
	const parts = [row.name, row.email, row.city_state, brandAndLast4(row)];
	return parts.filter((part) => part).join(' · ') || row.id;
}

export async function searchCustomers(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const client = await createClient(this);
	const place = paginationToken ? (JSON.parse(paginationToken) as typeof TOP) : TOP;
	const { page, before, above } = place;
	let { pageSize } = place;
	const search = filter?.trim();
	const listed = await readPage(page, pageSize, async (asked) => {
		pageSize = asked;
		const request = { page, pageSize, ...(search ? { search } : {}) };
		return await client.call('customers', { page: request });
	});
	const { rows, dropped, size, total = 0 } = listed;
	if (dropped > 0) client.warn(droppedWords(dropped));
	const first = rows[0]?.id ?? '';
	// Behind the last page some gateways answer it again, and some know no pages at all.
	if (first !== '' && first === above) return { results: [] };
	const onPage = rows.length + dropped;
	const seen = before + onPage;
	// Without a likely count, a page may be as small as it says, or as the gateway's default.
	const full = total >= seen ? pageSize : Math.min(pageSize, size ?? SMALLEST_PAGE);
	// A count may be that of the page, which the gateway has cut, as it did with those before.
	const mayBeCut = page === 1 ? USUAL_CAPS.has(onPage) : onPage >= before / (page - 1);
	// After a full page another may follow, whatever the count says. An empty one is the end.
	const isMore = onPage >= full || mayBeCut || total > seen;
	const next: typeof TOP = { page: page + 1, pageSize, before: seen, above: first };
	return {
		results: rows.map((row) => ({ name: customerLabel(client.mask.value(row)), value: row.id })),
		...(onPage > 0 && isMore ? { paginationToken: JSON.stringify(next) } : {}),
	};
}
