import { isObject, jsonOf, textOf } from '../wire/json';
import { kindOf } from './names';

/**
 * Masks what n8n must not store with outputs and errors. Sensitive fields are known by their names,
 * also in text that is JSON. The credential's tokens are known by their values, as is, in an error,
 * what its own request has sent. Everything else leaves as it came.
 */

export interface Mask {
	/** Text, such as the words of an error. */
	text(words: string): string;
	/** An output, or any other value. */
	value<T>(value: T): T;
	/** The same mask, which also knows the sensitive values that a request has sent. */
	knowing(data: unknown): Mask;
}

/** Replaces in a text a secret that is known by its value. */
type Hide = (words: string) => string;

const DOTS = '••••';
/** A shorter token would be a word such as "test", which stands in names and links as well. */
const SHORTEST_TOKEN = 8;
const SHORTEST_SENT = 3;

export function createMask(tokens: readonly string[]): Mask {
	const long = tokens.filter(({ length }) => length >= SHORTEST_TOKEN);
	// The longest first: a token may begin with another one.
	const spelled = long.sort((a, b) => b.length - a.length).flatMap(spellings);
	return maskOf(spelled.map((token) => (words) => words.replaceAll(token, DOTS)));
}

/** A value as it is, as it stands in a URL, and as it stands in JSON. */
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
		const left = JSON.stringify(masked(value, byName));
		// JSON without anything to mask stays as it is written: 10.50 would become 10.5.
		return left === JSON.stringify(value) ? hideKnown(words) : left;
	};

	/** `byName` is false below `metadata`: only values that are known by themselves are masked there. */
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
			const left = masked(inner, byName && kind !== 'metadata');
			fields.push([hideKnown(name), kind === 'number' ? lastFour(left) : left]);
		}
		return Object.fromEntries(fields);
	};

	return {
		text: (words) => maskedText(words, true),
		value: <T>(value: T) => masked(value, true) as T,
		knowing: (data) => maskOf([...known, ...sentIn(data)]),
	};
}

/** Of a number, or of each in a list. One of no more than four digits stays as it is. */
function lastFour(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(lastFour);
	const number = typeof value === 'number' ? String(value) : value;
	if (typeof number !== 'string' || number.replace(/\D/g, '').length <= 4) return value;
	return `${DOTS}${number.replace(/[^\p{L}\p{N}]/gu, '').slice(-4)}`;
}

/** Hides the sensitive values of a request, which are known by the names of their fields. */
function sentIn(data: unknown, name = ''): Hide[] {
	const kind = kindOf(name);
	if (kind === 'metadata') return [];
	if (Array.isArray(data)) return data.flatMap((each) => sentIn(each, name));
	if (isObject(data)) return Object.entries(data).flatMap(([key, each]) => sentIn(each, key));
	const sent = textOf(data);
	if (kind === undefined || sent.length < SHORTEST_SENT) return [];
	const left = kind === 'number' ? lastFour(sent) : sent;
	const put = left === sent ? DOTS : String(left);
	// Not within a longer number or word. A code of few digits may stand in a reference, as in INV-737.
	const joined = `[\\p{L}\\p{N}${/^\d{6,}$/.test(sent) ? '' : '_-'}]`;
	return spellings(sent).map((spelling) => {
		const literally = spelling.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
		const find = new RegExp(`(?<!${joined})${literally}(?!${joined})`, 'gu');
		return (words) => words.replaceAll(find, put);
	});
}
