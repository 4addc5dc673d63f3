import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Endpoint } from '../../nodes/PaymentsGateway/wire';
import { engine, output } from '../engine';
import { startSandbox, type Sandbox } from '../sandbox';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox();
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.close());

const by = (mode: string, value: unknown) => ({ __rl: true, mode, value }) as INodeParameters;
const run = async (operation: string, parameters: INodeParameters = {}, given = {}) =>
	await engine.run({
		parameters: { resource: 'customer', operation, ...parameters },
		credentials: {
			environment: 'sandbox',
			baseUrl: sandbox.url,
			groupId: sandbox.credentials.groupID,
			headerToken: sandbox.credentials.headerToken,
			privateToken: sandbox.credentials.privateToken,
		},
		...given,
	});
/** What left for an endpoint, in the order of arrival. */
const sent = (endpoint: Endpoint) => sandbox.requestsTo(endpoint).map(({ body }) => body.data);
const asked = () => sandbox.requests.map(({ endpoint }) => endpoint);

const everything = {
	nameOnCard: 'Ada Lovelace',
	email: 'ada@example.com',
	phone: '+44 20 7946 0000',
	billingAddress: '1 Analytical Way',
	billingCity: 'London',
	billingState: 'LDN',
	billingZip: 'N1 9GU',
	billingCountry: 'GB',
};

describe('create', () => {
	test('sends every field as the document names it, and answers both IDs', async () => {
		const items = output(await run('create', { customerFields: everything }));
		const [customer] = sandbox.customers;
		expect(items).toEqual([{ customerID: customer?.id, paymentCardID: '' }]);
		expect(sent('addCustomer')).toEqual([{ form: everything }]);
		expect(customer).toMatchObject(everything);
	});

	test('sends no field that is empty, and numbers as text', async () => {
		const customerFields = {
			email: ' ada@example.com ',
			phone: '={{ 5550100 }}',
			billingZip: '={{ null }}',
			billingCity: '={{ $json.missing }}',
			billingState: '   ',
			nameOnCard: '',
		};
		output(await run('create', { customerFields }));
		expect(sent('addCustomer')).toEqual([{ form: { email: 'ada@example.com', phone: '5550100' } }]);
	});

	test('says that nothing is filled in, before anything is sent', async () => {
		for (const customerFields of [{}, { email: '', phone: ' ' }]) {
			const { error } = await run('create', { customerFields });
			expect(error?.message).toContain('"Customer Fields" are empty');
		}
		expect(sandbox.requests).toHaveLength(0);
	});

	test.each<[string, INodeParameters, object]>([
		[
			'card',
			{ card: { details: { cardToken: 'tok_visa_4242', cvc: '123', expiryDate: '08/29' } } },
			{ card: { cardToken: 'tok_visa_4242', cvc: '123', expiryDate: '08/29' } },
		],
		['card', { card: { details: { cardToken: 'tok' } } }, { card: { cardToken: 'tok' } }],
		[
			'ach',
			{ ach: { details: { accountNumber: '000123456789', routingNumber: '021000021' } } },
			{
				ach: {
					accountNumber: '000123456789',
					routingNumber: '021000021',
					accountType: 'CHECKING',
					accountHolderType: 'PERSONAL',
				},
			},
		],
		[
			'ach',
			{
				ach: {
					details: {
						accountNumber: '000123456789',
						routingNumber: '021000021',
						accountType: 'SAVINGS',
						accountHolderType: 'BUSINESS',
					},
				},
			},
			{
				ach: {
					accountNumber: '000123456789',
					routingNumber: '021000021',
					accountType: 'SAVINGS',
					accountHolderType: 'BUSINESS',
				},
			},
		],
		[
			'gpecomm',
			{ gpecomm: { details: { id: 'gp-1', cvv: '123' } } },
			{ gpecomm: { id: 'gp-1', cvv: '123' } },
		],
		['gpecomm', { gpecomm: { details: { id: 'gp-1', cvv: '' } } }, { gpecomm: { id: 'gp-1' } }],
	])('saves a payment method: %s %j', async (instrument, parameters, form) => {
		const customerFields = { email: 'ada@example.com' };
		const run1 = await run('create', { customerFields, instrument, ...parameters });
		expect(output(run1)).toMatchObject([{ paymentCardID: expect.stringMatching(/./) }]);
		expect(sent('addCustomer')).toEqual([{ form: { email: 'ada@example.com', ...form } }]);
	});

	test('takes the details of the chosen kind alone, whatever else is left in the form', async () => {
		const parameters = {
			customerFields: { email: 'ada@example.com' },
			instrument: 'none',
			card: { details: { cardToken: 'tok' } },
		};
		output(await run('create', parameters));
		expect(sent('addCustomer')).toEqual([{ form: { email: 'ada@example.com' } }]);
	});

	test.each([true, false])(
		'sends Skip Multi-Token Conversion when it is set to %j',
		async (skip) => {
			const parameters = {
				customerFields: { email: 'a@x.com' },
				options: { skipMultiTokenConvert: skip },
			};
			output(await run('create', parameters));
			expect(sent('addCustomer')).toEqual([
				{ form: { email: 'a@x.com', skipMultiTokenConvert: skip } },
			]);
		},
	);

	test.each<[INodeParameters, string]>([
		[{ instrument: 'card' }, '"Card Token" is empty'],
		[{ instrument: 'card', card: { details: { cvc: '123' } } }, '"Card Token" is empty'],
		[
			{ instrument: 'card', card: { details: { cardToken: 't', expiryDate: '2029-08' } } },
			'"Expiry Date" must be month and year',
		],
		[{ instrument: 'ach' }, '"Account Number" is empty'],
		[
			{ instrument: 'ach', ach: { details: { accountNumber: '1234' } } },
			'"Routing Number" is empty',
		],
		[{ instrument: 'gpecomm' }, '"GP Ecomm ID" is empty'],
		[{ instrument: '={{ "cash" }}' }, '"Payment Method to Save" cannot be "cash"'],
	])('refuses %j before anything is sent', async (parameters, words) => {
		const { error } = await run('create', { customerFields: { email: 'a@x.com' }, ...parameters });
		expect(error?.message).toContain(words);
		expect(error?.context?.itemIndex).toBe(0);
		expect(sandbox.requests).toHaveLength(0);
	});
});

describe('the customer', () => {
	test('is found by ID, however it is written', async () => {
		const { id } = sandbox.addCustomer();
		const ways: INodeParameters[] = [
			{ customerId: by('id', id) },
			{ customerId: by('list', id) },
			{ customerId: by('id', ` ${id} `) },
			{ customerId: by('id', '={{ $json.id }}') },
			{ customerId: '={{ $json.id }}' },
		];
		for (const parameters of ways) {
			expect(output(await run('get', parameters, { items: [{ id }] }))).toMatchObject([{ id }]);
		}
		expect(sent('customer')).toEqual(ways.map(() => ({ customerID: id })));
		expect(asked()).not.toContain('customers');
	});

	test.each(['Ada@Example.com', 'ada@example.com', 'ADA@EXAMPLE.COM', ' ada@example.com '])(
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

	test('is looked for with the filter that the document describes', async () => {
		sandbox.addCustomer({ email: 'ada@example.com' });
		output(await run('get', { customerId: by('email', 'ada@example.com') }));
		expect(sent('customers')[0]).toMatchObject({
			page: { filter: [{ field: 'email', operation: 'equals', value: 'ada@example.com' }] },
		});
		expect(asked()).toEqual(['customers', 'customer']);
	});

	test('that nobody is, by email, is an error, and nothing is changed', async () => {
		sandbox.addCustomer({ email: 'ada@example.com' });
		for (const operation of ['get', 'delete']) {
			const { error } = await run(operation, { customerId: by('email', 'da@example.com') });
			expect(error?.message).toContain('No customer has the email da@example.com');
		}
		expect(sandbox.customers).toHaveLength(1);
		expect(new Set(asked())).toEqual(new Set(['customers']));
	});

	test('that two are, by email, is an error that names them, and nothing is changed', async () => {
		const ids = [1, 2].map(() => sandbox.addCustomer({ email: 'ada@example.com' }).id);
		for (const operation of ['get', 'delete', 'update']) {
			const { error } = await run(operation, {
				customerId: by('email', 'ada@example.com'),
				customerFields: { phone: '1' },
			});
			expect(error?.message).toContain(
				`2 customers have the email ada@example.com: ${ids.join(', ')}`,
			);
		}
		expect(new Set(asked())).toEqual(new Set(['customers']));
	});

	// n8n itself refuses to run a node in which it stands empty.
	test.each([by('list', '={{ "" }}'), by('id', ' '), by('email', '={{ $json.none }}')])(
		'that is not given (%j) is an error before anything is sent',
		async (customerId) => {
			for (const operation of ['get', 'delete', 'update']) {
				const { error } = await run(operation, { customerId, customerFields: { phone: '1' } });
				expect(error?.message).toContain('"Customer" is empty');
			}
			expect(sandbox.requests).toHaveLength(0);
		},
	);
});

describe('get', () => {
	const stored = () =>
		sandbox.addCustomer({
			...everything,
			ach: { accountNumber: '000123456789', routingNumber: '021000021' },
		});

	test('answers the detail, with what is sensitive left out or shortened', async () => {
		const { id, paymentCards } = stored();
		const [method] = paymentCards;
		const { cvc, ...shown } = { ...method };
		expect(cvc).toBeDefined();
		expect(output(await run('get', { customerId: by('id', id) }))).toEqual([
			{
				id,
				...everything,
				paymentCards: [{ ...shown, accountNumber: '••••6789', routingNumber: '••••0021' }],
			},
		]);
	});

	test('shows all of it when asked to', async () => {
		const detail = stored();
		const parameters = { customerId: by('id', detail.id), options: { includeSensitive: true } };
		expect(output(await run('get', parameters))).toEqual([detail]);
	});

	test('never shows the tokens, even so', async () => {
		const { headerToken, privateToken } = sandbox.credentials;
		const { id } = sandbox.addCustomer({ nameOnCard: `${headerToken} ${privateToken}` });
		const parameters = { customerId: by('id', id), options: { includeSensitive: true } };
		expect(output(await run('get', parameters))).toMatchObject([{ nameOnCard: '•••• ••••' }]);
	});
});

describe('update', () => {
	test('sends the fields that are filled in, and leaves the others alone', async () => {
		const { id } = sandbox.addCustomer(everything);
		const customerFields = { phone: '1', billingCity: '', nameOnCard: '={{ null }}' };
		const items = output(await run('update', { customerId: by('id', id), customerFields }));
		expect(items).toEqual([{ customerID: id }]);
		expect(sent('updateCustomer')).toEqual([{ customerID: id, form: { phone: '1' } }]);
		expect(sandbox.customers[0]).toMatchObject({ ...everything, phone: '1' });
	});

	test('clears a field that is left empty, when it is told to', async () => {
		const { id } = sandbox.addCustomer(everything);
		const parameters = {
			customerId: by('id', id),
			customerFields: { phone: '', billingCity: 'Paris', billingZip: '={{ null }}' },
			options: { clearEmptyFields: true },
		};
		output(await run('update', parameters));
		const form = { phone: '', billingCity: 'Paris', billingZip: '' };
		expect(sent('updateCustomer')).toEqual([{ customerID: id, form }]);
		expect(sandbox.customers[0]).toMatchObject({ ...everything, ...form });
	});

	test.each([
		[{}, {}],
		[{ phone: '' }, {}],
		[{}, { clearEmptyFields: true }],
	])('refuses to change nothing: %j %j', async (customerFields, options) => {
		const parameters = { customerId: by('email', 'a@x.com'), customerFields, options };
		const { error } = await run('update', parameters);
		expect(error?.message).toContain('"Customer Fields" hold nothing to change');
		expect(sandbox.requests).toHaveLength(0);
	});
});

test('delete answers that it is deleted, and the customer is gone', async () => {
	const [gone, stays] = sandbox.addCustomers(2);
	expect(output(await run('delete', { customerId: by('id', gone?.id) }))).toEqual([
		{ customerID: gone?.id, deleted: true },
	]);
	expect(sent('deleteCustomer')).toEqual([{ customerID: gone?.id }]);
	expect(sandbox.customers).toEqual([stays]);
	const again = await run('delete', { customerId: by('id', gone?.id) });
	expect(again.error?.message).toBe(`Customer ${gone?.id} not found`);
});

describe('create or update', () => {
	const upsert = async (parameters: INodeParameters, given = {}) =>
		await run('upsert', { email: 'ada@example.com', ...parameters }, given);
	const eachRow = {
		email: '={{ $json.email }}',
		customerFields: { nameOnCard: '={{ $json.name }}' },
	};
	const rows = (...list: Array<[email: string, name: string]>): IDataObject[] =>
		list.map(([email, name]) => ({ email, name }));

	test('creates a customer that is not there', async () => {
		sandbox.addCustomer({ email: 'xada@example.com' });
		const [item] = output(await upsert({ customerFields: { nameOnCard: 'Ada', phone: '' } }));
		expect(item).toEqual({ customerID: sandbox.customers[1]?.id, outcome: 'created' });
		expect(sent('addCustomer')).toEqual([
			{ form: { email: 'ada@example.com', nameOnCard: 'Ada' } },
		]);
	});

	test('updates one that says otherwise, by what is filled in', async () => {
		const { id } = sandbox.addCustomer(everything);
		const customerFields = { nameOnCard: 'Ada King', phone: '' };
		expect(output(await upsert({ customerFields }))).toEqual([
			{ customerID: id, outcome: 'updated' },
		]);
		expect(sent('updateCustomer')).toEqual([{ customerID: id, form: { nameOnCard: 'Ada King' } }]);
		expect(sandbox.customers).toMatchObject([{ ...everything, nameOnCard: 'Ada King' }]);
	});

	test('sends no change when the customer already says so', async () => {
		const { id } = sandbox.addCustomer(everything);
		const { email, ...customerFields } = everything;
		for (const fields of [customerFields, {}, { phone: '' }]) {
			expect(output(await upsert({ email, customerFields: fields }))).toEqual([
				{ customerID: id, outcome: 'unchanged' },
			]);
		}
		expect(new Set(asked())).toEqual(new Set(['customers', 'customer']));
	});

	test('clears what is empty when it is told to, and only where there is something', async () => {
		const { id } = sandbox.addCustomer(everything);
		const parameters = { customerFields: { phone: '' }, options: { clearEmptyFields: true } };
		expect(output(await upsert(parameters))).toMatchObject([{ outcome: 'updated' }]);
		expect(output(await upsert(parameters))).toMatchObject([{ outcome: 'unchanged' }]);
		expect(sent('updateCustomer')).toEqual([{ customerID: id, form: { phone: '' } }]);
		expect(output(await upsert({ ...parameters, email: 'new@x.com' }))).toMatchObject([
			{ outcome: 'created' },
		]);
		expect(sent('addCustomer')).toEqual([{ form: { email: 'new@x.com' } }]);
	});

	test.each(['ADA@example.com', ' Ada@Example.Com'])(
		'knows %j as the customer in other letters, and leaves the email as it stands',
		async (email) => {
			const { id } = sandbox.addCustomer(everything);
			const found = output(await upsert({ email, customerFields: { phone: '2' } }));
			expect(found).toEqual([{ customerID: id, outcome: 'updated' }]);
			expect(sandbox.customers).toMatchObject([{ email: 'ada@example.com', phone: '2' }]);
		},
	);

	test('does not take somebody else for the customer when the filter is ignored', async () => {
		sandbox.settings.ignoreFilter = true;
		sandbox.addCustomers(120);
		expect(output(await upsert({ customerFields: { phone: '3' } }))).toMatchObject([
			{ outcome: 'created' },
		]);
		expect(output(await upsert({ customerFields: { phone: '4' } }))).toMatchObject([
			{ outcome: 'updated' },
		]);
		expect(sandbox.customers).toHaveLength(121);
	});

	test('changes nothing when two customers match, and names them', async () => {
		const ids = [1, 2].map(() => sandbox.addCustomer(everything).id);
		const { error } = await upsert({ customerFields: { phone: '5' } });
		expect(error?.message).toContain(
			`2 customers have the email ada@example.com: ${ids.join(', ')}`,
		);
		expect(new Set(asked())).toEqual(new Set(['customers']));
	});

	test('refuses an empty email before anything is sent', async () => {
		for (const email of [' ', '={{ "" }}', '={{ $json.none }}']) {
			expect((await upsert({ email })).error?.message).toContain('"Email" is empty');
		}
		expect(sandbox.requests).toHaveLength(0);
	});

	test('never makes two of a list with duplicates, in parallel with others', async () => {
		const items = rows(
			['a@x.com', 'A'],
			['b@x.com', 'B'],
			['A@x.com', 'A'],
			[' a@X.com', 'A2'],
			['c@x.com', 'C'],
			['B@X.COM', 'B'],
			['a@x.com', 'A2'],
		);
		sandbox.settings.latency = 5;
		const parameters = { ...eachRow, options: { parallelRequests: 20 } };
		const found = output(await run('upsert', parameters, { items }));
		expect(found.map(({ outcome }) => outcome)).toEqual([
			'created',
			'created',
			'unchanged',
			'updated',
			'created',
			'unchanged',
			'unchanged',
		]);
		const id = (email: string) => sandbox.customers.find((each) => each.email === email)?.id;
		expect(found.map(({ customerID }) => customerID)).toEqual(
			['a', 'b', 'a', 'a', 'c', 'b', 'a'].map((name) => id(`${name}@x.com`)),
		);
		expect(sandbox.customers).toHaveLength(3);
		expect(sandbox.maxInFlight).toBeGreaterThan(1);
	});

	test('never makes two while the list lags behind what was made', async () => {
		sandbox.fault({
			on: 'customers',
			times: Infinity,
			answer: () => ({ data: [], page: { total: 0, page: 1, pageSize: 100 } }),
		});
		const items = rows(['a@x.com', 'A'], ['A@x.com', 'A'], ['a@x.com', 'B']);
		const found = output(await run('upsert', eachRow, { items }));
		expect(found.map(({ outcome }) => outcome)).toEqual(['created', 'unchanged', 'updated']);
		expect(sandbox.customers).toMatchObject([{ email: 'a@x.com', nameOnCard: 'B' }]);
	});

	test('never makes two in two executions at once, also while the list lags behind', async () => {
		sandbox.settings.latency = 5;
		sandbox.fault({
			on: 'customers',
			times: Infinity,
			answer: () => ({ data: [], page: { total: 0, page: 1, pageSize: 100 } }),
		});
		const items = rows(['a@x.com', 'A'], ['b@x.com', 'B']);
		const both = await Promise.all([
			run('upsert', eachRow, { items }),
			run('upsert', eachRow, { items: rows(['B@x.com', 'B'], ['A@x.com', 'A']) }),
		]);
		const outcomes = both.flatMap((result) => output(result).map(({ outcome }) => outcome));
		expect(outcomes.sort()).toEqual(['created', 'created', 'unchanged', 'unchanged']);
		expect(sandbox.customers).toHaveLength(2);
	});

	test('does not make another where it is not known whether the first was made', async () => {
		sandbox.fault({ on: 'addCustomer', status: 504, workFirst: true });
		sandbox.fault({
			on: 'customers',
			times: Infinity,
			answer: () => ({ data: [], page: { total: 0, page: 1, pageSize: 100 } }),
		});
		const items = rows(['a@x.com', 'A'], ['A@x.com', 'A'], ['b@x.com', 'B']);
		const settings = { onError: 'continueRegularOutput' as const };
		const found = output(await run('upsert', eachRow, { items, settings }));
		expect(found).toMatchObject([
			{ error: 'Gateway Timeout' },
			{ error: expect.stringContaining('not known whether') },
			{ outcome: 'created' },
		]);
		expect(sandbox.customers.map(({ email }) => email)).toEqual(['a@x.com', 'b@x.com']);
	});

	test('goes on with the same email after a refusal', async () => {
		sandbox.fault({ on: 'addCustomer', status: 422, body: { message: 'Not like this' } });
		const items = rows(['a@x.com', 'A'], ['A@x.com', 'A']);
		const settings = { onError: 'continueRegularOutput' as const };
		const found = output(await run('upsert', eachRow, { items, settings }));
		expect(found).toMatchObject([{ error: 'Not like this' }, { outcome: 'created' }]);
		expect(sandbox.customers).toHaveLength(1);
	});
});
