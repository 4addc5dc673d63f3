import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { readCustomer } from '../customers/find';
import { parseLocator } from '../form/field';
import type { Located } from '../form/field';
import { fieldErrorOf } from '../form/fieldError';
import { createClient } from '../gateway/clients';
import { readPage } from '../gateway/page';
import { isObject, textOf } from '../wire/json';

/**
 * The pickers of the form: customers, which the gateway searches and pages, and the payment methods
 * of the customer chosen in the same form.
 */

/** A few screens of the picker. The gateway's default of ten would need a request every few rows. */
const PAGE_SIZE = 50;

export async function searchCustomers(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken = `1/${PAGE_SIZE}/`,
): Promise<INodeListSearchResult> {
	const client = await createClient(this);
	const { page, pageSize, lastShown } = parseToken(paginationToken);
	const search = filter?.trim();
	const read = await readPage(page, pageSize, async (size) => {
		const request = { page, pageSize: size, ...(search && { search }) };
		return await client.call('customers', { page: request });
	});
	const { rows, dropped, total = 0 } = read;
	const last = textOf(rows.at(-1)?.id);
	const entries = rows.length + dropped;
	// Page 1 sets the rows per page: the gateway may return fewer than requested.
	const perPage = page === 1 ? entries : pageSize;
	const rowsUpToHere = (page - 1) * perPage + entries;
	// A count that covers these rows decides. Without one, a full page may be followed by another, and
	// page 1 always counts as full.
	const isCounted = total >= rowsUpToHere;
	const mayBeMore = isCounted ? total > rowsUpToHere : entries >= perPage;
	// Beyond its last page, a list without a count may return that page again.
	if (!isCounted && last !== '' && last === lastShown) return { results: [] };
	return {
		results: rows.map((row) => {
			const { name, email, city_state: city, id, ...card } = client.mask.value(row);
			return { name: joined(' · ', name, email, city, brandAndLast4(card)) || id, value: row.id };
		}),
		...(entries > 0 && mayBeMore && { paginationToken: `${page + 1}/${perPage}/${last}` }),
	};
}

/** The number of a page, the rows on each, and the last customer of the page before: "2/50/cus_1". */
function parseToken(paginationToken: string) {
	const [page, pageSize, ...id] = paginationToken.split('/');
	return { page: Number(page), pageSize: Number(pageSize), lastShown: id.join('/') };
}

export async function searchPaymentMethods(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const fieldError = fieldErrorOf(this, 0);
	const chosen = chosenCustomer(this);
	if (chosen.value === '' || chosen.value.startsWith('=')) {
		throw fieldError(
			'Choose the customer first, or switch to By ID',
			'The list shows the payment methods of the chosen customer. If an expression sets the customer, enter the payment method by ID.',
		);
	}
	const client = await createClient(this);
	const { paymentCards } = await readCustomer({ client, fieldError }, chosen);
	const results = (paymentCards ?? []).map((method) => {
		const { type, cardID: value, expires, isDefault } = method;
		const title = brandAndLast4(method) || type || value;
		const name = joined(' · ', title, expires && `expires ${expires}`, isDefault && 'default');
		return { name: client.mask.text(name), value };
	});
	const wanted = filter?.trim().toLowerCase() ?? '';
	return { results: results.filter(({ name }) => name.toLowerCase().includes(wanted)) };
}

/** The Customer field of the same form: in the picker's own collection, or at the top level. */
function chosenCustomer(context: ILoadOptionsFunctions): Located {
	// n8n takes "&" before a field that is in the picker's own collection.
	const locator: unknown =
		context.getCurrentNodeParameter('&customerId') ?? context.getCurrentNodeParameter('customerId');
	if (!isObject(locator)) return { by: 'id', value: textOf(locator) };
	return parseLocator(locator.mode, textOf(locator.value));
}

/** VISA 4242 */
function brandAndLast4({ brand, last4 }: { brand: string; last4: string }): string {
	return joined(' ', brand, last4);
}

function joined(separator: string, ...parts: ReadonlyArray<string | false>): string {
	return parts.filter((part) => part).join(separator);
}
