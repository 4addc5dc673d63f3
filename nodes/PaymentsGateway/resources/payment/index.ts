import { commit } from './commit';
import { getStatus } from './getStatus';

/** The resource Payment. What only its two operations need stands beside them. */

export const payment = {
	name: 'Payment',
	description: 'Charge a cart, and find out what became of a payment',
	operations: { commit, getStatus },
};
