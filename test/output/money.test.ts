import { formatMoney } from '../../nodes/PaymentsGateway/output/money';

test.each([
	[1999, 'USD', '$19.99'],
	[-500, 'USD', '-$5.00'],
	[123456789, 'usd', '$1,234,567.89'],
	[2000, 'JPY', '¥2,000'],
	[2000, 'KWD', 'KWD 2.000'],
	// As ISO 4217 has it, not as people write it.
	[2000, 'HUF', 'HUF 20.00'],
	[12345, 'UYW', 'UYW 1.2345'],
	[1999, 'XYZ', 'XYZ 19.99'],
	[1999, '', '19.99'],
	[1999, 'DOLLARS', '19.99 DOLLARS'],
])('%d of %j is %s', (cents, currency, words) => {
	// Between a code and its number stands a space that does not break.
	expect(formatMoney(cents, currency).replace(/\s/g, ' ')).toBe(words);
});
