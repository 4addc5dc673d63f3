import { isObject, jsonOf, textOf } from '../wire/json';
import { kindOf } from './names';

/**
 * Masks what n8n must not store with outputs and errors: sensitive fields, known by their names, even
 * in text that is JSON; the credential's tokens, known by their values; and in an error, the
 * sensitive values of its own request. Everything else stays unchanged.
 */

export interface Mask {
	/** Text, such as the words of an error. */
	text(words: string): string;
	/** An output, or any other value. */
	value<T>(value: T): T;
	/** The same mask, which also hides the sensitive values in the data of a request. */
	knowing(data: unknown): Mask;
}

/** Replaces in a text a secret that is known by its value. */
type Hide = (words: string) => string;

const DOTS = '••••';
/** A shorter token would be a word such as "test", which occurs in names and links too. */
const SHORTEST_TOKEN = 8;
/** A security code has at least three digits. */
const SHORTEST_SENT = 3;

export function createMask(tokens: readonly string[]): Mask {
	const long = tokens.filter(({ length }) => length >= SHORTEST_TOKEN);
	// The longest first: a token may begin with another one.
	const spelled = long.sort((a, b) => b.length - a.length).flatMap(spellings);
	return maskOf(spelled.map((token) => (words) => words.replaceAll(token, DOTS)));
}

/** A value as it is, as in a URL, and as in JSON. */
function spellings(value: string): string[] {
	// encodeURIComponent throws at half a surrogate pair.
	const inURL = encodeURIComponent(value.replace(/\p{Surrogate}/gu, ''));
	const inSmallLetters = inURL.replace(/%../g, (code) => code.toLowerCase());
	const inJSON = JSON.stringify(value).slice(1, -1);
	return [...new Set([value, inURL, inSmallLetters, inJSON, inJSON.replaceAll('/', '\\/')])];
}

function maskOf(known: readonly Hide[]): Mask {
	const hideKnown: Hide = (words) => known.reduce((text, hide) => hide(text), words);

	const maskedText = (words: string, byName: boolean): string => {
		const value = /^\s*["[{]/.test(words) ? jsonOf(words) : undefined;
		if (value === undefined) return hideKnown(words);
		const maskedJson = JSON.stringify(masked(value, byName));
		// JSON without anything to mask keeps its spelling: 10.50 would become 10.5.
		return maskedJson === JSON.stringify(value) ? hideKnown(words) : maskedJson;
	};

	/** `byName` is false below `metadata`: only known values are masked there. */
	const masked = (value: unknown, byName: boolean): unknown => {
		if (typeof value === 'string') return maskedText(value, byName);
		// A token of digits may come back as a number.
		if (typeof value === 'number') return hideKnown(`${value}`) === `${value}` ? value : DOTS;
		if (Array.isArray(value)) return value.map((entry: unknown) => masked(entry, byName));
		if (!isObject(value)) return value;
		const fields: Array<[string, unknown]> = [];
		for (const [name, inner] of Object.entries(value)) {
			const kind = byName ? kindOf(name) : undefined;
			if (kind === 'code') continue;
			const shown = masked(inner, byName && kind !== 'metadata');
			fields.push([hideKnown(name), kind === 'number' ? lastFour(shown) : shown]);
		}
		return Object.fromEntries(fields);
	};

	return {
		text: (words) => maskedText(words, true),
		value: <T>(value: T) => masked(value, true) as T,
		knowing: (data) => maskOf([...known, ...hidesOf(data)]),
	};
}

/** The number, or each in a list, cut to its last four; up to four digits stay as they are. */
function lastFour(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(lastFour);
	const number = typeof value === 'number' ? String(value) : value;
	if (typeof number !== 'string' || number.replace(/\D/g, '').length <= 4) return value;
	return `${DOTS}${number.replace(/[^\p{L}\p{N}]/gu, '').slice(-4)}`;
}

/** Hides the sensitive values in the data of a request, known by the names of their fields. */
function hidesOf(data: unknown, name = ''): Hide[] {
	const kind = kindOf(name);
	if (kind === 'metadata') return [];
	if (Array.isArray(data)) return data.flatMap((each) => hidesOf(each, name));
	if (isObject(data)) return Object.entries(data).flatMap(([key, each]) => hidesOf(each, key));
	const secret = textOf(data);
	if (kind === undefined || secret.length < SHORTEST_SENT) return [];
	const shortened = kind === 'number' ? lastFour(secret) : secret;
	const replacement = shortened === secret ? DOTS : String(shortened);
	// Not within a longer number or word. A short code may be part of a reference, as in INV-737.
	const joined = `[\\p{L}\\p{N}${/^\d{6,}$/.test(secret) ? '' : '_-'}]`;
	return spellings(secret).map((spelling) => {
		const literally = spelling.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
		const find = new RegExp(`(?<!${joined})${literally}(?!${joined})`, 'gu');
		return (words) => words.replaceAll(find, replacement);
	});
}
