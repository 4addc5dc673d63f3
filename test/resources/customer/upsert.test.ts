import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { output } from '../../engine';
import { nodeCredentials } from '../../sandbox';
import { useNode } from '../../useNode';
import { by } from '../locator';
import { everything } from './everything';

/** One customer for each email, however often and in whatever letters it comes. */

const { sandbox, run, sent, later } = useNode({ resource: 'customer', operation: 'upsert' });

const email = 'ada@example.com';
const upsert = async (parameters: INodeParameters = {}, given = {}) =>
	await run({ email, ...parameters }, given);
const eachRow = {
	email: '={{ $json.email }}',
	customerFields: { nameOnCard: '={{ $json.name }}' },
};
const rows = (...list: Array<[email: string, name: string]>): IDataObject[] =>
	list.map(([of, name]) => ({ email: of, name }));
const settings = { onError: 'continueRegularOutput' as const };
const asked = () => sandbox.requests.map(({ endpoint }) => endpoint);
const outcomes = (items: readonly IDataObject[]) =>
	items.map(({ outcome, error }) => outcome ?? error);

describe.each([false, true])('where the service replaces the form: %p', (updateReplaces) => {
	beforeEach(() => {
		sandbox.settings.updateReplaces = updateReplaces;
	});

	test('creates a customer that is not there', async () => {
		sandbox.addCustomer({ email: `x${email}` });
		const items = output(await upsert({ customerFields: { nameOnCard: 'Ada', phone: '' } }));
		expect(items).toEqual([{ customerID: sandbox.customers[1]?.id, email, outcome: 'created' }]);
		expect(sent('addCustomer')).toEqual([{ form: { email, nameOnCard: 'Ada' } }]);
	});

	test('updates one that says otherwise, and loses none of the other fields', async () => {
		const { id } = sandbox.addCustomer(everything);
		const customerFields = { nameOnCard: 'Ada King', phone: '' };
		expect(output(await upsert({ customerFields }))).toEqual([
			{ customerID: id, email, outcome: 'updated' },
		]);
		const form = { ...everything, nameOnCard: 'Ada King' };
		expect(sent('updateCustomer')).toEqual([{ customerID: id, form }]);
		expect(sandbox.customers).toMatchObject([form]);
		expect(output(await upsert({ customerFields }))).toMatchObject([{ outcome: 'unchanged' }]);
	});

	test('clears what is empty when it is told to, and only where there is something', async () => {
		sandbox.addCustomer(everything);
		const customerFields = { phone: '', billingCity: '={{ null }}', nameOnCard: '={{ $json.no }}' };
		const parameters = { customerFields, options: { clearEmptyFields: true } };
		const cleared = { ...everything, phone: '', billingCity: '' };
		expect(output(await upsert(parameters))).toMatchObject([{ outcome: 'updated' }]);
		expect(output(await upsert(parameters))).toMatchObject([{ outcome: 'unchanged' }]);
		expect(sandbox.customers).toMatchObject([cleared]);
		output(await upsert({ ...parameters, email: 'new@x.com' }));
		expect(sent('addCustomer')).toEqual([{ form: { email: 'new@x.com' } }]);
	});

	test.each(['ADA@example.com', ' Ada@Example.Com', 'ada@exam\u00adple.com\u200b'])(
		'knows %j as the customer in other letters, and leaves the email as it stands',
		async (written) => {
			const { id } = sandbox.addCustomer(everything);
			const found = output(await upsert({ email: written, customerFields: { phone: '2' } }));
			const shown = written.replace(/[\u00ad\u200b]/g, '').trim();
			expect(found).toEqual([{ customerID: id, email: shown, outcome: 'updated' }]);
			expect(sandbox.customers).toMatchObject([{ ...everything, phone: '2' }]);
		},
	);
});

test('sends no change when the customer already says so', async () => {
	const { id } = sandbox.addCustomer(everything);
	const { phone, billingCity } = everything;
	for (const fields of [{ phone, billingCity }, {}, { phone: '' }]) {
		expect(output(await upsert({ customerFields: fields }))).toEqual([
			{ customerID: id, email, outcome: 'unchanged' },
		]);
	}
	expect(new Set(asked())).toEqual(new Set(['customers', 'customer']));
});

test.each([
	['n/a', 'takes one email address'],
	['unknown', 'takes one email address'],
	['a@b.c; d@e.f', 'takes one email address'],
	[' ', 'is empty'],
	['\u200e\u00ad', 'is empty'],
	['={{ "" }}', 'is empty'],
	['={{ $json.none }}', 'is empty'],
])('refuses the email %j before anything is sent', async (given, words) => {
	expect((await upsert({ email: given })).error?.message).toContain(`'Email' ${words}`);
	expect(sandbox.requests).toHaveLength(0);
});

describe('who is not made', () => {
	const page = { total: 0, page: 1, pageSize: 100 };
	test.each<[string, object]>([
		['an error beside no rows', { error: { message: 'Later' }, data: [], page }],
		['no rows, and counts 300', { data: [], page: { ...page, total: 300 } }],
	])('nobody, where the list of customers holds %s', async (_, body) => {
		sandbox.fault({ on: 'customers', times: Infinity, body });
		expect((await upsert()).error?.message).toMatch(/Later|Nobody can tell whether/);
		expect(asked()).not.toContain('addCustomer');
	});

	test('nobody, where the service ignores filters and pages', async () => {
		sandbox.addCustomers(150);
		sandbox.addCustomer({ email });
		Object.assign(sandbox.settings, { ignoreFilter: true, ignoreSearch: true, ignorePage: true });
		expect((await upsert()).error?.message).toContain('Nobody can tell whether');
		expect(sandbox.customers).toHaveLength(151);
	});

	test('a second one for a customer with two cards, who has two rows', async () => {
		const { id } = sandbox.addCustomer(everything);
		sandbox.fault({
			on: 'customers',
			times: Infinity,
			answer: (answer) => {
				const { data } = answer as { data: object[] };
				const twice = data.flatMap((row) => [row, { ...row, last4: '1881' }]);
				return { data: twice, page: { ...page, total: twice.length } };
			},
		});
		for (const count of [1, 12]) {
			const items = Array.from({ length: count }, () => ({}));
			for (const item of output(await upsert({}, { items }))) {
				expect(item).toMatchObject({ customerID: id, outcome: 'unchanged' });
			}
		}
	});

	test('a third, where two match, and neither is changed', async () => {
		const ids = [1, 2].map(() => sandbox.addCustomer(everything).id);
		const { error } = await upsert({ customerFields: { phone: '5' } });
		expect(error?.message).toContain(`2 customers have the email ${email}: ${ids.join(', ')}`);
		expect(new Set(asked())).toEqual(new Set(['customers', 'customer']));
	});
});

test('a list with duplicates makes each once, in parallel with others', async () => {
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
	const [created, updated, unchanged] = ['created', 'updated', 'unchanged'];
	expect(outcomes(found)).toEqual([
		created,
		created,
		unchanged,
		updated,
		created,
		unchanged,
		unchanged,
	]);
	const id = (of: string) => sandbox.customers.find((each) => each.email === `${of}@x.com`)?.id;
	expect(found.map(({ customerID }) => customerID)).toEqual([...'abaacba'].map(id));
	expect(sandbox.customers).toHaveLength(3);
	expect(sandbox.maxInFlight).toBeGreaterThan(1);
});

test('takes nobody of one merchant for a customer of another, told apart by tokens alone', async () => {
	const { baseUrl } = nodeCredentials(sandbox);
	const items = ['one', 'two'].map((token) => ({ token, email: 'a@x.com', name: 'A' }));
	const none = { data: [], page: { total: 0, page: 1, pageSize: 100 } };
	sandbox.fault({ on: 'customers', times: Infinity, body: none });
	for (const customerID of ['cus_1', 'cus_2']) {
		sandbox.fault({ on: 'addCustomer', body: { customerID } });
	}
	const merchant = { baseUrl, environment: 'sandbox', headerToken: '={{ $json.token }}' };
	const found = output(await run(eachRow, { items, credentials: merchant }));
	expect(found.map(({ customerID }) => customerID).sort()).toEqual(['cus_1', 'cus_2']);
	expect(asked()).not.toContain('customer');
});

describe('while the list lags behind', () => {
	beforeEach(() => sandbox.holdCustomerList(true));
	const twice = rows(['a@x.com', 'A'], ['A@x.com', 'B']);

	test('two executions at once make each once', async () => {
		sandbox.settings.latency = 5;
		const both = await Promise.all([
			run(eachRow, { items: rows(['a@x.com', 'A'], ['b@x.com', 'B']) }),
			run(eachRow, { items: rows(['B@x.com', 'B'], ['A@x.com', 'A']) }),
		]);
		expect(both.flatMap((each) => outcomes(output(each))).sort()).toEqual([
			'created',
			'created',
			'unchanged',
			'unchanged',
		]);
		expect(sandbox.customers).toHaveLength(2);
	});

	test.each<[string, () => Promise<IDataObject[]>]>([
		['items of a run', async () => output(await run(eachRow, { items: twice }))],
		['batches of a loop', async () => output(await run(eachRow, { items: twice, batches: 2 }))],
		[
			'executions',
			async () => {
				const first = output(await run(eachRow, { items: twice.slice(0, 1) }));
				later(599_000);
				return [...first, ...output(await run(eachRow, { items: twice.slice(1) }))];
			},
		],
		[
			'tries of Retry On Fail',
			async () => {
				sandbox.fault({ on: 'updateCustomer', times: 3, status: 422 });
				const retries = { retryOnFail: true, maxTries: 3 };
				const { error } = await run(eachRow, { items: twice, settings: retries });
				expect(error).toBeDefined();
				return output(await run(eachRow, { items: twice.slice(1) }));
			},
		],
	])('%s, one after another, make one', async (_, task) => {
		expect((await task()).at(-1)).toMatchObject({ outcome: 'updated' });
		expect(sandbox.customers).toMatchObject([{ email: 'a@x.com', nameOnCard: 'B' }]);
	});

	test('nobody is made again of whom it is not known whether they were made', async () => {
		sandbox.fault({ on: 'addCustomer', status: 504, workFirst: true });
		const found = output(
			await run(eachRow, { items: [...twice, ...rows(['b@x.com', 'B'])], settings }),
		);
		expect(found).toMatchObject([
			{ error: 'Gateway Timeout' },
			{ error: expect.stringContaining('not known whether') },
			{ outcome: 'created' },
		]);
		expect(sandbox.customers.map((each) => each.email)).toEqual(['a@x.com', 'b@x.com']);
		sandbox.holdCustomerList(false);
		expect(outcomes(output(await run(eachRow, { items: twice })))).toEqual([
			'unchanged',
			'updated',
		]);
	});

	test('whoever was refused is made by the next item', async () => {
		sandbox.fault({ on: 'addCustomer', status: 422, body: { message: 'Not like this' } });
		const found = output(await run(eachRow, { items: twice, settings }));
		expect(outcomes(found)).toEqual(['Not like this', 'created']);
	});

	test.each([400, 401, 403, 404, 410, 500])(
		'nobody is made again who cannot be read by ID for a moment (%i)',
		async (status) => {
			sandbox.fault({ on: 'customer', status, times: 3 });
			const { items } = await run(eachRow, { items: twice, settings });
			expect(items).toMatchObject([{ outcome: 'created' }, { error: expect.any(String) }]);
			expect(sandbox.customers).toHaveLength(1);
		},
	);

	test('who was deleted since is made anew: at once where it was here, else after a minute', async () => {
		const [first] = output(await upsert());
		output(await run({ operation: 'delete', customerId: by('id', first?.customerID) }));
		const [second] = output(await upsert());
		expect(second).toMatchObject({ outcome: 'created' });
		sandbox.removeCustomer(String(second?.customerID));
		expect((await upsert()).error?.message).toContain('made or deleted a moment ago');
		later(60_000);
		expect(output(await upsert())).toMatchObject([{ outcome: 'created' }]);
	});

	describe('somebody who has just been given the email', () => {
		const create = async () =>
			await run({ operation: 'create', customerFields: { email: 'Ada@Example.com' } });
		const update = async (id: string) =>
			await run({ operation: 'update', customerId: by('id', id), customerFields: { email } });

		test('is the one: by Create', async () => {
			const [made] = output(await create());
			const customerFields = { nameOnCard: 'Ada King' };
			for (const outcome of ['updated', 'unchanged']) {
				expect(output(await upsert({ customerFields }))).toMatchObject([
					{ customerID: made?.customerID, outcome },
				]);
			}
		});

		test.each([false, true])('is the one: by Update, its answer lost: %p', async (isLost) => {
			const { id } = sandbox.addCustomer({ email: 'old@example.com' });
			if (isLost) sandbox.fault({ on: 'updateCustomer', status: 504, workFirst: true });
			await update(id);
			expect(output(await upsert())).toMatchObject([{ customerID: id, outcome: 'unchanged' }]);
			expect(output(await upsert({ email: 'old@example.com' }))).toMatchObject([
				{ outcome: 'created' },
			]);
		});

		test('is nobody where the change was refused', async () => {
			await update('cus_none');
			expect(output(await upsert())).toMatchObject([{ outcome: 'created' }]);
		});

		test('is waited for, and not made again where the answer was lost meanwhile', async () => {
			sandbox.settings.latency = 20;
			const both = await Promise.all([create(), upsert()]);
			expect(both.map((each) => output(each)[0]?.outcome)).toEqual([undefined, 'unchanged']);
			later(600_000);
			sandbox.fault({ on: 'addCustomer', status: 504, workFirst: true, delay: 20 });
			const [, found] = await Promise.all([create(), upsert()]);
			expect(found.error?.message).toContain('not known whether');
		});

		test('is not preferred to another of the same email', async () => {
			output(await create());
			output(await create());
			const ids = sandbox.customers.map(({ id }) => id);
			const named = `2 customers have the email ${email}: ${ids.join(', ')}`;
			expect((await upsert()).error?.message).toContain(named);
		});
	});
});
