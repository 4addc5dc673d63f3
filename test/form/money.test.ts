import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { formatMoney } from '../../nodes/PaymentsGateway/output/money';
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
const pricings = () => sent('createCheckoutData').map(({ form }) => form.pricing);

/** How a field is filled in, and the amounts that left for the gateway or are in the output. */
type Field = [() => INodeParameters, (items: readonly IDataObject[]) => unknown[]];
const ofPricing = (name: 'shipping' | 'tax' | 'tip'): Field => [
	() => ({ ...paylink, pricing: { [name]: V } }),
	() => pricings().map((pricing) => pricing[name]),
];
const ofItem = (name: 'price' | 'recurringSetupFee', more: INodeParameters): Field => [
	() => ({
		...{ ...paylink, pricingMode: 'lineItems' },
		lineItems: { items: [{ name: 'Mug', ...more }] },
	}),
	() => pricings().map(({ lineItems }) => lineItems?.[0]?.product?.[name]),
];
const monthly = { recurringMode: 'MONTHLY', recurringSetupFee: V };

/** Each field of money by its label. */
const FIELDS: Record<string, Field> = {
	'Amount (Dollars)': [
		() => ({ ...paylink, amount: V }),
		() => pricings().map(({ amount }) => amount),
	],
	'Price (Dollars)': ofItem('price', { price: V }),
	'Setup Fee (Dollars)': ofItem('recurringSetupFee', { price: 1, subscription: monthly }),
	'Shipping (Dollars)': ofPricing('shipping'),
	'Tax (Dollars or Percent)': ofPricing('tax'),
	'Tip (Dollars or Percent)': ofPricing('tip'),
	'Cart Tip (Dollars or Percent)': [
		() => ({
			...{ resource: 'cart', operation: 'calculate', paymentData: sandbox.addCart() },
			dynamicData: { tip: V },
		}),
		() => sent('computeTokenizedCheckout').map(({ dynamicData }) => dynamicData?.tip?.amount),
	],
	// Nothing was paid, so all of it is missing.
	'Expected Amount (Dollars)': [
		() => {
			sandbox.addEvent({ amount: 0, referenceID: 'INV-0' });
			const operation = { resource: 'payment', operation: 'getStatus' };
			return { ...operation, referenceId: 'INV-0', expectedAmount: V };
		},
		(items) => items.map(({ difference }) => Math.round(-100 * Number(difference))),
	],
	'Expected Total (Dollars)': [
		() => ({
			...{ resource: 'payment', operation: 'charge', paymentData: sandbox.addCart({ amount: 7 }) },
			...{ customerConsent: true, expectedTotal: V },
			card: { details: { cardToken: 'tok_visa_4242' } },
		}),
		() => [],
	],
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
	for (const [label, [parameters, arrived]] of Object.entries(FIELDS)) {
		sandbox.reset();
		const items = given.map(({ v }) => ({ v }) as IDataObject);
		const settings = { onError: 'continueRegularOutput' as const };
		const comma = { v: '19,99' };
		const { items: done } = await run(parameters(), { items: [...items, comma], settings });
		const refused = done.map(({ error }) => String(error)).filter((words) => /use a/.test(words));
		const commaError = expect.stringMatching(/cannot be 19,99; use a point: 19\.99 \[item \d+\]$/);
		expect([label, refused]).toEqual([label, [commaError]]);
		done.pop();
		if (label === 'Expected Total (Dollars)') {
			const totals = done.map(({ error }) => /is (\$[\d,.]+)/.exec(String(error))?.[1]);
			expect(totals).toEqual(given.map(({ cents }) => formatMoney(cents, 'USD')));
		} else {
			// Requests under way at once arrive in any order.
			const sorted = (amounts: unknown[]) => amounts.map(Number).sort((a, b) => a - b);
			expect([label, sorted(arrived(done))]).toEqual([
				label,
				sorted(given.map(({ cents }) => cents)),
			]);
		}
	}
});
