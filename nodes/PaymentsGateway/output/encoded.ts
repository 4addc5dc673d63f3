/**
 * Finds Base64 and hex in a text and decodes it, so that a secret in it can be masked. Most of what
 * looks like either is an ID, so a stretch is decoded only if it would begin with readable letters.
 */

export interface Encoded {
	from: number;
	to: number;
	text: string;
	/** The stretch with another text in it; undefined when it held more than text. */
	encode: (text: string) => string | undefined;
}

interface Code {
	name: BufferEncoding;
	/** A quick test: letters that decode to plain letters. Without a match there is nothing to find. */
	maybe: RegExp;
	stretch: RegExp;
	/** At which character to begin: a word before the code may consist of the same letters. */
	offsets: readonly number[];
}

const CODES: readonly Code[] = [
	{
		name: 'base64',
		maybe: /(?:[A-Za-f][A-HQ-Xg-nw-z0-3][ABEFIJMNQRUVYZcdghklopstwx014589][\w+/-]){3}/,
		stretch: /[\w+/-]{12,}(?:[\r\n]+[\w+/-]+)*={0,2}/g,
		offsets: [0, 1, 2, 3],
	},
	{
		name: 'hex',
		maybe: /(?:[2-7][\da-fA-F]){6}/,
		stretch: /[\da-f]{12,}/gi,
		offsets: [0, 1],
	},
];
const READABLE = /[ -~]{6}/;

export function mayBeEncoded(words: string): boolean {
	return CODES.some(({ maybe }) => maybe.test(words));
}

export function* encodedIn(words: string): Generator<Encoded> {
	for (const { name, maybe, stretch, offsets } of CODES) {
		for (const { 0: found, index } of words.matchAll(stretch)) {
			if (!maybe.test(found)) continue;
			for (const offset of offsets) {
				const bytes = Buffer.from(found.slice(offset), name);
				const text = bytes.toString();
				if (!READABLE.test(text)) continue;
				const encode = (other: string) => {
					if (!Buffer.from(text).equals(bytes)) return undefined;
					const isForUrls = /[-_]/.test(found);
					return Buffer.from(other).toString(isForUrls ? 'base64url' : name);
				};
				yield { from: index + offset, to: index + found.length, text, encode };
			}
		}
	}
}
