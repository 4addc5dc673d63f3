import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { INode, INodeParameters } from 'n8n-workflow';

import type { Field } from '../nodes/PaymentsGateway/form/field';
import type { Registry } from '../nodes/PaymentsGateway/operation/operation';
import { registry } from '../nodes/PaymentsGateway/resources';
import { fields as triggerFields } from '../nodes/PaymentsGateway/trigger/fields';

/** The example workflows, held against the form: a renamed parameter would break them unseen. */

const folder = resolve(__dirname, '../workflows');
const PACKAGE = 'n8n-nodes-payments-gateway.';
const resources: Registry = registry;

interface Workflow {
	name: string;
	nodes: INode[];
	connections: Record<string, { main: Array<Array<{ node: string }>> }>;
}

const examples = readdirSync(folder).map((file) => {
	const workflow: Workflow = JSON.parse(readFileSync(join(folder, file), 'utf8'));
	return { file, workflow };
});

const own = examples.flatMap(({ file, workflow }) =>
	workflow.nodes
		.filter(({ type }) => type.startsWith(PACKAGE))
		.map((node) => ({ title: `${file}: ${node.name}`, node })),
);

function fieldsOf({ type, parameters }: INode): readonly Field[] {
	if (type === `${PACKAGE}paymentsGatewayTrigger`) return triggerFields;
	const operations = resources[String(parameters.resource)]?.operations ?? {};
	return operations[String(parameters.operation)]?.fields ?? [];
}

function isObject(value: unknown): value is INodeParameters {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Every parameter that the form does not have, and every choice that it does not offer. */
function strangers(fields: readonly Field[], filled: INodeParameters, path = ''): string[] {
	return Object.entries(filled).flatMap(([name, value]) => {
		const field = fields.find((entry) => entry.name === name);
		const here = `${path}${name}`;
		if (!field) return [here];
		if (field.type === 'options' && !String(value).startsWith('=')) {
			const known = (field.options ?? []).some(
				(option) => 'value' in option && option.value === value,
			);
			return known ? [] : [`${here}: ${String(value)}`];
		}
		if (field.type === 'collection' && isObject(value)) {
			const inner = (field.options ?? []).filter((option): option is Field => 'type' in option);
			return strangers(inner, value, `${here}.`);
		}
		if (field.type === 'fixedCollection' && isObject(value)) {
			return Object.entries(value).flatMap(([group, rows]) => {
				const found = (field.options ?? []).find((option) => option.name === group);
				if (!found || !('values' in found)) return [`${here}.${group}`];
				return [rows].flat().flatMap((row) => {
					return isObject(row)
						? strangers(found.values, row, `${here}.${group}.`)
						: [`${here}.${group}`];
				});
			});
		}
		return [];
	});
}

test('there are the five examples that the README shows', () => {
	expect(examples).toHaveLength(5);
	expect(own.length).toBeGreaterThan(5);
});

test.each(own)('$title uses only parameters that exist', ({ node }) => {
	const { resource, operation, pollTimes, ...parameters } = node.parameters;
	const fields = fieldsOf(node);
	expect(fields.length).toBeGreaterThan(0);
	expect(strangers(fields, parameters)).toEqual([]);
	// n8n's own: which operation it is, and when a trigger polls.
	expect([typeof resource, typeof operation, typeof pollTimes]).toEqual(
		node.type.endsWith('Trigger')
			? ['undefined', 'undefined', 'object']
			: ['string', 'string', 'undefined'],
	);
});

test.each(examples)(
	'$file connects only nodes that it has, and explains itself',
	({ workflow }) => {
		const names = new Set(workflow.nodes.map(({ name }) => name));
		for (const [from, { main }] of Object.entries(workflow.connections)) {
			expect(names).toContain(from);
			for (const { node } of main.flat()) expect(names).toContain(node);
		}
		expect(workflow.nodes.some(({ type }) => type.endsWith('stickyNote'))).toBe(true);
	},
);
