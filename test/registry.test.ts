import type { INodeParameters, INodeType, INodeTypes } from 'n8n-workflow';
import { NodeHelpers, Workflow } from 'n8n-workflow';

import { PaymentsGatewayApi } from '../credentials/PaymentsGatewayApi.credentials';
import { PaymentsGateway } from '../nodes/PaymentsGateway/PaymentsGateway.node';
import { PaymentsGatewayTrigger } from '../nodes/PaymentsGateway/PaymentsGatewayTrigger.node';
import { registry } from '../nodes/PaymentsGateway/resources';
import { read } from './files';
import { allFieldsOf, operations } from './operations';

/**
 * Checks the action node's form, the credential's form, the expressions in both nodes and both codex
 * files for what n8n, agents and users need.
 */

test('has the six resources and fifteen operations that the package promises', () => {
	expect(operations.map(({ title }) => title).sort()).toEqual([
		...['cart.calculate', 'customer.create', 'customer.delete', 'customer.get', 'customer.getAll'],
		...['customer.update', 'customer.upsert', 'event.getAll', 'paylink.create', 'payment.charge'],
		...['payment.getStatus', 'paymentMethod.add', 'paymentMethod.delete', 'paymentMethod.getAll'],
		'paymentMethod.setDefault',
	]);
});

test('both nodes ask for the credential, and an agent can use the action node as a tool', () => {
	const credentials = [{ name: 'paymentsGatewayApi', required: true }];
	expect(new PaymentsGateway().description).toMatchObject({ credentials, usableAsTool: true });
	expect(new PaymentsGatewayTrigger().description).toMatchObject({ credentials });
});

test('the actions of charge and delete say what they do, and no two actions are the same', () => {
	expect(registry.payment.operations.charge.action).toBe('Charge customer');
	expect(registry.customer.operations.delete.action).toBe('Delete customer and payment methods');
	const actions = operations.map(({ operation }) => operation.action);
	expect(new Set(actions).size).toBe(actions.length);
});

/** The subtitle and the outputs that n8n's editor draws for a node with these parameters. */
function drawn(nodeType: INodeType, parameters: INodeParameters) {
	const nodeTypes = { getByNameAndVersion: () => nodeType } as Partial<INodeTypes> as INodeTypes;
	const position: [number, number] = [0, 0];
	const node = { id: '1', name: 'Node', type: 'x.y', typeVersion: 1, position, parameters };
	const workflow = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
	const { description } = nodeType;
	const { subtitle } = description;
	return {
		subtitle: workflow.expression.getSimpleParameterValue(node, subtitle, 'internal', {}),
		outputs: NodeHelpers.getNodeOutputs(workflow, node, description),
	};
}

test.each(operations)('the subtitle of $title is its action', ({ resource, name, operation }) => {
	const { subtitle } = drawn(new PaymentsGateway(), { resource, operation: name });
	expect(subtitle).toBe(operation.action);
});

const labelled = (...labels: string[]) =>
	labels.map((displayName) => ({ type: 'main', displayName }));

test.each<[string, string, unknown[]]>([
	// A single event has the plain output.
	['payment_failed', 'on failure', ['main']],
	['* payment_failed', 'on any event, failure', labelled('Failed', 'Any Other')],
	[
		'* payment_refund payment_failed payment_success',
		'on any event, refund, failure, success',
		labelled('Succeeded', 'Failed', 'Refunded', 'Any Other'),
	],
])(
	'the trigger shows its events in the subtitle, and has their outputs: %s',
	(types, subtitle, each) => {
		const events = types.split(' ');
		const [combined, perEvent] = ['combined', 'perEvent'].map((outputMode) =>
			drawn(new PaymentsGatewayTrigger(), { events, outputMode }),
		);
		expect(combined).toEqual({ subtitle, outputs: ['main'] });
		expect(perEvent).toEqual({ subtitle, outputs: each });
	},
);

describe.each(operations)('$title', ({ operation }) => {
	const fields = allFieldsOf(operation.fields);

	test('gives every field a label of its own, which an agent gets as the name of an argument', () => {
		const labels = fields.map(({ displayName }) => displayName);
		// As n8n makes the name of an argument from a label.
		const names = labels.map((label) => label.replace(/[^a-zA-Z0-9_-]/g, '_'));
		expect(names.filter((each, index) => names.indexOf(each) !== index)).toEqual([]);
	});

	test('names the unit of each number in its label; none is in dollars, which are text', () => {
		const plain = /^(limit|quantity|recurring(TotalCycles|Interval|Frequency))$/;
		for (const { type, name, displayName } of fields) {
			if (type !== 'number' || plain.test(name)) continue;
			expect(displayName).toMatch(/Cents|Percent|Days|Seconds/);
		}
	});

	test('masks card and bank details with password fields', () => {
		const secret = /^(cardToken|cvc|cvv|accountNumber|routingNumber)$/;
		for (const { name, typeOptions } of fields) {
			if (secret.test(name)) expect([name, typeOptions?.password]).toEqual([name, true]);
		}
	});
});

test('the credential is for production by default, and a notice says what is tested', () => {
	const { properties } = new PaymentsGatewayApi();
	const fieldNamed = (name: string) => properties.find((field) => field.name === name);
	expect(fieldNamed('environment')?.default).toBe('production');
	expect(fieldNamed('testNotice')).toMatchObject({
		type: 'notice',
		displayName: expect.stringMatching(/tests 'Group ID' and 'Private Token'.*first used/),
	});
});

test('the default operation of each resource only reads, if there is one that does', () => {
	const chosen = Object.entries(registry).map(([name, { defaultOperation }]) => [
		name,
		defaultOperation,
	]);
	const reads = { customer: 'getAll', paymentMethod: 'getAll', event: 'getAll' };
	const all = { ...reads, payment: 'getStatus', cart: 'calculate', paylink: 'create' };
	expect(Object.fromEntries(chosen)).toEqual(all);
});

const codex = ['PaymentsGateway', 'PaymentsGatewayTrigger'].map((node) =>
	read(`nodes/PaymentsGateway/${node}.node.json`),
);

test('codex files name the nodes as n8n does', () => {
	const names = codex.map((text) => (JSON.parse(text) as { node: string }).node);
	expect(names).toEqual([
		'n8n-nodes-payments-gateway.paymentsGateway',
		'n8n-nodes-payments-gateway.paymentsGatewayTrigger',
	]);
});

/** n8n shows these links as "Docs" beside a node and its credential. */
test('every documentation link of the nodes and the credential leads to a section of the README', () => {
	const { homepage }: { homepage: string } = JSON.parse(read('package.json'));
	const [page = ''] = homepage.split('#');
	const titles = [...read('README.md').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title);
	// As GitHub makes them.
	const anchors = titles.map((title) =>
		title
			.toLowerCase()
			.replace(/[^\w\s-]/g, '')
			.replace(/\s/g, '-'),
	);
	const sources = [...codex, read('credentials/PaymentsGatewayApi.credentials.ts')].join('\n');
	const links = [...sources.matchAll(/https:\/\/github\.com[^'"]*/g)].map(([link]) => link);
	expect(links).toHaveLength(5);
	const known = ['readme', ...anchors].map((anchor) => `${page}#${anchor}`);
	for (const link of links) expect(known).toContain(link);
});
