import { registry } from '../../nodes/PaymentsGateway/resources';
import type { Editor } from './editor';
import type { Parameters } from './gatewayWorkflows';
import { addCredential, filledOperations, triggerOf, workflowOf } from './gatewayWorkflows';
import type { Testbed } from './testbed';
import { startTestbed } from './testbed';

/** The nodes in n8n's editor: how they are found, filled in and run, and what they show. */

const NAME = 'Payments Gateway';

let testbed: Testbed;
let editor: Editor;
let credential: Promise<string> | undefined;

beforeAll(async () => {
	testbed = await startTestbed();
	editor = await testbed.editor();
});

afterAll(async () => await testbed?.close());

/** Made on first use, so that each test can run alone. */
async function theCredential(): Promise<string> {
	return await (credential ??= addCredential(testbed.api, testbed.sandbox));
}

async function openForm(name: string, parameters: Parameters): Promise<void> {
	const { id } = await testbed.api.addWorkflow(workflowOf(name, parameters, await theCredential()));
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

const SEARCHED = ['billing', 'charge', 'payment failed', 'refund', 'checkout', 'invoice link'];

test('the panel finds them by the words people type, for a step and to start with', async () => {
	const found = async () => {
		expect(await editor.findNodes('zebra')).not.toContain(NAME);
		for (const words of SEARCHED) {
			expect([words, await editor.findNodes(words)]).toEqual([
				words,
				expect.arrayContaining([NAME]),
			]);
		}
	};
	await editor.openWorkflow((await testbed.api.addWorkflow(workflowOf('Searched', {}, ''))).id);
	await found();
	// An empty canvas asks for what starts the workflow.
	await editor.newWorkflow();
	await found();
});

test('a credential is saved from its form; its test says yes, and what to look at if not', async () => {
	const { url, credentials } = testbed.sandbox;
	await editor.newWorkflow();
	await editor.findNodes('payments');
	await editor.choose(NAME);
	await editor.actions();
	await editor.choose('Create paylink');
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
		"The gateway refused the token: check 'Group ID' and 'Private Token'",
	);
	// Without a private token it is the header token that is tested.
	await editor.set('privateToken', '');
	expect(await editor.saveCredential()).toContain('Connection tested successfully');
	await editor.set('headerToken', 'not-the-token');
	expect(await editor.saveCredential()).toContain("or 'Header Token'");
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
		const { id } = await testbed.api.addWorkflow(triggerOf(await theCredential()));
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

describe('money in the form', () => {
	const labels = async () => (await editor.formText()).match(/^.*\(Dollars\b.*$/gm);
	const links = () =>
		testbed.sandbox.requestsTo('createCheckoutData').map(({ body }) => body.data.form);

	test('stays as it is typed, and is refused where it could be misread', async () => {
		await openForm('Typed', {});
		const before = links().length;
		for (const words of ['19,99', '19.999', '1.999,00', '1e3']) {
			await editor.type('amount', words);
			expect(await editor.value('amount')).toBe(words);
			await editor.execute();
			const error = await editor.error();
			expect(error?.title).toContain(
				`'Amount (Dollars)' takes dollars, such as 19.99, not ${words}`,
			);
			expect(error?.description).toMatch(/^Nothing was changed or charged/);
		}
		expect(links()).toHaveLength(before);
	});

	test('typed as 19.99 asks for 1999 cents', async () => {
		await openForm('Typed', {});
		await editor.type('amount', '19.99');
		await editor.execute();
		expect(await editor.output()).toContain('$19.99');
		expect(links().at(-1)?.pricing).toMatchObject({ amount: 1999 });
	});

	test('is in dollars wherever it stands, and each label says so', async () => {
		await openForm('Units', { referenceId: 'INV-9300' });
		const names = [
			'Shipping (Dollars)',
			'Tax (Dollars or Percent)',
			'Tip Amount (Dollars or Percent)',
		];
		for (const name of names) await editor.add('Pricing', name);
		await editor.type('amount', '$1,999.00');
		await editor.type('shipping', '3.99');
		await editor.type('tax', '1.25');
		await editor.type('tip', '.50');
		expect(await labels()).toEqual(['Amount (Dollars)', ...names]);
		await editor.execute();
		expect(await editor.error()).toBeUndefined();
		expect(links().at(-1)).toMatchObject({
			referenceID: 'INV-9300',
			pricing: { amount: 199_900, shipping: 399, tax: 125, tip: 50 },
		});
	});

	test('of line items and subscriptions is, too', async () => {
		await openForm('Items', { pricingMode: 'lineItems' });
		await editor.press('Add Line Item');
		await editor.type('name', 'Club');
		await editor.type('price', '12.50');
		await editor.add('Subscription', 'Billed');
		await editor.add('Subscription', 'Setup Fee (Dollars)');
		await editor.type('recurringSetupFee', '5');
		expect(await labels()).toEqual(['Price (Dollars)', 'Setup Fee (Dollars)']);
		await editor.execute();
		expect(await editor.error()).toBeUndefined();
		expect(links().at(-1)?.pricing.lineItems).toMatchObject([
			{ product: { name: 'Club', price: 1250, recurringSetupFee: 500 } },
		]);
	});

	test('of a tip for a cart is, too', async () => {
		const details = { amount: '2.50', type: 'fixed' };
		const cart = { paymentData: testbed.sandbox.addCart(), dynamicData: { tip: { details } } };
		await openForm('Tip', { resource: 'cart', operation: 'calculate', ...cart });
		expect(await labels()).toEqual(['Cart Tip (Dollars or Percent)']);
	});
});

describe('filters and sorting', () => {
	const pages = () => testbed.sandbox.requestsTo('customers').map(({ body }) => body.data.page);

	test('go by a field of the list', async () => {
		await openForm('Filter', { resource: 'customer', operation: 'getAll' });
		await editor.press('Add Filter');
		await editor.set('field', 'Email');
		await editor.type('value', 'amara.okafor@example.com');
		await editor.execute();
		expect(await editor.output()).toMatch(/1 item\b[^]*Amara Okafor/);
		expect(pages().at(-1)?.filter).toMatchObject([{ field: 'email', operation: 'equals' }]);
	});

	test('that were stored by a name of their own show it and go out as before', async () => {
		const stored = {
			filters: { conditions: [{ field: 'state', condition: 'equals', value: 'OR' }] },
			sort: { rule: { field: 'zip', order: 'desc' } },
		};
		await openForm('Stored', { resource: 'customer', operation: 'getAll', ...stored });
		const shown = await editor.form
			.locator('input')
			.evaluateAll((inputs: Array<{ value: string }>) => inputs.map(({ value }) => value));
		expect(shown).toEqual(expect.arrayContaining(['state', 'OR', 'ZIP']));
		await editor.closeNode();
		expect(await editor.hasIssues(NAME)).toBe(false);
		await editor.openNode(NAME);
		await editor.execute();
		// The sandbox has no such field, as a service might: it is asked all the same.
		expect((await editor.error())?.title).toMatch(/"state" is not a field/);
		expect(pages().at(-1)?.filter).toMatchObject([{ field: 'state', value: 'OR' }]);
	});
});

describe('a workflow that was saved with numbers for amounts', () => {
	test.each<[string, Parameters, string]>([
		['an amount', { amount: 25, pricing: { tip: 5, shipping: 3.99 } }, 'pl_'],
		[
			'a price',
			{ pricingMode: 'lineItems', lineItems: { items: [{ name: 'Mug', price: 19.99 }] } },
			'$19.99',
		],
		[
			'a total and a tip',
			{
				resource: 'payment',
				operation: 'commit',
				customerConsent: true,
				expectedTotal: 25,
				dynamicData: { tip: { details: { amount: 0 } } },
				card: { details: { cardToken: 'tok_visa_4242' } },
			},
			'CAPTURED',
		],
	])('(%s) opens without a mark and runs', async (name, parameters, words) => {
		const isCharge = parameters.resource === 'payment';
		const cart = {
			referenceID: 'ORDER-9301',
			lineItems: [{ product: { name: 'Mug', price: 2500 }, amount: 1 }],
		};
		const { id } = await testbed.api.addWorkflow(
			workflowOf(
				name,
				isCharge ? { ...parameters, paymentData: testbed.sandbox.addCart(cart) } : parameters,
				await theCredential(),
			),
		);
		await editor.openWorkflow(id);
		expect(await editor.hasIssues(NAME)).toBe(false);
		await editor.openNode(NAME);
		await editor.execute();
		expect(await editor.error()).toBeUndefined();
		expect(await editor.output()).toContain(words);
	});
});
