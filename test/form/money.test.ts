import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { valueAt } from '../../nodes/PaymentsGateway/wire/json';
import { output } from '../engine';
import { leavesOf } from '../everyField';
import { operations } from '../operations';
import { useNode } from '../useNode';

/**
 * Whatever this package puts out as an amount means the same money when it is dragged into any of
 * its own fields: a failed payment of $120 never makes a link of $12,000.
 */

const { sandbox, run, sent } = useNode();

const V = '={{ $json.v }}';
const paylink = { resource: 'paylink', operation: 'create', amount: 1 };

/** How a field is filled in, and the cents that left for the gateway or that the output shows. */
interface MoneyField {
	form: INodeParameters;
	arrived: (items: readonly IDataObject[]) => unknown[];
}
const ofPaylink = (form: INodeParameters, path: string): MoneyField => ({
	form: { ...paylink, ...form },
	arrived: () => sent('createCheckoutData').map((data) => valueAt(data, `form.pricing.${path}`)),
});
const ofItem = (item: INodeParameters, name: string) => {
	const lineItems = { items: [{ name: 'Mug', price: 1, ...item }] };
	return ofPaylink({ pricingMode: 'lineItems', lineItems }, `lineItems.0.product.${name}`);
};

/** Each field of money by its label. */
const FIELDS: Readonly<Record<string, MoneyField>> = {
	'Amount (Dollars)': ofPaylink({ amount: V }, 'amount'),
	'Price (Dollars)': ofItem({ price: V }, 'price'),
	'Setup Fee (Dollars)': ofItem(
		{ subscription: { recurringMode: 'MONTHLY', recurringSetupFee: V } },
		'recurringSetupFee',
	),
	'Shipping (Dollars)': ofPaylink({ pricing: { shipping: V } }, 'shipping'),
	'Tax (Dollars or Percent)': ofPaylink({ pricing: { tax: V } }, 'tax'),
	'Tip (Dollars or Percent)': ofPaylink({ pricing: { tip: V } }, 'tip'),
	'Cart Tip (Dollars or Percent)': {
		form: { ...{ resource: 'cart', operation: 'calculate' }, dynamicData: { tip: V } },
		arrived: () =>
			sent('computeTokenizedCheckout').map((data) => valueAt(data, 'dynamicData.tip.amount')),
	},
	// Nothing was paid, so all of it is missing.
	'Expected Amount (Dollars)': {
		form: {
			...{ resource: 'payment', operation: 'getStatus', referenceId: 'INV-0' },
			expectedAmount: V,
		},
		arrived: (items) => items.map(({ difference }) => Math.round(-100 * Number(difference))),
	},
	// The error names the total that was expected.
	'Expected Total (Dollars)': {
		form: {
			...{ resource: 'payment', operation: 'charge', customerConsent: true, expectedTotal: V },
			card: { details: { cardToken: 'tok_visa_4242' } },
		},
		arrived: (items) =>
			items.map(({ error }) => {
				const [, dollars = ''] = /Total.* is \$([\d,.]+)/.exec(String(error)) ?? [];
				return Math.round(100 * Number(dollars.replaceAll(',', '')));
			}),
	},
};

/** What each operation puts out for so many cents. */
async function putOut(cents: number): Promise<unknown[]> {
	const lineItems = { items: [{ name: 'Mug', price: cents / 100 }] };
	const paymentData = sandbox.addCart({ amount: cents });
	const referenceId = `INV-${cents}`;
	sandbox.addEvent({ amount: cents, referenceID: referenceId });
	const found = [];
	for (const parameters of [
		{ ...paylink, amount: cents / 100 },
		{ ...paylink, pricingMode: 'lineItems', lineItems },
		{ resource: 'cart', operation: 'calculate', paymentData },
		{ resource: 'event', operation: 'getAll', limit: 1 },
		{ resource: 'payment', operation: 'getStatus', referenceId },
	]) {
		const [item = {}] = output(await run(parameters));
		found.push(item.amount ?? item.total, item.amountFormatted ?? item.totalFormatted);
	}
	return found;
}

const SAMPLE = [1, 99, 1999, 12_000, 123_456_789, ...fc.sample(fc.nat(9e9), 3)];

test('every money field takes each amount that is output, and refuses 19,99', async () => {
	const labels = operations
		.flatMap(({ operation }) => leavesOf(operation.fields))
		.filter(({ field }) => field.noDataExpression !== true)
		.map(({ field }) => field.displayName);
	const ofMoney = labels.filter((label) => label.includes('(Dollars'));
	expect([...new Set(ofMoney)].sort()).toEqual(Object.keys(FIELDS).sort());
	// Besides what is put out, what expressions work out: 3.3000000000000003.
	const given: Array<{ v: unknown; cents: number }> = [{ v: 1.1 * 3, cents: 330 }];
	for (const cents of SAMPLE.map((each) => Math.max(1, each))) {
		sandbox.reset();
		given.push(...[...new Set(await putOut(cents))].map((v) => ({ v, cents })));
	}
	const items = [...given.map(({ v }) => ({ v }) as IDataObject), { v: '19,99' }];
	// Requests under way at once arrive in any order.
	const sorted = (amounts: unknown[]) => amounts.map(Number).sort((a, b) => a - b);
	for (const [label, { form, arrived }] of Object.entries(FIELDS)) {
		sandbox.reset();
		sandbox.addEvent({ amount: 0, referenceID: 'INV-0' });
		const parameters = { paymentData: sandbox.addCart({ amount: 7 }), ...form };
		const settings = { onError: 'continueRegularOutput' as const };
		const { items: done } = await run(parameters, { items, settings });
		expect([label, done.pop()?.error]).toEqual([
			label,
			expect.stringMatching(/cannot be 19,99; use a point: 19\.99 \[item \d+\]$/),
		]);
		expect([label, sorted(arrived(done))]).toEqual([
			label,
			sorted(given.map(({ cents }) => cents)),
		]);
	}
});
