import type { INodeParameters } from 'n8n-workflow';

import { log, output } from '../../engine';
import { useNode } from '../../useNode';

/** A list of customers, as the service filters and sorts it. How it is read: paginate.test.ts. */

const { sandbox, run, sent } = useNode({ resource: 'customer', operation: 'getAll' });

const all = { returnAll: true };
const ids = () => sandbox.customers.map(({ id }) => id);
const found = async (parameters: INodeParameters) =>
	output(await run(parameters)).map(({ id }) => id);
const pages = () => sent('customers').map(({ page }) => page);

test('asks for filters, sort, search and page size in the words of the service', async () => {
	const words = ['contains', 'equals', 'gt', 'gte', 'lt', 'lte', 'neq'];
	const conditions = words.map((condition) => ({ field: 'zip', condition, value: '={{ 62701 }}' }));
	const sort = { field: 'email', order: 'desc' };
	const options = { search: ' example ', pageSize: 25 };
	output(await run({ ...all, filters: { conditions }, sort: { rule: sort }, options }));
	const filter = words.map((operation) => ({ field: 'zip', operation, value: '62701' }));
	expect(pages()).toEqual([{ page: 1, pageSize: 25, sort, filter, search: 'example' }]);
});

test('rows without an ID, and of the cards of one, are as many as there are', async () => {
	const cards = ['4242', '1881'].map((last4) => ({ id: 'cus_1', last4 }));
	const data = [{ email: 'a@x.com' }, { email: 'b@x.com' }, ...cards];
	sandbox.fault({ on: 'customers', body: { data, page: { total: 4, page: 1, pageSize: 100 } } });
	expect(output(await run(all))).toHaveLength(4);
});

test('asks for nothing that is empty', async () => {
	output(await run({ ...all, sort: {}, filters: { conditions: [] }, options: { search: '' } }));
	expect(pages()).toEqual([{ page: 1, pageSize: 100 }]);
});

test.each([
	['type', 'a field called "type" is that of the list, and no type of an event'],
	['shoe', "a field that the service does not know is refused in the service's words"],
])('the field %s: %s', async (field) => {
	const conditions = [{ field: `={{ "${field}" }}`, condition: 'equals', value: 'a.b' }];
	const { error } = await run({ filters: { conditions } });
	expect(pages()[0]?.filter).toEqual([{ field, operation: 'equals', value: 'a.b' }]);
	const words = `'Field': data.page.filter.field "${field}" is not a field of this list`;
	expect(error?.message).toBe(words);
});

test.each([
	[{}, 50],
	[{ limit: 101 }, 101],
	[{ limit: 1000 }, 320],
	[all, 320],
])('%j of 320 customers answers %i, in order', async (parameters, count) => {
	sandbox.addCustomers(320);
	expect(await found(parameters)).toEqual(ids().slice(0, count));
	expect(pages().length).toBeLessThanOrEqual(Math.ceil(count / 100) + 1);
});

test('n8n is told in its log where the service counts more than it gives out', async () => {
	sandbox.addCustomers(150);
	sandbox.settings.ignorePage = true;
	expect(await found(all)).toEqual(ids().slice(0, 100));
	expect(log.lines.filter((line) => line.includes('150'))).toHaveLength(1);
});

test('the columns are first what people read, then the card, then IDs, then all others', async () => {
	sandbox.addCustomer();
	sandbox.fault({
		answer: (answer) => {
			const { data, page } = answer as { data: object[]; page: object };
			const extra = { vip: true, accountNumber: '000123456789', cvc: '123' };
			return { data: data.map((row) => ({ ...extra, ...row })), page };
		},
	});
	const [row] = output(await run(all));
	expect(Object.keys(row ?? {}).join()).toBe(
		'name,email,phone,city_state,zip,brand,last4,expires,isDefault,id,vip,accountNumber',
	);
	// Also in fields that the service's description does not know.
	expect(row).toMatchObject({ accountNumber: '••••6789' });
});
