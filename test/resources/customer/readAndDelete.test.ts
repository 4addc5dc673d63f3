import { output } from '../../engine';
import { useNode } from '../../useNode';
import { by } from '../locator';
import { everything } from './everything';

/** One customer, and a list as the gateway filters and sorts it. gateway/list.test.ts has how it is read. */

const { sandbox, run, sent } = useNode({ resource: 'customer' });

const all = { operation: 'getAll', returnAll: true };
const pages = () => sent('customers').map(({ page }) => page);

test("filters, sort and search are sent under the gateway's names", async () => {
	const operations = ['contains', 'equals', 'gt', 'gte', 'lt', 'lte', 'neq'];
	const value = '={{ 62701 }}';
	const conditions = operations.map((condition) => ({ field: 'zip', condition, value }));
	const sort = { field: 'email', order: 'desc' };
	const options = { search: ' example ' };
	output(await run({ ...all, filters: { conditions }, sort: { rule: sort }, options }));
	const filter = operations.map((operation) => ({ field: 'zip', operation, value: '62701' }));
	expect(pages()).toEqual([{ page: 1, pageSize: 100, sort, filter, search: 'example' }]);
});

test('a filter whose expression gives nothing is refused, and one that is typed empty is sent', async () => {
	const condition = { field: 'phone', condition: 'equals' };
	const having = (value: string) => ({
		...all,
		filters: { conditions: [{ ...condition, value }] },
	});
	for (const nothing of ['={{ null }}', '={{ "" }}']) {
		expect((await run(having(nothing))).error?.message).toBe("'Value' is empty");
	}
	expect(sandbox.requests).toEqual([]);
	output(await run(having('')));
	expect(pages()[0]?.filter).toEqual([{ field: 'phone', operation: 'equals', value: '' }]);
});

test('a customer with two cards, so two rows, is shown with both', async () => {
	const data = ['4242', '1881'].map((last4) => ({ id: 'cus_1', last4 }));
	sandbox.fault({ on: 'customers', body: { data, page: { total: 2 } } });
	expect(output(await run(all))).toHaveLength(2);
});

test.each([
	[{ operation: 'getAll', limit: 101 }, 101],
	[all, 320],
])('%j of 320 customers returns %i, in order', async (parameters, count) => {
	sandbox.addCustomers(320);
	const ids = sandbox.customers.map(({ id }) => id);
	expect(output(await run(parameters)).map(({ id }) => id)).toEqual(ids.slice(0, count));
	expect(pages().length).toBeLessThanOrEqual(Math.ceil(count / 100) + 1);
});

test('a customer is returned as the gateway has it, with sensitive fields removed or shortened', async () => {
	const ach = { accountNumber: '000123456789', routingNumber: '021000021' };
	const { id, paymentCards } = sandbox.addCustomer({ ...everything, ach });
	sandbox.fault({ on: 'customer', answer: (answer) => ({ vip: true, ...(answer as object) }) });
	const [item = {}] = output(await run({ operation: 'get', customerId: by('id', id) }));
	const [{ cvc, ...shown } = { cvc: undefined }] = paymentCards;
	expect(cvc).toBeDefined();
	const method = { ...shown, accountNumber: '••••6789', routingNumber: '••••0021' };
	expect(item).toEqual({ ...everything, id, vip: true, paymentCards: [method] });
});

test('only the customer who is deleted is gone', async () => {
	const [gone, stays] = sandbox.addCustomers(2);
	const remove = { operation: 'delete', customerId: by('id', gone?.id) };
	expect(output(await run(remove))).toEqual([{ customerID: gone?.id, deleted: true }]);
	expect(sent('deleteCustomer')).toEqual([{ customerID: gone?.id }]);
	expect(sandbox.customers).toEqual([stays]);
	expect((await run(remove)).error?.message).toBe(`Customer ${gone?.id} not found`);
});
