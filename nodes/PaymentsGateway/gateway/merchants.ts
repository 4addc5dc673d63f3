import type { Client } from './client';
import { clientOf } from './client';
import { createLimiters, sharedLimiter } from './limiters';
import type { Context } from './merchant';
import { CREDENTIAL, merchantOf } from './merchant';
import type { Run } from './request';
import { PROCESS_CLOCK } from './sleep';

/**
 * The merchants of a run. A credential can hold expressions, so each item can have a merchant of its
 * own. Each merchant has one client, and all clients end together.
 */

/** `deadline`: epoch milliseconds. No request, retry or wait goes beyond it. */
export function merchantsOf(context: Context, deadline = Infinity, limiterFor = sharedLimiter) {
	const clients = new Map<string, Client>();
	const stopped = new AbortController();
	const cancelled =
		'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
	const ended = cancelled ? AbortSignal.any([cancelled, stopped.signal]) : stopped.signal;
	const run: Run = { context, deadline, cancelled, ended };
	return {
		/** The client of the merchant that the credential names for this item. */
		clientFor: async (itemIndex?: number): Promise<Client> => {
			const credential = await context.getCredentials(CREDENTIAL, itemIndex);
			const key = JSON.stringify(credential);
			const merchant = merchantOf(credential);
			const client = clients.get(key) ?? clientOf(run, merchant, limiterFor(merchant.scope));
			clients.set(key, client);
			return client;
		},
		/** No further request is sent. */
		stop: () => stopped.abort(),
	};
}

/**
 * A client for a poll of the trigger or a picker of the form. With a limiter of its own, the news of a
 * payment does not wait behind a bulk import. That is safe: these callers send one request at a time.
 */
export async function createClient(context: Context, deadline?: number): Promise<Client> {
	return await merchantsOf(context, deadline, createLimiters(PROCESS_CLOCK)).clientFor();
}
