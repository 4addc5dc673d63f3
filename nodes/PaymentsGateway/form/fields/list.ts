import type { Field } from '../field';
import { groupOf } from '../group';
import { shownWhen } from '../shownWhen';
import { toggle } from './kinds';

/**
 * The form fields that the Get Many operations share: how many results, filters, search and sort.
 * `form/pageRequest.ts` makes a request of what was filled in.
 */

export const returnAll = toggle(
	'Return All',
	'returnAll',
	'Whether to return all results or only up to a given limit',
);

export const limit = shownWhen(
	{ returnAll: [false] },
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: 50,
		description: 'Max number of results to return',
	},
);

interface Choice {
	readonly name: string;
	readonly value: string;
}

/** Picks a field of the rows. By expression, a name that is not in the list is taken as it is. */
function rowField<const L extends string>(displayName: L, known: readonly Choice[], first: string) {
	return {
		displayName,
		name: 'field',
		type: 'options',
		allowArbitraryValues: true,
		default: first,
		description: 'By expression, any other field by the name that the gateway has for it',
		options: known,
	} as const;
}

export function filtersBy(known: readonly Choice[], first: string) {
	return {
		displayName: 'Filters',
		name: 'filters',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add Filter',
		default: {},
		description: 'Only rows that meet all of these, as the gateway understands them',
		options: groupOf('conditions', 'Conditions', [
			rowField('Field', known, first),
			{
				displayName: 'Condition',
				name: 'condition',
				type: 'options',
				default: 'equals',
				options: [
					{ name: 'Contains', value: 'contains' },
					{ name: 'Equals', value: 'equals' },
					{ name: 'Greater or Equal', value: 'gte' },
					{ name: 'Greater Than', value: 'gt' },
					{ name: 'Less or Equal', value: 'lte' },
					{ name: 'Less Than', value: 'lt' },
					{ name: 'Not Equal', value: 'neq' },
				],
			},
			{ displayName: 'Value', name: 'value', type: 'string', default: '' },
		]),
	} as const satisfies Field;
}

export function sortBy(known: readonly Choice[], first: string) {
	return {
		displayName: 'Sort',
		name: 'sort',
		type: 'fixedCollection',
		placeholder: 'Add Sort Rule',
		default: {},
		options: groupOf('rule', 'Rule', [
			rowField('Sort Field', known, first),
			{
				displayName: 'Order',
				name: 'order',
				type: 'options',
				default: 'asc',
				options: [
					{ name: 'Ascending', value: 'asc' },
					{ name: 'Descending', value: 'desc' },
				],
			},
		]),
	} as const satisfies Field;
}

export const simplifyOutput = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
} as const satisfies Field;

export const pageSize = {
	displayName: 'Page Size',
	name: 'pageSize',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: 100,
	description: 'How many rows to ask for at once. If the gateway gives fewer, the node adapts.',
} as const satisfies Field;

export const searchTerm = {
	displayName: 'Search',
	name: 'search',
	type: 'string',
	typeOptions: { mustBeFound: true },
	default: '',
	description: 'Only rows in which the gateway finds this',
} as const satisfies Field;
