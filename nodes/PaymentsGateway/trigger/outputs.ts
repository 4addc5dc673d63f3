import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { WebhookEvent } from '../wire';
import { eventOutput } from '../events/simplify';
import { eventType } from '../wire/event';
import type { Mask } from '../output/mask';

/** Which events leave, by which output, and in what shape. Nothing in a payload stops the trigger. */

/** What the user chose. */
export interface Choice {
	/** Types by their names; `*` is every event, and as an output those that have none of their own. */
	events: readonly string[];
	isPerEvent: boolean;
	isSimple: boolean;
}

/** The order of the outputs; the trigger's description says the same to the editor. */
const ORDER = ['payment_success', 'payment_failed', 'payment_refund', '*'];

export function isChosen(events: readonly string[], { type }: WebhookEvent): boolean {
	return events.includes('*') || events.includes(eventType(type));
}

/** The events as items, each at one output; null when there is nothing to start. */
export function outputsOf(
	events: readonly WebhookEvent[],
	choice: Choice,
	mask: Mask,
): INodeExecutionData[][] | null {
	if (events.length === 0) return null;
	const outputs = choice.isPerEvent ? ORDER.filter((type) => choice.events.includes(type)) : ['*'];
	const items = outputs.map((): INodeExecutionData[] => []);
	for (const event of events) {
		const own = outputs.indexOf(eventType(event.type));
		items[own < 0 ? outputs.length - 1 : own]?.push({ json: shape(event, choice.isSimple, mask) });
	}
	return items;
}

function shape(event: WebhookEvent, isSimple: boolean, mask: Mask): IDataObject {
	try {
		return mask.value(eventOutput(event, isSimple));
	} catch {
		// Thrown, it would stop the trigger at every poll, and all events that come after this one.
		const { eventID, type, date } = event;
		return { eventID, type, date, payloadError: 'The payload could not be read' };
	}
}
