import { jsonOf, textOf } from '../wire/json';
import type { Kind } from './names';
import { kindOf } from './names';

/**
 * Masks what n8n must not store in its database with outputs and errors: by the name of its field,
 * also in JSON that is written as text, and by value the credential's tokens and, in an error, what
 * its own request has sent. All else is the merchant's own and leaves as it came.
 */

export interface Mask {
	/** Running text: an error's words, a payload that is not JSON. */
	text(words: string): string;
	/** Any value on its way out. With `reveal`, only the tokens are masked. */
	value<T>(value: T, reveal?: boolean): T;
	/** A mask that also knows what this request has sent. */
	knowing(data: unknown): Mask;
}

/** A secret that is known by its value, and what is shown in its place. */
interface Known {
	find: RegExp;
	put: string;
	/** No spelling of it is shorter: most texts need not be searched. */
	length: number;
}

const DOTS = '••••';
/** n8n fails to store what is nested deeper than a few thousand levels. */
const MOST_LEVELS = 1_000;
/** So many brackets of a text are tried: a longer one is a list of something else. */
const MOST_PIECES = 20;
const TOO_DEEP = '(nested too deep to be shown)';
/** A shorter token is a word such as "test": it would be cut out of names and links. */
const SHORTEST_TOKEN = 8;
const SHORTEST_SENT = 3;
/** No regular expression holds much more: what is longer is known by its beginning. */
const LONGEST_PATTERN = 2_000;

export function createMask(tokens: readonly string[]): Mask {
	const hidden = tokens
		.filter(({ length }) => length >= SHORTEST_TOKEN)
		// Of two tokens, one may begin with the other.
		.sort((a, b) => b.length - a.length);
	return maskOf(hidden.map((token) => knownBy(token, new RegExp(spellings(token), 'gi'), DOTS)));
}

function knownBy(value: string, find: RegExp, put: string): Known {
	return { find, put, length: Math.min(value.length, LONGEST_PATTERN) };
}

/** Where a value stands. */
interface Standing {
	/** The name of its field; of what is in a list, the name of the list's field. */
	name: string;
	/** By that name it is the number of an account or a card. */
	isNumber: boolean;
	/** Names count for nothing: the user wants it so, or it is within `metadata`. */
	reveal: boolean;
	level: number;
}

/** What stands in nothing. */
const TOP: Standing = { name: '', isNumber: false, reveal: false, level: 1 };

function maskOf(known: readonly Known[]): Mask {
	const withoutKnown = (words: string) =>
		known.reduce(
			(text, { find, put, length }) => (text.length < length ? text : text.replaceAll(find, put)),
			words,
		);

	const masked = (value: unknown, place: Standing): unknown => {
		if (typeof value === 'object' && value !== null) {
			if (place.level > MOST_LEVELS) return TOO_DEEP;
			return Array.isArray(value) ? maskedList(value, place) : maskedFields(value, place);
		}
		if (typeof value === 'string' && !place.isNumber) return maskedText(value, place);
		if (typeof value !== 'number' && !place.isNumber) return value;
		const words = withoutKnown(String(value));
		const left = place.isNumber ? lastFour(words) : words;
		return left === String(value) ? value : left;
	};

	// What holds nothing to mask is handed back itself, not a copy.
	const maskedList = (list: readonly unknown[], place: Standing): unknown => {
		const inner = { ...place, level: place.level + 1 };
		const left = list.map((entry) => masked(entry, inner));
		return left.every((entry, index) => Object.is(entry, list[index])) ? list : left;
	};

	const maskedFields = (fields: object, { name: above, reveal, level }: Standing): unknown => {
		let isSame = true;
		const left: Array<[string, unknown]> = [];
		for (const [name, value] of Object.entries(fields)) {
			const kind = reveal ? undefined : kindOf(name, above);
			const isShown = reveal || kind === 'metadata';
			const place = { name, isNumber: kind === 'number', reveal: isShown, level: level + 1 };
			const field: [string, unknown] = [withoutKnown(name), masked(value, place)];
			if (kind !== 'code') left.push(field);
			isSame &&= kind !== 'code' && field[0] === name && Object.is(field[1], value);
		}
		return isSame ? fields : Object.fromEntries(left);
	};

	/** The JSON in it is read and masked, from the last piece to the first, then all of it. */
	const maskedText = (words: string, { name, reveal, level }: Standing): string => {
		const place = { ...TOP, reveal, level: level + 1 };
		const pieces = jsonIn(words);
		const text = pieces.reduceRight((before, { from, to, value }) => {
			const left = masked(value, place);
			if (left === value) return before;
			return before.slice(0, from) + JSON.stringify(left) + before.slice(to);
		}, words);
		// A payload that broke off is no piece. Any other text may be meant as it is.
		const isBroken = name === 'payload' && /^\s*"?[[{]/.test(words.slice(0, pieces[0]?.from));
		return withoutKnown(isBroken && !reveal ? text.replace(FIELD, maskedField) : text);
	};

	return {
		text: (words) => maskedText(words, TOP),
		value: <T>(value: T, reveal = false) => masked(value, { ...TOP, reveal }) as T,
		knowing: (data) => maskOf([...known, ...sentIn(data, TOP)]),
	};
}

/** A number's last four; what is no longer is shown as it is, and so is what was cut before. */
function lastFour(number: string): string {
	if (number.replace(/\D/g, '').length <= 4) return number;
	return `${DOTS}${number.replace(/[^\p{L}\p{N}]/gu, '').slice(-4)}`;
}

/** A field of a payload that broke off, and its value as far as it goes. */
const FIELD = /("([\w-]+)\\*"\s*:\s*(?:\\*")?)([^"\\,{}[\]]+)/g;

function maskedField(field: string, before: string, name: string, value: string): string {
	const kind = kindOf(name, '');
	if (kind === 'code') return before + DOTS;
	return kind === 'number' ? before + lastFour(value) : field;
}

interface Piece {
	from: number;
	to: number;
	value: unknown;
}

/** JSON that a text is, or the pieces of it that stand among other words. */
function jsonIn(words: string): Piece[] {
	// Most texts hold none.
	if (!/["[{]/.test(words)) return [];
	const start = words.search(/\S/);
	const whole = /["[{]/.test(words.charAt(start)) && pieceOf(words, start, words.trimEnd().length);
	if (whole) return [whole];
	const pieces: Piece[] = [];
	let tried = 0;
	for (const { index } of words.matchAll(/[[{]/g)) {
		if (index < (pieces.at(-1)?.to ?? 0)) continue;
		if (++tried > MOST_PIECES) break;
		const piece = pieceOf(words, index, closingOf(words, index));
		if (piece !== undefined) pieces.push(piece);
	}
	return pieces;
}

function pieceOf(words: string, from: number, to: number): Piece | undefined {
	const value = jsonOf(words.slice(from, to));
	return value === undefined ? undefined : { from, to, value };
}

/** Where the bracket closes that opens there; brackets within strings count for nothing. */
function closingOf(words: string, from: number): number {
	const signs = /"[^"\\]*(?:\\.[^"\\]*)*"|[[{]|[\]}]/gs;
	signs.lastIndex = from;
	let depth = 0;
	for (let found = signs.exec(words); found !== null; found = signs.exec(words)) {
		if (/^[[{]/.test(found[0])) depth += 1;
		else if (/^[\]}]/.test(found[0])) depth -= 1;
		if (depth === 0) return signs.lastIndex;
	}
	return from;
}

/**
 * A pattern of a value as it is, URL-encoded, or escaped in JSON. Of a very long one it is the
 * beginning, and all that follows.
 */
function spellings(value: string): string {
	const spelled = (sign: string) => {
		if (/[a-z\d]/i.test(sign)) return sign;
		const plain = sign.replace(/[.*+?^${}()|[\]\\/]/, '\\$&');
		const inURL = [...Buffer.from(sign)].map((byte) => `%${hex(byte, 2)}`).join('');
		const inForm = sign === ' ' ? '|\\+' : '';
		// Each layer of JSON in JSON doubles the backslashes: this is enough for six.
		return `\\\\{0,63}(?:${plain}|${inURL}|u${hex(sign.charCodeAt(0), 4)}${inForm})`;
	};
	const signs = [...value];
	const pattern = signs.slice(0, LONGEST_PATTERN).map(spelled).join('');
	return signs.length > LONGEST_PATTERN ? `${pattern}[^]*` : pattern;
}

function hex(code: number, width: number): string {
	return code.toString(16).padStart(width, '0');
}

/** The sensitive values that a request carries, to be known again when an error repeats them. */
function* sentIn(data: unknown, { name, level }: Standing, kind?: Kind): Generator<Known> {
	if (level > MOST_LEVELS || kind === 'metadata') return;
	if (typeof data === 'object' && data !== null) {
		for (const [key, value] of Object.entries(data)) {
			// What is in a list has the name of the list's field.
			const [inner, innerKind] = Array.isArray(data) ? [name, kind] : [key, kindOf(key, name)];
			yield* sentIn(value, { ...TOP, name: inner, level: level + 1 }, innerKind);
		}
		return;
	}
	const sent = textOf(data);
	if (kind === undefined || sent.length < SHORTEST_SENT) return;
	const cut = kind === 'number' ? lastFour(sent) : sent;
	// As a number it has lost its leading zeros.
	const value = sent.replace(/^0+(?=\d{5,}$)/, '');
	const zeros = value === sent ? '' : '0*';
	// By itself, and not within a longer number or word. A code's few digits may stand in INV-737.
	const joined = `[\\p{L}\\p{N}${/^\d{6,}$/.test(value) ? '' : '_-'}]`;
	const before = `(?:(?<!${joined})|(?<=%[\\da-f]{2}))`;
	const find = new RegExp(`${before}${zeros}${spellings(value)}(?!${joined})`, 'giu');
	yield knownBy(value, find, cut === sent ? DOTS : cut);
}
