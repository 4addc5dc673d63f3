import type { Client } from '../gateway/client';
import type { Listed, Listing } from '../gateway/list';
import { list } from '../gateway/list';
import { readPage } from '../gateway/page';
import type { CustomerRow } from '../wire';
import { textOf } from '../wire/json';
import { emailKey } from './recent';

/**
 * Reads the list of customers. A run with more items than the list has pages reads the whole list
 * once, into an address book, instead of asking for each email.
 */

export async function listCustomers<Out>(
	client: Client,
	wanted: Pick<Listing<CustomerRow, Out>, 'page' | 'shape' | 'limit'>,
): Promise<Listed<Out>> {
	return await list({
		...wanted,
		fetch: async (page) => await client.call('customers', { page }),
		// A customer may have several rows, one for each card, and have saved a card twice.
		id: ({ id, brand, last4, expires }) => JSON.stringify([id, brand, last4, expires]),
		countsRepeats: true,
		client,
	});
}

/** The IDs of the customers with each email. */
type AddressBook = Map<string, readonly string[]>;

/** Learning the list's length costs one request, which is 5 % of the 20 or more that ten look-ups take. */
const MIN_ITEMS = 10;
/** Twice that of a look-up: half the pages. If the gateway refuses it, `readPage` asks for fewer rows. */
const BOOK_PAGE_SIZE = 200;

/** A run has a client of its own, so its book ends with it. */
const books = new WeakMap<Client, Promise<AddressBook | undefined>>();

/** Undefined if it takes fewer requests to ask for each email, or if the list could not be read. */
export async function addressBook(client: Client): Promise<AddressBook | undefined> {
	if (client.items < MIN_ITEMS) return undefined;
	const book = books.get(client) ?? readBook(client).catch(() => undefined);
	books.set(client, book);
	return await book;
}

/** Adds a new customer. `recent.ts` forgets customers after a minute, and a run may take longer. */
export async function addToBook(client: Client, email: string, id: string): Promise<void> {
	const book = await books.get(client);
	if (book !== undefined) add(book, emailKey(email), id);
}

async function readBook(client: Client): Promise<AddressBook | undefined> {
	const readPage1 = async (pageSize: number) =>
		await client.call('customers', { page: { page: 1, pageSize } });
	// Only for the length of the list: `listCustomers` cannot start from a page that was read before.
	const { rows: firstRows, total = Infinity } = await readPage(1, BOOK_PAGE_SIZE, readPage1);
	// By the rows that came: the gateway may have cut the page. A list without a count is never read whole.
	const pages = total / (firstRows.length || 1);
	if (pages >= client.items) return undefined;
	const { rows, missing } = await listCustomers(client, {
		page: { pageSize: BOOK_PAGE_SIZE },
		shape: ({ id, email }) => ({ id, key: emailKey(textOf(email)) }),
	});
	if (missing !== undefined) return undefined;
	const book: AddressBook = new Map();
	for (const { id, key } of rows) add(book, key, id);
	return book;
}

function add(book: AddressBook, key: string, id: string): void {
	book.set(key, [...(book.get(key) ?? []), id]);
}
