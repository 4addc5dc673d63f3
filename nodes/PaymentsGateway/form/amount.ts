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
	if (!found) return { wrong: wrongWords(words, unit) };
	const [, whole = '', fraction = ''] = found;
	if (unit === 'minor' && fraction !== '') return { wrong: looksLikeDollars(words, words) };
	if (fraction.length > 2) return { wrong: `has more than two decimals: ${words}` };
	const minor = Number(unit === 'minor' ? whole : whole + fraction.padEnd(2, '0'));
	if (!Number.isSafeInteger(minor)) return { wrong: `is out of range: ${words}` };
	if (minor < least) {
		const bound = unit === 'minor' ? String(least) : (least / 100).toFixed(2);
		return { wrong: `must be at least ${bound}, not ${words}` };
	}
	return { minor };
}

function wrongWords(words: string, unit: AmountUnit = 'major'): string {
	if (words === '') return 'is empty';
	if (/^-[\d.]/.test(words)) return `must not be below zero, not ${words}`;
	const instead = readable(words);
	if (instead === undefined) return `takes an amount, not ${words}`;
	// Where cents are due, advice to type the same digits would ask for a hundredth of the amount.
	const isInDollars = instead.includes('.') || /[\p{L}\p{Sc}]/u.test(words);
	if (unit === 'minor' && isInDollars) return looksLikeDollars(words, instead);
	return `takes an amount, not ${words}: type ${instead}`;
}

/** What was most likely meant, to be shown and never to be used. */
function readable(words: string): string | undefined {
	const bare = words
		.normalize('NFKC')
		.replace(/\b[a-z]{3}\b/i, '')
		.replace(/[\s'’\p{Sc}]/gu, '');
	const plain = /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(bare)
		? bare.replaceAll(',', '')
		: /^\d{1,3}(\.\d{3})+,\d+$/.test(bare)
			? bare.replaceAll('.', '').replace(',', '.')
			: bare
					.replace(/^([.,])/, '0$1')
					.replace(',', '.')
					.replace(/\.$/, '');
	return DECIMAL.test(plain) ? plain : undefined;
}

function looksLikeDollars(words: string, digits: string): string {
	const dollars = toMinor(digits, 'major', 0);
	return 'minor' in dollars
		? `${words} looks like dollars; the service takes cents (${dollars.minor})`
		: `takes whole cents, not ${words}`;
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
		throw complain(`"${label}": ${wrongWords(typed).replace('an amount', 'a percentage')}`);
	}
	const percent = Number(typed);
	if (percent <= Number.MAX_SAFE_INTEGER) return percent;
	throw complain(`"${label}": is out of range: ${typed.slice(0, 20)}…`);
}
