import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { INode } from 'n8n-workflow';

import type { Field } from '../nodes/PaymentsGateway/form/field';
import { fields as triggerFields } from '../nodes/PaymentsGateway/trigger/fields';
import { isObject } from '../nodes/PaymentsGateway/wire/json';
import { read, root } from './files';
import { resources } from './operations';

/** The example workflows, held against the form: a renamed parameter would break them unseen. */

const PACKAGE = 'n8n-nodes-payments-gateway.';

interface Workflow {
	name: string;
	nodes: INode[];
	/** By the node that they start from, and by type: `main`, or `ai_tool` for an agent's tool. */
	connections: Record<string, Record<string, Array<Array<{ node: string }>>>>;
}

const examples = readdirSync(join(root, 'workflows')).map((file) => {
	const workflow: Workflow = JSON.parse(read(`workflows/${file}`));
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

/** Every parameter that the form does not have, and every choice that it does not offer. */
function unknownIn(fields: readonly Field[], filled: object, path = ''): string[] {
	return Object.entries(filled).flatMap(([name, value]) => {
		const field = fields.find((entry) => entry.name === name);
		const here = `${path}${name}`;
		if (!field) return [here];
		const options = field.options ?? [];
		if (field.type === 'options' && !String(value).startsWith('=')) {
			const isKnown = options.some((option) => 'value' in option && option.value === value);
			return isKnown ? [] : [`${here}: ${String(value)}`];
		}
		if (field.type === 'collection' && isObject(value)) {
			const inner = options.filter((option): option is Field => 'type' in option);
			return unknownIn(inner, value, `${here}.`);
		}
		if (field.type === 'fixedCollection' && isObject(value)) {
			return Object.entries(value).flatMap(([name, rows]) => {
				const group = options.find((option) => option.name === name);
				const within = `${here}.${name}`;
				if (!group || !('values' in group)) return [within];
				return [rows]
					.flat()
					.flatMap((row: unknown) => unknownIn(group.values, Object(row), `${within}.`));
			});
		}
		return [];
	});
}

test('there are the ten examples that the README shows', () => {
	expect(examples).toHaveLength(10);
	expect(own.length).toBeGreaterThan(10);
});

test.each(own)('$title uses only parameters that exist', ({ node }) => {
	const { resource, operation, pollTimes, ...parameters } = node.parameters;
	const fields = fieldsOf(node);
	expect(fields.length).toBeGreaterThan(0);
	expect(unknownIn(fields, parameters)).toEqual([]);
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
		for (const [from, outputs] of Object.entries(workflow.connections)) {
			expect(names).toContain(from);
			for (const { node } of Object.values(outputs).flat(2)) expect(names).toContain(node);
		}
		expect(workflow.nodes.some(({ type }) => type.endsWith('stickyNote'))).toBe(true);
	},
);
