import { registry } from '../../nodes/PaymentsGateway/resources';
import type { Editor } from './editor';
import type { Parameters } from './gatewayWorkflows';
import { addCredential, filledOperations, triggerOf, workflowOf } from './gatewayWorkflows';
import type { Testbed } from './testbed';
import { startTestbed } from './testbed';

const NAME = 'Payments Gateway';

let testbed: Testbed;
let editor: Editor;
let credential: string;

beforeAll(async () => {
	testbed = await startTestbed();
	editor = await testbed.editor();
});

afterAll(async () => await testbed?.close());

async function openForm(name: string, parameters: Parameters): Promise<void> {
	const { id } = await testbed.api.addWorkflow(workflowOf(name, parameters, credential));
	await editor.openWorkflow(id);
	await editor.openNode(NAME);
}

const ACTIONS = Object.values(registry).flatMap(({ operations: all }) =>
	Object.values(all).map(({ action }) => action),
);

test('both nodes are found in the panel, with their icon, each action and each event', async () => {
	await editor.newWorkflow();
	expect(await editor.findNodes('payments')).toEqual([NAME]);
	expect(new Set(await editor.icons())).toEqual(
		new Set([`${editor.url}/icons/n8n-nodes-payments-gateway/dist/icons/paymentsGateway.svg`]),
	);
	await editor.choose(NAME);
	expect(await editor.actions()).toEqual(
		[
			'On any event',
			'On payment failed',
			'On payment refunded',
			'On payment succeeded',
			...ACTIONS,
		].sort(),
	);
});

test('a credential is saved from its form; its test says yes, and what to look at if not', async () => {
	const { url, credentials } = testbed.sandbox;
	await editor.newWorkflow();
	await editor.findNodes('payments');
	await editor.choose(NAME);
	await editor.actions();
	await editor.choose('Create a paylink');
	await editor.newCredential();
	await editor.set('baseUrl', url);
	await editor.set('groupId', credentials.groupID);
	await editor.set('headerToken', credentials.headerToken);
	await editor.set('privateToken', credentials.privateToken);
	// A new one that works closes by itself.
	await editor.saveNewCredential();
	await editor.set('amount', '25');
	await editor.execute();
	expect(await editor.output()).toContain('$25.00');

	await editor.openCredential();
	expect(await editor.credentialVerdict()).toContain('Connection tested successfully');
	await editor.set('privateToken', 'not-the-token');
	expect(await editor.saveCredential()).toContain(
		'The service refused the token: check the Group ID and the Private Token',
	);
	// Without a private token it is the header token that is tested.
	await editor.set('privateToken', '');
	expect(await editor.saveCredential()).toContain('Connection tested successfully');
	await editor.set('headerToken', 'not-the-token');
	expect(await editor.saveCredential()).toContain('or the Header Token');
	await editor.set('headerToken', credentials.headerToken);
	await editor.set('privateToken', credentials.privateToken);
	expect(await editor.saveCredential()).toContain('Connection tested successfully');
});

describe('executed from the editor', () => {
	/** What a person looks for in the output. */
	const expected: Record<string, RegExp> = {
		'customer create': /cus_\w+\s+pm_\w+/,
		'customer get': /amara\.okafor@example\.com/,
		'customer getAll': /5 items/,
		'customer update': /cus_1001/,
		'customer upsert': /updated/,
		'customer delete': /true/,
		'paymentMethod add': /cus_1001\s+pm_\w+/,
		'paymentMethod getAll': /3 items/,
		'paymentMethod setDefault': /true|cus_1001/,
		'paymentMethod delete': /true/,
		'cart calculate': /3250/,
		'payment commit': /CAPTURED/,
		'payment getStatus': /succeeded/,
		'paylink create': /\$25\.00/,
		'webhookEvent getAll': /5 items/,
	};

	beforeAll(async () => {
		credential = await addCredential(testbed.api, testbed.sandbox);
	});

	test('is every operation there is', () => {
		const all = Object.entries(registry).flatMap(([resource, { operations: own }]) =>
			Object.keys(own).map((operation) => `${resource} ${operation}`),
		);
		expect(Object.keys(expected).sort()).toEqual(all.sort());
	});

	// In their own order: a payment has a status once it is made.
	test.each(Object.entries(expected))('%s brings what it should', async (name, words) => {
		const filled = filledOperations(testbed.sandbox).find(
			({ resource, operation }) => `${resource} ${operation}` === name,
		);
		if (filled === undefined) throw new Error(`No parameters are known for ${name}`);
		const { resource, operation, parameters } = filled;
		await openForm(name, { resource, operation, ...parameters });
		await editor.execute();
		expect(await editor.error()).toBeUndefined();
		const output = await editor.output();
		expect(output).toMatch(/\d+ items?/);
		expect(output).toMatch(words);
	});

	test('the trigger shows the newest event', async () => {
		const { id } = await testbed.api.addWorkflow(triggerOf(credential));
		const { eventID } = testbed.sandbox.addEvent({ referenceID: 'INV-9201' });
		await editor.openWorkflow(id);
		await editor.openNode('Trigger');
		await editor.execute();
		const output = await editor.output();
		expect(output).toMatch(/1 item/);
		expect(output).toContain(eventID);
		expect(output).toContain('INV-9201');
	});
});

test('the pickers list and search, and say what they need', async () => {
	await openForm('Pickers', { resource: 'paymentMethod', operation: 'setDefault' });
	expect((await editor.list('customerId')).length).toBeGreaterThan(5);
	const [found, ...others] = await editor.list('customerId', 'amara');
	expect(found).toMatch(/Amara Okafor/);
	expect(others).toEqual([]);
	await editor.pick('Amara');
	const methods = await editor.list('paymentMethodId');
	expect(methods).toEqual(expect.arrayContaining([expect.stringMatching(/4242/)]));
});

test('an item that fails shows the words of the service', async () => {
	const customerId = { __rl: true, mode: 'id', value: 'cus_nobody' };
	await openForm('Failing', { resource: 'customer', operation: 'get', customerId });
	await editor.execute();
	expect((await editor.error())?.title).toMatch(/cus_nobody.*not found/i);

	await openForm('Declined', {
		resource: 'payment',
		operation: 'commit',
		paymentData: testbed.sandbox.addCart({ referenceID: 'ORDER-9202' }),
		customerConsent: true,
		card: { details: { cardToken: 'tok_declined', cvc: '123', expiryDate: '08/29' } },
	});
	await editor.execute();
	expect((await editor.error())?.title).toMatch(/declined/i);
});
