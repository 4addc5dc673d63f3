import type { Answer, Endpoint } from '../wire';
import { endpoints } from '../wire';
import { isObject, textOf, valueAt } from '../wire/json';
import { isCaptured, isDeclined } from '../wire/payment';

/** Reads the body of an answer, which the gateway may wrap in `data`. */

type JsonObject = Readonly<Record<string, unknown>>;

const isOfType: Readonly<Record<'array' | 'integer' | 'string', (value: unknown) => boolean>> = {
	array: Array.isArray,
	integer: Number.isSafeInteger,
	// A number passes too: it is read as text.
	string: (value) => textOf(value) !== '',
};

/** The promised fields that this object lacks. */
function missingFields(endpoint: Endpoint, answer: unknown): string[] {
	const promised = Object.entries(endpoints[endpoint].requiredFields);
	return promised
		.filter(([path, type]) => !isOfType[type](valueAt(answer, path)))
		.map(([path]) => path);
}

/** The answer, wrapped or not. Undefined if the body lacks a promised field. */
export function readAnswer<E extends Endpoint>(endpoint: E, body: unknown): Answer<E> | undefined {
	const isComplete = (candidate: unknown): candidate is Answer<E> =>
		missingFields(endpoint, candidate).length === 0;
	const candidates = unwrap(body).map((candidate) => withText(endpoint, candidate));
	return candidates.find(isComplete);
}

/** The first promised field that is missing: from the body or its `data`, whichever lacks less. */
export function missingField(endpoint: Endpoint, body: unknown): string | undefined {
	const outer = missingFields(endpoint, body);
	const inner = missingFields(endpoint, valueAt(body, 'data'));
	return inner.length < outer.length ? inner[0] : outer[0];
}

/** The two places where an answer may be: the body itself, and its `data`. */
const unwrap = (body: unknown): JsonObject[] => [body, valueAt(body, 'data')].filter(isObject);

const ID_FIELDS = ['id', 'customerID', 'paymentCardID', 'transactionID'];

/** An ID, or the status of a charge, may be a number. The status may have spaces around it. */
function withText(endpoint: Endpoint, answer: JsonObject): object {
	const fields = ID_FIELDS.filter((name) => typeof answer[name] === 'number');
	if ('status' in endpoints[endpoint].requiredFields) fields.push('status');
	return { ...answer, ...Object.fromEntries(fields.map((name) => [name, textOf(answer[name])])) };
}

/**
 * The part of a body that reports an error. It counts even if the status is good and the answer is
 * complete: a look-up that failed, with an empty list, would otherwise pass for a list without rows.
 */
export function findError(body: unknown): object | undefined {
	return unwrap(body).find(
		({ error, errors, success }) => hasContent(error) || hasContent(errors) || success === false,
	);
}

function hasContent(error: unknown): boolean {
	return typeof error === 'object' && error !== null ? Object.keys(error).length > 0 : !!error;
}

/** The payment that the answer to a charge names. A field that the answer lacks is empty. */
export type Payment = Answer<'createTokenizedManualEntry'>;

/** If the body names two payments, the one that may have gone through. */
export function findPayment(body: unknown): Payment | undefined {
	const payments = unwrap(body)
		.map(({ transactionID, status }) => ({
			transactionID: textOf(transactionID),
			status: textOf(status),
		}))
		.filter((each) => each.transactionID !== '' || isCaptured(each) || isDeclined(each));
	return payments.find((payment) => !isDeclined(payment)) ?? payments[0];
}
