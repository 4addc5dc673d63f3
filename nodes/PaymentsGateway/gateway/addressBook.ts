import type { CustomerRow } from '../wire';
import { emailKey } from '../wire/email';
import { textOf } from '../wire/json';
import type { Client } from './client';
import { pageOf } from './page';
import { list } from './list';

/**
 * Where a run that looks customers up by email has more items than their list has pages, the list is
 * read once, at the first look-up, instead of asking for each. It is kept with the client, so no
 * longer than the run.
 */

/** A run of fewer items does not even look how long the list is. */
const MANY = 10;
const PAGE_SIZE = 200;

/** The IDs of the customers of each email. */
type AddressBook = ReadonlyMap<string, readonly string[]>;

const books = new WeakMap<Client, Promise<AddressBook | undefined>>();

/** The IDs that the list shows under an email; undefined where each email has to be asked for. */
export async function idsListed(
	client: Client,
	email: string,
): Promise<readonly string[] | undefined> {
	if (client.items < MANY) return undefined;
	const reading = books.get(client) ?? read(client).catch(() => undefined);
	books.set(client, reading);
	const book = await reading;
	return book && (book.get(emailKey(email)) ?? []);
}

/** Ends the reading; `idsListed` catches it. */
const TOO_LONG = 'The list of customers has more pages than the run has items';

/**
 * Undefined where the list cannot be read whole. Where it is too long, this fails.
 */
async function read(client: Client): Promise<AddressBook | undefined> {
	let asked = 0;
	const { rows, missing } = await list<CustomerRow, CustomerRow>({
		page: { pageSize: PAGE_SIZE },
		fetch: async (page) => {
			// Whatever the count says, never more than asking for each would cost.
			if (++asked > client.items) throw new Error(TOO_LONG);
			const answer = await client.call('customers', { page });
			const { rows: firstRows, total = Infinity } = pageOf(answer);
			if (page.page === 1 && total / firstRows.length >= client.items) throw new Error(TOO_LONG);
			return answer;
		},
		id: customerKey,
		shape: (row) => row,
		client,
	});
	if (missing !== undefined) return undefined;
	const book = new Map<string, string[]>();
	for (const { id, email } of rows) {
		const key = emailKey(textOf(email));
		book.set(key, [...(book.get(key) ?? []), id]);
	}
	return book;
}

/** What a row is known by. A customer may have several, one for each card. */
export function customerKey({ id, brand, last4, expires }: CustomerRow): string {
	return JSON.stringify([id, brand, last4, expires]);
}
