import type { Located } from '../form/field';
import { findCustomer } from '../gateway/customers';
import type { CustomerDetail } from '../wire';
import type { OperationContext } from './operation';

/**
 * A form names a customer by list, ID or email, but the gateway knows IDs alone. This is the step
 * in between, shared by all operations with a Customer field.
 */

/** All that is stored of the customer. */
export async function customerDetail(
	{ client, fieldError }: Pick<OperationContext, 'client' | 'fieldError'>,
	{ by, value }: Located,
): Promise<CustomerDetail> {
	if (by === 'id') return await client.call('customer', { customerID: value });
	const found = await findCustomer(client, value, fieldError);
	if (found !== undefined) return found;
	throw fieldError(
		`No customer has the email ${value}`,
		'Check the email, or use Create or Update, which makes the customer.',
	);
}

export async function customerID(work: OperationContext, customer: Located): Promise<string> {
	if (customer.by === 'id') return customer.value;
	const { id } = await customerDetail(work, customer);
	return id;
}
