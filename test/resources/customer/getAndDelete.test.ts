import { output } from '../../engine';
import { useNode } from '../../useNode';
import { by } from '../locator';
import { everything } from './everything';

const { sandbox, run, sent } = useNode({ resource: 'customer' });

test('a customer comes as the gateway has it, with what is sensitive left out or cut', async () => {
	const ach = { accountNumber: '000123456789', routingNumber: '021000021' };
	const { id, paymentCards } = sandbox.addCustomer({ ...everything, ach });
	sandbox.fault({ on: 'customer', answer: (answer) => ({ vip: true, ...(answer as object) }) });
	const [item = {}] = output(await run({ operation: 'get', customerId: by('id', id) }));
	const [{ cvc, ...shown } = { cvc: undefined }] = paymentCards;
	expect(cvc).toBeDefined();
	const method = { ...shown, accountNumber: '••••6789', routingNumber: '••••0021' };
	expect(item).toEqual({ ...everything, id, vip: true, paymentCards: [method] });
});

test('a customer who is deleted is gone, and nobody else', async () => {
	const [gone, stays] = sandbox.addCustomers(2);
	const remove = { operation: 'delete', customerId: by('id', gone?.id) };
	expect(output(await run(remove))).toEqual([{ customerID: gone?.id, deleted: true }]);
	expect(sent('deleteCustomer')).toEqual([{ customerID: gone?.id }]);
	expect(sandbox.customers).toEqual([stays]);
	expect((await run(remove)).error?.message).toBe(`Customer ${gone?.id} not found`);
});
