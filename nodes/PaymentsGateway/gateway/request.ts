import type { IHttpRequestOptions } from 'n8n-workflow';

import type { Answer, Data, Effect, Endpoint } from '../wire';
import { endpoints } from '../wire';
import { valueAt } from '../wire/json';
import type { Connection, Context } from './connection';
import { CREDENTIAL } from './connection';
import type { FailedRequest } from './errors';
import { readRetryAfter } from './retry';
import { withinLimit } from './timeLimit';

/**
 * One request to the service, sent once, through n8n's own helper: its answer where it holds what was
 * asked for, else what became of it. Nothing is thrown from here.
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
			// Rows that are no records are left out by whoever reads the list.
			return Array.isArray(value);
		case 'integer':
			return Number.isSafeInteger(value);
		case 'string':
			return typeof value === 'string' && value !== '';
	}
}

/** What an answer lacks of what the document promises, if anything. */
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

const TIMED_OUT = new Set(['ECONNABORTED', 'ETIMEDOUT', 'ESOCKETTIMEDOUT']);

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
			// n8n puts the execution's signal here. Ours ends with it too, and at the time limit.
			set abortSignal(_) {},
			disableFollowRedirect: true,
			returnFullResponse: true,
			// The full answer, not n8n's error: it holds the service's words, and is not sent twice.
			ignoreHttpStatusErrors: true,
		};
		const { httpRequestWithAuthentication } = context.helpers;
		return await httpRequestWithAuthentication.call(context, CREDENTIAL, request, {
			credentialsDecrypted: connection.decrypted,
		});
	};
	const started = Date.now();
	try {
		const { statusCode, headers, body } = await withinLimit(timeoutMs, cancelled, send);
		const status: number = statusCode;
		const date = Date.parse(String(headers?.date ?? ''));
		if (status >= 200 && status < 300) {
			const lacking = missing(endpoint, body);
			if (lacking === undefined) {
				return { answer: body, ...(Number.isNaN(date) ? {} : { date }) };
			}
			return { endpoint, status, body, missing: lacking };
		}
		const retryAfterMs = readRetryAfter(headers?.['retry-after'], Date.now());
		const location: unknown = headers?.location;
		return {
			endpoint,
			status,
			body,
			...(retryAfterMs === undefined ? {} : { retryAfterMs }),
			...(typeof location === 'string' ? { location } : {}),
		};
	} catch (error) {
		const { code, words } = networkCode(error);
		if (TIMED_OUT.has(code ?? '')) {
			return { endpoint, code: 'ETIMEDOUT', timeoutMs: Date.now() - started };
		}
		return {
			endpoint,
			...(code === undefined ? {} : { code }),
			...(words === undefined ? {} : { words }),
		};
	}
}
