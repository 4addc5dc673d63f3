import type { Field } from './field';

/** The one group of fields that a `fixedCollection` holds, where n8n would let it hold several. */
export function groupOf<
	const Name extends string,
	const Label extends string,
	const Fields extends readonly Field[],
>(name: Name, displayName: Label, values: Fields) {
	return [{ displayName, name, values }] as const;
}
