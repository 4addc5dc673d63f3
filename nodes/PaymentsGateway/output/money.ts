/**
 * Writes an amount in minor units as people of its currency do, such as "$19.99" or "¥1,999".
 * Outputs carry it beside the number.
 */

const formats = new Map<string, { format: Intl.NumberFormat; digits: number } | undefined>();

function formatOf(currency: string): { format: Intl.NumberFormat; digits: number } | undefined {
	if (!/^[A-Za-z]{3}$/.test(currency)) return undefined;
	const code = currency.toUpperCase();
	let known = formats.get(code);
	if (known === undefined) {
		const format = new Intl.NumberFormat('en-US', { style: 'currency', currency: code });
		known = { format, digits: format.resolvedOptions().maximumFractionDigits ?? 2 };
		formats.set(code, known);
	}
	return known;
}

export function formatMoney(minor: number, currency: string): string {
	const known = formatOf(currency);
	if (!known) return `${(minor / 100).toFixed(2)}${currency === '' ? '' : ` ${currency}`}`;
	return known.format.format(minor / 10 ** known.digits);
}

/** For carts and paylinks: the service names no currency for them, and the form asks for dollars. */
export function formatDollars(cents: number): string {
	return formatMoney(cents, 'USD');
}
