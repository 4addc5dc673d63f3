import type { Client } from '../../gateway/client';
import { noteCustomer, noteUnsure } from '../../gateway/recentCustomers';
import type { Answer, Data } from '../../wire';

/** Makes a customer, and notes it for look-ups by email, also where the answer was lost. */
export async function make(
	client: Client,
	form: Data<'addCustomer'>['form'],
): Promise<Answer<'addCustomer'>> {
	const { email } = form;
	const sent = await client.attempt('addCustomer', { form });
	if ('error' in sent) {
		if (!sent.refused && email !== undefined) noteUnsure(client, email);
		throw sent.error;
	}
	const { answer } = sent.reply;
	if (email !== undefined) noteCustomer(client, email, answer.customerID);
	return answer;
}
