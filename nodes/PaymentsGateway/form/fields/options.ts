import type { Field } from '../field';

/**
 * The Options collection of an operation, which has one only where there is something to choose, and
 * the option that several of them offer.
 */

export const includeSensitive = {
	displayName: 'Include Sensitive Data',
	name: 'includeSensitive',
	type: 'boolean',
	default: false,
	description:
		'Whether to show security codes and full account numbers. n8n stores what a node returns.',
} as const satisfies Field;

export function optionsOf<const Fields extends readonly Field[]>(fields: Fields) {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: fields,
	} as const;
}
