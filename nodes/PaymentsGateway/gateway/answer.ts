import type { Answer, Endpoint } from '../wire';
import { endpoints } from '../wire';
import { isObject, textOf, valueAt, wholeOf } from '../wire/json';
import { isCaptured, isDeclined } from '../wire/payment';

/**
 * Reads the body of an answer: whether it holds what the gateway's description promises, whether it
 * calls itself an error, and which transaction it names. The description leaves open whether answers
 * come wrapped in `data`, so each is read both ways.
 */

/** In the type that the description promises: an ID may come as a number, and an amount as text. */
const readAs: Readonly<Record<'array' | 'integer' | 'string', (value: unknown) => unknown>> = {
	// `pageOf` later leaves out rows that are no objects.
	array: (value) => (Array.isArray(value) ? value : undefined),
	integer: wholeOf,
	string: (value) => textOf(value) || undefined,
};

/** The first field that the answer should have and lacks; undefined when it has all. */
export function missingIn(endpoint: Endpoint, body: unknown): string | undefined {
	return Object.entries(endpoints[endpoint].answers).find(
		([path, type]) => readAs[type](valueAt(body, path)) === undefined,
	)?.[0];
}

/** The answer with each of those fields in that type. */
function asDescribed(endpoint: Endpoint, body: unknown): unknown {
	// Some write no rows as null, or leave them out: of an empty list, or of a page behind the last.
	const numberOf = (key: string) => wholeOf(valueAt(body, `page.${key}`));
	const mayBeEmpty = numberOf('total') === 0 || (numberOf('page') ?? 1) > 1;
	const isEmpty = (valueAt(body, 'data') ?? null) === null && mayBeEmpty;
	const answer = isEmpty ? changed(body, ['data'], () => []) : body;
	return Object.entries(endpoints[endpoint].answers).reduce(
		(reading, [path, type]) => changed(reading, path.split('.'), readAs[type]),
		answer,
	);
}

function changed(
	body: unknown,
	[key, ...deeper]: readonly string[],
	change: (value: unknown) => unknown,
): unknown {
	if (key === undefined) return change(body);
	return isObject(body) ? { ...body, [key]: changed(body[key], deeper, change) } : body;
}

/** Read in three ways: as described, inside one more `data`, and with the described one left out. */
export function answerIn<E extends Endpoint>(endpoint: E, body: unknown): Answer<E> | undefined {
	if (!isObject(body)) return undefined;
	const isWhole = (reading: unknown): reading is Answer<E> =>
		missingIn(endpoint, reading) === undefined;
	const readings: unknown[] = [body, body.data, { data: body }];
	return readings.map((reading) => asDescribed(endpoint, reading)).find(isWhole);
}

/** What some say of an error where there is none. */
const SAYS_NO_ERROR =
	/^(?:(?:transaction|payment) )?(?:ok|success(?:ful(?:ly)?)?|approved|none|no errors?|0+)\W*$/i;

/** Null, false, nought, and what holds nothing else, such as { code: 0, message: "Success" }. */
function saysNoError(error: unknown): boolean {
	if (typeof error === 'object' && error !== null) return Object.values(error).every(saysNoError);
	return !error || SAYS_NO_ERROR.test(textOf(error));
}

/** As a status or a code: a word, or a number as of HTTP. */
const SAYS_ERROR = /^(?:error|fail(?:ed|ure)?|[45]\d\d)$/i;

function saysError(answer: Readonly<Record<string, unknown>>): boolean {
	const { error, errors, errorMessage, success, ok, status, statusCode, code } = answer;
	if (![error, errors, errorMessage].every(saysNoError)) return true;
	if ([success, ok, status].some((flag) => flag === false || flag === 'false')) return true;
	// A status of nought may be that of a success.
	if ([success, ok].some((flag) => textOf(flag) === '0')) return true;
	// Beside a transaction, the status is that of the charge.
	if (textOf(answer.transactionID) !== '') return false;
	return [status, statusCode, code].some((said) => SAYS_ERROR.test(textOf(said)));
}

/**
 * What an answer says of an error, whatever its status is and whatever else it holds: a list without
 * rows would otherwise pass for one that was looked through. The records in `data` are left out, so
 * that no words of theirs are taken for the error's.
 */
export function errorIn(body: unknown): object | undefined {
	if (!isObject(body)) return undefined;
	const { data, ...around } = body;
	return [around, data].filter(isObject).find(saysError);
}

/** What the answer to a charge says of its transaction. */
export interface Payment {
	/** Empty where it has no ID. */
	transactionID: string;
	/** Empty where it says none. */
	status: string;
}

/** The transaction that an answer to a charge names; of two, the one that may have gone through. */
export function paymentIn(endpoint: Endpoint, body: unknown, isGood: boolean): Payment | undefined {
	if (endpoints[endpoint].effect !== 'charge') return undefined;
	const named = [body, valueAt(body, 'data')]
		.filter(isObject)
		.map(({ transactionID, status }) => ({
			transactionID: textOf(transactionID),
			// A number is that of HTTP once more.
			status: /[a-z]/i.test(textOf(status)) ? textOf(status) : '',
		}))
		.filter(
			(payment) =>
				payment.transactionID !== '' ||
				isCaptured(payment) ||
				// Beside a status of an error, "failed" may be said of the request.
				(isDeclined(payment) && (isGood || !/^failed$/i.test(payment.status))),
		);
	return named.find((payment) => !isDeclined(payment)) ?? named[0];
}
