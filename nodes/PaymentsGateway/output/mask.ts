import { isObject, textOf } from '../wire/json';
import type { Named } from './names';
import { namedBy } from './names';

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
}

const DOTS = '••••';
const LEFT_OUT = Symbol('left out');
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
	return maskOf(hidden.map((token) => ({ find: new RegExp(spellings(token), 'gi'), put: DOTS })));
}

function maskOf(known: readonly Known[]): Mask {
	const withoutKnown = (words: string) =>
		known.reduce((text, { find, put }) => text.replaceAll(find, put), words);

	const shownText = (words: string, reveal: boolean, level: number): string => {
		let text = '';
		let rest = 0;
		for (const { from, to, value } of reveal ? [] : jsonIn(words)) {
			const shown = shownValue(value, reveal, level + 1);
			if (shown === value) continue;
			text += words.slice(rest, from) + JSON.stringify(shown);
			rest = to;
		}
		return withoutKnown(text + words.slice(rest));
	};

	/**
	 * What stands in a field of this name; of a list, each entry stands in the list's field. With
	 * `reveal` the names count for nothing: the user wants it so, or it is within `metadata`.
	 */
	const shownField = (
		entry: unknown,
		named: Named | undefined,
		reveal: boolean,
		level: number,
		name: string,
	) => {
		if (reveal || named === undefined) return shownValue(entry, reveal, level, name);
		if (named === 'merchants') return shownValue(entry, true, level);
		if (named === 'code') return LEFT_OUT;
		if (Array.isArray(entry)) return shownList(entry, named, reveal, level, name);
		if (typeof entry === 'object') return shownValue(entry, reveal, level, name);
		const cut = lastFour(withoutKnown(String(entry)));
		return cut === String(entry) ? entry : cut;
	};

	const shownList = (
		list: readonly unknown[],
		named: Named | undefined,
		reveal: boolean,
		level: number,
		name: string,
	): unknown => {
		if (level > MOST_LEVELS) return TOO_DEEP;
		const shown = list.map((entry) => shownField(entry, named, reveal, level + 1, name));
		return shown.every((entry, index) => Object.is(entry, list[index])) ? list : shown;
	};

	/** What holds nothing to mask is handed back itself, not a copy. */
	const shownValue = (value: unknown, reveal: boolean, level: number, under = ''): unknown => {
		if (typeof value === 'string') return shownText(value, reveal, level);
		if (typeof value === 'number') {
			const shown = withoutKnown(String(value));
			return shown === String(value) ? value : shown;
		}
		if (typeof value !== 'object' || value === null) return value;
		if (Array.isArray(value)) return shownList(value, undefined, reveal, level, under);
		if (level > MOST_LEVELS) return TOO_DEEP;
		let isSame = true;
		const shown: Array<[string, unknown]> = [];
		for (const [name, entry] of Object.entries(value)) {
			const field = shownField(entry, namedBy(name, under), reveal, level + 1, name);
			const shownName = withoutKnown(name);
			if (field !== LEFT_OUT) shown.push([shownName, field]);
			isSame &&= Object.is(field, entry) && shownName === name;
		}
		return isSame ? value : Object.fromEntries(shown);
	};

	return {
		text: (words) => shownText(words, false, 1),
		value: <T>(value: T, reveal = false) => shownValue(value, reveal, 1) as T,
		knowing: (data) => maskOf([...known, ...sentIn(data)]),
	};
}

/** A number's last four; what is no longer is shown as it is, and so is what was cut before. */
function lastFour(number: string): string {
	if (number.replace(/\D/g, '').length <= 4) return number;
	return `${DOTS}${number.replace(/[^\p{L}\p{N}]/gu, '').slice(-4)}`;
}

interface Piece {
	from: number;
	to: number;
	value: unknown;
}

/** JSON that a text is, or the pieces of it that stand among other words. */
function jsonIn(words: string): Piece[] {
	const from = words.search(/\S/);
	const whole = /^["[{]/.test(words.charAt(from)) && pieceOf(words, from, words.trimEnd().length);
	if (whole) return [whole];
	const pieces: Piece[] = [];
	const starts = words.matchAll(/[[{]/g);
	let tried = 0;
	for (const { index } of starts) {
		if (index < (pieces.at(-1)?.to ?? 0)) continue;
		if (++tried > MOST_PIECES) break;
		const piece = pieceOf(words, index, closingOf(words, index));
		if (piece !== undefined) pieces.push(piece);
	}
	return pieces;
}

function pieceOf(words: string, from: number, to: number): Piece | undefined {
	try {
		const value: unknown = JSON.parse(words.slice(from, to));
		return { from, to, value };
	} catch {
		return undefined;
	}
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
function sentIn(
	data: unknown,
	level = 1,
	under = '',
	named: Named | undefined = undefined,
): Known[] {
	if (level > MOST_LEVELS) return [];
	// What stands in a list is named by the list's field.
	if (Array.isArray(data)) return data.flatMap((entry) => sentIn(entry, level + 1, under, named));
	if (!isObject(data)) return sentAs(named, textOf(data));
	return Object.entries(data).flatMap(([name, entry]) => {
		const inner = namedBy(name, under);
		return inner === 'merchants' ? [] : sentIn(entry, level + 1, name, inner);
	});
}

function sentAs(named: Named | undefined, sent: string): Known[] {
	if (named === undefined || sent.length < SHORTEST_SENT) return [];
	const cut = named === 'number' ? lastFour(sent) : sent;
	return [{ find: sentPattern(sent), put: cut === sent ? DOTS : cut }];
}

/** By itself, and not within a longer number or word. As a number it has lost its leading zeros. */
function sentPattern(sent: string): RegExp {
	const value = sent.replace(/^0+(?=\d{5,}$)/, '');
	const zeros = value === sent ? '' : '0*';
	const before = '(?:(?<![\\p{L}\\p{N}_-])|(?<=%[\\da-f]{2}))';
	return new RegExp(`${before}${zeros}${spellings(value)}(?![\\p{L}\\p{N}_-])`, 'giu');
}
