import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Expression } from 'n8n-workflow';
import type { INode, IWorkflowDataProxyData } from 'n8n-workflow';

import { eventOutput } from '../nodes/PaymentsGateway/events/simplify';
import { createMask } from '../nodes/PaymentsGateway/output/mask';
import type { Field } from '../nodes/PaymentsGateway/form/field';
import { fields as triggerFields } from '../nodes/PaymentsGateway/trigger/fields';
import type { Leaf } from './everyField';
import { leavesOf } from './everyField';
import { read, root } from './files';
import { resources } from './operations';

/**
 * Compares the example workflows with the form, since a renamed parameter would break them unseen.
 * Also checks their alerts, which show what a payer has typed.
 */

const PACKAGE = 'n8n-nodes-payments-gateway.';

const all = readdirSync(join(root, 'workflows')).flatMap((file) => {
	const { nodes }: { nodes: INode[] } = JSON.parse(read(`workflows/${file}`));
	return nodes.map((node) => ({ title: `${file}: ${node.name}`, node }));
});
const own = all.filter(({ node }) => node.type.startsWith(PACKAGE));

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

/** Parameters that the field lists do not hold. */
const NOT_IN_FIELDS = /^(resource|operation|pollTimes\.)/;

test.each(own)('$title uses only parameters that exist', ({ node }) => {
	const leaves = leavesOf(fieldsOf(node));
	expect(leaves.length).toBeGreaterThan(0);
	const unknown = unknownIn(leaves, node.parameters).filter((name) => !NOT_IN_FIELDS.test(name));
	expect(unknown).toEqual([]);
});

/** The messages to a chat with something that a payer has typed. */
const alerts = all.filter(
	({ node }) =>
		/\.(slack|httpRequest)$/.test(node.type) &&
		/\.summary|customer(Name|Email)/.test(JSON.stringify(node.parameters)),
);

/** The text that a node sends when this payer's payment has failed. */
function alertOf({ parameters }: INode, name: string, email: string): string {
	const payer = { customer_name: name, customer_email: email };
	const transaction = { id: 'txn_1', amount: 3300, currency: 'USD', status: 'DECLINED', ...payer };
	const payload = JSON.stringify({ transaction: { ...transaction, referenceID: 'INV-9003' } });
	const row = { eventID: 'evt_1', date: '2026-03-01T12:00:00Z', type: 'payment_failed', payload };
	const event = eventOutput(row, true, createMask([]));
	// The event itself, what Get Status returns of it, and the event as an earlier node's item.
	const $json = { ...event, events: [event] };
	const data = { $json, $: () => ({ item: { json: event } }) };
	const sent = new Expression('UTC').resolveSimpleParameterValue(
		String(parameters.jsonBody ?? parameters.text),
		data as unknown as IWorkflowDataProxyData,
	);
	return String(Object(sent).text ?? sent);
}

const EMAIL = /[\w.+-]+@[\w.-]+\.\w+/g;
/** Anything that a chat could turn into a link, a mention or markup. */
const ACTIVE = /[<>]|:\/|[:.@]\p{L}/u;

test('five alerts show what a payer has typed', () => {
	expect(alerts).toHaveLength(5);
});

describe.each(alerts)('the alert of $title', ({ node }) => {
	test.each([
		'<!channel> <https://evil.example|Refund here> <a href="https://evil.example">Refund</a>',
		'https://evil.example/?a=b',
		'HTTP://EVIL.EXAMPLE:8080',
		'https://ann@evil.example',
		'www.evil.example',
		'evil.example/refund',
		'evil.1st.example',
		'bücher.example, or пример.испытание',
		'slack://channel?id=1, mailto:a@evil.example',
		'@channel, @everyone, <@U123>, #general & co',
	])('turns a payer named %s into neither a link nor a mention', (typed) => {
		for (const [name, email] of [
			[typed, 'ann@example.com'],
			['Ann Lee', typed],
		] as const) {
			expect(alertOf(node, name, email).replace(EMAIL, '')).not.toMatch(ACTIVE);
		}
	});

	test('keeps amounts, references and email addresses as they are', () => {
		const text = alertOf(node, 'Ann B. Lee', 'ann.lee+1@shop.example.com');
		expect(text).toContain('ann.lee+1@shop.example.com');
		expect(text).toMatch(/\$33\.00.*INV-9003/);
	});
});

test.each([
	['notFound', null, 0, 'Open'],
	['pending', null, 0, 'Pending'],
	['failed', false, 0, 'Open, the last payment failed'],
	['succeeded', true, 1, 'Paid'],
	['succeeded', false, 1, 'Another amount'],
	['succeeded', true, 2, 'Paid twice'],
	['succeeded', null, 1, 'Paid, but the amount is not known'],
])(
	'workflow 11 labels an invoice of outcome %s, matches %s, %d payments: %s',
	(outcome, matches, payments, result) => {
		const { node } = all.find(({ title }) => title === '11-reconcile-invoices.json: Result') ?? {};
		const { assignments } = Object(node?.parameters.assignments);
		const { value } = assignments.find(({ name }: { name: string }) => name === 'result');
		const data = { $json: { outcome, matches, payments } } as unknown as IWorkflowDataProxyData;
		expect(new Expression('UTC').resolveSimpleParameterValue(value, data)).toBe(result);
	},
);
