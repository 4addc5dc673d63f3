import { add } from './add';
import { remove } from './delete';
import { getAll } from './getAll';
import { setDefault } from './setDefault';

export const paymentMethod = {
	name: 'Payment Method',
	description: 'The saved cards and bank accounts of a customer',
	operations: { add, delete: remove, getAll, setDefault },
};
