import type { NodeApiError } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type { Mask } from '../output/mask';
import type { Answer, Data, Endpoint } from '../wire';
import { endpoints } from '../wire';
import type { Connection, Context } from './connection';
import type { FailedRequest } from './errors';
import { requestError } from './errors';
import type { Reply } from './request';
import { sendOnce } from './request';
import { neverSent, nextTry } from './retry';

/**
 * Calls the service for one merchant: each request in its turn, and again where that is right. What
 * all merchants of a run share (the bound, the mask, the end) comes with the run; see merchants.ts.
 */

/** Statuses that say plainly that nothing was done. A charge after any other may have gone through. */
const REFUSALS = new Set([400, 401, 402, 403, 404, 405, 406, 410, 411, 413, 414, 415, 422]);

export type { Reply } from './request';

export interface CallOptions {
	/** Epoch milliseconds; no request, repetition or wait goes beyond it. */
	deadline?: number;
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
	/** Knows the tokens of all merchants that the run has met so far. */
	readonly mask: Mask;
	/** About how many of the run's items go to this merchant; where there are few, how many at most. */
	itemsComing(few: number): Promise<number>;
	/** Writes a warning to n8n's log. */
	warn(words: string): void;
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

/** What the clients of a run have in common. */
export interface Run {
	context: Context;
	parallel: number;
	limit: <T>(task: () => Promise<T>) => Promise<T>;
	/** Epoch milliseconds; nothing goes beyond it. */
	deadline: number;
	cancelled: AbortSignal | undefined;
	/** Nothing more is to be sent. */
	stopping: AbortSignal;
	/** Either of the two. */
	ended: AbortSignal;
	readonly mask: Mask;
}

export function clientOf(
	run: Run,
	connection: Connection,
	itemsComing: Client['itemsComing'],
): Client {
	const { context, limit, cancelled, ended } = run;

	const attempt = async <E extends Endpoint>(
		endpoint: E,
		data: Data<E>,
		options: CallOptions = {},
	): Promise<Attempt<Answer<E>>> => {
		const until = Math.min(options.deadline ?? Infinity, run.deadline);
		const send = async (): Promise<Reply<Answer<E>> | FailedRequest> =>
			ended.aborted
				? { endpoint, code: 'ERR_CANCELED', unsent: true }
				: await sendOnce(endpoint, data, { context, connection, cancelled, until });
		for (let tried = 1; ; tried++) {
			const result = await limit(send);
			if ('answer' in result) return { reply: result };
			const wait = nextTry(endpoints[endpoint].effect, result, tried);
			if (wait === undefined || run.stopping.aborted || Date.now() + wait >= until) {
				return {
					error: requestError(context.getNode(), result, run.mask.knowing(data)),
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
		environment: connection.environment,
		scope: connection.scope,
		parallel: run.parallel,
		get mask() {
			return run.mask;
		},
		itemsComing,
		warn: (words) => {
			context.logger.warn(words);
		},
		ended,
		call: async (endpoint, data, options) => (await send(endpoint, data, options)).answer,
		send,
		attempt,
	};
}
