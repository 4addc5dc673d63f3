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
