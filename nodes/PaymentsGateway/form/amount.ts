import type { AmountType } from '../wire';
import { shortened } from './fieldError';
import type { FieldError } from './fieldError';

/**
 * Reads amounts, which are typed in dollars and sent in cents, and percentages. What could be read in
 * two ways, such as 19,99 or 1.999,00, is refused.
 */

/** 25, 19.99, .50, $1,999.00. Without cents behind it, 1,999 is two dollars to many. */
const DOLLARS = /^\$?(?:\d+|\d{1,3}(?:,\d{3})+(?=\.\d\d$)|(?=\.))(?:\.\d+)?$/;
const PERCENTAGE = /^(\d+|\d*\.\d+) ?%$/;
/** How far from a whole cent an amount may be: 1.1 * 3 gives 3.3000000000000003 in JavaScript. */
const TOLERANCE = 1e-4;

function toCents(typed: string): number | undefined {
	if (!DOLLARS.test(typed)) return undefined;
	const exact = Number(typed.replace(/[$,]/g, '')) * 100;
	const cents = Math.round(exact);
	return Math.abs(exact - cents) <= TOLERANCE && Number.isSafeInteger(cents) ? cents : undefined;
}

/** The cents of an amount, or the error that names its field. */
export function readCents(
	label: string,
	typed: string,
	fieldError: FieldError,
	{ least = 0, takes = 'dollars, such as 19.99' }: { least?: number; takes?: string } = {},
): number {
	if (typed === '') throw fieldError(`'${label}' is empty`);
	const cents = toCents(typed);
	if (cents === undefined) throw fieldError(`'${label}' takes ${takes}, not ${shortened(typed)}`);
	if (cents >= least) return cents;
	throw fieldError(`'${label}' must be at least ${least / 100}, not ${shortened(typed)}`);
}

/** Cents, or a percentage where % stands behind the number. */
export function readCentsOrPercentage(
	label: string,
	typed: string,
	fieldError: FieldError,
): { amount: number; type: AmountType } {
	const percent = Number(PERCENTAGE.exec(typed)?.[1]);
	if (Number.isFinite(percent)) return { amount: percent, type: 'percentage' };
	const takes = 'dollars, such as 19.99, or a percentage, such as 8.25%';
	return { amount: readCents(label, typed, fieldError, { takes }), type: 'fixed' };
}
