import { CREDENTIAL, TRIGGER } from './scene';
import type { StoredWorkflow } from './session';

/** Once a minute is the most that n8n takes in one entry; twelve of them do not make tests wait. */
const EVERY_FIVE_SECONDS = Array.from({ length: 12 }, (_, index) => ({
	mode: 'custom',
	cronExpression: `${index * 5} * * * * *`,
}));

/** A workflow that tells the ID of every event, or another field of it, to an address. */
export function watcher(
	credential: string,
	url: string,
	{ field = 'eventID', pollTimes = EVERY_FIVE_SECONDS as object[] } = {},
): StoredWorkflow {
	return {
		name: 'Watcher',
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
