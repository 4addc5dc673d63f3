import { isObject } from '../wire/json';
import { complainer } from './complain';
import type { Context } from './complain';
import type { Field, Parameters } from './field';
import { isNothing } from './filledIn';
import { timezoneOf } from './moment';
import { described, isList, BROKEN_WORDS, values } from './values';
import type { FieldReader, Read, Reader } from './values';
import { written } from './written';

/**
 * Reads the parameters of one item: each field is fetched from n8n and checked, together with those
 * inside it, or refused with an error that names it. What a single value may be is in `values.ts`;
 * here is decided which fields are read, and what may be empty.
 */

/** What a field gives that is not filled in at all, such as one that was not added to a collection. */
const LEFT_OUT = Symbol('left out');

/** Reads fields in their order, and skips those that the form hides because of earlier ones. */
function readFields(
	fields: readonly Field[],
	valueOf: (field: Field) => unknown,
	reader: Reader,
): Record<string, unknown> {
	const read: Record<string, unknown> = {};
	for (const field of fields) {
		if (field.type === 'notice' || !isShown(field, read)) continue;
		const value = valueOf(field);
		const filled = value === LEFT_OUT ? undefined : readField(field, value, reader);
		if (filled !== undefined) read[field.name] = filled;
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
function readField(field: Field, value: unknown, reader: Reader): unknown {
	const at: FieldReader = {
		...reader,
		field,
		refuse: (words, ...more) => reader.complain(`'${field.displayName}' ${words}`, ...more),
	};
	if (value === undefined) throw at.refuse('is empty');
	const readValue = readers[field.type];
	if (readValue === undefined) throw new Error(`${field.name} is of a type that nothing reads`);
	const read = isNothing(value) ? whatEmptyMeans(field) : readValue(value, at);
	if (isNothing(read) && !mayBeEmpty(field)) throw at.refuse('is empty');
	return read;
}

/** What null and "" stand for. Text may be meant to be empty, to clear a field. */
function whatEmptyMeans(field: Field): unknown {
	if (field.type === 'string') return isList(field) ? [] : '';
	return field.type === 'collection' || field.type === 'fixedCollection' ? {} : undefined;
}

function mayBeEmpty({ type, required, typeOptions }: Field): boolean {
	// If one of these came to nothing, another thing would be done than was asked for: payments without
	// an end, or a list of everything, since what restricts it found nothing.
	const isNeeded = ['boolean', 'multiOptions', 'number', 'options'].includes(type);
	return !isNeeded && required !== true && typeOptions?.mustBeFound !== true;
}

function fieldsIn(value: unknown, at: FieldReader): Readonly<Record<string, unknown>> {
	if (isObject(value)) return value;
	throw at.refuse(`takes its fields, not ${described(value, at)}`);
}

function readCollection(value: unknown, at: FieldReader): Record<string, unknown> {
	const { field, context } = at;
	const filled = fieldsIn(value, at);
	const valueOf = ({ name, typeOptions }: Field) => {
		const inner = Object.hasOwn(filled, name) ? filled[name] : LEFT_OUT;
		// A column that is not there changes nothing about a customer.
		if (inner === undefined && field.typeOptions?.leavesOutMissing === true) return LEFT_OUT;
		// Added and left empty by hand is as if it were not there; an expression that gives "" is not.
		// Collections stand at the top of the form, so this is the field's whole path.
		const isLeftEmpty = inner === '' && written(context, `${field.name}.${name}`) === '';
		return isLeftEmpty && typeOptions?.mustBeFound === true ? LEFT_OUT : inner;
	};
	return readFields((field.options ?? []) as readonly Field[], valueOf, at);
}

function readGroups(value: unknown, at: FieldReader): Record<string, unknown> {
	const filled = fieldsIn(value, at);
	const read: Record<string, unknown> = {};
	for (const group of at.field.options ?? []) {
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
		const isMany = at.field.typeOptions?.multipleValues === true;
		read[group.name] = isMany ? [rows].flat().map(readRow) : readRow(rows);
	}
	return read;
}

const readers: Partial<Record<Field['type'], Read>> = {
	...values,
	collection: readCollection,
	fixedCollection: readGroups,
};

export function readParameters<const Fields extends readonly Field[]>(
	context: Context,
	fields: Fields,
	itemIndex: number,
): Parameters<Fields> {
	const complain = complainer(context, itemIndex);
	const reader: Reader = { context, complain, timezone: timezoneOf(context) };
	const valueOf = ({ name, displayName, default: otherwise }: Field): unknown => {
		try {
			// A poll has no items, and so no index among the arguments.
			return 'getInputData' in context
				? context.getNodeParameter(name, itemIndex, otherwise)
				: context.getNodeParameter(name, otherwise);
		} catch (error) {
			throw complain(`'${displayName}': ${expressionWords(error)}`);
		}
	};
	return readFields(fields, valueOf, reader) as Parameters<Fields>;
}

/** Why n8n could not work an expression out. */
function expressionWords(error: unknown): string {
	const words = error instanceof Error ? error.message : '';
	return words === '' || BROKEN_WORDS.test(words) ? 'its expression cannot be worked out' : words;
}
