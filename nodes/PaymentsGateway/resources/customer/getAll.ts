import { filtersBy, limit, returnAll, searchTerm, sortBy } from '../../form/fields/list';
import { optionsOf } from '../../form/fields/options';
import { operation } from '../../operation/operation';
import { rowsOf } from '../../gateway/list';
import { pageWanted } from '../../form/pageRequest';
import { inColumns } from './columns';
import { listCustomers } from './find';

/**
 * Gets many customers through the gateway's own filters, sort and search. The pages are read by
 * `gateway/list.ts`.
 */

const known = [
	{ name: 'Brand', value: 'brand' },
	{ name: 'City and State', value: 'city_state' },
	{ name: 'Email', value: 'email' },
	{ name: 'Expires', value: 'expires' },
	{ name: 'ID', value: 'id' },
	{ name: 'Last Four Digits', value: 'last4' },
	{ name: 'Name', value: 'name' },
	{ name: 'Phone', value: 'phone' },
	{ name: 'ZIP', value: 'zip' },
] as const;

export const getAll = operation({
	name: 'Get Many',
	action: 'Get many customers',
	description: 'Get many customers: those that meet your filters, or everyone',
	fields: [
		returnAll,
		limit,
		filtersBy(known, 'email'),
		optionsOf([searchTerm]),
		sortBy(known, 'name'),
	],
	run: async (parameters, work) => {
		const { client } = work;
		const listed = await listCustomers(client, {
			page: pageWanted(parameters, work),
			shape: inColumns,
			limit: parameters.limit,
		});
		return rowsOf(listed, client.warn);
	},
});
