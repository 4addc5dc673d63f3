import {
	filters,
	limit,
	optionsOf,
	pageSize,
	returnAll,
	searchTerm,
	sort,
} from '../../operation/fields';
import { operation } from '../../operation/operation';
import { customerRows, pageOf } from '../../operation/pages';

export const getAll = operation({
	name: 'Get Many',
	action: 'Get many customers',
	description: 'Get the customers that meet your filters, or all of them',
	effect: 'read',
	fields: [returnAll, limit, filters, sort, optionsOf([pageSize, searchTerm])],
	run: async (parameters, { client }) =>
		await customerRows(client, {
			page: pageOf(parameters),
			// While the next pages are under way, so that nobody waits for it at the end.
			shape: (row) => client.mask.value(row),
			...(parameters.returnAll ? {} : { limit: parameters.limit }),
		}),
});
