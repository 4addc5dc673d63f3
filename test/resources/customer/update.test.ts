import { output } from '../../engine';
import { useNode } from '../../useNode';
import { by } from '../locator';
import { everything } from './everything';

/** Only what was filled in changes. */

const { sandbox, run, sent } = useNode({ resource: 'customer', operation: 'update' });

describe('update', () => {
	test('sends the fields that are filled in, and leaves the others alone', async () => {
		const { id } = sandbox.addCustomer(everything);
		const customerFields = { phone: '1', billingCity: '', nameOnCard: '={{ null }}' };
		const items = output(await run({ customerId: by('id', id), customerFields }));
		expect(items).toEqual([{ customerID: id }]);
		expect(sent('updateCustomer')).toEqual([{ customerID: id, form: { phone: '1' } }]);
		expect(sandbox.customers[0]).toMatchObject({ ...everything, phone: '1' });
	});

	test('clears a field that is left empty, when it is told to', async () => {
		const { id } = sandbox.addCustomer(everything);
		const parameters = {
			customerId: by('id', id),
			customerFields: { phone: '', billingCity: 'Paris', billingZip: '={{ null }}' },
			options: { clearEmptyFields: true },
		};
		output(await run(parameters));
		const form = { phone: '', billingCity: 'Paris', billingZip: '' };
		expect(sent('updateCustomer')).toEqual([{ customerID: id, form }]);
		expect(sandbox.customers[0]).toMatchObject({ ...everything, ...form });
	});

	test('clears the emails of many at once, when it is told to', async () => {
		const items = sandbox.addCustomers(5).map(({ id }) => ({ id }));
		sandbox.settings.latency = 30;
		const parameters = {
			customerId: by('id', '={{ $json.id }}'),
			customerFields: { email: '' },
			options: { clearEmptyFields: true },
		};
		output(await run(parameters, { items }));
		expect(sandbox.customers.map(({ email }) => email)).toEqual(['', '', '', '', '']);
		expect(sandbox.maxInFlight).toBeGreaterThan(1);
	});

	test('says what the service said of another email', async () => {
		const { id } = sandbox.addCustomer(everything);
		sandbox.fault({ on: 'updateCustomer', status: 422, body: { message: 'Taken' } });
		const customerFields = { email: 'other@example.com' };
		const { error } = await run({ customerId: by('id', id), customerFields });
		expect(error?.message).toBe('Taken');
	});

	test('many by email, with that email among the fields, reads the list once', async () => {
		const items = sandbox.addCustomers(12).map(({ email }) => ({ email: email.toUpperCase() }));
		const email = '={{ $json.email }}';
		const customerFields = { email, phone: '7' };
		output(await run({ customerId: by('email', email), customerFields }, { items }));
		expect(sandbox.customers.map(({ phone }) => phone)).toEqual(items.map(() => '7'));
		expect(sent('customers')).toHaveLength(1);
	});

	test.each([
		[{}, {}],
		[{ phone: '' }, {}],
		[{}, { clearEmptyFields: true }],
	])('refuses to change nothing: %j %j', async (customerFields, options) => {
		const parameters = { customerId: by('email', 'a@x.com'), customerFields, options };
		const { error } = await run(parameters);
		expect(error?.message).toContain('"Customer Fields" hold nothing to change');
		expect(sandbox.requests).toHaveLength(0);
	});
});
