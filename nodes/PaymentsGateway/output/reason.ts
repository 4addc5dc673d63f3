import { textOf } from '../wire/json';
import { firstIn } from './payload';
import type { Place } from './payload';

/** Why a payment came to what it did: the first of a short list of names that holds text. */

/** By the letters of the names. What can be nothing but a reason comes first. */
const REASONS = [
	...['failurereason', 'failuremessage', 'declinereason', 'returnreason', 'errormessage'],
	...['reason', 'message', 'error', 'errors', 'failure'],
];
/** A code is told only where there are no words. */
const CODES = ['result', 'failurecode', 'declinecode', 'errorcode'];

/** The words themselves, or the first of a list. An object below is a place of its own. */
function wordsIn(value: unknown): string | undefined {
	return [value].flat().map(textOf).find(Boolean);
}

export function reasonAmong(places: readonly Place[]): string | undefined {
	return firstIn(places, REASONS, wordsIn) ?? firstIn(places, CODES, wordsIn);
}
