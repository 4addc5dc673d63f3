import type { RunOptions } from '../../engine';
import { output } from '../../engine';
import { COMMIT, UNKNOWN, nothingSent, once, useCharges } from './charges';

/** The same cart is charged once, also while the service does not show its events yet. */

const { sandbox, commit, cart, seen } = useCharges();

describe('5. the same cart again, while its events lag', () => {
	beforeEach(() => (sandbox.settings.eventLag = Infinity));

	test.each<[string, Partial<RunOptions>]>([
		['in one run', {}],
		['in batches of a loop', { batches: 3 }],
	])('charges once %s', async (_, how) => {
		const items = [{}, {}, {}];
		const rows = output(await commit({ paymentData: cart() }, { items, ...how }));
		const { transactionID } = sandbox.charges[0] ?? {};
		expect(rows).toMatchObject([
			{ charged: true, transactionID },
			{ charged: false, status: 'ALREADY_PAID', transactionID },
			{ charged: false, status: 'ALREADY_PAID', transactionID },
		]);
		expect(seen()).toEqual(once);
	});

	test.each<[string, Partial<RunOptions>]>([
		['in one run', {}],
		['in batches of a loop', { batches: 2 }],
	])('charges two carts of one reference once %s', async (_, how) => {
		const items = [{ cart: cart() }, { cart: cart() }];
		const run = await commit({ paymentData: '={{ $json.cart }}' }, { items, ...how });
		expect(output(run)).toMatchObject([{ charged: true }, { status: 'ALREADY_PAID' }]);
		expect(seen()).toEqual(once);
	});

	test('charges once, and names both when the totals differ', async () => {
		const dynamicData = { tip: { details: { amount: '={{ $json.tip }}', type: 'fixed' } } };
		const settings = { onError: 'continueRegularOutput' as const };
		const items = [{ tip: 1 }, { tip: 3 }, { tip: 1 }];
		const run = await commit({ paymentData: cart(), dynamicData }, { items, settings });
		expect(run.items).toMatchObject([
			{ charged: true, computedTotal: 2600 },
			{ error: expect.stringMatching(/Nothing more was charged.*2600.*2800.*\[item 1\]/) },
			{ charged: false, status: 'ALREADY_PAID' },
		]);
		expect(seen()).toEqual(once);
	});

	test('charges other carts of the run', async () => {
		const items = ['A', 'B', 'C'].map((referenceID) => ({ cart: cart({ referenceID }) }));
		output(await commit({ paymentData: '={{ $json.cart }}' }, { items }));
		expect(sandbox.charges.map(({ referenceID }) => referenceID)).toEqual(['A', 'B', 'C']);
	});

	test.each<[string, (index: number) => string]>([
		['the same cart', () => ''],
		['carts of one reference', () => cart()],
	])('two executions at once charge %s once', async (_, make) => {
		const shared = cart();
		const runs = await Promise.all(
			[0, 1, 2, 3].map(async (index) => await commit({ paymentData: make(index) || shared })),
		);
		const rows = runs.flatMap(output);
		expect(rows.filter(({ charged }) => charged === true)).toHaveLength(1);
		expect(rows.filter(({ status }) => status === 'ALREADY_PAID')).toHaveLength(3);
		expect(new Set(rows.map(({ transactionID }) => transactionID)).size).toBe(1);
		expect(seen()).toEqual(once);
	});

	test('two executions at once send one charge when its answer is lost', async () => {
		const paymentData = cart();
		sandbox.fault({ on: COMMIT, drop: 'after' });
		const runs = await Promise.all([commit({ paymentData }), commit({ paymentData })]);
		for (const run of runs) expect(run.error?.message).toMatch(UNKNOWN);
		expect(seen()).toEqual(once);
	});

	test('an execution does not wait for the charge of another reference', async () => {
		sandbox.fault({ on: COMMIT, delay: 300 });
		const over: string[] = [];
		const references = ['A', 'B'];
		const charge = async (referenceID: string) => {
			output(await commit({ paymentData: cart({ referenceID }) }));
			over.push(referenceID);
		};
		await Promise.all(references.map(charge));
		expect(over).toEqual(sandbox.charges.map(({ referenceID }) => referenceID).reverse());
	});

	test('the second of two executions charges when the first is plainly refused', async () => {
		const paymentData = cart();
		sandbox.fault({ on: COMMIT, status: 402 });
		const runs = await Promise.all([commit({ paymentData }), commit({ paymentData })]);
		expect(runs.flatMap(({ items }) => items)).toMatchObject([{ charged: true }]);
		expect(seen()).toMatchObject({ commits: 2, charges: 1 });
	});

	test('charges again where repeats are allowed, in one run and in each batch of a loop', async () => {
		const options = { allowRepeatCharge: true };
		output(await commit({ paymentData: cart(), options }, { items: [{}, {}] }));
		output(await commit({ paymentData: cart(), options }, { items: [{}, {}], batches: 2 }));
		expect(seen()).toMatchObject({ commits: 4, charges: 4 });
	});

	test('a repeat is allowed by no expression, nor by one for all options', async () => {
		const items = [{}, {}];
		const options = { allowRepeatCharge: '={{ true }}' };
		const run = await commit({ paymentData: cart(), options }, { items });
		expect(run.error?.message).toMatch(/'Allow Repeat Charge' must be true or false/);
		expect(seen()).toEqual(nothingSent);
		const whole = '={{ ({ allowRepeatCharge: true }) }}';
		output(await commit({ paymentData: cart(), options: whole }, { items }));
		expect(seen()).toEqual(once);
	});
});
