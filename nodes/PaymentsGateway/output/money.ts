/**
 * Turns cents into what people say and write: 19.99, and "$19.99" beside it. An event may name another
 * currency than dollars: its cents are then the smallest unit of that one, and its dollars the whole.
 */

/**
 * How many decimals a currency has, where it is not 2, by ISO 4217. Intl is not asked: it says how
 * people write a currency, and gives none to forints or rupiahs, whose amounts are in hundredths.
 */
const DECIMALS = new Map(
	Object.entries({
		0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
		3: 'BHD IQD JOD KWD LYD OMR TND',
		4: 'CLF UYW',
	}).flatMap(([digits, codes]) => codes.split(' ').map((code) => [code, Number(digits)] as const)),
);

/** Two, also for what is no currency, or none that is known. */
function decimalsOf(currency: string): number {
	return DECIMALS.get(currency.toUpperCase()) ?? 2;
}

/** Kept, because to make one takes far longer than to use it. */
const formats = new Map<string, Intl.NumberFormat>();

/** 19.99 for 1999 cents, and 1999 for as many yen. */
export function dollarsOf(cents: number, currency = ''): number {
	return cents / 10 ** decimalsOf(currency);
}

export function formatMoney(cents: number, currency = ''): string {
	const dollars = dollarsOf(cents, currency);
	if (!/^[A-Za-z]{3}$/.test(currency)) return `${dollars.toFixed(2)} ${currency}`.trim();
	const code = currency.toUpperCase();
	const digits = {
		minimumFractionDigits: decimalsOf(code),
		maximumFractionDigits: decimalsOf(code),
	};
	const format =
		formats.get(code) ??
		new Intl.NumberFormat('en-US', { style: 'currency', currency: code, ...digits });
	formats.set(code, format);
	return format.format(dollars);
}

/** Of carts and paylinks: the gateway names no currency for them, and the form asks for dollars. */
export const CART_CURRENCY = 'USD';

export function formatDollars(cents: number): string {
	return formatMoney(cents, CART_CURRENCY);
}
