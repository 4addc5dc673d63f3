import type { CustomerRow, ListAnswer } from '../wire';
import type { Client } from './client';
import { sameEmail } from '../wire/email';
import { pageOf } from './page';
import { list } from './paginate';

/**
 * Where a run looks up many customers by email, the list of customers is read once, when that is
 * fewer requests than asking for each. It is kept with the client, so no longer than the run.
 *
 * It may be some seconds old: a customer in it may be deleted by now, and a new one missing. Emails
 * that this process itself has changed since are no longer looked up in it.
 */

/** With fewer look-ups than these, the list is not read. */
const MANY = 10;
const PAGE_SIZE = 200;
/** The list is read anew after so long: others may have changed it. */
const FRESH_MS = 30_000;

/** The IDs of the customers of each email. */
type AddressBook = ReadonlyMap<string, readonly string[]>;

interface Kept {
	/** How many emails were looked up. */
	asked: number;
	book?: Promise<AddressBook | undefined>;
	/** When it was read; infinite until then, and where it was of no use. */
	readAt: number;
	/** How many changes of emails there had been when the run began to look up. */
	changes: number;
}

const kept = new WeakMap<Client, Kept>();

/** How often this process has changed whom an email stands for, by merchant. */
const changes = new Map<string, number>();
const MOST_MERCHANTS = 1_000;

/** A customer has got another email, or is gone: the books of the runs under way are out of date. */
export function emailsChanged({ customers }: Client): void {
	const before = changes.get(customers) ?? 0;
	changes.delete(customers);
	changes.set(customers, before + 1);
	const [oldest] = changes.keys();
	if (changes.size > MOST_MERCHANTS && oldest !== undefined) changes.delete(oldest);
}

function changesOf({ customers }: Client): number {
	return changes.get(customers) ?? 0;
}

/**
 * The IDs of the customers that the list shows under an email. Undefined where the list was not read,
 * or cannot be relied on: then nobody knows, and each email has to be asked for. With `isChecked`, an
 * email that has changed since does no harm: whoever is found is looked at before anything is done.
 */
export async function idsListed(
	client: Client,
	email: string,
	{ isChecked = false } = {},
): Promise<readonly string[] | undefined> {
	const known = kept.get(client) ?? { asked: 0, readAt: Infinity, changes: changesOf(client) };
	kept.set(client, known);
	// It is not read again: where one email changes, the next ones may as well.
	const isOutdated = () => !isChecked && known.changes !== changesOf(client);
	if (isOutdated()) return undefined;
	if (known.book === undefined || performance.now() - known.readAt > FRESH_MS) {
		known.readAt = Infinity;
		known.book = read(client, known).catch(() => undefined);
	}
	known.asked += 1;
	const book = await known.book;
	return isOutdated() ? undefined : book && (book.get(sameEmail(email)) ?? []);
}

async function read(client: Client, known: Kept): Promise<AddressBook | undefined> {
	const { asked } = known;
	const lookUps = client.items - asked;
	if (lookUps < MANY) return undefined;
	const asking = await client.attempt('customers', { page: { page: 1, pageSize: PAGE_SIZE } });
	if (!('reply' in asking)) return undefined;
	let first: ListAnswer<CustomerRow> | undefined = asking.reply.answer;
	/** On a page, as it seems. */
	const rows = Math.max(1, first.data.length);
	const { total } = pageOf(first);
	if (total === undefined || Math.floor(total / rows) >= lookUps) return undefined;

	/** Some rows are no records, and could be anybody. */
	let isOdd = false;
	const { rows: listed, missing } = await list<CustomerRow, CustomerRow>({
		page: { pageSize: PAGE_SIZE },
		fetch: async (page) => {
			// Page 1 is asked for before all others.
			const answer = first;
			first = undefined;
			const given = answer ?? (await client.call('customers', { page }));
			isOdd ||= pageOf(given).dropped > 0;
			return given;
		},
		id: customerKey,
		shape: (row) => row,
		// Whatever the count says, never more than asking for each would cost.
		mostPages: lookUps,
		parallel: () => client.parallel,
		warn: client.warn,
	});
	if (missing !== undefined || isOdd) return undefined;
	const book = new Map<string, string[]>();
	for (const row of listed) note(book, row);
	known.readAt = performance.now();
	return book;
}

/** What a row is known by. A customer may have several, one for each card. */
export function customerKey({ id, brand, last4, expires }: CustomerRow): string {
	return id && JSON.stringify([id, brand, last4, expires]);
}

export function isID(id: unknown): id is string {
	return typeof id === 'string' && id !== '';
}

/** A row without an email is nobody that could be found here. Without an ID, the list is no use. */
function note(book: Map<string, string[]>, { id, email }: CustomerRow): void {
	if (typeof email !== 'string') return;
	if (!isID(id)) throw new Error('A customer of the list has no ID');
	const key = sameEmail(email);
	const others = book.get(key);
	if (others === undefined) book.set(key, [id]);
	else if (!others.includes(id)) others.push(id);
}
