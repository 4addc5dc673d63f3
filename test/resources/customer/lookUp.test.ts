import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { output } from '../../engine';
import { useNode } from '../../useNode';
import { useSandbox } from '../../useSandbox';
import { by } from '../locator';

/**
 * Which customer is meant, for every operation that takes one: by ID, from the list, or by email. A
 * run with many emails reads the list once, and comes to the same.
 */

const { sandbox, run: runNode, sent, credentials } = useNode({ resource: 'customer' });
const { sandbox: elsewhere } = useSandbox();

const run = async (operation: string, parameters: INodeParameters, given = {}) =>
	await runNode({ operation, ...parameters }, given);
const asked = () => sandbox.requests.map(({ endpoint }) => endpoint);
const settings = { onError: 'continueRegularOutput' as const };

interface Page {
	page: number;
	filter?: Array<{ value: string }>;
	search?: string;
}
const lists = () => sent('customers').map(({ page }) => page as unknown as Page);
const isOfAll = ({ filter, search }: Page) => filter === undefined && search === undefined;
const asksAll = ({ body }: { body: unknown }) =>
	isOfAll((body as { data: { page: Page } }).data.page);
const pagesOfAll = () =>
	lists()
		.filter(isOfAll)
		.map(({ page }) => page);

describe('the customer', () => {
	test('is found by ID, however it is written', async () => {
		const { id } = sandbox.addCustomer();
		const ways = [by('id', id), by('list', id), by('id', ` ${id} `), by('id', '={{ $json.id }}')];
		for (const customerId of [...ways, '={{ $json.id }}']) {
			expect(output(await run('get', { customerId }, { items: [{ id }] }))).toMatchObject([{ id }]);
		}
		expect(new Set(asked())).toEqual(new Set(['customer']));
	});

	test.each(['Ada@Example.com', 'ada@example.com', 'ADA@EXAMPLE.COM', ' ada@exam\u00adple.com '])(
		'is found by email in any case: %j',
		async (email) => {
			const { id } = sandbox.addCustomer({ email: 'Ada@Example.com' });
			sandbox.addCustomer({ email: 'ada@example.com.au' });
			sandbox.addCustomers(3);
			expect(output(await run('get', { customerId: by('email', email) }))).toMatchObject([{ id }]);
		},
	);

	test('is found by email where the service knows neither filter nor search', async () => {
		Object.assign(sandbox.settings, { ignoreFilter: true, ignoreSearch: true });
		sandbox.addCustomers(230);
		const { id } = sandbox.addCustomer({ email: 'last@example.com' });
		expect(output(await run('get', { customerId: by('email', 'LAST@example.com') }))).toMatchObject(
			[{ id }],
		);
	});

	test("is looked for with a filter of the service's description, and looked at", async () => {
		sandbox.addCustomer({ email: 'ada@example.com' });
		output(await run('get', { customerId: by('email', 'ada@example.com') }));
		expect(lists()).toMatchObject([
			{ filter: [{ field: 'email', operation: 'equals', value: 'ada@example.com' }] },
		]);
		expect(asked()).toEqual(['customers', 'customer']);
	});

	test.each(['customer', 'paymentMethod'])(
		'is whoever has the email now, where the list is behind (%s)',
		async (resource) => {
			const operation = resource === 'customer' ? 'get' : 'getAll';
			const find = async (email: string) =>
				await run(operation, { resource, customerId: by('email', email) });
			const { id: bob } = sandbox.addCustomer({ email: 'old@example.com' });
			const { id: carla } = sandbox.addCustomer({ email: 'Old@example.com' });
			sandbox.holdCustomerList(true);
			sandbox.updateCustomer(bob, { email: 'new@example.com' });
			output(await find('old@example.com'));
			expect(sent('customer')).toEqual([{ customerID: bob }, { customerID: carla }]);
			sandbox.removeCustomer(carla);
			expect((await find('old@example.com')).error?.message).toContain('cannot be read');
			expect((await find('new@example.com')).error?.message).toContain('No customer has');
		},
	);

	test('is who the list shows, where their own data show no email', async () => {
		const { id, email } = sandbox.addCustomer();
		sandbox.fault({ on: 'customer', times: 2, body: { id } });
		for (const operation of ['get', 'update']) {
			const customerFields = { phone: '2' };
			output(await run(operation, { customerId: by('email', email), customerFields }));
		}
		expect(sent('updateCustomer')).toEqual([{ customerID: id, form: { email, phone: '2' } }]);
	});

	const none = { data: [], page: { total: 300, page: 1, pageSize: 100 } };
	const nameless = { data: [{ email: 'ada@example.com' }] };
	test.each<[string, string, () => void]>([
		['nobody', 'No customer has the email', () => sandbox.addCustomer({ email: 'da@example.com' })],
		[
			'in a list that cannot be read whole',
			'Nobody can tell whether a customer has the email ada@example.com',
			() => sandbox.fault({ on: 'customers', times: Infinity, body: none }),
		],
		[
			'shown without an ID',
			'shows no ID of the customer with the email ada@example.com',
			() => sandbox.fault({ on: 'customers', times: Infinity, body: nameless }),
		],
	])('that is %s, by email, is an error, and nothing is changed', async (_, words, prepare) => {
		prepare();
		for (const operation of ['get', 'delete', 'update']) {
			const customerFields = { phone: '1' };
			const customerId = by('email', 'ada@example.com');
			const { error } = await run(operation, { customerId, customerFields });
			expect(error?.message).toContain(words);
		}
		expect(new Set(asked())).toEqual(new Set(['customers']));
	});

	test('that two are, by email, is an error that names them, and nothing is changed', async () => {
		const ids = [1, 2].map(() => sandbox.addCustomer({ email: 'ada@example.com' }).id);
		for (const operation of ['get', 'delete', 'update']) {
			const customerFields = { phone: '1' };
			const customerId = by('email', 'ada@example.com');
			const { error } = await run(operation, { customerId, customerFields });
			const named = `2 customers have the email ada@example.com: ${ids.join(', ')}`;
			expect(error?.message).toContain(named);
		}
		expect(new Set(asked())).toEqual(new Set(['customers', 'customer']));
	});

	test('is nobody by an email of which nothing is seen, also where one has no email', async () => {
		sandbox.addCustomer({ email: '' });
		const { error } = await run('delete', { customerId: by('email', '\u200e') });
		expect(error?.message).toMatch(/^No customer has the email/);
	});

	// n8n itself refuses to run a node in which it stands empty.
	test.each([by('list', '={{ "" }}'), by('id', ' '), by('email', '={{ $json.none }}')])(
		'that is not given (%j) is an error before anything is sent',
		async (customerId) => {
			for (const operation of ['get', 'delete', 'update']) {
				const { error } = await run(operation, { customerId, customerFields: { phone: '1' } });
				expect(error?.message).toContain("'Customer' is empty");
			}
			expect(sandbox.requests).toHaveLength(0);
		},
	);
});

describe('many in one run', () => {
	const CUSTOMERS = 450;
	const upsert: INodeParameters = {
		email: '={{ $json.email }}',
		customerFields: { nameOnCard: '={{ $json.name }}' },
	};

	/** A list of customers, and as many items: half new, a quarter changed, a quarter unchanged. */
	function prepare(items: number) {
		const known = sandbox.addCustomers(CUSTOMERS);
		return Array.from({ length: items }, (_, index) => {
			const customer = known[index * 3];
			if (customer === undefined || index % 2 === 0) {
				return { email: `new${index}@example.org`, name: `New ${index}` };
			}
			const { email, nameOnCard } = customer;
			return { email, name: index % 4 === 1 ? nameOnCard : `Changed ${index}` };
		});
	}
	const outcomeOf = (_: unknown, index: number) =>
		index % 2 === 0 ? 'created' : index % 4 === 1 ? 'unchanged' : 'updated';
	const outcomes = async (items: IDataObject[], given = {}) =>
		output(await run('upsert', upsert, { items, ...given })).map(
			({ outcome, error }) => outcome ?? error,
		);
	const twins = () => {
		const emails = sandbox.customers.map(({ email }) => email.toLowerCase());
		return emails.filter((email, index) => emails.indexOf(email) !== index);
	};

	test('are found in the list, which is read once, and only others are asked for', async () => {
		const items = prepare(80);
		expect(await outcomes(items)).toEqual(items.map(outcomeOf));
		expect(pagesOfAll()).toEqual([1, 2, 3]);
		// The list, one check for each before it is made, one look at each that is there.
		expect(sandbox.requests).toHaveLength(3 + 40 + 40 + 40 + 20);
	});

	test('are asked for one by one where they are few, or the list has more pages', async () => {
		const items = prepare(40);
		await outcomes(items.slice(0, 9));
		expect(pagesOfAll()).toEqual([]);
		sandbox.settings.pageSizeCap = 10;
		await outcomes(items);
		expect(pagesOfAll()).toEqual([1]);
		expect(twins()).toEqual([]);
	});

	test.each<[string, () => void]>([
		['serves pages of 30', () => (sandbox.settings.pageSizeCap = 30)],
		['refuses pages of more than 100', () => (sandbox.settings.rejectPageSizeAbove = 100)],
		['counts nothing', () => (sandbox.settings.total = 'zero')],
		['counts in text', () => (sandbox.settings.total = 'text')],
		['ignores filters', () => (sandbox.settings.ignoreFilter = true)],
		['ignores the search', () => (sandbox.settings.ignoreSearch = true)],
		['repeats its last page', () => (sandbox.settings.repeatLastPage = true)],
		['fails', () => sandbox.fault({ on: 'customers', when: asksAll, times: 3, status: 500 })],
		[
			'fails half-way',
			() => sandbox.fault({ on: 'customers', when: asksAll, after: 1, times: 9, status: 500 }),
		],
		[
			'loses a row while it is read',
			() =>
				sandbox.fault({
					on: 'customers',
					when: asksAll,
					after: 1,
					run: () => sandbox.removeCustomer(sandbox.customers[7]?.id ?? ''),
				}),
		],
	])('are all found, and nobody is made twice, where the list %s', async (_, odd) => {
		const items = prepare(60);
		odd();
		// The first row of the second page, which a move hides, and the last row of all.
		const others = [200, CUSTOMERS - 1].map((at, index) => {
			const email = `Other${index}@Example.org`;
			sandbox.updateCustomer(sandbox.customers[at]?.id ?? '', { email, nameOnCard: 'Here' });
			return { email: email.toLowerCase(), name: 'Here' };
		});
		expect(await outcomes([...items, ...others])).toEqual([
			...items.map(outcomeOf),
			'unchanged',
			'unchanged',
		]);
		expect(twins()).toEqual([]);
	});

	test('are taken as they are now, and not as they were when the list was read', async () => {
		const items = prepare(40);
		const of = (at: number) => sandbox.customers.find(({ email }) => email === items[at]?.email);
		const moved = of(21);
		sandbox.fault({
			on: ['customers', 'customer'],
			when: (request) => request.endpoint === 'customer' || !asksAll(request),
			run: () => {
				sandbox.updateCustomer(moved?.id ?? '', { email: 'elsewhere@example.org' });
				sandbox.addCustomer({ email: items[10]?.email ?? '', nameOnCard: 'Made elsewhere' });
			},
		});
		const expected: string[] = items.map(outcomeOf);
		[expected[10], expected[21]] = ['updated', 'created'];
		expect(await outcomes(items)).toEqual(expected);
		expect(sandbox.customers.find(({ id }) => id === moved?.id)).toMatchObject({
			email: 'elsewhere@example.org',
			nameOnCard: moved?.nameOnCard,
		});
		expect(twins()).toEqual([]);
	});

	test('are changed by none of two that have one email', async () => {
		const items = prepare(40);
		const { id } = sandbox.addCustomer({ email: items[11]?.email ?? '' });
		const found = await outcomes(items, { settings });
		expect(found[11]).toContain(id);
		expect(found.filter((_, index) => index !== 11)).toEqual(
			items.map(outcomeOf).filter((_, index) => index !== 11),
		);
		expect(sent('updateCustomer').map(({ customerID }) => customerID)).not.toContain(id);
	});

	test('are found once by other operations too', async () => {
		const items = prepare(80).filter((_, index) => index % 2 === 1);
		const customerId = by('email', '={{ $json.email }}');
		const found = output(await run('get', { customerId }, { items }));
		expect(found.map(({ email }) => email)).toEqual(items.map(({ email }) => email));
		expect(sandbox.requests).toHaveLength(3 + 40);
	});

	test('are looked for in the list of their own merchant', async () => {
		const here = prepare(40);
		const there = elsewhere.addCustomers(300).slice(0, 40);
		const items = here.flatMap((item, index) => [
			{ ...item, baseUrl: sandbox.url },
			{ email: there[index]?.email, name: `There ${index}`, baseUrl: elsewhere.url },
		]);
		const merchant = { ...credentials(), baseUrl: '={{ $json.baseUrl }}' };
		const found = output(await run('upsert', upsert, { items, credentials: merchant }));
		expect(found.filter((_, at) => at % 2 === 1).map(({ customerID }) => customerID)).toEqual(
			there.map(({ id }) => id),
		);
		expect(twins()).toEqual([]);
		expect(elsewhere.requestsTo('customers')).toHaveLength(2);
	});
});
