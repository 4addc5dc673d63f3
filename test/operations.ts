import type { INodeProperties, INodePropertyCollection } from 'n8n-workflow';

import type { Field } from '../nodes/PaymentsGateway/form/field';
import type { Registry } from '../nodes/PaymentsGateway/operation/operation';
import { registry } from '../nodes/PaymentsGateway/resources';

/** All operations and their fields, for the tests that look at each of them. */

export const resources: Registry = registry;

export const operations = Object.entries(resources).flatMap(([resource, each]) =>
	Object.entries(each.operations).map(([name, operation]) => ({
		title: `${resource}.${name}`,
		resource,
		name,
		operation,
	})),
);

const isGroup = (entry: object): entry is INodePropertyCollection => 'values' in entry;
const isField = (entry: object): entry is INodeProperties => 'type' in entry;

/** Every field that the form can show, those inside collections too. */
export function deep(fields: readonly Field[]): Field[] {
	return fields.flatMap((field) => [
		field,
		...(field.options ?? []).flatMap((entry) => {
			if (isGroup(entry)) return deep(entry.values);
			return isField(entry) ? deep([entry]) : [];
		}),
	]);
}
