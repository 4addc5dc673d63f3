import type { Reach } from './maskedText';
import { createTextMask, HAS_DIGIT } from './maskedText';
import type { Kind, Meaning } from './names';
import { byName, isSentSecret, meaningOf, namesSecret, sensitiveName } from './names';
import { isObject } from '../wire/json';
import type { Secret } from './secrets';
import { DOTS, lastFour, sentSecrets, tokenSecrets } from './secrets';

/**
 * Masks what n8n must not store in its database with outputs and errors: tokens, security codes,
 * account numbers. They are found by the name of their field, by a name beside them in running
 * text, and by value where that is known: the credential's tokens, and what a request has sent.
 */

export interface Mask {
	/** Running text: an error's words, a payload that is not JSON. */
	text(words: string): string;
	/** Any value on its way out. With `reveal`, only the tokens are masked. */
	value<T>(value: T, reveal?: boolean): T;
	/** What was typed into a node: nothing of it is shown under a sensitive name. */
	typed<T>(parameters: T): T;
	/** A mask that also knows what this request has sent. */
	knowing(data: unknown): Mask;
}

type How = 'shown' | 'revealed' | 'typed';

interface Field {
	/** The name as it is returned: it may hold a token as well. */
	shown: string;
	meaning: Meaning;
}

interface Waiting {
	container: object;
	/** The name it stands under; a list's entries stand under the list's. */
	under: string;
	/** How deep it is nested. */
	level: number;
}

const LEFT_OUT = Symbol('left out');
/** What is nested deeper cannot be stored: from some thousand levels on n8n fails to write it. */
const MOST_LEVELS = 1_000;
const TOO_DEEP = '(nested too deep to be shown)';
/** A number of fewer digits is a figure, whatever secret it is like. */
const SHORTEST_NUMBER = 6;
/** An account's number among words, such as the bank's name. */
const LONG_RUN = /\d(?:[ .-]?\d){5}/;
const LONG_NUMBER = /^\D{0,3}\d(?:[ -]?\d){7,}$/;

export function createMask(tokens: readonly string[]): Mask {
	return maskOf(tokenSecrets(tokens), []);
}

function isContainer(value: unknown): value is object {
	return typeof value === 'object' && value !== null;
}

function isAccount(value: unknown, kind: Kind): boolean {
	const words = String(value);
	if (kind !== 'account') return kind === 'maybeAccount' && LONG_NUMBER.test(words);
	// Words about an account, such as "needs 9 digits", are no account.
	return LONG_RUN.test(words) || (/\d/.test(words) && !/[a-z]{2} (?:\d{1,3} )?[a-z]/i.test(words));
}

function maskOf(tokens: readonly Secret[], sent: readonly Secret[]): Mask {
	const text = createTextMask(tokens, sent, (value) => masked(value, 'shown'));

	const fieldOf = byName((name): Field => ({
		shown: text(name, 'figure'),
		meaning: meaningOf(name),
	}));

	const reachOf = (kind: Kind, how: How): Reach => {
		// An ID that the service gives is worked with, also one that is a saved card's token.
		if (how === 'revealed' || kind === 'identifier') return 'tokens';
		return kind === 'opaque' || kind === 'figure' ? kind : 'all';
	};

	/** A text or number as it is returned. What is in objects and lists, `copy` walks through. */
	const leaf = (entry: unknown, kind: Kind, how: How): unknown => {
		if (typeof entry === 'string') {
			return how === 'typed' && namesSecret(entry) ? DOTS : text(entry, reachOf(kind, how));
		}
		if (typeof entry !== 'number') return entry;
		const words = String(entry);
		if (words.length < SHORTEST_NUMBER) return entry;
		const reach = reachOf(kind, how);
		const shown = text(words, reach === 'all' ? 'figure' : reach);
		return shown === words ? entry : shown;
	};

	const underName = (entry: unknown, kind: Kind, how: How): unknown => {
		if (how === 'revealed' || typeof entry === 'boolean') return leaf(entry, kind, how);
		if (how === 'typed' && isSentSecret(kind)) {
			return entry === null || entry === undefined || entry === '' ? entry : DOTS;
		}
		if (kind === 'code') return LEFT_OUT;
		if (isContainer(entry)) return kind === 'account' ? DOTS : entry;
		// Of a token that stands there not even the last four are shown.
		return isAccount(entry, kind)
			? lastFour(text(String(entry), 'tokens'))
			: leaf(entry, kind, how);
	};

	/** The kind of a value whose name stands beside it as a value: { name: 'cvc', value: '123' }. */
	const pairKind = (pair: object, value: unknown): Kind | undefined => {
		for (const [key, beside] of Object.entries(pair)) {
			if (beside === value) continue;
			// XML as JSON keeps the name among the attributes: { $: { name: 'cvc' }, _: '123' }.
			for (const [name, words] of isObject(beside) ? Object.entries(beside) : [[key, beside]]) {
				if (typeof words !== 'string' || !meaningOf(name).isNaming) continue;
				const kind = sensitiveName(words);
				if (kind !== undefined) return kind;
			}
		}
		return undefined;
	};

	/** An entry of an object as it is returned. */
	const shownIn = (
		container: Readonly<Record<string, unknown>>,
		entry: unknown,
		{ shown, meaning }: Field,
		under: string,
		how: How,
	): unknown => {
		const { kind } = meaning.isPart ? meaningOf(`${under} ${shown}`) : meaning;
		const isPair = meaning.isValue && how !== 'revealed' && entry !== null && entry !== '';
		return underName(entry, (isPair ? pairKind(container, entry) : undefined) ?? kind, how);
	};

	/** An entry of a list as it is returned, also where its name goes before it: ['cvc', '123']. */
	const shownAt = (list: readonly unknown[], index: number, under: string, how: How): unknown => {
		const entry = list[index];
		if (isContainer(entry)) return entry;
		const before = list[index - 1];
		const isNamed = typeof before === 'string' && how !== 'revealed';
		const named = isNamed && HAS_DIGIT.test(String(entry)) ? sensitiveName(before) : undefined;
		if (named === 'code') return DOTS;
		return underName(entry, named === 'account' ? named : meaningOf(under).kind, how);
	};

	/** Most rows hold nothing to mask. They are returned as they are, without the cost of a copy. */
	const isClean = (value: object, how: How): boolean => {
		const waiting: Waiting[] = [{ container: value, under: '', level: 1 }];
		for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
			const { container, under, level } = next;
			if (level > MOST_LEVELS) return false;
			if (Array.isArray(container)) {
				for (let index = 0; index < container.length; index++) {
					const shown = shownAt(container, index, under, how);
					if (!Object.is(shown, container[index])) return false;
					if (isContainer(shown)) waiting.push({ container: shown, under, level: level + 1 });
				}
			} else if (isObject(container)) {
				for (const name of Object.keys(container)) {
					const entry = container[name];
					const field = fieldOf(name);
					const shown = shownIn(container, entry, field, under, how);
					if (!Object.is(shown, entry) || field.shown !== name) return false;
					if (isContainer(shown)) {
						const inner = field.meaning.isFiller ? under : name;
						waiting.push({ container: shown, under: inner, level: level + 1 });
					}
				}
			}
		}
		return true;
	};

	/** A loop and no recursion, so that no depth of nesting overflows the stack. */
	const copy = (value: object, how: How): unknown => {
		const waiting: Array<Waiting & { into: object }> = [];
		const copied = (shown: unknown, under: string, level: number): unknown => {
			// An object without fields may be a date or the like, so it is kept as it is.
			if (!isContainer(shown) || Object.keys(shown).length === 0) return shown;
			if (level > MOST_LEVELS) return TOO_DEEP;
			const into = Array.isArray(shown) ? [] : {};
			waiting.push({ container: shown, under, level, into });
			return into;
		};
		const whole = copied(value, '', 1);
		for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
			const { container, under, level, into } = next;
			const inner = level + 1;
			if (Array.isArray(container) && Array.isArray(into)) {
				for (let index = 0; index < container.length; index++) {
					into.push(copied(shownAt(container, index, under, how), under, inner));
				}
			} else if (isObject(container)) {
				for (const name of Object.keys(container)) {
					const field = fieldOf(name);
					const shown = shownIn(container, container[name], field, under, how);
					if (shown === LEFT_OUT) continue;
					define(into, field.shown, copied(shown, field.meaning.isFiller ? under : name, inner));
				}
			}
		}
		return whole;
	};

	const masked = (value: unknown, how: How): unknown => {
		if (!isContainer(value)) return leaf(value, 'other', how);
		return isClean(value, how) ? value : copy(value, how);
	};

	/** Values that were masked once are not searched again. */
	const passed = new WeakSet<object>();
	const mask: Mask = {
		text: (words) => text(words, 'all'),
		value: <T>(value: T, reveal = false): T => {
			if (isContainer(value) && passed.has(value)) return value;
			const shown = masked(value, reveal ? 'revealed' : 'shown');
			if (!reveal && isContainer(shown)) passed.add(shown);
			return shown as T;
		},
		typed: <T>(parameters: T): T => masked(parameters, 'typed') as T,
		knowing: (data) => {
			const secrets = sentSecrets(data);
			return secrets.length === 0 ? mask : maskOf(tokens, secrets);
		},
	};
	return mask;
}

/** Unlike an assignment, this keeps a field named __proto__ a field, and two names apart. */
function define(target: object, name: string, value: unknown): void {
	let free = name;
	for (let count = 2; Object.hasOwn(target, free); count++) free = `${name} (${count})`;
	Object.defineProperty(target, free, {
		value,
		configurable: true,
		enumerable: true,
		writable: true,
	});
}
