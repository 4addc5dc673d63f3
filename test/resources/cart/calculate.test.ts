import type { INodeParameters } from 'n8n-workflow';

import { output } from '../../engine';
import { useNode } from '../../useNode';

/** A cart costs what the service says, with the changes that were asked for. */

const {
	sandbox,
	run: calculate,
	sent: sentTo,
} = useNode({ resource: 'cart', operation: 'calculate' }, { credentials: { headerToken: '' } });

const mug = { sku: 'MUG', name: 'Mug', description: 'Blue', price: 1000 };

const cart = () =>
	sandbox.addCart({
		referenceID: 'ORDER-1',
		lineItems: [{ product: mug, amount: 2 }],
		surcharge: { card: 40, ach: 15 },
	});
const sent = () => sentTo('computeTokenizedCheckout').map(({ dynamicData }) => dynamicData);

test('answers the cart as the service gives it, and charges nothing', async () => {
	const [item] = output(await calculate({ paymentData: cart() }));
	expect(item).toEqual({
		breakdown: { subtotal: 2000, discount: 0, tax: 0, shipping: 0, fees: 0, tip: 0, total: 2000 },
		lineItems: [{ product: mug, amount: 2, total: 2000 }],
		discountBreakdown: [],
		allowEdit: true,
		allowExtraDiscount: true,
		allowTip: true,
		referenceID: 'ORDER-1',
		onSuccessUrl: '',
		onFailureUrl: '',
		amountFormatted: '$20.00',
	});
	expect(sent()).toEqual([undefined]);
	expect(sandbox.charges).toEqual([]);
});

test.each<[string, INodeParameters, object | undefined, number]>([
	['the payment type', { paymentType: 'ach' }, { paymentType: 'ach' }, 2015],
	['codes', { discountCodes: 'SAVE10, FIVER' }, { discountCodes: ['SAVE10', 'FIVER'] }, 1300],
	[
		'codes as a list',
		{ discountCodes: '={{ ["FIVER", " SAVE10 "] }}' },
		{ discountCodes: ['FIVER', 'SAVE10'] },
		1300,
	],
	[
		'a tip in cents',
		{ tip: { details: { amount: 250, type: 'fixed' } } },
		{ tip: { amount: 250, type: 'fixed' } },
		2250,
	],
	[
		'a tip in percent',
		{ tip: { details: { amount: 12.5, type: 'percentage' } } },
		{ tip: { amount: 12.5, type: 'percentage' } },
		2250,
	],
	[
		'a tip of nothing',
		{ tip: { details: { amount: 0, type: 'fixed' } } },
		{ tip: { amount: 0, type: 'fixed' } },
		2000,
	],
	[
		'quantities',
		{ quantityAmounts: { items: [{ id: 'MUG', quantity: 5 }] } },
		{ quantityAmounts: [{ id: 'MUG', quantity: 5 }] },
		5000,
	],
	[
		'numbers as text',
		{ quantityAmounts: { items: [{ id: 'MUG', quantity: '={{ "3" }}' }] } },
		{ quantityAmounts: [{ id: 'MUG', quantity: 3 }] },
		3000,
	],
	['nothing', { discountCodes: ' , ', quantityAmounts: {}, tip: {} }, undefined, 2000],
])('sends %s as the service describes it', async (_, dynamicData, wire, total) => {
	const [item] = output(await calculate({ paymentData: cart(), dynamicData }));
	expect(sent()).toEqual([wire]);
	expect(item).toMatchObject({ breakdown: { total } });
});

test.each<[INodeParameters, RegExp]>([
	[{ paymentType: 'cash' }, /"Paid By" cannot be "cash"/],
	[
		{ tip: { details: { amount: 2.5, type: 'fixed' } } },
		/"Cart Tip \(Cents\)": 2\.5 looks like dollars; the service takes cents \(250\)/,
	],
	[{ tip: { details: { amount: -1, type: 'percentage' } } }, /"Cart Tip \(Percent\)".*below zero/],
	[{ tip: { details: { amount: '={{ null }}' } } }, /"Cart Tip \(Cents\)" is empty/],
	[
		{ quantityAmounts: { items: [{ id: 'MUG', quantity: 0 }] } },
		/"New Quantity" must be at least 1/,
	],
	[
		{ quantityAmounts: { items: [{ id: 'MUG', quantity: 1.5 }] } },
		/"New Quantity" takes a whole number/,
	],
	[{ quantityAmounts: { items: [{ id: ' ', quantity: 1 }] } }, /"Product SKU" is empty/],
	[{ discountCodes: '={{ [7, {}] }}' }, /"Cart Discount Codes" takes text, not an object/],
])('refuses %j before any request', async (dynamicData, message) => {
	const run = await calculate({ paymentData: cart(), dynamicData });
	expect(run.error?.message).toMatch(message);
	expect(run.error?.message).not.toContain('[item');
	expect(sandbox.requests).toEqual([]);
});

test('needs payment data', async () => {
	const run = await calculate({ paymentData: '  ' });
	expect(run.error?.message).toBe('"Payment Data" is empty');
	expect(sandbox.requests).toEqual([]);
});

test('tells in the words of the service what a cart does not take', async () => {
	const paymentData = sandbox.addCart({ allowTip: false });
	const dynamicData = { tip: { details: { amount: 100, type: 'fixed' } } };
	const run = await calculate({ paymentData, dynamicData });
	expect(run.error?.message).toMatch(/This cart takes no tip/);
});

test('is asked again when the service stumbles, and answers each item in order', async () => {
	sandbox.fault({ on: 'computeTokenizedCheckout', status: 503, times: 2 });
	const items = [100, 200, 300].map((amount) => ({ cart: sandbox.addCart({ amount }) }));
	const run = await calculate({ paymentData: '={{ $json.cart }}' }, { items });
	expect(output(run).map(({ breakdown }) => breakdown)).toMatchObject([
		{ total: 100 },
		{ total: 200 },
		{ total: 300 },
	]);
	expect(run.outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual([
		{ item: 0 },
		{ item: 1 },
		{ item: 2 },
	]);
});
