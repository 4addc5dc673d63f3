/**
 * Reads amounts, which are typed in dollars and sent in cents, and percentages. An amount that people
 * could read in two ways, such as 19,99 or 2.500, is refused.
 */

/** 25, 19.99, .50, $1,999.00. A comma needs two decimals: 1,999 alone could mean 1.999. */
const DOLLARS = /^\$?(?:\d+|\d{1,3}(?:,\d{3})+(?=\.\d\d$)|(?=\.))(?:\.\d+)?$/;
/** Half of the world writes 2.500 for 2,500. */
const THREE_DECIMALS = /\.\d{3}$/;
const PERCENTAGE = /^(\d+|\d*\.\d+) ?%$/;
/** How far from a whole cent an amount may be: 1.1 * 3 gives 3.3000000000000003 in JavaScript. */
const TOLERANCE = 1e-4;

/** Undefined if the text is not a dollar amount. */
export function centsOf(typed: string): number | undefined {
	if (!DOLLARS.test(typed) || THREE_DECIMALS.test(typed)) return undefined;
	const unrounded = Number(digitsOf(typed)) * 100;
	const cents = Math.round(unrounded);
	return !isOffCent(unrounded) && Number.isSafeInteger(cents) ? cents : undefined;
}

export function percentOf(typed: string): number | undefined {
	const percent = Number(PERCENTAGE.exec(typed)?.[1]);
	return Number.isFinite(percent) ? percent : undefined;
}

/** 19,99 and 1.999,00 */
const COMMA_AS_POINT = /^\$?(\d+|\d{1,3}(?:\.\d{3})+),(\d\d?)$/;
/** 1,999 */
const COMMAS_ONLY = /^\$?[1-9]\d{0,2}(?:,\d{3})+$/;
/** 2.500 could also mean 2500; 0.500 and 1234.500 could not. */
const POINT_AS_COMMA = /^[1-9]\d{0,2}\.\d{3}$/;

/**
 * What to type instead of an amount that was refused; undefined if it is unclear what was meant.
 */
export function whatToType(typed: string): string | undefined {
	const [, whole = '', decimals] = COMMA_AS_POINT.exec(typed) ?? [];
	if (decimals !== undefined) return `use a point: ${whole.replaceAll('.', '')}.${decimals}`;
	const digits = digitsOf(typed);
	if (COMMAS_ONLY.test(typed)) return `type ${digits}`;
	if (!DOLLARS.test(typed)) return undefined;
	if (isOffCent(Number(digits) * 100)) return 'use two decimals at most';
	if (!THREE_DECIMALS.test(typed)) return undefined;
	const thousands = POINT_AS_COMMA.test(digits) ? `${digits.replace('.', '')} or ` : '';
	return `type ${thousands}${Number(digits).toFixed(2)}`;
}

function digitsOf(typed: string): string {
	return typed.replace(/[$,]/g, '');
}

function isOffCent(cents: number): boolean {
	return Math.abs(cents - Math.round(cents)) > TOLERANCE;
}
