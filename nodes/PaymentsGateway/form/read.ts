import { isObject } from '../wire/json';
import { complainer, shortened } from './complain';
import type { Complain, Context } from './complain';
import type { Field, Located, Parameters } from './field';
import { readInstant, timezoneOf } from './moment';
import { parameterOf } from './written';

/**
 * Reads the parameters of one item: each field is fetched from n8n, checked, and returned in its
 * own type, or refused with an error that names it. An expression can put anything anywhere, so no
 * value is trusted to be of its field's type before it is checked here.
 */

interface Reader {
	complain: Complain;
	timezone: string;
	/** The values of the whole form, which a nested field names with a slash. */
	form: Record<string, unknown>;
}

// eslint-disable-next-line no-control-regex -- such characters must not reach the service
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;
/** Half of a character, left over where a text was cut. It would not survive being sent as JSON. */
const BROKEN = /\p{Surrogate}/u;
/** What an expression leaves in a text when it had nothing to put there. */
const MISHAP = /undefined|NaN|\[object/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)$/;

function isNothing(value: unknown): boolean {
	return value === undefined || value === null || value === '';
}

/** Whether the field takes a secret, such as an account number, which no error may quote. */
function isSecret(field: Field): boolean {
	return field.typeOptions?.password === true;
}

/** The value in words that fit into an error's sentence. */
function described(field: Field, value: unknown): string {
	if (isNothing(value)) return 'nothing';
	if (Array.isArray(value)) return 'a list';
	if (typeof value === 'object') return 'an object';
	if (typeof value === 'function') return 'a function';
	if (typeof value === 'number' && !Number.isFinite(value)) return 'the result of a bad sum';
	if (isSecret(field)) return `a ${typeof value}`;
	const words = String(value);
	if (MISHAP.test(words) || CONTROL.test(words) || BROKEN.test(words)) return 'such a text';
	return `"${shortened(words)}"`;
}

/** Text, or a number that JavaScript keeps without losing digits. */
function isPlain(value: unknown): value is string | number {
	if (typeof value === 'string') return true;
	return typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

function readText(field: Field, value: unknown, { complain }: Reader): string {
	if (typeof value === 'number' && Number.isFinite(value) && !isPlain(value)) {
		const put = isSecret(field) ? 'write it as text' : value;
		throw complain(`'${field.displayName}' is out of range: ${put}`);
	}
	if (!isPlain(value))
		throw complain(`'${field.displayName}' takes text, not ${described(field, value)}`);
	const words = String(value);
	if (CONTROL.test(words)) {
		throw complain(`'${field.displayName}' contains control characters`);
	}
	if (BROKEN.test(words)) {
		throw complain(`'${field.displayName}' contains a broken character`);
	}
	if (words.includes('[object Object]')) {
		throw complain(`'${field.displayName}' takes text, and its expression has put an object there`);
	}
	return field.typeOptions?.rows === undefined ? words.trim() : words;
}

/** "SAVE10, WELCOME", or the same as a list, also as one that was written as JSON. */
function readList(field: Field, value: unknown, reader: Reader): string[] {
	const given = typeof value === 'string' ? (listIn(value) ?? value) : value;
	const entries: unknown[] = Array.isArray(given)
		? given
		: readText(field, given, reader).split(',');
	const words = entries.map((entry) => readText(field, entry, reader));
	return [...new Set(words)].filter((word) => word !== '');
}

function listIn(words: string): unknown[] | undefined {
	try {
		const read: unknown = JSON.parse(words);
		return Array.isArray(read) ? read : undefined;
	} catch {
		return undefined;
	}
}

function readNumber(field: Field, value: unknown, { complain }: Reader): number {
	const number =
		typeof value === 'string' && NUMBER.test(value.trim()) ? Number(value.trim()) : value;
	if (typeof number !== 'number' || !Number.isFinite(number)) {
		throw complain(`'${field.displayName}' takes a number, not ${described(field, value)}`);
	}
	const { minValue = -Infinity, maxValue = Infinity } = field.typeOptions ?? {};
	if (number < minValue) {
		throw complain(`'${field.displayName}' must be at least ${minValue}, not ${number}`);
	}
	if (number > maxValue) {
		throw complain(`'${field.displayName}' must be at most ${maxValue}, not ${number}`);
	}
	if (field.typeOptions?.numberPrecision === 0 && !Number.isSafeInteger(number)) {
		throw complain(`'${field.displayName}' takes a whole number, not ${number}`);
	}
	return number;
}

function readBoolean(field: Field, value: unknown, { complain }: Reader): boolean {
	if (typeof value === 'boolean') return value;
	if (value === 'true') return true;
	if (value === 'false') return false;
	throw complain(`'${field.displayName}' must be true or false, not ${described(field, value)}`);
}

/**
 * A choice says what other fields mean, as Amount Unit does. So one that an expression does not
 * find is refused, and the default does not take its place. n8n tells the two apart: what has its
 * default is not stored in a collection, what finds nothing is there with the value undefined.
 */
function isChoice({ type }: Field): boolean {
	return type === 'options' || type === 'multiOptions';
}

function choices(field: Field): unknown[] {
	return (field.options ?? []).flatMap((option) => ('value' in option ? [option.value] : []));
}

function readChoice(field: Field, value: unknown, reader: Reader): unknown {
	const known = choices(field);
	if (known.includes(value)) return value;
	if (field.allowArbitraryValues === true) return readText(field, value, reader);
	throw reader.complain(
		`'${field.displayName}' cannot be ${described(field, value)}; choose one of: ${known.join(', ')}`,
	);
}

function readChoices(field: Field, value: unknown, reader: Reader): unknown[] {
	const chosen = typeof value === 'string' ? value.split(',').map((word) => word.trim()) : value;
	if (!Array.isArray(chosen)) {
		throw reader.complain(`'${field.displayName}' takes a list, not ${described(field, value)}`);
	}
	return [...new Set(chosen.map((entry: unknown) => readChoice(field, entry, reader)))];
}

function readLocator(field: Field, value: unknown, reader: Reader): Located | undefined {
	const isLocator = isObject(value) && Object.hasOwn(value, 'value');
	const inner = isLocator ? value.value : value;
	const words = isNothing(inner) ? '' : readText(field, inner, reader);
	if (words === '') return undefined;
	return { by: isLocator && value.mode === 'email' ? 'email' : 'id', value: words };
}

function readMoment(field: Field, value: unknown, { complain, timezone }: Reader): string {
	let instant: string | undefined;
	try {
		instant = readInstant(value, timezone);
	} catch {
		throw complain(
			`'${field.displayName}' cannot be read in the workflow's timezone`,
			"Choose another timezone in the workflow's settings.",
		);
	}
	if (instant !== undefined) return instant;
	throw complain(
		`'${field.displayName}' takes a date and time, such as 2026-01-31T18:00:00, not ${described(field, value)}`,
	);
}

function readJson(field: Field, value: unknown, { complain }: Reader): unknown {
	if (typeof value !== 'string') return value;
	try {
		return JSON.parse(value);
	} catch {
		throw complain(`'${field.displayName}' is not valid JSON`);
	}
}

function entries(
	field: Field,
	value: unknown,
	{ complain }: Reader,
): Readonly<Record<string, unknown>> {
	if (isObject(value)) return value;
	throw complain(`'${field.displayName}' takes its fields, not ${described(field, value)}`);
}

function readCollection(field: Field, value: unknown, reader: Reader): Record<string, unknown> {
	const filled = entries(field, value, reader);
	const read: Record<string, unknown> = {};
	for (const child of (field.options ?? []) as readonly Field[]) {
		if (!Object.hasOwn(filled, child.name) || !isShown(child, read, reader)) continue;
		const inner = readField(child, filled[child.name], reader);
		// A number that is not there means another thing than its default: payments without an end.
		if (inner === undefined && (isChoice(child) || child.type === 'number')) {
			throw nothingIn(child, reader);
		}
		if (inner !== undefined) read[child.name] = inner;
	}
	return read;
}

function readGroups(field: Field, value: unknown, reader: Reader): Record<string, unknown> {
	const filled = entries(field, value, reader);
	const read: Record<string, unknown> = {};
	for (const group of field.options ?? []) {
		if (!('values' in group) || isNothing(filled[group.name])) continue;
		const rows: unknown = filled[group.name];
		const readRow = (row: unknown) => {
			const cells = entries(field, row, reader);
			const given = ({ name, default: otherwise }: Field) =>
				Object.hasOwn(cells, name) ? cells[name] : otherwise;
			return readFields(group.values, given, reader);
		};
		if (field.typeOptions?.multipleValues === true) {
			read[group.name] = (Array.isArray(rows) ? rows : [rows]).map(readRow);
		} else {
			read[group.name] = readRow(rows);
		}
	}
	return read;
}

function nothingIn({ displayName }: Field, { complain }: Reader): Error {
	return complain(`'${displayName}' is empty`);
}

/** One value, checked and in its own type; undefined when nothing was filled in. */
function readField(field: Field, value: unknown, reader: Reader): unknown {
	const isList = field.typeOptions?.separatedBy === ',';
	// Text may be meant to be empty (to clear a field); anything else that is empty is not set.
	if (field.type === 'string' && isNothing(value)) return isList ? [] : '';
	if (isNothing(value)) return choices(field).includes(value) ? value : undefined;
	switch (field.type) {
		case 'string':
			return isList ? readList(field, value, reader) : readText(field, value, reader);
		case 'number':
			return readNumber(field, value, reader);
		case 'boolean':
			return readBoolean(field, value, reader);
		case 'options':
			return readChoice(field, value, reader);
		case 'multiOptions':
			return readChoices(field, value, reader);
		case 'dateTime':
			return readMoment(field, value, reader);
		case 'json':
			return readJson(field, value, reader);
		case 'collection':
			return readCollection(field, value, reader);
		case 'fixedCollection':
			return readGroups(field, value, reader);
		case 'resourceLocator':
			return readLocator(field, value, reader);
		default:
			return value;
	}
}

/** Reads fields in their order, and skips those that the form hides because of earlier ones. */
function readFields(
	fields: readonly Field[],
	given: (field: Field) => unknown,
	reader: Reader,
	read: Record<string, unknown> = {},
): Record<string, unknown> {
	for (const field of fields) {
		if (field.type === 'notice' || !isShown(field, read, reader)) continue;
		const value = given(field);
		const isRequired = field.required === true;
		const hasDefault = !isRequired && !isChoice(field);
		const filled = readField(field, isNothing(value) && hasDefault ? field.default : value, reader);
		if (isRequired ? isNothing(filled) : isChoice(field) && filled === undefined) {
			throw nothingIn(field, reader);
		}
		if (filled !== undefined) read[field.name] = filled;
	}
	return read;
}

function isShown(
	field: Field,
	beside: Readonly<Record<string, unknown>>,
	{ form }: Reader,
): boolean {
	return Object.entries(field.displayOptions?.show ?? {}).every(([name, values]) => {
		const found = name.startsWith('/') ? form[name.slice(1)] : beside[name];
		return values?.some((value) => value === found);
	});
}

export function readParameters<const Fields extends readonly Field[]>(
	context: Context,
	fields: Fields,
	itemIndex: number,
): Parameters<Fields> {
	const reader: Reader = {
		complain: complainer(context, itemIndex),
		timezone: timezoneOf(context),
		form: {},
	};
	const given = ({ name, displayName, default: otherwise }: Field): unknown => {
		try {
			// A poll has no items, and so no index among the arguments.
			return 'getInputData' in context
				? parameterOf(context, name, itemIndex, otherwise)
				: context.getNodeParameter(name, otherwise);
		} catch (error) {
			throw reader.complain(`'${displayName}': ${expressionWords(error)}`);
		}
	};
	return readFields(fields, given, reader, reader.form) as Parameters<Fields>;
}

/** Why n8n could not work an expression out. */
function expressionWords(error: unknown): string {
	const words = error instanceof Error ? error.message : '';
	return words === '' || MISHAP.test(words) ? 'its expression cannot be worked out' : words;
}
