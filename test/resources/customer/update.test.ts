import type { INodeParameters } from 'n8n-workflow';

import { output } from '../../engine';
import { useNode } from '../../useNode';
import { by } from '../locator';
import { everything } from './everything';

/** Only fields that were filled in change, whether the gateway merges the form or replaces the customer. */

const { sandbox, run, sent } = useNode({ resource: 'customer', operation: 'update' });

const forms = () => sent('updateCustomer').map(({ form }) => form);
const update = async (id: string, customerFields: INodeParameters, given = {}) =>
	await run({ customerId: by('id', id), customerFields }, given);
/** Fields from columns of the item, which may lack some. */
const fromItem = (...names: string[]): INodeParameters =>
	Object.fromEntries(names.map((name) => [name, `={{ $json.${name} ?? "" }}`]));

const phone = { phone: '1' };
const empty = { nameOnCard: '', billingZip: '={{ null }}' };
const cleared = { nameOnCard: '', billingZip: '' };
const notFound = { email: '', billingCity: '={{ $json.no }}' };
const stored = { ...everything, email: '={{ null }}' };
const clears = { clearEmptyFields: true };

test.each<[rule: string, INodeParameters, INodeParameters, object | undefined]>([
	['a filled field is changed', phone, {}, phone],
	['an empty one is not', { ...phone, ...empty }, {}, phone],
	['with Clear Empty Fields, empty text and null clear', empty, clears, cleared],
	['an empty email and what is not found do not', { ...phone, ...notFound }, clears, phone],
	['no field changes nothing', {}, clears, undefined],
	['stored values and an email of null change nothing', stored, clears, undefined],
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
	const { email } = everything;
	const body = { id, email, phone: 5550100, billingCity: null, billingState: '' };
	sandbox.fault({ on: 'customer', body });
	output(await update(id, { nameOnCard: 'Ada', billingZip: '' }));
	expect(forms()).toEqual([{ email, phone: '5550100', nameOnCard: 'Ada' }]);
});

test("items about one customer are written in their order, and do not undo each other's changes", async () => {
	Object.assign(sandbox.settings, { latency: 5, updateReplaces: true });
	const { id } = sandbox.addCustomer(everything);
	const items = [{ email: 'a@x.com', phone: '1' }, { phone: '2' }, { billingCity: 'new' }];
	output(await update(id, fromItem('email', 'phone', 'billingCity'), { items }));
	expect(sandbox.customers).toMatchObject([Object.assign({ ...everything }, ...items)]);
});

test("updates by ID, by email and by Create or Update at the same time do not undo each other's changes", async () => {
	sandbox.settings.updateReplaces = true;
	const { id } = sandbox.addCustomer(everything);
	// The first read is out of date if others write meanwhile, and their writes are not confirmed by then.
	sandbox.fault({ on: 'customer', delay: 100 });
	sandbox.fault({ on: 'updateCustomer', delay: 300 });
	const byEmail = by('email', everything.email);
	await Promise.all([
		run({ customerId: byEmail, customerFields: { nameOnCard: 'A' } }),
		update(id, phone),
		run({ operation: 'upsert', email: 'ADA@example.com', customerFields: { billingCity: 'new' } }),
	]);
	const changes = { nameOnCard: 'A', ...phone, billingCity: 'new' };
	expect(sandbox.customers).toMatchObject([{ ...everything, ...changes }]);
	expect(forms()).toHaveLength(3);
});

describe("while the gateway still shows the customer's old data by ID", () => {
	const email = 'new@example.com';
	/** A customer whose data by ID no longer change. */
	function givenHeldCustomer(): string {
		const { id } = sandbox.addCustomer(everything);
		const [body] = sandbox.customers;
		sandbox.fault({ on: 'customer', times: Infinity, body });
		return id;
	}

	test.each([true, false])(
		'Create or Update makes no second customer of the email that an update gave the customer (the list is behind too: %j)',
		async (isListBehind) => {
			const id = givenHeldCustomer();
			sandbox.freezeCustomerList(isListBehind);
			output(await update(id, { email }));
			const [found] = output(await run({ operation: 'upsert', email }));
			expect(found).toEqual({ customerID: id, email, outcome: 'unchanged' });
			expect(sandbox.customers).toHaveLength(1);
		},
	);

	test('Create or Update refuses the email that an update gave the customer if its answer was lost', async () => {
		const id = givenHeldCustomer();
		sandbox.fault({ on: 'updateCustomer', status: 504, workFirst: true });
		expect((await update(id, { email })).status).toBe('error');
		const { error } = await run({ operation: 'upsert', email });
		expect(error?.message).toContain('Could not confirm whether a customer with the email');
		expect(sandbox.customers).toHaveLength(1);
	});

	test('Create or Update creates a customer with the email that the gateway refused to give them', async () => {
		sandbox.fault({ on: 'updateCustomer', status: 422 });
		await update(givenHeldCustomer(), { email });
		const created = output(await run({ operation: 'upsert', email }));
		expect(created).toMatchObject([{ outcome: 'created' }]);
	});

	test("items about them do not undo each other's changes", async () => {
		sandbox.settings.updateReplaces = true;
		const id = givenHeldCustomer();
		const items = [phone, { billingCity: 'new' }, { phone: '2' }];
		output(await update(id, fromItem('phone', 'billingCity'), { items }));
		expect(sandbox.customers).toMatchObject([{ ...everything, phone: '2', billingCity: 'new' }]);
	});

	test('a field that was changed is changed back', async () => {
		const id = givenHeldCustomer();
		const numbers = ['2', everything.phone, everything.phone];
		for (const number of numbers) output(await update(id, { phone: number }));
		expect(forms().map((form) => form.phone)).toEqual(['2', everything.phone]);
	});

	test('after a lost answer, a second run sends the update again', async () => {
		const id = givenHeldCustomer();
		sandbox.fault({ on: 'updateCustomer', status: 504 });
		expect((await update(id, phone)).status).toBe('error');
		output(await update(id, phone));
		expect(sandbox.customers).toMatchObject([phone]);
	});
});
