import { isObject } from '../wire/json';
import { complainer, shortened } from './complain';
import type { Complain, Context } from './complain';
import type { Field, Located, Parameters } from './field';
import { isNothing } from './filledIn';
import { readInstant, timezoneOf } from './moment';
import { written } from './written';

/**
 * Reads the parameters of one item: each field is fetched from n8n, checked, and returned in its
 * own type, or refused with an error that names it. An expression can put anything anywhere, so no
 * value is trusted to be of its field's type before it is checked here.
 */

interface Reader {
	context: Context;
	complain: Complain;
	timezone: string;
	/** The values of the whole form, which a nested field names with a slash. */
	form: Record<string, unknown>;
}

/** Control characters, and half a character, left over where a text was cut. */
// eslint-disable-next-line no-control-regex -- such characters must not reach the service
const UNSENDABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\p{Surrogate}/u;
/** How this node writes a secret in its outputs. Sent back, it would take the secret's place. */
const MASKED = /••••/;
/** What an expression leaves in a text when it had nothing to put there. */
const MISHAP = /undefined|NaN|\[object/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)$/;

function refuse({ displayName }: Field, words: string, { complain }: Reader): Error {
	return complain(`'${displayName}' ${words}`);
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
	if (MISHAP.test(words) || UNSENDABLE.test(words)) return 'such a text';
	return `"${shortened(words)}"`;
}

/** Why a text is not to be sent, whichever field it stands in. */
function faultOf(words: string): string | undefined {
	if (UNSENDABLE.test(words)) return 'contains a character that cannot be sent';
	if (MASKED.test(words)) return 'contains a masked value: give the value itself';
	if (!words.includes('[object Object]')) return undefined;
	return 'takes text, and its expression has put an object there';
}

function readText(field: Field, value: unknown, reader: Reader): string {
	// A larger number has lost digits before it comes here.
	if (typeof value === 'number' && Number.isFinite(value) && !isExact(value)) {
		const put = isSecret(field) ? 'write it as text' : value;
		throw refuse(field, `is out of range: ${put}`, reader);
	}
	if (typeof value !== 'string' && !isExact(value)) {
		throw refuse(field, `takes text, not ${described(field, value)}`, reader);
	}
	const words = String(value);
	const fault = faultOf(words);
	if (fault !== undefined) throw refuse(field, fault, reader);
	return field.typeOptions?.rows === undefined ? words.trim() : words;
}

function isExact(value: unknown): boolean {
	return typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
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

function readNumber(field: Field, value: unknown, reader: Reader): number {
	const number =
		typeof value === 'string' && NUMBER.test(value.trim()) ? Number(value.trim()) : value;
	if (typeof number !== 'number' || !Number.isFinite(number)) {
		throw refuse(field, `takes a number, not ${described(field, value)}`, reader);
	}
	const { minValue = -Infinity, maxValue = Infinity } = field.typeOptions ?? {};
	if (number < minValue) throw refuse(field, `must be at least ${minValue}, not ${number}`, reader);
	if (number > maxValue) throw refuse(field, `must be at most ${maxValue}, not ${number}`, reader);
	if (field.typeOptions?.numberPrecision === 0 && !Number.isSafeInteger(number)) {
		throw refuse(field, `takes a whole number, not ${number}`, reader);
	}
	return number;
}

function readBoolean(field: Field, value: unknown, reader: Reader): boolean {
	if (value === true || value === 'true') return true;
	if (value === false || value === 'false') return false;
	throw refuse(field, `must be true or false, not ${described(field, value)}`, reader);
}

function choices(field: Field): unknown[] {
	return (field.options ?? []).flatMap((option) => ('value' in option ? [option.value] : []));
}

function readChoice(field: Field, value: unknown, reader: Reader): unknown {
	const known = choices(field);
	if (known.includes(value)) return value;
	if (field.allowArbitraryValues === true) return readText(field, value, reader);
	const words = `cannot be ${described(field, value)}; choose one of: ${known.join(', ')}`;
	throw refuse(field, words, reader);
}

function readChoices(field: Field, value: unknown, reader: Reader): unknown[] {
	const chosen = typeof value === 'string' ? value.split(',').map((word) => word.trim()) : value;
	if (!Array.isArray(chosen)) {
		throw refuse(field, `takes a list, not ${described(field, value)}`, reader);
	}
	return [...new Set(chosen.map((entry: unknown) => readChoice(field, entry, reader)))];
}

function readLocator(field: Field, value: unknown, reader: Reader): Located | undefined {
	const isLocator = isObject(value) && Object.hasOwn(value, 'value');
	const inner = isLocator ? value.value : value;
	if (inner === undefined) throw refuse(field, 'is empty', reader);
	const words = isNothing(inner) ? '' : readText(field, inner, reader);
	if (words === '') return undefined;
	return { by: isLocator && value.mode === 'email' ? 'email' : 'id', value: words };
}

function readMoment(field: Field, value: unknown, reader: Reader): string {
	const endsDay = field.typeOptions?.endsDay === true;
	let instant: string | undefined;
	try {
		instant = readInstant(value, reader.timezone, { endsDay });
	} catch {
		throw reader.complain(
			`'${field.displayName}' cannot be read in the workflow's timezone`,
			"Choose another timezone in the workflow's settings.",
		);
	}
	if (instant !== undefined) return instant;
	const example = 'a date and time, such as 2026-01-31T18:00:00';
	throw refuse(field, `takes ${example}, not ${described(field, value)}`, reader);
}

function readJson(field: Field, value: unknown, reader: Reader): unknown {
	let read = value;
	if (typeof value === 'string') {
		try {
			read = JSON.parse(value);
		} catch {
			throw refuse(field, 'is not valid JSON', reader);
		}
	}
	if (typeof read !== 'object') return read;
	let missing: string | undefined;
	const words = JSON.stringify(read, (name: string, inner: unknown) => {
		const isSendable = ['string', 'boolean', 'object'].includes(typeof inner);
		if (isSendable || (typeof inner === 'number' && Number.isFinite(inner))) return inner;
		missing ??= name;
		return null;
	});
	if (missing !== undefined) {
		throw refuse(field, `has nothing that can be sent as "${shortened(missing)}"`, reader);
	}
	const fault = MASKED.test(words) ? faultOf(words) : undefined;
	if (fault !== undefined) throw refuse(field, fault, reader);
	return read;
}

function entries(field: Field, value: unknown, reader: Reader): Readonly<Record<string, unknown>> {
	if (isObject(value)) return value;
	throw refuse(field, `takes its fields, not ${described(field, value)}`, reader);
}

function readCollection(field: Field, value: unknown, reader: Reader): Record<string, unknown> {
	const filled = entries(field, value, reader);
	const read: Record<string, unknown> = {};
	for (const child of (field.options ?? []) as readonly Field[]) {
		if (!Object.hasOwn(filled, child.name) || !isShown(child, read, reader)) continue;
		const given = filled[child.name];
		// Undefined comes of an expression alone: in a customer's fields it changes nothing.
		if (given === undefined && field.typeOptions?.leavesOutMissing === true) continue;
		// A field that was added and left empty by hand; an expression that gives "" is refused below.
		const isLeftEmpty =
			given === '' && written(reader.context, `${field.name}.${child.name}`) === '';
		if (isLeftEmpty && child.typeOptions?.mustBeFound === true) continue;
		const inner = readField(child, given, reader);
		if (inner !== undefined) read[child.name] = inner;
	}
	return read;
}

function readGroups(field: Field, value: unknown, reader: Reader): Record<string, unknown> {
	const filled = entries(field, value, reader);
	const read: Record<string, unknown> = {};
	for (const group of field.options ?? []) {
		if (!('values' in group) || !Object.hasOwn(filled, group.name)) continue;
		const rows = filled[group.name];
		if (rows === undefined) throw refuse(field, 'is empty', reader);
		if (isNothing(rows)) continue;
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

/** A value that is there, in the type of its field. */
function readValue(field: Field, value: unknown, reader: Reader): unknown {
	switch (field.type) {
		case 'string':
			return isList(field) ? readList(field, value, reader) : readText(field, value, reader);
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

function isList(field: Field): boolean {
	return field.typeOptions?.separatedBy === ',';
}

/** What null or an empty text stand for; undefined where they are a value that was not set. */
function readNothing(field: Field, value: unknown, reader: Reader): unknown {
	switch (field.type) {
		case 'string':
			// Text may be meant to be empty, to clear a field.
			return isList(field) ? [] : '';
		case 'collection':
		case 'fixedCollection':
			return {};
		case 'number':
		case 'boolean':
		case 'options':
		case 'multiOptions':
			// Without it, another thing would be done than was asked for: payments without an end.
			if (choices(field).includes(value)) return value;
			throw refuse(field, 'is empty', reader);
		default:
			return undefined;
	}
}

/**
 * One value, checked and in its own type; undefined when nothing was filled in. Only an expression
 * gives undefined, by naming what is not there, such as a column that was renamed: n8n stores each
 * value that was typed, or fills in the default.
 */
function readField(field: Field, value: unknown, reader: Reader): unknown {
	if (value === undefined) throw refuse(field, 'is empty', reader);
	const read = (isNothing(value) ? readNothing : readValue)(field, value, reader);
	// What restricts a list must not be lost because an expression finds nothing; left empty by hand,
	// it is as if it were not there.
	const mayBeEmpty = field.required !== true && field.typeOptions?.mustBeFound !== true;
	if (isNothing(read) && !mayBeEmpty) throw refuse(field, 'is empty', reader);
	return read;
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
		const filled = readField(field, given(field), reader);
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
		context,
		complain: complainer(context, itemIndex),
		timezone: timezoneOf(context),
		form: {},
	};
	const given = ({ name, displayName, default: otherwise }: Field): unknown => {
		try {
			// A poll has no items, and so no index among the arguments.
			return 'getInputData' in context
				? context.getNodeParameter(name, itemIndex, otherwise)
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
