import { encodedIn } from '../../nodes/PaymentsGateway/output/encoded';
import { createMask } from '../../nodes/PaymentsGateway/output/mask';

/** What is masked in Base64 or hex can still be decoded, and then reads as it would in plain text. */

const TOKEN = 'prv_5c1f7e2a9b';
const { text: masked } = createMask([TOKEN]);
/** Its Base64 holds a plus and a slash, or a dash and an underscore for URLs. */
const WORDS = `who?>~~>>?? ${TOKEN} ~~?>`;

describe.each(['base64', 'base64url', 'hex'] as const)('in %s', (code) => {
	const encoded = Buffer.from(WORDS).toString(code);

	test.each([
		['alone', '', ''],
		['in a sentence', 'It came as ', ' from there'],
	])('%s, the rest can still be read', (_, before, after) => {
		const shown = masked(`${before}${encoded}${after}`);
		const inner = shown.slice(before.length, shown.length - after.length);
		expect(shown).toBe(`${before}${inner}${after}`);
		expect(inner).toBe(Buffer.from(WORDS.replace(TOKEN, '••••')).toString(code));
	});

	test('among bytes that are no text, it is hidden as a whole', () => {
		const bytes = Buffer.concat([Buffer.from(`me: ${TOKEN} `), Buffer.from([0xff, 0xfe, 0x80])]);
		expect(masked(`It was ${bytes.toString(code)} so`)).toBe('It was •••• so');
	});

	test('words that hold no secret stay as they are', () => {
		const words = Buffer.from('nothing to hide here, or there').toString(code);
		expect(masked(`${words} and ${words}`)).toBe(`${words} and ${words}`);
	});
});

test.each(['\n', '\r\n', '\\n', '\\r\\n'])('lines may be wrapped, with %j', (end) => {
	const encoded = Buffer.from(`${WORDS.repeat(3)}`).toString('base64');
	const wrapped = encoded.replace(/.{20}/g, `$&${end}`);
	const shown = masked(`It came as ${wrapped}, so`);
	const [, inner = ''] = /^It came as (.*), so$/.exec(shown) ?? [];
	expect(Buffer.from(inner, 'base64').toString()).toBe(WORDS.replaceAll(TOKEN, '••••').repeat(3));
});

test('a word before the code may consist of the same letters', () => {
	const found = [...encodedIn(`Basic${Buffer.from('me:secret words').toString('base64')}`)];
	expect(found.map(({ text }) => text)).toContainEqual(expect.stringMatching(/me:secret words$/));
});

test.each(['', 'ord_1', 'cust_8f3kd02ls9', '2026-01-31T18:00:00Z', 'f'.repeat(40)])(
	'%j holds nothing encoded',
	(words) => {
		expect([...encodedIn(words)]).toEqual([]);
	},
);
