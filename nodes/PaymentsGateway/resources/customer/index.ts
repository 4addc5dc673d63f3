import { create } from './create';
import { remove } from './delete';
import { get } from './get';
import { getAll } from './getAll';
import { update } from './update';
import { upsert } from './upsert';

/**
 * The resource Customer, with one file for each operation.
 */

export const customer = {
	name: 'Customer',
	description: 'The people who pay you, and what you know of them',
	operations: { create, delete: remove, get, getAll, update, upsert },
};
