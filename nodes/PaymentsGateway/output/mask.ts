/**
 * What must not be kept: n8n stores outputs and errors in its database. Sensitive values are found
 * by the name of their field, by a name in front of them in running text, and by value, when they
 * are known: the credential's tokens, and what a request itself has sent.
 */

import { isObject } from '../wire/json';

const DOTS = '••••';

/** Left out altogether: no service needs to hand these back. */
const DROPPED = new Set(['cvc', 'cvv', 'cvc2', 'cvv2', 'securitycode']);
const SHORTENED = new Set(['accountnumber', 'routingnumber', 'cardnumber']);
/** What a request sends and no answer may repeat. */
const SENT = new Set([...DROPPED, ...SHORTENED, 'cardtoken']);

/** A name, what may stand between, also escaped or URL-encoded, and the value. */
const NAMED_IN_TEXT =
	/((?:account|routing)[\s_-]?(?:number|no\.?)|cv[cv]2?|security[\s_-]?code)((?:[\\"'\s:=#(]|%(?:2[0278]|3[ad]|5c)|\bis\b){0,12})(\d[\d -]{0,40}\d|\d)/gi;

/** The same few names come with every row. Bounded: the service decides what they are. */
const plainNames = new Map<string, string>();
const MOST_NAMES = 1_000;
const LONGEST_NAME = 64;

function plain(name: string): string {
	const known = plainNames.get(name);
	if (known !== undefined) return known;
	const made = name.toLowerCase().replace(/[_\s-]/g, '');
	if (plainNames.size < MOST_NAMES && name.length <= LONGEST_NAME) plainNames.set(name, made);
	return made;
}

function lastFour(value: string): string {
	const tail = value.replace(/[^\p{L}\p{N}]/gu, '');
	return tail.length > 4 ? `${DOTS}${tail.slice(-4)}` : DOTS;
}

function shorten(value: unknown): unknown {
	if (value === null || value === undefined || value === '') return value;
	if (typeof value === 'string' || typeof value === 'number') return lastFour(String(value));
	return DOTS;
}

/** A value in the forms in which it can come back inside text. */
function spellings(secret: string): string[] {
	const quoted = JSON.stringify(secret).slice(1, -1);
	const withSlashes = quoted.replaceAll('/', '\\/');
	const inUrl = encodeURIComponent(secret);
	const inUrlToo = inUrl.replace(/%../g, (code) => code.toLowerCase());
	return [...new Set([secret, quoted, withSlashes, inUrl, inUrlToo])];
}

function escape(words: string): string {
	return words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

const LONGEST_SENT = 1_000;

interface Pattern {
	find: RegExp;
	put: string;
	/** Shorter text cannot hold it. */
	least: number;
}

/** Tokens are masked wherever they stand, whatever surrounds them. */
function tokenPattern(token: string): Pattern[] {
	return spellings(token).map((words) => ({
		find: new RegExp(escape(words), 'g'),
		put: DOTS,
		least: words.length,
	}));
}

/** What an encoded quote ends with looks like the beginning of a number. */
const AFTER_CODE = '(?<=%[\\dA-Fa-f]{2}|\\\\u[\\dA-Fa-f]{4})';

/** Short numbers stand in many places, so a sent value counts only when it stands by itself. */
function sentPattern(name: string, value: string): Pattern[] {
	const put = SHORTENED.has(name) ? lastFour(value) : DOTS;
	if (/^\d{6,}$/.test(value)) {
		// Spaced out, or as a number that has lost its leading zeros.
		const significant = value.replace(/^0+/, '');
		const digits = significant.length < 6 ? value : significant;
		const gap = '(?:[\\s-]|%20)?';
		const spaced = `(?:0${gap})*${[...digits].join(gap)}`;
		return [{ find: new RegExp(`(?:(?<!\\d)|${AFTER_CODE})${spaced}(?!\\d)`, 'g'), put, least: 0 }];
	}
	const alone = `(?:(?<![\\p{L}\\p{N}_-])|${AFTER_CODE})`;
	return spellings(value).map((words) => ({
		find: new RegExp(`${alone}${escape(words)}(?![\\p{L}\\p{N}_-])`, 'gu'),
		put,
		least: 0,
	}));
}

/** The sensitive values that a request carries, to be recognised if the service echoes them. */
function sentSecrets(data: unknown, found: Pattern[] = []): Pattern[] {
	if (Array.isArray(data)) {
		for (const entry of data) sentSecrets(entry, found);
	} else if (isObject(data)) {
		for (const [name, value] of Object.entries(data)) {
			const words = typeof value === 'string' ? value.trim() : '';
			// What is longer than any of these has no pattern that JavaScript could hold.
			if (SENT.has(plain(name)) && words.length >= 3 && words.length <= LONGEST_SENT) {
				found.push(...sentPattern(plain(name), words));
			} else {
				sentSecrets(value, found);
			}
		}
	}
	return found;
}

export interface Mask {
	/** Running text: an error's words, a payload that is not JSON. */
	text(words: string): string;
	/** Any value on its way out. With `reveal`, only the tokens are masked. */
	value<T>(value: T, reveal?: boolean): T;
	/** A mask that also knows what this request has sent. */
	knowing(data: unknown): Mask;
}

export function createMask(tokens: readonly string[]): Mask {
	// A token of one or two letters would mask half of every text, and protects nothing.
	const secrets = tokens.filter((token) => token.length > 2);
	// The longest first, or a token that begins with another would leave its rest behind.
	secrets.sort((a, b) => b.length - a.length);
	return maskOf(secrets.flatMap(tokenPattern), []);
}

function maskOf(tokens: readonly Pattern[], sent: readonly Pattern[]): Mask {
	const shortest = Math.min(...tokens.map(({ least }) => least));
	const replace = (words: string, patterns: readonly Pattern[]) =>
		patterns.reduce((masked, { find, put }) => masked.replace(find, put), words);
	const text = (words: string, reveal = false) => {
		// Most text is too short to hold a token, or has no digit that a name could stand before.
		const masked = words.length < shortest ? words : replace(words, tokens);
		if (reveal) return masked;
		const rest = sent.length === 0 ? masked : replace(masked, sent);
		if (!/\d/.test(rest)) return rest;
		return rest.replace(
			NAMED_IN_TEXT,
			(_, name: string, between: string, value: string) =>
				`${name}${between}${DROPPED.has(plain(name)) ? DOTS : lastFour(value)}`,
		);
	};
	/** Long enough to be an account; a short one is an amount more likely than a code. */
	const number = (value: number, reveal: boolean) => {
		if (sent.length === 0) return value;
		const words = String(value);
		const masked = reveal || !/^\d{6,}$/.test(words) ? words : replace(words, sent);
		return masked === words ? value : masked;
	};
	/** What a field leaves as; undefined when it stays behind. */
	const field = (name: string, entry: unknown, reveal: boolean): unknown => {
		const known = plain(name);
		if (!reveal && DROPPED.has(known)) return undefined;
		// An identifier is worked with later on: a reference that holds the digits of a security
		// code by chance must stay what it is.
		const isKept = reveal || (known.endsWith('id') && typeof entry === 'string');
		return !isKept && SHORTENED.has(known) ? shorten(entry) : walk(entry, isKept);
	};
	/** Most rows hold nothing to mask, and leave as they came: nothing is copied for them. */
	const walk = (value: unknown, reveal: boolean): unknown => {
		if (typeof value === 'string') return text(value, reveal);
		if (typeof value === 'number') return number(value, reveal);
		if (Array.isArray(value)) {
			const shown = value.map((entry) => walk(entry, reveal));
			return shown.every((entry, index) => entry === value[index]) ? value : shown;
		}
		if (!isObject(value)) return value;
		let changed: Map<string, unknown> | undefined;
		for (const name of Object.keys(value)) {
			const entry = value[name];
			const shown = field(name, entry, reveal);
			if (shown === undefined || shown !== entry) (changed ??= new Map()).set(name, shown);
		}
		if (changed === undefined) return value;
		const left: Array<[string, unknown]> = [];
		for (const [name, entry] of Object.entries(value)) {
			const shown = changed.has(name) ? changed.get(name) : entry;
			if (shown !== undefined) left.push([name, shown]);
		}
		// Unlike an assignment, this keeps a field named __proto__ a field.
		return Object.fromEntries(left);
	};
	/** What left once is not looked at again. */
	const passed = new WeakSet<object>();
	const mask: Mask = {
		text: (words) => text(words),
		value: <T>(value: T, reveal = false): T => {
			if (isObject(value) && passed.has(value)) return value;
			const shown = walk(value, reveal);
			if (!reveal && isObject(shown)) passed.add(shown);
			return shown as T;
		},
		knowing: (data) => {
			const known = sentSecrets(data);
			return known.length === 0 ? mask : maskOf(tokens, known);
		},
	};
	return mask;
}
