import { nodeCredentials } from '../sandbox';
import {
	addCredential,
	CREDENTIAL,
	NODE,
	filledOperations,
	TRIGGER,
	workflowOf,
} from './gatewayWorkflows';
import type { StoredWorkflow } from './n8nApi';
import { itemsOf } from './n8nApi';
import type { Testbed } from './testbed';
import { startTestbed, until } from './testbed';
import { eventReporter } from './eventReporter';

/** The least that must work in any version of n8n: without a browser, and in a minute. */

let testbed: Testbed;
let credential: string;

beforeAll(async () => {
	testbed = await startTestbed();
	credential = await addCredential(testbed.api, testbed.sandbox);
	process.stderr.write(`n8n ${testbed.n8n.version}\n`);
});

afterAll(async () => await testbed?.close());

test('n8n offers both nodes', async () => {
	const offered = (await testbed.api.nodeTypes()).map(({ name }) => name);
	expect(offered).toEqual(expect.arrayContaining([NODE, TRIGGER]));
});

test("the credential's test tells right from wrong", async () => {
	const { api, sandbox } = testbed;
	const data = nodeCredentials(sandbox);
	expect(await api.testCredential(CREDENTIAL, data, credential)).toMatchObject({
		status: 'OK',
	});
	const wrong = { ...data, privateToken: 'wrong' };
	expect(await api.testCredential(CREDENTIAL, wrong, credential)).toMatchObject({
		status: 'Error',
	});
});

/** Every operation, one behind the other. */
function everything(): StoredWorkflow & { names: string[] } {
	const start: StoredWorkflow = workflowOf('Everything', {}, credential);
	const nodes = start.nodes.slice(0, 1);
	const connections: StoredWorkflow['connections'] = {};
	const names: string[] = [];
	for (const { resource, operation, parameters } of filledOperations(testbed.sandbox)) {
		const name = `${resource} ${operation}`;
		connections[names.at(-1) ?? 'Start'] = { main: [[{ node: name, type: 'main', index: 0 }]] };
		names.push(name);
		nodes.push({
			name,
			type: NODE,
			typeVersion: 1,
			position: [240 * names.length, 0],
			parameters: { resource, operation, ...parameters },
			credentials: { [CREDENTIAL]: { id: credential, name: 'Sandbox' } },
			executeOnce: true,
		});
	}
	return { name: 'Everything', nodes, connections, names };
}

test('every operation runs in one workflow', async () => {
	const { api, sandbox } = testbed;
	const { names, ...workflow } = everything();
	const charged = sandbox.charges.length;
	const { id } = await api.addWorkflow(workflow);
	const execution = await api.execute(id);
	expect(execution).toMatchObject({ status: 'success' });
	expect(names.filter((name) => itemsOf(execution, name).length === 0)).toEqual([]);
	expect(sandbox.charges).toHaveLength(charged + 1);
});

test("an error shows the service's words", async () => {
	const { api } = testbed;
	const customerId = { __rl: true, mode: 'id', value: 'cus_nobody' };
	const parameters = { resource: 'customer', operation: 'get', customerId };
	const { id } = await api.addWorkflow(workflowOf('Failing', parameters, credential));
	const execution = await api.execute(id);
	expect(execution.status).toBe('error');
	expect(execution.error?.message).toMatch(/cus_nobody.*not found/i);
});

test('the trigger fires once for a payment', async () => {
	const { api, sandbox, inbox } = testbed;
	const polls = () => sandbox.requestsTo('webhookEvents').length;
	const polled = async () => {
		const before = polls();
		await until('a poll', () => polls() > before);
	};
	const { id } = await api.addWorkflow(eventReporter(credential, inbox.url));
	const before = polls();
	await api.activate(id);
	await until('the first poll', () => polls() > before);
	const link = sandbox.addPaylink({ referenceID: 'SMOKE-1', pricing: { amount: 1999 } });
	const { eventID } = sandbox.pay(link.payLinkID);
	await until('the event', () => inbox.alerts.length > 0);
	// Two more polls would show what fires twice.
	await polled();
	await polled();
	expect(inbox.alerts).toEqual([eventID]);
	await api.deactivate(id);
});
