import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { sameEmail } from '../../nodes/PaymentsGateway/wire/email';
import { output } from '../engine';
import { useNode } from '../useNode';
import { useSandbox } from '../useSandbox';

/** Many look-ups by email in a run: fewer requests, and the same answers as one by one. */

const { sandbox, run, sent, credentials } = useNode({ resource: 'customer', operation: 'upsert' });
const { sandbox: elsewhere } = useSandbox();

const CUSTOMERS = 450;
const upsert: INodeParameters = {
	email: '={{ $json.email }}',
	customerFields: { nameOnCard: '={{ $json.name }}' },
};
type Item = { email: string; name: string };

/** A list of customers, and as many items: half new, a quarter changed, a quarter unchanged. */
function prepare(items: number): Item[] {
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
const outcomeOf = (index: number) =>
	index % 2 === 0 ? 'created' : index % 4 === 1 ? 'unchanged' : 'updated';

async function upsertAll(items: readonly IDataObject[], settings = {}): Promise<IDataObject[]> {
	return output(await run(upsert, { items: [...items], settings }));
}
const outcomes = (rows: readonly IDataObject[]) =>
	rows.map(({ outcome, error }) => outcome ?? error);

function twins(): string[] {
	const emails = sandbox.customers.map(({ email }) => sameEmail(email));
	return emails.filter((email, index) => emails.indexOf(email) !== index);
}

type Asked = { page: number; filter?: Array<{ value: string }>; search?: string };
const lists = () => sent('customers').map(({ page }) => page as unknown as Asked);
const pagesOfAll = () => lists().filter(({ filter, search }) => !filter && search === undefined);

test('a run reads the list once, and asks only for those whom it does not show', async () => {
	const items = prepare(80);
	expect(outcomes(await upsertAll(items))).toEqual(items.map((_, index) => outcomeOf(index)));
	expect(pagesOfAll().map(({ page }) => page)).toEqual([1, 2, 3]);
	expect(lists()).toHaveLength(3 + 40);
	// A list of customers, one check for each before it is made, one look at each that is there.
	expect(sandbox.requests).toHaveLength(3 + 40 + 40 + 40 + 20);
	for (const { email } of items.filter((_, index) => index % 2 === 0)) {
		expect(lists().filter(({ filter }) => filter?.[0]?.value === email)).toHaveLength(1);
	}
});

test('a run that looks up few, or fewer than the list has pages, asks for each', async () => {
	const items = prepare(40);
	await upsertAll(items.slice(0, 9));
	expect(pagesOfAll()).toEqual([]);
	sandbox.settings.pageSizeCap = 10;
	await upsertAll(items);
	expect(pagesOfAll().map(({ page }) => page)).toEqual([1]);
	expect(twins()).toEqual([]);
});

/** What must come out the same, whatever the list is like. */
const ODD: Array<[string, () => void]> = [
	['serves pages of 30', () => (sandbox.settings.pageSizeCap = 30)],
	[
		'serves pages of 30 without saying so',
		() => Object.assign(sandbox.settings, { pageSizeCap: 30, pageSizeSaid: 'asked' }),
	],
	['refuses pages of more than 100', () => (sandbox.settings.rejectPageSizeAbove = 100)],
	['counts nothing', () => (sandbox.settings.total = 'zero')],
	['counts in text', () => (sandbox.settings.total = 'text')],
	['counts too few', () => (sandbox.settings.total = { constant: 130 })],
	[
		'goes on for longer than its count has said',
		() => Object.assign(sandbox.settings, { pageSizeCap: 5, total: { constant: 50 } }),
	],
	['counts too many', () => (sandbox.settings.total = { constant: 900 })],
	['counts far too many', () => (sandbox.settings.total = { constant: 1e9 })],
	['ignores the page number', () => (sandbox.settings.ignorePage = true)],
	['repeats its last page', () => (sandbox.settings.repeatLastPage = true)],
	['ignores filters', () => (sandbox.settings.ignoreFilter = true)],
	['ignores the search', () => (sandbox.settings.ignoreSearch = true)],
	['fails', () => sandbox.fault({ on: 'customers', when: isOfAll, times: 3, status: 500 })],
	[
		'fails half-way',
		() => sandbox.fault({ on: 'customers', when: isOfAll, after: 1, times: 9, status: 500 }),
	],
	[
		'holds rows that are no records',
		() =>
			sandbox.fault({
				on: 'customers',
				when: isOfAll,
				times: Infinity,
				answer: (answer) => {
					const { data } = answer as { data: unknown[] };
					return { ...(answer as object), data: [null, ...data.slice(1), 'odd'] };
				},
			}),
	],
	[
		'loses a row while it is read',
		() => sandbox.fault({ on: 'customers', when: isPage(2), run: () => removeNth(7) }),
	],
	[
		'gets a row while it is read',
		() =>
			sandbox.fault({
				on: 'customers',
				when: isPage(2),
				run: () => void sandbox.addCustomer({ email: 'other@example.org' }),
			}),
	],
	[
		'moves without an end',
		() =>
			sandbox.fault({
				on: 'customers',
				when: isPage(2),
				times: Infinity,
				run: () => removeNth(10),
			}),
	],
	[
		'comes in any order',
		() =>
			sandbox.fault({
				on: 'customers',
				when: isOfAll,
				times: Infinity,
				answer: (answer) => {
					const { data } = answer as { data: unknown[] };
					return { ...(answer as object), data: [...data].reverse() };
				},
			}),
	],
];
function isOfAll({ body }: { body: unknown }): boolean {
	const { page } = (body as { data: { page: Asked } }).data;
	return !page.filter && page.search === undefined;
}
const isPage = (number: number) => (request: { body: unknown }) =>
	isOfAll(request) && (request.body as { data: { page: Asked } }).data.page.page === number;
/** One that none of the items is about. */
function removeNth(index: number): void {
	const { id } = sandbox.customers[index] ?? {};
	if (id !== undefined) sandbox.removeCustomer(id);
}

test.each(ODD)('nobody is made twice, and everybody found, where the list %s', async (_, odd) => {
	const items = prepare(60);
	odd();
	// The first row of the second page, which a move hides, and the last row of all.
	const [ada, bob] = (
		[
			[200, 'ADA@Example.org'],
			[CUSTOMERS - 1, 'BOB@Example.org'],
		] as const
	).map(([index, email]) => {
		const { id = '' } = sandbox.customers[index] ?? {};
		return sandbox.updateCustomer(id, { email, nameOnCard: 'Here' });
	});
	const others = [
		{ email: 'ada@example.org', name: 'There' },
		{ email: ' Bob@example.org ', name: 'Here' },
	];
	const found = await upsertAll([...items, ...others]);
	const expected = items.map((__, index) => outcomeOf(index));
	expect(outcomes(found).slice(0, 60)).toEqual(expected);
	expect(found.slice(60)).toMatchObject([
		{ customerID: ada?.id, outcome: 'updated' },
		{ customerID: bob?.id, outcome: 'unchanged' },
	]);
	expect(twins()).toEqual([]);
});

test('a list that shows no IDs is no proof that somebody is not there', async () => {
	const items = sandbox.addCustomers(40).map(({ email }) => ({ email: email.toUpperCase() }));
	const answer = (given: unknown) => {
		const { data, ...rest } = given as { data: Array<{ id: string }> };
		return { ...rest, data: data.map((row) => ({ ...row, id: undefined })) };
	};
	sandbox.fault({ on: 'customers', times: Infinity, answer });
	const found = await upsertAll(items, { onError: 'continueRegularOutput' });
	for (const { error } of found) expect(error).toMatch(/shows no ID of the customer/);
	expect(sandbox.customers).toHaveLength(40);
});

describe('what happens between the list and the write', () => {
	/** Once, when the last page of the list has been read. */
	const afterTheList = (task: () => void) =>
		sandbox.fault({ on: ['customers', 'customer'], when: (asked) => !isList(asked), run: task });
	const isList = (request: { endpoint: string; body: unknown }) =>
		request.endpoint === 'customers' && isOfAll(request);

	test('a customer that somebody else made is not made again', async () => {
		const items = prepare(40);
		afterTheList(() => {
			for (const index of [10, 20, 30]) {
				sandbox.addCustomer({ email: items[index]?.email ?? '', nameOnCard: 'Made elsewhere' });
			}
		});
		const expected = items.map((_, index) =>
			[10, 20, 30].includes(index) ? 'updated' : outcomeOf(index),
		);
		expect(outcomes(await upsertAll(items))).toEqual(expected);
		expect(twins()).toEqual([]);
	});

	test('one that was deleted is made anew', async () => {
		const items = prepare(40);
		afterTheList(() => {
			const gone = sandbox.customers.find(({ email }) => email === items[21]?.email);
			sandbox.removeCustomer(gone?.id ?? '');
		});
		const expected = items.map((_, index) => (index === 21 ? 'created' : outcomeOf(index)));
		expect(outcomes(await upsertAll(items))).toEqual(expected);
		expect(twins()).toEqual([]);
	});

	test('one that got another email is left alone', async () => {
		const items = prepare(40);
		const moved = sandbox.customers.find(({ email }) => email === items[23]?.email);
		afterTheList(() => sandbox.updateCustomer(moved?.id ?? '', { email: 'elsewhere@example.org' }));
		const found = await upsertAll(items);
		expect(found[23]).toMatchObject({ outcome: 'created' });
		expect(sandbox.customers.find(({ id }) => id === moved?.id)).toMatchObject({
			email: 'elsewhere@example.org',
			nameOnCard: moved?.nameOnCard,
		});
		expect(twins()).toEqual([]);
	});

	test('two runs of the same items make each once', async () => {
		const items = prepare(40);
		sandbox.settings.latency = 5;
		const both = await Promise.all([upsertAll(items), upsertAll([...items].reverse())]);
		expect(both.flat().filter(({ outcome }) => outcome === 'created')).toHaveLength(20);
		expect(twins()).toEqual([]);
	});
});

test('an email twice among the items is made once, however it is spelled', async () => {
	sandbox.addCustomers(CUSTOMERS);
	const spellings = [
		'zoé@example.org',
		'ZOE\u0301@example.org',
		' Zoe\u0301@example.org',
		'ZOÉ@EXAMPLE.org',
	];
	const items = Array.from({ length: 40 }, (_, index) => ({
		email: spellings[index % 4] ?? '',
		name: 'Zoé',
	}));
	const found = await upsertAll(items);
	expect(outcomes(found).sort()).toEqual(['created', ...Array<string>(39).fill('unchanged')]);
	expect(sandbox.customers).toHaveLength(CUSTOMERS + 1);
});

test('a customer in other letters or with composed ones is found in the list', async () => {
	const items = prepare(30);
	const ids = ['ZOE\u0301@example.org', 'Ärger@Example.org'].map(
		(email) => sandbox.addCustomer({ email, nameOnCard: 'Old' }).id,
	);
	const spelled = ['zoé@example.org', 'a\u0308rger@example.ORG'].map((email) => ({
		email,
		name: 'New',
	}));
	const found = await upsertAll([...items, ...spelled]);
	expect(found.slice(30)).toEqual(
		ids.map((customerID, at) => ({ customerID, email: spelled[at]?.email, outcome: 'updated' })),
	);
});

test('two customers of one email are named, and neither is changed', async () => {
	const items = prepare(40);
	const email = items[11]?.email ?? '';
	const first = sandbox.customers.find((each) => each.email === email);
	const second = sandbox.addCustomer({ email, nameOnCard: 'Second' });
	const found = await upsertAll(items, { onError: 'continueRegularOutput' });
	expect(found[11]?.error).toContain(
		`2 customers have the email ${email}: ${first?.id}, ${second.id}`,
	);
	expect(sent('updateCustomer').map(({ customerID }) => customerID)).not.toContain(second.id);
	expect(outcomes(found).filter((_, index) => index !== 11)).toEqual(
		items.map((_, index) => outcomeOf(index)).filter((_, index) => index !== 11),
	);
});

describe('other operations by email', () => {
	const byEmail = { __rl: true, mode: 'email', value: '={{ $json.email }}' };
	const known = (items: Item[]) => items.filter((_, index) => index % 2 === 1);

	test('look up all of their customers in one reading of the list', async () => {
		const items = known(prepare(80));
		const parameters = { operation: 'get', customerId: byEmail };
		const found = output(await run(parameters, { items: [...items] }));
		expect(found.map(({ email }) => email)).toEqual(items.map(({ email }) => email));
		expect(sandbox.requests).toHaveLength(3 + 40);
	});

	test('ask for whom the list does not show, and say that there is nobody', async () => {
		const items = [...known(prepare(60)), { email: 'nobody@example.org', name: '' }];
		const settings = { onError: 'continueRegularOutput' as const };
		const parameters = { operation: 'get', customerId: byEmail };
		const found = output(await run(parameters, { items, settings }));
		expect(found.at(-1)?.error).toContain('No customer has the email nobody@example.org');
		expect(lists()).toHaveLength(3 + 2);
	});

	test('ask for each just before they delete it', async () => {
		const items = known(prepare(60));
		output(await run({ operation: 'delete', customerId: byEmail }, { items: [...items] }));
		expect(pagesOfAll()).toEqual([]);
		expect(lists()).toHaveLength(30);
	});
});

describe('emails that change hands while a run goes on', () => {
	const update = async (items: IDataObject[], batches = 1) =>
		await run(
			{
				operation: 'update',
				customerId: { __rl: true, mode: 'email', value: '={{ $json.who }}' },
				customerFields: { email: '={{ $json.email }}', nameOnCard: '={{ $json.name }}' },
			},
			{ items, batches, settings: { onError: 'continueRegularOutput' } },
		);
	const named = (emails: readonly string[]) => emails.map((who) => ({ who, name: 'Named' }));

	test('go to whoever has them by then, batch after batch', async () => {
		const [ada, bob, ...others] = sandbox.addCustomers(5);
		const rows = [
			{ who: ada?.email, email: 'moved@example.com' },
			{ who: bob?.email, email: ada?.email },
			{ who: ada?.email, name: 'Third' },
			...named(others.map(({ email }) => email)),
		];
		output(await update(rows, rows.length));
		const { email = '' } = ada ?? {};
		expect(sandbox.customers.slice(0, 2)).toMatchObject([
			{ id: ada?.id, email: 'moved@example.com', nameOnCard: ada?.nameOnCard },
			{ id: bob?.id, email, nameOnCard: 'Third' },
		]);
		expect(sandbox.customers.slice(2).every(({ nameOnCard }) => nameOnCard === 'Named')).toBe(true);
	});

	test('cost no look-up of each where it is the email that the customer has', async () => {
		const emails = sandbox.addCustomers(40).map(({ email }) => email);
		output(await update(emails.map((who) => ({ who, email: who.toUpperCase() }))));
		expect(lists()).toHaveLength(1);
	});

	describe('by another run', () => {
		/** Has a run do something after ten rows of another one, which is not through before. */
		const meanwhile = (parameters: INodeParameters, url = sandbox.url) => {
			const others = sandbox.addCustomers(390).map(({ email }) => email);
			sandbox.settings.latency = 5;
			let done: Promise<unknown> | undefined;
			sandbox.fault({
				on: 'updateCustomer',
				after: 10,
				run: () => {
					done = run(parameters, { credentials: { ...credentials(), baseUrl: url } }).then(output);
				},
			});
			return async (email: string) => {
				const found = await update(named([...others, email]));
				await done;
				return output(found).at(-1);
			};
		};
		const ada = { email: 'ada@example.org' };
		const by = (id: string) => ({ customerId: { __rl: true, mode: 'id', value: id } });

		test('are no longer those of who had them when the list was read', async () => {
			const { id } = sandbox.addCustomer(ada);
			const customerFields = { email: 'moved@example.org' };
			const last = meanwhile({ operation: 'update', customerFields, ...by(id) });
			expect(await last(ada.email)).toMatchObject({
				error: expect.stringContaining('No customer has the email ada@example.org'),
			});
			expect(sandbox.customers[0]).toMatchObject(customerFields);
		});

		test('are no longer those of who was deleted', async () => {
			const { id } = sandbox.addCustomer(ada);
			const last = meanwhile({ operation: 'delete', ...by(id) });
			expect(await last(ada.email)).toMatchObject({
				error: expect.stringContaining('No customer has the email ada@example.org'),
			});
		});

		test('are found in the list as before, where it is at another merchant', async () => {
			sandbox.addCustomer(ada);
			const { id } = elsewhere.addCustomer(ada);
			const customerFields = { email: 'moved@example.org' };
			const change = { operation: 'update', customerFields, ...by(id) };
			const last = meanwhile(change, elsewhere.url);
			expect(await last(ada.email)).toEqual({ customerID: sandbox.customers[0]?.id });
			expect(elsewhere.customers).toMatchObject([customerFields]);
			expect(lists()).toHaveLength(2);
		});

		test('cost Create or Update nothing: it looks at each customer anyway', async () => {
			const items = sandbox.addCustomers(390).map(({ email }) => ({ email, name: 'Named' }));
			sandbox.settings.latency = 5;
			const { id } = sandbox.addCustomer(ada);
			const change = { operation: 'update', customerFields: { email: 'moved@example.org' } };
			let done: Promise<unknown> | undefined;
			sandbox.fault({
				on: 'updateCustomer',
				after: 5,
				run: () => (done = run({ ...change, ...by(id) }).then(output)),
			});
			const found = output(await run(upsert, { items: [...items, { ...ada, name: 'Ada' }] }));
			await done;
			expect(found.at(-1)).toMatchObject({ outcome: 'created' });
			// The list, and what the list shows no more: by filter, and by search.
			expect(lists()).toHaveLength(2 + 2);
			expect(sandbox.customers[390]).toMatchObject({ id, email: 'moved@example.org' });
		});
	});
});

test('each merchant has a list of its own', async () => {
	const here = prepare(40);
	const there = elsewhere.addCustomers(300).slice(0, 40);
	const items = here.flatMap(({ email, name }, index) => [
		{ email, name, baseUrl: sandbox.url },
		{ email: there[index]?.email, name: `There ${index}`, baseUrl: elsewhere.url },
	]);
	const found = output(
		await run(upsert, {
			items,
			credentials: { ...credentials(), baseUrl: '={{ $json.baseUrl }}' },
		}),
	);
	expect(found.filter((_, index) => index % 2 === 0).map(({ outcome }) => outcome)).toEqual(
		here.map((_, index) => outcomeOf(index)),
	);
	expect(found.filter((_, index) => index % 2 === 1).map(({ customerID }) => customerID)).toEqual(
		there.map(({ id }) => id),
	);
	expect(elsewhere.requestsTo('customers')).toHaveLength(2);
});

test('the list is read anew when half a minute has passed', async () => {
	// More than are looked up at once.
	const items = prepare(150).filter((_, index) => index % 2 === 1);
	const clock = jest.spyOn(performance, 'now');
	const started = performance.now();
	sandbox.fault({
		on: 'customer',
		after: 1,
		run: () => void clock.mockImplementation(() => started + 60_000),
	});
	output(await run(upsert, { items }));
	clock.mockRestore();
	expect(pagesOfAll().map(({ page }) => page)).toEqual([1, 2, 3, 1, 2, 3]);
});
