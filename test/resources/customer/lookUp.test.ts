import type { INodeParameters } from 'n8n-workflow';

import { output } from '../../engine';
import { useNode } from '../../useNode';
import { by } from '../locator';

/**
 * Which customer is meant, for every operation that takes one: by ID, from the list, or by email. A
 * run with many emails reads the list once, and comes to the same.
 */

const { sandbox, run, sent, later } = useNode({ resource: 'customer' });

const email = 'ada@example.com';
const asked = () => sandbox.requests.map(({ endpoint }) => endpoint);
const get = async (email: string) =>
	await run({ operation: 'get', customerId: by('email', email) });

test('a customer is found by ID, however it is written', async () => {
	const { id } = sandbox.addCustomer();
	const byExpression = '={{ $json.id }}';
	for (const customerId of [by('id', ` ${id} `), by('list', byExpression), byExpression]) {
		const found = output(await run({ operation: 'get', customerId }, { items: [{ id }] }));
		expect(found).toMatchObject([{ id }]);
	}
	expect(asked()).toEqual(['customer', 'customer', 'customer']);
});

test("an email is looked for with a filter of the gateway's description, and looked at", async () => {
	sandbox.addCustomer({ email });
	output(await get(email));
	const filter = [{ field: 'email', operation: 'equals', value: email }];
	expect(sent('customers')).toMatchObject([{ page: { filter } }]);
	expect(asked()).toEqual(['customers', 'customer']);
});

test.each([
	['Ada@Example.com', 'Ada@Example.com', {}],
	[' ada@example.COM ', 'Ada@example.com', {}],
	['ADA@example.com', 'ada@example.com', { ignoreSearch: true }],
	['ADA@example.com', 'Ada@example.com', { ignoreFilter: true, ignoreSearch: true }],
])('%j finds %s, where the gateway says %j', async (written, stored, settings) => {
	Object.assign(sandbox.settings, settings);
	sandbox.addCustomers(230);
	sandbox.addCustomer({ email: `${email}.au` });
	const { id } = sandbox.addCustomer({ email: stored });
	expect(output(await get(written))).toMatchObject([{ id }]);
});

test('where the list is behind, it is whoever has the email now', async () => {
	const { id: bob } = sandbox.addCustomer({ email: 'old@example.com' });
	const { id: carla } = sandbox.addCustomer({ email: 'Old@example.com' });
	sandbox.holdCustomerList(true);
	sandbox.updateCustomer(bob, { email: 'new@example.com' });
	output(await get('old@example.com'));
	expect(sent('customer')).toEqual([{ customerID: bob }, { customerID: carla }]);
	sandbox.removeCustomer(carla);
	expect((await get('old@example.com')).error?.message).toContain('cannot be read');
	expect((await get('new@example.com')).error?.message).toContain('No customer has');
});

describe('nothing is changed, by no operation, where a customer', () => {
	const expectRefused = async (words: string, operations: string[], fields: INodeParameters) => {
		for (const operation of operations) {
			const { error } = await run({ operation, ...fields, customerFields: { phone: '1' } });
			expect(error?.message).toContain(words);
		}
		expect(asked().filter((endpoint) => !endpoint.startsWith('customer'))).toEqual([]);
	};

	const page = { total: 0, page: 1, pageSize: 100 };
	const addTwo = () => ['cus_1', 'cus_2'].forEach((id) => sandbox.addCustomer({ email, id }));
	const listed = (body: object) => () => sandbox.fault({ on: 'customers', times: Infinity, body });
	const ignore = () => {
		sandbox.addCustomers(150);
		const ignored = { ignoreFilter: true, ignoreSearch: true, ignorePage: true };
		Object.assign(sandbox.settings, ignored);
	};
	test.each<[string, string, () => unknown]>([
		['is one of two', `2 customers have the email ${email}: cus_1, cus_2`, addTwo],
		['is in a list that says an error', 'Later', listed({ error: 'Later', data: [], page })],
		['is in a list that ignores filters and pages', 'Nobody can tell whether', ignore],
	])('%s', async (_, words, prepare) => {
		prepare();
		const fields = { email, customerId: by('email', email) };
		await expectRefused(words, ['get', 'delete', 'update', 'upsert'], fields);
	});

	test('has another email, or none', async () => {
		for (const other of [`x${email}`, '']) sandbox.addCustomer({ email: other });
		const customerId = by('email', email);
		await expectRefused('No customer has the email', ['get', 'delete', 'update'], { customerId });
		expect(asked()).not.toContain('customer');
	});
});

describe('many in one run', () => {
	const CUSTOMERS = 400;

	/** A list of customers, and as many emails: every other one is new. */
	function prepare(count: number): string[] {
		const known = sandbox.addCustomers(CUSTOMERS);
		return Array.from({ length: count }, (_, index) =>
			index % 2 === 0 ? `new${index}@example.org` : (known[index * 3]?.email ?? ''),
		);
	}
	const expected = (emails: string[]) =>
		emails.map((each) => (each.startsWith('new') ? 'created' : 'unchanged'));
	/** What came of each; whatever happens, nobody is made twice. */
	const outcomes = async (emails: string[]) => {
		const items = emails.map((each) => ({ email: each }));
		const found = output(
			await run({ operation: 'upsert', email: '={{ $json.email }}' }, { items }),
		);
		const stored = sandbox.customers.map((each) => each.email.toLowerCase());
		expect(new Set(stored).size).toBe(stored.length);
		return found.map(({ outcome }) => outcome);
	};
	const asksAll = ({ body }: { body: unknown }) => {
		const { page } = (body as { data: { page: object } }).data;
		return !('filter' in page) && !('search' in page);
	};
	const pagesOfAll = () => sandbox.requestsTo('customers').filter(asksAll).length;

	test('are found in the list, which is read once, and only others are asked for', async () => {
		const emails = prepare(80);
		expect(await outcomes(emails)).toEqual(expected(emails));
		// How long it is, and its two pages.
		expect(pagesOfAll()).toBeLessThanOrEqual(4);
		// The list, one check for each before it is made, one look at each that is there.
		expect(sandbox.requests).toHaveLength(pagesOfAll() + 40 + 40 + 40);
	});

	test('are asked for one by one where they are few, or the list has more pages', async () => {
		const emails = prepare(10);
		await outcomes(emails.slice(0, 9));
		expect(pagesOfAll()).toBe(0);
		sandbox.settings.pageSizeCap = 40;
		await outcomes(emails);
		expect(pagesOfAll()).toBe(1);
	});

	test('are known for as long as the run goes on, in whatever letters', async () => {
		const emails = [...prepare(20), 'NEW0@example.org'];
		// No list shows who was made, and what is remembered for a minute is forgotten.
		sandbox.holdCustomerList(true);
		sandbox.fault({ on: 'addCustomer', times: Infinity, run: () => later(60_000) });
		expect((await outcomes(emails)).at(-1)).toBe('unchanged');
	});

	test.each<[string, () => unknown]>([
		['counts nothing', () => (sandbox.settings.total = 'zero')],
		[
			'fails half-way',
			() => sandbox.fault({ on: 'customers', when: asksAll, after: 2, times: 9, status: 500 }),
		],
	])('are all found, and nobody is made twice, where the list %s', async (_, odd) => {
		const emails = prepare(40);
		odd();
		expect(await outcomes(emails)).toEqual(expected(emails));
	});
});
