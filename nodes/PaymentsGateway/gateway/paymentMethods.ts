import { isObject } from '../wire/json';
import type { CustomerDetail, PaymentMethod } from '../wire';
import type { Client } from './client';
import { droppedWords } from './page';

/** The saved payment methods of a customer. The gateway lists them only as part of the customer. */
export function paymentMethodsOf(
	client: Client,
	{ paymentCards }: CustomerDetail,
): PaymentMethod[] {
	// A customer without any may come without the list.
	const listed = Array.isArray(paymentCards) ? paymentCards : [];
	const methods = listed.filter(isObject);
	const dropped = listed.length - methods.length;
	if (dropped > 0) client.warn(droppedWords(dropped));
	return methods;
}
