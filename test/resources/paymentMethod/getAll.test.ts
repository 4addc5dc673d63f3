import { output } from '../../engine';
import { useNode } from '../../useNode';
import { by } from '../locator';
import { customerWith } from './methods';

/** The payment methods of a customer, in the gateway's order. */

const { sandbox, run } = useNode({ resource: 'paymentMethod', operation: 'getAll' });

test('answers the methods as items, with what is sensitive shortened', async () => {
	const { id } = customerWith(sandbox, 1);
	const ach = { accountNumber: '000123456789', routingNumber: '021000021' };
	sandbox.addPaymentMethod(id, { ach });
	expect(output(await run({ customerId: by('email', 'ada@example.com') }))).toMatchObject([
		{ type: 'card', brand: 'VISA', last4: '1000' },
		{ accountNumber: '••••6789', routingNumber: '••••0021' },
	]);
});

test.each([
	[{ returnAll: true }, 60],
	[{ returnAll: false }, 50],
	[{ limit: 3 }, 3],
])('%j answers %i of 60, in order', async (parameters, count) => {
	const { id, methods } = customerWith(sandbox, 60);
	const items = output(await run({ customerId: by('id', id), ...parameters }));
	const ids = methods.map(({ cardID }) => cardID);
	expect(items.map(({ cardID }) => cardID)).toEqual(ids.slice(0, count));
});

test('answers nothing for a customer who has none', async () => {
	const { id } = sandbox.addCustomer();
	for (const paymentCards of [[], null, undefined]) {
		sandbox.fault({ answer: () => ({ id, paymentCards }) });
		expect(output(await run({ customerId: by('id', id) }))).toEqual([]);
	}
});
