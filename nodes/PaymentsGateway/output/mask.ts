import type { Encoded } from './encoded';
import { encodedIn, mayBeEncoded } from './encoded';
import type { Kind } from './names';
import { holdsName, isSentSecret, isValueName, kindOf, namesSecret, sensitiveName } from './names';
import type { Hit } from './namedValues';
import { namedValues } from './namedValues';
import { mayBeEscaped, readings } from './readings';
import { isObject } from './record';
import type { Secret } from './secrets';
import { DOTS, lastFour, sentSecrets, tokenSecrets } from './secrets';

/**
 * What must not be kept: n8n stores outputs and errors in its database. Sensitive values are found
 * by the name of their field, by a name beside them in running text, and by value, when they are
 * known: the credential's tokens, and what a request itself has sent.
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

/** How much is masked of a text: all; no short codes; no names either; only tokens. */
type Reach = 'all' | 'figure' | 'identifier' | 'tokens';
type How = 'shown' | 'revealed' | 'typed';

interface Field {
	/** The name as it leaves: it may hold a token as well. */
	name: string;
	kind: Kind;
	isValue: boolean;
}

interface Waiting {
	container: object;
	/** A list's entries are what the list is. */
	kind: Kind;
}

const LEFT_OUT = Symbol('left out');
/** The same few names come with every row. Bounded: the service decides what they are. */
const MOST_NAMES = 1_000;
const LONGEST_NAME = 64;
const DEEPEST_CODE = 5;
/** In other scripts too: escapes themselves hold digits, or stand for signs. */
const HAS_DIGIT = /[\d\uff10-\uff19\ud835]/;
const LONG_NUMBER = /^\D{0,3}\d(?:[ -]?\d){7,}$/;

export function createMask(tokens: readonly string[]): Mask {
	return maskOf(tokenSecrets(tokens), []);
}

function isContainer(value: unknown): value is object {
	return typeof value === 'object' && value !== null;
}

function replaced(words: string, hits: Hit[]): string {
	if (hits.length === 0) return words;
	hits.sort((a, b) => a.from - b.from || b.to - a.to);
	let left = '';
	let done = 0;
	for (const { from, to, put } of hits) {
		// Of two that overlap, the first one's dots stand for both.
		if (from >= done) left += words.slice(done, from) + put;
		done = Math.max(done, to);
	}
	return left + words.slice(done);
}

/** Where JSON may begin and end. */
function* jsonIn(words: string): Generator<{ from: number; to: number; text: string }> {
	for (const [begin, end] of [
		[/["[{]/, /["}\]][^"}\]]*$/],
		[/[[{]/, /[}\]][^}\]]*$/],
	] as const) {
		const from = words.search(begin);
		const to = words.search(end) + 1;
		if (from >= 0 && to > from) yield { from, to, text: words.slice(from, to) };
	}
}

/** As it came, but for the dots, which people read. */
function inUrl(words: string, times: number): string {
	const parts = words.split(DOTS);
	for (let time = 0; time < times; time++) {
		for (const [index, part] of parts.entries()) parts[index] = encodeURIComponent(part);
	}
	return parts.join(DOTS);
}

function maskOf(tokens: readonly Secret[], sent: readonly Secret[]): Mask {
	const leastToken = Math.min(...tokens.map(({ least }) => least));
	const least = Math.min(leastToken, ...sent.map((secret) => secret.least));
	const longSent = sent.filter(({ isShort }) => !isShort);
	const secretsOf: Record<Reach, readonly Secret[]> = {
		all: [...tokens, ...sent],
		figure: [...tokens, ...longSent],
		identifier: [...tokens, ...longSent],
		tokens,
	};

	const hitsIn = (words: string, reach: Reach, depth: number): Hit[] | undefined => {
		const layers = readings(words);
		if (layers === undefined) return undefined;
		const hits: Hit[] = [];
		for (const { text, origin } of layers) {
			const add = ({ from, to, put }: Hit) => {
				hits.push({ from: origin(from), to: origin(to), put });
			};
			for (const { find, put, least: shortest } of secretsOf[reach]) {
				if (text.length < shortest) continue;
				for (const { 0: found, index } of text.matchAll(find)) {
					add({ from: index, to: index + found.length, put });
				}
			}
			if (reach !== 'tokens' && reach !== 'identifier') {
				namedValues(text).forEach(add);
				const json = text === words ? undefined : maskedJson(text);
				if (json !== undefined && json.put !== text.slice(json.from, json.to)) {
					const { from, to, put } = json;
					const isInUrl = words.startsWith('%', origin(from));
					add({
						from,
						to,
						put: isInUrl
							? inUrl(
									put,
									layers.findIndex((layer) => layer.text === text),
								)
							: put,
					});
				}
			}
			if (depth < DEEPEST_CODE) {
				for (const code of encodedIn(text)) {
					const hit = encodedHit(code, reach, depth);
					if (hit !== undefined) add(hit);
				}
			}
		}
		return hits;
	};

	const encodedHit = (code: Encoded, reach: Reach, depth: number): Hit | undefined => {
		const shown = text(code.text, reach === 'all' ? 'figure' : reach, depth + 1);
		if (shown === code.text) return undefined;
		return { from: code.from, to: code.to, put: code.encode(shown) ?? DOTS };
	};

	/** Asked of every text of every row; says no where a closer look is due. */
	const isPlain = (words: string, reach: Reach): boolean => {
		const hasDigit = HAS_DIGIT.test(words);
		const shortest = reach === 'tokens' ? leastToken : least;
		if (!hasDigit && words.length < shortest) return true;
		if (mayBeEscaped(words) || mayBeEncoded(words)) return false;
		if (hasDigit && reach !== 'tokens' && reach !== 'identifier' && holdsName(words)) return false;
		return words.length < shortest || !secretsOf[reach].some(({ find }) => words.search(find) >= 0);
	};

	const text = (words: string, reach: Reach, depth = 0): string => {
		if (isPlain(words, reach)) return words;
		const json = reach === 'all' || reach === 'figure' ? maskedJson(words) : undefined;
		const left = json === undefined ? words : replaced(words, [json]);
		// Its fields have told a code from other digits.
		const hits = hitsIn(left, json === undefined || reach !== 'all' ? reach : 'figure', depth);
		return hits === undefined ? DOTS : replaced(left, hits);
	};

	/** JSON in text, masked by its fields; undefined when there is none that can be read. */
	const maskedJson = (words: string): Hit | undefined => {
		if (sent.length === 0 && !namesSecret(words)) return undefined;
		for (const json of jsonIn(words)) {
			try {
				const value: unknown = JSON.parse(json.text);
				const shown = masked(value, 'shown');
				return { ...json, put: shown === value ? json.text : JSON.stringify(shown) };
			} catch {
				// No JSON, or nested deeper than JavaScript can write: masked as text.
			}
		}
		return undefined;
	};

	const number = (value: number, reach: Reach): unknown => {
		if (secretsOf[reach].length === 0) return value;
		const words = String(value);
		if (words.length < 6) return value;
		const hit = secretsOf[reach].find(({ find }) => words.search(find) >= 0);
		return hit === undefined ? value : hit.put;
	};

	const known = new Map<string, Field>();
	const fieldOf = (name: string): Field => {
		const before = known.get(name);
		if (before !== undefined) return before;
		const made = {
			name: text(name, 'figure'),
			kind: kindOf(name),
			isValue: isValueName(name),
		};
		if (known.size < MOST_NAMES && name.length <= LONGEST_NAME) known.set(name, made);
		return made;
	};

	const reachOf = (kind: Kind, how: How): Reach => {
		if (how === 'revealed') return 'tokens';
		return kind === 'identifier' || kind === 'figure' ? kind : 'all';
	};

	/** What is no object, as it leaves; an object is looked into by itself. */
	const leaf = (entry: unknown, kind: Kind, how: How): unknown => {
		if (typeof entry === 'string') {
			return how === 'typed' && namesSecret(entry) ? DOTS : text(entry, reachOf(kind, how));
		}
		if (typeof entry === 'number') return number(entry, reachOf(kind, how));
		return entry;
	};

	const underName = (entry: unknown, kind: Kind, how: How): unknown => {
		if (how === 'revealed' || typeof entry === 'boolean') return leaf(entry, kind, how);
		const isEmpty = entry === null || entry === undefined || entry === '';
		if (how === 'typed' && isSentSecret(kind)) return isEmpty ? entry : DOTS;
		if (kind === 'code') return LEFT_OUT;
		if (isEmpty) return entry;
		if (kind === 'account') {
			if (isContainer(entry)) return DOTS;
			const words = String(entry);
			// Words about an account, such as "is required", are no account.
			return /\d/.test(words) && !/[a-z]{2} [a-z]/i.test(words)
				? lastFour(words)
				: leaf(entry, kind, how);
		}
		if (kind === 'maybeAccount' && LONG_NUMBER.test(String(entry))) return lastFour(String(entry));
		return leaf(entry, kind, how);
	};

	/** The kind of a value whose name stands beside it as a value: { name: 'cvc', value: '123' }. */
	const pairKind = (pair: object, value: unknown): Kind | undefined => {
		for (const beside of Object.values(pair)) {
			if (beside === value) continue;
			// XML as JSON keeps the name among the attributes: { $: { name: 'cvc' }, _: '123' }.
			for (const words of isObject(beside) ? Object.values(beside) : [beside]) {
				const kind = typeof words === 'string' ? sensitiveName(words) : undefined;
				if (kind !== undefined) return kind;
			}
		}
		return undefined;
	};

	/** An entry of an object as it leaves. */
	const shownIn = (
		container: Readonly<Record<string, unknown>>,
		entry: unknown,
		field: Field,
		how: How,
	): unknown => {
		const isPair = field.isValue && how !== 'revealed' && entry !== null && entry !== '';
		return underName(entry, (isPair ? pairKind(container, entry) : undefined) ?? field.kind, how);
	};

	/** An entry of a list as it leaves, also where its name goes before it: ['cvc', '123']. */
	const shownAt = (list: readonly unknown[], index: number, kind: Kind, how: How): unknown => {
		const entry = list[index];
		const name = index > 0 && how !== 'revealed' ? list[index - 1] : undefined;
		const named = typeof name === 'string' ? sensitiveName(name) : undefined;
		if (
			named !== undefined &&
			named !== 'cardToken' &&
			!isContainer(entry) &&
			HAS_DIGIT.test(String(entry))
		) {
			return named === 'code' ? DOTS : lastFour(String(entry));
		}
		return leaf(entry, kind, how);
	};

	/** Most rows hold nothing to mask, and leave as they came: nothing is copied for them. */
	const isClean = (value: object, how: How): boolean => {
		const waiting: Waiting[] = [{ container: value, kind: 'other' }];
		for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
			const { container, kind } = next;
			if (Array.isArray(container)) {
				for (let index = 0; index < container.length; index++) {
					const shown = shownAt(container, index, kind, how);
					if (shown !== container[index]) return false;
					if (isContainer(shown)) waiting.push({ container: shown, kind });
				}
			} else if (isObject(container)) {
				for (const name of Object.keys(container)) {
					const entry = container[name];
					const field = fieldOf(name);
					const shown = shownIn(container, entry, field, how);
					if (shown !== entry || field.name !== name) return false;
					if (isContainer(shown)) waiting.push({ container: shown, kind: field.kind });
				}
			}
		}
		return true;
	};

	/** In a loop: however deep it is nested, it leaves. */
	const copy = (value: object, how: How): unknown => {
		const waiting: Array<Waiting & { into: object }> = [];
		const copied = (shown: unknown, kind: Kind): unknown => {
			// What has no fields may be a date, or anything else that is no data.
			if (!isContainer(shown) || Object.keys(shown).length === 0) return shown;
			const into = Array.isArray(shown) ? [] : {};
			waiting.push({ container: shown, kind, into });
			return into;
		};
		const whole = copied(value, 'other');
		for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
			const { container, kind, into } = next;
			if (Array.isArray(container) && Array.isArray(into)) {
				for (let index = 0; index < container.length; index++) {
					into.push(copied(shownAt(container, index, kind, how), kind));
				}
			} else if (isObject(container)) {
				for (const name of Object.keys(container)) {
					const field = fieldOf(name);
					const shown = shownIn(container, container[name], field, how);
					if (shown !== LEFT_OUT) define(into, field.name, copied(shown, field.kind));
				}
			}
		}
		return whole;
	};

	const masked = (value: unknown, how: How): unknown => {
		if (!isContainer(value)) return leaf(value, 'other', how);
		return isClean(value, how) ? value : copy(value, how);
	};

	/** What left once is not looked at again. */
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
