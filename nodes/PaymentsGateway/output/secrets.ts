import { isObject } from '../wire/json';
import { isSentSecret, meaningOf } from './names';
import { unescaped } from './readings';

/**
 * Secrets that are known by value: the credential's tokens, and what a request has sent. Each
 * becomes a pattern that is searched for in text whose escapes are undone.
 */

export const DOTS = '••••';

export interface Secret {
	find: RegExp;
	put: string;
	/** Shorter text cannot hold it. */
	least: number;
	/** A few digits, which stand in dates, amounts and addresses as well. */
	isShort: boolean;
}

const LETTER = '[\\p{L}\\p{N}_-]';
/** Signs that may stand between digits, listed because "anything but letters" is slow to match. */
const GAP = '[\\s!-/:-@[-`{-~\\u2010-\\u2027\\u2212]{0,3}';
/** A longer one would make a pattern that no regular expression can hold. */
const LONGEST = 4_000;
const ALL_DIGITS = /^\d{6,100}$/;

export function lastFour(value: string): string {
	// What the service has masked itself stays as it shows it.
	if (/[•*]/.test(value) && value.replace(/\D/g, '').length <= 4) return value;
	const tail = value.replace(/[^\p{L}\p{N}]/gu, '');
	return tail.length > 4 ? `${DOTS}${tail.slice(-4)}` : DOTS;
}

function escape(words: string): string {
	return words.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

/** A number as it can be written: in groups, or without its leading zeros. */
function numberPattern(digits: string): string {
	const significant = digits.replace(/^0+/, '');
	const written = [...(significant.length < 6 ? digits : significant)].join(GAP);
	return `(?<!\\d)(?:0${GAP})*${written}(?!\\d)`;
}

/** A token is hidden wherever it stands, whatever surrounds it, also when lines were wrapped. */
function tokenSecret(token: string): Secret {
	const letters = [...token.replace(/\s/g, '')];
	const isLong = letters.length >= 8;
	const words = token.trim().split(/\s+/);
	const written = words.map((word) => [...word].map(escape).join(isLong ? '\\s*' : ''));
	// A blank in it is a plus sign in the body of a form.
	const pattern = written.join('[\\s+]*');
	return {
		// A short token may be a word as well, so its capitals must match.
		find: new RegExp(pattern, isLong ? 'giu' : 'gu'),
		put: DOTS,
		least: letters.length,
		isShort: false,
	};
}

export function tokenSecrets(tokens: readonly string[]): Secret[] {
	const secrets = [...new Set(tokens.flatMap((token) => [token, unescaped(token)]))]
		// A token of one or two letters would hide half of every text, and protects nothing.
		.filter(({ length }) => length > 2 && length <= LONGEST)
		.map(tokenSecret);
	for (const token of tokens) {
		// Echoed as a number it loses its leading zeros.
		if (!ALL_DIGITS.test(token)) continue;
		const find = new RegExp(numberPattern(token), 'g');
		secrets.push({ find, put: DOTS, least: 6, isShort: false });
	}
	return secrets;
}

function sentSecret(name: string, value: string): Secret {
	const put = meaningOf(name).kind === 'account' ? lastFour(value) : DOTS;
	const bare = value.replace(/[\s.-]/g, '');
	if (ALL_DIGITS.test(bare)) {
		const find = new RegExp(numberPattern(bare), 'g');
		return { find, put, least: 6, isShort: false };
	}
	// Short ones stand in many places, so they count only where they stand by themselves.
	const isAlone = value.length < 12;
	const pattern = isAlone ? `(?<!${LETTER})${escape(value)}(?!${LETTER})` : escape(value);
	return {
		find: new RegExp(pattern, 'giu'),
		put,
		least: value.length,
		isShort: /^\d{1,5}$/.test(value),
	};
}

/** The sensitive values that a request carries, to be known again if the service echoes them. */
export function sentSecrets(data: unknown): Secret[] {
	const secrets: Secret[] = [];
	const waiting = [data];
	while (waiting.length > 0) {
		const value = waiting.pop();
		if (Array.isArray(value)) {
			for (const entry of value) waiting.push(entry);
		} else if (isObject(value)) {
			for (const [name, entry] of Object.entries(value)) {
				const words = typeof entry === 'object' ? '' : String(entry).trim();
				if (!isSentSecret(meaningOf(name).kind) || words.length < 3) waiting.push(entry);
				else if (words.length <= LONGEST) secrets.push(sentSecret(name, words));
			}
		}
	}
	return secrets;
}
