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

test('take the method by an expression, for each item', async () => {
	const { id, methods } = customerWith(sandbox, 3);
	const items = methods.map(({ cardID }) => ({ id, cardID }));
	const customerId = by('id', '={{ $json.id }}');
	const paymentMethodId = by('id', '={{ $json.cardID }}');
	const gone = await run({ operation: 'delete', customerId, paymentMethodId }, { items });
	expect(output(gone)).toHaveLength(3);
	expect(methodsOf(sandbox, id)).toEqual([]);
});

test.each(['delete', 'setDefault'])('%s without a method sends nothing', async (operation) => {
	const customerId = by('email', 'ada@example.com');
	const paymentMethodId = by('id', '={{ $json.none }}');
	const { error } = await run({ operation, customerId, paymentMethodId });
	expect(error?.message).toContain("'Payment Method' is empty");
	expect(sandbox.requests).toHaveLength(0);
});
