import { createHash } from 'crypto';

import type { WebhookEvent } from '../wire';
import { textOf } from '../wire/json';

/**
 * Keys under which the trigger stores its state. They must never change: a change silently forgets
 * every state, or every seen event. keys.test.ts has fixed examples.
 */

/** Where a workflow's static data holds the states of its triggers. */
export const STATES = 'paymentsGatewayTriggers';

/** Identifies a trigger. A copied workflow brings node IDs and states along, so both IDs count. */
export function triggerKey(workflowId: string, nodeId: string): string {
	return `${workflowId}/${nodeId}`;
}

/** Identifies an event by 48 bits: with 2,500 seen events, one new one in 10^11 is taken for seen. */
export function eventHash(event: WebhookEvent): string {
	const id = textOf(event.eventID);
	// Without an ID, or with a number that is too large for JavaScript, the content identifies it.
	const identity = id === '' ? JSON.stringify(event) : `id ${id}`;
	return createHash('sha256').update(identity).digest('base64url').slice(0, 8);
}
