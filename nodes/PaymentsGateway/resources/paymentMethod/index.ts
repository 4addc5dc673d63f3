import { add } from './add';
import { remove } from './delete';
import { getAll } from './getAll';
import { setDefault } from './setDefault';

/**
 * The resource Payment Method, with one file for each operation. Payment methods belong to a
 * customer, so each operation asks for one.
 */

export const paymentMethod = {
	name: 'Payment Method',
	description: 'The saved cards and bank accounts of a customer',
	operations: { add, delete: remove, getAll, setDefault },
};
