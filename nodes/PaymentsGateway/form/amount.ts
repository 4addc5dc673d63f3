import { toMinor } from '../output/money';
import type { AmountUnit } from '../output/money';
import type { Complain } from './complain';

/** An amount of the form in minor units, or the error that names its field. */
export function amountOf(
	label: string,
	value: number,
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
	const read = toMinor(value, unit, least);
	if ('minor' in read) return read.minor;
	throw complain(`"${label}": ${read.wrong}${advice && unit === 'minor' ? `. ${advice}` : ''}`);
}

/** A percentage stays as it is. */
export function percentageOf(label: string, value: number, complain: Complain): number {
	if (value < 0) throw complain(`"${label}": must not be below zero, not ${value}`);
	return value;
}
