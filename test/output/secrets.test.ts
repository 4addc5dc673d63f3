import fc from 'fast-check';

import {
	lastFour,
	sentSecrets,
	tokenSecrets,
	type Secret,
} from '../../nodes/PaymentsGateway/output/secrets';

/** What is known by value is found however it is written, and nothing else is. */

const without = (secrets: readonly Secret[], text: string) =>
	secrets.reduce((words, { find, put }) => words.replace(find, put), text);

test.each([
	['000123456789', '••••6789'],
	['12345', '••••2345'],
	['0001-2345-6789', '••••6789'],
	['DE89 3704', '••••3704'],
	['1-2-3-4-5', '••••2345'],
	['1234', '••••'],
	['12 34', '••••'],
	['', '••••'],
	// What the service has masked itself.
	['••••6789', '••••6789'],
	['****6789', '****6789'],
	['XX **** 6789', 'XX **** 6789'],
	['*56789', '••••6789'],
	['1234*5678', '••••5678'],
])('of %j is shown %j', (value, shown) => {
	expect(lastFour(value)).toBe(shown);
});

describe('a token', () => {
	test.each([
		['abcdefgh', 'is abcdefgh', 'is ••••'],
		['abcdefgh', 'xABCDEFGHx', 'x••••x'],
		['abcdefgh', 'abcd\r\n  efgh', '••••'],
		['abcd efgh', 'abcdefgh', '••••'],
		['a.b*c+d?e', 'a.b*c+d?e', '••••'],
		['a.b*c+d?e', 'axbbbccde', 'axbbbccde'],
		['(a)[b]{c}|^$\\/', '(a)[b]{c}|^$\\/', '••••'],
		// A short one may be a word.
		['abcdefg', 'abcdefg', '••••'],
		['abcdefg', 'ABCDEFG', 'ABCDEFG'],
		['abcdefg', 'abcd efg', 'abcd efg'],
		['abc', 'xabcx', 'x••••x'],
		['ab', 'cab', 'cab'],
		['', 'cab', 'cab'],
		// As it stands and as it is read.
		['abc%2Fdefg', 'abc%2Fdefg, abc/defg', '••••, ••••'],
		['%61%62', '%61%62, cab', '••••, cab'],
		['%61%62c', '%61%62c, abcd', '••••, ••••d'],
		// Echoed as a number.
		['000123456', 'is 123456', 'is ••••'],
		['000123456', '00123456', '••••'],
		['000123456', '1234567', '1234567'],
		['000123456', '0123 45-6', '••••'],
		['000012345', '12345', '12345'],
		['a00123456', '123456', '123456'],
		['00123456a', '123456', '123456'],
	])('%j, in %j, leaves %j', (token, text, left) => {
		expect(without(tokenSecrets([token]), text)).toBe(left);
	});

	test('may be long, and one longer than any token breaks nothing', () => {
		const long = 'a1'.repeat(2_000);
		expect(without(tokenSecrets([long]), `x ${long}`)).toBe('x ••••');
		for (const endless of ['a1'.repeat(100_000), '1'.repeat(100_000)]) {
			expect(without(tokenSecrets([endless, 'abcdefgh']), 'abcdefgh')).toBe('••••');
			expect(without(sentSecrets([{ cvc: endless }, { cvc: 'abcdefgh' }]), 'abcdefgh')).toBe(
				'••••',
			);
		}
	});

	test('is known once, however often it is named', () => {
		expect(tokenSecrets(['abcdefgh', 'abcdefgh'])).toHaveLength(1);
	});
});

describe('what was sent', () => {
	test.each<[unknown, string, string]>([
		[{ accountNumber: '000123456789' }, 'at 123456789', 'at ••••6789'],
		[{ accountNumber: '000123456789' }, '0000123456789', '••••6789'],
		[{ accountNumber: '000123456789' }, '0001-2345/6789', '••••6789'],
		[{ accountNumber: '000123456789' }, '1234567890', '1234567890'],
		[{ accountNumber: '000123456789' }, '9123456789', '9123456789'],
		[{ accountNumber: '0001-2345 6789' }, '123456789', '••••6789'],
		[{ accountNumber: ' 123456 ' }, '123456', '••••3456'],
		[{ accountNumber: 123456 }, '123456', '••••3456'],
		[{ accountNumber: '012345' }, '012345, 12345', '••••2345, 12345'],
		[{ accountNumber: '12345' }, 'is 12345.', 'is ••••2345.'],
		[{ accountNumber: '12345' }, 'x12345, 12345-1', 'x12345, 12345-1'],
		[{ routingNumber: '021000021' }, '21000021', '••••0021'],
		[{ cvc: '737' }, '(737)', '(••••)'],
		[{ cvc: 737 }, '737', '••••'],
		[{ cvc: '737' }, '7370, a737, 737_, é737, -737', '7370, a737, 737_, é737, -737'],
		[{ cvc: '73' }, '73', '73'],
		[{ cvv: '123456' }, '123456', '••••'],
		[{ cardToken: 'tok_visa_42' }, 'is tok_visa_42', 'is ••••'],
		[{ cardToken: 'tok_visa_42' }, 'tok_visa_421', 'tok_visa_421'],
		[{ cardToken: 'tok_visa_424' }, 'xTOK_VISA_4242', 'x••••2'],
		[{ cardToken: 'a.b(c' }, 'a.b(c, axb(c', '••••, axb(c'],
		[{ accountNumber: '123456-AB' }, '123456-AB, 123456 AB', '••••56AB, 123456 AB'],
		[{ list: [[{ deep: { cvc: '737' } }]] }, '737', '••••'],
		[{ cvc: { securityCode: '737' } }, '737', '••••'],
		[{ cvc: { code: '737' } }, '737, [object Object]', '737, [object Object]'],
		[{ amount: '737', zip: '737' }, '737', '737'],
		[[null, undefined, 7, 'cvc', { cvc: null, cvv: undefined }], 'null', 'null'],
	])('%j is known in %j', (data, text, left) => {
		expect(without(sentSecrets(data), text)).toBe(left);
	});

	test.each([
		['7', undefined],
		['737', true],
		['73737', true],
		['737373', false],
		['7a7', false],
		['737x', false],
		['x737', false],
	])('a code %j stands in figures as well: %j', (cvc, isShort) => {
		expect(sentSecrets({ cvc })[0]?.isShort).toBe(isShort);
	});

	test('a text shorter than it says it needs holds none', () => {
		fc.assert(
			fc.property(fc.stringMatching(/^[\da-z]{3,20}$/), fc.nat(20), (secret, length) => {
				const text = secret.slice(0, length);
				for (const { least, find } of [
					...sentSecrets({ cvc: secret }),
					...sentSecrets({ accountNumber: secret }),
					...tokenSecrets([secret]),
				]) {
					expect(text.length < least && text.search(find) >= 0).toBe(false);
				}
			}),
		);
	});
});
