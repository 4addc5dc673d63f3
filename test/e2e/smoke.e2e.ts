import { registry } from '../../nodes/PaymentsGateway/resources';
import { nodeCredentials } from '../sandbox';
import {
	chain,
	CREDENTIAL,
	eventReporter,
	filledOperations,
	gateway,
	NODE,
	start,
	TRIGGER,
	workflowOf,
} from './gatewayWorkflows';
import { itemsOf } from './n8nApi';
import type { Testbed } from './testbed';
import { say, startTestbed, until } from './testbed';

/** The least that must work in any version of n8n: without a browser, and in a minute. */

let testbed: Testbed;
let credential: string;

beforeAll(async () => {
	testbed = await startTestbed();
	credential = await testbed.credential();
	say(`n8n ${testbed.n8n.version}`);
});

afterAll(async () => await testbed?.close());

test('n8n offers both nodes', async () => {
	const offered = (await testbed.api.nodeTypes()).map(({ name }) => name);
	expect(offered).toEqual(expect.arrayContaining([NODE, TRIGGER]));
});

test("the credential's test tells right from wrong", async () => {
	const { api, sandbox } = testbed;
	const right = nodeCredentials(sandbox);
	const wrong = { ...right, privateToken: 'wrong' };
	const verdict = async (data: object) =>
		(await api.testCredential(CREDENTIAL, data, credential)).status;
	expect([await verdict(right), await verdict(wrong)]).toEqual(['OK', 'Error']);
});

test('every operation runs in one workflow', async () => {
	const { api, sandbox } = testbed;
	const nodes = filledOperations(sandbox).map(({ resource, operation, parameters }) => ({
		...gateway(`${resource} ${operation}`, { resource, operation, ...parameters }, credential),
		executeOnce: true,
	}));
	const names = nodes.map(({ name }) => name);
	const all = Object.entries(registry).flatMap(([resource, { operations }]) =>
		Object.keys(operations).map((operation) => `${resource} ${operation}`),
	);
	expect([...names].sort()).toEqual(all.sort());

	const charged = sandbox.charges.length;
	const { id } = await api.addWorkflow(chain('Everything', [start(), ...nodes]));
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
	const { status, error } = await api.execute(id);
	expect(status).toBe('error');
	expect(error?.message).toMatch(/cus_nobody.*not found/i);
});

test('the trigger fires once for a payment', async () => {
	const { api, inbox } = testbed;
	const { id } = await api.addWorkflow(eventReporter(credential, inbox.url));
	const polling = testbed.polled();
	await api.activate(id);
	await polling;
	const event = testbed.pay();
	await until('the event', () => inbox.alerts.length > 0);
	// Two more polls would show what fires twice.
	await testbed.polled();
	await testbed.polled();
	expect(inbox.alerts).toEqual([event]);
	await api.deactivate(id);
});
