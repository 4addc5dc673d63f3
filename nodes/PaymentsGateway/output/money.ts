/**
 * Writes an amount in minor units as people of its currency do, such as "$19.99" or "¥1,999".
 * Outputs carry it beside the number.
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

const formats = new Map<string, { format: Intl.NumberFormat; digits: number } | undefined>();

function formatOf(currency: string): { format: Intl.NumberFormat; digits: number } | undefined {
	if (!/^[A-Za-z]{3}$/.test(currency)) return undefined;
	const code = currency.toUpperCase();
	let known = formats.get(code);
	if (known === undefined) {
		const digits = DECIMALS.get(code) ?? 2;
		const format = new Intl.NumberFormat('en-US', {
			style: 'currency',
			currency: code,
			minimumFractionDigits: digits,
			maximumFractionDigits: digits,
		});
		known = { format, digits };
		formats.set(code, known);
	}
	return known;
}

export function formatMoney(minor: number, currency: string): string {
	const known = formatOf(currency);
	if (!known) return `${(minor / 100).toFixed(2)}${currency === '' ? '' : ` ${currency}`}`;
	return known.format.format(minor / 10 ** known.digits);
}

/** The amount as people say it: 19.99 for 1999 cents, and 1999 for as many yen. */
export function majorOf(minor: number, currency: string): number {
	return minor / 10 ** (formatOf(currency)?.digits ?? 2);
}

/** Undefined for anything but a whole number of minor units, as an event may hold it. */
export function formatIfWhole(amount: number | undefined, currency: string): string | undefined {
	return Number.isSafeInteger(amount) ? formatMoney(Number(amount), currency) : undefined;
}

/** For carts and paylinks: the service names no currency for them, and the form asks for dollars. */
export function formatDollars(cents: number): string {
	return formatMoney(cents, 'USD');
}
