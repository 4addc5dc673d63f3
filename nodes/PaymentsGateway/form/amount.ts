import { shortened } from './complain';
import type { Complain } from './complain';

/**
 * Amounts and percentages as they were typed. They come as text and are read digit by digit,
 * because a number field of n8n turns a typed 19,99 into 1999, and 19.999 into 20, before a node
 * sees either. A wrong amount is refused with what to type instead; it is never guessed.
 */

export type AmountUnit = 'major' | 'minor';

const DECIMAL = /^(\d+)(?:\.(\d+))?$/;

/** An amount in minor units, or the sentence that says what is wrong with it. */
export function toMinor(
	typed: string | number,
	unit: AmountUnit,
	least: number,
): { minor: number } | { wrong: string } {
	const words = String(typed);
	const found = DECIMAL.exec(words);
	if (!found) return { wrong: wrongWords(words, unit, least) };
	const [, whole = '', fraction = ''] = found;
	if (unit === 'minor' && fraction !== '') return { wrong: looksLikeDollars(words, words, least) };
	if (fraction.length > 2) return { wrong: `has more than two decimals: ${shortened(words)}` };
	const minor = Number(unit === 'minor' ? whole : whole + fraction.padEnd(2, '0'));
	if (!Number.isSafeInteger(minor)) return { wrong: `is out of range: ${shortened(words)}` };
	if (minor < least) {
		const bound = unit === 'minor' ? String(least) : (least / 100).toFixed(2);
		return { wrong: `must be at least ${bound}, not ${shortened(words)}` };
	}
	return { minor };
}

function wrongWords(words: string, unit: AmountUnit, least: number): string {
	const meant = meaning(words);
	// Where cents are due, advice to type the same digits would ask for a hundredth of the amount.
	const isInDollars = meant?.kind === 'major' || (!meant?.kind && meant?.digits.includes('.'));
	if (meant && unit === 'minor' && isInDollars) return looksLikeDollars(words, meant.digits, least);
	const instead = meant && inUnit(meant, unit);
	const isTaken = instead !== undefined && 'minor' in toMinor(instead, unit, least);
	return refusal(words, 'takes an amount, not', isTaken ? instead : undefined);
}

function refusal(words: string, wrong: string, instead?: string): string {
	if (words === '') return 'is empty';
	if (/^-[\d.]/.test(words)) return `must not be below zero, not ${shortened(words)}`;
	const advice = instead === undefined ? '' : `: type ${instead}`;
	return `${wrong} ${shortened(words)}${advice}`;
}

function looksLikeDollars(words: string, digits: string, least: number): string {
	const dollars = toMinor(digits, 'major', least);
	// A program writes whole cents as 2500.0, nobody writes dollars so.
	return 'minor' in dollars && !/\.0$/.test(digits)
		? `${shortened(words)} looks like dollars; the service takes cents (${dollars.minor})`
		: `takes whole cents, not ${shortened(words)}`;
}

/** What was most likely meant, to be shown and never to be used. */
interface Meaning {
	/** As `DECIMAL` has them. */
	digits: string;
	/** What a sign beside the digits says of them. */
	kind: AmountUnit | 'percent' | undefined;
}

/** No yen and the like: whether 25 of them are to be typed as 25 or as 0.25 is not known. */
const SIGN = '([$€£¢%]|USD|EUR|GBP)?';
const SIGNED = new RegExp(`^${SIGN}\\s*([\\d.,'’\\s]+?)\\s*${SIGN}$`, 'i');

function kindOf(sign: string | undefined): Meaning['kind'] {
	if (sign === undefined) return undefined;
	return sign === '¢' ? 'minor' : sign === '%' ? 'percent' : 'major';
}

function meaning(words: string): Meaning | undefined {
	if (words.length > 40) return undefined;
	const narrow = words.replace(/[\uff01-\uff5e]/g, (wide) =>
		String.fromCharCode(wide.charCodeAt(0) - 0xfee0),
	);
	const [, before, inner = '', after] = SIGNED.exec(narrow) ?? [];
	const kind = kindOf(before ?? after);
	const digits = readable(inner);
	return digits === undefined || kindOf(after ?? before) !== kind ? undefined : { digits, kind };
}

function readable(words: string): string | undefined {
	const plain = /^[1-9]\d{0,2}([,\s'’])\d{3}(?:\1\d{3})*(?:\.\d+)?$/.test(words)
		? words.replace(/[,\s'’]/g, '')
		: /^[1-9]\d{0,2}([.\s'’])\d{3}(?:\1\d{3})*,\d+$/.test(words)
			? words.replace(/[.\s'’]/g, '').replace(',', '.')
			: words.replace(/[.,]$/, '').replace(',', '.').replace(/^\./, '0.');
	return DECIMAL.test(plain) ? plain : undefined;
}

function inUnit({ digits, kind }: Meaning, unit: AmountUnit): string | undefined {
	if (kind === 'percent') return undefined;
	if (unit === 'minor' || kind !== 'minor') return digits;
	return digits.includes('.') ? undefined : digits.padStart(3, '0').replace(/..$/, '.$&');
}

/** An amount of the form in minor units, or the error that names its field. */
export function amountOf(
	label: string,
	typed: string,
	complain: Complain,
	{
		unit = 'minor',
		least = 0,
		advice,
	}: {
		unit?: AmountUnit;
		least?: number;
		/** What else could be done about an amount in minor units. */
		advice?: string;
	} = {},
): number {
	const read = toMinor(typed, unit, least);
	if ('minor' in read) return read.minor;
	throw complain(`"${label}": ${read.wrong}${advice && unit === 'minor' ? `. ${advice}` : ''}`);
}

export function percentageOf(label: string, typed: string, complain: Complain): number {
	if (!DECIMAL.test(typed)) {
		const { digits, kind = 'percent' } = meaning(typed) ?? {};
		// More than 100 is rather a misread comma than a percentage.
		const isMeant = kind === 'percent' && Number(digits) <= 100;
		throw complain(
			`"${label}": ${refusal(typed, 'takes a percentage, not', isMeant ? digits : undefined)}`,
		);
	}
	const percent = Number(typed);
	if (percent <= Number.MAX_SAFE_INTEGER) return percent;
	throw complain(`"${label}": is out of range: ${shortened(typed)}`);
}
