import { isObject, textOf, valueAt } from '../wire/json';
import { fieldErrorOf } from './fieldError';
import type { FieldError, Context } from './fieldError';
import type { Field, Parameters } from './field';
import { isNothing } from './filledIn';
import { timezoneOf } from './moment';
import { BROKEN_WORDS, described, readers } from './values';
import type { FormField, ItemForm } from './values';
import { written } from './written';

/**
 * Reads the parameters of one item: each field is fetched from n8n and checked, together with those
 * inside it, or refused with an error that names it. What a single value may be is in `values.ts`;
 * here is decided which fields are read, and what may be empty.
 */

/**
 * What a field holds that is left empty. Fields of the other types, such as a number, may not be: where
 * an expression finds nothing, another thing would be done than was asked for.
 */
const LEFT_EMPTY: Partial<Record<Field['type'], unknown>> = {
	string: '',
	collection: {},
	fixedCollection: {},
	dateTime: undefined,
	json: undefined,
	resourceLocator: undefined,
};

/** Reads fields in their order, and skips those that the form hides because of earlier ones. */
function readFields(
	fields: readonly Field[],
	valueOf: (field: Field) => unknown,
	form: ItemForm,
): Record<string, unknown> {
	const read: Record<string, unknown> = {};
	for (const field of fields) {
		if (field.type === 'notice' || !isShown(field, read)) continue;
		const value = readField(field, valueOf(field), form);
		if (value !== undefined) read[field.name] = value;
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
function readField(field: Field, value: unknown, form: ItemForm): unknown {
	const { type, required, typeOptions } = field;
	const refuse: FieldError = (words, ...more) =>
		form.fieldError(`'${field.displayName}' ${words}`, ...more);
	const readValue = readers[type] ?? fieldsReaders[type];
	if (readValue === undefined) throw new Error(`${field.name} is of a type that nothing reads`);
	if (value === undefined) throw refuse('is empty');
	const given = isNothing(value) ? LEFT_EMPTY[type] : value;
	const read = given === undefined ? undefined : readValue(given, { ...form, field, refuse });
	const mayBeEmpty = type in LEFT_EMPTY && required !== true && typeOptions?.mustBeFound !== true;
	if (isNothing(read) && !mayBeEmpty) throw refuse('is empty');
	return read;
}

function fieldsIn(value: unknown, at: FormField): Readonly<Record<string, unknown>> {
	if (isObject(value)) return value;
	throw at.refuse(`takes its fields, not ${described(value, at)}`);
}

function readCollection(value: unknown, at: FormField): Record<string, unknown> {
	const { name, options, typeOptions } = at.field;
	const added = fieldsIn(value, at);
	const isAdded = (field: Field) => {
		if (!Object.hasOwn(added, field.name)) return false;
		const given = added[field.name];
		// A column that is not there changes nothing about a customer.
		if (given === undefined) return typeOptions?.leavesOutMissing !== true;
		if (field.typeOptions?.mustBeFound !== true) return true;
		// Added and left empty by hand is as if it were not there; an expression that gives "" is not.
		// Collections with such fields stand at the top of the form, so this is the field's whole path.
		return given !== '' || written(at.context, `${name}.${field.name}`) !== '';
	};
	const fields = (options as readonly Field[]).filter(isAdded);
	return readFields(fields, (field) => added[field.name], at);
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
		const readRow = (row: unknown) => {
			const cells = fieldsIn(row, at);
			const valueOf = ({ name, default: otherwise }: Field) =>
				Object.hasOwn(cells, name) ? cells[name] : otherwise;
			return readFields(group.values, valueOf, at);
		};
		const isMany = typeOptions?.multipleValues === true;
		read[group.name] = isMany ? [rows].flat().map(readRow) : readRow(rows);
	}
	return read;
}

/** The types of field that hold fields of their own. */
const fieldsReaders: typeof readers = { collection: readCollection, fixedCollection: readGroups };

export function readParameters<const Fields extends readonly Field[]>(
	context: Context,
	fields: Fields,
	itemIndex: number,
): Parameters<Fields> {
	const fieldError = fieldErrorOf(context, itemIndex);
	const form: ItemForm = { context, fieldError, timezone: timezoneOf(context) };
	const valueOf = ({ name, displayName, default: otherwise }: Field): unknown => {
		try {
			// A poll has no items, and so no index among the arguments.
			return 'getInputData' in context
				? context.getNodeParameter(name, itemIndex, otherwise)
				: context.getNodeParameter(name, otherwise);
		} catch (error) {
			throw fieldError(`'${displayName}': ${expressionWords(error)}`);
		}
	};
	return readFields(fields, valueOf, form) as Parameters<Fields>;
}

/** Why n8n could not work an expression out. */
function expressionWords(error: unknown): string {
	const words = textOf(valueAt(error, 'message'));
	return words === '' || BROKEN_WORDS.test(words) ? 'its expression cannot be worked out' : words;
}
