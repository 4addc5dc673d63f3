import { commit } from './commit';
import { getStatus } from './getStatus';

export const payment = {
	name: 'Payment',
	description: 'Charge a cart, and find out what became of a payment',
	operations: { commit, getStatus },
};
