import type { INodeProperties } from 'n8n-workflow';

import { registry } from '../nodes/PaymentsGateway/resources';
import type { Field } from '../nodes/PaymentsGateway/form/field';
import type { Registry } from '../nodes/PaymentsGateway/operation/operation';

/** An agent sees only the action and the labels, so these must say all that it has to know. */

const resources: Registry = registry;
const operations = Object.entries(resources).flatMap(([resource, { operations: all }]) =>
	Object.entries(all).map(([name, operation]) => ({ title: `${resource}.${name}`, operation })),
);

function isField(option: object): option is INodeProperties {
	return 'type' in option;
}

function valuesOf(fields: readonly Field[]): Field[] {
	return fields.flatMap((field) => {
		if (field.type === 'notice') return [];
		if (field.type === 'collection') return valuesOf((field.options ?? []).filter(isField));
		if (field.type !== 'fixedCollection') return [field];
		return (field.options ?? []).flatMap((group) =>
			'values' in group ? valuesOf(group.values) : [],
		);
	});
}

test('the action carries the danger', () => {
	expect(registry.payment.operations.commit.action).toBe('Charge customer');
	expect(registry.customer.operations.delete.action).toBe('Delete customer and payment methods');
});

test('an action names what it acts on without an article, as n8n wants it', () => {
	for (const { operation } of operations) expect(operation.action).not.toMatch(/\b(an?|the)\b/);
});

test('every action is told from every other', () => {
	const actions = operations.map(({ operation }) => operation.action);
	expect(new Set(actions).size).toBe(actions.length);
});

describe.each(operations)('$title', ({ operation }) => {
	const values = valuesOf(operation.fields);

	test('no two labels give an agent the same argument', () => {
		// As n8n makes the name of an argument from a label.
		const names = values.map(({ displayName }) => displayName.replace(/[^a-zA-Z0-9_-]/g, '_'));
		expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
	});

	test('no label is longer than the name of an argument can be', () => {
		for (const { displayName } of values) expect(displayName.length).toBeLessThanOrEqual(64);
	});

	test('a label says what its number is counted in', () => {
		const counts = ['limit', 'pageSize', 'quantity', 'recurringTotalCycles'];
		const rhythm = ['recurringInterval', 'recurringFrequency'];
		const measured = values.filter(
			({ name, type }) => type === 'number' && ![...counts, ...rhythm].includes(name),
		);
		for (const { displayName } of measured) {
			expect(displayName).toMatch(/Cents|Percent|Days|Seconds/);
		}
	});
});
