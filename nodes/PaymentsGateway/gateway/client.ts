import { createHash } from 'crypto';
import type {
	IExecuteFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IPollFunctions,
	NodeApiError,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type { Mask } from '../output/mask';
import { createMask } from '../output/mask';
import type { Bad } from './errors';
import { badAnswer } from './errors';
import { createLimiter } from './limiter';
import { neverSent, nextTry, readRetryAfter } from './retry';
import type { Answer, Data, Effect, Endpoint } from '../wire';
import { endpoints } from '../wire';
import { valueAt } from '../wire/json';

const CREDENTIAL = 'paymentsGatewayApi';
const TIMEOUT: Readonly<Record<Effect, number>> = { read: 30_000, write: 60_000, charge: 120_000 };
/** Statuses that say plainly that nothing was done. A charge after any other may have gone through. */
const REFUSALS = new Set([400, 401, 402, 403, 404, 405, 406, 410, 411, 413, 414, 415, 422]);

type Context = IExecuteFunctions | IPollFunctions | ILoadOptionsFunctions;

export interface CallOptions {
	/** Epoch milliseconds; no request, repetition or wait goes beyond it. */
	deadline?: number;
}

export interface Reply<A> {
	answer: A;
	/** The answer's Date header in epoch milliseconds: the service's own clock. */
	date?: number;
}

export type Attempt<A> =
	| { reply: Reply<A> }
	| {
			error: NodeApiError;
			/** Nothing was carried out, for certain. */
			refused: boolean;
	  };

export interface Client {
	readonly environment: 'sandbox' | 'production';
	/** Tells one merchant group at one address from another, without a token in it. */
	readonly scope: string;
	/** How many requests may be under way at once. */
	readonly parallel: number;
	readonly mask: Mask;
	/** Writes a warning to n8n's log. */
	warn(words: string): void;
	/** From here on nothing more is sent. */
	stop(): void;
	/** Aborts when the run is over, or nothing more is to be sent. */
	readonly ended: AbortSignal;
	call<E extends Endpoint>(endpoint: E, data: Data<E>, options?: CallOptions): Promise<Answer<E>>;
	send<E extends Endpoint>(
		endpoint: E,
		data: Data<E>,
		options?: CallOptions,
	): Promise<Reply<Answer<E>>>;
	/** As send, for who must know what an error leaves behind. */
	attempt<E extends Endpoint>(
		endpoint: E,
		data: Data<E>,
		options?: CallOptions,
	): Promise<Attempt<Answer<E>>>;
}

interface Connection {
	baseUrl: string;
	environment: 'sandbox' | 'production';
	scope: string;
	mask: Mask;
}

async function connect(context: Context): Promise<Connection> {
	const credentials = await context.getCredentials(CREDENTIAL);
	const baseUrl = String(credentials.baseUrl ?? '')
		.trim()
		.replace(/\/+$/, '');
	const secrets = Object.entries(credentials)
		.filter(([name]) => name.endsWith('Token'))
		.map(([, value]) => (typeof value === 'string' ? value.trim() : ''));
	return {
		baseUrl,
		// A charge asks for a switch in production, so what is not plainly the sandbox is production.
		environment: (credentials.environment ?? 'sandbox') === 'sandbox' ? 'sandbox' : 'production',
		scope: createHash('sha256')
			.update(JSON.stringify([baseUrl, credentials.groupId]))
			.digest('hex')
			.slice(0, 16),
		mask: createMask(secrets),
	};
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

export async function createClient(
	context: Context,
	{ parallel = 5, deadline }: { parallel?: number; deadline?: number } = {},
): Promise<Client> {
	const { baseUrl, environment, scope, mask } = await connect(context);
	const cancelled =
		'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
	const limit = createLimiter(parallel);
	const stopping = new AbortController();
	const ended = cancelled ? AbortSignal.any([cancelled, stopping.signal]) : stopping.signal;

	const sendOnce = async <E extends Endpoint>(
		endpoint: E,
		data: Data<E>,
		until: number,
	): Promise<Reply<Answer<E>> | Bad> => {
		if (ended.aborted) return { endpoint, code: 'ERR_CANCELED', unsent: true };
		const { effect } = endpoints[endpoint];
		const timeoutMs = Math.min(TIMEOUT[effect], until - Date.now());
		if (timeoutMs <= 0) return { endpoint, code: 'ETIMEDOUT', timeoutMs, unsent: true };
		const request: IHttpRequestOptions = {
			method: 'POST',
			url: `${baseUrl}/api/gateway/${endpoint}`,
			body: { data },
			json: true,
			timeout: timeoutMs,
			// n8n's helper puts the execution's cancel signal in place of this one where there is one.
			abortSignal: AbortSignal.timeout(Math.ceil(timeoutMs)),
			disableFollowRedirect: true,
			returnFullResponse: true,
			// The full answer, not n8n's error: it holds the service's words, and is not sent twice.
			ignoreHttpStatusErrors: true,
		};
		const started = Date.now();
		try {
			const {
				statusCode: status,
				headers,
				body,
			} = await context.helpers.httpRequestWithAuthentication.call(context, CREDENTIAL, request);
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
			const ours = code === 'ERR_CANCELED' && !cancelled?.aborted;
			if (ours || TIMED_OUT.has(code ?? '')) {
				return { endpoint, code: 'ETIMEDOUT', timeoutMs: Date.now() - started };
			}
			return {
				endpoint,
				...(code === undefined ? {} : { code }),
				...(words === undefined ? {} : { words }),
			};
		}
	};

	const attempt = async <E extends Endpoint>(
		endpoint: E,
		data: Data<E>,
		options: CallOptions = {},
	): Promise<Attempt<Answer<E>>> => {
		const { effect } = endpoints[endpoint];
		const until = Math.min(options.deadline ?? Infinity, deadline ?? Infinity);
		for (let tried = 1; ; tried++) {
			const result = await limit(async () => await sendOnce(endpoint, data, until));
			if ('answer' in result) return { reply: result };
			const wait = nextTry(effect, result, tried);
			if (wait === undefined || stopping.signal.aborted || Date.now() + wait >= until) {
				const known = mask.knowing(data);
				return {
					error: badAnswer(context.getNode(), result, known),
					refused:
						neverSent(result) || (result.status !== undefined && REFUSALS.has(result.status)),
				};
			}
			// A wait that is cut comes back early, and the next try then finds that nothing more is sent.
			await sleep(wait, ended).catch(() => undefined);
		}
	};

	const send: Client['send'] = async (endpoint, data, options) => {
		const result = await attempt(endpoint, data, options);
		if ('error' in result) throw result.error;
		return result.reply;
	};

	return {
		environment,
		scope,
		parallel,
		mask,
		warn: (words) => {
			context.logger.warn(words);
		},
		ended,
		stop: () => {
			stopping.abort();
		},
		call: async (endpoint, data, options) => (await send(endpoint, data, options)).answer,
		send,
		attempt,
	};
}
