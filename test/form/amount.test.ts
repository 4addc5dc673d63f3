import fc from 'fast-check';

import type { AmountUnit } from '../../nodes/PaymentsGateway/form/amount';
import { percentageOf, toMinor } from '../../nodes/PaymentsGateway/form/amount';

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
		['2500.0', 'takes whole cents, not 2500.0'],
		['25¢', 'takes an amount, not 25¢: type 25'],
		['¢ 25', 'takes an amount, not ¢ 25: type 25'],
		['2.5¢', 'takes an amount, not 2.5¢'],
		['25 %', 'takes an amount, not 25 %'],
		['1.000 €', 'takes whole cents, not 1.000 €'],
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
		['1 999,00', '1999.00'],
		['$25 USD', '25'],
		['25¢', '0.25'],
		['¢5', '0.05'],
		['1,234¢', '12.34'],
	])('%s is refused, with %s to be typed instead', (typed, instead) => {
		expect(toMinor(typed, 'major', 0)).toEqual({
			wrong: `takes an amount, not ${typed}: type ${instead}`,
		});
	});

	test.each(
		['1e3', '0x10', 'Infinity', 'NaN', 'ten', '+5', '1/2', '19.99.1', '1,2,3', '--1'].concat(
			// Each of these could mean two amounts, or one that the field would not take.
			...[
				'1.000 €',
				'0,500',
				'1,2345',
				'12 50',
				'1$50',
				'$25¢',
				'2.5¢',
				'25 %',
				'25 CTS',
				'¥25',
				'5²',
			],
		),
	)('%s is refused, and nothing is made of it', (typed) => {
		const read = toMinor(typed, 'major', 0);
		expect(read).toEqual({ wrong: `takes an amount, not ${typed}` });
	});

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

describe('what is said to be typed', () => {
	const UNITS: AmountUnit[] = ['major', 'minor'];
	/** What the answer says to type, or the cents that it shows. */
	const advised = (wrong: string) => /(?:: type |cents \()([\d.]+)\)?$/.exec(wrong)?.[1];

	function held(typed: string, unit: AmountUnit, least: number): number | undefined {
		const read = toMinor(typed, unit, least);
		const advice = 'wrong' in read ? advised(read.wrong) : undefined;
		if (advice === undefined) return undefined;
		const again = toMinor(advice, unit, least);
		if ('wrong' in again) throw new Error(`${typed}: ${advice} ${again.wrong}`);
		return again.minor;
	}

	test('is taken by the same field, whatever was typed', () => {
		const signs = fc.string({ unit: fc.constantFrom(...'0012345.,¢$€%\u0027 -²¥E'), maxLength: 9 });
		const near = fc
			.tuple(fc.constantFrom('', '$', '€ ', '¢'), signs, fc.constantFrom('', ' USD', '¢', '%'))
			.map((parts) => parts.join(''));
		fc.assert(
			fc.property(near, fc.constantFrom(...UNITS), fc.nat(1), (typed, unit, least) => {
				held(typed, unit, least);
			}),
			{ numRuns: 5000 },
		);
	});

	test('is the amount that was meant, however that was written', () => {
		const grouped = (whole: string, sign: string) => whole.replace(/\B(?=(\d{3})+$)/g, sign);
		const amounts = fc.oneof(fc.nat(300), fc.nat(90_071_992_547));
		const styles = fc.constantFrom(...[',.', '.,', ' ,', ' .', "'.", ',', '.']);
		const dollars = fc.constantFrom('$#', '# €', '#', 'USD #', '$# USD', '£#');
		fc.assert(
			fc.property(
				amounts,
				styles,
				dollars,
				fc.constantFrom(...UNITS),
				(minor, style, sign, unit) => {
					const [group = '', point = group] = style;
					const digits = String(minor).padStart(3, '0');
					const whole = digits.slice(0, -2);
					const written = `${style.length > 1 ? grouped(whole, group) : whole}${point}${digits.slice(-2)}`;
					const typed = sign.replace('#', () => written);
					// Without a sign and with a point, a field of dollars takes it as it is.
					expect(held(typed, unit, 0) ?? minor).toBe(minor);
					const cents = held(`${grouped(String(minor), style.length > 1 ? "'" : '')}¢`, unit, 0);
					expect(cents).toBe(minor);
				},
			),
		);
	});
});

describe('a percentage', () => {
	const read = (typed: string) => percentageOf('Tip', typed, (words) => new Error(words) as never);

	test.each([
		['15%', 'takes a percentage, not 15%: type 15'],
		['8,25 %', 'takes a percentage, not 8,25 %: type 8.25'],
		['.5', 'takes a percentage, not .5: type 0.5'],
		// Fifteen dollars are not fifteen percent.
		['$15', 'takes a percentage, not $15'],
		['15¢', 'takes a percentage, not 15¢'],
		['8,250', 'takes a percentage, not 8,250'],
		['', 'is empty'],
		['-1', 'must not be below zero, not -1'],
	])('%j is refused: %s', (typed, wrong) => {
		expect(() => read(typed)).toThrow(new Error(`"Tip": ${wrong}`));
	});

	test.each(['9'.repeat(5000), 'x'.repeat(5000)])(
		'that is long is not quoted in full: %#',
		(typed) => {
			expect(() => read(typed)).toThrow(new RegExp(` ${typed.slice(0, 40)}…$`));
		},
	);

	test.each(['15', '8.25', '0'])('%s is read', (typed) => {
		expect(read(typed)).toBe(Number(typed));
	});
});

test.each(['x'.repeat(5000), '9'.repeat(5000), `0.${'1'.repeat(5000)}`, `-${'1'.repeat(5000)}`])(
	'what is wrong and long is not quoted in full: %#',
	(typed) => {
		for (const unit of ['major', 'minor'] as const) {
			const read = toMinor(typed, unit, 0);
			expect('wrong' in read && read.wrong.length).toBeLessThan(100);
			expect(read).toEqual({ wrong: expect.stringContaining(`${typed.slice(0, 40)}…`) });
		}
	},
);
