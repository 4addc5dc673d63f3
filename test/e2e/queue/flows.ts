import { CARD, chain, gateway, stock, tell, watch } from '../gatewayWorkflows';
import type { StoredNode, StoredWorkflow } from '../n8nApi';

/**
 * The workflows that the workers run, with this package's nodes in them. All but the watcher of
 * events start with a request to their webhook.
 */

export interface Row {
	email: string;
	name: string;
}

function webhook(path: string): StoredNode {
	const parameters = { httpMethod: 'POST', path, options: {} };
	return stock('webhook', 2, 'Webhook', parameters, { webhookId: path });
}

/** Rows of a CRM: `{ rows: [{ email, name }] }`. */
export function sync(credential: string): StoredWorkflow {
	const upsert = {
		resource: 'customer',
		operation: 'upsert',
		email: '={{ $json.email }}',
		customerFields: { nameOnCard: '={{ $json.name }}' },
	};
	// When a rate limit refuses a request for good, all rows are sent again later.
	const again = { retryOnFail: true, maxTries: 5, waitBetweenTries: 5000 };
	return chain('Sync', [
		webhook('sync'),
		stock('splitOut', 1, 'Rows', { fieldToSplitOut: 'body.rows', options: {} }),
		{ ...gateway('Create or Update', upsert, credential), ...again },
	]);
}

/** One cart: `{ paymentData, total }`, the total in cents. */
export function charge(credential: string): StoredWorkflow {
	const commit = {
		resource: 'payment',
		operation: 'charge',
		paymentData: '={{ $json.body.paymentData }}',
		customerConsent: true,
		expectedTotal: '={{ $json.body.total / 100 }}',
		card: CARD,
	};
	return chain('Charge', [webhook('charge'), gateway('Charge Once', commit, credential)]);
}

/** Every event of the gateway's list once more. */
export function catchUp(credential: string, url: string): StoredWorkflow {
	const all = { resource: 'event', operation: 'getAll', returnAll: true };
	return chain('Catch Up', [
		webhook('catch-up'),
		gateway('All Events', all, credential),
		tell(url, '$json.eventID'),
	]);
}

/** Hears of executions that ended badly. */
export function alarm(url: string): StoredWorkflow {
	return chain('Alarm', [
		stock('errorTrigger', 1, 'Error'),
		tell(url, '`alarm ${$json.execution.id}`'),
	]);
}

/** Takes some time over its events, so that there is something to kill, and tells the ID of each. */
export function slowWatcher(
	credential: string,
	url: string,
	{ seconds, maxEvents }: { seconds: number; maxEvents: number },
): StoredWorkflow {
	const waiting = { resume: 'timeInterval', amount: seconds, unit: 'seconds' };
	return chain('Watcher', [
		watch(credential, { options: { maxEventsPerPoll: maxEvents } }),
		stock('wait', 1.1, 'Wait', waiting, { webhookId: 'wait' }),
		tell(url, '$json.eventID'),
	]);
}
