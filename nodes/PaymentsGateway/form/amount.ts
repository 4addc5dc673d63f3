import type { AmountType } from '../wire';
import { shortened } from './fieldError';
import type { FieldError } from './fieldError';

/**
 * Amounts in dollars and percentages, as they were typed. They come as text and are read digit by
 * digit, because a number field of n8n turns a typed 19,99 into 1999 before a node sees it. What can
 * be read in two ways is refused, never guessed.
 */

/** Commas stand between thousands only where cents follow: many read 1,999 as two dollars. */
const AMOUNT = /^(-?)\$?([1-9]\d{0,2}(?:,\d{3})+(?=\.\d{2}$)|\d*)(?:\.(\d*))?$/;
const PERCENTAGE = /^(\d+\.?\d*|\.\d+) ?%?$/;
/** How far from a whole cent a sum of JavaScript may be: 1.1 * 3 gives 3.3000000000000003. */
const TOLERANCE = 1e-6;

function toCents(typed: string): number | undefined {
	// Copying brings along signs that nobody sees, such as U+200E.
	const seen = typed.replace(/\p{Cf}/gu, '');
	// 0.1 + 0.2 - 0.3 gives 5.551115123125783e-17.
	const plain = seen.includes('e-') ? Number(seen).toFixed(20) : seen;
	const [, sign, whole = '', fraction = ''] = AMOUNT.exec(plain) ?? [];
	if (whole === '' && fraction === '') return undefined;
	const partOfCent = Number(`0.${fraction.slice(2)}0`);
	if (partOfCent > TOLERANCE && partOfCent < 1 - TOLERANCE) return undefined;
	const digits = whole.replaceAll(',', '') + fraction.slice(0, 2).padEnd(2, '0');
	// What is left of the part is nought or one, but for the tolerance.
	const size = Number(digits) + Math.round(partOfCent);
	// Not -size: the -0 of -0.00 would be shown as -$0.00.
	const cents = sign === '-' ? 0 - size : size;
	return Number.isSafeInteger(cents) ? cents : undefined;
}

/** An amount of the form in cents, or the error that names its field, and ends with the hint. */
export function amountOf(
	label: string,
	typed: string,
	fieldError: FieldError,
	{ least = 0, hint = '' }: { least?: number; hint?: string } = {},
): number {
	if (typed === '') throw fieldError(`'${label}' is empty`);
	const cents = toCents(typed);
	if (cents === undefined) {
		throw fieldError(`'${label}' takes dollars, such as 19.99, not ${shortened(typed)}${hint}`);
	}
	if (cents < least) {
		throw fieldError(`'${label}' must be at least ${least / 100}, not ${shortened(typed)}`);
	}
	return cents;
}

export function percentageOf(label: string, typed: string, fieldError: FieldError): number {
	if (typed === '') throw fieldError(`'${label}' is empty`);
	const percent = PERCENTAGE.test(typed) ? Number.parseFloat(typed) : NaN;
	if (Number.isFinite(percent)) return percent;
	throw fieldError(`'${label}' takes a percentage, such as 8.25, not ${shortened(typed)}`);
}

/** A sum of cents in the unit that the gateway is to be sent. */
export type AsSent = (cents: number) => number;

/** What is an amount, in cents unless `asSent` makes it another unit, or a percentage, as its type says. */
export function amountOrPercentageOf(
	label: string,
	typed: string,
	type: AmountType,
	fieldError: FieldError,
	asSent: AsSent = (cents) => cents,
): number {
	if (type === 'percentage') return percentageOf(label, typed, fieldError);
	const hint = typed.endsWith('%') ? '; for a percentage, choose Percentage as its type' : '';
	return asSent(amountOf(label, typed, fieldError, { hint }));
}
