import type { IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';

import type { Answer, Data, Effect, Endpoint } from '../wire';
import { endpoints } from '../wire';
import { textOf } from '../wire/json';
import { isDeclined } from '../wire/payment';
import { answerIn, errorIn, missingIn, paymentIn } from './answer';
import type { FailedRequest } from './errors';
import type { Context, Merchant } from './merchant';
import { CREDENTIAL } from './merchant';
import { BLOCKED, CREDENTIAL_ERROR, readRetryAfter } from './retry';
import { withinLimit } from './timeLimit';

/**
 * Sends one request to the gateway, once, through n8n's own helper. It returns the answer if that
 * holds what it should, and otherwise a FailedRequest that says what happened; it never throws.
 */

const TIME_LIMIT: Record<Effect, number> = { read: 30_000, write: 60_000, charge: 120_000 };

export interface Reply<A> {
	answer: A;
	/** As it came: words may stand beside the answer. */
	body?: unknown;
	/** The answer's Date header in epoch milliseconds: the gateway's own clock. */
	date?: number | undefined;
}

/** From where a request leaves, and what ends it early. */
export interface Sending {
	context: Context;
	/** Epoch milliseconds; nothing goes beyond it. */
	deadline: number;
	/** Aborts when the user stops the execution. */
	cancelled: AbortSignal | undefined;
}

export async function sendOnce<E extends Endpoint>(
	endpoint: E,
	data: Data<E>,
	{ context, cancelled, deadline }: Sending,
	merchant: Merchant,
): Promise<Reply<Answer<E>> | FailedRequest> {
	const timeoutMs = Math.min(TIME_LIMIT[endpoints[endpoint].effect], deadline - Date.now());
	if (timeoutMs <= 0) return { endpoint, unsent: true };
	const send = async (signal: AbortSignal) => {
		const request: IHttpRequestOptions = {
			method: 'POST',
			url: `${merchant.baseUrl}/api/gateway/${endpoint}`,
			body: { data },
			json: true,
			get abortSignal() {
				return signal;
			},
			// n8n sets the execution's signal here. Ours is used: it ends with that one, and at the limit.
			set abortSignal(_) {},
			returnFullResponse: true,
			// n8n's own error would hide the gateway's words, and n8n repeats a request after a 401.
			ignoreHttpStatusErrors: true,
		};
		const { httpRequestWithAuthentication } = context.helpers;
		return await httpRequestWithAuthentication.call(context, CREDENTIAL, request, {
			credentialsDecrypted: merchant.decrypted,
		});
	};
	const started = performance.now();
	try {
		return read(endpoint, await withinLimit(timeoutMs, cancelled, send));
	} catch (error) {
		const reason = reasonOf(error);
		if (reason.code !== 'ETIMEDOUT') return { endpoint, ...reason };
		return { endpoint, code: reason.code, timeoutMs: performance.now() - started };
	}
}

function read<E extends Endpoint>(
	endpoint: E,
	{ statusCode: status, headers, body }: IN8nHttpFullResponse,
): Reply<Answer<E>> | FailedRequest {
	const date = dateOf(headers.date);
	const payment = endpoints[endpoint].effect === 'charge' ? paymentIn(body) : undefined;
	if (status >= 300) {
		// A date is by the gateway's clock, which is not that of this machine.
		const retryAfterMs = readRetryAfter(headers['retry-after'], date ?? Date.now());
		return { endpoint, status, body, payment, retryAfterMs, location: textOf(headers.location) };
	}
	const answer = answerIn(endpoint, body);
	const error = errorIn(body);
	if (error !== undefined) {
		return { endpoint, status, body: error, payment, isToldFailed: answer === undefined };
	}
	if (answer !== undefined) return { answer, body, date };
	// Of a decline it is the reason that matters.
	const missing = payment && isDeclined(payment) ? undefined : missingIn(endpoint, body);
	return { endpoint, status, body, missing, payment };
}

function dateOf(header: unknown): number | undefined {
	const date = Date.parse(String(header));
	return Number.isNaN(date) ? undefined : date;
}

/** Why no answer came. n8n wraps it: what happened is one or two causes down. */
function reasonOf(error: unknown): Pick<FailedRequest, 'code' | 'shown'> {
	if (typeof error !== 'object' || error === null) return {};
	const text = (key: string) => textOf(Reflect.get(error, key));
	const title = text('message');
	if (text('name') === CREDENTIAL_ERROR) {
		const hint = 'Open the credential and correct it.';
		return { code: CREDENTIAL_ERROR, shown: { title, hint, cause: 'credential-invalid' } };
	}
	// n8n's protection against server-side request forgery: the IP or the host is not allowed.
	if (text('name').startsWith('SsrfBlocked')) {
		const hint = text('description');
		return { code: BLOCKED, shown: { title, hint, cause: 'configuration-invalid' } };
	}
	const below = reasonOf(Reflect.get(error, 'cause'));
	return below.code === undefined ? { code: text('code') || undefined } : below;
}
