import type { NodeApiError } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type { Mask } from '../output/mask';
import { createMask } from '../output/mask';
import type { Answer, Data, Endpoint } from '../wire';
import { endpoints } from '../wire';
import type { Payment } from './answer';
import type { FailedRequest } from './errors';
import { requestError } from './errors';
import type { Merchant } from './merchant';
import type { Heard, PaceOf } from './pace';
import type { Reply, Run } from './request';
import { sendOnce } from './request';
import { CANCELED, isLimited, nextTry, wasNotCarriedOut } from './retry';
import { sleepUntilAborted } from './sleep';

/** Calls the gateway for one merchant: each request in its turn, and again where that is right. */

export type Attempt<A> =
	| { reply: Reply<A> }
	| {
			error: NodeApiError;
			/** Nothing was carried out, for certain. */
			notCarriedOut: boolean;
			/** What the answer to a charge says of its transaction all the same. */
			payment?: Payment | undefined;
	  };

export interface Client extends Pick<Merchant, 'environment' | 'scope' | 'customerScope'> {
	/** How many requests may be under way at once, as far as is known by now. */
	readonly parallel: number;
	/** Knows the merchant's tokens. */
	readonly mask: Mask;
	/** How many items the run has, of all merchants; 1 for a picker or a poll. */
	readonly items: number;
	/** Writes a warning to n8n's log. */
	warn(words: string): void;
	call<E extends Endpoint>(endpoint: E, data: Data<E>): Promise<Answer<E>>;
	/** As call, for who must know what an error leaves behind, or what the gateway's clock says. */
	attempt<E extends Endpoint>(endpoint: E, data: Data<E>): Promise<Attempt<Answer<E>>>;
}

export function clientOf(run: Run, merchant: Merchant, paceOf: PaceOf): Client {
	const { context, deadline } = run;
	const { environment, scope, customerScope } = merchant;
	const mask = createMask(merchant.secrets);
	const pace = paceOf(scope);
	/** A new one for each wait: Node warns in n8n's log of a signal that many listen to. */
	const freshSignal = () => AbortSignal.any([run.ended]);

	/** One try, in its turn. Only a charge waits for none: what was looked up for it grows old. */
	const sendInTurn = async <E extends Endpoint>(
		endpoint: E,
		data: Data<E>,
	): Promise<Reply<Answer<E>> | FailedRequest> => {
		const isCharge = endpoints[endpoint].effect === 'charge';
		const place = isCharge ? pace.pass() : await pace.enter(deadline - Date.now(), freshSignal());
		if (!isCharge && pace.isBusy) await leaveTogether();
		if (run.ended.aborted) {
			place?.done();
			return { endpoint, unsent: true, code: CANCELED };
		}
		if (place === undefined) {
			// Either the deadline has come, or the pause that the gateway asked for is too long.
			const retryAfterMs = pace.heldFor();
			return { endpoint, unsent: true, ...(retryAfterMs > 0 && { status: 429, retryAfterMs }) };
		}
		const started = performance.now();
		const result = await sendOnce(endpoint, data, run, merchant);
		place.done(heard(endpoint, result, performance.now() - started));
		return result;
	};

	const attempt: Client['attempt'] = async (endpoint, data) => {
		const { effect } = endpoints[endpoint];
		for (let tried = 1; ; tried++) {
			const result = await sendInTurn(endpoint, data);
			if ('answer' in result) return { reply: result };
			const wait = nextTry(effect, result, tried);
			if (wait === undefined || Date.now() + wait >= deadline) {
				return {
					error: requestError(context.getNode(), result, mask.knowing(data)),
					notCarriedOut: wasNotCarriedOut(effect, result),
					payment: result.payment,
				};
			}
			// A wait that is cut comes back early, and the next try then finds that nothing more is sent.
			await sleepUntilAborted(wait, run.ended);
		}
	};

	return {
		...{ environment, scope, customerScope, mask, attempt },
		get parallel() {
			return pace.limit;
		},
		items: 'getInputData' in context ? context.getInputData().length : 1,
		warn: (words) => context.logger.warn(words),
		call: async (endpoint, data) => {
			const result = await attempt(endpoint, data);
			if ('error' in result) throw result.error;
			return result.reply.answer;
		},
	};
}

let leaving: Promise<void> | undefined;

/** Many requests that leave in one go cost less processor time than those that leave one by one. */
async function leaveTogether(): Promise<void> {
	leaving ??= sleep(0).then(() => {
		leaving = undefined;
	});
	await leaving;
}

/** What a request shows of the gateway's pace; undefined where it shows nothing. */
function heard(
	endpoint: Endpoint,
	result: Reply<unknown> | FailedRequest,
	ms: number,
): Heard | undefined {
	if ('answer' in result) return { endpoint, ms };
	const { status, retryAfterMs } = result;
	const isTold = isLimited(result) || (status === 503 && retryAfterMs !== undefined);
	return isTold ? { refusedFor: retryAfterMs ?? 0 } : undefined;
}
