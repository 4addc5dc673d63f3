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

test('who is deleted by email is looked at once before it', async () => {
	sandbox.addCustomer({ email: 'ada@example.com' });
	output(await run({ customerId: by('email', 'ada@example.com') }));
	expect(sandbox.requests.map(({ endpoint }) => endpoint)).toEqual([
		'customers',
		'customer',
		'deleteCustomer',
	]);
});

test('nobody is deleted whose own data show another email, or cannot be read', async () => {
	const { id } = sandbox.addCustomer({ email: 'old@example.com' });
	sandbox.holdCustomerList(true);
	sandbox.updateCustomer(id, { email: 'new@example.com' });
	const deleteByEmail = async () => await run({ customerId: by('email', 'old@example.com') });
	expect((await deleteByEmail()).error?.message).toContain('No customer has the email');
	for (const status of [403, 404, 500]) {
		sandbox.fault({ on: 'customer', times: status === 500 ? 3 : 1, status });
		expect((await deleteByEmail()).error).toBeDefined();
	}
	expect(sandbox.customers).toHaveLength(1);
});
