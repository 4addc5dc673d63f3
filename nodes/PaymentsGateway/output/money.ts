/** Amounts are integers in minor units from the form to the wire: no floating point in between. */

export type AmountUnit = 'major' | 'minor';

const MAJOR = /^(\d+)(?:\.(\d{1,2}))?$/;

/** An amount in minor units, or the sentence that says what is wrong with it. */
export function toMinor(
	value: number,
	unit: AmountUnit,
	least: number,
): { minor: number } | { wrong: string } {
	const words = String(value);
	if (!Number.isFinite(value)) return { wrong: `takes an amount, not ${words}` };
	if (value < 0) return { wrong: `must not be below zero, not ${words}` };
	let minor: number;
	if (unit === 'minor') {
		if (!Number.isInteger(value)) return { wrong: looksLikeDollars(words) };
		minor = value;
	} else {
		const found = MAJOR.exec(words);
		if (!found) {
			return {
				wrong: words.includes('e')
					? `is out of range: ${words}`
					: `has more than two decimals: ${words}`,
			};
		}
		const [, whole = '', fraction = ''] = found;
		minor = Number(whole + fraction.padEnd(2, '0'));
	}
	if (!Number.isSafeInteger(minor)) return { wrong: `is out of range: ${words}` };
	if (minor < least) {
		const bound = unit === 'minor' ? String(least) : (least / 100).toFixed(2);
		return { wrong: `must be at least ${bound}, not ${words}` };
	}
	return { minor };
}

function looksLikeDollars(words: string): string {
	const asDollars = MAJOR.exec(words);
	if (!asDollars) return `takes whole cents, not ${words}`;
	const [, whole = '', fraction = ''] = asDollars;
	const cents = Number(whole + fraction.padEnd(2, '0'));
	return `${words} looks like dollars; the service takes cents (${cents})`;
}

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

/** "$19.99", "¥1,999": minor units as people of that currency write them. */
export function formatMoney(minor: number, currency: string): string {
	const known = formatOf(currency);
	if (!known) return `${(minor / 100).toFixed(2)}${currency === '' ? '' : ` ${currency}`}`;
	return known.format.format(minor / 10 ** known.digits);
}
