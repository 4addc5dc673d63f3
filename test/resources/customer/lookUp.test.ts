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
	const filter = [{ field: 'email', operation: 'equals', value: written.trim() }];
	expect(sent('customers')[0]).toMatchObject({ page: { filter } });
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
	const page = { total: 0, page: 1, pageSize: 100 };
	const add = (...customers: object[]) => customers.forEach((each) => sandbox.addCustomer(each));
	const twins = () => add({ email, id: 'cus_1' }, { email, id: 'cus_2' });
	const failing = { error: 'Later', data: [], page };
	const saysError = () => sandbox.fault({ on: 'customers', times: Infinity, body: failing });
	const ignoresAll = () => {
		sandbox.addCustomers(150);
		const ignored = { ignoreFilter: true, ignoreSearch: true, ignorePage: true };
		Object.assign(sandbox.settings, ignored);
	};
	const others = () => add({ email: `x${email}` }, { email: '' });
	const taking = ['get', 'delete', 'update'];
	const all = [...taking, 'upsert'];
	test.each<[string, string, () => unknown, string[]]>([
		['is one of two', `2 customers have the email ${email}: cus_1, cus_2`, twins, all],
		['is in a list that says an error', 'Later', saysError, all],
		['is in a list that ignores filters and pages', 'Nobody can tell whether', ignoresAll, all],
		['has another email, or none', 'No customer has the email', others, taking],
	])('%s', async (_, words, prepare, operations) => {
		prepare();
		const fields = { email, customerId: by('email', email), customerFields: { phone: '1' } };
		for (const operation of operations) {
			expect((await run({ operation, ...fields })).error?.message).toContain(words);
		}
		expect(asked().filter((endpoint) => !endpoint.startsWith('customer'))).toEqual([]);
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

	test('are all found, and nobody is made twice, where the list fails half-way', async () => {
		const emails = prepare(40);
		sandbox.fault({ on: 'customers', when: asksAll, after: 2, times: 9, status: 500 });
		expect(await outcomes(emails)).toEqual(expected(emails));
	});
});
