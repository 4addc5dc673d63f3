import type { Located } from '../form/field';
import { httpStatusOf } from '../gateway/errors';
import type { OperationContext } from '../operation/operation';
import type { CustomerDetail, PageRequest } from '../wire';
import { textOf } from '../wire/json';
import { addressBook, listCustomers } from './list';
import { emailKey, isDeleted, latestOf, recentIds } from './recent';

/**
 * Finds the customer that a form names, by ID or by email. The gateway's filter and search may find
 * too little or too much, and its list may be a minute old. So every row is compared here, and a
 * customer is found only if the customer's own data show the email too. This process's own changes of
 * the last minute count as shown (recent.ts).
 */

/** The context for finding a customer; operations and pickers both have it. */
export type Ctx = Pick<OperationContext, 'client' | 'fieldError'>;

export async function idOfCustomer(ctx: Ctx, customer: Located): Promise<string> {
	return customer.by === 'id' ? customer.value : (await readCustomer(ctx, customer)).id;
}

/** Everything stored about the customer. */
export async function readCustomer(ctx: Ctx, customer: Located): Promise<CustomerDetail> {
	for await (const ids of candidateIds(ctx, customer)) {
		const found = await readMatch(ctx, customer, ids);
		if (found !== undefined) return found;
	}
	throw noCustomerError(ctx, customer.value);
}

export function noCustomerError({ fieldError }: Ctx, email: string): Error {
	const whatToDo =
		'Check the email, or use the operation "Create or Update", which creates the customer.';
	return fieldError(`No customer has the email ${email}`, whatToDo);
}

/**
 * The IDs that the customer may have: the one that was given, or a list from each look-up by email.
 * The caller checks each list with `readMatch`, and stops as soon as it has the customer.
 */
export async function* candidateIds(ctx: Ctx, { by, value }: Located): AsyncGenerator<string[]> {
	if (by === 'id') return yield [value];
	const seen = new Set<string>();
	const unseen = (ids: readonly string[]) => ids.filter((id) => !seen.has(id) && seen.add(id));
	const key = emailKey(value);
	const recent = recentIds(ctx.client, value);
	const book = await addressBook(ctx.client);
	if (book !== undefined) yield unseen([...recent, ...(book.get(key) ?? [])]);
	// Even with a book: it is as old as the run, and others may have added the customer since. Most emails
	// are stored in lower case, and the gateway's filter may be case-sensitive.
	for (const spelling of new Set([value, key])) {
		const filter = [{ field: 'email', operation: 'equals' as const, value: spelling }];
		yield unseen([...recent, ...(await listedIds(ctx, value, { filter }))]);
	}
	// The search finds other spellings. The address book has them too, except for customers newer than the
	// run: a search for each new email would cost more than it finds (docs/limits.md).
	if (book === undefined) yield unseen(await listedIds(ctx, value, { search: key }));
}

async function listedIds({ client, fieldError }: Ctx, email: string, request: PageRequest) {
	const { rows, missing } = await listCustomers(client, {
		page: { pageSize: 100, ...request },
		shape: (row) => (emailKey(textOf(row.email)) === emailKey(email) ? row.id : undefined),
	});
	if (missing === undefined) return rows;
	throw fieldError(
		`Could not check whether a customer has the email ${email}: ${missing}`,
		"Nothing was changed. Try again later, or give the customer's ID.",
	);
}

/** The customer with the given ID or, by email, the one among `ids` that has it. Throws if several of them do. */
export async function readMatch(ctx: Ctx, { by, value }: Located, ids: readonly string[]) {
	if (by === 'id') {
		return latestOf(ctx.client, await ctx.client.call('customer', { customerID: value }));
	}
	const matches: CustomerDetail[] = [];
	for (const id of ids) {
		const detail = await readIfEmail(ctx, id, value);
		if (detail !== undefined) matches.push(detail);
	}
	if (matches.length > 1) {
		throw ctx.fieldError(
			`${matches.length} customers have the email ${value}: ${matches.map(({ id }) => id).join(', ')}`,
			'Nothing was changed. Use one of these IDs instead of the email ("Update" takes an ID, "Create or Update" does not). Or compare them, and delete those that nobody uses: their saved payment methods go too.',
		);
	}
	return matches[0];
}

/** The customer's own data; undefined if these show another email, or this process has deleted them. */
async function readIfEmail({ client, fieldError }: Ctx, id: string, email: string) {
	if (isDeleted(client, id)) return undefined;
	const attempt = await client.attempt('customer', { customerID: id });
	if ('error' in attempt && httpStatusOf(attempt.error) !== '404') throw attempt.error;
	const detail = 'reply' in attempt ? latestOf(client, attempt.reply.answer) : undefined;
	const shown = emailKey(textOf(detail?.email));
	if (shown !== '') return shown === emailKey(email) ? detail : undefined;
	throw fieldError(
		`The customer ${id} was found by the email ${email}, but cannot be read, or has no email`,
		"Nothing was changed. If the customer was created or deleted a moment ago, run it again in a minute, or give the customer's ID.",
	);
}
