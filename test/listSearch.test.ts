import type { INodeParameters } from 'n8n-workflow';

import { engine } from './engine';
import { useSandbox } from './useSandbox';

/** The two pickers, opened as n8n's editor opens them. */

const { sandbox, credentials } = useSandbox();

const by = (mode: string, value: string) => ({ __rl: true, mode, value });

describe('the picker of customers', () => {
	const customers = async (filter?: string, paginationToken?: string) =>
		await engine.search({
			method: 'searchCustomers',
			parameters: { resource: 'customer', operation: 'get' },
			path: 'parameters.customerId',
			credentials: credentials(),
			...(filter === undefined ? {} : { filter }),
			...(paginationToken === undefined ? {} : { paginationToken }),
		});
	/** Everything that somebody who scrolls to the end gets to see. */
	const scrolled = async (filter?: string) => {
		const values: unknown[] = [];
		let token: string | undefined;
		do {
			const found = await customers(filter, token);
			values.push(...found.results.map(({ value }) => value));
			token = found.paginationToken as string | undefined;
		} while (token !== undefined && values.length < 1000);
		return values;
	};
	const ids = () => sandbox.customers.map(({ id }) => id);

	test('shows name, email, city and card', async () => {
		const { id } = sandbox.addCustomer({
			nameOnCard: 'Ada Lovelace',
			email: 'ada@example.com',
			billingCity: 'London',
			billingState: '',
			card: { cardToken: 'tok_visa_4242' },
		});
		expect((await customers()).results).toEqual([
			{ name: 'Ada Lovelace · ada@example.com · London · VISA 4242', value: id },
		]);
	});

	test('leaves out what is not known, and shows the ID at least', async () => {
		const bare = { nameOnCard: '', email: '', billingCity: '', billingState: '' };
		const { id } = sandbox.addCustomer(bare);
		sandbox.addCustomer({ ...bare, email: 'a@x.com' });
		expect((await customers()).results.map(({ name }) => name)).toEqual([id, 'a@x.com']);
	});

	test('searches by the service', async () => {
		sandbox.addCustomers(60);
		const { id } = sandbox.addCustomer({ nameOnCard: 'Grace Hopper' });
		expect((await customers(' grace ')).results).toMatchObject([{ value: id }]);
		expect(sandbox.requestsTo('customers')[0]?.body.data.page.search).toBe('grace');
		expect(await scrolled('  ')).toHaveLength(61);
		expect(sandbox.requestsTo('customers').at(-1)?.body.data.page).not.toHaveProperty('search');
	});

	test.each([0, 1, 49, 50, 51, 120])('pages through all of %i', async (count) => {
		sandbox.addCustomers(count);
		expect(await scrolled()).toEqual(ids());
		expect(sandbox.requests.length).toBeLessThanOrEqual(Math.floor(count / 50) + 1);
	});

	test.each([
		['zero', Infinity],
		['text', Infinity],
		[{ constant: 7 }, Infinity],
		[{ constant: 9999 }, Infinity],
		['right', 20],
		['text', 20],
	] as const)(
		'pages through all with a total of %j and pages of at most %d',
		async (total, cap) => {
			sandbox.addCustomers(120);
			sandbox.settings.total = total;
			sandbox.settings.pageSizeCap = cap;
			expect(await scrolled()).toEqual(ids());
		},
	);

	test('pages through all where the service does not say that it serves fewer', async () => {
		sandbox.addCustomers(55);
		sandbox.settings.pageSizeCap = 20;
		sandbox.fault({
			times: 9,
			answer: (answer) => {
				const { data, page } = answer as { data: unknown[]; page: { total: number } };
				return { data, page: { total: page.total } };
			},
		});
		expect(await scrolled()).toEqual(ids());
	});

	test('pages through all where the service refuses pages of so many', async () => {
		sandbox.addCustomers(35);
		sandbox.settings.rejectPageSizeAbove = 20;
		expect(await scrolled()).toEqual(ids());
		const sizes = sandbox.requestsTo('customers').map(({ body }) => body.data.page.pageSize);
		expect(sizes).toEqual([50, 10, 10, 10, 10]);
	});

	test('pages through 50 where the service refuses the page behind them', async () => {
		sandbox.addCustomers(50);
		sandbox.fault({ on: 'customers', after: 1, status: 404 });
		expect(await scrolled()).toEqual(ids());
	});

	test('says in the words of the service why it shows nothing', async () => {
		sandbox.fault({ status: 403, body: { message: 'Not for you' } });
		await expect(customers()).rejects.toThrow('Not for you');
	});

	test('shows no token', async () => {
		sandbox.addCustomer({ nameOnCard: `x ${sandbox.credentials.headerToken}` });
		expect(JSON.stringify(await customers())).not.toContain(sandbox.credentials.headerToken);
	});
});

describe('the picker of payment methods', () => {
	const methods = async (
		parameters: INodeParameters,
		{ path = 'parameters.paymentMethodId', filter = '' } = {},
	) =>
		await engine.search({
			method: 'searchPaymentMethods',
			parameters,
			path,
			filter,
			credentials: credentials(),
		});
	const form = (customerId: INodeParameters) => ({
		resource: 'paymentMethod',
		operation: 'delete',
		customerId,
	});
	const customer = () => {
		const { id } = sandbox.addCustomer({ email: 'Ada@example.com' });
		const card = sandbox.addPaymentMethod(id, {
			card: { cardToken: 'tok_visa_4242', expiryDate: '08/29' },
		});
		const account = sandbox.addPaymentMethod(id, {
			ach: { accountNumber: '000123456789', routingNumber: '021000021' },
		});
		const shown = [
			{ name: 'VISA 4242 · expires 08/29 · default', value: card.cardID },
			{ name: 'ACH 6789', value: account.cardID },
		];
		return { id, shown };
	};

	test.each(['list', 'id', 'email'])('shows those of the customer chosen by %s', async (mode) => {
		sandbox.addCustomers(3);
		const { id, shown } = customer();
		const chosen = by(mode, mode === 'email' ? 'ada@EXAMPLE.com' : id);
		expect((await methods(form(chosen))).results).toEqual(shown);
	});

	test('finds one by a part of what it shows', async () => {
		const { id, shown } = customer();
		const found = await methods(form(by('id', id)), { filter: ' visa ' });
		expect(found.results).toEqual(shown.slice(0, 1));
	});

	test("shows those of the paylink's customer, inside its collection", async () => {
		const { id, shown } = customer();
		const other = sandbox.addCustomer();
		const path = 'parameters.customer.customerPaymentId';
		for (const chosen of [by('list', id), by('email', 'ada@example.com')]) {
			const parameters = {
				resource: 'paylink',
				operation: 'create',
				customer: { customerId: chosen },
			};
			expect((await methods(parameters, { path })).results).toEqual(shown);
			// What is left of another operation's form does not count.
			const stale = { ...parameters, customerId: by('id', other.id) };
			expect((await methods(stale, { path })).results).toEqual(shown);
		}
	});

	test.each([
		['none', {}],
		['an empty one', { customerId: by('list', '') }],
		['one of spaces', { customerId: by('id', '  ') }],
		['one by expression', { customerId: by('id', '={{ $json.id }}') }],
	])('asks for the customer when there is %s', async (_, chosen) => {
		const parameters = { resource: 'paymentMethod', operation: 'delete', ...chosen };
		await expect(methods(parameters)).rejects.toMatchObject({
			message: 'Choose the customer first, or switch to By ID',
			description: expect.stringContaining('by ID'),
		});
		const inPaylink = { resource: 'paylink', operation: 'create', customer: chosen };
		await expect(
			methods(inPaylink, { path: 'parameters.customer.customerPaymentId' }),
		).rejects.toThrow('Choose the customer first');
		expect(sandbox.requests).toHaveLength(0);
	});

	test('says when the email is nobody or several', async () => {
		const chosen = form(by('email', 'ada@example.com'));
		await expect(methods(chosen)).rejects.toThrow('No customer has the email ada@example.com');
		sandbox.addCustomer({ email: 'ada@example.com' });
		sandbox.addCustomer({ email: 'ada@example.com' });
		await expect(methods(chosen)).rejects.toThrow('2 customers have the email');
	});

	test('of a customer without any is empty', async () => {
		const { id } = sandbox.addCustomer();
		expect((await methods(form(by('id', id)))).results).toEqual([]);
	});

	test('leaves out what is no payment method', async () => {
		const { id } = sandbox.addCustomer();
		const methodsOf = [null, { cardID: 'pm_1', brand: 'VISA', last4: '4242' }, 'card'];
		sandbox.fault({ answer: () => ({ id, paymentCards: methodsOf }) });
		expect((await methods(form(by('id', id)))).results).toEqual([
			{ name: 'VISA 4242', value: 'pm_1' },
		]);
	});

	test('of a customer that is gone says so', async () => {
		await expect(methods(form(by('id', 'cus_gone')))).rejects.toThrow(
			'Customer cus_gone not found',
		);
	});
});
