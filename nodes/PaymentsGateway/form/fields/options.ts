import type { Field } from '../field';

/**
 * The Options collection that nearly every operation has, and the options that several of them
 * offer. An operation adds its own with `optionsOf`.
 */

export const parallelRequests = {
	displayName: 'Most Parallel Requests',
	name: 'parallelRequests',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 100, numberPrecision: 0 },
	// The value with which the option is added to the form; without it the node finds its own.
	default: 20,
	noDataExpression: true,
	description:
		'How many requests may be under way at once, for all items of a run together. Left out, the node finds out what the service takes.',
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
