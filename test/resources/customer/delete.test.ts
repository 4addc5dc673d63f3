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
