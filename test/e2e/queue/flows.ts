import { EVERY_FIVE_SECONDS } from '../eventReporter';
import { CREDENTIAL, NODE, type Parameters, TRIGGER } from '../gatewayWorkflows';
import type { StoredNode, StoredWorkflow } from '../n8nApi';

/**
 * The workflows that the workers run, with this package's nodes in them. All but the watcher of
 * events start with a request to their webhook.
 */

export interface Row {
	email: string;
	name: string;
}

function credentials(id: string): StoredNode['credentials'] {
	return { [CREDENTIAL]: { id, name: 'Sandbox' } };
}

function webhook(path: string): StoredNode {
	return {
		name: 'Webhook',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2,
		position: [0, 0],
		parameters: { httpMethod: 'POST', path, options: {} },
		webhookId: path,
	};
}

function gateway(name: string, parameters: Parameters, credential: string): StoredNode {
	const credentialsOf = credentials(credential);
	return {
		name,
		type: NODE,
		typeVersion: 1,
		position: [480, 0],
		parameters,
		...(credentialsOf ? { credentials: credentialsOf } : {}),
	};
}

function tell(url: string, jsonBody = '={{ { text: $json.eventID } }}'): StoredNode {
	return {
		name: 'Tell',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		position: [720, 0],
		parameters: {
			method: 'POST',
			url,
			sendBody: true,
			specifyBody: 'json',
			jsonBody,
			options: {},
		},
	};
}

/** One after the other, by their first outputs. */
function chain(name: string, nodes: StoredNode[]): StoredWorkflow {
	const connections = Object.fromEntries(
		nodes.slice(1).map(({ name: next }, index) => {
			const before = nodes[index]?.name ?? '';
			return [before, { main: [[{ node: next, type: 'main', index: 0 }]] }];
		}),
	);
	return { name, nodes, connections };
}

/** Rows of a CRM: `{ rows: [{ email, name }] }`. */
export function sync(credential: string): StoredWorkflow {
	return chain('Sync', [
		webhook('sync'),
		{
			name: 'Rows',
			type: 'n8n-nodes-base.splitOut',
			typeVersion: 1,
			position: [240, 0],
			parameters: { fieldToSplitOut: 'body.rows', options: {} },
		},
		{
			...gateway(
				'Create or Update',
				{
					resource: 'customer',
					operation: 'upsert',
					email: '={{ $json.email }}',
					customerFields: { nameOnCard: '={{ $json.name }}' },
				},
				credential,
			),
			// When a rate limit refuses a request for good, all rows are sent again later.
			retryOnFail: true,
			maxTries: 5,
			waitBetweenTries: 5000,
		},
	]);
}

/** One cart: `{ paymentData, total }`, the total in cents. */
export function charge(credential: string): StoredWorkflow {
	return chain('Charge', [
		webhook('charge'),
		gateway(
			'Charge Once',
			{
				resource: 'payment',
				operation: 'commit',
				paymentData: '={{ $json.body.paymentData }}',
				customerConsent: true,
				expectedTotal: '={{ $json.body.total / 100 }}',
				card: { details: { cardToken: 'tok_visa_4242', cvc: '123', expiryDate: '12/30' } },
			},
			credential,
		),
	]);
}

/** Every event of the service's list once more. */
export function catchUp(credential: string, url: string): StoredWorkflow {
	return chain('Catch Up', [
		webhook('catch-up'),
		gateway(
			'All Events',
			{ resource: 'webhookEvent', operation: 'getAll', returnAll: true },
			credential,
		),
		tell(url),
	]);
}

/** Hears of executions that ended badly. */
export function alarm(url: string): StoredWorkflow {
	return chain('Alarm', [
		{
			name: 'Error',
			type: 'n8n-nodes-base.errorTrigger',
			typeVersion: 1,
			position: [0, 0],
			parameters: {},
		},
		tell(url, '={{ { text: `alarm ${$json.execution.id}` } }}'),
	]);
}

/** Takes some time over its events, so that there is something to kill, and tells the ID of each. */
export function slowWatcher(
	credential: string,
	url: string,
	{ seconds, maxEvents }: { seconds: number; maxEvents: number },
): StoredWorkflow {
	const credentialsOf = credentials(credential);
	return chain('Watcher', [
		{
			name: 'Payments',
			type: TRIGGER,
			typeVersion: 1,
			position: [0, 0],
			parameters: {
				pollTimes: { item: EVERY_FIVE_SECONDS },
				events: ['*'],
				options: { maxEventsPerPoll: maxEvents },
			},
			...(credentialsOf ? { credentials: credentialsOf } : {}),
		},
		{
			name: 'Wait',
			type: 'n8n-nodes-base.wait',
			typeVersion: 1.1,
			position: [240, 0],
			parameters: { resume: 'timeInterval', amount: seconds, unit: 'seconds' },
			webhookId: 'wait',
		},
		tell(url),
	]);
}
