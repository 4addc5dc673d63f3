import { withoutEmpty } from '../form/empty';
import type { Located } from '../form/field';
import type { Client } from '../gateway/client';
import { createKeyedMutex } from '../gateway/keyedMutex';
import type { Answer, CustomerDetail, CustomerForm, Data } from '../wire';
import { CUSTOMER_FIELDS } from '../wire/customer';
import { textOf } from '../wire/json';
import type { Ctx } from './find';
import { candidateIds, readMatch } from './find';
import { emailKey, noteCustomer, noteUnconfirmed, noteUpdate, scopedKey } from './recent';

/**
 * Creates and changes customers. The document does not say whether updateCustomer merges the form into
 * the stored fields, or replaces them. So an update sends all stored fields with the changes laid over
 * them: right in both cases, as long as nobody else writes between the read and the update.
 *
 * Within this process, two keyed mutexes ensure it. The caller takes the first (`withIdentifierLock`),
 * `changeCustomer` the second. No task takes them in the other order, so none deadlock.
 *   1. By the emails and IDs in the form: items with the same one run in their order, and an item that
 *      finds no customer creates it before the next item looks.
 *   2. By the customer's own ID: an item with the ID and one with the email exclude each other.
 */

const identifierMutex = createKeyedMutex();
const customerMutex = createKeyedMutex();

/** Runs the task while no other task of this process with one of these emails or IDs is running. */
export async function withIdentifierLock<T>(
	client: Client,
	identifiers: ReadonlyArray<string | undefined>,
	task: () => Promise<T>,
): Promise<T> {
	const given = identifiers.filter((each) => each !== undefined);
	// IDs that differ only in case share a lock, which is harmless.
	const keys = given.map((each) => scopedKey(client, emailKey(each)));
	return await identifierMutex.run(keys, task);
}

/** Creates a customer, and notes it for look-ups by email, even if the answer was lost. */
export async function createCustomer(
	client: Client,
	form: Data<'addCustomer'>['form'],
): Promise<Answer<'addCustomer'>> {
	const { email } = form;
	const attempt = await client.attempt('addCustomer', { form });
	if ('error' in attempt) {
		if (!attempt.notCarriedOut && email !== undefined) noteUnconfirmed(client, email);
		throw attempt.error;
	}
	const { answer } = attempt.reply;
	if (email !== undefined) noteCustomer(client, email, answer.customerID);
	return answer;
}

type Updated = Answer<'updateCustomer'> & { outcome: 'updated' | 'unchanged' };

/** Undefined if no customer has the email. */
export async function changeCustomer(
	ctx: Ctx,
	customer: Located,
	changes: CustomerForm,
): Promise<Updated | undefined> {
	const { client } = ctx;
	for await (const ids of candidateIds(ctx, customer)) {
		const keys = ids.map((id) => scopedKey(client, id));
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
	// Stored fields that are empty are left out: a gateway that checks its input would refuse them. An
	// empty field in `changes` is sent, since it clears the stored value.
	const stored: CustomerForm = withoutEmpty(
		Object.fromEntries(CUSTOMER_FIELDS.map((field) => [field, textOf(detail[field])])),
	);
	const isSame = (field: keyof CustomerForm) =>
		changes[field] === undefined || changes[field] === (stored[field] ?? '');
	if (CUSTOMER_FIELDS.every(isSame)) return { customerID, outcome: 'unchanged' };
	const form = { ...stored, ...changes };
	const attempt = await client.attempt('updateCustomer', { customerID, form });
	const isConfirmed = 'reply' in attempt;
	if (!isConfirmed && attempt.notCarriedOut) throw attempt.error;
	if (changes.email !== undefined) {
		// Noted even if the answer was lost: the update may have been carried out, and look-ups check the email.
		noteCustomer(client, changes.email, customerID);
		// While the gateway shows the old email, they find nobody: no second customer may be created then.
		if (!isConfirmed) noteUnconfirmed(client, changes.email);
	}
	noteUpdate(client, { before: detail, after: form, isConfirmed });
	if (!isConfirmed) throw attempt.error;
	return { ...attempt.reply.answer, outcome: 'updated' };
}
