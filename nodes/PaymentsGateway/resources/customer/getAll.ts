import { filters, limit, pageSize, returnAll, searchTerm, sort } from '../../form/fields/list';
import { optionsOf } from '../../form/fields/options';
import { operation } from '../../operation/operation';
import { customerRows } from '../../gateway/customers';
import { pageOf } from '../../form/pageRequest';

export const getAll = operation({
	name: 'Get Many',
	action: 'Get many customers',
	description: 'Get the customers that meet your filters, or all of them',
	fields: [returnAll, limit, filters, sort, optionsOf([pageSize, searchTerm])],
	run: async (parameters, { client }) =>
		await customerRows(client, {
			page: pageOf(parameters),
			// While the next pages are under way, so that nobody waits for it at the end.
			shape: (row) => client.mask.value(row),
			limit: parameters.limit,
		}),
});
