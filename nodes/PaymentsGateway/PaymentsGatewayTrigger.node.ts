import type { INodeType, INodeTypeDescription, IPollFunctions } from 'n8n-workflow';

import { fields } from './trigger/fields';
import { poll } from './trigger/poll';

/**
 * The trigger node as n8n loads it: a polling trigger. Its fields are in `trigger/fields.ts`, and a
 * poll begins in `trigger/poll.ts`.
 */

export class PaymentsGatewayTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Payments Gateway Trigger',
		name: 'paymentsGatewayTrigger',
		icon: {
			light: 'file:../../icons/paymentsGateway.svg',
			dark: 'file:../../icons/paymentsGateway.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle:
			'={{ "on " + $parameter["events"].map((event) => event === "*" ? "any event" : event.replace("payment_", "").replace("failed", "failure")).join(", ") }}',
		// n8n's node panel lists both nodes as one entry, with this description.
		description:
			'Make paylinks, charge carts, sync customers, and start workflows when a payment succeeds, fails or is refunded',
		defaults: { name: 'Payments Gateway Trigger' },
		polling: true,
		inputs: [],
		// One plain output, or one for each of several events, in the order of trigger/outputs.ts.
		outputs: `={{ ((parameters) => {
			const chosen = parameters.events ?? [];
			if (parameters.outputMode !== 'perEvent' || chosen.length < 2) return ['main'];
			return [
				{ event: 'payment_success', displayName: 'Succeeded' },
				{ event: 'payment_failed', displayName: 'Failed' },
				{ event: 'payment_refund', displayName: 'Refunded' },
				{ event: '*', displayName: 'Any Other' },
			]
				.filter(({ event }) => chosen.includes(event))
				.map(({ displayName }) => ({ type: 'main', displayName }));
		})($parameter) }}`,
		credentials: [{ name: 'paymentsGatewayApi', required: true }],
		// The fields are readonly here and not in n8n's type; neither side changes them.
		properties: [...fields] as unknown as INodeTypeDescription['properties'],
	};

	async poll(this: IPollFunctions) {
		return await poll(this);
	}
}
