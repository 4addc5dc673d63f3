import type { INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import type { Registry } from './operation';

/**
 * Builds the form of the action node from the registry: the list of resources, the operations of
 * each, and each operation's fields. An operation lists its fields once; this file adds their
 * display conditions.
 */

export function describe(registry: Registry): INodeProperties[] {
	const resources = Object.entries(registry);
	const form: INodeProperties[] = [
		{
			displayName: 'Resource',
			name: 'resource',
			type: 'options',
			noDataExpression: true,
			options: resources.map(([value, { name, description }]) => ({ name, value, description })),
			default: 'paylink',
		},
	];
	for (const [resource, { operations, defaultOperation }] of resources) {
		form.push({
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			displayOptions: { show: { resource: [resource] } },
			options: Object.entries(operations).map(([value, { name, action, description }]) => {
				return { name, value, action, description };
			}),
			default: defaultOperation,
		});
		for (const [operation, { fields }] of Object.entries(operations)) {
			const show = { resource: [resource], operation: [operation] };
			// The fields are readonly here and not in n8n's type; neither side changes them.
			form.push(...updateDisplayOptions({ show }, [...fields] as INodeProperties[]));
		}
	}
	return form;
}
