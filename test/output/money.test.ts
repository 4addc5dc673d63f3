import fc from 'fast-check';

import { formatMoney, toMinor } from '../../nodes/PaymentsGateway/output/money';

const cents = fc.integer({ min: 0, max: 9_000_000_000_000 });

describe('an amount in major units', () => {
	test.each([
		[25, 2500],
		[0.1, 10],
		[19.99, 1999],
		[1.1, 110],
		[4.35, 435],
		[8.2, 820],
		[1.005, undefined],
		[0.001, undefined],
		[1e21, undefined],
		[1e-7, undefined],
		[0, 0],
		[-0, 0],
		[90_071_992_547_409.9, 9_007_199_254_740_990],
		[90_071_992_547_409.92, undefined],
	])('%d is %s cents', (value, minor) => {
		const read = toMinor(value, 'major', 0);
		expect('minor' in read ? read.minor : undefined).toBe(minor);
	});

	test('is exact for every number of cents', () => {
		fc.assert(
			fc.property(cents, (minor) => {
				expect(toMinor(Number((minor / 100).toFixed(2)), 'major', 0)).toEqual({ minor });
			}),
		);
	});
});

describe('an amount in minor units', () => {
	test('goes out as it came in', () => {
		fc.assert(
			fc.property(cents, (minor) => {
				expect(toMinor(minor, 'minor', 0)).toEqual({ minor });
			}),
		);
	});

	test.each([
		[19.99, '19.99 looks like dollars; the service takes cents (1999)'],
		[0.5, '0.5 looks like dollars; the service takes cents (50)'],
		[1.234, 'takes whole cents, not 1.234'],
		[-1, 'must not be below zero, not -1'],
		[NaN, 'takes an amount, not NaN'],
		[Infinity, 'takes an amount, not Infinity'],
		[2 ** 53, 'is out of range: 9007199254740992'],
	])('%d is refused: %s', (value, wrong) => {
		expect(toMinor(value, 'minor', 0)).toEqual({ wrong });
	});
});

test.each([
	['major', 0, 'must be at least 0.01, not 0'],
	['minor', 0, 'must be at least 1, not 0'],
] as const)('the least amount is said in %s units', (unit, value, wrong) => {
	expect(toMinor(value, unit, 1)).toEqual({ wrong });
});

test('any number is either whole cents within range, or refused with words', () => {
	fc.assert(
		fc.property(fc.double(), fc.constantFrom('major', 'minor'), fc.nat(3), (value, unit, least) => {
			const read = toMinor(value, unit, least);
			if ('wrong' in read) return expect(read.wrong).toMatch(/\w/);
			expect(Number.isSafeInteger(read.minor)).toBe(true);
			expect(read.minor).toBeGreaterThanOrEqual(least);
		}),
	);
});

test.each([
	[1999, 'USD', '$19.99'],
	[0, 'USD', '$0.00'],
	[-500, 'USD', '-$5.00'],
	[123456789, 'usd', '$1,234,567.89'],
	[1999, 'EUR', '€19.99'],
	[1999, 'JPY', '¥1,999'],
	[1999, 'KWD', 'KWD 1.999'],
	[1999, 'XYZ', 'XYZ 19.99'],
	[1999, '', '19.99'],
	[1999, 'DOLLARS', '19.99 DOLLARS'],
	[1999, '840', '19.99 840'],
])('%d of %j is %s', (minor, currency, words) => {
	// Between a code and its number stands a space that does not break.
	expect(formatMoney(minor, currency).replace(/\s/g, ' ')).toBe(words);
});
