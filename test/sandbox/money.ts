/**
 * Dollars as people read and type them. The sandbox counts in cents everywhere else, and does not
 * share the package's code for this.
 */

/** "$1,234.50" */
export function dollars(cents: number): string {
	return (cents / 100).toLocaleString('en-US', { style: 'currency', currency: 'USD' });
}

/** Cents of "12", "12.5", "$12.50"; undefined for anything else. By digits, never by floats. */
export function cents(text: string): number | undefined {
	const match = /^\$?(\d{1,7})(?:\.(\d{1,2}))?$/.exec(text.trim());
	if (!match) return undefined;
	const [, whole = '', fraction = ''] = match;
	return Number(whole) * 100 + Number(fraction.padEnd(2, '0'));
}
