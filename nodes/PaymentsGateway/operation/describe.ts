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
	const resources = Object.entries(registry);
	const resource: INodeProperties = {
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: resources
			.map(([value, { name, description }]) => ({ name, value, description }))
			.sort(byName),
		default: 'paylink',
	};
	const operations = resources.map(
		([resourceName, { operations, defaultOperation }]): INodeProperties => {
			const options = Object.entries(operations)
				.map(([value, { name, action, description }]) => ({ name, value, action, description }))
				.sort(byName);
			return {
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				displayOptions: { show: { resource: [resourceName] } },
				options,
				default: defaultOperation,
			};
		},
	);
	const fields = resources.flatMap(([resourceName, { operations }]) =>
		Object.entries(operations).flatMap(([operationName, { fields }]) =>
			updateDisplayOptions(
				{ show: { resource: [resourceName], operation: [operationName] } },
				// The fields are readonly here and not in n8n's type; neither side changes them.
				[...fields] as INodeProperties[],
			),
		),
	);
	return [resource, ...operations, ...fields];
}
