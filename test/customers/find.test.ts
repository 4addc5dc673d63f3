import { output } from '../engine';
import { by } from '../resources/locator';
import { useNode } from '../useNode';

/**
 * Which customer an operation finds: by ID, picked from the list, or by email. A run with many emails
 * reads the list once, and finds the same customers.
 */

const { sandbox, run, sent, advancePerformanceNow } = useNode({ resource: 'customer' });

const email = 'ada@example.com';
const asked = () => sandbox.requests.map(({ endpoint }) => endpoint);
const get = async (email: string) =>
	await run({ operation: 'get', customerId: by('email', email) });

test('finds a customer by ID: typed, picked, or by expression', async () => {
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
	['ADA@example.com', ' Ada@Example.com ', { ignoreFilter: true }],
	['ADA@example.com', 'ada@example.com', { ignoreSearch: true }],
	['ADA@example.com', 'Ada@example.com', { ignoreFilter: true, ignoreSearch: true }],
])('%j finds the customer %j at a gateway with %j', async (written, stored, settings) => {
	Object.assign(sandbox.settings, settings);
	sandbox.addCustomers(230);
	sandbox.addCustomer({ email: `${email}.au` });
	const { id } = sandbox.addCustomer({ email: stored });
	expect(output(await get(written))).toMatchObject([{ id }]);
	const filter = [{ field: 'email', operation: 'equals', value: written.trim() }];
	expect(sent('customers')[0]).toMatchObject({ page: { filter } });
});

test.each([
	['email', 'unknown'],
	['email', 'n/a'],
	['id', 'ada@example.com, bob@example.com'],
])('By %s refuses %s, which is no email, before any request', async (mode, value) => {
	sandbox.addCustomer({ email: value });
	for (const operation of ['get', 'update', 'delete']) {
		const { error } = await run({ operation, customerId: by(mode, value) });
		expect(error?.message).toContain("'Customer' takes one email address");
	}
	expect(sandbox.requests).toEqual([]);
});

test('reads each customer that the list shows: one with a new email is passed over, and one without an email or deleted is an error', async () => {
	const { id: bob } = sandbox.addCustomer({ email: 'old@example.com' });
	const { id: carla } = sandbox.addCustomer({ email: 'Old@example.com' });
	sandbox.freezeCustomerList(true);
	sandbox.updateCustomer(bob, { email: 'new@example.com' });
	output(await get('old@example.com'));
	expect(sent('customer')).toEqual([{ customerID: bob }, { customerID: carla }]);
	const unreadable = `The customer ${carla} was found by the email old@example.com, but cannot be read, or has no email`;
	sandbox.updateCustomer(carla, { email: '' });
	expect((await get('old@example.com')).error?.message).toBe(unreadable);
	sandbox.removeCustomer(carla);
	expect((await get('old@example.com')).error?.message).toBe(unreadable);
	// The list shows the new email later.
	expect((await get('new@example.com')).error?.message).toContain('No customer has');
});

test('Create or Update creates a customer even if the search is ignored and the list has one customer on two pages', async () => {
	sandbox.settings.ignoreSearch = true;
	sandbox.addCustomers(150);
	// A customer with two cards is listed twice: here, last on page 1 and first on page 2.
	let twice: unknown;
	const answer = (listed: unknown) => {
		const { data, page } = listed as { data: unknown[]; page: { page: number } };
		if (page.page === 1 && data.length === 0) return listed;
		if (page.page === 1) twice = data.at(-1);
		return { data: page.page === 2 ? [twice, ...data] : data, page: { ...page, total: 151 } };
	};
	sandbox.fault({ on: 'customers', times: Infinity, answer });
	const found = output(await run({ operation: 'upsert', email: 'new@example.com' }));
	expect(found).toMatchObject([{ outcome: 'created' }]);
});

describe('no operation changes anything if the customer', () => {
	const add = (...customers: object[]) => customers.forEach((each) => sandbox.addCustomer(each));
	const twins = () => add({ email, id: 'cus_1' }, { email, id: 'cus_2' });
	const others = () => add({ email: `x${email}` }, { email: '' });
	const later = { error: 'Later', data: [] };
	const saysError = () => sandbox.fault({ on: 'customers', times: Infinity, body: later });
	const ignored = { ignoreFilter: true, ignoreSearch: true, ignorePage: true };
	const ignoresAll = () => Object.assign(sandbox.settings, ignored) && sandbox.addCustomers(150);
	const needCustomer = ['get', 'delete', 'update'];
	const all = [...needCustomer, 'upsert'];
	test.each<[string, string, () => unknown, string[]]>([
		['is one of two', `2 customers have the email ${email}: cus_1, cus_2`, twins, all],
		['is in a list that comes with an error', 'Later', saysError, all],
		['is in a list that ignores pages', 'Could not check whether a customer', ignoresAll, all],
		['has another email, or none', 'No customer has the email', others, needCustomer],
	])('%s', async (_, words, prepare, operations) => {
		prepare();
		const fields = { email, customerId: by('email', email), customerFields: { phone: '1' } };
		for (const operation of operations) {
			expect((await run({ operation, ...fields })).error?.message).toContain(words);
		}
		expect(asked().filter((endpoint) => !endpoint.startsWith('customer'))).toEqual([]);
	});
});

describe('a run with many emails', () => {
	/** Fills the list of customers, and returns this many emails: every other one is new. */
	function prepare(count: number): string[] {
		const known = sandbox.addCustomers(400);
		return Array.from({ length: count }, (_, index) =>
			index % 2 === 0 ? `new${index}@example.org` : (known[index * 3]?.email ?? ''),
		);
	}
	const expected = (emails: string[]) =>
		emails.map((each) => (each.startsWith('new') ? 'created' : 'unchanged'));
	/** Runs Create or Update for each email; no customer is made twice. */
	const outcomes = async (emails: string[]) => {
		const items = emails.map((each) => ({ email: each }));
		const perItem = { operation: 'upsert', email: '={{ $json.email }}' };
		const found = output(await run(perItem, { items }));
		const stored = sandbox.customers.map((each) => each.email.toLowerCase());
		expect(new Set(stored).size).toBe(stored.length);
		return found.map(({ outcome }) => outcome);
	};
	const asksAll = ({ body }: { body: unknown }) => {
		const { page } = (body as { data: { page: object } }).data;
		return !('filter' in page) && !('search' in page);
	};
	const pagesOfAll = () => sandbox.requestsTo('customers').filter(asksAll).length;

	test('reads the list once, and asks only for the emails that are not in it', async () => {
		const emails = prepare(80);
		expect(await outcomes(emails)).toEqual(expected(emails));
		// The length of the list, and its two pages.
		expect(pagesOfAll()).toBe(3);
		// The list; a look-up and addCustomer for each new one; the data of each known one.
		expect(sandbox.requests).toHaveLength(pagesOfAll() + 40 + 40 + 40);
	});

	test('asks for each email if they are few, or the list has more pages than there are items', async () => {
		const emails = prepare(10);
		await outcomes(emails.slice(0, 9));
		expect(pagesOfAll()).toBe(0);
		sandbox.settings.pageSizeCap = 40;
		await outcomes(emails);
		expect(pagesOfAll()).toBe(1);
	});

	test('remembers the customers it has made until it ends, in upper or lower case', async () => {
		const emails = [...prepare(20), 'NEW0@example.org'];
		// No list shows the new customers, and what is noted for a minute is forgotten.
		sandbox.freezeCustomerList(true);
		sandbox.fault({ on: 'addCustomer', times: Infinity, run: () => advancePerformanceNow(60_000) });
		expect((await outcomes(emails)).at(-1)).toBe('unchanged');
	});

	test('reports twins', async () => {
		for (const each of [email, 'Ada@example.com']) sandbox.addCustomer({ email: each });
		const items = Array.from({ length: 12 }, () => ({}));
		const { error } = await run({ operation: 'upsert', email }, { items });
		expect(error?.message).toContain(`2 customers have the email ${email}`);
	});

	test('finds all, and creates no customer twice, if the list fails half-way', async () => {
		const emails = prepare(40);
		sandbox.fault({ on: 'customers', when: asksAll, after: 2, times: 9, status: 500 });
		expect(await outcomes(emails)).toEqual(expected(emails));
	});
});
