import { withoutEmpty } from '../form/empty';
import type { Located } from '../form/field';
import type { Client } from '../gateway/client';
import { createKeyedMutex } from '../gateway/keyedMutex';
import type { Answer, CustomerDetail, CustomerForm, Data } from '../wire';
import { CUSTOMER_FIELDS } from '../wire/customer';
import { textOf } from '../wire/json';
import type { Ctx } from './find';
import { candidateIds, readMatch } from './find';
import { keyOf, noteCustomer } from './recent';

/**
 * Makes and changes customers. The document does not say whether updateCustomer merges the form into
 * what is stored, or replaces it. So the changes are laid over what is stored, and all of it is
 * sent: right in both cases, as long as nobody else writes between the reading and the sending.
 *
 * Two keyed mutexes see to that. They are taken in this order only, so no two tasks deadlock:
 *   1. by the names in the form (emails and IDs): items with equal names act in their order, and an
 *      item that finds no customer makes it before the next item looks;
 *   2. by the customer's own ID: an item with the ID and one with the email exclude each other.
 */

const nameMutex = createKeyedMutex();
const customerMutex = createKeyedMutex();

/** Runs the task while no other task of this process with one of these names is running. */
export async function inTurnOf<T>(
	client: Client,
	names: ReadonlyArray<string | undefined>,
	task: () => Promise<T>,
): Promise<T> {
	const keys = names.flatMap((name) => (name === undefined ? [] : keyOf(client, name)));
	return await nameMutex.run(keys, task);
}

/** Makes a customer, and notes it for look-ups by email, even if the answer was lost. */
export async function createCustomer(
	client: Client,
	form: Data<'addCustomer'>['form'],
): Promise<Answer<'addCustomer'>> {
	const { email } = form;
	const attempt = await client.attempt('addCustomer', { form });
	if ('error' in attempt) {
		if (!attempt.notCarriedOut && email !== undefined) noteCustomer(client, email);
		throw attempt.error;
	}
	const { answer } = attempt.reply;
	if (email !== undefined) noteCustomer(client, email, answer.customerID);
	return answer;
}

type Updated = Answer<'updateCustomer'> & { outcome: 'updated' | 'unchanged' };

/** Undefined if no customer has the email by which this one is named. */
export async function changeCustomer(
	ctx: Ctx,
	customer: Located,
	changes: CustomerForm,
): Promise<Updated | undefined> {
	const { client } = ctx;
	for await (const ids of candidateIds(ctx, customer)) {
		const keys = ids.map((id) => keyOf(client, id));
		const updated = await customerMutex.run(keys, async () => {
			const detail = await readMatch(ctx, customer, ids);
			return detail && (await sendChanges(client, detail, changes));
		});
		if (updated !== undefined) return updated;
	}
	return undefined;
}

async function sendChanges(
	client: Client,
	detail: CustomerDetail,
	changes: CustomerForm,
): Promise<Updated> {
	const { id: customerID } = detail;
	// Empty fields are left out: a gateway that checks what it gets would refuse them.
	const stored: CustomerForm = withoutEmpty(
		Object.fromEntries(CUSTOMER_FIELDS.map((field) => [field, textOf(detail[field])])),
	);
	const isSame = (field: keyof CustomerForm) =>
		changes[field] === undefined || changes[field] === (stored[field] ?? '');
	if (CUSTOMER_FIELDS.every(isSame)) return { customerID, outcome: 'unchanged' };
	const form = { ...stored, ...changes };
	const attempt = await client.attempt('updateCustomer', { customerID, form });
	// Even if it failed: look-ups compare the customer's own data anyway.
	if (changes.email !== undefined) noteCustomer(client, changes.email, customerID);
	if ('error' in attempt) throw attempt.error;
	return { ...attempt.reply.answer, outcome: 'updated' };
}
