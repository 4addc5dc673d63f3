import {
	addCredential,
	CREDENTIAL,
	credentialData,
	NODE,
	operations,
	TRIGGER,
	workflowOf,
} from './scene';
import type { StoredWorkflow } from './session';
import { itemsOf } from './session';
import type { Stage } from './stage';
import { setStage, until } from './stage';
import { watcher } from './watcher';

/** The least that must work in any version of n8n: without a browser, and in a minute. */

let stage: Stage;
let credential: string;

beforeAll(async () => {
	stage = await setStage();
	credential = await addCredential(stage.session, stage.sandbox);
	process.stderr.write(`n8n ${stage.n8n.version}\n`);
});

afterAll(async () => await stage?.close());

test('n8n offers both nodes', async () => {
	const offered = (await stage.session.nodeTypes()).map(({ name }) => name);
	expect(offered).toEqual(expect.arrayContaining([NODE, TRIGGER]));
});

test("the credential's test tells right from wrong", async () => {
	const { session, sandbox } = stage;
	const data = credentialData(sandbox);
	expect(await session.testCredential(CREDENTIAL, data, credential)).toMatchObject({
		status: 'OK',
	});
	const wrong = { ...data, privateToken: 'wrong' };
	expect(await session.testCredential(CREDENTIAL, wrong, credential)).toMatchObject({
		status: 'Error',
	});
});

/** Every operation, one behind the other. */
function everything(): StoredWorkflow & { names: string[] } {
	const start: StoredWorkflow = workflowOf('Everything', {}, credential);
	const nodes = start.nodes.slice(0, 1);
	const connections: StoredWorkflow['connections'] = {};
	const names: string[] = [];
	for (const { resource, operation, parameters } of operations(stage.sandbox)) {
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
	const { session, sandbox } = stage;
	const { names, ...workflow } = everything();
	const charged = sandbox.charges.length;
	const { id } = await session.addWorkflow(workflow);
	const execution = await session.execute(id);
	expect(execution).toMatchObject({ status: 'success' });
	expect(names.filter((name) => itemsOf(execution, name).length === 0)).toEqual([]);
	expect(sandbox.charges).toHaveLength(charged + 1);
});

test("an error shows the service's words", async () => {
	const { session } = stage;
	const customerId = { __rl: true, mode: 'id', value: 'cus_nobody' };
	const parameters = { resource: 'customer', operation: 'get', customerId };
	const { id } = await session.addWorkflow(workflowOf('Failing', parameters, credential));
	const execution = await session.execute(id);
	expect(execution.status).toBe('error');
	expect(execution.error?.message).toMatch(/cus_nobody.*not found/i);
});

test('the trigger fires once for a payment', async () => {
	const { session, sandbox, inbox } = stage;
	const polls = () => sandbox.requestsTo('webhookEvents').length;
	const polled = async () => {
		const before = polls();
		await until('a poll', () => polls() > before);
	};
	const { id } = await session.addWorkflow(watcher(credential, inbox.url));
	const before = polls();
	await session.activate(id);
	await until('the first poll', () => polls() > before);
	const link = sandbox.addPaylink({ referenceID: 'SMOKE-1', pricing: { amount: 1999 } });
	const { eventID } = sandbox.pay(link.payLinkID);
	await until('the event', () => inbox.alerts.length > 0);
	// Two more polls would show what fires twice.
	await polled();
	await polled();
	expect(inbox.alerts).toEqual([eventID]);
	await session.deactivate(id);
});
