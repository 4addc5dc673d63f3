import { isObject } from '../wire/json';
import type { PaymentMethod } from '../wire';
import type { Client } from './client';
import { droppedWords } from './pages';

/** The saved payment methods of a customer. The service lists them only as part of the customer. */
export async function paymentMethodsOf(
	client: Client,
	customerID: string,
): Promise<PaymentMethod[]> {
	const { paymentCards } = await client.call('customer', { customerID });
	// A customer without any may come without the list.
	const listed = Array.isArray(paymentCards) ? paymentCards : [];
	const methods = listed.filter(isObject);
	const dropped = listed.length - methods.length;
	if (dropped > 0) client.warn(droppedWords(dropped));
	return methods;
}
