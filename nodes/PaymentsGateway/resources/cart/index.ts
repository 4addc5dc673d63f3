import { calculate } from './calculate';

export const cart = {
	name: 'Cart',
	description: 'What a customer is about to pay for',
	operations: { calculate },
};
