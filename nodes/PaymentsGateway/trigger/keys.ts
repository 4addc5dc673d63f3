import { createHash } from 'crypto';

import type { WebhookEvent } from '../wire';
import { textOf } from '../wire/json';

/**
 * What the trigger's state is stored by. It must stay the same: a change silently forgets each state,
 * or each seen event. keys.test.ts has fixed examples, and one of the merchant's hash in each state.
 */

/** Where a workflow's static data holds the states of its triggers. */
export const STATES = 'paymentsGatewayTriggers';

/** Identifies a trigger. A copied workflow brings node IDs and states along, so both IDs count. */
export function triggerKey(workflowId: string, nodeId: string): string {
	return `${workflowId}/${nodeId}`;
}

/** Identifies an event. Of 10^11 new events, about one is mistaken for one of 2,500 seen ones. */
export function eventHash(event: WebhookEvent): string {
	const id = textOf(event.eventID);
	// Without an ID, or with a number that is too large for JavaScript, the content identifies it.
	const identity = id === '' ? JSON.stringify(event) : `id ${id}`;
	return createHash('sha256').update(identity).digest('base64url').slice(0, 8);
}
