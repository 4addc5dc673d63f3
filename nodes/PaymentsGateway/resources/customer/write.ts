import { withoutEmpty } from '../../form/empty';
import type { Client } from '../../gateway/client';
import { createKeyedMutex } from '../../gateway/keyedMutex';
import type { Answer, CustomerDetail, CustomerForm, Data } from '../../wire';
import { CUSTOMER_FIELDS } from '../../wire/customer';
import { textOf } from '../../wire/json';
import { keyOf, noteCustomer } from './recent';

/**
 * Makes and changes customers, one task after another for each customer. Whether the gateway merges
 * the form that it is sent, or puts it in the place of the stored one, is not documented. So what was
 * filled in is laid over what is stored, and all of it is sent: then both come to the same.
 */

/** What is to be changed. Nothing clears an email, by which a customer is known. */
export function changesOf(
	{ email, ...others }: CustomerForm,
	clearEmptyFields = false,
): CustomerForm {
	return { ...(clearEmptyFields ? others : withoutEmpty(others)), ...(email && { email }) };
}

const mutex = createKeyedMutex();

/**
 * Does the task once nobody else is busy with any of the names, which are emails and IDs: in the items
 * of one run, and in all executions of this process.
 */
export async function inTurn<T>(
	client: Client,
	names: ReadonlyArray<string | undefined>,
	task: () => Promise<T>,
): Promise<T> {
	const keys = names.flatMap((name) => (name === undefined ? [] : keyOf(client, name)));
	return await mutex.run(keys, task);
}

/** Makes a customer, and notes it for look-ups by email, also where the answer was lost. */
export async function createCustomer(
	client: Client,
	form: Data<'addCustomer'>['form'],
): Promise<Answer<'addCustomer'>> {
	const { email } = form;
	const sent = await client.attempt('addCustomer', { form });
	if ('error' in sent) {
		if (!sent.notCarriedOut && email !== undefined) noteCustomer(client, email);
		throw sent.error;
	}
	const { answer } = sent.reply;
	if (email !== undefined) noteCustomer(client, email, answer.customerID);
	return answer;
}

type Updated = Answer<'updateCustomer'> & { outcome: 'updated' | 'unchanged' };

export async function updateCustomer(
	client: Client,
	detail: CustomerDetail,
	changes: CustomerForm,
): Promise<Updated> {
	const { id: customerID } = detail;
	// What is empty is left out: a gateway that checks what it is sent would refuse it.
	const stored: CustomerForm = withoutEmpty(
		Object.fromEntries(CUSTOMER_FIELDS.map((field) => [field, textOf(detail[field])])),
	);
	const isSame = (field: keyof CustomerForm) =>
		changes[field] === undefined || changes[field] === (stored[field] ?? '');
	if (CUSTOMER_FIELDS.every(isSame)) return { customerID, outcome: 'unchanged' };
	const sent = await client.attempt('updateCustomer', {
		customerID,
		form: { ...stored, ...changes },
	});
	// Also where it failed: a look-up sees by the customer's own data whether they have the email.
	if (changes.email !== undefined) noteCustomer(client, changes.email, customerID);
	if ('error' in sent) throw sent.error;
	return { ...sent.reply.answer, outcome: 'updated' };
}
