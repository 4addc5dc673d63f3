import type { INodeParameters } from 'n8n-workflow';

import { output } from '../../engine';
import { useNode } from '../../useNode';
import { by } from '../locator';
import { everything } from './everything';

/** Only fields that were filled in change, whether the gateway merges the form or replaces the customer. */

const { sandbox, run, sent } = useNode({ resource: 'customer', operation: 'update' });

const forms = () => sent('updateCustomer').map(({ form }) => form);
const clears = { clearEmptyFields: true };

test.each<[rule: string, INodeParameters, INodeParameters, object | undefined]>([
	['a filled field is changed', { phone: '1' }, {}, { phone: '1' }],
	[
		'an empty one is not',
		{ phone: '1', nameOnCard: '', billingZip: '={{ null }}' },
		{},
		{ phone: '1' },
	],
	[
		'with Clear Empty Fields, empty text and null clear',
		{ nameOnCard: '', billingZip: '={{ null }}' },
		clears,
		{ nameOnCard: '', billingZip: '' },
	],
	[
		'an empty email and an expression that finds nothing do not',
		{ phone: '1', email: '', billingCity: '={{ $json.no }}' },
		clears,
		{ phone: '1' },
	],
	['no field changes nothing', {}, clears, undefined],
	[
		'stored values and an email of null change nothing',
		{ ...everything, email: '={{ null }}' },
		clears,
		undefined,
	],
])('%s: the stored values are sent, with the changes', async (_, fields, options, changes) => {
	sandbox.settings.updateReplaces = true;
	const { id } = sandbox.addCustomer(everything);
	const found = output(await run({ customerId: by('id', id), customerFields: fields, options }));
	const outcome = changes === undefined ? 'unchanged' : 'updated';
	expect(found).toEqual([{ customerID: id, outcome }]);
	expect(forms()).toEqual(changes === undefined ? [] : [{ ...everything, ...changes }]);
	expect(sandbox.customers).toMatchObject([{ id, ...everything, ...changes }]);
});

test('no field is sent that is empty in the customer or in the form', async () => {
	const { id } = sandbox.addCustomer(everything);
	const empty = { billingCity: null, billingState: '' };
	sandbox.fault({
		on: 'customer',
		body: { id, email: 'ada@example.com', phone: 5550100, ...empty },
	});
	const customerFields = { nameOnCard: 'Ada', billingZip: '' };
	output(await run({ customerId: by('id', id), customerFields }));
	expect(forms()).toEqual([{ email: 'ada@example.com', phone: '5550100', nameOnCard: 'Ada' }]);
});

test("items about one customer are written in their order, and do not undo each other's changes", async () => {
	Object.assign(sandbox.settings, { latency: 5, updateReplaces: true });
	const { id } = sandbox.addCustomer(everything);
	const items = [{ email: 'a@x.com', phone: '1' }, { phone: '2' }, { billingCity: 'new' }];
	const names = ['email', 'phone', 'billingCity'];
	const customerFields = Object.fromEntries(
		names.map((name) => [name, `={{ $json.${name} ?? "" }}`]),
	);
	output(await run({ customerId: by('id', id), customerFields }, { items }));
	expect(sandbox.customers).toMatchObject([Object.assign({ ...everything }, ...items)]);
});

const ada = 'ada@example.com';
const byEmail = { customerId: by('email', ada) };
test.each<[string, INodeParameters]>([
	['an update by email', byEmail],
	['Create or Update', { operation: 'upsert', email: ada }],
])("an update by ID and %s at the same time do not undo each other's changes", async (_, other) => {
	sandbox.settings.updateReplaces = true;
	const { id } = sandbox.addCustomer(everything);
	// The first read is answered last, and is out of date by then if others write meanwhile.
	sandbox.fault({ on: 'customer', delay: 100 });
	await Promise.all([
		run({ customerId: by('id', id), customerFields: { phone: '1' } }),
		run({ ...other, customerFields: { billingCity: 'new' } }),
	]);
	expect(sandbox.customers).toMatchObject([{ ...everything, phone: '1', billingCity: 'new' }]);
	expect(forms()).toHaveLength(2);
});

test("items of one run that name a customer by ID and by email do not undo each other's changes", async () => {
	sandbox.settings.updateReplaces = true;
	const { id } = sandbox.addCustomer(everything);
	sandbox.fault({ on: 'customer', delay: 100 });
	const items = [
		{ who: ada, nameOnCard: 'A' },
		{ who: id, phone: '1' },
		{ who: 'ADA@example.com', billingCity: 'new' },
	];
	const names = ['nameOnCard', 'phone', 'billingCity'];
	const customerFields = Object.fromEntries(
		names.map((name) => [name, `={{ $json.${name} ?? "" }}`]),
	);
	output(await run({ customerId: by('id', '={{ $json.who }}'), customerFields }, { items }));
	const changes = { nameOnCard: 'A', phone: '1', billingCity: 'new' };
	expect(sandbox.customers).toMatchObject([{ ...everything, ...changes }]);
});

test('customers who swap emails, or change only the case of theirs, do not deadlock', async () => {
	sandbox.settings.latency = 5;
	const items = ['a@x.com b@x.com', 'b@x.com a@x.com', 'c@x.com C@x.com'].map((change) => {
		const [email = '', to] = change.split(' ');
		sandbox.addCustomer({ email });
		return { email, to };
	});
	const customerId = by('email', '={{ $json.email }}');
	await run({ customerId, customerFields: { email: '={{ $json.to }}' } }, { items });
	expect(sent('updateCustomer')).not.toEqual([]);
});

describe("while the customer's data by ID are as they were", () => {
	/** A customer whose data by ID no longer change. */
	function givenHeldCustomer(): string {
		const { id } = sandbox.addCustomer(everything);
		const [body] = sandbox.customers;
		sandbox.fault({ on: 'customer', times: Infinity, body });
		return id;
	}

	test.each([true, false])(
		'Create or Update makes no second customer of the email that they were given (the list is behind too: %j)',
		async (isListBehind) => {
			const id = givenHeldCustomer();
			sandbox.freezeCustomerList(isListBehind);
			const email = 'new@example.com';
			output(await run({ customerId: by('id', id), customerFields: { email } }));
			const [found] = output(await run({ operation: 'upsert', email }));
			expect(found).toEqual({ customerID: id, email, outcome: 'unchanged' });
			expect(sandbox.customers).toHaveLength(1);
		},
	);

	test('Create or Update refuses the email that they were given if that answer was lost', async () => {
		const id = givenHeldCustomer();
		const email = 'new@example.com';
		sandbox.fault({ on: 'updateCustomer', status: 504, workFirst: true });
		const update = await run({ customerId: by('id', id), customerFields: { email } });
		expect(update.status).toBe('error');
		const { error } = await run({ operation: 'upsert', email });
		expect(error?.message).toContain('Could not confirm whether a customer with the email');
		expect(sandbox.customers).toHaveLength(1);
	});

	test("items about them do not undo each other's changes", async () => {
		sandbox.settings.updateReplaces = true;
		const id = givenHeldCustomer();
		const items = [{ phone: '1' }, { billingCity: 'new' }, { phone: '2' }];
		const customerFields = {
			phone: '={{ $json.phone ?? "" }}',
			billingCity: '={{ $json.billingCity ?? "" }}',
		};
		output(await run({ customerId: by('id', id), customerFields }, { items }));
		expect(sandbox.customers).toMatchObject([{ ...everything, phone: '2', billingCity: 'new' }]);
	});

	test('a field that was changed is changed back', async () => {
		const id = givenHeldCustomer();
		for (const phone of ['2', everything.phone, everything.phone]) {
			output(await run({ customerId: by('id', id), customerFields: { phone } }));
		}
		expect(forms().map(({ phone }) => phone)).toEqual(['2', everything.phone]);
	});

	test('an update whose answer was lost is sent again', async () => {
		const id = givenHeldCustomer();
		const customerFields = { phone: '2' };
		sandbox.fault({ on: 'updateCustomer', status: 504 });
		expect((await run({ customerId: by('id', id), customerFields })).status).toBe('error');
		output(await run({ customerId: by('id', id), customerFields }));
		expect(sandbox.customers).toMatchObject([customerFields]);
	});
});
