import type { IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';

import type { Answer, Data, Effect, Endpoint } from '../wire';
import { endpoints } from '../wire';
import { isObject, textOf } from '../wire/json';
import { isDeclined } from '../wire/payment';
import { findError, findPayment, missingField, readAnswer } from './answer';
import type { ErrorText, FailedRequest } from './errors';
import type { Context, Merchant } from './merchant';
import { CREDENTIAL } from './merchant';
import { readRetryAfter } from './retry';
import { withinLimit } from './timeLimit';

/**
 * Sends one request to the gateway, once, through n8n's own helper. It returns the answer if that holds
 * what the document promises, and otherwise a FailedRequest that says what happened. It never throws.
 */

/** A charge goes on even if nobody waits for it, so it has the most time; a read is simply repeated. */
const TIME_LIMIT_MS: Record<Effect, number> = { read: 30_000, write: 60_000, charge: 120_000 };

export interface Reply<A> {
	answer: A;
	status?: number;
	/** The whole body: the gateway may add a message to the answer. */
	body?: unknown;
	/** The gateway's own clock, from the Date header, in epoch milliseconds. */
	date?: number | undefined;
}

export type Result<A> = Reply<A> | FailedRequest;

export interface Run {
	context: Context;
	/** Epoch milliseconds. Nothing is sent after it. */
	deadline: number;
	/** Aborts when the user stops the execution. Requests in flight end. */
	cancelled: AbortSignal | undefined;
	/**
	 * Aborts on cancellation and when an item has failed. After that, nothing more is sent. A failed item
	 * alone does not abort requests in flight.
	 */
	ended: AbortSignal;
}

export async function sendOnce<E extends Endpoint>(
	endpoint: E,
	data: Data<E>,
	{ context, deadline, cancelled }: Run,
	merchant: Merchant,
): Promise<Result<Answer<E>>> {
	const limitMs = Math.min(TIME_LIMIT_MS[endpoints[endpoint].effect], deadline - Date.now());
	if (limitMs <= 0) return { endpoint, unsent: true };
	const send = async (signal: AbortSignal): Promise<IN8nHttpFullResponse> => {
		const request = withFixedSignal(signal, {
			method: 'POST',
			url: `${merchant.baseUrl}/api/gateway/${endpoint}`,
			body: { data },
			json: true,
			returnFullResponse: true,
			// n8n's own error would hide the gateway's message, and n8n repeats a request after a 401.
			ignoreHttpStatusErrors: true,
		});
		const { httpRequestWithAuthentication: sendSigned } = context.helpers;
		const credential = { credentialsDecrypted: merchant.decrypted };
		return await sendSigned.call(context, CREDENTIAL, request, credential);
	};
	const sentAt = performance.now();
	try {
		return readResponse(endpoint, await withinLimit(limitMs, cancelled, send));
	} catch (error) {
		return { endpoint, ...explain(error), waitedMs: performance.now() - sentAt };
	}
}

/**
 * n8n's helper overwrites `abortSignal` with the execution's signal (n8n-core 2.41), which ignores our
 * time limit. The setter ignores that, so our signal, which covers both, stays.
 */
function withFixedSignal(signal: AbortSignal, request: IHttpRequestOptions): IHttpRequestOptions {
	return Object.defineProperty(request, 'abortSignal', {
		enumerable: true,
		get: () => signal,
		set: () => undefined,
	});
}

function readResponse<E extends Endpoint>(
	endpoint: E,
	{ statusCode: status, headers, body }: IN8nHttpFullResponse,
): Result<Answer<E>> {
	const date = Date.parse(String(headers.date)) || undefined;
	const payment = endpoints[endpoint].effect === 'charge' ? findPayment(body) : undefined;
	if (status >= 300) {
		// Retry-After may be a date, which is by the gateway's clock.
		const retryAfterMs = readRetryAfter(headers['retry-after'], date ?? Date.now());
		return { endpoint, status, body, payment, retryAfterMs, location: textOf(headers.location) };
	}
	const answer = readAnswer(endpoint, body);
	const error = findError(body);
	if (error !== undefined) {
		return { endpoint, status, body: error, payment, errorWithoutResult: answer === undefined };
	}
	if (answer !== undefined) return { answer, status, body, date };
	// For a decline, report the reason rather than the field that is missing.
	const missing = payment && isDeclined(payment) ? undefined : missingField(endpoint, body);
	return { endpoint, status, body, missing, payment };
}

/** Why no answer came. n8n wraps the original error once or twice. */
function explain(error: unknown): Pick<FailedRequest, 'code' | 'unsent' | 'blocked' | 'cause'> {
	let code = '';
	let cause = error;
	for (let inner = error; isObject(inner); inner = inner.cause) {
		const blocked = blockedText(inner);
		if (blocked !== undefined) return { unsent: true, blocked };
		code = textOf(inner.code) || code;
		cause = inner;
	}
	return { code, cause };
}

/** What to show if the credential or n8n has blocked the request, so that nothing was sent. */
function blockedText(error: Readonly<Record<string, unknown>>): ErrorText | undefined {
	const message = textOf(error.message);
	if (error.name === 'CredentialError') {
		const description = 'Open the credential and correct it.';
		return { message, description, failureCause: 'credential-invalid' };
	}
	// n8n's protection against server-side request forgery: the IP or the host is not allowed.
	if (textOf(error.name).startsWith('SsrfBlocked')) {
		const description = textOf(error.description);
		return { message, description, failureCause: 'configuration-invalid' };
	}
	return undefined;
}
