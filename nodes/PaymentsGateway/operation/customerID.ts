import type { Located } from '../form/field';
import type { LookUp } from '../gateway/customers';
import { customerByEmail, hasAnother } from '../gateway/customers';
import type { CustomerDetail } from '../wire';
import type { Work } from './operation';

/**
 * A form names a customer by list, ID or email, but the service knows IDs alone. This is the step
 * in between, shared by all operations with a Customer field.
 */

export async function customerID(
	{ client, complain }: Work,
	customer: Located,
	lookUp?: LookUp,
): Promise<string> {
	if (customer.by === 'id') return customer.value;
	const found = await customerByEmail(client, customer.value, lookUp);
	if ('id' in found) return found.id;
	throw complain(found.problem, found.advice);
}

/** All that is stored of the customer. Whoever has another email by now is not the one. */
export async function customerDetail(work: Work, customer: Located): Promise<CustomerDetail> {
	const read = async (lookUp?: LookUp) =>
		await work.client.call('customer', { customerID: await customerID(work, customer, lookUp) });
	const detail = await read();
	const isAnother = customer.by === 'email' && hasAnother(detail, customer.value);
	return isAnother ? await read({ isFinal: true }) : detail;
}
