import type { Located } from '../../form/field';
import type { Client } from '../../gateway/client';
import { httpStatusOf } from '../../gateway/errors';
import type { Listed, Listing } from '../../gateway/list';
import { list } from '../../gateway/list';
import { readPage } from '../../gateway/page';
import type { OperationContext } from '../../operation/operation';
import type { CustomerDetail, CustomerRow, PageRequest } from '../../wire';
import { textOf } from '../../wire/json';
import { emailKey, noteCustomer, recentCustomers } from './recent';

/**
 * Finds the customer who is meant: by ID, or by email. The gateway's filter and search may find too
 * little or too much, and its list may be a minute old. So every row is compared here, and whoever is
 * found counts only if their own data show the email too.
 */

type Work = Pick<OperationContext, 'client' | 'fieldError'>;

export async function idOfCustomer(work: Work, customer: Located): Promise<string> {
	if (customer.by === 'id') return customer.value;
	const { id } = await customerDetail(work, customer);
	return id;
}

/** All that is stored of the customer. */
export async function customerDetail(work: Work, { by, value }: Located): Promise<CustomerDetail> {
	if (by === 'id') return await work.client.call('customer', { customerID: value });
	for await (const ids of candidates(work, value)) {
		const found = await onlyWithEmail(work, value, ids);
		if (found !== undefined) return found;
	}
	throw noCustomerHas(work, value);
}

export function noCustomerHas({ fieldError }: Work, email: string): Error {
	return fieldError(
		`No customer has the email ${email}`,
		'Check the email, or use Create or Update, which makes the customer.',
	);
}

/**
 * The IDs of the customers who may have the email, from one look-up after another. The caller compares
 * each list with `onlyWithEmail` and stops once a customer is found.
 */
export async function* candidates(work: Work, email: string): AsyncGenerator<readonly string[]> {
	const known = new Set<string>();
	const onlyNew = (ids: readonly string[]) => {
		const added = [...new Set(ids)].filter((id) => !known.has(id));
		for (const id of added) known.add(id);
		return added;
	};
	const { ids: recent } = recentCustomers(work.client, email);
	const key = emailKey(email);
	const book = await addressBook(work.client);
	if (book !== undefined) yield onlyNew([...recent, ...(book.get(key) ?? [])]);
	// Most emails are stored in lower case, and a filter may tell capitals from small letters.
	for (const value of new Set([email, key])) {
		const filter = [{ field: 'email', operation: 'equals' as const, value }];
		yield onlyNew([...recent, ...(await idsListed(work, email, { filter }))]);
	}
	// The search finds other spellings. The address book has them already.
	if (book === undefined) yield onlyNew(await idsListed(work, email, { search: key }));
}

/** The only one of these customers with the email; undefined if none of them has it. */
export async function onlyWithEmail(
	work: Work,
	email: string,
	ids: readonly string[],
): Promise<CustomerDetail | undefined> {
	const found: CustomerDetail[] = [];
	for (const id of ids) {
		const detail = await withEmail(work, id, email);
		if (detail !== undefined) found.push(detail);
	}
	const [only] = found;
	if (only === undefined) return undefined;
	if (found.length > 1) {
		throw work.fieldError(
			`${found.length} customers have the email ${email}: ${found.map(({ id }) => id).join(', ')}`,
			'Nothing was changed. Name one of them by ID, or merge or delete the others first.',
		);
	}
	// The customer whose creation was never confirmed exists.
	if (recentCustomers(work.client, email).isUnsure) noteCustomer(work.client, email, only.id);
	return only;
}

async function idsListed(
	{ client, fieldError }: Work,
	email: string,
	request: PageRequest,
): Promise<readonly string[]> {
	const { rows, missing } = await listCustomers(client, {
		page: { pageSize: 100, ...request },
		shape: (row) => (emailKey(textOf(row.email)) === emailKey(email) ? row.id : undefined),
	});
	if (missing === undefined) return rows;
	throw fieldError(
		`Nobody can tell whether a customer has the email ${email}: ${missing}`,
		'Nothing was changed. Try again later, or name the customer by ID.',
	);
}

/** The customer's own data, where these show the email. */
async function withEmail(
	{ client, fieldError }: Work,
	id: string,
	email: string,
): Promise<CustomerDetail | undefined> {
	const sent = await client.attempt('customer', { customerID: id });
	if ('error' in sent && httpStatusOf(sent.error) !== '404') throw sent.error;
	const detail = 'reply' in sent ? sent.reply.answer : undefined;
	const shown = textOf(detail?.email);
	if (shown !== '') return emailKey(shown) === emailKey(email) ? detail : undefined;
	throw fieldError(
		`The customer ${id} goes by the email ${email}, but cannot be read, or has none`,
		'Made or deleted a moment ago? Nothing was changed. Run it again in a minute, or name the customer by ID.',
	);
}

export async function listCustomers<Out>(
	client: Client,
	wanted: Pick<Listing<CustomerRow, Out>, 'page' | 'shape' | 'limit'>,
): Promise<Listed<Out>> {
	return await list({
		...wanted,
		fetch: async (page) => await client.call('customers', { page }),
		// A customer may have several rows, one for each card.
		id: ({ id, brand, last4, expires }) => JSON.stringify([id, brand, last4, expires]),
		client,
	});
}

/** The IDs of the customers of each email, as the whole list shows them. */
type AddressBook = Map<string, readonly string[]>;

/** With fewer items in a run, it is not even asked how long the list is. */
const MANY = 10;
const PAGE_SIZE = 200;

/** The book of each run; it goes with the run's client. */
const books = new WeakMap<Client, Promise<AddressBook | undefined>>();

/**
 * In a run of more items than the list has pages, the first look-up reads the whole list, for all of
 * them. Undefined where each email is asked for by itself, also because the list could not be read.
 */
async function addressBook(client: Client): Promise<AddressBook | undefined> {
	if (client.items < MANY) return undefined;
	const book = books.get(client) ?? readBook(client).catch(() => undefined);
	books.set(client, book);
	return await book;
}

/** A customer made since the list was read: `recent.ts` forgets them after a minute, a run may be longer. */
export async function addToBook(client: Client, email: string, id: string): Promise<void> {
	const book = await books.get(client);
	book?.set(emailKey(email), [id]);
}

async function readBook(client: Client): Promise<AddressBook | undefined> {
	const ask = async (pageSize: number) =>
		await client.call('customers', { page: { page: 1, pageSize } });
	const { rows: firstRows, total = Infinity } = await readPage(1, PAGE_SIZE, ask);
	if (total / firstRows.length >= client.items) return undefined;
	const { rows, missing } = await listCustomers(client, {
		page: { pageSize: PAGE_SIZE },
		shape: ({ id, email }) => ({ id, key: emailKey(textOf(email)) }),
	});
	if (missing !== undefined) return undefined;
	const book: AddressBook = new Map();
	for (const { id, key } of rows) book.set(key, [...(book.get(key) ?? []), id]);
	return book;
}
