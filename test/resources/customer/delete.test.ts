import { output } from '../../engine';
import { useNode } from '../../useNode';
import { by } from '../locator';

/** A customer who is deleted is gone, and nobody else. */

const { sandbox, run, sent } = useNode({ resource: 'customer', operation: 'delete' });

test('delete answers that it is deleted, and the customer is gone', async () => {
	const [gone, stays] = sandbox.addCustomers(2);
	const customerId = by('id', gone?.id);
	expect(output(await run({ customerId }))).toEqual([{ customerID: gone?.id, deleted: true }]);
	expect(sent('deleteCustomer')).toEqual([{ customerID: gone?.id }]);
	expect(sandbox.customers).toEqual([stays]);
	expect((await run({ customerId })).error?.message).toBe(`Customer ${gone?.id} not found`);
});
