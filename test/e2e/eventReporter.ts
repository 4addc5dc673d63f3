import { CREDENTIAL, TRIGGER } from './gatewayWorkflows';
import type { StoredWorkflow } from './n8nApi';

/**
 * A workflow that reports each event that the trigger fires for: it posts the event's ID to an
 * address, usually the inbox, where a test can see what came, what is missing and what came twice.
 */

/** One entry polls once a minute at most, so there are twelve: tests do not have to wait. */
export const EVERY_FIVE_SECONDS = Array.from({ length: 12 }, (_, index) => ({
	mode: 'custom',
	cronExpression: `${index * 5} * * * * *`,
}));

/** Posts another field of the event than its ID where one is named. */
export function eventReporter(
	credential: string,
	url: string,
	{ field = 'eventID', pollTimes = EVERY_FIVE_SECONDS as object[] } = {},
): StoredWorkflow {
	return {
		name: 'Event Reporter',
		nodes: [
			{
				name: 'Payments',
				type: TRIGGER,
				typeVersion: 1,
				position: [0, 0],
				parameters: { pollTimes: { item: pollTimes }, events: ['*'] },
				credentials: { [CREDENTIAL]: { id: credential, name: 'Sandbox' } },
			},
			{
				name: 'Tell',
				type: 'n8n-nodes-base.httpRequest',
				typeVersion: 4.2,
				position: [260, 0],
				parameters: {
					method: 'POST',
					url,
					sendBody: true,
					specifyBody: 'json',
					jsonBody: `={{ { text: $json.${field} } }}`,
					options: {},
				},
			},
		],
		connections: { Payments: { main: [[{ node: 'Tell', type: 'main', index: 0 }]] } },
	};
}
