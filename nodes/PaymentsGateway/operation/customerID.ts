import type { Located } from '../form/field';
import type { LookUp } from '../gateway/customers';
import { customerByEmail } from '../gateway/customers';
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
