import type { Field } from '../nodes/PaymentsGateway/form/field';
import type { Registry } from '../nodes/PaymentsGateway/operation/operation';
import { registry } from '../nodes/PaymentsGateway/resources';

/** All operations and their fields, for tests that check each of them. */

export const resources: Registry = registry;

export const operations = Object.entries(resources).flatMap(([resource, each]) =>
	Object.entries(each.operations).map(([name, operation]) => ({
		title: `${resource}.${name}`,
		resource,
		name,
		operation,
	})),
);

/** Every field that the form can show, including those inside collections. */
export function allFieldsOf(fields: readonly Field[]): Field[] {
	return fields.flatMap((field) => {
		const inside = (field.options ?? []).flatMap((entry) => {
			if ('values' in entry) return entry.values;
			return 'type' in entry ? [entry] : [];
		});
		return [field, ...allFieldsOf(inside)];
	});
}
