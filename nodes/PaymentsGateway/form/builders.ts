import type { Field } from './field';
import type { shapes } from './shapes';

/**
 * Builds the fields of a form, so that a file of them reads as a list. A builder takes the label of a
 * field, then its name; a wrapper such as `required` takes a field. Names and stored values stay
 * literal types, so that the parameters of an operation are inferred from them.
 */

interface TextSettings extends Pick<Field, 'description' | 'placeholder' | 'hint'> {
	default?: string;
	/** One of the shapes in `shapes.ts`; an empty text is always accepted. */
	shape?: keyof typeof shapes;
	/** An item for which this field is shown and empty is refused; see `field.ts`. */
	requiredPerItem?: true;
}

export function notice<const N extends string>(name: N, message: string) {
	return { displayName: message, name, type: 'notice', default: '' } as const;
}

export function text<const N extends string>(displayName: string, name: N, more?: TextSettings) {
	const { shape, requiredPerItem, ...shown } = more ?? {};
	const field = { displayName, name, type: 'string', default: '', ...shown } as const;
	return { ...field, typeOptions: { shape, requiredPerItem } };
}

/** Text that is hidden while it is typed, and never quoted in an error. */
export function secret<const N extends string>(displayName: string, name: N, more?: TextSettings) {
	const field = text(displayName, name, more);
	return { ...field, typeOptions: { ...field.typeOptions, password: true } } as const;
}

/** Dollars, as text: a number field of n8n would turn a typed 19,99 into 1999. */
export function money<const N extends string, const S extends 'dollars' | 'dollarsOrPercent'>(
	displayName: string,
	name: N,
	shape: S,
	description: string,
	more: { minValue?: number; requiredPerItem?: true } = {},
) {
	const placeholder = shape === 'dollars' ? 'e.g. 25.00' : 'e.g. 10% or 2.50';
	const field = text(displayName, name, { placeholder, description });
	return { ...field, typeOptions: { shape, ...more } } as const;
}

/** A number within its bounds; a precision of 0 takes whole numbers only. */
export function number<const N extends string>(
	displayName: string,
	name: N,
	initial: number,
	bounds: { minValue: number; maxValue?: number; numberPrecision?: number; valueIfEmpty?: number },
	description?: string,
) {
	const field = { displayName, name, type: 'number', default: initial } as const;
	return { ...field, typeOptions: bounds, ...(description && { description }) };
}

/** A switch, off by default. */
export function toggle<const N extends string>(displayName: string, name: N, description: string) {
	return { displayName, name, type: 'boolean', default: false, description } as const;
}

export function date<const N extends string>(displayName: string, name: N, description: string) {
	return { displayName, name, type: 'dateTime', default: '', description } as const;
}

/** One of several stored values, each with its label; the first is the default. */
export function choice<const N extends string, const V extends string>(
	displayName: string,
	name: N,
	labels: Readonly<Record<V, string>>,
	description?: string,
) {
	const options: Array<{ name: string; value: V }> = [];
	for (const value in labels) options.push({ name: labels[value], value });
	const first = options[0]?.value;
	const field = { displayName, name, type: 'options', default: first, options } as const;
	return { ...field, ...(description && { description }) };
}

/** Any number of event types; none by default. */
export function eventTypeChoices<const N extends string, const V extends string>(
	displayName: string,
	name: N,
	labels: Readonly<Record<V, string>>,
	description?: string,
) {
	const field = choice(displayName, name, labels, description);
	return { ...field, type: 'multiOptions', default: [] } as const;
}

type Picked = Required<Pick<Field, 'description' | 'modes'>> & { searchListMethod: string };

/** A record at the gateway: picked from a list that a method fills, or given in other modes. */
export function picker<const N extends string>(displayName: string, name: N, picked: Picked) {
	const { description, searchListMethod, modes } = picked;
	const typeOptions = { searchListMethod, searchable: true };
	return {
		displayName,
		name,
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		description,
		modes: [{ displayName: 'From List', name: 'list', type: 'list', typeOptions }, ...modes],
	} as const;
}

/** Fields that are added one by one, by a button with the text `placeholder`. */
export function collection<const N extends string, const O extends readonly Field[]>(
	displayName: string,
	name: N,
	placeholder: string,
	options: O,
) {
	return { displayName, name, type: 'collection', placeholder, default: {}, options } as const;
}

/** The settings that are rarely needed. An operation has them only if there is something to choose. */
export function optionsOf<const O extends readonly Field[]>(options: O) {
	return collection('Options', 'options', 'Add Option', options);
}

/** n8n's fixedCollection with a single group: stored as `{ [name]: { [groupName]: values } }`. */
export function group<
	const N extends string,
	const G extends string,
	const O extends readonly Field[],
>(
	displayName: string,
	name: N,
	{ placeholder, groupName }: { placeholder: string; groupName: G },
	values: O,
) {
	const heading = groupName.charAt(0).toUpperCase() + groupName.slice(1);
	const options = [{ displayName: heading, name: groupName, values }] as const;
	return { displayName, name, type: 'fixedCollection', placeholder, default: {}, options } as const;
}

/** Lets the fields of a group be added again and again, as rows. */
export function repeated<const F extends Field>(field: F) {
	return { ...field, typeOptions: { ...field.typeOptions, multipleValues: true } } as const;
}

/** Refused for an item that has none of its fields; see `field.ts`. */
export function requiredPerItem<const F extends Field>(field: F) {
	return { ...field, typeOptions: { ...field.typeOptions, requiredPerItem: true } } as const;
}

/** Refused if an expression leaves it empty, but not if it is typed empty; see `field.ts`. */
export function requiredIfExpression<const F extends Field>(field: F) {
	return { ...field, typeOptions: { ...field.typeOptions, requiredIfExpression: true } } as const;
}

export function required<const F extends Field>(field: F) {
	return { ...field, required: true } as const;
}

/** Takes no expression, only a value that is set in the node itself. */
export function withoutExpression<const F extends Field>(field: F) {
	return { ...field, noDataExpression: true } as const;
}

type Condition = Readonly<Record<string, ReadonlyArray<string | boolean>>>;

/** Shows a field only beside certain values of others. Its type then says that it may be hidden. */
export function shownWhen<const F extends Field>(show: Condition, field: F) {
	return { ...field, displayOptions: { show } };
}
