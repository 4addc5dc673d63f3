import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { output } from '../../engine';
import { nodeCredentials } from '../../sandbox';
import { useNode } from '../../useNode';
import { by } from '../locator';

/**
 * One customer for each email, however often it comes, in upper or lower case. test/customers/storm.test.ts
 * has what can happen meanwhile; this file has what is sent, returned and remembered.
 */

const { sandbox, run, sent, advancePerformanceNow } = useNode({
	resource: 'customer',
	operation: 'upsert',
});

const email = 'ada@example.com';
const upsert = async (parameters: INodeParameters = {}, given = {}) =>
	await run({ email, ...parameters }, given);
/** Rows of an email and a name, such as "a@x.com A". */
const upsertRows = async (...rows: string[]) => {
	const items = rows.map((row) => ({ email: row.split(' ')[0], name: row.split(' ')[1] }));
	const customerFields = { nameOnCard: '={{ $json.name }}' };
	const settings = { onError: 'continueRegularOutput' as const };
	return output(await upsert({ email: '={{ $json.email }}', customerFields }, { items, settings }));
};
const outcomes = (items: readonly IDataObject[]) =>
	items.map(({ outcome, error }) => outcome ?? error);

test('creates a customer, then updates them without losing a field, then leaves them alone', async () => {
	sandbox.settings.updateReplaces = true;
	sandbox.addCustomer({ email: `x${email}` });
	const form = { nameOnCard: 'Ada', billingCity: 'London', billingZip: 'N1 9GU' };
	const clears = { clearEmptyFields: true };
	const steps: Array<[string, INodeParameters, INodeParameters?]> = [
		['created', { ...form, phone: '' }, clears],
		['updated', { nameOnCard: 'Ada King', billingCity: '' }],
		['unchanged', { nameOnCard: 'Ada King', phone: '' }],
		['updated', { phone: '1', billingCity: '={{ null }}', billingZip: '={{ $json.no }}' }, clears],
	];
	for (const [outcome, customerFields, options = {}] of steps) {
		const found = output(await upsert({ customerFields, options }));
		expect(found).toEqual([{ customerID: sandbox.customers[1]?.id, email, outcome }]);
	}
	expect(sent('addCustomer')).toEqual([{ form: { ...form, email } }]);
	const stored = { ...form, nameOnCard: 'Ada King', billingCity: '', phone: '1' };
	expect(sandbox.customers).toMatchObject([{ email: `x${email}` }, stored]);
});

test('makes each of a list with duplicates once, in order, several at a time', async () => {
	sandbox.settings.latency = 5;
	const found = await upsertRows('a@x.com A', 'b@x.com B', 'A@x.com A', 'a@X.com C', 'c@x.com C');
	expect(outcomes(found)).toEqual(['created', 'created', 'unchanged', 'updated', 'created']);
	const id = (of: string) => sandbox.customers.find((each) => each.email === `${of}@x.com`)?.id;
	expect(found.map(({ customerID }) => customerID)).toEqual([...'abaac'].map(id));
	expect(sandbox.customers).toHaveLength(3);
	expect(sandbox.maxInFlight).toBeGreaterThan(1);
});

test.each([1, 12])('finds a numeric ID with two rows, in a run of %i items', async (count) => {
	const data = ['4242', '1881'].map((last4) => ({ id: 4711, email, last4 }));
	sandbox.fault({ on: 'customers', times: Infinity, body: { data, page: { total: 2 } } });
	sandbox.fault({ on: 'customer', times: Infinity, body: { id: 4711, email } });
	const found = output(await upsert({}, { items: Array.from({ length: count }, () => ({})) }));
	expect(found).toHaveLength(count);
	expect(found.at(-1)).toEqual({ customerID: '4711', email, outcome: 'unchanged' });
});

test('keeps the customers of two merchants apart, even if only their tokens differ', async () => {
	sandbox.fault({ on: 'customers', times: Infinity, body: { data: [], page: { total: 0 } } });
	for (const customerID of ['cus_1', 'cus_2']) {
		sandbox.fault({ on: 'addCustomer', body: { customerID } });
	}
	const items = [{ token: 'one' }, { token: 'two' }];
	const credentials = { ...nodeCredentials(sandbox), headerToken: '={{ $json.token }}' };
	const found = output(await upsert({}, { items, credentials }));
	expect(found.map(({ customerID }) => customerID).sort()).toEqual(['cus_1', 'cus_2']);
	expect(sandbox.requestsTo('customer')).toEqual([]);
});

const remove = async (id: unknown) => await run({ operation: 'delete', customerId: by('id', id) });

test('creates a customer again who was created and deleted a moment ago', async () => {
	const [made] = output(await upsert());
	await remove(made?.customerID);
	advancePerformanceNow(50_000);
	expect(outcomes(output(await upsert()))).toEqual(['created']);
	// By now, the deletion is forgotten, and the second creation is not.
	advancePerformanceNow(20_000);
	expect(outcomes(output(await upsert()))).toEqual(['unchanged']);
});

describe('while the list lags behind', () => {
	beforeEach(() => sandbox.freezeCustomerList(true));

	test('a customer whose creation was never confirmed is not created again', async () => {
		const unknown = expect.stringContaining('Could not confirm');
		sandbox.fault({ on: 'addCustomer', status: 504, workFirst: true });
		const found = await upsertRows('a@x.com A', 'A@x.com B', 'b@x.com B');
		expect(outcomes(found)).toEqual(['Gateway Timeout', unknown, 'created']);
		expect(sandbox.customers.map((each) => each.email)).toEqual(['a@x.com', 'b@x.com']);
		// Not even if a second one was created and deleted meanwhile.
		const customerFields = { email: 'a@x.com' };
		const [second] = output(await run({ operation: 'create', customerFields }));
		await remove(second?.customerID);
		expect((await upsert({ email: 'a@x.com' })).error?.description).toContain('again in a minute');
		sandbox.freezeCustomerList(false);
		expect(outcomes(await upsertRows('a@x.com A'))).toEqual(['unchanged']);
	});

	test('a customer whom this node has just deleted is created again, even if shown by ID', async () => {
		const { id } = sandbox.addCustomer({ email });
		const [deleted] = sandbox.customers;
		sandbox.freezeCustomerList(true);
		await remove(id);
		sandbox.fault({ on: 'customer', times: Infinity, body: deleted });
		expect(outcomes(output(await upsert()))).toEqual(['created']);
	});

	test('a customer whom the gateway refused to create is created at the next try', async () => {
		sandbox.fault({ on: 'addCustomer', status: 422, body: { message: 'No' } });
		expect(outcomes(await upsertRows('a@x.com A', 'A@x.com B'))).toEqual(['No', 'created']);
	});

	test.each(['create', 'update'])('waits for a %s that sets this email', async (operation) => {
		sandbox.settings.latency = 20;
		const { id } = sandbox.addCustomer({ email: 'old@example.com' });
		const fields = { customerId: by('id', id), customerFields: { email: 'Ada@Example.com' } };
		const [, found] = await Promise.all([run({ operation, ...fields }), upsert()]);
		expect(output(found)).toMatchObject([{ outcome: 'unchanged' }]);
	});

	test('refuses to choose between twins that Create has made, and says what to do', async () => {
		for (const given of [email, 'Ada@Example.com']) {
			output(await run({ operation: 'create', customerFields: { email: given } }));
		}
		const ids = sandbox.customers.map(({ id }) => id).join(', ');
		const { error } = await upsert();
		expect(error?.message).toBe(`2 customers have the email ${email}: ${ids}`);
		// Create or Update has no field for an ID.
		expect(error?.description).toContain('"Update" takes an ID');
	});
});
