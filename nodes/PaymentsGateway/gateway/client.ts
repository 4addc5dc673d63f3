import type { NodeApiError } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type { Mask } from '../output/mask';
import type { Answer, Data, Effect, Endpoint } from '../wire';
import { endpoints } from '../wire';
import type { Connection, Context } from './connection';
import { leaveTogether } from './departure';
import type { FailedRequest } from './errors';
import { requestError } from './errors';
import { bySmallerPages } from './pageSize';
import type { Reply } from './request';
import { sendOnce } from './request';
import type { GateOf, Heard, RunBound } from './gate';
import { MOST_REFUSALS, neverSent, nextTry } from './retry';

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
	/** Asked once it could leave, which may be long after it was handed over. */
	mayLeave?: () => boolean;
}

export type Attempt<A> =
	| { reply: Reply<A> }
	| {
			error: NodeApiError;
			/** Nothing was carried out, for certain. */
			refused: boolean;
			/** The transaction that the answer to a charge names all the same. */
			payment?: string | undefined;
	  };

export interface Client {
	readonly environment: 'sandbox' | 'production';
	/** Tells one merchant group at one address from another, without a token in it. */
	readonly scope: string;
	/** The same for customers: theirs is the merchant of the header token. Never stored. */
	readonly customers: string;
	/** How many requests may be under way at once, as far as is known by now. */
	readonly parallel: number;
	/** Knows the tokens of all merchants that the run has met so far. */
	readonly mask: Mask;
	/** How many items the run has, of all merchants; 1 for a picker or a poll. */
	readonly items: number;
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
	/** How many requests may be under way at once, for all merchants together. */
	bound: RunBound;
	/** The way out to a merchant. */
	gateOf: GateOf;
	/** Epoch milliseconds; nothing goes beyond it. */
	deadline: number;
	cancelled: AbortSignal | undefined;
	/** Cancelled, or nothing more is to be sent. */
	ended: AbortSignal;
	readonly mask: Mask;
}

export function clientOf(run: Run, connection: Connection): Client {
	const { context, cancelled, ended } = run;
	const gate = run.gateOf(connection.scope, { bound: run.bound, ended });

	/** Undefined when the gate lets nothing through before `until`, or it may not leave any more. */
	const throughGate = async <E extends Endpoint>(
		endpoint: E,
		data: Data<E>,
		until: number,
		mayLeave: () => boolean = () => true,
	) => {
		const permit = await gate.enter(until - Date.now());
		if (permit === undefined) return undefined;
		if (!permit.isAlone) await leaveTogether();
		if (ended.aborted || !mayLeave()) {
			permit.done();
			return undefined;
		}
		const before = performance.eventLoopUtilization();
		const result = await sendOnce(endpoint, data, { context, connection, cancelled, until });
		permit.done(heard(endpoint, result, performance.eventLoopUtilization(before)));
		return result;
	};

	const attemptOnce = async <E extends Endpoint>(
		endpoint: E,
		data: Data<E>,
		options: CallOptions = {},
	): Promise<Attempt<Answer<E>>> => {
		const until = Math.min(options.deadline ?? Infinity, run.deadline);
		const { effect } = endpoints[endpoint];
		let tried = 0;
		let refusals = 0;
		let refusal: FailedRequest | undefined;
		for (;;) {
			const sent = await throughGate(endpoint, data, until, options.mayLeave);
			if (sent && 'answer' in sent) return { reply: sent };
			const result = sent ?? notLetThrough(endpoint, refusal);
			let wait: number | undefined;
			if (sent?.status === 429) {
				refusal = sent;
				// The gate itself holds it back for as long as the service asked for.
				if (effect !== 'charge' && ++refusals < MOST_REFUSALS) wait = 0;
			} else {
				wait = nextTry(effect, result, ++tried);
			}
			if (wait === undefined || Date.now() + wait >= until) {
				return {
					error: requestError(context.getNode(), result, run.mask.knowing(data)),
					refused: isRefused(effect, result),
					payment: result.payment,
				};
			}
			// A wait that is cut comes back early, and the next try then finds that nothing more is sent.
			if (wait > 0) await sleep(wait, ended).catch(() => undefined);
		}
	};

	const attempt: Client['attempt'] = async (endpoint, data, options) =>
		await bySmallerPages(data, async (each) => await attemptOnce(endpoint, each, options));

	const notLetThrough = (endpoint: Endpoint, refusal: FailedRequest | undefined): FailedRequest => {
		if (ended.aborted) return { endpoint, code: 'ERR_CANCELED', unsent: true };
		// What the service said of it, where it did.
		const retryAfterMs = Math.max(gate.heldFor(), refusal?.retryAfterMs ?? 0);
		return { ...(refusal ?? { endpoint, status: 429 }), retryAfterMs, unsent: true };
	};

	const send: Client['send'] = async (endpoint, data, options) => {
		const result = await attempt(endpoint, data, options);
		if ('error' in result) throw result.error;
		return result.reply;
	};

	return {
		environment: connection.environment,
		scope: connection.scope,
		customers: connection.customers,
		get parallel() {
			return gate.limit();
		},
		get mask() {
			return run.mask;
		},
		items: 'getInputData' in context ? context.getInputData().length : 1,
		warn: (words) => {
			context.logger.warn(words);
		},
		ended,
		call: async (endpoint, data, options) => (await send(endpoint, data, options)).answer,
		send,
		attempt,
	};
}

/** Whether nothing was carried out, for certain. */
export function isRefused(effect: Effect, failed: FailedRequest): boolean {
	const { status = 0, payment } = failed;
	// As in retry.ts: a 429 comes before the work of a write is done.
	if (neverSent(failed) || (status === 429 && effect === 'write')) return true;
	return REFUSALS.has(status) && payment === undefined;
}

const BUSY = 0.8;

/** What a request shows of the service's pace; undefined where it shows nothing. */
export function heard(
	endpoint: Endpoint,
	result: Reply<unknown> | FailedRequest,
	{ idle, utilization }: ReturnType<typeof performance.eventLoopUtilization>,
): Heard | undefined {
	// Time in which this process was busy is not the service's. If it was busy nearly all the time,
	// the request says nothing about the service.
	const waited = utilization < BUSY ? { endpoint, ms: idle } : undefined;
	if ('answer' in result) return waited;
	const { status, code, retryAfterMs, unsent } = result;
	if (status === 429 || (status === 503 && retryAfterMs !== undefined)) {
		return { refused: true, retryAfterMs };
	}
	return code === 'ETIMEDOUT' && !unsent ? waited : undefined;
}
