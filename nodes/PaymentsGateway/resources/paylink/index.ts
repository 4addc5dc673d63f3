import { create } from './create';

export const paylink = {
	name: 'Paylink',
	description: 'A link to a payment page that you send to a customer',
	operations: { create },
};
