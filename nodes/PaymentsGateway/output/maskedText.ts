import type { Encoded } from './encoded';
import { encodedIn, mayBeEncoded } from './encoded';
import { holdsName, namesSecret } from './names';
import type { Hit } from './namedValues';
import { namedValues } from './namedValues';
import { MAY_BE_ESCAPED, readings } from './readings';
import { saysAccount, saidAccounts } from './sentences';
import type { Secret } from './secrets';
import { DOTS } from './secrets';

/**
 * Masks a text. In each of its readings (`readings.ts`), known secrets are replaced, and so are
 * values that have a sensitive name beside them. JSON in the text is masked by its fields, Base64
 * and hex by what they decode to.
 */

/** How much is masked: all; no short codes; no values by their names either; only tokens. */
export type Reach = 'all' | 'figure' | 'opaque' | 'tokens';

interface TextMask {
	text(words: string, reach: Reach): string;
	number(value: number, reach: Reach): unknown;
}

const DEEPEST_CODE = 12;
/** The shortest text that can hold a sensitive name and a digit. */
const SHORTEST_NAMED = 5;
const SHORTEST_NUMBER = 6;
const LETTERS_LOOKED_AT = 300_000;
const LOOKS_AT_LONG_TEXT = 8;
/** A digit, also a full-width or bold one of Unicode. */
export const HAS_DIGIT = /[\d\uff10-\uff19\ud835]/;

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

/** Encoded for a URL again, except the dots: people read those. */
function inUrl(words: string, times: number): string {
	const parts = words.split(DOTS);
	for (let time = 0; time < times; time++) {
		for (const [index, part] of parts.entries()) parts[index] = encodeURIComponent(part);
	}
	return parts.join(DOTS);
}

export function createTextMask(
	tokens: readonly Secret[],
	sent: readonly Secret[],
	/** JSON's own value, masked by its fields. */
	maskedValue: (value: unknown) => unknown,
): TextMask {
	const leastToken = Math.min(...tokens.map(({ least }) => least));
	const least = Math.min(leastToken, ...sent.map((secret) => secret.least));
	const withoutCodes = [...tokens, ...sent.filter(({ isShort }) => !isShort)];
	const secretsOf: Record<Reach, readonly Secret[]> = {
		all: [...tokens, ...sent],
		figure: withoutCodes,
		opaque: withoutCodes,
		tokens,
	};
	const readsNames = (reach: Reach) => reach === 'all' || reach === 'figure';

	/** Undefined when the text has more layers of escapes than a real one. */
	const hitsIn = (words: string, reach: Reach, depth: number): Hit[] | undefined => {
		const layers = readings(words);
		if (layers === undefined) return undefined;
		const hits: Hit[] = [];
		for (const [layer, { text: read, origin }] of layers.entries()) {
			const found = knownIn(read, reach);
			if (readsNames(reach)) {
				found.push(...namedValues(read), ...saidAccounts(read));
				const json = layer === 0 ? undefined : maskedJson(read);
				if (json?.isChanged) {
					const isInUrl = words.startsWith('%', origin(json.from));
					found.push({ ...json, put: isInUrl ? inUrl(json.put, layer) : json.put });
				}
			}
			if (depth < DEEPEST_CODE) {
				for (const code of encodedIn(read)) found.push(...encodedHits(code, reach, depth));
			}
			for (const { from, to, put } of found) {
				hits.push({ from: origin(from), to: origin(to), put });
			}
		}
		return hits;
	};

	const knownIn = (words: string, reach: Reach): Hit[] =>
		secretsOf[reach].flatMap((secret) =>
			words.length < secret.least
				? []
				: [...words.matchAll(secret.find)].map(({ 0: found, index }) => ({
						from: index,
						to: index + found.length,
						put: secret.put,
					})),
		);

	const encodedHits = (code: Encoded, reach: Reach, depth: number): Hit[] => {
		// Among what only looks encoded, three digits in a row mean nothing.
		const shown = maskedText(code.text, reach === 'all' ? 'figure' : reach, depth + 1);
		if (shown === code.text) return [];
		return [{ from: code.from, to: code.to, put: code.encode(shown) ?? DOTS }];
	};

	/** JSON in text, masked by its fields; undefined when there is none that can be read. */
	const maskedJson = (words: string): (Hit & { isChanged: boolean }) | undefined => {
		if (sent.length === 0 && !namesSecret(words)) return undefined;
		for (const { from, to, text: json } of jsonIn(words)) {
			try {
				const value: unknown = JSON.parse(json);
				const shown = maskedValue(value);
				const isChanged = shown !== value;
				return { from, to, isChanged, put: isChanged ? JSON.stringify(shown) : json };
			} catch {
				// No JSON, or nested deeper than JavaScript can write: masked as text.
			}
		}
		return undefined;
	};

	/** Quick, as every text of every row comes here. True only if nothing in it can need masking. */
	const isPlain = (words: string, reach: Reach): boolean => {
		const shortest = reach === 'tokens' ? leastToken : least;
		const { length } = words;
		if (length < shortest && length < SHORTEST_NAMED) return true;
		const hasDigit = HAS_DIGIT.test(words);
		if (length < shortest && !hasDigit) return true;
		if (MAY_BE_ESCAPED.test(words) || mayBeEncoded(words)) return false;
		if (hasDigit && readsNames(reach) && (holdsName(words) || saysAccount(words))) return false;
		return length < shortest || !secretsOf[reach].some(({ find }) => words.search(find) >= 0);
	};

	/** A bound on the work: how many letters may still be searched in texts within this text. */
	let left: number | undefined;

	const maskedText = (words: string, reach: Reach, depth = 0): string => {
		if (isPlain(words, reach)) return words;
		const isOutermost = left === undefined;
		left = (left ?? Math.max(LETTERS_LOOKED_AT, words.length * LOOKS_AT_LONG_TEXT)) - words.length;
		// Nested deeper than a real text: hidden as a whole.
		if (left < 0) return DOTS;
		try {
			return closelyMasked(words, reach, depth);
		} finally {
			if (isOutermost) left = undefined;
		}
	};

	const closelyMasked = (words: string, reach: Reach, depth: number): string => {
		const json = readsNames(reach) ? maskedJson(words) : undefined;
		const shown = json === undefined ? words : replaced(words, [json]);
		// The codes in JSON are masked by now, by their fields' names; other digits are no codes.
		const hits = hitsIn(shown, json !== undefined && reach === 'all' ? 'figure' : reach, depth);
		return hits === undefined ? DOTS : replaced(shown, hits);
	};

	return {
		text: (words, reach) => maskedText(words, reach),
		number: (value, reach) => {
			if (secretsOf[reach].length === 0) return value;
			const words = String(value);
			if (words.length < SHORTEST_NUMBER) return value;
			return secretsOf[reach].find(({ find }) => words.search(find) >= 0)?.put ?? value;
		},
	};
}
