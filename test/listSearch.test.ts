import type { INodeParameters } from 'n8n-workflow';

import { engine } from './engine';
import type { Settings } from './sandbox';
import { useSandbox } from './useSandbox';
import { by } from './resources/locator';

/** The two pickers, opened as n8n's editor opens them. */

const { sandbox, credentials } = useSandbox();

describe('the picker of customers', () => {
	type Asked = Partial<Parameters<typeof engine.search>[0]>;
	const customers = async (asked: Asked = {}) =>
		await engine.search({
			method: 'searchCustomers',
			parameters: { resource: 'customer', operation: 'get' },
			path: 'parameters.customerId',
			credentials: credentials(),
			...asked,
		});
	/** The values of all pages. */
	const scrolled = async (asked: Asked = {}): Promise<unknown[]> => {
		const { results, paginationToken } = await customers(asked);
		const values = results.map(({ value }) => value);
		if (typeof paginationToken !== 'string') return values;
		return [...values, ...(await scrolled({ ...asked, paginationToken }))];
	};
	const ids = () => sandbox.customers.map(({ id }) => id);

	test('labels a customer with its known name, email, city and card, or else its ID', async () => {
		const bare = { nameOnCard: '', email: '', billingCity: '', billingState: '' };
		const ada = { nameOnCard: 'Ada Lovelace', email: 'ada@example.com', billingCity: 'London' };
		sandbox.addCustomer({ ...bare, ...ada, card: { cardToken: 'tok_visa_4242' } });
		sandbox.addCustomer(bare);
		const { results } = await customers();
		expect(results.map(({ value }) => value)).toEqual(ids());
		const shown = ['Ada Lovelace · ada@example.com · London · VISA 4242', ids()[1]];
		expect(results.map(({ name }) => name)).toEqual(shown);
	});

	test('sends the trimmed search text to the gateway, or none if it is blank', async () => {
		sandbox.addCustomers(60);
		const { id } = sandbox.addCustomer({ nameOnCard: 'Grace Hopper' });
		expect((await customers({ filter: ' grace ' })).results).toMatchObject([{ value: id }]);
		expect(sandbox.requestsTo('customers')[0]?.body.data.page.search).toBe('grace');
		expect(await scrolled({ filter: '  ' })).toHaveLength(61);
		expect(sandbox.requestsTo('customers').at(-1)?.body.data.page).not.toHaveProperty('search');
	});

	test.each<[number, number, Partial<Settings>]>([
		[50, 1, {}],
		[120, 3, { repeatLastPage: true }],
		// Without a count a full page may be followed by another.
		[100, 3, { total: 0 }],
		[12, 2, { total: 0, repeatLastPage: true }],
		// The gateway gives out fewer than it is asked for, or refuses pages of so many.
		[55, 3, { pageSizeCap: 20 }],
		[35, 5, { rejectPageSizeAbove: 20 }],
	])('pages through all of %i in %i requests with %j', async (count, requests, settings) => {
		sandbox.addCustomers(count);
		Object.assign(sandbox.settings, settings);
		expect(await scrolled()).toEqual(ids());
		expect(sandbox.requests).toHaveLength(requests);
	});

	test('skips a null row and repeats none, after a short first page without a count', async () => {
		sandbox.addCustomers(45);
		Object.assign(sandbox.settings, { pageSizeCap: 20, total: 0 });
		const answer = (page: unknown) => {
			const { data, ...rest } = page as { data: unknown[] };
			return { ...rest, data: [null, ...data.slice(1)] };
		};
		sandbox.fault({ answer });
		expect(await scrolled()).toEqual(ids().slice(1));
		expect(sandbox.requests).toHaveLength(3);
	});

	test('shows all of a page that ends with the same customer as the page before', async () => {
		const page1 = Array.from({ length: 50 }, (_, index) => ({ id: `cus_${index}`, last4: '4242' }));
		const page2 = [{ id: 'cus_new' }, { id: 'cus_49', last4: '1881' }];
		for (const data of [page1, page2]) sandbox.fault({ body: { data, page: { total: 52 } } });
		expect((await scrolled()).slice(-2)).toEqual(['cus_new', 'cus_49']);
	});

	test('masks tokens', async () => {
		const { headerToken: brand } = sandbox.credentials;
		sandbox.fault({ body: { data: [{ id: 'cus_1', name: `x ${brand}`, brand, last4: '4242' }] } });
		const [shown] = (await customers()).results;
		expect(shown).toEqual({ name: 'x •••• · •••• 4242', value: 'cus_1' });
	});

	test("shows the gateway's message if it refuses", async () => {
		sandbox.fault({ status: 403, body: { message: 'Not for you' } });
		await expect(customers()).rejects.toThrow('Not for you');
	});
});

describe('the picker of payment methods', () => {
	const DELETE = { resource: 'paymentMethod', operation: 'delete' };
	const search = async (parameters: INodeParameters, path: string, filter = '') =>
		await engine.search({
			method: 'searchPaymentMethods',
			parameters,
			path: `parameters.${path}`,
			filter,
			credentials: credentials(),
		});
	/** In the form of Delete. */
	const methods = async (chosen: INodeParameters, filter?: string) =>
		await search({ ...DELETE, ...chosen }, 'paymentMethodId', filter);
	/** In the form of a paylink, inside a collection. */
	const inPaylink = async (customer: INodeParameters, beside: INodeParameters = {}) => {
		const parameters = { resource: 'paylink', operation: 'create', customer, ...beside };
		return await search(parameters, 'customer.customerPaymentId');
	};
	const customer = () => {
		const { id } = sandbox.addCustomer({ email: 'Ada@example.com' });
		const card = { cardToken: 'tok_visa_4242', expiryDate: '08/29' };
		const ach = { accountNumber: '000123456789', routingNumber: '021000021' };
		const names = ['VISA 4242 · expires 08/29 · default', 'ACH 6789'];
		const shown = [{ card }, { ach }].map((method, index) => ({
			name: names[index],
			value: sandbox.addPaymentMethod(id, method).cardID,
		}));
		return { id, shown };
	};

	test('shows the payment methods of the chosen customer, or those that match the search', async () => {
		sandbox.addCustomers(3);
		const { id, shown } = customer();
		for (const customerId of [by('list', id), by('id', id), by('email', 'ada@EXAMPLE.com')]) {
			expect((await methods({ customerId })).results).toEqual(shown);
			expect((await methods({ customerId }, ' visa ')).results).toEqual(shown.slice(0, 1));
			// A value from another operation's form does not count.
			const stale = { customerId: by('id', 'cus_other') };
			expect((await inPaylink({ customerId }, stale)).results).toEqual(shown);
		}
	});

	test.each<INodeParameters>([
		{},
		{ customerId: by('list', ' ') },
		{ customerId: by('id', '={{ $json.id }}') },
	])('asks for the customer when %j is chosen', async (chosen) => {
		for (const asked of [methods(chosen), inPaylink(chosen)]) {
			await expect(asked).rejects.toMatchObject({
				message: 'Choose the customer first, or switch to By ID',
				description: expect.stringContaining('by ID'),
			});
		}
		expect(sandbox.requests).toHaveLength(0);
	});

	test('is empty if the customer has no payment methods', async () => {
		const { id } = sandbox.addCustomer();
		sandbox.fault({ answer: () => ({ id }) });
		expect((await methods({ customerId: by('id', id) })).results).toEqual([]);
	});
});
