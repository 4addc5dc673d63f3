/**
 * What must not be kept: n8n stores outputs and errors in its database. Sensitive values are found
 * by the name of their field, by a name in front of them in running text, and by value, when they
 * are known: the credential's tokens, and what a request itself has sent.
 */

const DOTS = '••••';

/** Left out altogether: no service needs to hand these back. */
const DROPPED = new Set(['cvc', 'cvv', 'cvc2', 'cvv2', 'securitycode']);
const SHORTENED = new Set(['accountnumber', 'routingnumber', 'cardnumber']);
/** What a request sends and no answer may repeat. */
const SENT = new Set([...DROPPED, ...SHORTENED, 'cardtoken']);

const NAMED_IN_TEXT =
	/((?:account|routing)[\s_-]?(?:number|no\.?)|cv[cv]2?|security[\s_-]?code)(\\{0,4}["']?\s{0,3}(?:[:=]|is)?\s{0,3}\\{0,4}["']?)(\d[\d -]{0,40}\d|\d)/gi;

function plain(name: string): string {
	return name.toLowerCase().replace(/[_\s-]/g, '');
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

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value in the forms in which it can come back inside text. */
function spellings(secret: string): string[] {
	const quoted = JSON.stringify(secret).slice(1, -1);
	return [...new Set([secret, quoted, encodeURIComponent(secret)])];
}

function escape(words: string): string {
	return words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

interface Pattern {
	find: RegExp;
	put: string;
}

/** Tokens are masked wherever they stand, whatever surrounds them. */
function tokenPattern(token: string): Pattern[] {
	return spellings(token).map((words) => ({ find: new RegExp(escape(words), 'g'), put: DOTS }));
}

/** Short numbers stand in many places, so a sent value counts only when it stands by itself. */
function sentPattern(name: string, value: string): Pattern[] {
	const put = SHORTENED.has(name) ? lastFour(value) : DOTS;
	if (/^\d{6,}$/.test(value)) {
		const spaced = [...value].join('[\\s-]?');
		return [{ find: new RegExp(`(?<!\\d)${spaced}(?!\\d)`, 'g'), put }];
	}
	return spellings(value).map((words) => ({
		find: new RegExp(`(?<![\\p{L}\\p{N}_-])${escape(words)}(?![\\p{L}\\p{N}_-])`, 'gu'),
		put,
	}));
}

/** The sensitive values that a request carries, to be recognised if the service echoes them. */
function sentSecrets(data: unknown, found: Pattern[] = []): Pattern[] {
	if (Array.isArray(data)) {
		for (const entry of data) sentSecrets(entry, found);
	} else if (isObject(data)) {
		for (const [name, value] of Object.entries(data)) {
			if (SENT.has(plain(name)) && typeof value === 'string' && value.trim().length >= 3) {
				found.push(...sentPattern(plain(name), value.trim()));
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
	const replace = (words: string, patterns: readonly Pattern[]) =>
		patterns.reduce((masked, { find, put }) => masked.replace(find, put), words);
	const text = (words: string, reveal = false) => {
		const masked = replace(words, tokens);
		if (reveal) return masked;
		return replace(masked, sent).replace(
			NAMED_IN_TEXT,
			(_, name: string, between: string, value: string) =>
				`${name}${between}${DROPPED.has(plain(name)) ? DOTS : lastFour(value)}`,
		);
	};
	const walk = (value: unknown, reveal: boolean): unknown => {
		if (typeof value === 'string') return text(value, reveal);
		if (Array.isArray(value)) return value.map((entry) => walk(entry, reveal));
		if (!isObject(value)) return value;
		const out: Record<string, unknown> = {};
		for (const [name, entry] of Object.entries(value)) {
			const known = plain(name);
			if (entry === undefined || (!reveal && DROPPED.has(known))) continue;
			const shown = !reveal && SHORTENED.has(known) ? shorten(entry) : walk(entry, reveal);
			// defineProperty, so that a field named __proto__ stays a field.
			Object.defineProperty(out, name, {
				value: shown,
				enumerable: true,
				writable: true,
				configurable: true,
			});
		}
		return out;
	};
	return {
		text: (words) => text(words),
		value: <T>(value: T, reveal = false): T => walk(value, reveal) as T,
		knowing: (data) => maskOf(tokens, sentSecrets(data)),
	};
}
