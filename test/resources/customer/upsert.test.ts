import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { output } from '../../engine';
import { nodeCredentials } from '../../sandbox';
import { useNode } from '../../useNode';
import { by } from '../locator';
import { everything } from './everything';

/** One customer for each email, however often and in whatever letters it comes. */

const { sandbox, run, sent, later } = useNode({ resource: 'customer', operation: 'upsert' });

const asked = () => sandbox.requests.map(({ endpoint }) => endpoint);
/** The service's list shows nobody who was made just now. */
const listLagsBehind = () =>
	sandbox.fault({
		on: 'customers',
		times: Infinity,
		answer: () => ({ data: [], page: { total: 0, page: 1, pageSize: 100 } }),
	});

describe('create or update', () => {
	const upsert = async (parameters: INodeParameters, given = {}) =>
		await run({ email: 'ada@example.com', ...parameters }, given);
	const eachRow = {
		email: '={{ $json.email }}',
		customerFields: { nameOnCard: '={{ $json.name }}' },
	};
	const rows = (...list: Array<[email: string, name: string]>): IDataObject[] =>
		list.map(([email, name]) => ({ email, name }));

	test('creates a customer that is not there', async () => {
		sandbox.addCustomer({ email: 'xada@example.com' });
		const [item] = output(await upsert({ customerFields: { nameOnCard: 'Ada', phone: '' } }));
		expect(item).toEqual({
			customerID: sandbox.customers[1]?.id,
			email: 'ada@example.com',
			outcome: 'created',
		});
		expect(sent('addCustomer')).toEqual([
			{ form: { email: 'ada@example.com', nameOnCard: 'Ada' } },
		]);
	});

	test('updates one that says otherwise, by what is filled in', async () => {
		const { id } = sandbox.addCustomer(everything);
		const customerFields = { nameOnCard: 'Ada King', phone: '' };
		expect(output(await upsert({ customerFields }))).toEqual([
			{ customerID: id, email: 'ada@example.com', outcome: 'updated' },
		]);
		expect(sent('updateCustomer')).toEqual([{ customerID: id, form: { nameOnCard: 'Ada King' } }]);
		expect(sandbox.customers).toMatchObject([{ ...everything, nameOnCard: 'Ada King' }]);
	});

	test('sends no change when the customer already says so', async () => {
		const { id } = sandbox.addCustomer(everything);
		const { email, ...customerFields } = everything;
		for (const fields of [customerFields, {}, { phone: '' }]) {
			expect(output(await upsert({ email, customerFields: fields }))).toEqual([
				{ customerID: id, email, outcome: 'unchanged' },
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
			expect(found).toEqual([{ customerID: id, email: email.trim(), outcome: 'updated' }]);
			expect(sandbox.customers).toMatchObject([{ email: 'ada@example.com', phone: '2' }]);
		},
	);

	test.each(['\u200b', '\u200e', '\u202a', '\u2068', '\u00ad', '\ufe0f'])(
		'knows an email by what is seen of it, and sends no more (with %j)',
		async (sign) => {
			const { id } = sandbox.addCustomer(everything);
			const written = [`${sign}ada@example.com`, `ada@exam${sign}ple.com${sign}`];
			for (const [index, email] of written.entries()) {
				const customerFields = { phone: String(index) };
				expect(output(await upsert({ email, customerFields }))).toEqual([
					{ customerID: id, email: 'ada@example.com', outcome: 'updated' },
				]);
			}
			await upsert({ email: `new@example.com${sign}` });
			expect(sent('addCustomer')).toEqual([{ form: { email: 'new@example.com' } }]);
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

	const page = { total: 0, page: 1, pageSize: 100 };
	test.each<[string, object]>([
		['an error beside no rows', { error: { message: 'Later' }, data: [], page }],
		['no rows, and counts 300', { data: [], page: { ...page, total: 300 } }],
	])('makes nobody where the list of customers holds %s', async (_, body) => {
		sandbox.addCustomer({ email: 'ada@example.com' });
		sandbox.fault({ on: 'customers', times: Infinity, body });
		const { error } = await upsert({});
		expect(error?.message).toMatch(/Later|counts customers that it does not show/);
		expect(sandbox.customers).toHaveLength(1);
	});

	test('makes nobody where the service ignores filters and pages, and counts more', async () => {
		sandbox.addCustomers(150);
		sandbox.addCustomer({ email: 'ada@example.com' });
		Object.assign(sandbox.settings, { ignoreFilter: true, ignoreSearch: true, ignorePage: true });
		expect((await upsert({})).error?.message).toMatch(/counts customers that it does not show/);
		expect(sandbox.customers).toHaveLength(151);
	});

	test('creates where the service counts all customers whatever it is asked for', async () => {
		sandbox.addCustomers(3);
		sandbox.settings.total = { constant: 4 };
		expect(output(await upsert({}))).toMatchObject([{ outcome: 'created' }]);
	});

	test('creates nobody where the service filters page by page and counts all customers', async () => {
		const email = sandbox.addCustomers(230).at(-1)?.email ?? '';
		Object.assign(sandbox.settings, { ignoreFilter: true, ignoreSearch: true });
		let asked: { filter?: [{ value: string }]; search?: string } = {};
		sandbox.fault({
			on: 'customers',
			times: Infinity,
			when: ({ body }) => {
				asked = (body as { data: { page: typeof asked } }).data.page;
				return true;
			},
			answer: (answer) => {
				const { data, ...rest } = answer as { data: Array<{ email: string }> };
				const wanted = asked.filter?.[0].value ?? asked.search ?? '';
				return { ...rest, data: data.filter((row) => row.email.includes(wanted)) };
			},
		});
		expect((await upsert({ email })).error?.message).toContain(
			'counts customers that it does not show',
		);
		expect(sandbox.customers).toHaveLength(230);
	});

	test('creates where it filters the whole list, and counts all customers', async () => {
		sandbox.addCustomers(230);
		sandbox.settings.total = { constant: 230 };
		expect(output(await upsert({}))).toMatchObject([{ outcome: 'created' }]);
	});

	test('takes a customer with two cards, and a row for each, for one', async () => {
		const { id } = sandbox.addCustomer(everything);
		sandbox.fault({
			on: 'customers',
			times: Infinity,
			answer: (answer) => {
				const { data } = answer as { data: object[] };
				const rows = data.flatMap((row) => [row, { ...row, last4: '1881' }]);
				return { data: rows, page: { ...page, total: rows.length } };
			},
		});
		for (const items of [1, 12]) {
			const found = output(await upsert({}, { items: Array.from({ length: items }, () => ({})) }));
			expect(found[0]).toMatchObject({ customerID: id, outcome: 'unchanged' });
		}
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
		for (const email of [' ', '\u200e\u00ad', '={{ "" }}', '={{ $json.none }}']) {
			expect((await upsert({ email })).error?.message).toContain("'Email' is empty");
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
		const found = output(await run(eachRow, { items }));
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
		listLagsBehind();
		const items = rows(['a@x.com', 'A'], ['A@x.com', 'A'], ['a@x.com', 'B']);
		const found = output(await run(eachRow, { items }));
		expect(found.map(({ outcome }) => outcome)).toEqual(['created', 'unchanged', 'updated']);
		expect(sandbox.customers).toMatchObject([{ email: 'a@x.com', nameOnCard: 'B' }]);
	});

	test('never makes two in the batches of a loop, or when n8n tries again, while the list lags', async () => {
		listLagsBehind();
		const items = rows(['a@x.com', 'A'], ['A@x.com', 'A'], ['', 'Nobody']);
		const settings = { retryOnFail: true, maxTries: 3 };
		await run(eachRow, { items, settings, batches: 2 });
		expect(sandbox.customers.map(({ email }) => email)).toEqual(['a@x.com']);
		// In another execution too, that of a customer who has got another email since is another's.
		const changed = rows(['b@x.com', 'B'], ['b@x.com', 'B2']);
		sandbox.fault({
			on: 'customer',
			answer: (answer) => ({ ...(answer as object), email: 'other@x.com' }),
		});
		output(await run(eachRow, { items: changed, batches: 2 }));
		expect(sent('updateCustomer')).toEqual([]);
	});

	test('takes nobody of one merchant for a customer of another, told apart by tokens alone', async () => {
		const { baseUrl } = nodeCredentials(sandbox);
		const items = ['one', 'two'].map((token) => ({ token, email: 'a@x.com', name: 'A' }));
		let made = 0;
		const none = { data: [], page: { total: 0, page: 1, pageSize: 100 } };
		sandbox.fault({ on: 'customers', times: Infinity, body: none });
		sandbox.fault({ on: 'addCustomer', body: { customerID: `cus_${++made}` } });
		sandbox.fault({ on: 'addCustomer', body: { customerID: `cus_${++made}` } });
		const result = await run(eachRow, {
			items,
			credentials: { baseUrl, environment: 'sandbox', headerToken: '={{ $json.token }}' },
		});
		expect(output(result).map(({ customerID }) => customerID)).toEqual(['cus_1', 'cus_2']);
		expect(asked()).not.toContain('customer');
	});

	test('never makes two in two executions at once, also while the list lags behind', async () => {
		sandbox.settings.latency = 5;
		listLagsBehind();
		const items = rows(['a@x.com', 'A'], ['b@x.com', 'B']);
		const both = await Promise.all([
			run(eachRow, { items }),
			run(eachRow, { items: rows(['B@x.com', 'B'], ['A@x.com', 'A']) }),
		]);
		const outcomes = both.flatMap((result) => output(result).map(({ outcome }) => outcome));
		expect(outcomes.sort()).toEqual(['created', 'created', 'unchanged', 'unchanged']);
		expect(sandbox.customers).toHaveLength(2);
	});

	test('never makes two in executions one after another, while the list lags behind', async () => {
		sandbox.fault({
			on: 'customers',
			times: Infinity,
			answer: () => ({ data: [], page: { total: 0, page: 1, pageSize: 100 } }),
		});
		for (const [index, outcome] of ['created', 'unchanged', 'updated'].entries()) {
			const items = rows(['a@x.com', index < 2 ? 'A' : 'B']);
			expect(output(await run(eachRow, { items }))).toMatchObject([{ outcome }]);
		}
		expect(sandbox.customers).toHaveLength(1);
	});

	test('does not make another where it is not known whether the first was made', async () => {
		sandbox.fault({ on: 'addCustomer', status: 504, workFirst: true });
		listLagsBehind();
		const items = rows(['a@x.com', 'A'], ['A@x.com', 'A'], ['b@x.com', 'B']);
		const settings = { onError: 'continueRegularOutput' as const };
		const found = output(await run(eachRow, { items, settings }));
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
		const found = output(await run(eachRow, { items, settings }));
		expect(found).toMatchObject([{ error: 'Not like this' }, { outcome: 'created' }]);
		expect(sandbox.customers).toHaveLength(1);
	});

	test('an empty value that clears is what a missing one says already', async () => {
		const { id } = sandbox.addCustomer({ email: 'ada@example.com' });
		sandbox.fault({ on: 'customer', body: { id, email: 'ada@example.com' } });
		const options = { clearEmptyFields: true };
		expect(output(await upsert({ customerFields: { phone: '' }, options }))).toEqual([
			{ customerID: id, email: 'ada@example.com', outcome: 'unchanged' },
		]);
	});

	describe('a customer made just before, whom no list shows yet', () => {
		const twice = rows(['a@x.com', 'A'], ['a@x.com', 'A']);
		const settings = { onError: 'continueRegularOutput' as const };
		beforeEach(listLagsBehind);

		test('is made anew where it has been deleted since', async () => {
			sandbox.fault({
				on: 'customer',
				status: 404,
				times: Infinity,
				run: () => later(60_000),
			});
			const found = output(await run(eachRow, { items: twice }));
			expect(found.map(({ outcome }) => outcome)).toEqual(['created', 'created']);
		});

		test('is made anew at once where this process has deleted it', async () => {
			const [made] = output(await upsert({}));
			const customerId = by('id', made?.customerID);
			output(await run({ operation: 'delete', customerId }));
			expect(output(await upsert({}))).toMatchObject([{ outcome: 'created' }]);
			expect(sandbox.customers).toHaveLength(1);
		});

		test('is not made anew where it may be too new to be found by ID', async () => {
			sandbox.fault({ on: 'customer', status: 404, run: () => later(59_000) });
			const { items } = await run(eachRow, { items: [...twice, ...twice], settings });
			expect(items).toMatchObject([
				{ outcome: 'created' },
				{ error: expect.stringContaining('a@x.com was made a moment ago') },
				{ outcome: 'unchanged' },
				{ outcome: 'unchanged' },
			]);
			expect(sandbox.customers).toHaveLength(1);
		});

		test.each([400, 401, 403, 410, 500])(
			'is not made anew where nobody can say whether it is there (%i)',
			async (status) => {
				sandbox.fault({ on: 'customer', status, times: 3, body: { message: 'Not now' } });
				const { items } = await run(eachRow, { items: twice, settings });
				expect(items).toMatchObject([{ outcome: 'created' }, { error: 'Not now' }]);
				sandbox.fault({ on: 'customer', status: 500, times: 3 });
				later(300_000);
				expect((await run(eachRow, { items: twice })).error).toBeDefined();
				expect(sandbox.customers).toHaveLength(1);
			},
		);
	});

	describe('somebody whom Create or Update has just given the email', () => {
		const create = async (email: string, given = {}) =>
			await run({ operation: 'create', customerFields: { email, nameOnCard: 'Ada' } }, given);
		const update = async (id: string, email: string) =>
			await run({
				operation: 'update',
				customerId: by('id', id),
				customerFields: { email },
			});

		test('is the one, while the list lags behind what was created', async () => {
			listLagsBehind();
			const [made] = output(await create('Ada@Example.com'));
			const customerFields = { nameOnCard: 'Ada King' };
			for (const outcome of ['updated', 'unchanged']) {
				expect(output(await upsert({ customerFields }))).toMatchObject([
					{ customerID: made?.customerID, outcome },
				]);
			}
			expect(sandbox.customers).toHaveLength(1);
		});

		test('is the one, while the list lags behind the change of the email', async () => {
			const { id } = sandbox.addCustomer({ email: 'old@example.com' });
			listLagsBehind();
			output(await update(id, 'ada@example.com'));
			expect(output(await upsert({}))).toMatchObject([{ customerID: id, outcome: 'unchanged' }]);
			expect(output(await upsert({ email: 'old@example.com' }))).toMatchObject([
				{ outcome: 'created' },
			]);
			expect(sandbox.customers.map(({ email }) => email)).toEqual([
				'ada@example.com',
				'old@example.com',
			]);
		});

		test('is the one, whoever gave it by the email that was', async () => {
			const { id } = sandbox.addCustomer({ email: 'old@example.com' });
			const customerFields = { email: 'ada@example.com' };
			output(
				await run({
					operation: 'update',
					customerId: by('email', 'old@example.com'),
					customerFields,
				}),
			);
			listLagsBehind();
			expect(output(await upsert({}))).toMatchObject([{ customerID: id, outcome: 'unchanged' }]);
		});

		test('is the one also where the answer to the change was lost', async () => {
			const { id } = sandbox.addCustomer({ email: 'old@example.com' });
			listLagsBehind();
			sandbox.fault({ on: 'updateCustomer', status: 504, workFirst: true });
			await update(id, 'ada@example.com');
			expect(output(await upsert({}))).toMatchObject([{ customerID: id, outcome: 'unchanged' }]);
		});

		test('is nobody where the change was refused', async () => {
			listLagsBehind();
			await update('cus_none', 'ada@example.com');
			expect(output(await upsert({}))).toMatchObject([{ outcome: 'created' }]);
			expect(sent('customer')).toEqual([]);
		});

		test('is waited for', async () => {
			listLagsBehind();
			sandbox.settings.latency = 20;
			const both = await Promise.all([create('ada@example.com'), upsert({})]);
			expect(both.map((each) => output(each)[0]?.outcome)).toEqual([undefined, 'unchanged']);
			expect(sandbox.customers).toHaveLength(1);
		});

		test('is not made again where the answer to Create was lost meanwhile', async () => {
			listLagsBehind();
			sandbox.fault({ on: 'addCustomer', status: 504, workFirst: true, delay: 20 });
			const [, found] = await Promise.all([create('ada@example.com'), upsert({})]);
			expect(found.error?.message).toContain('not known whether');
			expect(sandbox.customers).toHaveLength(1);
		});

		test.each([
			['in the list', () => undefined],
			['while the list lags', listLagsBehind],
		])('is not preferred to another with the same email, %s', async (_, behind) => {
			behind();
			output(await create('ada@example.com'));
			output(await create('ada@example.com'));
			const ids = sandbox.customers.map(({ id }) => id);
			expect((await upsert({})).error?.message).toContain(
				`2 customers have the email ada@example.com: ${ids.join(', ')}`,
			);
			expect(sent('updateCustomer')).toEqual([]);
		});

		test('is not preferred to one whom Create has made after', async () => {
			listLagsBehind();
			output(await upsert({}));
			output(await create('ada@example.com'));
			expect((await upsert({})).error?.message).toContain('2 customers have the email');
		});

		test('is not looked for again, as nobody else had it', async () => {
			output(await upsert({}));
			const before = asked().length;
			for (let row = 0; row < 3; row++) output(await upsert({}));
			expect(asked().slice(before)).toEqual(['customer', 'customer', 'customer']);
		});

		test('is not preferred to one who was there before', async () => {
			sandbox.addCustomer(everything);
			output(await create('ada@example.com'));
			const { error } = await upsert({ customerFields: { phone: '5' } });
			expect(error?.message).toContain('2 customers have the email');
		});

		test('is found in the list by many in one run, which is read once', async () => {
			const items = Array.from({ length: 20 }, (_, index) => ({ email: `a${index}@x.com` }));
			output(await create('={{ $json.email }}', { items }));
			const found = output(await run(eachRow, { items }));
			expect(found.map(({ outcome }) => outcome)).toEqual(items.map(() => 'unchanged'));
			expect(asked().filter((endpoint) => endpoint !== 'addCustomer')).toHaveLength(1 + 20);
		});
	});

	describe('a list that is behind, and shows an email that its customer no longer has', () => {
		const given = 'old@example.com';
		const customerFields = { nameOnCard: 'Carla' };
		/** What the list shows: him by the email that he had before, and nobody else. */
		const listIsBehind = (id: string, when: (page: object) => boolean = () => true) => {
			const data = [{ id, email: given, name: 'Bob' }];
			sandbox.fault({
				on: 'customers',
				times: Infinity,
				when: ({ body }) => when((body as { data: { page: object } }).data.page),
				body: { data, page: { total: 1, page: 1, pageSize: 100 } },
			});
		};
		const bob = { email: 'new@example.com', nameOnCard: 'Bob' };

		test.each([1, 12])('writes nothing over him (%i items)', async (count) => {
			const { id } = sandbox.addCustomer(bob);
			listIsBehind(id);
			const items = Array.from({ length: count }, () => ({}));
			const found = output(await upsert({ email: given, customerFields }, { items }));
			expect(found[0]).toMatchObject({ outcome: 'created' });
			expect(sent('updateCustomer')).toEqual([]);
			expect(sandbox.customers).toMatchObject([bob, { email: given, ...customerFields }]);
		});

		test('finds who has it in another spelling', async () => {
			const { id } = sandbox.addCustomer(bob);
			const { id: carla } = sandbox.addCustomer({ email: given });
			listIsBehind(id, (page) => 'filter' in page);
			expect(output(await upsert({ email: 'Old@example.com', customerFields }))).toMatchObject([
				{ customerID: carla, outcome: 'updated' },
			]);
			expect(sandbox.customers[0]).toMatchObject(bob);
		});

		test('changes him where his own data show no email', async () => {
			const { id } = sandbox.addCustomer(bob);
			listIsBehind(id);
			sandbox.fault({ on: 'customer', body: { id, nameOnCard: 'Bob' } });
			expect(output(await upsert({ email: given, customerFields }))).toMatchObject([
				{ customerID: id, outcome: 'updated' },
			]);
		});

		test('makes nobody where his own data cannot be read', async () => {
			const { id } = sandbox.addCustomer(bob);
			listIsBehind(id);
			sandbox.fault({ on: 'customer', status: 403, body: { message: 'Not you' } });
			expect((await upsert({ email: given })).error?.message).toContain('Not you');
			expect(sandbox.customers).toHaveLength(1);
		});
	});

	describe('many in one run', () => {
		const many = (count: number) => sandbox.addCustomers(count).map(({ email }) => ({ email }));
		const byRow = { email: '={{ $json.email }}', customerFields: { phone: '7' } };
		const lists = () => sent('customers').map(({ page }) => page);

		test('are found in the list, which is read once', async () => {
			const items = many(12);
			const found = output(await run(byRow, { items }));
			expect(found).toEqual(
				sandbox.customers.map(({ id, email }) => ({ customerID: id, email, outcome: 'updated' })),
			);
			expect(lists()).toHaveLength(1);
		});

		test('are asked for once more before they are made, and not in other spellings', async () => {
			many(3);
			const items = Array.from({ length: 12 }, (_, index) => ({ email: `new${index}@x.com` }));
			output(await run(byRow, { items }));
			expect(sandbox.customers).toHaveLength(15);
			expect(lists().filter((page) => 'search' in page)).toEqual([]);
			expect(lists()).toHaveLength(1 + 12);
		});

		test('are not taken for whom they were when the list was read', async () => {
			const items = many(12);
			const [first, second, third] = sandbox.customers;
			const asks = (id = '') => ({
				when: ({ body }: { body: unknown }) => JSON.stringify(body).includes(`"${id}"`),
			});
			// One has another email since, one has none that can be read, and one is gone.
			const moved = { ...first, email: 'moved@x.com' };
			sandbox.fault({ on: 'customer', body: moved, ...asks(first?.id) });
			sandbox.fault({ on: 'customer', body: { ...second, email: null }, ...asks(second?.id) });
			sandbox.fault({ on: 'customer', status: 404, ...asks(third?.id) });
			expect(output(await run(byRow, { items }))).toHaveLength(12);
			expect(lists().filter((page) => 'filter' in page)).toHaveLength(3);
		});

		test('are changed by none of two that have one email', async () => {
			const items = many(12);
			const { id } = sandbox.addCustomer({ email: items[0]?.email ?? '' });
			const settings = { onError: 'continueRegularOutput' as const };
			const { items: found } = await run(byRow, { items, settings });
			expect(found[0]).toMatchObject({ error: expect.stringContaining(id) });
			expect(found.slice(1).every(({ outcome }) => outcome === 'updated')).toBe(true);
		});
	});
});
