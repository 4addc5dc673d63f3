import { checkedEmail } from '../../form/email';
import { filledIn } from '../../form/filledIn';
import type { FieldError } from '../../form/fieldError';
import type { Client } from '../../gateway/client';
import { noteCustomer } from '../../gateway/recentCustomers';
import type { Answer, CustomerDetail, CustomerForm } from '../../wire';

/**
 * Changes a customer. Whether the gateway merges the form that it is sent, or puts it in the place
 * of the stored one, is not documented. So what was filled in is laid over what is stored, and all
 * of it is sent: then both come to the same.
 */

const FIELDS = [
	'nameOnCard',
	'email',
	'phone',
	'billingAddress',
	'billingCity',
	'billingState',
	'billingZip',
	'billingCountry',
] as const satisfies ReadonlyArray<keyof CustomerForm>;

/** What is to be changed. Nothing clears an email, by which a customer is known. */
export function changesOf(
	{ email = '', ...others }: CustomerForm,
	clearEmptyFields: boolean | undefined,
	fieldError: FieldError,
): CustomerForm {
	return {
		...(clearEmptyFields ? others : filledIn(others)),
		...(email === '' ? {} : { email: checkedEmail(email, fieldError) }),
	};
}

/**
 * The stored form. What the customer's data do not say, or hold as empty, is left out: to send it as
 * empty would clear it where the gateway merges, and be refused where it checks what it is sent.
 */
function storedForm(detail: CustomerDetail): CustomerForm {
	const stored: Readonly<Record<string, unknown>> = { ...detail };
	const form: CustomerForm = {};
	for (const field of FIELDS) {
		const value = stored[field];
		if (typeof value === 'string' || typeof value === 'number') form[field] = String(value);
	}
	return filledIn(form);
}

type Changed = Answer<'updateCustomer'> & { outcome: 'updated' | 'unchanged' };

export async function change(
	client: Client,
	detail: CustomerDetail,
	changes: CustomerForm,
): Promise<Changed> {
	const { id: customerID } = detail;
	const stored = storedForm(detail);
	const { email } = changes;
	const isSame = (name: keyof CustomerForm) =>
		changes[name] === undefined || changes[name] === (stored[name] ?? '');
	if (FIELDS.every(isSame)) return { customerID, outcome: 'unchanged' };
	const sent = await client.attempt('updateCustomer', {
		customerID,
		form: { ...stored, ...changes },
	});
	// Also where it failed: a look-up sees by the customer's own data whether they have the email.
	if (email !== undefined) noteCustomer(client, email, customerID);
	if ('error' in sent) throw sent.error;
	return { ...sent.reply.answer, outcome: 'updated' };
}
