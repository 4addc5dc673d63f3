import { isObject, textOf, valueAt } from '../wire/json';
import { isEmpty } from './empty';
import { NOTHING_SENT, fieldErrorOf } from './fieldError';
import type { FieldError, Context } from './fieldError';
import type { Field, ValuesOf } from './field';
import { timezoneOf } from './moment';
import { isByExpression } from './rawParameter';
import { described, valueReaders } from './values';
import type { FormField, ItemForm } from './values';

/**
 * Reads the parameters of one item: each field is fetched from n8n and checked, together with those
 * inside it, or refused with an error that names it. What a single value may be is in `values.ts`;
 * here is decided which fields are read, and what may be empty.
 */

/**
 * What is read where nothing was typed. Fields of the other types, such as a number, are never empty:
 * where an expression finds nothing for them, another thing would be done than was asked for.
 */
const EMPTY: Partial<Record<Field['type'], unknown>> = {
	string: '',
	collection: {},
	fixedCollection: {},
	dateTime: undefined,
	json: undefined,
	resourceLocator: undefined,
};

const isNothing = (value: unknown) => value === null || value === '';

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
		const refuse: FieldError = (words) => form.fieldError(`'${field.displayName}' ${words}`);
		const path = [...within, field.name];
		read[field.name] = readField(valueOf(field), { ...form, field, path, refuse });
	}
	return read;
}

function isShown({ displayOptions }: Field, beside: Readonly<Record<string, unknown>>): boolean {
	return Object.entries(displayOptions?.show ?? {}).every(([name, shownFor]) =>
		shownFor?.some((value) => value === beside[name]),
	);
}

/**
 * One value, checked and in its own type; undefined when nothing was filled in. Only an expression
 * gives undefined, by naming what is not there, such as a column that was renamed: n8n stores each
 * value that was typed, or fills in the default.
 */
function readField(value: unknown, at: FormField): unknown {
	const { field, refuse } = at;
	const { type, required, typeOptions } = field;
	const readValue = readers[type];
	if (readValue === undefined) throw new Error(`${field.name} is of a type that nothing reads`);
	if (field.noDataExpression && isExpression(value, at)) throw refuse('takes no expression');
	if (value === undefined) throw refuse('is empty');
	const given = isNothing(value) ? EMPTY[type] : value;
	const read = given === undefined ? undefined : readValue(given, at);
	const mayBeEmpty = type in EMPTY && !required && !typeOptions?.needed;
	if ((read === undefined || read === '') && !mayBeEmpty) throw refuse('is empty');
	return read;
}

/** n8n 2.41 takes the "=" away where a field takes no expression, and hands on the rest as text. */
function isExpression(value: unknown, { path, isByExpression }: FormField): boolean {
	return isByExpression(path.join('.')) || (typeof value === 'string' && value.includes('{{'));
}

function fieldsIn(value: unknown, at: FormField): Readonly<Record<string, unknown>> {
	if (isObject(value)) return value;
	throw at.refuse(`takes its fields, not ${described(value, at)}`);
}

function readCollection(value: unknown, at: FormField): Record<string, unknown> {
	const { options, typeOptions } = at.field;
	const added = fieldsIn(value, at);
	const isAdded = ({ name }: Field) =>
		Object.hasOwn(added, name) && !(typeOptions?.skipsUndefined && added[name] === undefined);
	const fields = (options as readonly Field[]).filter(isAdded);
	return readFields(fields, ({ name }) => added[name], at, at.path);
}

function readGroups(value: unknown, at: FormField): Record<string, unknown> {
	const { options = [], typeOptions } = at.field;
	const filled = fieldsIn(value, at);
	const read: Record<string, unknown> = {};
	for (const group of options) {
		if (!('values' in group) || !Object.hasOwn(filled, group.name)) continue;
		const rows = filled[group.name];
		if (rows === undefined) throw at.refuse('is empty');
		if (isNothing(rows)) continue;
		const isMany = typeOptions?.multipleValues === true;
		const readRow = (row: unknown, index: number) => {
			const within = [...at.path, group.name, ...(isMany ? [String(index)] : [])];
			const cells = fieldsIn(row, at);
			const valueOf = ({ name, default: otherwise }: Field) =>
				Object.hasOwn(cells, name) ? cells[name] : otherwise;
			return readFields(group.values, valueOf, at, within);
		};
		read[group.name] = isMany ? [rows].flat().map(readRow) : readRow(rows, 0);
	}
	// Before its button is pressed, the form shows no field of it.
	if (typeOptions?.needed && isEmpty(read)) {
		throw at.refuse(`is empty: press ${at.field.placeholder}`);
	}
	return read;
}

const readers = { ...valueReaders, collection: readCollection, fixedCollection: readGroups };

export function readParameters<const Fields extends readonly Field[]>(
	context: Context,
	fields: Fields,
	itemIndex: number,
): ValuesOf<Fields> {
	const errorOf = fieldErrorOf(context, itemIndex);
	// All fields are read before the first request.
	const fieldError: FieldError = (message) => errorOf(message, NOTHING_SENT);
	const form: ItemForm = {
		fieldError,
		timezone: timezoneOf(context),
		isByExpression: (path) => isByExpression(context, path),
	};
	const valueOf = ({ name, displayName, default: otherwise }: Field): unknown => {
		try {
			// A poll has no items, and so no index among the arguments.
			return 'getInputData' in context
				? context.getNodeParameter(name, itemIndex, otherwise)
				: context.getNodeParameter(name, otherwise);
		} catch (error) {
			const words = textOf(valueAt(error, 'message'));
			throw fieldError(`'${displayName}': ${words || 'its expression cannot be worked out'}`);
		}
	};
	return readFields(fields, valueOf, form) as ValuesOf<Fields>;
}
