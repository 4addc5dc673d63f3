/**
 * Text can come escaped for JSON, a URL or HTML, several times over, or with invisible characters
 * in it. This gives the text as it stands, then with one layer of escapes undone, then with two,
 * until nothing is left to undo, and knows for each character where it stood in the original. So a
 * secret is found in plain text, and hidden in the original.
 */

export interface Reading {
	text: string;
	/** Where the character at an index, up to the end, stood in the text that came. */
	origin: (index: number) => number;
}

const SIGNS: Readonly<Record<string, string>> = {
	amp: '&',
	apos: "'",
	ast: '*',
	bsol: '\\',
	colon: ':',
	comma: ',',
	commat: '@',
	dash: '-',
	dollar: '$',
	equals: '=',
	excl: '!',
	grave: '`',
	gt: '>',
	hat: '^',
	hyphen: '-',
	lbrace: '{',
	lbrack: '[',
	lcub: '{',
	lowbar: '_',
	lpar: '(',
	lsqb: '[',
	lt: '<',
	midast: '*',
	nbsp: ' ',
	newline: '\n',
	num: '#',
	percnt: '%',
	period: '.',
	plus: '+',
	quest: '?',
	quot: '"',
	rbrace: '}',
	rbrack: ']',
	rcub: '}',
	rpar: ')',
	rsqb: ']',
	semi: ';',
	sol: '/',
	tab: '\t',
	underbar: '_',
	verbar: '|',
	vert: '|',
};

/** Anything but common letters and signs. Most text has nothing else, and is read once. */
export const MAY_BE_ESCAPED =
	/[^\t\n\r -$'-[\]-~\u00a0-\u00ac\u00ae-\u034e\u2010-\u2027\u4e00-\u9fff]/;
const ESCAPED = new RegExp(
	[
		'%(?:u[\\da-f]{4}|[0-7][\\da-f]|[c-f][\\da-f](?:%[89ab][\\da-f])+)',
		'\\\\(?:u(?:[\\da-f]{4}|\\{[\\da-f]{1,6}\\})|x[\\da-f]{2}|["\'\\\\/bfnrt])',
		`&(?:#\\d{1,7};?|#x[\\da-f]{1,6};?|(?:shy|zwn?j|${Object.keys(SIGNS).join('|')});)`,
		// Letters and digits in another width or weight, and what is not seen at all.
		'[\\uff01-\\uff5e]|(?!\\p{Cn})[\\u{1d400}-\\u{1d7ff}]|\\p{DI}|(?!\\s)\\p{Cc}',
	].join('|'),
	'giu',
);
/** A bound on layers times length. A text beyond it is hidden as a whole. */
const MOST_WORK = 1_000_000;
const MOST_LAYERS_OF_LONG_TEXT = 8;

function character(code: number): string {
	return String.fromCodePoint(Math.min(code, 0x10ffff));
}

function undone(escaped: string): string {
	const kind = escaped.charAt(0);
	const hex = /^(?:%u|\\u\{?|\\x|&#x)([\da-f]+)/i.exec(escaped)?.[1];
	if (hex !== undefined) return character(parseInt(hex, 16));
	if (kind === '%') return Buffer.from(escaped.replaceAll('%', ''), 'hex').toString();
	if (kind === '\\') {
		const sign = escaped.charAt(1);
		return /[bfnrt]/i.test(sign) ? '\n' : sign;
	}
	if (kind === '&') {
		if (escaped.charAt(1) === '#') return character(parseInt(escaped.slice(2), 10));
		return SIGNS[escaped.slice(1, -1).toLowerCase()] ?? '';
	}
	return /^(?:\p{DI}|\p{Cc})/u.test(escaped) ? '' : escaped.normalize('NFKC');
}

/** One layer less, or undefined when there is none. */
function undo({ text, origin }: Reading): Reading | undefined {
	ESCAPED.lastIndex = 0;
	let match = ESCAPED.exec(text);
	if (match === null) return undefined;
	let plain = '';
	const origins: number[] = [];
	let done = 0;
	const keep = (until: number) => {
		for (let index = done; index < until; index++) origins.push(origin(index));
		plain += text.slice(done, until);
	};
	for (; match !== null; match = ESCAPED.exec(text)) {
		const [escaped] = match;
		keep(match.index);
		const sign = undone(escaped);
		for (let unit = 0; unit < sign.length; unit++) origins.push(origin(match.index));
		plain += sign;
		done = match.index + escaped.length;
	}
	keep(text.length);
	origins.push(origin(text.length));
	return { text: plain, origin: (index) => origins[index] ?? 0 };
}

/** The text in each of its layers; undefined when it has more of them than a real text. */
export function readings(text: string): Reading[] | undefined {
	const found: Reading[] = [{ text, origin: (index) => index }];
	if (!MAY_BE_ESCAPED.test(text)) return found;
	const most = Math.max(MOST_WORK, text.length * MOST_LAYERS_OF_LONG_TEXT);
	let work = 0;
	for (let last = found[0]; last !== undefined; last = undo(last)) {
		if (last !== found[0]) found.push(last);
		work += last.text.length;
		if (work > most) return undefined;
	}
	return found;
}

/** The innermost layer alone. */
export function unescaped(text: string): string {
	return readings(text)?.at(-1)?.text ?? text;
}
