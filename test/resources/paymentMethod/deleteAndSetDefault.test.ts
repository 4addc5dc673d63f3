import { output } from '../../engine';
import { useNode } from '../../useNode';
import { by } from '../locator';
import { customerWith, methodsOf } from './methods';

/** Deleting a payment method and making one the default touch that one alone. */

const { sandbox, run, sent } = useNode({ resource: 'paymentMethod' });

test('name the method and its customer, and do no more', async () => {
	const { id, methods } = customerWith(sandbox, 3);
	const [first, second, third] = methods.map(({ cardID }) => cardID);
	const act = async (operation: string, cardID: unknown) =>
		await run({ operation, customerId: by('id', id), paymentMethodId: by('list', cardID) });
	expect(output(await act('setDefault', third))).toEqual([{ customerID: id }]);
	expect(output(await act('delete', second))).toEqual([{ customerID: id, deleted: true }]);
	expect(sent('setDefaultPaymentMethod')).toEqual([{ customerID: id, cardID: third }]);
	expect(sent('deletePaymentMethod')).toEqual([{ customerID: id, cardID: second }]);
	expect(methodsOf(sandbox, id)).toMatchObject([
		{ cardID: first, isDefault: false },
		{ cardID: third, isDefault: true },
	]);
	const again = await act('delete', second);
	expect(again.error?.message).toBe(`Customer ${id} has no payment method ${second}`);
	expect(again.error?.description).toContain("Check 'Customer' and 'Payment Method'");
});
