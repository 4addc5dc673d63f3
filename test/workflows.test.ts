import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { executeFilter, Expression } from 'n8n-workflow';
import type { FilterValue, IConnections, INode, IWorkflowDataProxyData } from 'n8n-workflow';

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
 * Also checks their alerts, which show what a payer has typed, and the promises of their notes that
 * depend on one expression or one connection.
 */

const PACKAGE = 'n8n-nodes-payments-gateway.';

interface Example {
	file: string;
	nodes: INode[];
	connections: IConnections;
}

const examples: Example[] = readdirSync(join(root, 'workflows')).map((file) => ({
	file,
	...JSON.parse(read(`workflows/${file}`)),
}));
const all = examples.flatMap(({ file, nodes }) =>
	nodes.map((node) => ({ title: `${file}: ${node.name}`, node })),
);
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

function exampleOf(number: number): Example {
	const found = examples.find(({ file }) => parseInt(file, 10) === number);
	if (!found) throw new Error(`There is no example ${number}`);
	return found;
}

function nodeOf(number: number, name: string): INode {
	const found = exampleOf(number).nodes.find((node) => node.name === name);
	if (!found) throw new Error(`Example ${number} has no node ${name}`);
	return found;
}

/** A value of a node's parameters, with each expression evaluated by n8n. */
function evaluate(value: unknown, data: object): unknown {
	const expression = new Expression('UTC');
	return JSON.parse(JSON.stringify(value), (_key: string, inner: unknown) =>
		typeof inner === 'string' && inner.startsWith('=')
			? expression.resolveSimpleParameterValue(inner, data as IWorkflowDataProxyData)
			: inner,
	);
}

/** Whether an IF node sends an item on by its first output. */
function isTrue({ parameters }: INode, data: object): boolean {
	return executeFilter(evaluate(parameters.conditions, data) as FilterValue);
}

/** An event of a failed payment or refund, as the trigger and Get Many return it. */
function failedEvent(record: 'transaction' | 'refund', fields: object) {
	const payload = JSON.stringify({ [record]: { id: 'txn_1', currency: 'USD', ...fields } });
	const row = { eventID: record, date: '2026-03-01T12:00:00Z', type: 'payment_failed', payload };
	return eventOutput(row, true, createMask([]));
}

/** The text that a node sends when this payer's payment has failed. */
function alertOf({ parameters }: INode, customer_name: string, customer_email: string): string {
	const payment = { amount: 3300, status: 'DECLINED', referenceID: 'INV-9003' };
	const event = failedEvent('transaction', { ...payment, customer_name, customer_email });
	// The event itself, what Get Status returns of it, and the event as an earlier node's item.
	const data = { $json: { ...event, events: [event] }, $: () => ({ item: { json: event } }) };
	const sent = evaluate(parameters.jsonBody ?? parameters.text, data);
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
	['notFound', null, 0, 'Open', ''],
	['pending', null, 0, 'Pending', ''],
	['failed', false, 0, 'Open, the last payment failed', ''],
	['returned', false, 1, 'Returned by the bank', ''],
	['succeeded', true, 1, 'Paid', '$60.00'],
	['succeeded', false, 1, 'Another amount', '$60.00'],
	['succeeded', true, 2, 'Paid twice', '$60.00'],
	['succeeded', null, 1, 'Paid, but the amount is not known', '$60.00'],
])(
	'workflow 11 labels an invoice of outcome %s, matches %s, %d payments: %s, and shows as paid: "%s"',
	(outcome, matches, payments, result, paid) => {
		const $json = { outcome, matches, payments, amountFormatted: '$60.00' };
		const $ = () => ({ item: { json: { reference: 'INV-9', amount: '60.00' } } });
		const { assignments } = Object(evaluate(nodeOf(11, 'Result').parameters, { $json, $ }));
		expect(assignments.assignments).toEqual(
			expect.arrayContaining([
				expect.objectContaining({ name: 'result', value: result }),
				expect.objectContaining({ name: 'paid', value: paid }),
			]),
		);
	},
);

test('workflow 6 asks nobody to pay for a refund that failed', () => {
	const items = (['refund', 'transaction'] as const).map((record) => ({
		json: failedEvent(record, { amount: 5000, referenceID: 'INV-7' }),
	}));
	const goOn = items.filter(({ json }, $itemIndex) =>
		isTrue(nodeOf(6, 'One per Reference'), {
			...{ $json: json, $itemIndex },
			$input: { all: () => items },
		}),
	);
	expect(goOn.map(({ json }) => json.summary)).toEqual([
		'Payment of $50.00 failed (reference INV-7)',
	]);
});

test.each([
	[6, 'New Paylink'],
	[9, 'Create Paylink'],
])(
	'the link of workflow %d takes cards only, since it cannot wait for a bank payment',
	(number, name) => {
		expect(nodeOf(number, name).parameters.linkOptions).toMatchObject({ disableAch: true });
	},
);

test.each(['New Paylink', 'Email the Link', 'Email a Reminder', 'Email a Last Reminder'])(
	'workflow 6 goes on with the other customers if %s fails for one, and the team asks this one',
	(name) => {
		expect(nodeOf(6, name).onError).toBe('continueErrorOutput');
		const [, failed] = exampleOf(6).connections[name]?.main ?? [];
		expect(failed).toEqual([{ node: 'Ask by Hand', type: 'main', index: 0 }]);
	},
);

test('workflow 9 looks for the payment until five minutes after the link expires', () => {
	const $ = () => ({ item: { json: { until: '2026-03-01T12:00:00.000Z' } } });
	const { maxDateAndTime } = nodeOf(9, 'Wait for the Browser').parameters;
	const lastLook = new Date(String(evaluate(maxDateAndTime, { $ })));
	expect(lastLook).toEqual(new Date('2026-03-01T12:05:00.000Z'));
	const isTimeUp = (now: string) => isTrue(nodeOf(9, 'Time Is Up?'), { $now: new Date(now), $ });
	expect(isTimeUp('2026-03-01T12:04:59.000Z')).toBe(false);
	expect(isTimeUp('2026-03-01T12:05:00.000Z')).toBe(true);
});

test('workflow 2 asks HubSpot for every property that it reads, since by default no email comes', () => {
	const columns = JSON.stringify(nodeOf(2, 'Columns').parameters);
	const read = [...columns.matchAll(/\$json\.properties\.(\w+)/g)].map(([, name]) => name);
	const { additionalFields } = nodeOf(2, 'HubSpot Contacts').parameters;
	expect(additionalFields).toEqual({
		propertiesCollection: { propertiesValues: { properties: read, propertyMode: 'valueOnly' } },
	});
});

test.each([
	[5, ['A Cart to Try']],
	[11, ['Invoices', 'One Item per Invoice']],
])('workflow %d works without the nodes that its note replaces: %j', (number, replaced) => {
	const { nodes } = exampleOf(number);
	const note = nodes.find(({ name }) => name === 'Note about')?.parameters.content;
	const others = JSON.stringify(nodes.filter(({ name }) => !replaced.includes(name)));
	for (const name of replaced) {
		expect(note).toContain(`*${name}*`);
		expect(others).not.toContain(`$('${name}')`);
	}
});
