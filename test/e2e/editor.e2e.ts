import { registry } from '../../nodes/PaymentsGateway/resources';
import type { Editor } from './editor';
import type { NodeParameters } from './gatewayWorkflows';
import { filledOperations, NAME, workflowWithNode, workflowWithTrigger } from './gatewayWorkflows';
import type { StoredWorkflow } from './n8nApi';
import { startForTests, Testbed } from './testbed';

/** The nodes in n8n's editor: how they are found, filled in and run, and what they show. */

const testbed = startForTests(new Testbed());
let editor: Editor;

beforeAll(async () => {
	editor = await testbed.editor();
});

async function openNew(workflow: StoredWorkflow): Promise<void> {
	await editor.openWorkflow(await testbed.api.addWorkflow(workflow));
}

/** Opens a node, which must have no issues on the canvas. */
async function openForm(name: string, parameters: NodeParameters): Promise<void> {
	await openNew(workflowWithNode(name, parameters, testbed.credentialId));
	const isMarked = await editor.hasIssues(NAME);
	await editor.openNode(NAME);
	expect([name, isMarked]).toEqual([name, false]);
}

/** Runs the open node, which must not fail. Returns the text of its output. */
async function output(): Promise<string> {
	await editor.execute();
	expect(await editor.error()).toBe('');
	return await editor.output();
}

test('the package is found by common words, and lists its icon, actions and trigger events', async () => {
	await editor.openWorkflow();
	for (const query of ['refund', 'invoice link']) {
		expect(await editor.findNodes(query)).toContain(NAME);
	}
	expect(await editor.findNodes('zebra')).not.toContain(NAME); // an unrelated word
	expect(await editor.findNodes('payments')).toEqual([NAME]);
	const icon = '/icons/n8n-nodes-payments-gateway/dist/icons/paymentsGateway.svg';
	expect(new Set(await editor.icons())).toEqual(new Set([editor.url + icon]));
	await editor.choose(NAME);
	const events = ['any event', 'payment failed', 'payment refunded', 'payment succeeded'];
	const actions = Object.values(registry).flatMap(({ operations }) =>
		Object.values(operations).map(({ action }) => action),
	);
	expect(await editor.actions()).toEqual(
		[...events.map((each) => `On ${each}`), ...actions].sort(),
	);
});

test('every operation opens without issues, runs and shows its items', async () => {
	for (const { name, parameters } of filledOperations(testbed.sandbox)) {
		await openForm(name, parameters);
		expect([name, await output()]).toEqual([name, expect.stringMatching(/\d+ items?/)]);
	}
});

test('the trigger shows the newest event', async () => {
	const { eventID } = testbed.sandbox.addEvent({ referenceID: 'INV-9201' });
	await openNew(workflowWithTrigger(testbed.credentialId, {}));
	await editor.openNode('Trigger');
	const shown = await output();
	for (const text of [/1 item\b/, eventID, 'INV-9201']) expect(shown).toMatch(text);
});

test('the trigger has a named output for each event', async () => {
	const events = ['payment_refund', 'payment_success', 'payment_failed'];
	await openNew(workflowWithTrigger(testbed.credentialId, { events, outputMode: 'perEvent' }));
	for (const label of ['Succeeded', 'Failed', 'Refunded']) {
		await editor.node('Trigger').getByText(label, { exact: true }).waitFor();
	}
});

test('the customer and payment method pickers list and search', async () => {
	const parameters = { resource: 'paymentMethod', operation: 'setDefault' };
	// Not `openForm`: n8n marks the empty pickers as issues.
	await openNew(workflowWithNode('Pickers', parameters, testbed.credentialId));
	await editor.openNode(NAME);
	expect((await editor.searchPicker('customerId')).length).toBeGreaterThan(5);
	const found = await editor.searchPicker('customerId', { query: 'amara', picked: 'Amara' });
	expect(found).toEqual([expect.stringMatching(/Amara Okafor/)]);
	const methods = await editor.searchPicker('paymentMethodId');
	expect(methods).toEqual(expect.arrayContaining([expect.stringMatching(/4242/)]));
});

test('an invalid amount stays as typed and is refused; a valid one is sent in cents', async () => {
	const links = () =>
		testbed.sandbox.requestsTo('createCheckoutData').map(({ body }) => body.data.form);
	await openForm('Money', { amount: '25' });
	const before = links().length;
	const refused = {
		'19,99': 'cannot be 19,99; use a point: 19.99',
		'19.999': 'cannot be 19.999; use two decimals at most',
		'1.999,00': 'cannot be 1.999,00; use a point: 1999.00',
		'2.500': 'cannot be 2.500; type 2500 or 2.50',
		'1e3': 'takes dollars, such as 19.99, not 1e3',
	};
	for (const [text, refusal] of Object.entries(refused)) {
		await editor.type('amount', text);
		expect(await editor.input('amount').inputValue()).toBe(text);
		await editor.execute();
		const error = await editor.error();
		expect(error).toContain(`'Amount (Dollars)' ${refusal}`);
		expect(error).toContain('Nothing was changed or charged');
	}
	expect(links()).toHaveLength(before);
	await editor.type('amount', '$1,999.00');
	expect(await output()).toContain('$1,999.00');
	expect(links().at(-1)?.pricing).toMatchObject({ amount: 199_900 });
});

test('a credential is saved from its form, and a failed test says what to check', async () => {
	const { url, credentials } = testbed.sandbox;
	// As on a new n8n without credentials. This must be the last test: the others need this
	// credential.
	await testbed.api.send('DELETE', `credentials/${testbed.credentialId}`);
	await editor.openWorkflow();
	await editor.findNodes('payments');
	await editor.choose(NAME);
	await editor.actions();
	await editor.choose('Create paylink');
	await editor.openCredential();
	// The default, Production, refuses a URL with http.
	await editor.select('environment', 'Sandbox');
	await editor.type('baseUrl', url);
	await editor.type('groupId', credentials.groupID);
	await editor.type('headerToken', credentials.headerToken);
	await editor.type('privateToken', credentials.privateToken);
	await editor.saveNewCredential();
	await editor.type('amount', '25');
	expect(await output()).toContain('$25.00');

	await editor.openCredential();
	await editor.type('privateToken', 'wrong');
	const verdict = "refused the token: check 'Group ID' and 'Private Token'";
	expect(await editor.saveCredential()).toContain(verdict);
});
