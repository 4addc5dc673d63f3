import fc from 'fast-check';

import { toMinor } from '../../nodes/PaymentsGateway/form/amount';

/** Amounts are read digit by digit, or refused with what to type instead. */

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
		// To advise "25" here would ask for 25 cents where 25 dollars were meant.
		['$25', '$25 looks like dollars; the service takes cents (2500)'],
		['25 USD', '25 USD looks like dollars; the service takes cents (2500)'],
		['25,00', '25,00 looks like dollars; the service takes cents (2500)'],
		['1,999.00', '1,999.00 looks like dollars; the service takes cents (199900)'],
		['1,999', 'takes an amount, not 1,999: type 1999'],
	])('%p is refused: %s', (value, wrong) => {
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

describe('what is typed', () => {
	test.each([
		['19.99', 1999],
		['25', 2500],
		['25.5', 2550],
		['0.01', 1],
		['007', 700],
	])('%s dollars are %d cents', (typed, minor) => {
		expect(toMinor(typed, 'major', 0)).toEqual({ minor });
	});

	test.each([
		['19,99', '19.99'],
		['1,999.00', '1999.00'],
		['1.999,00', '1999.00'],
		['12,345,678.9', '12345678.9'],
		['$25', '25'],
		['25 USD', '25'],
		['€ 25,50', '25.50'],
		['.5', '0.5'],
		['25.', '25'],
		['２５', '25'],
		["1'999.00", '1999.00'],
		['1 999.00', '1999.00'],
	])('%s is refused, with %s to be typed instead', (typed, instead) => {
		expect(toMinor(typed, 'major', 0)).toEqual({
			wrong: `takes an amount, not ${typed}: type ${instead}`,
		});
	});

	test.each(['1e3', '0x10', 'Infinity', 'NaN', 'ten', '+5', '1/2', '19.99.1', '1,2,3', '--1'])(
		'%s is refused, and nothing is made of it',
		(typed) => {
			const read = toMinor(typed, 'major', 0);
			expect(read).toEqual({ wrong: `takes an amount, not ${typed}` });
		},
	);

	test('nothing is refused as nothing', () => {
		expect(toMinor('', 'major', 0)).toEqual({ wrong: 'is empty' });
	});

	test.each(['19.999', '0.001', '25.000'])('%s has too many decimals', (typed) => {
		expect(toMinor(typed, 'major', 0)).toEqual({
			wrong: `has more than two decimals: ${typed}`,
		});
	});

	test('anything that is not exactly digits with at most two decimals is refused', () => {
		fc.assert(
			fc.property(fc.string({ unit: fc.constantFrom(...'0123456789.,- $e+x') }), (typed) => {
				const read = toMinor(typed, 'major', 0);
				expect('minor' in read).toBe(/^\d+(\.\d{1,2})?$/.test(typed));
				if ('minor' in read) expect(read.minor).toBe(Math.round(Number(typed) * 100));
			}),
		);
	});
});
