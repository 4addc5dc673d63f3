import type { IHttpRequestOptions } from 'n8n-workflow';

import type { Answer, Data, Effect, Endpoint } from '../wire';
import { endpoints } from '../wire';
import { isObject, textOf, valueAt } from '../wire/json';
import type { Connection, Context } from './connection';
import { CREDENTIAL } from './connection';
import type { FailedRequest } from './errors';
import { readRetryAfter } from './retry';
import { withinLimit } from './timeLimit';

/**
 * Sends one request to the service, once, through n8n's own helper. It returns the answer if that
 * holds what it should, and otherwise a FailedRequest that says what happened; it never throws.
 */

const TIME_LIMIT: Readonly<Record<Effect, number>> = {
	read: 30_000,
	write: 60_000,
	charge: 120_000,
};

export interface Reply<A> {
	answer: A;
	/** The answer's Date header in epoch milliseconds: the service's own clock. */
	date?: number;
}

function isThere(value: unknown, what: 'array' | 'integer' | 'string'): boolean {
	switch (what) {
		case 'array':
			// `contentOf` later leaves out rows that are no objects.
			return Array.isArray(value);
		case 'integer':
			return Number.isSafeInteger(value);
		case 'string':
			return typeof value === 'string' && value !== '';
	}
}

/** Null, false, nought, and what holds nothing else. */
function isNothing(value: unknown): boolean {
	if (typeof value === 'object' && value !== null) return Object.values(value).every(isNothing);
	return !value;
}

/** What the service says of a charge that went through. */
export function isCaptured({ status }: { status?: unknown }): boolean {
	return typeof status === 'string' && status.toUpperCase() === 'CAPTURED';
}

/** What the service says of a transaction that moved no money, or none that stayed. */
const FAILED = /^(declined|failed|refused|rejected|voided)$/i;

/**
 * The transaction that an answer to a charge names, although it is none of a charge that went
 * through: it may have been carried out all the same. Empty where it is captured and has no ID.
 */
function paymentIn(endpoint: Endpoint, body: unknown): string | undefined {
	if (endpoints[endpoint].effect !== 'charge') return undefined;
	const isPayment = ({ transactionID, status }: Readonly<Record<string, unknown>>) =>
		(isCaptured({ status }) || textOf(transactionID) !== '') && !FAILED.test(textOf(status));
	const payment = [body, valueAt(body, 'data')].filter(isObject).find(isPayment);
	return payment && textOf(payment.transactionID);
}

/** Whether an answer calls itself an error, whatever its status is and whatever else it holds. */
export function saysError(answer: object): boolean {
	const { error, errors, success }: Readonly<Record<string, unknown>> = { ...answer };
	return success === false || success === 'false' || !isNothing(error) || !isNothing(errors);
}

/**
 * What an answer with a good status says of an error. Rows that are there, or not, mean nothing
 * beside it: a list without rows would pass for one that was looked through. Of a charge it is not
 * known then what was done, which is for `chargeOnce` to say.
 */
function errorIn(endpoint: Endpoint, body: unknown): object | undefined {
	if (endpoints[endpoint].effect === 'charge' || !isObject(body) || !saysError(body)) {
		return undefined;
	}
	// Without what was asked for, so that no words of it are taken for the error's.
	return { ...body, data: undefined };
}

/** The first field that the answer should have and lacks; undefined when it has all. */
function missing(endpoint: Endpoint, body: unknown): string | undefined {
	return Object.entries(endpoints[endpoint].answers).find(
		([path, what]) => !isThere(valueAt(body, path), what),
	)?.[0];
}

/** n8n wraps what the network said; the code is one or two causes down. */
function networkCode(error: unknown, depth = 0): { code?: string; words?: string } {
	if (typeof error !== 'object' || error === null || depth > 3) return {};
	if (Reflect.get(error, 'name') === 'CredentialError') {
		return { code: 'CredentialError', words: String(Reflect.get(error, 'message')) };
	}
	const below = networkCode(Reflect.get(error, 'cause'), depth + 1);
	if (below.code !== undefined) return below;
	const code: unknown = Reflect.get(error, 'code');
	return typeof code === 'string' && code !== '' ? { code } : {};
}

const TIMED_OUT: ReadonlySet<string | undefined> = new Set([
	'ECONNABORTED',
	'ETIMEDOUT',
	'ESOCKETTIMEDOUT',
]);

interface Sending {
	context: Context;
	connection: Connection;
	/** The user's stop button, where there is one. */
	cancelled: AbortSignal | undefined;
	/** Epoch milliseconds; the request does not go beyond it. */
	until: number;
}

export async function sendOnce<E extends Endpoint>(
	endpoint: E,
	data: Data<E>,
	{ context, connection, cancelled, until }: Sending,
): Promise<Reply<Answer<E>> | FailedRequest> {
	const timeoutMs = Math.min(TIME_LIMIT[endpoints[endpoint].effect], until - Date.now());
	if (timeoutMs <= 0) return { endpoint, code: 'ETIMEDOUT', timeoutMs, unsent: true };
	const send = async (signal: AbortSignal) => {
		const request: IHttpRequestOptions = {
			method: 'POST',
			url: `${connection.baseUrl}/api/gateway/${endpoint}`,
			body: { data },
			json: true,
			timeout: timeoutMs,
			get abortSignal() {
				return signal;
			},
			// n8n sets the execution's signal here. Ours is used: it ends with that one, and at the limit.
			set abortSignal(_) {},
			disableFollowRedirect: true,
			returnFullResponse: true,
			// n8n's own error would hide the service's words, and n8n repeats a request after a 401.
			ignoreHttpStatusErrors: true,
		};
		const { httpRequestWithAuthentication } = context.helpers;
		return await httpRequestWithAuthentication.call(context, CREDENTIAL, request, {
			credentialsDecrypted: connection.decrypted,
		});
	};
	const started = performance.now();
	try {
		const { statusCode, headers, body } = await withinLimit(timeoutMs, cancelled, send);
		const status: number = statusCode;
		const date = Date.parse(String(headers.date));
		if (status >= 200 && status < 300) {
			const error = errorIn(endpoint, body);
			if (error !== undefined) return { endpoint, status, body: error };
			const lacking = missing(endpoint, body);
			if (lacking === undefined) {
				return { answer: body, ...(Number.isNaN(date) ? {} : { date }) };
			}
			return { endpoint, status, body, missing: lacking, payment: paymentIn(endpoint, body) };
		}
		// A date is by the service's clock, which is not that of this machine.
		const now = Number.isNaN(date) ? Date.now() : date;
		const retryAfterMs = readRetryAfter(headers['retry-after'], now);
		const location: unknown = headers.location;
		return {
			endpoint,
			status,
			body,
			payment: paymentIn(endpoint, body),
			...(retryAfterMs === undefined ? {} : { retryAfterMs }),
			...(typeof location === 'string' ? { location } : {}),
		};
	} catch (error) {
		const { code, words } = networkCode(error);
		if (TIMED_OUT.has(code)) {
			return { endpoint, code: 'ETIMEDOUT', timeoutMs: performance.now() - started };
		}
		return {
			endpoint,
			...(code === undefined ? {} : { code }),
			...(words === undefined ? {} : { words }),
		};
	}
}
