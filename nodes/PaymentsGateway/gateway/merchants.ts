import type { Client } from './client';
import { clientOf } from './client';
import type { Context } from './merchant';
import { merchantOf, CREDENTIAL } from './merchant';
import { ownPaceOf, sharedPaceOf } from './pace';
import type { Run } from './request';

/**
 * The merchants of a run. A credential can hold expressions, so each item can have one of its own:
 * there is a client for each merchant, and one end for all of them.
 */

/** `deadline`: epoch milliseconds; no request, repetition or wait goes beyond it. */
export function merchantsOf(context: Context, deadline = Infinity, paceOf = sharedPaceOf) {
	const clients = new Map<string, Client>();
	const stopping = new AbortController();
	const cancelled =
		'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
	const ended = cancelled ? AbortSignal.any([cancelled, stopping.signal]) : stopping.signal;
	const run: Run = { context, deadline, cancelled, ended };
	return {
		/** The client of the merchant that the credential names for this item. */
		clientFor: async (itemIndex?: number): Promise<Client> => {
			const credential = await context.getCredentials(CREDENTIAL, itemIndex);
			const key = JSON.stringify(credential);
			const client = clients.get(key) ?? clientOf(run, merchantOf(credential), paceOf);
			clients.set(key, client);
			return client;
		},
		/** Nothing more is sent after this. */
		stop: () => stopping.abort(),
	};
}

/**
 * For callers without items: the pickers of the form, and the trigger. They send few requests, one
 * after another, and n8n itself spaces polls and backs off. So they have a way out of their own: the
 * news of a payment does not wait behind a bulk import that was told to slow down.
 */
export async function createClient(context: Context, deadline?: number): Promise<Client> {
	return await merchantsOf(context, deadline, ownPaceOf).clientFor();
}
