import type { Field } from './field';

/** A field that the form shows only while another has one of these values. */
export function shownWhen<const F extends Field>(
	condition: Readonly<Record<string, ReadonlyArray<string | boolean>>>,
	field: F,
): F {
	return { ...field, displayOptions: { show: { ...condition } } };
}
