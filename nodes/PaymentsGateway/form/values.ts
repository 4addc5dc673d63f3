import { eventType, EVENT_TYPES } from '../wire/event';
import { isObject, jsonOf, textOf } from '../wire/json';
import { shortened } from './fieldError';
import type { FieldError, Context } from './fieldError';
import { located } from './field';
import type { Field, Located } from './field';
import { isNothing } from './filledIn';
import { readInstant } from './moment';

/**
 * How each type of field reads a value: it becomes one of that type, or is refused in words that say
 * what the field takes. An expression can put anything anywhere, so no value is trusted to be of its
 * field's type before it is checked here.
 */

/** The form of one item, whose fields are read. */
export interface ItemForm {
	context: Context;
	fieldError: FieldError;
	timezone: string;
}

/** One field of that form. */
export interface FormField extends ItemForm {
	field: Field;
	/** Makes the error that begins with the name of the field. */
	refuse: FieldError;
}

export type ReadValue = (value: unknown, at: FormField) => unknown;

/** Control characters, and half a character, left over where a text was cut. */
// eslint-disable-next-line no-control-regex -- such characters must not reach the gateway
const UNSENDABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\p{Surrogate}/u;
/** How this node writes a secret in its outputs. Sent back, it would take the secret's place. */
const MASKED = /••••/;
const IS_MASKED = 'contains a masked value: give the value itself';
/**
 * What an expression leaves in a text when it had nothing to put there. Quoted in an error it would
 * look like something that was typed.
 */
export const BROKEN_WORDS = /undefined|NaN|\[object/;
/** What a spreadsheet leaves of a long number, and writes for a value that it does not have. */
const LOST_IN_SHEET =
	/^\s*(?:\d(?:[.,]\d+)?E\+\d+|#(?:N\/A|(?:REF|VALUE|NUM|NULL|ERROR|DIV\/0)!|NAME\?))\s*$/i;
/**
 * What JavaScript writes where it joins a text with what is not there: INV-undefined, Ann null,
 * null@example.com. Amid other words it may be meant.
 */
const JOINED_WITH_NOTHING =
	/(?<![A-Za-z]\s*)undefined(?![A-Za-z])|(?<![A-Za-z])undefined$|^null[@ ]|(?:^|[-_# ])(?:null|NaN)$/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)$/;

/** The value in words that fit into an error's sentence. What a password field holds is not quoted. */
export function described(value: unknown, { field }: FormField): string {
	if (isNothing(value)) return 'nothing';
	if (Array.isArray(value)) return 'a list';
	if (typeof value === 'object') return 'an object';
	const words = String(value);
	const isQuotable =
		typeof value !== 'function' && !BROKEN_WORDS.test(words) && !UNSENDABLE.test(words);
	if (isQuotable && field.typeOptions?.password !== true) return `"${shortened(words)}"`;
	return `such a ${typeof value === 'string' ? 'text' : typeof value}`;
}

function readText(value: unknown, at: FormField): string {
	// A larger number has lost digits before it comes here.
	const isExact = typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
	if (typeof value !== 'string' && !isExact) {
		throw at.refuse(`takes text, not ${described(value, at)}`);
	}
	const words = String(value);
	if (UNSENDABLE.test(words)) throw at.refuse('contains a character that cannot be sent');
	if (MASKED.test(words)) throw at.refuse(IS_MASKED);
	if (LOST_IN_SHEET.test(words)) {
		throw at.refuse(`holds ${described(value, at)}, of a spreadsheet: correct it there`);
	}
	if (words.includes('[object Object]')) {
		throw at.refuse('takes text, and its expression has put an object there');
	}
	if (JOINED_WITH_NOTHING.test(words)) {
		throw at.refuse('is built from a value that is not there: check its expression');
	}
	return at.field.typeOptions?.rows === undefined ? words.trim() : words;
}

/** "SAVE10, WELCOME", or the same as a list, also as one that was written as JSON. */
function readList(value: unknown, at: FormField): string[] {
	const list = typeof value === 'string' ? jsonOf(value) : value;
	const entries: unknown[] = Array.isArray(list) ? list : readText(value, at).split(',');
	const words = entries.map((entry) => readText(entry, at));
	return [...new Set(words)].filter((word) => word !== '');
}

function readNumber(value: unknown, at: FormField): number {
	const typed = textOf(value);
	const number = NUMBER.test(typed) ? Number(typed) : value;
	if (typeof number !== 'number' || !Number.isFinite(number)) {
		throw at.refuse(`takes a number, not ${described(value, at)}`);
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

function readChoices(value: unknown, at: FormField): unknown[] {
	const chosen = typeof value === 'string' ? value.split(',').map((word) => word.trim()) : value;
	if (!Array.isArray(chosen)) throw at.refuse(`takes a list, not ${described(value, at)}`);
	return [...new Set(chosen.map((entry: unknown) => readChoice(withKnownType(entry), at)))];
}

/** All lists of choices are of event types, which are written payment.failed as well. */
function withKnownType(entry: unknown): unknown {
	const type = eventType(entry);
	return EVENT_TYPES.has(type) ? type : entry;
}

function readLocator(value: unknown, at: FormField): Located | undefined {
	const isLocator = isObject(value) && Object.hasOwn(value, 'value');
	const inner = isLocator ? value.value : value;
	if (inner === undefined) throw at.refuse('is empty');
	const words = isNothing(inner) ? '' : readText(inner, at);
	if (words === '') return undefined;
	return located(isLocator ? value.mode : undefined, words);
}

function readMoment(value: unknown, at: FormField): string {
	const endsDay = at.field.typeOptions?.endsDay === true;
	let instant: string | undefined;
	try {
		instant = readInstant(value, at.timezone, { endsDay });
	} catch {
		const whatToDo = "Choose another timezone in the workflow's settings.";
		throw at.refuse("cannot be read in the workflow's timezone", whatToDo);
	}
	if (instant !== undefined) return instant;
	const examples = 'a date, such as 2026-01-31 or 2026-01-31T18:00:00';
	throw at.refuse(`takes ${examples}, not ${described(value, at)}`);
}

function readJson(value: unknown, { refuse }: FormField): unknown {
	const read = typeof value === 'string' ? jsonOf(value) : value;
	if (read === undefined) throw refuse('is not valid JSON');
	const words = JSON.stringify(read, (name: string, inner: unknown) => {
		const isSendable = ['string', 'boolean', 'object'].includes(typeof inner);
		if (isSendable || Number.isFinite(inner)) return inner;
		throw refuse(`has nothing that can be sent as "${shortened(name)}"`);
	});
	if (MASKED.test(words)) throw refuse(IS_MASKED);
	return read;
}

/** By the type of a field; those with fields of their own are in `read.ts`. */
export const readers: Partial<Record<Field['type'], ReadValue>> = {
	boolean: readBoolean,
	dateTime: readMoment,
	json: readJson,
	multiOptions: readChoices,
	number: readNumber,
	options: readChoice,
	resourceLocator: readLocator,
	string: (value, at) =>
		(at.field.typeOptions?.separatedBy === ',' ? readList : readText)(value, at),
};
