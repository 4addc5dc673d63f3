import type { Located } from '../form/field';
import { customerByEmail } from '../gateway/customers';
import type { CustomerDetail } from '../wire';
import type { Work } from './operation';

/**
 * A form names a customer by list, ID or email, but the service knows IDs alone. This is the step
 * in between, shared by all operations with a Customer field.
 */

/** All that is stored of the customer. */
export async function customerDetail(
	{ client, complain }: Pick<Work, 'client' | 'complain'>,
	{ by, value }: Located,
): Promise<CustomerDetail> {
	if (by === 'email') return await customerByEmail(client, value, complain);
	return await client.call('customer', { customerID: value });
}

export async function customerID(work: Work, customer: Located): Promise<string> {
	if (customer.by === 'id') return customer.value;
	const { id } = await customerDetail(work, customer);
	return id;
}
