import type { INodeParameters } from 'n8n-workflow';

import { log, output } from '../../engine';
import { useNode } from '../../useNode';

/** A list of customers is whole, in the service's order, and each customer is in it once. */

const { sandbox, run, sent } = useNode({ resource: 'customer', operation: 'getAll' });

const all = { returnAll: true };
const ids = () => sandbox.customers.map(({ id }) => id);
const found = async (parameters: INodeParameters) =>
	output(await run(parameters)).map(({ id }) => id);
const pages = () => sent('customers').map(({ page }) => page);

describe('what is asked of the service', () => {
	test('filters, sort, search and page size, in its own words, and nothing that is empty', async () => {
		sandbox.addCustomer({ email: 'ada@example.com' });
		const parameters = {
			filters: {
				conditions: [
					{ field: 'email', condition: 'contains', value: 'ada' },
					{ field: 'city_state', condition: 'neq', value: 'Paris' },
					{ field: '', condition: 'equals', value: 'left empty' },
				],
			},
			sort: { rule: { field: 'email', order: 'desc' } },
			options: { search: 'example', pageSize: 25 },
		};
		expect(await found(parameters)).toEqual(ids());
		expect(pages()).toEqual([
			{
				page: 1,
				pageSize: 25,
				sort: { field: 'email', order: 'desc' },
				filter: [
					{ field: 'email', operation: 'contains', value: 'ada' },
					{ field: 'city_state', operation: 'neq', value: 'Paris' },
				],
				search: 'example',
			},
		]);
		sandbox.reset();
		output(await run({ sort: { rule: { field: '' } }, options: { search: '' } }));
		expect(pages()).toEqual([{ page: 1, pageSize: 50 }]);
	});

	test.each(['contains', 'equals', 'gt', 'gte', 'lt', 'lte', 'neq'])(
		'the condition %s',
		async (condition) => {
			const conditions = [{ field: 'zip', condition, value: '={{ 62701 }}' }];
			output(await run({ filters: { conditions } }));
			expect(pages()[0]?.filter).toEqual([{ field: 'zip', operation: condition, value: '62701' }]);
		},
	);

	test('a field called "type" is that of the list, and no type of an event', async () => {
		const conditions = [{ field: 'other', fieldName: 'type', condition: 'equals', value: 'a.b' }];
		await run({ filters: { conditions } });
		expect(pages()[0]?.filter).toEqual([{ field: 'type', operation: 'equals', value: 'a.b' }]);
	});

	test("a field that it does not know is refused in the service's words", async () => {
		const conditions = [{ field: 'shoe', condition: 'equals', value: '42' }];
		const { error } = await run({ filters: { conditions } });
		expect(error?.message).toBe('data.page.filter.field "shoe" is not a field of this list');
	});
});

describe('a limit', () => {
	test.each([
		[{}, 50, 1],
		[{ limit: 1 }, 1, 1],
		[{ limit: 100 }, 100, 1],
		[{ limit: 101 }, 101, 2],
		[{ limit: 250 }, 250, 3],
		[{ limit: 1000 }, 320, 4],
		[{ limit: 20, options: { pageSize: 10 } }, 20, 2],
	])('%j of 320 customers answers %i with %i requests', async (parameters, count, requests) => {
		sandbox.addCustomers(320);
		expect(await found(parameters)).toEqual(ids().slice(0, count));
		expect(pages()).toHaveLength(requests);
	});

	test.each([0, -1, 1.5, 'many'])('of %j is refused before anything is sent', async (limit) => {
		const { error } = await run({ limit: `={{ ${JSON.stringify(limit)} }}` });
		expect(error?.message).toContain("'Limit'");
		expect(sandbox.requests).toHaveLength(0);
	});
});

describe('all of them', () => {
	test('none is an empty result, by one request', async () => {
		const result = await run(all);
		expect([output(result), pages().length]).toEqual([[], 1]);
	});

	test('5,000 come in order, by at most 52 requests, and 64 at a time', async () => {
		sandbox.addCustomers(5000);
		sandbox.settings.latency = 2;
		const items = output(await run(all));
		expect(items.map(({ id }) => id)).toEqual(ids());
		expect(pages().length).toBeLessThanOrEqual(52);
		expect(sandbox.maxInFlight).toBeLessThanOrEqual(64);
		expect(sandbox.maxInFlight).toBeGreaterThan(1);
		expect(new Set(pages().map(({ page }) => page)).size).toBe(pages().length);
	});

	test.each(['right', 'zero', 'text', { constant: 9 }, { constant: 9999 }] as const)(
		'come whole and in order when the total is %j, with pages of any size',
		async (total) => {
			for (const cap of [Infinity, 40]) {
				sandbox.reset();
				sandbox.addCustomers(230);
				Object.assign(sandbox.settings, { total, pageSizeCap: cap });
				expect(await found(all)).toEqual(ids());
				expect(pages().length).toBeLessThanOrEqual(cap === 40 ? 24 : 16);
			}
		},
	);

	test('come whole when the service does not say that it serves fewer', async () => {
		sandbox.addCustomers(95);
		sandbox.settings.pageSizeCap = 30;
		sandbox.fault({
			times: 99,
			answer: (answer) => {
				const { data, page } = answer as { data: unknown[]; page: object };
				return { data, page: { ...page, pageSize: 100 } };
			},
		});
		expect(await found(all)).toEqual(ids());
	});

	test('end on a service that answers the first page for ever', async () => {
		sandbox.addCustomers(250);
		sandbox.settings.ignorePage = true;
		expect(await found(all)).toEqual(ids().slice(0, 100));
		expect(pages().length).toBeLessThanOrEqual(12);
	});

	test('end on a service that has no page after the last one', async () => {
		sandbox.addCustomers(200);
		sandbox.fault({
			on: 'customers',
			times: Infinity,
			when: ({ body }) => JSON.stringify(body).includes('"page":3'),
			status: 404,
		});
		expect(await found(all)).toEqual(ids());
	});

	test('say in the log that the service counts more than it gives out', async () => {
		sandbox.addCustomers(150);
		sandbox.settings.ignorePage = true;
		expect(await found(all)).toEqual(ids().slice(0, 100));
		const said = log.lines.filter((line) => line.includes('counts 150 rows of the list'));
		expect(said).toHaveLength(1);
	});

	test('hold both rows of a customer with two cards', async () => {
		const row = { id: 'cus_1', name: 'Ada', email: 'ada@example.com' };
		const data = [
			{ ...row, last4: '4242' },
			{ ...row, last4: '1881' },
		];
		sandbox.fault({ on: 'customers', body: { data, page: { total: 2, page: 1, pageSize: 100 } } });
		expect(output(await run(all))).toEqual(data);
	});

	test('hold no customer twice, whatever the service does with rows that sort equal', async () => {
		sandbox.addCustomers(250);
		sandbox.settings.tieOrder = 'random';
		const sort = { rule: { field: 'city_state', order: 'asc' } };
		const some = await found({ ...all, sort });
		expect(new Set(some).size).toBe(some.length);
	});

	test.each([
		['deleted', (at: number) => sandbox.removeCustomer(ids()[at] ?? '')],
		['added', () => void sandbox.addCustomer()],
	] as const)('are whole when one is %s between two pages', async (_, change) => {
		sandbox.addCustomers(250);
		const before = ids();
		let count = 0;
		sandbox.fault({
			on: 'customers',
			times: Infinity,
			run: () => {
				if (++count === 3) change(5);
			},
		});
		const some = await found(all);
		expect(some).toEqual(ids());
		expect(some).not.toEqual(before);
	});

	test('survive a page that cannot be read once, and stop at one that never can', async () => {
		sandbox.addCustomers(450);
		const third = { on: 'customers' as const, headers: { 'Retry-After': '0' }, status: 503 };
		const isThird = ({ body }: { body: unknown }) => JSON.stringify(body).includes('"page":3');
		sandbox.fault({ ...third, when: isThird });
		expect(await found(all)).toEqual(ids());
		sandbox.fault({ ...third, when: isThird, times: Infinity, body: { message: 'No page 3' } });
		const { error, items } = await run(all);
		expect([error?.message, items]).toEqual(['No page 3', []]);
		expect(sandbox.requests.every(({ answeredAt }) => answeredAt !== undefined)).toBe(true);
	});

	test("show no sensitive data, also in fields that the service's description does not know", async () => {
		sandbox.addCustomer();
		sandbox.fault({
			answer: (answer) => {
				const { data, page } = answer as { data: object[]; page: object };
				const extra = { accountNumber: '000123456789', cvc: '123' };
				return { data: data.map((row) => ({ ...row, ...extra })), page };
			},
		});
		const [row] = output(await run(all));
		expect(row).toMatchObject({ accountNumber: '••••6789' });
		expect(row).not.toHaveProperty('cvc');
	});
});
