import type { Field } from '../field';

/** The Options of an operation, and those that many operations offer. */

export const parallelRequests = {
	displayName: 'Most Parallel Requests',
	name: 'parallelRequests',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 100, numberPrecision: 0 },
	default: 10,
	noDataExpression: true,
	description:
		'How many requests may be under way at once at most, for all items of a run together. Without it, the node finds out how many the service takes, up to 64.',
} as const satisfies Field;

export const includeSensitive = {
	displayName: 'Include Sensitive Data',
	name: 'includeSensitive',
	type: 'boolean',
	default: false,
	description:
		'Whether to show security codes and full account numbers. n8n stores what a node returns.',
} as const satisfies Field;

/** The options of an operation, with the one that all of them have. */
export function optionsOf<const Fields extends readonly Field[]>(fields: Fields) {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: [...fields, parallelRequests],
	} as const;
}
