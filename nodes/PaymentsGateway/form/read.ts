import type { Mask } from '../output/mask';
import { isObject, textOf, valueAt } from '../wire/json';
import { isEmpty } from './empty';
import { NOTHING_SENT, fieldErrorOf } from './fieldError';
import type { ItemOrPollContext } from './fieldError';
import type { Field, ValuesOf } from './field';
import { timezoneOf } from './moment';
import { isByExpression } from './rawParameter';
import { described, valueReaders } from './values';
import type { FormField, ItemForm, RefuseField } from './values';

/**
 * Reads the parameters of one item: each field is fetched from n8n and checked, together with the
 * fields inside it, or refused with an error that names it. This file decides which fields are read
 * and which may be empty; `values.ts` decides what a single value may be.
 */

/**
 * The types that may be empty, each with its value then. Other types are refused, such as numbers without
 * `valueIfEmpty`: if an expression found nothing for one, a default would do something that nobody asked
 * for.
 */
const VALUE_IF_EMPTY: Partial<Record<Field['type'], unknown>> = {
	string: '',
	collection: {},
	fixedCollection: {},
	dateTime: undefined,
	json: undefined,
	resourceLocator: undefined,
};

const isBlank = (value: unknown) => value === null || value === '';

/** Reads fields in their order, and skips those that the form hides because of earlier ones. */
function readFields(
	fields: readonly Field[],
	valueOf: (field: Field) => unknown,
	form: ItemForm,
	within: readonly string[] = [],
): Record<string, unknown> {
	const read: Record<string, unknown> = {};
	for (const field of fields) {
		if (field.type === 'notice' || !isShown(field, read)) continue;
		const refuse: RefuseField = (problem) => form.fieldError(`'${field.displayName}' ${problem}`);
		const path = [...within, field.name];
		read[field.name] = readField(valueOf(field), { ...form, field, path, refuse });
	}
	return read;
}

/** n8n's displayParameter compares stored parameters; here the values are already read. */
function isShown({ displayOptions }: Field, beside: Readonly<Record<string, unknown>>): boolean {
	return Object.entries(displayOptions?.show ?? {}).every(([name, shownFor]) =>
		shownFor?.some((value) => value === beside[name]),
	);
}

/**
 * One value, checked and in its own type; `VALUE_IF_EMPTY` if the field is empty. A `value` of undefined can
 * only come from an expression that names something missing, such as a renamed column: n8n stores
 * each typed value, and fills in defaults.
 */
function readField(value: unknown, at: FormField): unknown {
	const { field, refuse } = at;
	const { type, required, typeOptions } = field;
	const readValue = readers[type];
	if (readValue === undefined) throw new Error(`${field.name} is of a type that nothing reads`);
	if (field.noDataExpression && isExpression(value, at))
		throw refuse('takes no expression: set it in the node itself');
	if (value === undefined) throw refuse('is empty');
	const given = isBlank(value) ? (typeOptions?.valueIfEmpty ?? VALUE_IF_EMPTY[type]) : value;
	const read = given === undefined ? undefined : readValue(given, at);
	const isRequired =
		required ||
		typeOptions?.requiredPerItem ||
		(typeOptions?.requiredIfExpression && at.isByExpression(at.path.join('.')));
	const mayBeEmpty = type in VALUE_IF_EMPTY && !isRequired;
	if ((read === undefined || read === '') && !mayBeEmpty) throw refuse('is empty');
	return read;
}

/** In a field that takes none, n8n 2.41 has removed the "=" of an expression: only "{{" shows it. */
function isExpression(value: unknown, { path, isByExpression }: FormField): boolean {
	return isByExpression(path.join('.')) || (typeof value === 'string' && value.includes('{{'));
}

function fieldsIn(value: unknown, at: FormField): Readonly<Record<string, unknown>> {
	if (isObject(value)) return value;
	throw at.refuse(`must be an object that holds its fields, not ${described(value, at)}`);
}

function readCollection(value: unknown, at: FormField): Record<string, unknown> {
	const { options = [], typeOptions } = at.field;
	const added = fieldsIn(value, at);
	const isAdded = ({ name }: Field) =>
		Object.hasOwn(added, name) && !(typeOptions?.skipsUndefined && added[name] === undefined);
	const fields = options.filter((option) => 'type' in option).filter(isAdded);
	return readFields(fields, ({ name }) => added[name], at, at.path);
}

function readGroups(value: unknown, at: FormField): Record<string, unknown> {
	const { options = [], typeOptions, placeholder } = at.field;
	const filled = fieldsIn(value, at);
	const read: Record<string, unknown> = {};
	for (const group of options) {
		if (!('values' in group) || !Object.hasOwn(filled, group.name)) continue;
		const isMany = typeOptions?.multipleValues === true;
		const readRow = (row: unknown, index: number) => {
			const within = [...at.path, group.name, ...(isMany ? [String(index)] : [])];
			const cells = fieldsIn(row, at);
			const valueOf = ({ name, default: fallback }: Field) =>
				Object.hasOwn(cells, name) ? cells[name] : fallback;
			return readFields(group.values, valueOf, at, within);
		};
		const rows = filled[group.name];
		read[group.name] = isMany ? [rows].flat().map(readRow) : readRow(rows, 0);
	}
	// The form shows its fields only after its button is pressed.
	if (typeOptions?.requiredPerItem && isEmpty(read)) {
		throw at.refuse(`is empty: press ${placeholder}`);
	}
	return read;
}

const readers = { ...valueReaders, collection: readCollection, fixedCollection: readGroups };

export function readParameters<const Fields extends readonly Field[]>(
	context: ItemOrPollContext,
	fields: Fields,
	itemIndex: number,
	mask: Mask,
): ValuesOf<Fields> {
	const errorOf = fieldErrorOf(context, itemIndex);
	// The fields of an item are read before its first request.
	const fieldError = (message: string) => errorOf(message, NOTHING_SENT);
	const form: ItemForm = {
		fieldError,
		timezone: timezoneOf(context),
		mask,
		isByExpression: (path) => isByExpression(context, path),
	};
	const valueOf = ({ name, displayName, default: fallback }: Field): unknown => {
		try {
			// A poll has no items, and so no item index.
			return 'getInputData' in context
				? context.getNodeParameter(name, itemIndex, fallback)
				: context.getNodeParameter(name, fallback);
		} catch (error) {
			const message = textOf(valueAt(error, 'message'));
			throw fieldError(`'${displayName}': ${message || 'its expression could not be evaluated'}`);
		}
	};
	return readFields(fields, valueOf, form) as ValuesOf<Fields>;
}
