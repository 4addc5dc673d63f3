import { isObject, jsonOf, textOf } from '../wire/json';
import { treatmentOf } from './sensitiveFields';

/**
 * Masks what n8n must not store with outputs and errors: sensitive fields, known by their names, even
 * in text that is JSON; the credential's tokens, known by their values; and in an error, the
 * sensitive values of its own request. Everything else stays unchanged, but JSON text in which
 * something is masked is written anew: 10.50 becomes 10.5. A value that is masked already stays.
 */

export interface Mask {
	/** Text, such as the message of an error. */
	text(text: string): string;
	/** An output, or any other value. */
	value<T>(value: T): T;
	/**
	 * The same mask, which also hides the request's sensitive values of at least three characters,
	 * except inside a longer word or number.
	 */
	hidingValuesOf(request: unknown): Mask;
}

/** Replaces in a text a secret that is known by its value. */
type Hide = (text: string) => string;

export const MASK_DOTS = '••••';
/** A shorter token would be a word such as "test", which occurs in names and links too. */
const SHORTEST_TOKEN = 8;
/** A security code has at least three digits. Shorter values occur in any text. */
const SHORTEST_VALUE = 3;
/** A number of so many digits is hidden even beside - or _; a shorter one may be part of INV-737. */
const LONG_NUMBER = /^\d{6,}$/;

export function createMask(tokens: readonly string[]): Mask {
	const long = tokens.filter(({ length }) => length >= SHORTEST_TOKEN);
	// The longest first: a token may begin with another one.
	const spelled = long.sort((a, b) => b.length - a.length).flatMap(spellings);
	return maskOf(spelled.map((token) => (text) => text.replaceAll(token, MASK_DOTS)));
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
	const hideKnown: Hide = (text) => known.reduce((hidden, hide) => hide(hidden), text);

	const maskedText = (text: string, byName: boolean): string => {
		const value = /^\s*["[{]/.test(text) ? jsonOf(text) : undefined;
		if (value === undefined) return hideKnown(text);
		try {
			const maskedJson = JSON.stringify(masked(value, byName));
			// JSON without anything to mask keeps its spelling: 10.50 would become 10.5. It may still hold a
			// token of many digits, which JavaScript rounds when it reads the number.
			return maskedJson === JSON.stringify(value) ? hideKnown(text) : maskedJson;
		} catch {
			// Nested so deep that the stack is full. A payer can type such a name, and must not stop a charge.
			return MASK_DOTS;
		}
	};

	/** `byName` is false below `metadata`: only known values are masked there. */
	const masked = (value: unknown, byName: boolean): unknown => {
		if (typeof value === 'string') return maskedText(value, byName);
		// A token of digits may come back as a number.
		if (typeof value === 'number') return hideKnown(`${value}`) === `${value}` ? value : MASK_DOTS;
		if (Array.isArray(value)) return value.map((entry: unknown) => masked(entry, byName));
		if (!isObject(value)) return value;
		const fields: Array<[string, unknown]> = [];
		for (const [name, inner] of Object.entries(value)) {
			const treatment = byName ? treatmentOf(name) : undefined;
			if (treatment === 'remove') continue;
			const shown = masked(inner, byName && treatment !== 'keep');
			fields.push([hideKnown(name), treatment === 'lastFour' ? lastFour(shown) : shown]);
		}
		return Object.fromEntries(fields);
	};

	return {
		text: (text) => maskedText(text, true),
		value: <T>(value: T) => masked(value, true) as T,
		hidingValuesOf: (request) => maskOf([...known, ...hidesOf(request)]),
	};
}

/**
 * The number, or each in a list, cut to its last four. Up to four digits stay as they are, and so
 * does a number that is cut already.
 */
function lastFour(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(lastFour);
	const number = typeof value === 'number' ? String(value) : value;
	if (typeof number !== 'string' || number.replace(/\D/g, '').length <= 4) return value;
	return `${MASK_DOTS}${number.replace(/[^\p{L}\p{N}]/gu, '').slice(-4)}`;
}

/** For each sensitive value in the data of a request, known by the name of its field: what hides it. */
function hidesOf(data: unknown, name = ''): Hide[] {
	const treatment = treatmentOf(name);
	if (treatment === 'keep') return [];
	if (Array.isArray(data)) return data.flatMap((each) => hidesOf(each, name));
	if (isObject(data)) return Object.entries(data).flatMap(([key, each]) => hidesOf(each, key));
	const secret = textOf(data);
	if (treatment === undefined || secret.length < SHORTEST_VALUE) return [];
	const cut = treatment === 'lastFour' ? lastFour(secret) : secret;
	// A code or token, and a number too short to be cut, are hidden as a whole.
	return hidesOfSecret(secret, cut === secret ? MASK_DOTS : String(cut));
}

function hidesOfSecret(secret: string, replacement: string): Hide[] {
	// A match has no letter or digit beside it and, unless the secret is a long number, no - or _.
	const wordCharacter = `[\\p{L}\\p{N}${LONG_NUMBER.test(secret) ? '' : '_-'}]`;
	return spellings(secret).map((spelling) => {
		const literally = spelling.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
		const find = new RegExp(`(?<!${wordCharacter})${literally}(?!${wordCharacter})`, 'gu');
		return (text) => text.replaceAll(find, replacement);
	});
}
