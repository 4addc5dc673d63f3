/** A customer with every field of the form filled in. */
export const everything = {
	nameOnCard: 'Ada Lovelace',
	email: 'ada@example.com',
	phone: '+44 20 7946 0000',
	billingAddress: '1 Analytical Way',
	billingCity: 'London',
	billingState: 'LDN',
	billingZip: 'N1 9GU',
	billingCountry: 'GB',
};
