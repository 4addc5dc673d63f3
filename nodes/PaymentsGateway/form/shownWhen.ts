import type { Field } from './field';

export type Condition = Readonly<Record<string, ReadonlyArray<string | boolean>>>;

/** A field that the form shows only while another has one of these values. */
export function shownWhen<const F extends Field>(
	condition: Condition,
	field: F,
): F & { readonly displayOptions: { readonly show: Condition } } {
	return { ...field, displayOptions: { show: condition } };
}
