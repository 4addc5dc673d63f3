import { output } from '../../engine';
import { useNode } from '../../useNode';
import { by } from '../locator';

/** A customer who is deleted is gone, and nobody else. */

const { sandbox, run, sent } = useNode({ resource: 'customer', operation: 'delete' });

test('delete answers that it is deleted, and the customer is gone', async () => {
	const [gone, stays] = sandbox.addCustomers(2);
	expect(output(await run({ customerId: by('id', gone?.id) }))).toEqual([
		{ customerID: gone?.id, deleted: true },
	]);
	expect(sent('deleteCustomer')).toEqual([{ customerID: gone?.id }]);
	expect(sandbox.customers).toEqual([stays]);
	const again = await run({ customerId: by('id', gone?.id) });
	expect(again.error?.message).toBe(`Customer ${gone?.id} not found`);
});

test('who is deleted by email is asked for at that moment, however many they are', async () => {
	const customers = sandbox.addCustomers(12);
	const items = customers.map(({ email }) => ({ email }));
	output(await run({ customerId: by('email', '={{ $json.email }}') }, { items }));
	expect(sandbox.customers).toEqual([]);
	const pages = sent('customers').map(({ page }) => page);
	expect(pages).toHaveLength(12);
	for (const page of pages) expect(page).toHaveProperty('filter');
});

describe('a list that is behind, and shows an email that its customer no longer has', () => {
	const email = 'old@example.com';
	const deleteByEmail = async () => await run({ customerId: by('email', email) });
	let id: string;
	beforeEach(() => {
		({ id } = sandbox.addCustomer({ email: 'new@example.com' }));
		const page = { total: 1, page: 1, pageSize: 100 };
		sandbox.fault({ on: 'customers', times: Infinity, body: { data: [{ id, email }], page } });
	});

	test('has nobody deleted', async () => {
		expect((await deleteByEmail()).error?.message).toContain(`No customer has the email ${email}`);
		expect(sent('deleteCustomer')).toEqual([]);
	});

	test('is believed where the customer shows no email, and not where nobody can say', async () => {
		sandbox.fault({ on: 'customer', status: 404 });
		expect((await deleteByEmail()).error).toBeDefined();
		expect(sent('deleteCustomer')).toEqual([]);
		sandbox.fault({ on: 'customer', body: { id } });
		expect(output(await deleteByEmail())).toEqual([{ customerID: id, deleted: true }]);
	});
});

test('who is deleted by email is looked at once before it', async () => {
	sandbox.addCustomer({ email: 'ada@example.com' });
	output(await run({ customerId: by('email', 'ada@example.com') }));
	expect(sandbox.requests.map(({ endpoint }) => endpoint)).toEqual([
		'customers',
		'customer',
		'deleteCustomer',
	]);
});
