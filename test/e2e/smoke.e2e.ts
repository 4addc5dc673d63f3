import { registry } from '../../nodes/PaymentsGateway/resources';
import { nodeCredentials } from '../sandbox';
import {
	chain,
	CREDENTIAL,
	filledOperations,
	gatewayNode,
	start,
	workflowWithNode,
} from './gatewayWorkflows';
import { itemsOf } from './n8nApi';
import { startForTests, Testbed } from './testbed';

/** The least that must work in any version of n8n: without a browser, and in a minute. */

const testbed = startForTests(new Testbed());

test('the credential test accepts a valid token and rejects a wrong one', async () => {
	const { api, sandbox, credentialId } = testbed;
	const valid = nodeCredentials(sandbox);
	const verdict = async (data: object) => {
		// n8n 1 asks for a stored credential's ID.
		const credentials = { id: credentialId, name: 'test', type: CREDENTIAL, data };
		return await api.send('POST', 'credentials/test', { credentials });
	};
	expect(await verdict(valid)).toMatchObject({ status: 'OK' });
	expect(await verdict({ ...valid, privateToken: 'wrong' })).toMatchObject({ status: 'Error' });
});

test('every operation runs in one workflow', async () => {
	const { api, sandbox, credentialId } = testbed;
	const nodes = filledOperations(sandbox).map(({ name, parameters }) => ({
		...gatewayNode(name, parameters, credentialId),
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

test("a failed request shows the gateway's message", async () => {
	const { api, credentialId } = testbed;
	const customerId = { __rl: true, mode: 'id', value: 'cus_nobody' };
	const parameters = { resource: 'customer', operation: 'get', customerId };
	const id = await api.addWorkflow(workflowWithNode('Failing', parameters, credentialId));
	const { status, error } = await api.execute(id);
	expect(status).toBe('error');
	expect(error?.message).toMatch(/cus_nobody.*not found/i);
});

test('the trigger fires once for a payment', async () => {
	const id = await testbed.addEventReporter();
	await testbed.activateAndPoll(id);
	await testbed.expectFiredOnce(id, [testbed.pay().eventID]);
});
