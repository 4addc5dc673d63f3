import { listCustomers } from '../../customers/list';
import { optionsOf } from '../../form/builders';
import {
	filtersBy,
	limit,
	pageWanted,
	returnAll,
	searchTerm,
	sortBy,
} from '../../form/fields/list';
import { rowsOf } from '../../gateway/list';
import { operation } from '../../operation/operation';

/**
 * Gets many customers through the gateway's own filters, sort and search. The pages are read by
 * `gateway/list.ts`.
 */

const columns = {
	brand: 'Brand',
	city_state: 'City and State',
	email: 'Email',
	expires: 'Expires',
	id: 'ID',
	last4: 'Last Four Digits',
	name: 'Name',
	phone: 'Phone',
	zip: 'ZIP',
};

export const getAll = operation({
	name: 'Get Many',
	action: 'Get many customers',
	description: 'Get many customers: those that meet your filters, or everyone',
	fields: [
		returnAll,
		limit,
		filtersBy(columns, 'email'),
		optionsOf([searchTerm]),
		sortBy(columns, 'name'),
	],
	run: async (parameters, { client }) => {
		const listed = await listCustomers(client, {
			page: pageWanted(parameters),
			shape: (row) => row,
			limit: parameters.limit,
		});
		return rowsOf(listed, client.warn);
	},
});
