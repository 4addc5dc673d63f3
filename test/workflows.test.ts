import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { INode } from 'n8n-workflow';

import type { Field } from '../nodes/PaymentsGateway/form/field';
import { fields as triggerFields } from '../nodes/PaymentsGateway/trigger/fields';
import type { Leaf } from './everyField';
import { leavesOf } from './everyField';
import { read, root } from './files';
import { resources } from './operations';

/** The example workflows, held against the form: a renamed parameter would break them unseen. */

const PACKAGE = 'n8n-nodes-payments-gateway.';

const own = readdirSync(join(root, 'workflows')).flatMap((file) => {
	const { nodes }: { nodes: INode[] } = JSON.parse(read(`workflows/${file}`));
	return nodes
		.filter(({ type }) => type.startsWith(PACKAGE))
		.map((node) => ({ title: `${file}: ${node.name}`, node }));
});

function fieldsOf({ type, parameters }: INode): readonly Field[] {
	if (type === `${PACKAGE}paymentsGatewayTrigger`) return triggerFields;
	const operations = resources[String(parameters.resource)]?.operations ?? {};
	return operations[String(parameters.operation)]?.fields ?? [];
}

/** Every parameter that the form does not have, and every choice that it does not offer. */
function unknownIn(
	leaves: readonly Leaf[],
	value: unknown,
	path: readonly string[] = [],
): string[] {
	const here = path.join('.');
	const field = leaves.find((leaf) => leaf.path.join('.') === here)?.field;
	if (field?.type === 'options' && !String(value).startsWith('=')) {
		const isKnown = field.options?.some((option) => 'value' in option && option.value === value);
		return isKnown ? [] : [`${here}: ${String(value)}`];
	}
	if (field !== undefined) return [];
	if (typeof value !== 'object' || value === null) return [here];
	return Object.entries(value).flatMap(([name, inner]) =>
		// All rows of a list have the same fields.
		unknownIn(leaves, inner, [...path, Array.isArray(value) ? '0' : name]),
	);
}

/** n8n's own: which operation it is, and when a trigger polls. */
const OF_N8N = /^(resource|operation|pollTimes\.)/;

test.each(own)('$title uses only parameters that exist', ({ node }) => {
	const leaves = leavesOf(fieldsOf(node));
	expect(leaves.length).toBeGreaterThan(0);
	const unknown = unknownIn(leaves, node.parameters).filter((name) => !OF_N8N.test(name));
	expect(unknown).toEqual([]);
});
