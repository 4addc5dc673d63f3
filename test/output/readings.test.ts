import fc from 'fast-check';

import { readings, unescaped } from '../../nodes/PaymentsGateway/output/readings';

/**
 * What is escaped is read as whoever it was escaped for would read it, and of each letter it is
 * known where it stood.
 */

/** As HTML names them. */
const ENTITIES: Readonly<Record<string, readonly string[]>> = {
	' ': ['nbsp'],
	'\t': ['Tab'],
	'\n': ['NewLine'],
	'!': ['excl'],
	'"': ['quot', 'QUOT'],
	'#': ['num'],
	$: ['dollar'],
	'%': ['percnt'],
	'&': ['amp', 'AMP'],
	"'": ['apos'],
	'(': ['lpar'],
	')': ['rpar'],
	'*': ['ast', 'midast'],
	'+': ['plus'],
	',': ['comma'],
	'-': ['dash', 'hyphen'],
	'.': ['period'],
	'/': ['sol'],
	':': ['colon'],
	';': ['semi'],
	'<': ['lt', 'LT'],
	'=': ['equals'],
	'>': ['gt', 'GT'],
	'?': ['quest'],
	'@': ['commat'],
	'[': ['lsqb', 'lbrack'],
	'\\': ['bsol'],
	']': ['rsqb', 'rbrack'],
	'^': ['Hat'],
	_: ['lowbar', 'UnderBar'],
	'`': ['grave'],
	'{': ['lcub', 'lbrace'],
	'|': ['verbar', 'vert'],
	'}': ['rcub', 'rbrace'],
	'': ['shy', 'zwj', 'zwnj'],
};

test.each(Object.entries(ENTITIES))('%j is read from its names in HTML', (sign, names) => {
	for (const name of names) expect(unescaped(`a&${name};z`)).toBe(`a${sign}z`);
});

test('every sign of the keyboard has such a name', () => {
	for (let code = 33; code < 127; code++) {
		const sign = String.fromCharCode(code);
		if (/[^A-Za-z0-9~]/.test(sign)) expect(ENTITIES).toHaveProperty([sign]);
	}
});

test.each([
	['\\"', '"'],
	["\\'", "'"],
	['\\/', '/'],
	['\\\\', '\\'],
	['\\n', '\n'],
	['\\u0041', 'A'],
	['\\u00e9', 'é'],
	['\\U0041', 'A'],
	['\\u{41}', 'A'],
	['\\u{1f600}', '😀'],
	['\\x41', 'A'],
	['%41', 'A'],
	['%7e', '~'],
	['%C3%A9', 'é'],
	['%e2%82%ac', '€'],
	['%u0041', 'A'],
	['&#65;', 'A'],
	['&#65', 'A'],
	['&#0065;', 'A'],
	['&#x41;', 'A'],
	['&#X41', 'A'],
	['&#128512;', '😀'],
	['Ａ', 'A'],
	['９', '9'],
	['～', '~'],
	['\u{1d400}', 'A'],
	['\u{1d7ff}', '9'],
	['\u200b', ''],
	['\u00ad', ''],
	['\u034f', ''],
	['\u2060', ''],
	['\ufeff', ''],
	['\ufe0f', ''],
	['\u0000', ''],
	['\u007f', ''],
	['\u009f', ''],
	['\u{e0041}', ''],
])('%j is read as %j', (escaped, plain) => {
	expect(readings(`1${escaped}z`)?.map(({ text }) => text)).toEqual([`1${escaped}z`, `1${plain}z`]);
});

test.each([
	'plain',
	'100% of 20%, %zz, %4',
	'%8a %c3 %C3% %ff',
	'%u12 \\u12 \\x4 \\u{} \\q \\',
	'AT&T &amp &nope; &; &#; &#x;',
	'a\tb\r\nc',
	'José Ørsted 李小龍 €',
	'\u{1d4a4}',
])('%j is no escape, and is read as it stands', (text) => {
	expect(unescaped(text)).toBe(text);
	expect(readings(text)).toHaveLength(1);
});

test.each(['&#9999999;', '&#x110000;', '\\u{ffffff}', '%c0%80', '%F8%80', '\\ud83d'])(
	'%j is no character, and breaks nothing',
	(text) => {
		expect(unescaped(`a${text}1`)).toMatch(/^a.{1,2}1$/u);
	},
);

/** A letter, and the same one as it may be spelled. */
const piece = fc.constantFrom<[string, string]>(
	...(['a', '7', '=', ' ', '_', 'é'] as const).map((sign): [string, string] => [sign, sign]),
	['=', '%3D'],
	['€', '%E2%82%AC'],
	['"', '\\"'],
	['"', '\\u0022'],
	['/', '&sol;'],
	['7', '&#55;'],
	['8', '８'],
	['A', '\u{1d400}'],
	['😀', '\\u{1f600}'],
	['', '\u200b'],
);

test('of each letter it is known where it stood', () => {
	fc.assert(
		fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
			const text = pieces.map(([, spelled]) => spelled).join('');
			const origins = pieces.flatMap(([plain], index) => {
				const before = pieces.slice(0, index).map(([, spelled]) => spelled);
				return Array<number>(plain.length).fill(before.join('').length);
			});
			const read = readings(text) ?? [];
			expect(read.map((reading) => reading.text)).toEqual(
				pieces.some(([plain, spelled]) => plain !== spelled)
					? [text, pieces.map(([plain]) => plain).join('')]
					: [text],
			);
			for (const [index, origin] of [...origins, text.length].entries()) {
				expect(read.at(-1)?.origin(index)).toBe(origin);
				expect(read[0]?.origin(index)).toBe(index);
			}
		}),
	);
});

test('each layer of escapes is a reading of its own, and keeps the places', () => {
	let text = '{"a":"7"}';
	const spelled = [text];
	for (const escape of [JSON.stringify, encodeURIComponent, encodeURIComponent, JSON.stringify]) {
		text = escape(`x${text}`);
		spelled.unshift(text);
	}
	const read = readings(text) ?? [];
	expect(read).toHaveLength(spelled.length - 1);
	const last = read.at(-1);
	expect(last?.text).toContain('{"a":"7"}');
	expect(text.charAt(last?.origin(last.text.indexOf('7')) ?? 0)).toBe('7');
});

/** Escaped so many times that as many layers must be undone. */
const layered = (times: number) => `%${'25'.repeat(times)}41`;

test.each([
	['many layers of a short text', layered(500), 'A'],
	['a few layers of a long one', 'x'.repeat(200_000) + layered(5), `${'x'.repeat(200_000)}A`],
])('%s are read', (_, text, plain) => {
	expect(unescaped(text)).toBe(plain);
});

test.each([
	['more layers than any text has', layered(2_000)],
	['many layers of a long text', 'x'.repeat(200_000) + layered(12)],
])('%s are not read, and said to be so', (_, text) => {
	expect(readings(text)).toBeUndefined();
	expect(unescaped(text)).toBe(text);
});
