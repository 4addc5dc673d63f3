/**
 * The order of a customer's fields in outputs: first what people read, then the card, then IDs.
 * Fields that are not named here follow.
 */

const FIRST = [
	'name',
	'nameOnCard',
	'email',
	'phone',
	'city_state',
	'billingCity',
	'billingState',
	'billingAddress',
	'zip',
	'billingZip',
	'billingCountry',
	'brand',
	'last4',
	'expires',
	'isDefault',
	'paymentCards',
	'id',
];

export function inColumns<Customer extends object>(customer: Customer): Customer {
	const known = FIRST.filter((name) => Object.hasOwn(customer, name));
	// A key keeps the place at which it was first set.
	return Object.assign(Object.fromEntries(known.map((name) => [name, null])), customer);
}
