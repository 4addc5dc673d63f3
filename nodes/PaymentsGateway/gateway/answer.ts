import type { Answer, Endpoint } from '../wire';
import { endpoints } from '../wire';
import { isObject, textOf, valueAt } from '../wire/json';
import { isCaptured, isDeclined } from '../wire/payment';

/**
 * Reads the body of an answer: whether it holds what the gateway's document promises, whether it
 * calls itself an error, and which transaction it names. An answer may come wrapped in `data`.
 */

/** Whether what stands there is of the type that the document promises; an ID may be a number. */
const isOfType: Readonly<Record<'array' | 'integer' | 'string', (value: unknown) => boolean>> = {
	array: Array.isArray,
	integer: Number.isSafeInteger,
	string: (value) => textOf(value) !== '',
};

/** The first field that the answer should have and lacks; undefined when it has all. */
export function missingIn(endpoint: Endpoint, body: unknown): string | undefined {
	return Object.entries(endpoints[endpoint].answers).find(
		([path, type]) => !isOfType[type](valueAt(body, path)),
	)?.[0];
}

export function answerIn<E extends Endpoint>(endpoint: E, body: unknown): Answer<E> | undefined {
	const isWhole = (reading: unknown): reading is Answer<E> =>
		missingIn(endpoint, reading) === undefined;
	return readingsOf(body)
		.map((reading) => withTexts(endpoint, reading))
		.find(isWhole);
}

/** An answer as it is, and what is inside its `data`. */
function readingsOf(body: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> {
	return [body, valueAt(body, 'data')].filter(isObject);
}

const IDS = ['id', 'customerID', 'paymentCardID', 'transactionID'];

/** IDs, and the status of a charge, may come as numbers; the status also with blanks around it. */
function withTexts(endpoint: Endpoint, reading: Readonly<Record<string, unknown>>): object {
	const ids = IDS.filter((name) => typeof reading[name] === 'number');
	const names = 'status' in endpoints[endpoint].answers ? [...ids, 'status'] : ids;
	return { ...reading, ...Object.fromEntries(names.map((name) => [name, textOf(reading[name])])) };
}

/**
 * What an answer says of an error, whatever its status is and whatever else it holds: a list without
 * rows would otherwise pass for one that was looked through.
 */
export function errorIn(body: unknown): object | undefined {
	return readingsOf(body).find(
		({ error, errors, success }) => isTold(error) || isTold(errors) || success === false,
	);
}

/** An error that is null, false, empty or an empty list is none. */
function isTold(error: unknown): boolean {
	return typeof error === 'object' && error !== null ? Object.keys(error).length > 0 : !!error;
}

/** What the answer to a charge says of its transaction. What it does not say is empty. */
export type Payment = Answer<'createTokenizedManualEntry'>;

/** The transaction that an answer names; of two, the one that may have gone through. */
export function paymentIn(body: unknown): Payment | undefined {
	const named = readingsOf(body)
		.map(({ transactionID, status }) => ({
			transactionID: textOf(transactionID),
			status: textOf(status),
		}))
		.filter((each) => each.transactionID !== '' || isCaptured(each) || isDeclined(each));
	return named.find((payment) => !isDeclined(payment)) ?? named[0];
}
