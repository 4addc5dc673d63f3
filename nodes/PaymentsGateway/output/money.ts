/**
 * Turns cents into what people read: 19.99 and "$19.99". An event may name a currency other than
 * dollars: `cents` are then its minor unit.
 */

/**
 * The currencies that do not have 2 decimals, by ISO 4217. Not from Intl, which follows how people write
 * a currency: it gives forints and rupiahs no decimals, although their amounts are in hundredths.
 */
const DECIMALS = new Map(
	Object.entries({
		0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
		3: 'BHD IQD JOD KWD LYD OMR TND',
		4: 'CLF UYW',
	}).flatMap(([digits, codes]) => codes.split(' ').map((code) => [code, Number(digits)] as const)),
);

/** Two, even for an unknown currency. */
function decimalsOf(currency: string): number {
	return DECIMALS.get(currency.toUpperCase()) ?? 2;
}

/** A cache, because making a format takes far longer than using it. */
const formats = new Map<string, Intl.NumberFormat>();

/** 19.99 for 1999 cents, and 1999 for as many yen. */
export function majorUnitsOf(cents: number, currency = ''): number {
	return cents / 10 ** decimalsOf(currency);
}

export function formatMoney(cents: number, currency = ''): string {
	const amount = majorUnitsOf(cents, currency);
	if (!/^[A-Za-z]{3}$/.test(currency)) return `${amount.toFixed(2)} ${currency}`.trim();
	const code = currency.toUpperCase();
	const digits = {
		minimumFractionDigits: decimalsOf(code),
		maximumFractionDigits: decimalsOf(code),
	};
	const format =
		formats.get(code) ??
		new Intl.NumberFormat('en-US', { style: 'currency', currency: code, ...digits });
	formats.set(code, format);
	return format.format(amount);
}

/**
 * For carts and paylinks: the gateway names no currency for them, and the form asks for dollars.
 */
export const CART_CURRENCY = 'USD';

export function formatDollars(cents: number): string {
	return formatMoney(cents, CART_CURRENCY);
}
