import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { eventOutput } from '../events/simplify';
import type { Mask } from '../output/mask';
import type { WebhookEvent } from '../wire';
import { eventType } from '../wire/event';

/** Turns events into items: each at its output, in its shape. No payload can stop the trigger. */

export interface OutputSettings {
	/** Types by name. `*` selects every event; its output takes those without an output of their own. */
	events: readonly string[];
	isPerEvent: boolean;
	isSimple: boolean;
}

/** The order of the outputs. PaymentsGatewayTrigger.node.ts draws them in the same order. */
const ORDER = ['payment_success', 'payment_failed', 'payment_refund', '*'];

export function isSelected(events: readonly string[], { type }: WebhookEvent): boolean {
	return events.includes('*') || events.includes(eventType(type));
}

/** The items of each output, or null if there are none: n8n would run an empty execution. */
export function outputsOf(
	events: readonly WebhookEvent[],
	settings: OutputSettings,
	mask: Mask,
): INodeExecutionData[][] | null {
	if (events.length === 0) return null;
	const types = settings.isPerEvent
		? ORDER.filter((type) => settings.events.includes(type))
		: ['*'];
	const outputs = types.map((): INodeExecutionData[] => []);
	for (const event of events) {
		const output = outputs[types.indexOf(eventType(event.type))] ?? outputs.at(-1);
		output?.push({ json: jsonOf(event, settings.isSimple, mask) });
	}
	return outputs;
}

function jsonOf(event: WebhookEvent, isSimple: boolean, mask: Mask): IDataObject {
	try {
		return mask.value(eventOutput(event, isSimple, mask));
	} catch {
		// An error would stop the trigger at this event, and at every poll from now on.
		const { eventID, type, date } = event;
		return { eventID, type, date, payloadError: 'The payload could not be read' };
	}
}
