import type { Field } from './field';

/**
 * Shows a field only beside certain values of another field, as n8n's `displayOptions` do. A field
 * that goes through here may be hidden, and its type says so.
 */

type Condition = Readonly<Record<string, ReadonlyArray<string | boolean>>>;

export function shownWhen<const F extends Field>(
	condition: Condition,
	field: F,
): F & { readonly displayOptions: { readonly show: Condition } } {
	return { ...field, displayOptions: { show: condition } };
}
