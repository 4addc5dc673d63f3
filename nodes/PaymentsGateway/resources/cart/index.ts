import { calculate } from './calculate';

/**
 * The resource Cart. A cart is known only by its encrypted payment data, which a new paylink
 * carries.
 */

export const cart = {
	name: 'Cart',
	description: 'What a customer is about to pay for',
	operations: { calculate },
};
