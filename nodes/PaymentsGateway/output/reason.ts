import { isObject, textOf } from '../wire/json';
import { saysOnlyFailed } from '../wire/payment';
import { firstIn, opened, placesIn } from './payload';
import type { Place } from './payload';

/** Why a payment came to what it did, wherever a payload says it, in the words that say most. */

/**
 * Where a reason stands, by the letters of the name; the usual one first. A code is told where there
 * are no words.
 */
export const REASONS = [
	...['message', 'failurereason', 'failuremessage', 'declinereason', 'returnreason', 'reason'],
	...['returndescription', 'refusalreason', 'refusalreasonraw', 'reasondescription', 'errortext'],
	...['errormessage', 'errordescription', 'statusmessage', 'statusreason', 'refusaldescription'],
	...['declinemessage', 'gatewayresponse', 'responsemessage', 'responsetext', 'responsesummary'],
	...['processorresponsetext', 'responsereasontext', 'responsereasondescription'],
	...['error', 'errors', 'failure'],
];
export const CODES = ['result', 'failurecode', 'declinecode', 'errorcode'];
const WITHIN_REASONS = [...REASONS, 'description', 'detail', 'text', 'title', 'code', ...CODES];

/** A reason in words, which may stand in an object or a list. */
function reasonIn(value: unknown, depth = 0): string | undefined {
	const inner = opened(value);
	if (typeof inner === 'string') return inner.trim() || undefined;
	if (depth > 3) return undefined;
	const deeper = (entry: unknown) => reasonIn(entry, depth + 1);
	if (isObject(inner)) return firstIn(placesIn(inner).slice(0, 1), WITHIN_REASONS, deeper);
	return Array.isArray(inner) ? inner.map(deeper).find(Boolean) : undefined;
}

const OF_BEFORE =
	/^(?:\[[^\]]*\] ?)?(?:(?:the |this )?(?:transaction|payment) )?(?:has been |was |is )?(?:ok|approv\w*|success\w*|captured|authori[sz]ed|completed?|settled|0+)\W*$/i;

/** What a record kept of the time before it failed, as that of a returned debit may, is no reason. */
function failureIn(value: unknown): string | undefined {
	const words = reasonIn(value);
	return OF_BEFORE.test(textOf(words)) ? undefined : words;
}

/** More than that it failed, and more than a number; R01 and the like are known codes. */
function tellingIn(value: unknown): string | undefined {
	const words = failureIn(value);
	const isTelling = /[a-z]{3}|^R\d\d\b/i.test(textOf(words)) && !saysOnlyFailed(textOf(words));
	return isTelling ? words : undefined;
}

/** Of what failed, words that tell more than that it did, or else any. */
export function reasonAmong(places: readonly Place[], isFailure: boolean): string | undefined {
	const telling = isFailure ? firstIn(places, [...REASONS, ...CODES], tellingIn) : undefined;
	const read = isFailure ? failureIn : reasonIn;
	return telling ?? firstIn(places, REASONS, read) ?? firstIn(places, CODES, read);
}
