import type { Field } from '../field';

/** The Options collection of an operation, which has one only where there is something to choose. */

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
