/**
 * Reads amounts, which are typed in dollars and sent in cents, and percentages. What could be read in
 * two ways, such as 19,99 or 1.999,00, is refused.
 */

/** 25, 19.99, .50, $1,999.00. Without cents behind it, many people read 1,999 as two dollars. */
const DOLLARS = /^\$?(?:\d+|\d{1,3}(?:,\d{3})+(?=\.\d\d$)|(?=\.))(?:\.\d+)?$/;
const PERCENTAGE = /^(\d+|\d*\.\d+) ?%$/;
/** How far from a whole cent an amount may be: 1.1 * 3 gives 3.3000000000000003 in JavaScript. */
const TOLERANCE = 1e-4;

/** Undefined where it is no sum of dollars. */
export function centsOf(typed: string): number | undefined {
	if (!DOLLARS.test(typed)) return undefined;
	const exact = Number(typed.replace(/[$,]/g, '')) * 100;
	const cents = Math.round(exact);
	return Math.abs(exact - cents) <= TOLERANCE && Number.isSafeInteger(cents) ? cents : undefined;
}

export function percentOf(typed: string): number | undefined {
	const percent = Number(PERCENTAGE.exec(typed)?.[1]);
	return Number.isFinite(percent) ? percent : undefined;
}
