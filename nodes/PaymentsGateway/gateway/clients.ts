import { NodeOperationError } from 'n8n-workflow';

import { createMask } from '../output/mask';
import { maskedError } from '../output/maskError';
import { redactNode } from '../output/redactNode';
import type { Client } from './client';
import { clientOf } from './client';
import { Limiter, sharedLimiter } from './limiter';
import type { Context } from './merchant';
import { CREDENTIAL, merchantOf } from './merchant';
import type { Run } from './request';
import { PROCESS_CLOCK } from './sleep';

/** The clients of a run. With expressions in a credential, each item can have its own merchant. */

export function clientsOf(context: Context, deadline = Infinity, limiterFor = sharedLimiter) {
	const clients = new Map<string, Client>();
	const stopped = new AbortController();
	const cancelled =
		'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
	const ended = cancelled ? AbortSignal.any([cancelled, stopped.signal]) : stopped.signal;
	const run: Run = { context, deadline, cancelled, ended };
	return {
		/** The client of the merchant that the credential names for this item. */
		clientFor: async (itemIndex?: number): Promise<Client> => {
			const credential = await readCredential(context, itemIndex);
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

/** By the names of fields only: the tokens are not known yet. */
const MASK_BY_NAME = createMask([]);

/** Fails if the credential was deleted, cannot be decrypted, or has an expression that cannot be evaluated. */
async function readCredential(context: Context, itemIndex: number | undefined) {
	try {
		return await context.getCredentials(CREDENTIAL, itemIndex);
	} catch (error) {
		const node = redactNode(context.getNode(), MASK_BY_NAME);
		const description = 'n8n could not read the credential. Open it and correct it.';
		// n8n's own NodeOperationError, such as for a node without a credential, stays as it is.
		throw new NodeOperationError(node, maskedError(error, MASK_BY_NAME), { description });
	}
}

/**
 * A client for a poll of the trigger or a picker of the form. It has its own limiter, so that a poll does
 * not wait behind a bulk import. The two limiters do not see each other, but these requests are few: one
 * at a time, except while a picker looks for an email in a list of several pages.
 */
export async function createClient(context: Context, deadline?: number): Promise<Client> {
	return await clientsOf(context, deadline, () => new Limiter(PROCESS_CLOCK)).clientFor();
}
