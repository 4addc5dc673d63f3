import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { output } from '../../engine';
import { useNode } from '../../useNode';
import { by } from '../locator';

/**
 * Which customer is meant, for every operation that takes one: by ID, from the list, or by email. A
 * run with many emails reads the list once, and comes to the same.
 */

const { sandbox, run, sent } = useNode({ resource: 'customer' });

const email = 'ada@example.com';
const asked = () => sandbox.requests.map(({ endpoint }) => endpoint);
const get = async (mode: string, value: string, given = {}) =>
	await run({ operation: 'get', customerId: by(mode, value) }, given);

test('a customer is found by ID, however it is written', async () => {
	const { id } = sandbox.addCustomer();
	for (const [mode, value] of [['id', ` ${id} `] as const, ['list', '={{ $json.id }}'] as const]) {
		expect(output(await get(mode, value, { items: [{ id }] }))).toMatchObject([{ id }]);
	}
	const customerId = '={{ $json.id }}';
	expect(output(await run({ operation: 'get', customerId }, { items: [{ id }] }))).toHaveLength(1);
	expect(new Set(asked())).toEqual(new Set(['customer']));
});

test("an email is looked for with a filter of the service's description, and looked at", async () => {
	sandbox.addCustomer({ email });
	output(await get('email', email));
	const filter = [{ field: 'email', operation: 'equals', value: email }];
	expect(sent('customers')).toMatchObject([{ page: { filter } }]);
	expect(asked()).toEqual(['customers', 'customer']);
});

test.each([
	['Ada@Example.com', {}],
	[' ADA@exam\u00adple.com ', {}],
	['ADA@example.com', { ignoreFilter: true, ignoreSearch: true }],
])('a customer is found by %j, where the service says %j', async (written, settings) => {
	Object.assign(sandbox.settings, settings);
	sandbox.addCustomers(230);
	sandbox.addCustomer({ email: `${email}.au` });
	const { id } = sandbox.addCustomer({ email: 'Ada@example.com' });
	expect(output(await get('email', written))).toMatchObject([{ id }]);
});

test('where the list is behind, it is whoever has the email now', async () => {
	const { id: bob } = sandbox.addCustomer({ email: 'old@example.com' });
	const { id: carla } = sandbox.addCustomer({ email: 'Old@example.com' });
	sandbox.holdCustomerList(true);
	sandbox.updateCustomer(bob, { email: 'new@example.com' });
	output(await get('email', 'old@example.com'));
	expect(sent('customer')).toEqual([{ customerID: bob }, { customerID: carla }]);
	sandbox.removeCustomer(carla);
	expect((await get('email', 'old@example.com')).error?.message).toContain('cannot be read');
	expect((await get('email', 'new@example.com')).error?.message).toContain('No customer has');
});

test('it is who the list shows, where their own data show no email', async () => {
	const { id } = sandbox.addCustomer({ email });
	sandbox.fault({ on: 'customer', body: { id } });
	const customerFields = { phone: '2' };
	output(await run({ operation: 'update', customerId: by('email', email), customerFields }));
	expect(sent('updateCustomer')).toEqual([{ customerID: id, form: { email, phone: '2' } }]);
});

describe('nothing is changed, by no operation, where a customer', () => {
	const listed = (body: object) => sandbox.fault({ on: 'customers', times: Infinity, body });
	const page = { total: 0, page: 1, pageSize: 100 };
	const ignored = { ignoreFilter: true, ignoreSearch: true, ignorePage: true };
	const noID = `shows no ID of the customer with the email ${email}`;
	test.each<[string, string, () => unknown]>([
		[
			'is one of two',
			`2 customers have the email ${email}: cus_1, cus_2`,
			() => ['cus_1', 'cus_2'].forEach((id) => sandbox.addCustomer({ email, id })),
		],
		[
			'is in a list that says an error',
			'Later',
			() => listed({ error: { message: 'Later' }, data: [], page }),
		],
		[
			'is in a list of which filters and pages are ignored',
			'Nobody can tell whether',
			() => {
				sandbox.addCustomers(150);
				Object.assign(sandbox.settings, ignored);
			},
		],
		['is shown without an ID', noID, () => listed({ data: [{ email }] })],
		['is shown with an empty one', noID, () => listed({ data: [{ email, id: '' }] })],
	])('%s', async (_, words, prepare) => {
		prepare();
		const fields = { email, customerId: by('email', email), customerFields: { phone: '1' } };
		for (const operation of ['get', 'delete', 'update', 'upsert']) {
			expect((await run({ operation, ...fields })).error?.message).toContain(words);
		}
		expect(asked().filter((endpoint) => !endpoint.startsWith('customer'))).toEqual([]);
	});

	test.each<[string, string, INodeParameters]>([
		['has another email', 'No customer has the email', by('email', email)],
		['has no email, and nothing is seen', 'No customer has the email', by('email', '\u200e')],
		// n8n itself refuses to run a node in which it stands empty.
		['is not chosen', "'Customer' is empty", by('list', '={{ "" }}')],
		['has no ID', "'Customer' is empty", by('id', ' ')],
		['is not found by an expression', "'Customer' is empty", by('email', '={{ $json.no }}')],
	])('%s', async (_, words, customerId) => {
		for (const other of [`x${email}`, '']) sandbox.addCustomer({ email: other });
		for (const operation of ['get', 'delete', 'update']) {
			const { error } = await run({ operation, customerId, customerFields: { phone: '1' } });
			expect(error?.message).toContain(words);
		}
		expect(asked().filter((endpoint) => endpoint !== 'customers')).toEqual([]);
		if (words.includes('is empty')) expect(asked()).toEqual([]);
	});
});

describe('many in one run', () => {
	const CUSTOMERS = 400;

	/** A list of customers, and as many items: half new, a quarter changed, a quarter unchanged. */
	function prepare(items: number) {
		const known = sandbox.addCustomers(CUSTOMERS);
		return Array.from({ length: items }, (_, index) => {
			const customer = known[index * 3];
			if (customer === undefined || index % 2 === 0) {
				return { email: `new${index}@example.org`, name: `New ${index}` };
			}
			const name = index % 4 === 1 ? customer.nameOnCard : `Changed ${index}`;
			return { email: customer.email, name };
		});
	}
	const outcomeOf = (_: unknown, index: number) =>
		index % 2 === 0 ? 'created' : index % 4 === 1 ? 'unchanged' : 'updated';
	/** What came of each item; whatever happens, nobody is made twice. */
	const outcomes = async (items: IDataObject[]) => {
		const parameters = {
			operation: 'upsert',
			email: '={{ $json.email }}',
			customerFields: { nameOnCard: '={{ $json.name }}' },
		};
		const found = output(await run(parameters, { items }));
		const emails = sandbox.customers.map((each) => each.email.toLowerCase());
		expect(new Set(emails).size).toBe(emails.length);
		return found.map(({ outcome }) => outcome);
	};
	const asksAll = ({ body }: { body: unknown }) => {
		const { page } = (body as { data: { page: object } }).data;
		return !('filter' in page) && !('search' in page);
	};
	const pagesOfAll = () => sandbox.requestsTo('customers').filter(asksAll).length;

	test('are found in the list, which is read once, and only others are asked for', async () => {
		const items = prepare(80);
		expect(await outcomes(items)).toEqual(items.map(outcomeOf));
		expect(pagesOfAll()).toBe(3);
		// The list, one check for each before it is made, one look at each that is there.
		expect(sandbox.requests).toHaveLength(3 + 40 + 40 + 40 + 20);
	});

	test('are asked for one by one where they are few, or the list has more pages', async () => {
		const items = prepare(10);
		await outcomes(items.slice(0, 9));
		expect(pagesOfAll()).toBe(0);
		sandbox.settings.pageSizeCap = 40;
		await outcomes(items);
		expect(pagesOfAll()).toBe(1);
	});

	const fault = (more: object) => () => sandbox.fault({ on: 'customers', when: asksAll, ...more });
	test.each<[string, () => unknown]>([
		['refuses pages of more than 100', () => (sandbox.settings.rejectPageSizeAbove = 100)],
		['counts nothing', () => (sandbox.settings.total = 'zero')],
		['ignores filters', () => (sandbox.settings.ignoreFilter = true)],
		['grows while it is read', fault({ after: 1, run: () => sandbox.addCustomers(3) })],
		['fails', fault({ times: 3, status: 500 })],
		['fails half-way', fault({ after: 1, times: 9, status: 500 })],
		[
			'loses a row while it is read',
			fault({ after: 1, run: () => sandbox.removeCustomer(sandbox.customers[7]?.id ?? '') }),
		],
	])('are all found, and nobody is made twice, where the list %s', async (_, odd) => {
		const items = prepare(40);
		odd();
		// The first row of the second page, which a move hides, and the last row of all.
		const others = [200, CUSTOMERS - 1].map((at, index) => {
			const other = `Other${index}@Example.org`;
			sandbox.updateCustomer(sandbox.customers[at]?.id ?? '', { email: other, nameOnCard: 'A' });
			return { email: other.toLowerCase(), name: 'A' };
		});
		const expected = [...items.map(outcomeOf), 'unchanged', 'unchanged'];
		expect(await outcomes([...items, ...others])).toEqual(expected);
	});
});
