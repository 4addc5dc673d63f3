import type { NodeApiError } from 'n8n-workflow';

import type { Mask } from '../output/mask';
import { createMask } from '../output/mask';
import type { Answer, Data, Endpoint } from '../wire';
import { endpoints } from '../wire';
import type { Payment } from './answer';
import { requestError } from './errors';
import type { Limiter, Observation } from './limiter';
import type { Merchant } from './merchant';
import type { Reply, Result, Run } from './request';
import { sendOnce } from './request';
import { CANCELED, pausesLimiter, retryDelayMs, wasNotCarriedOut } from './retry';
import { sleepUntilAborted } from './sleep';

/** Calls the gateway for one merchant: limits its requests, and repeats them if that is safe. */

/** What became of a request, after all tries (retry.ts). */
export type Attempt<A> =
	| { reply: Reply<A> }
	| {
			error: NodeApiError;
			notCarriedOut: boolean;
			/** The payment that the answer to a charge names. It may have gone through although this is an error. */
			payment?: Payment | undefined;
	  };

export interface Client extends Pick<Merchant, 'environment' | 'scope' | 'customerScope'> {
	/** How many requests may be in flight, as far as is known by now. */
	readonly parallel: number;
	readonly mask: Mask;
	/** How many items the run has, of all merchants; 1 for a picker or a poll. */
	readonly items: number;
	/** When a poll must end, in epoch milliseconds; Infinity for any other run. */
	readonly deadline: number;
	/** Writes a warning to n8n's log. */
	warn(message: string): void;
	call<E extends Endpoint>(endpoint: E, data: Data<E>): Promise<Answer<E>>;
	/** Like `call`, but returns the whole reply, and returns an error instead of throwing it. */
	attempt<E extends Endpoint>(endpoint: E, data: Data<E>): Promise<Attempt<Answer<E>>>;
}

interface Connection {
	run: Run;
	merchant: Merchant;
	mask: Mask;
	limiter: Limiter;
}

export function clientOf(run: Run, merchant: Merchant, limiter: Limiter): Client {
	const { environment, scope, customerScope, secrets } = merchant;
	const { context, deadline } = run;
	const mask = createMask(secrets);
	const connection = { run, merchant, mask, limiter };
	return {
		environment,
		scope,
		customerScope,
		mask,
		get parallel() {
			return limiter.parallel;
		},
		items: 'getInputData' in context ? context.getInputData().length : 1,
		deadline,
		warn: (message) => context.logger.warn(message),
		attempt: async (endpoint, data) => await attempt(connection, endpoint, data),
		call: async (endpoint, data) => {
			const result = await attempt(connection, endpoint, data);
			if ('error' in result) throw result.error;
			return result.reply.answer;
		},
	};
}

async function attempt<E extends Endpoint>(
	connection: Connection,
	endpoint: E,
	data: Data<E>,
): Promise<Attempt<Answer<E>>> {
	const { context, deadline, ended } = connection.run;
	const { effect } = endpoints[endpoint];
	for (let tries = 1; ; tries++) {
		const result = await sendLimited(connection, endpoint, data, tries);
		if ('answer' in result) return { reply: result };
		const delayMs = retryDelayMs(effect, result, tries);
		if (delayMs === undefined || Date.now() + delayMs >= deadline) {
			return {
				error: requestError(context.getNode(), result, connection.mask.hidingValuesOf(data)),
				notCarriedOut: wasNotCarriedOut(effect, result),
				payment: result.payment,
			};
		}
		// A refused request waits in the limiter, ahead of the requests that were not refused.
		if (!pausesLimiter(result)) await sleepUntilAborted(delayMs, ended);
	}
}

/** Sends the request once, as soon as the limiter has a slot for it. */
async function sendLimited<E extends Endpoint>(
	{ run, merchant, limiter }: Connection,
	endpoint: E,
	data: Data<E>,
	tries: number,
): Promise<Result<Answer<E>>> {
	const { context, deadline, ended } = run;
	const slot =
		endpoints[endpoint].effect === 'charge'
			? limiter.acquireNow()
			: await limiter.acquire({ tries, withinMs: deadline - Date.now(), signal: ended });
	if (ended.aborted) {
		slot?.release();
		return { endpoint, unsent: true, code: CANCELED };
	}
	if (slot === undefined) {
		// The deadline has passed, or the pause is too long to wait for its end.
		const retryAfterMs = limiter.pauseLeftMs;
		return { endpoint, unsent: true, ...(retryAfterMs > 0 && { status: 429, retryAfterMs }) };
	}
	const sentAt = performance.now();
	const result = await sendOnce(endpoint, data, run, merchant);
	slot.release(observationOf(result));
	const ms = Math.round(performance.now() - sentAt);
	const outcome = result.status ?? (('code' in result && result.code) || 'no answer');
	const line = `Payments Gateway: ${endpoint}, try ${tries}: ${outcome}, ${ms} ms`;
	// The only log line of a request. It holds neither a body nor a token.
	if (!('unsent' in result)) context.logger.debug(line);
	return result;
}

/** What the result shows about the load of the gateway. Undefined if it shows nothing. */
function observationOf(result: Result<unknown>): Observation | undefined {
	if ('answer' in result) return 'success';
	if (pausesLimiter(result)) return { retryAfterMs: result.retryAfterMs };
	return result.code === 'ETIMEDOUT' ? 'timeout' : undefined;
}
