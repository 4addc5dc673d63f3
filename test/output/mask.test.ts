import fc from 'fast-check';

import { createMask } from '../../nodes/PaymentsGateway/output/mask';
import { foundIn } from '../reliability/secrets';

const HEADER = 'hdr_9f/Kq+2"x\\y==';
const PRIVATE = 'prv-71c0ffee';
const mask = createMask([HEADER, PRIVATE]);

const sent = {
	card: { details: { cardToken: 'tok_visa_4242', cvc: '737', expiryDate: '08/29' } },
	ach: { details: { accountNumber: '000123456789', routingNumber: '021000021' } },
	gpecomm: { details: { id: 'gp-1', cvv: '9911' } },
};
const knowing = mask.knowing(sent);
const RUNS = Number(process.env.MASKED_NUMBERS ?? 100);
const SECRETS = ['737', '000123456789', '123456789', '021000021', '21000021', '9911', 'tok_visa'];

describe('values of an answer', () => {
	test('lose their security codes and keep the last four of numbers, wherever they stand', () => {
		const answer = {
			id: 'cus_1',
			paymentCards: [
				{ cvc: '123', accountNumber: '000123456789', routing_number: '021000021', last4: '6789' },
				{ cvv: '1', CVC: 2, securityCode: '3', 'Account-Number': 4444455555, cardNumber: '4242' },
			],
			deep: [[{ accountNumber: ['000123456789'] }, { accountNumber: { raw: '000123456789' } }]],
		};
		expect(mask.value(answer)).toEqual({
			id: 'cus_1',
			paymentCards: [
				{ accountNumber: '••••6789', routing_number: '••••0021', last4: '6789' },
				{ 'Account-Number': '••••5555', cardNumber: '••••' },
			],
			deep: [[{ accountNumber: '••••' }, { accountNumber: '••••' }]],
		});
	});

	test.each([null, '', undefined])('an account number that is %j stays what it is', (nothing) => {
		expect(mask.value({ accountNumber: nothing, a: 1 })).toEqual(
			nothing === undefined ? { a: 1 } : { accountNumber: nothing, a: 1 },
		);
	});

	test('show account data when they are revealed, and the tokens never', () => {
		const answer = { cvc: '123', accountNumber: '000123456789', note: `x ${PRIVATE} ${HEADER} y` };
		expect(mask.value(answer, true)).toEqual({
			cvc: '123',
			accountNumber: '000123456789',
			note: 'x •••• •••• y',
		});
	});

	test('that a request has sent are known again under any name, also as a number', () => {
		const echo = {
			bank: '000123456789',
			noLeadingZeros: 123456789,
			routing: 21000021,
			code: '737',
			why: 'code 737 for 000123456789',
			amount: 737,
			total: 9911,
		};
		expect(knowing.value(echo)).toEqual({
			bank: '••••6789',
			noLeadingZeros: '••••6789',
			routing: '••••0021',
			code: '••••',
			why: 'code •••• for ••••6789',
			// A code of three digits is an amount as well.
			amount: 737,
			total: 9911,
		});
	});

	test('stay as they are when nothing in them is sensitive', () => {
		fc.assert(
			fc.property(
				fc.dictionary(
					fc.constantFrom('a', 'b', 'amount', '__proto__', 'toString'),
					fc.oneof(fc.constant('text'), fc.integer(), fc.boolean(), fc.constant(null), fc.double()),
				),
				(value) => {
					expect(mask.value([value])).toEqual([value]);
				},
			),
		);
	});

	test('keep a field that is named __proto__', () => {
		const hostile: unknown = JSON.parse('{"__proto__":{"cvc":"1","a":1}}');
		expect(JSON.stringify(mask.value(hostile))).toBe('{"__proto__":{"a":1}}');
	});
});

describe('running text', () => {
	const forms: Array<[string, (value: unknown) => string]> = [
		['as it is', (value) => String(value)],
		['in JSON', (value) => JSON.stringify({ token: value })],
		['in JSON in JSON', (value) => JSON.stringify(JSON.stringify({ token: value }))],
		['in JSON with escaped slashes', (value) => JSON.stringify({ value }).replaceAll('/', '\\/')],
		['in a URL', (value) => `?token=${encodeURIComponent(String(value))}&x=1`],
		['in a URL in small letters', (value) => encodeURIComponent(String(value)).toLowerCase()],
	];

	test.each(forms)('never holds a token %s', (name, written) => {
		const plain = createMask(['hdr_9f/kq+2==', PRIVATE]);
		for (const token of ['hdr_9f/kq+2==', PRIVATE]) {
			for (const reveal of [false, true]) {
				const masked = plain.value(`Bearer ${written(token)} was refused`, reveal);
				expect(masked).toContain('••••');
				expect(foundIn(masked, [token === PRIVATE ? '71c0ffee' : '9f'])).toEqual([]);
			}
		}
		if (name !== 'in a URL in small letters' && name !== 'in JSON in JSON') {
			expect(mask.text(written(HEADER))).not.toContain('9f');
		}
	});

	test('a token that begins with another leaves nothing of either', () => {
		expect(createMask(['abcd', 'abcdefgh']).text('abcdefgh abcd')).toBe('•••• ••••');
	});

	test('a token of two letters does not hide half of every text', () => {
		expect(createMask(['', 'ab']).text('about a cab')).toBe('about a cab');
	});

	test.each([
		['Account number 000123456789 is closed', 'Account number ••••6789 is closed'],
		['account number is: 000123456789', 'account number is: ••••6789'],
		['accountNumber=000123456789&x=1', 'accountNumber=••••6789&x=1'],
		['account_number: "000123456789"', 'account_number: "••••6789"'],
		['{"accountNumber":"000123456789"}', '{"accountNumber":"••••6789"}'],
		['"{\\"accountNumber\\":\\"000123456789\\"}"', '"{\\"accountNumber\\":\\"••••6789\\"}"'],
		['accountNumber%22%3A%22000123456789%22', 'accountNumber%22%3A%22••••6789%22'],
		['accountNumber%3d000123456789', 'accountNumber%3d••••6789'],
		['Account No. 0001 2345 6789', 'Account No. ••••6789'],
		['routing number 021-000-021', 'routing number ••••0021'],
		['routing number #(021000021)', 'routing number #(••••0021)'],
		['CVC 123 does not match', 'CVC •••• does not match'],
		['cvv2:"0123"', 'cvv2:"••••"'],
		['security code is 999', 'security code is ••••'],
		['The account number must have 9 digits', 'The account number must have 9 digits'],
		['Order 123 of 456', 'Order 123 of 456'],
	])('%j becomes %j', (words, masked) => {
		expect(mask.text(words)).toBe(masked);
	});

	test.each([
		'The bank does not know 000123456789',
		'0001 2345 6789 at 0210 00021',
		'0001-2345-6789',
		'Got {"a":"000123456789","b":"737"}',
		'Got "{\\"a\\":\\"000123456789\\",\\"b\\":\\"737\\"}"',
		'a=%7B%22a%22%3A%22000123456789%22%2C%22b%22%3A%22737%22%7D',
		'b%3A%22021000021%22',
		'{\\u0022a\\u0022:\\u0022000123456789\\u0022,\\u0022b\\u0022:\\u0022737\\u0022}',
		'&quot;000123456789&quot; &#34;737&#34;',
		'code=737',
		'(9911)',
		'tok_visa_4242 is used up',
		'000123456789',
	])('%j does not give away what the request has sent', (words) => {
		const masked = knowing.text(words);
		expect(masked).toContain('••••');
		expect(foundIn(masked, SECRETS)).toEqual([]);
	});

	test('that only looks like what was sent stays', () => {
		const words = 'Order 7370 of INV-737, 1000123456789, a737';
		expect(knowing.text(words)).toBe(words);
	});

	test('never holds an account number, however it is spaced and wherever it stands', () => {
		const digits = fc
			.array(fc.integer({ min: 0, max: 9 }), { minLength: 6, maxLength: 17 })
			.map((numbers) => numbers.join(''));
		const around = fc.constantFrom(
			'',
			' ',
			'"',
			'\\"',
			'%22',
			':',
			'=',
			'(',
			'\n',
			'x',
			'€',
			'\\u0022',
		);
		fc.assert(
			fc.property(
				digits,
				fc.constantFrom('', ' ', '-', '%20'),
				around,
				around,
				(number, gap, a, z) => {
					const written = number.replace(/(\d{4})(?=\d)/g, `$1${gap}`);
					const masked = mask.knowing({ accountNumber: number }).text(`${a}${written}${z}`);
					expect(foundIn(masked, [number])).toEqual([]);
					expect(masked).toContain('••••');
				},
			),
			{ numRuns: RUNS },
		);
	});
});
