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
	const found = await findCustomer(work, value);
	if (found !== undefined) return found;
	throw work.fieldError(
		`No customer has the email ${value}`,
		'Check the email, or use Create or Update, which makes the customer.',
	);
}

/** The only customer with an email; undefined where nobody has it. */
export async function findCustomer(work: Work, email: string): Promise<CustomerDetail | undefined> {
	const recent = recentCustomers(work.client, email);
	const compared = new Map<string, CustomerDetail | undefined>();
	for await (const ids of lookUps(work, email)) {
		for (const id of [...recent.ids, ...ids]) {
			if (!compared.has(id)) compared.set(id, await withEmail(work, id, email));
		}
		const found = [...compared.values()].filter((detail) => detail !== undefined);
		if (found.length > 1) {
			throw work.fieldError(
				`${found.length} customers have the email ${email}: ${found.map(({ id }) => id).join(', ')}`,
				'Nothing was changed. Name one of them by ID, or merge or delete the others first.',
			);
		}
		const [only] = found;
		if (only === undefined) continue;
		// Whoever was made with the answer lost has turned up.
		if (recent.isUnsure) noteCustomer(work.client, email, only.id);
		return only;
	}
	return undefined;
}

/** The IDs of those who may have the email, by one look-up after another until somebody has it. */
async function* lookUps(work: Work, email: string): AsyncGenerator<readonly string[]> {
	const key = emailKey(email);
	const book = await addressBook(work.client);
	if (book !== undefined) yield book.get(key) ?? [];
	// Most emails are stored in small letters, and a filter may tell capitals from them.
	for (const value of new Set([email, key])) {
		yield await idsListed(work, email, {
			filter: [{ field: 'email', operation: 'equals', value }],
		});
	}
	// Finds other spellings. The address book has them already.
	if (book === undefined) yield await idsListed(work, email, { search: key });
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
