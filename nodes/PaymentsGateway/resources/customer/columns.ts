/**
 * The order of a customer's fields in outputs: first what people read, then the card, then IDs.
 * Fields that are not named here follow.
 */

const FIRST = [
	...['name', 'nameOnCard', 'email', 'phone', 'city_state', 'billingCity', 'billingState'],
	...['billingAddress', 'zip', 'billingZip', 'billingCountry'],
	...['brand', 'last4', 'expires', 'isDefault', 'paymentCards', 'id'],
];

export function inColumns<Customer extends object>(customer: Customer): Customer {
	const inOrder: Record<string, unknown> = {};
	// A key keeps the place at which it was first set.
	for (const name of FIRST) if (Object.hasOwn(customer, name)) inOrder[name] = null;
	return Object.assign(inOrder, customer);
}
