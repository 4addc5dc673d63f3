import type { Encoded } from './encoded';
import { encodedIn, mayBeEncoded } from './encoded';
import { mayHoldName } from './names';
import type { Hit } from './namedValues';
import { namedValues } from './namedValues';
import { MAY_BE_ESCAPED, readings } from './readings';
import { saidAccounts } from './sentences';
import type { Secret } from './secrets';
import { DOTS } from './secrets';

/**
 * Masks a text. In each of its readings (`readings.ts`), known secrets are replaced, and so are
 * values that have a sensitive name beside them. JSON in the text is masked by its fields, Base64
 * and hex by what they decode to.
 */

/** How much is masked: all; no short codes; no values by their names either; only tokens. */
export type Reach = 'all' | 'figure' | 'opaque' | 'tokens';

const LETTERS_LOOKED_AT = 300_000;
const LOOKS_AT_LONG_TEXT = 8;
/** A digit, also a full-width or bold one of Unicode. */
export const HAS_DIGIT = /[\d\uff10-\uff19\ud835]/;

function replaced(words: string, hits: Hit[]): string {
	const apart: Hit[] = [];
	for (const hit of hits.sort((a, b) => a.from - b.from || b.to - a.to)) {
		const last = apart.at(-1);
		if (last === undefined || hit.from >= last.to) {
			apart.push(hit);
		} else {
			// Of two that overlap, one stands for both, and shows no more than either.
			last.to = Math.max(last.to, hit.to);
			if (hit.put === DOTS && last.put.startsWith(DOTS)) last.put = DOTS;
		}
	}
	let done = 0;
	const parts = apart.map(({ from, to, put }) => {
		const part = words.slice(done, from) + put;
		done = to;
		return part;
	});
	return parts.join('') + words.slice(done);
}

/** Where JSON may begin and end. */
const JSON_IN = [/^[^"[{]*(?<json>["[{].*["}\]])/s, /^[^[{]*(?<json>[[{].*[}\]])/s];

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
): (words: string, reach: Reach) => string {
	const least = Math.min(...[...tokens, ...sent].map((secret) => secret.least));
	const withoutCodes = [...tokens, ...sent.filter(({ isShort }) => !isShort)];
	const secretsOf: Record<Reach, readonly Secret[]> = {
		all: [...tokens, ...sent],
		figure: withoutCodes,
		opaque: withoutCodes,
		tokens,
	};
	const readsNames = (reach: Reach) => reach === 'all' || reach === 'figure';

	/** Undefined when the text has more layers of escapes than a real one. */
	const hitsIn = (
		words: string,
		reach: Reach,
		json: Array<Omit<Hit, 'put'>>,
	): Hit[] | undefined => {
		const layers = readings(words);
		if (layers === undefined) return undefined;
		const hits: Hit[] = [];
		for (const [layer, { text: read, origin }] of layers.entries()) {
			const found = knownIn(read, reach);
			if (readsNames(reach)) {
				found.push(...namedValues(read), ...saidAccounts(read));
				const inner = layer === 0 ? undefined : maskedJson(read);
				if (inner !== undefined) json.push({ from: origin(inner.from), to: origin(inner.to) });
				if (inner?.isChanged) {
					const isInUrl = words.startsWith('%', origin(inner.from));
					found.push({ ...inner, put: isInUrl ? inUrl(inner.put, layer) : inner.put });
				}
			}
			for (const code of encodedIn(read)) found.push(...encodedHits(code, reach));
			for (const hit of found) {
				hits.push({ ...hit, from: origin(hit.from), to: origin(hit.to) });
			}
		}
		// In JSON a code is masked by its field; the same digits elsewhere in it are a figure.
		return hits.filter(
			({ isShort, from, to }) =>
				!isShort || !json.some((stretch) => stretch.from <= from && to <= stretch.to),
		);
	};

	const knownIn = (words: string, reach: Reach): Hit[] =>
		secretsOf[reach].flatMap(({ find, put, isShort }) =>
			[...words.matchAll(find)].map(({ 0: found, index }) => ({
				from: index,
				to: index + found.length,
				put,
				isShort,
			})),
		);

	const encodedHits = (code: Encoded, reach: Reach): Hit[] => {
		// Among what only looks encoded, three digits in a row mean nothing.
		const shown = maskedText(code.text, reach === 'all' ? 'figure' : reach);
		if (shown === code.text) return [];
		return [{ from: code.from, to: code.to, put: code.encode(shown) ?? DOTS }];
	};

	/** JSON in text, masked by its fields; undefined when there is none that can be read. */
	const maskedJson = (words: string): (Hit & { isChanged: boolean }) | undefined => {
		if (sent.length === 0 && !mayHoldName(words)) return undefined;
		for (const pattern of JSON_IN) {
			const found = pattern.exec(words);
			const json = found?.groups?.json;
			if (json === undefined) continue;
			try {
				const value: unknown = JSON.parse(json);
				const shown = maskedValue(value);
				const isChanged = shown !== value;
				const from = words.indexOf(json);
				const put = isChanged ? JSON.stringify(shown) : json;
				return { from, to: from + json.length, isChanged, put };
			} catch {
				// No JSON, or nested deeper than JavaScript can write: masked as text.
			}
		}
		return undefined;
	};

	/** Quick, as every text of every row comes here. True only if nothing in it can need masking. */
	const isPlain = (words: string, reach: Reach): boolean => {
		const hasDigit = HAS_DIGIT.test(words);
		if (!hasDigit && words.length < least) return true;
		if (MAY_BE_ESCAPED.test(words) || mayBeEncoded(words)) return false;
		if (hasDigit && readsNames(reach) && mayHoldName(words)) return false;
		return !secretsOf[reach].some(({ find }) => words.search(find) >= 0);
	};

	/** A bound on the work: how many letters may still be searched in texts within this text. */
	let left: number | undefined;

	const maskedText = (words: string, reach: Reach): string => {
		if (isPlain(words, reach)) return words;
		const isOutermost = left === undefined;
		left = (left ?? Math.max(LETTERS_LOOKED_AT, words.length * LOOKS_AT_LONG_TEXT)) - words.length;
		// Nested deeper than a real text: hidden as a whole.
		if (left < 0) return DOTS;
		try {
			return closelyMasked(words, reach);
		} finally {
			if (isOutermost) left = undefined;
		}
	};

	const closelyMasked = (words: string, reach: Reach): string => {
		const json = readsNames(reach) ? maskedJson(words) : undefined;
		const shown = json === undefined ? words : replaced(words, [json]);
		const stretches =
			json === undefined ? [] : [{ from: json.from, to: json.from + json.put.length }];
		const hits = hitsIn(shown, reach, stretches);
		return hits === undefined ? DOTS : replaced(shown, hits);
	};

	return maskedText;
}
