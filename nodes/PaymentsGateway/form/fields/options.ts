import type { Field } from '../field';
import { toggle } from './kinds';

/**
 * The Options collection of an operation, which has one only where there is something to choose, and
 * the option that several of them offer.
 */

export const includeSensitive = toggle(
	'Include Sensitive Data',
	'includeSensitive',
	'Whether to show security codes and full account numbers. n8n stores what a node returns.',
);

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
