import type { INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import type { Registry } from './operation';

/**
 * Builds the form of the action node from the registry: the list of resources, the operations of
 * each, and each operation's fields. An operation lists its fields once; when they are shown is
 * added here.
 */

function byName(a: { name: string }, b: { name: string }): number {
	return a.name.localeCompare(b.name);
}

export function describe(registry: Registry): INodeProperties[] {
	const form: INodeProperties[] = [
		{
			displayName: 'Resource',
			name: 'resource',
			type: 'options',
			noDataExpression: true,
			options: Object.entries(registry)
				.map(([value, { name, description }]) => ({ name, value, description }))
				.sort(byName),
			default: 'paylink',
		},
	];
	for (const [resource, { operations, defaultOperation }] of Object.entries(registry)) {
		form.push({
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			displayOptions: { show: { resource: [resource] } },
			options: Object.entries(operations)
				.map(([value, { name, action, description }]) => ({ name, value, action, description }))
				.sort(byName),
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
