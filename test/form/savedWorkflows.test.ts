import type { INodeParameters } from 'n8n-workflow';

import type { Endpoint } from '../../nodes/PaymentsGateway/wire';
import { output } from '../engine';
import { useNode } from '../useNode';

/**
 * Workflows that were saved with version 0.1.0 hold numbers where amounts are text now, and names
 * of fields where there is a list now. They go on as they did.
 */

const { sandbox, run, sent } = useNode();

const paylink = { resource: 'paylink', operation: 'create' };
const CART = { referenceID: 'ORDER-1', lineItems: [{ productId: 'prod_1', amount: 1 }] };
const card = { details: { cardToken: 'tok_visa_4242', cvc: '123', expiryDate: '08/29' } };

async function sentBy(parameters: INodeParameters, endpoint: Endpoint): Promise<unknown> {
	output(await run(parameters));
	return sent(endpoint).at(-1);
}

test.each<[string, INodeParameters, object]>([
	['an amount in dollars', { amount: 25 }, { amount: 2500 }],
	['an amount with cents', { amount: 19.99 }, { amount: 1999 }],
	['an amount in cents', { amountUnit: 'minor', amount: 2500 }, { amount: 2500 }],
	[
		'tip, tax and shipping in dollars',
		{
			amount: 25,
			pricing: { tip: 2.5, tipType: 'fixed', tax: 8.25, taxType: 'percentage', shipping: 3.99 },
		},
		{ amount: 2500, tip: 250, tipType: 'fixed', tax: 8.25, taxType: 'percentage', shipping: 399 },
	],
	[
		'prices and setup fees',
		{
			pricingMode: 'lineItems',
			lineItems: {
				items: [
					{ name: 'Mug', price: 19.99, quantity: 2 },
					{
						name: 'Club',
						price: 0,
						subscription: { recurringMode: 'MONTHLY', recurringSetupFee: 5 },
					},
				],
			},
		},
		{
			lineItems: [
				{ product: { name: 'Mug', price: 1999 }, amount: 2 },
				{ product: { name: 'Club', price: 0, recurringSetupFee: 500 }, amount: 1 },
			],
		},
	],
])('a paylink with %s as numbers', async (_, parameters, pricing) => {
	expect(await sentBy({ ...paylink, ...parameters }, 'createCheckoutData')).toMatchObject({
		form: { pricing },
	});
});

test.each<[INodeParameters, object]>([
	[
		{ amount: 250, type: 'fixed' },
		{ amount: 250, type: 'fixed' },
	],
	[
		{ amount: 12.5, type: 'percentage' },
		{ amount: 12.5, type: 'percentage' },
	],
	// What is the default is not stored.
	[{ amount: 250 }, { amount: 250, type: 'fixed' }],
])('a cart with a tip %j as numbers', async (details, tip) => {
	sandbox.addProduct({ id: 'prod_1', price: 2500 });
	const parameters = {
		resource: 'cart',
		operation: 'calculate',
		paymentData: sandbox.addCart(CART),
		dynamicData: { tip: { details } },
	};
	const data = await sentBy(parameters, 'computeTokenizedCheckout');
	expect(data).toMatchObject({ dynamicData: { tip } });
});

test.each([0, 2750])('a charge with the expected total %d as a number', async (expectedTotal) => {
	sandbox.addProduct({ id: 'prod_1', price: 2500 });
	const parameters = {
		resource: 'payment',
		operation: 'commit',
		customerConsent: true,
		// A reference of its own: what this process has charged is not charged again.
		paymentData: sandbox.addCart({ ...CART, referenceID: `saved-${expectedTotal}` }),
		expectedTotal,
		card,
		dynamicData: { tip: { details: { amount: 250, type: 'fixed' } } },
	};
	expect(output(await run(parameters))).toMatchObject([{ charged: true, computedTotal: 2750 }]);
});

test('a list with the names of fields, also of some that no list has', async () => {
	sandbox.settings.ignoreFilter = true;
	const data = await sentBy(
		{
			resource: 'customer',
			operation: 'getAll',
			filters: { conditions: [{ field: 'state', condition: 'neq', value: 'IL' }] },
			sort: { rule: { field: 'email', order: 'desc' } },
		},
		'customers',
	);
	expect(data).toMatchObject({
		page: {
			filter: [{ field: 'state', operation: 'neq', value: 'IL' }],
			sort: { field: 'email', order: 'desc' },
		},
	});
});
