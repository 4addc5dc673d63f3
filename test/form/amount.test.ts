import fc from 'fast-check';

import { money } from '../../nodes/PaymentsGateway/form/builders';
import { valueReaders } from '../../nodes/PaymentsGateway/form/values';
import { formatDollars } from '../../nodes/PaymentsGateway/output/money';
import { createMask } from '../../nodes/PaymentsGateway/output/mask';

/** Amounts are typed in dollars and read in cents, or refused with what to type instead. */

const fieldError = (words: string) => new Error(`'It' ${words}`) as never;

function read(typed: string, shape: 'dollars' | 'dollarsOrPercent' = 'dollars', minValue = 0) {
	const field = money('It', 'it', shape, 'What is paid', { minValue });
	return valueReaders.string?.(typed, {
		...{ field, path: ['it'], refuse: fieldError },
		...{ fieldError, timezone: 'UTC', mask: createMask([]), isByExpression: () => false },
	});
}

const AMOUNTS: Record<string, number> = {
	...{ '19.99': 1999, '25': 2500, '25.5': 2550, '.50': 50, '25.0000': 2500, '007': 700, '0': 0 },
	...{ $25: 2500, '$1,999.00': 199900, '12,345,678.90': 1234567890 },
	// As expressions give them.
	...{ [1.1 * 3]: 330, [0.1 + 0.2]: 30, [(8.2 - 0.2) * 1.1]: 880 },
};

test.each(Object.entries(AMOUNTS))('%s is %d cents', (typed, cents) => {
	expect(read(typed)).toBe(cents);
});

test.each([
	// Half of the world reads 2.500 as 2,500.
	['2.500', 'type 2500 or 2.50'],
	['$999.990', 'type 999990 or 999.99'],
	['0.500', 'type 0.50'],
	['.500', 'type 0.50'],
	['1234.500', 'type 1234.50'],
	['1.999', 'use two decimals at most'],
	['19.999', 'use two decimals at most'],
	['0.001', 'use two decimals at most'],
	['3.30001', 'use two decimals at most'],
	['19,99', 'use a point: 19.99'],
	['$5,9', 'use a point: 5.9'],
	['1.999,00', 'use a point: 1999.00'],
	['1.234.567,89', 'use a point: 1234567.89'],
	['1,999', 'type 1999'],
	['$12,345,678', 'type 12345678'],
])('%s is refused, with what to type: %s', (typed, whatToType) => {
	for (const shape of ['dollars', 'dollarsOrPercent'] as const) {
		const words = `'It' cannot be ${typed}; ${whatToType}`;
		expect(() => read(typed, shape)).toThrow(new Error(words));
	}
});

test.each([
	...['1e3', '1e-7', 'ten', '.', '$', '25.', '2,500.000', '1,234.567', '1.234.567', '19,999.9'],
	...['1,2,3.00', '12,34.00', '1 999.00', '25 USD', '€19.99', '25%', '+5', '-5', '0x10', 'NaN'],
	...['Infinity', '19.99.1', '２５', '9'.repeat(400)],
])('%s is refused, in one sentence with an example', (typed) => {
	const quoted = typed.length > 40 ? `${typed.slice(0, 40)}…` : typed;
	const words = `'It' takes dollars, such as 19.99, not ${quoted}`;
	expect(() => read(typed)).toThrow(new Error(words));
});

test('an amount below minValue is refused; an empty field is undefined', () => {
	expect(() => read('$0', 'dollars', 0.01)).toThrow("'It' must be at least 0.01, not $0");
	expect(read('0.01', 'dollars', 0.01)).toBe(1);
	for (const shape of ['dollars', 'dollarsOrPercent'] as const) {
		expect(read(' ', shape, 0.01)).toBeUndefined();
	}
});

test('an amount is read from two decimals, from a plain number, from formatted dollars and from a product', () => {
	fc.assert(
		fc.property(fc.nat(9e9), fc.integer({ min: 1, max: 99 }), (cents, times) => {
			for (const typed of [(cents / 100).toFixed(2), String(cents / 100), formatDollars(cents)]) {
				expect(read(typed)).toBe(cents);
			}
			if (cents <= 1_000_000) expect(read(String((cents / 100) * times))).toBe(cents * times);
		}),
	);
});

test.each([
	['15%', 15],
	['8.25 %', 8.25],
	['.5%', 0.5],
	['0%', 0],
	['8.250%', 8.25],
])('%s is a percentage, where one is possible', (typed, amount) => {
	expect(read(typed, 'dollarsOrPercent')).toEqual({ amount, type: 'percentage' });
});

test.each(['8,25%', '$15%', '-1%', '15%%', '1e3%'])(
	'%s is neither dollars nor percent',
	(typed) => {
		const words = `'It' takes dollars, such as 19.99, or a percentage, such as 8.25%, not ${typed}`;
		expect(() => read(typed, 'dollarsOrPercent')).toThrow(new Error(words));
	},
);

test('a field that takes a percentage shows one before anything is typed', () => {
	expect(money('It', 'it', 'dollarsOrPercent', '').placeholder).toContain('10%');
	expect(money('It', 'it', 'dollars', '').placeholder).not.toContain('%');
});
