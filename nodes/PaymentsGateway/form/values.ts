import type { NodeOperationError } from 'n8n-workflow';

import { MASK_DOTS } from '../output/mask';
import type { Mask } from '../output/mask';
import type { FixedOrPercent } from '../wire';
import { eventType } from '../wire/event';
import { isObject, jsonOf, textOf } from '../wire/json';
import { centsOf, percentOf, whatToType } from './amount';
import { parseLocator } from './field';
import type { Field, Located } from './field';
import { readMoment } from './moment';
import { shapeOf, shapes } from './shapes';
import type { Shape } from './shapes';

/**
 * Reads a value by the type of its field: it becomes a value of that type, or is refused with what the
 * field takes. An expression can put anything anywhere. The field decides, never what a value looks like:
 * the text "undefined" is text.
 */

/** The form of one item. */
export interface ItemForm {
	fieldError: (message: string) => NodeOperationError;
	timezone: string;
	/** Hides the credential's tokens in the values that errors quote. */
	mask: Mask;
	/** Whether the saved node holds an expression at this path, such as `options.search`. */
	isByExpression: (path: string) => boolean;
}

/** Makes an error that begins with the label of the field and goes on with `problem`. */
export type RefuseField = (problem: string) => NodeOperationError;

/** One field of that form. */
export interface FormField extends ItemForm {
	field: Field;
	/** The path of its value in the saved node. */
	path: readonly string[];
	refuse: RefuseField;
}

type ReadValue = (value: unknown, at: FormField) => unknown;

/** A masked value comes from an output of this node. Sent back, it would overwrite the secret. */
const IS_MASKED = 'contains a masked value: enter the real one';
const NUMBER = /^-?(?:\d+|\d*\.\d+)$/;

/** Enough of a typed value to recognise it, in an error of one line. */
const MAX_QUOTED = 40;

/** Masked before it is cut: the cut could leave half of a token. */
function shortened(text: string, { mask }: FormField): string {
	const characters = [...mask.text(text)];
	const isShort = characters.length <= MAX_QUOTED;
	return isShort ? characters.join('') : `${characters.slice(0, MAX_QUOTED).join('')}…`;
}

/** What an error calls the value. The value of a password field is not quoted. */
export function described(value: unknown, at: FormField): string {
	if (value === null || value === undefined) return 'nothing';
	if (Array.isArray(value)) return 'a list';
	if (typeof value === 'object') return 'an object';
	if (typeof value !== 'string') return `a ${typeof value}`;
	const isPassword = at.field.typeOptions?.password === true;
	return isPassword ? 'the value given' : `"${shortened(value, at)}"`;
}

function readText(value: unknown, at: FormField): string {
	// JavaScript has already rounded a larger number.
	const isExact = typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
	if (typeof value !== 'string' && !isExact) {
		throw at.refuse(`takes text, not ${described(value, at)}`);
	}
	const text = String(value).trim();
	if (text.includes(MASK_DOTS)) throw at.refuse(IS_MASKED);
	const shape = shapeOf(at.field.typeOptions?.shape);
	return shape === undefined || text === '' ? text : inShape(text, shape, at);
}

function inShape(text: string, shape: Shape, at: FormField): string {
	if (shape.accepts(text)) return text;
	throw at.refuse(`takes ${shape.takes}, not ${shape.refused ?? described(text, at)}`);
}

/** "SAVE10, WELCOME", or the same as a list. */
function readTexts(value: unknown, at: FormField): string[] {
	const entries: unknown[] = Array.isArray(value) ? value : readText(value, at).split(',');
	const texts = entries.map((entry) => readText(entry, at));
	return [...new Set(texts)].filter((text) => text !== '');
}

function readDollars(value: unknown, at: FormField): number | FixedOrPercent | undefined {
	const { shape, minValue = 0 } = at.field.typeOptions ?? {};
	const typed = readText(value, at);
	if (typed === '') return undefined;
	const mayBePercent = shape === 'dollarsOrPercent';
	const percent = mayBePercent ? percentOf(typed) : undefined;
	if (percent !== undefined) return { amount: percent, type: 'percentage' };
	const cents = centsOf(typed);
	if (cents === undefined) {
		const instead = whatToType(typed);
		if (instead !== undefined) throw at.refuse(`cannot be ${shortened(typed, at)}; ${instead}`);
		const orPercent = mayBePercent ? ', or a percentage, such as 8.25%' : '';
		throw at.refuse(`takes dollars, such as 19.99${orPercent}, not ${shortened(typed, at)}`);
	}
	const isEnough = cents >= minValue * 100;
	if (!isEnough) throw at.refuse(`must be at least ${minValue}, not ${shortened(typed, at)}`);
	return mayBePercent ? { amount: cents, type: 'fixed' } : cents;
}

/** Readers of text that becomes something else, by shape. */
const textReaders: Readonly<Record<string, ReadValue>> = {
	list: readTexts,
	dollars: readDollars,
	dollarsOrPercent: readDollars,
};

function readNumber(value: unknown, at: FormField): number {
	const typed = textOf(value);
	const number = NUMBER.test(typed) ? Number(typed) : value;
	if (typeof number !== 'number' || !Number.isFinite(number)) {
		throw at.refuse(`takes a number, such as 1, not ${described(value, at)}`);
	}
	const { minValue = -Infinity, maxValue = Infinity, numberPrecision } = at.field.typeOptions ?? {};
	if (number < minValue) throw at.refuse(`must be at least ${minValue}, not ${number}`);
	if (number > maxValue) throw at.refuse(`must be at most ${maxValue}, not ${number}`);
	if (numberPrecision === 0 && !Number.isSafeInteger(number)) {
		throw at.refuse(`takes a whole number, not ${number}`);
	}
	return number;
}

function readBoolean(value: unknown, at: FormField): boolean {
	// A spreadsheet writes TRUE.
	const word = textOf(value).toLowerCase();
	if (value === true || word === 'true') return true;
	if (value === false || word === 'false') return false;
	throw at.refuse(`must be true or false, not ${described(value, at)}`);
}

function readChoice(value: unknown, at: FormField): unknown {
	const { options = [] } = at.field;
	const known: unknown[] = options.flatMap((option) => ('value' in option ? [option.value] : []));
	if (known.includes(value)) return value;
	if (at.field.allowArbitraryValues === true) return readText(value, at);
	throw at.refuse(`cannot be ${described(value, at)}; choose one of: ${known.join(', ')}`);
}

/** Every `multiOptions` field is built by `eventTypeChoices`. */
function readEventTypes(value: unknown, at: FormField): unknown[] {
	if (!Array.isArray(value)) throw at.refuse(`takes a list, not ${described(value, at)}`);
	// An expression may give the document's spelling, payment.failed. The trigger's field takes no
	// expression: the editor draws its outputs from the stored values, which must be options as they are.
	const nameOf = at.field.noDataExpression ? textOf : eventType;
	return [...new Set(value.map((entry: unknown) => readChoice(nameOf(entry), at)))];
}

function readLocator(value: unknown, at: FormField): Located | undefined {
	// n8n's isResourceLocatorValue also asks for `__rl`, which expressions leave out.
	const isLocator = isObject(value) && Object.hasOwn(value, 'value');
	const inner = isLocator ? value.value : value;
	if (inner === undefined) throw at.refuse('is empty');
	const text = inner === null ? '' : readText(inner, at);
	if (text === '') return undefined;
	const located = parseLocator(isLocator ? value.mode : undefined, text);
	if (located.by === 'email') inShape(text, shapes.email, at);
	return located;
}

function readDate(value: unknown, at: FormField): string {
	const endsDay = at.field.typeOptions?.endsDay === true;
	const moment = readMoment(value, at.timezone, { endsDay });
	if (moment !== undefined) return moment;
	const examples = 'a date, such as 2026-01-31 or 2026-01-31T18:00:00';
	throw at.refuse(`takes ${examples}, not ${described(value, at)}`);
}

function readJson(value: unknown, { refuse }: FormField): unknown {
	const read = typeof value === 'string' ? jsonOf(value) : value;
	if (typeof read !== 'object' || read === null) throw refuse('takes a list or an object in JSON');
	if (JSON.stringify(read).includes(MASK_DOTS)) throw refuse(IS_MASKED);
	return read;
}

/** Readers by the type of a field. Collections and groups are read in `read.ts`. */
export const valueReaders: Partial<Record<Field['type'], ReadValue>> = {
	boolean: readBoolean,
	dateTime: readDate,
	json: readJson,
	multiOptions: readEventTypes,
	number: readNumber,
	options: readChoice,
	resourceLocator: readLocator,
	string: (value, at) => (textReaders[at.field.typeOptions?.shape] ?? readText)(value, at),
};
