import type { IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';

import type { Answer, Data, Effect, Endpoint } from '../wire';
import { endpoints } from '../wire';
import { textOf } from '../wire/json';
import { isDeclined } from '../wire/payment';
import { answerIn, errorIn, missingIn, paymentIn } from './answer';
import type { FailedRequest } from './errors';
import type { Context, Merchant } from './merchant';
import { CREDENTIAL } from './merchant';
import { readRetryAfter } from './retry';
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

/** What all requests of a run have in common. */
export interface Run {
	context: Context;
	/** Epoch milliseconds; nothing goes beyond it. */
	deadline: number;
	/** Aborts when the user stops the execution: also what is under way ends. */
	cancelled: AbortSignal | undefined;
	/** Aborts then as well, and when an item has failed: nothing more leaves. */
	ended: AbortSignal;
}

export async function sendOnce<E extends Endpoint>(
	endpoint: E,
	data: Data<E>,
	run: Run,
	merchant: Merchant,
): Promise<Reply<Answer<E>> | FailedRequest> {
	const timeoutMs = Math.min(TIME_LIMIT[endpoints[endpoint].effect], run.deadline - Date.now());
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
		const { httpRequestWithAuthentication } = run.context.helpers;
		return await httpRequestWithAuthentication.call(run.context, CREDENTIAL, request, {
			credentialsDecrypted: merchant.decrypted,
		});
	};
	const started = performance.now();
	try {
		return read(endpoint, await withinLimit(timeoutMs, run.cancelled, send));
	} catch (error) {
		return { endpoint, ...reasonOf(error), waitedMs: performance.now() - started };
	}
}

function read<E extends Endpoint>(
	endpoint: E,
	{ statusCode: status, headers, body }: IN8nHttpFullResponse,
): Reply<Answer<E>> | FailedRequest {
	const date = Date.parse(String(headers.date)) || undefined;
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

/** Why no answer came. n8n wraps it: what happened is one or two causes down. */
function reasonOf(error: unknown): Pick<FailedRequest, 'code' | 'unsent' | 'shown'> {
	if (typeof error !== 'object' || error === null) return {};
	const text = (key: string) => textOf(Reflect.get(error, key));
	const title = text('message');
	if (text('name') === 'CredentialError') {
		const hint = 'Open the credential and correct it.';
		return { unsent: true, shown: { title, hint, cause: 'credential-invalid' } };
	}
	// n8n's protection against server-side request forgery: the IP or the host is not allowed.
	if (text('name').startsWith('SsrfBlocked')) {
		const hint = text('description');
		return { unsent: true, shown: { title, hint, cause: 'configuration-invalid' } };
	}
	const below = reasonOf(Reflect.get(error, 'cause'));
	return below.unsent || below.code ? below : { code: text('code') };
}
