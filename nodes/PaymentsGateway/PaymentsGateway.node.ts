import type { IExecuteFunctions, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { searchCustomers, searchPaymentMethods } from './listSearch/pickers';
import { describe } from './operation/describe';
import { execute } from './operation/execute';
import { operationsOf } from './operation/operation';
import { registry } from './resources';

/**
 * The action node as n8n loads it. The form comes from the registry of operations, and an
 * execution begins in `operation/execute.ts`. The rest of the description is written out here,
 * because n8n's verification reads only the published node files.
 */

/** The actions of all operations, such as "Create paylink" for `paylink.create`. */
const actions = Object.fromEntries(
	[...operationsOf(registry)].map(([name, { action }]) => [name, action]),
);

export class PaymentsGateway implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Payments Gateway',
		name: 'paymentsGateway',
		icon: {
			light: 'file:../../icons/paymentsGateway.svg',
			dark: 'file:../../icons/paymentsGateway.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle: `={{ (${JSON.stringify(actions)})[$parameter.resource + "." + $parameter.operation] }}`,
		description: 'Make paylinks, charge carts, sync customers',
		defaults: { name: 'Payments Gateway' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		credentials: [{ name: 'paymentsGatewayApi', required: true }],
		properties: describe(registry),
	};

	methods = {
		listSearch: { searchCustomers, searchPaymentMethods },
	};

	async execute(this: IExecuteFunctions) {
		return await execute(this, registry);
	}
}
