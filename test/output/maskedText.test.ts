import { createMask } from '../../nodes/PaymentsGateway/output/mask';

/**
 * A text leaves as it came but for its secrets: JSON in it stays JSON, a URL a URL. What was sent is
 * known by value as well; a few digits of it only where they are no figure.
 */

const TOKEN = 'prv-71c0ffee';
const ACCOUNT = '000123456789';
const mask = createMask([TOKEN]);
const knowing = mask.knowing({ accountNumber: ACCOUNT, cvc: '737' });

const quoted = JSON.stringify;
const inUrl = encodeURIComponent;
const html = (text: string) => text.replaceAll('"', '&quot;');

describe('JSON in a text stays JSON, and is masked as the objects it holds', () => {
	const given = { a: 1, cvc: '737', card: { number: ACCOUNT }, list: [{ iban: ACCOUNT }] };
	const left = { a: 1, card: { number: '••••6789' }, list: [{ iban: '••••6789' }] };
	// People read the dots, so they are left.
	const dotted = (text: string) =>
		text.replaceAll(inUrl(inUrl('••••')), '••••').replaceAll(inUrl('••••'), '••••');

	test.each<[string, string, string]>([
		['alone', quoted(given), quoted(left)],
		['in a list', quoted([given]), quoted([left])],
		['behind words', `Refused: ${quoted(given)} (2)`, `Refused: ${quoted(left)} (2)`],
		['behind quoted words', `"x" is ${quoted(given)}, no "y"`, `"x" is ${quoted(left)}, no "y"`],
		['quoted', quoted(quoted(given)), quoted(quoted(left))],
		['quoted behind words', `Got ${quoted(quoted(given))}.`, `Got ${quoted(quoted(left))}.`],
		['in a field', quoted({ p: quoted(given) }), quoted({ p: quoted(left) })],
		['in a URL', `?q=${inUrl(quoted(given))}`, `?q=${dotted(inUrl(quoted(left)))}`],
		[
			'in a URL in a URL',
			inUrl(`?q=${inUrl(quoted(given))}&b=1`),
			dotted(inUrl(`?q=${inUrl(quoted(left))}&b=1`)),
		],
		['in HTML', `<p>${html(quoted(given))}</p>`, `<p>${quoted(left)}</p>`],
		['in Base64', btoa(quoted(given)), Buffer.from(quoted(left)).toString('base64')],
	])('%s', (_, text, masked) => {
		expect(mask.text(text)).toBe(masked);
		expect(knowing.text(text)).toBe(masked);
	});

	test.each([
		['{"card":{"number":"021000021"}}', '{"card":{"number":"••••0021"}}'],
		['{"routing":[{"no":"021000021"}]}', '{"routing":[{"no":"••••0021"}]}'],
		['{"bankAccount":{"routing":"021000021"}}', '{"bankAccount":{"routing":"••••0021"}}'],
		['{"card":"4111 1111 1111 1111"}', '{"card":"••••1111"}'],
	])('also under names that say it only together: %s', (json, masked) => {
		for (const wrap of [(text: string) => text, quoted, (text: string) => `Got ${text}`]) {
			expect(mask.text(wrap(json))).toBe(wrap(masked));
			expect(mask.value({ note: wrap(json) })).toEqual({ note: wrap(masked) });
		}
	});

	test.each([
		'{"amount":737,"zip":"97737","note":"ok"} ',
		'{ "spaced" : [ 1, 2 ], "card": "VISA" }',
		'{"card":{"brand":"VISA","last4":"4242"},"1":1.0}',
	])('and where it holds none it stays to the letter: %s', (text) => {
		expect(knowing.text(text)).toBe(text);
		expect(knowing.text(inUrl(text))).toBe(inUrl(text));
	});
});

describe('a code that was sent', () => {
	test.each([
		['737', '••••'],
		['code 737 for {"a":1}', 'code •••• for {"a":1}'],
		['Field "code" has 737', 'Field "code" has ••••'],
		['["a"] 737', '["a"] ••••'],
		['{"note":"737 is wrong"}', '{"note":"•••• is wrong"}'],
		[inUrl('{"note":"737"}'), inUrl('{"note":"@"}').replace('%40', '••••')],
	])('is hidden beside and in JSON: %s', (text, left) => {
		expect(knowing.text(text)).toBe(left);
	});

	test.each([
		'{"amount":737}',
		'Got {"amount":737}',
		inUrl('{"amount":737}'),
		'[737]',
		btoa('is it 737?'),
	])('is a figure in %s', (text) => {
		expect(knowing.text(text)).toBe(text);
	});
});

describe('of two secrets in one place', () => {
	test.each([
		[`accountNumber=${TOKEN}`, 'accountNumber=••••'],
		[`accountNumber=1${TOKEN}`, 'accountNumber=••••'],
		[`accountNumber: "${TOKEN}"`, 'accountNumber: "••••"'],
		[`<cvc>${ACCOUNT}</cvc>`, '<cvc>••••</cvc>'],
		[`accountNumber=${ACCOUNT}`, 'accountNumber=••••6789'],
		[`accountNumber=0 ${ACCOUNT} 5`, 'accountNumber=••••7895'],
	])('neither is shown by the other’s last four: %s', (text, left) => {
		expect(knowing.text(text)).toBe(left);
	});

	test.each([
		[{ accountNumber: TOKEN }, { accountNumber: '••••' }],
		[{ accountNumber: `is ${TOKEN}` }, { accountNumber: 'is ••••' }],
		[{ card: { number: `1-${TOKEN}-2` } }, { card: { number: '1-••••-2' } }],
		[
			['accountNumber', TOKEN],
			['accountNumber', '••••'],
		],
		[
			{ name: 'iban', value: TOKEN },
			{ name: 'iban', value: '••••' },
		],
	])('nor a token’s in a field: %j', (value, left) => {
		expect(mask.value(value)).toEqual(left);
	});

	test('what stands between and behind them stays', () => {
		const text = `a ${TOKEN} b ${ACCOUNT} c accountNumber=${ACCOUNT}, ${TOKEN}${TOKEN} d`;
		expect(knowing.text(text)).toBe('a •••• b ••••6789 c accountNumber=••••6789, •••••••• d');
	});
});

describe('the bound on the work', () => {
	const escaped = html(`{"accountNumber":"${ACCOUNT}"}`);

	test('is one text’s alone', () => {
		const lines = `${'x = 1 & y, '.repeat(1_000)}${escaped}`;
		const first = mask.text(lines);
		expect(first).toContain('••••6789');
		for (let time = 0; time < 100; time++) expect(mask.text(lines)).toBe(first);
	});

	test('leaves room for what is really nested, and for texts that are really long', () => {
		let nested = `accountNumber=${ACCOUNT}`;
		for (let time = 0; time < 12; time++) nested = btoa(`x=${nested}`);
		let left = mask.text(nested);
		for (let time = 0; time < 12; time++) left = Buffer.from(left, 'base64').toString().slice(2);
		expect(left).toBe('accountNumber=••••6789');

		const long = `${btoa('nothing to be hidden in this, ').repeat(20)} `.repeat(600);
		expect(mask.text(`${long}${TOKEN}`)).toBe(`${long}••••`);
	});

	test('hides what is nested beyond all reason', () => {
		let nested = `accountNumber=${ACCOUNT}`;
		for (let time = 0; time < 30; time++) nested = btoa(nested);
		let left = mask.text(nested);
		for (let time = 0; time < 30; time++) left = Buffer.from(left, 'base64').toString();
		expect(left).not.toContain(ACCOUNT);
	});
});

test.each(['', 'x', '12', '1234', 'USD', 'VISA', 'paid', '{}', '""'])(
	'%j is nothing to hide',
	(text) => {
		expect(mask.text(text)).toBe(text);
		expect(knowing.text(text)).toBe(text);
		expect(createMask([]).text(text)).toBe(text);
	},
);

test('a short token is hidden in a short text', () => {
	expect(createMask(['abc']).text('abc')).toBe('••••');
	expect(createMask(['abc', 'a-long-token']).value({ a: 'xabc' })).toEqual({ a: 'x••••' });
	expect(createMask([]).knowing({ cvc: '737' }).text('737')).toBe('••••');
});
