import { output } from '../engine';
import { by } from '../resources/locator';
import { REFERENCE, nothingCharged, useCharges } from '../resources/payment/charges';

/** A service that refuses pages as large as they are asked for: every list is read all the same. */

const { sandbox, run, commit, cart, paid, seen } = useCharges();

const SERVICES = [10, 50, 100].flatMap((most) =>
	(['served', 'asked', 'nothing'] as const).flatMap((pageSizeSaid) =>
		(['right', 'zero'] as const).map((total) => ({ most, pageSizeSaid, total })),
	),
);

describe.each(SERVICES)('takes pages of %j', ({ most, ...settings }) => {
	beforeEach(() => {
		Object.assign(sandbox.settings, { ...settings, rejectPageSizeAbove: most });
		// What is looked for must be found in the list itself.
		Object.assign(sandbox.settings, { ignoreFilter: true, ignoreSearch: true });
	});
	const fill = () => {
		paid();
		sandbox.addEvents(130);
	};

	test('a paid reference is found, and not charged again', async () => {
		fill();
		expect(output(await commit({ paymentData: cart() }))).toMatchObject([
			{ status: 'ALREADY_PAID' },
		]);
		expect(seen()).toEqual(nothingCharged);
		const status = { resource: 'payment', operation: 'getStatus', referenceId: REFERENCE };
		expect(output(await run(status))).toMatchObject([{ outcome: 'succeeded' }]);
	});

	test.each([1, 20])(
		'customers are found by email, and not made again (%i items)',
		async (count) => {
			const items = sandbox.addCustomers(130).map(({ email }) => ({ email }));
			const email = '={{ $json.email }}';
			const parameters = { resource: 'customer', operation: 'upsert', email };
			output(await run(parameters, { items: items.slice(-count) }));
			expect(sandbox.customers).toHaveLength(130);
			const get = { resource: 'customer', operation: 'get', customerId: by('email', email) };
			expect(output(await run(get, { items: items.slice(-1) }))).toMatchObject([
				items.at(-1) ?? {},
			]);
		},
	);

	test('lists are whole', async () => {
		fill();
		sandbox.addCustomers(130);
		for (const resource of ['customer', 'webhookEvent']) {
			const all = await run({ resource, operation: 'getAll', returnAll: true });
			expect(output(all)).toHaveLength(resource === 'customer' ? 130 : 131);
		}
	});
});

test('a request that is refused for another reason says so, in the words of the first answer', async () => {
	sandbox.fault({ on: 'customers', status: 422, body: { message: 'First' } });
	sandbox.fault({ on: 'customers', after: 1, status: 422, body: { message: 'Second' } });
	const { error } = await run({ resource: 'customer', operation: 'getAll' });
	expect(error?.message).toBe('First');
});

test('an answer that is no page of that size is not taken for one', async () => {
	sandbox.addCustomers(40);
	sandbox.fault({ on: 'customers', status: 400, body: { message: 'Too large' } });
	const rows = Array.from({ length: 30 }, (_, index) => ({ id: `c${index}` }));
	sandbox.fault({ on: 'customers', after: 1, body: { data: rows, page: { page: 1 } } });
	const { error } = await run({ resource: 'customer', operation: 'getAll', returnAll: true });
	expect(error?.message).toBe('Too large');
});
