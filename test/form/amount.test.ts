import fc from 'fast-check';

import { amountOf, percentageOf } from '../../nodes/PaymentsGateway/form/amount';
import { formatDollars, majorOf } from '../../nodes/PaymentsGateway/output/money';

/** Amounts are read digit by digit in dollars, or refused with what to type instead. */

const fieldError = (words: string) => new Error(words) as never;
const read = (typed: string, bound?: { least: number }) =>
	amountOf('Price', typed, fieldError, bound);

const cents = fc.oneof(
	fc.nat(300),
	fc.nat(1_000_000),
	fc.nat(9_000_000).map((n) => n * 1_000_003),
);

const AMOUNTS: Record<string, number> = {
	...{ '19.99': 1999, '25': 2500, '25.5': 2550, '.50': 50, '25.': 2500, '25.0000': 2500 },
	...{ '007': 700, '0': 0, '-0': 0, $25: 2500, '$1,999.00': 199900, '\u200e25.00\u200b': 2500 },
	...{ '$12,345,678.90': 1234567890, '90071992547409.91': 9007199254740991 },
	// As expressions give them.
	...{ [1.1 * 3]: 330, [0.1 + 0.2]: 30, [(8.2 - 0.2) * 1.1]: 880, '19.98999999999': 1999 },
	...{ [0.1 + 0.2 - 0.3]: 0 },
};

test.each(Object.entries(AMOUNTS))('%s is %d cents', (typed, minor) => {
	expect(read(typed)).toBe(minor);
});

test.each([
	...['19,99', '1.999,00', '1,999', '19.999', '0.001', '1e3', '1e-7', 'ten', '.', '$', '-'],
	...['1,2,3.00', '12,34.00', '0,500.00', '1 999.00', '25 USD', '25%', '+5', '0x10', 'NaN'],
	...['Infinity', '19.99.1', '２５', '90071992547409.92', '9'.repeat(400), '3.30001', '3.2999'],
])('%s is refused, in one sentence with an example', (typed) => {
	const quoted = typed.length > 40 ? `${typed.slice(0, 40)}…` : typed;
	const words = `'Price' takes dollars, such as 19.99, not ${quoted}`;
	expect(() => read(typed)).toThrow(new Error(words));
});

test.each<[string, number, string]>([
	['-0.01', 0, '0'],
	['-$1,999.00', 0, '0'],
	['0', 1, '0.01'],
])('%s is refused where at least %i cents are asked for', (typed, least, said) => {
	const words = `'Price' must be at least ${said}, not ${typed}`;
	expect(() => read(typed, { least })).toThrow(new Error(words));
});

test('every amount in cents is read again from each way in which it is written or worked out', () => {
	fc.assert(
		fc.property(cents, fc.integer({ min: 1, max: 99 }), (minor, times) => {
			expect(read((minor / 100).toFixed(2))).toBe(minor);
			expect(read(String(minor / 100))).toBe(minor);
			expect(read(String(majorOf(minor, 'USD')))).toBe(minor);
			expect(read(formatDollars(minor))).toBe(minor);
			if (minor <= 1_000_000) expect(read(String((minor / 100) * times))).toBe(minor * times);
		}),
	);
});

test('whatever is typed is read as what it says, or refused', () => {
	const typing = fc.string({ unit: fc.constantFrom(...'0123456789.,- $e+x'), maxLength: 12 });
	fc.assert(
		fc.property(typing, (typed) => {
			let minor: number;
			try {
				minor = read(typed);
			} catch {
				return;
			}
			const said = Number(typed.replace(/[$,]/g, '')) * 100;
			expect(Math.abs(minor - said)).toBeLessThan(1e-3);
			if (typed.includes(',')) expect(typed).toMatch(/^\$?[1-9]\d?\d?(,\d{3})+\.\d\d$/);
		}),
		{ numRuns: 5000 },
	);
});

describe('a percentage', () => {
	const percent = (typed: string) => percentageOf('Tip', typed, fieldError);
	test.each(Object.entries({ '15': 15, '8.25%': 8.25, '15 %': 15, '.55': 0.55, '0': 0 }))(
		'%s is %d',
		(typed, value) => expect(percent(typed)).toBe(value),
	);

	test.each(['8,25', '$15', '-1', '1e3', '15%%', '9'.repeat(400)])('%s is none', (typed) => {
		expect(() => percent(typed)).toThrow("'Tip' takes a percentage, such as 8.25, not ");
	});
});

test('what is empty is named', () => {
	expect(() => read('')).toThrow(new Error("'Price' is empty"));
	expect(() => percentageOf('Tip', '', fieldError)).toThrow(new Error("'Tip' is empty"));
});
