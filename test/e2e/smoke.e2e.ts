import { registry } from '../../nodes/PaymentsGateway/resources';
import { nodeCredentials } from '../sandbox';
import {
	chain,
	CREDENTIAL,
	eventReporter,
	filledOperations,
	gateway,
	start,
	workflowOf,
} from './gatewayWorkflows';
import { itemsOf } from './n8nApi';
import { say, Testbed, use } from './testbed';
import { until } from './until';

/** The least that must work in any version of n8n: without a browser, and in a minute. */

const testbed = use(new Testbed());

beforeAll(() => say(`n8n ${testbed.n8n.version}`));

test("the credential's test tells right from wrong", async () => {
	const { api, sandbox, credential } = testbed;
	const right = nodeCredentials(sandbox);
	const verdict = async (data: object) => {
		// n8n 1 asks for a stored credential's ID.
		const credentials = { id: credential, name: 'test', type: CREDENTIAL, data };
		return await api.send('POST', 'credentials/test', { credentials });
	};
	expect(await verdict(right)).toMatchObject({ status: 'OK' });
	expect(await verdict({ ...right, privateToken: 'wrong' })).toMatchObject({ status: 'Error' });
});

test('every operation runs in one workflow', async () => {
	const { api, sandbox, credential } = testbed;
	const nodes = filledOperations(sandbox).map(({ name, parameters }) => ({
		...gateway(name, parameters, credential),
		executeOnce: true,
	}));
	const names = nodes.map(({ name }) => name);
	const all = Object.entries(registry).flatMap(([resource, { operations }]) =>
		Object.keys(operations).map((operation) => `${resource} ${operation}`),
	);
	expect([...names].sort()).toEqual(all.sort());

	const charged = sandbox.charges.length;
	const id = await api.addWorkflow(chain('Everything', [start(), ...nodes]));
	const execution = await api.execute(id);
	expect(execution).toMatchObject({ status: 'success' });
	expect(names.filter((name) => itemsOf(execution, name).length === 0)).toEqual([]);
	expect(sandbox.charges).toHaveLength(charged + 1);
});

test("an error shows the gateway's words", async () => {
	const { api, credential } = testbed;
	const customerId = { __rl: true, mode: 'id', value: 'cus_nobody' };
	const parameters = { resource: 'customer', operation: 'get', customerId };
	const id = await api.addWorkflow(workflowOf('Failing', parameters, credential));
	const { status, error } = await api.execute(id);
	expect(status).toBe('error');
	expect(error?.message).toMatch(/cus_nobody.*not found/i);
});

test('the trigger fires once for a payment', async () => {
	const { api, inbox, credential } = testbed;
	const id = await api.addWorkflow(eventReporter(credential, inbox.url));
	await testbed.activateAndPoll(id);
	const event = testbed.pay();
	await until('the event', () => inbox.alerts.length > 0);
	// Two more polls would show what fires twice.
	await testbed.polled(2);
	expect(inbox.alerts).toEqual([event]);
	await api.deactivate(id);
});
