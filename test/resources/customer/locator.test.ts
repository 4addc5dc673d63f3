import type { INodeParameters } from 'n8n-workflow';

import { output } from '../../engine';
import { useNode } from '../../useNode';
import { by } from '../locator';

/** Which customer is meant, for every operation that takes one: by ID, from the list, or by email. */

const { sandbox, run: runNode, sent } = useNode({ resource: 'customer' });

const run = async (operation: string, parameters: INodeParameters, given = {}) =>
	await runNode({ operation, ...parameters }, given);
const asked = () => sandbox.requests.map(({ endpoint }) => endpoint);

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

	test("is looked for with a filter of the service's description", async () => {
		sandbox.addCustomer({ email: 'ada@example.com' });
		output(await run('get', { customerId: by('email', 'ada@example.com') }));
		expect(sent('customers')[0]).toMatchObject({
			page: { filter: [{ field: 'email', operation: 'equals', value: 'ada@example.com' }] },
		});
		expect(asked()).toEqual(['customers', 'customer']);
	});

	describe('whom the list shows by an email that they no longer have', () => {
		const email = 'old@example.com';
		const getMany = { resource: 'paymentMethod', returnAll: true };
		const ways: Array<[string, INodeParameters]> = [
			['get', {}],
			['getAll', getMany],
		];
		const listIsBehind = (times: number) => {
			const { id } = sandbox.addCustomer({ email: 'new@example.com' });
			const page = { total: 1, page: 1, pageSize: 100 };
			sandbox.fault({ on: 'customers', times, body: { data: [{ id, email }], page } });
		};

		test.each(ways)('is not who is meant (%s)', async (operation, parameters) => {
			listIsBehind(Infinity);
			const { error } = await run(operation, { ...parameters, customerId: by('email', email) });
			expect(error?.message).toContain(`No customer has the email ${email}`);
		});

		test.each(ways)('is not taken for who has it now (%s)', async (operation, parameters) => {
			listIsBehind(1);
			const { id } = sandbox.addCustomer({ email });
			output(await run(operation, { ...parameters, customerId: by('email', email) }));
			expect(sent('customer').at(-1)).toEqual({ customerID: id });
		});
	});

	test('is nobody by an email of which nothing is seen, also where one has no email', async () => {
		sandbox.addCustomer({ email: '' });
		const { error } = await run('delete', { customerId: by('email', '\u200e') });
		expect(error?.message).toMatch(/^No customer has the email/);
		expect(sandbox.customers).toHaveLength(1);
	});

	test('is told where the list shows no ID of it, and nothing is changed', async () => {
		const email = 'ada@example.com';
		for (const id of [undefined, null, '', 77]) {
			sandbox.reset();
			sandbox.addCustomer({ email });
			const answer = (given: unknown) => {
				const { data, ...rest } = given as { data: object[] };
				return { ...rest, data: data.map((row) => ({ ...row, id })) };
			};
			sandbox.fault({ on: 'customers', times: Infinity, answer });
			for (const operation of ['get', 'delete']) {
				const { error } = await run(operation, { customerId: by('email', email) });
				expect(error?.message).toContain(`shows no ID of the customer with the email ${email}`);
			}
			expect(new Set(asked())).toEqual(new Set(['customers']));
		}
	});

	test('that nobody is, by email, is an error, and nothing is changed', async () => {
		sandbox.addCustomer({ email: 'ada@example.com' });
		for (const operation of ['get', 'delete']) {
			const { error } = await run(operation, { customerId: by('email', 'da@example.com') });
			expect(error?.message).toContain('No customer has the email da@example.com');
			expect(error).toMatchObject({ description: expect.stringContaining('Create or Update') });
		}
		expect(sandbox.customers).toHaveLength(1);
		expect(new Set(asked())).toEqual(new Set(['customers']));
	});

	test('that the service counts and does not show, is an error, and nothing is changed', async () => {
		sandbox.addCustomer({ email: 'ada@example.com' });
		const page = { total: 300, page: 1, pageSize: 100 };
		sandbox.fault({ on: 'customers', times: Infinity, body: { data: [], page } });
		for (const operation of ['get', 'delete']) {
			const { error } = await run(operation, { customerId: by('email', 'ada@example.com') });
			expect(error?.message).toContain('counts customers that it does not show');
			expect(error).toMatchObject({
				description: expect.stringContaining('name the customer by ID'),
			});
		}
		expect(sandbox.customers).toHaveLength(1);
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
				expect(error?.message).toContain("'Customer' is empty");
			}
			expect(sandbox.requests).toHaveLength(0);
		},
	);
});
