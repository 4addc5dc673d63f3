import type { INodeParameters } from 'n8n-workflow';

import type { RunOptions } from '../../engine';
import { output } from '../../engine';
import { useNode } from '../../useNode';
import { by } from '../locator';

/** A paylink asks for the amount that was entered, to the cent, or is not made. */

const { sandbox, run: create, sent } = useNode({ resource: 'paylink', operation: 'create' });

const forms = () => sent('createCheckoutData').map(({ form }) => form);

/** The form that was sent. */
async function formOf(more: INodeParameters, options?: Partial<RunOptions>) {
	output(await create(more, options));
	return forms().at(-1);
}

async function refusal(more: INodeParameters): Promise<string> {
	const run = await create(more);
	expect(sandbox.requests).toEqual([]);
	expect(run.items).toEqual([]);
	expect(run.error?.description).toContain('Nothing was changed or charged for this item.');
	return run.error?.message ?? '';
}

/** Accepts any form, as the gateway may if the sandbox does not. */
function takeAnything(): void {
	const data = { payLinkID: 'p', url: 'u', paymentData: 'd', token: 't', groupID: 'g' };
	sandbox.fault({ on: 'createCheckoutData', times: Infinity, body: { data } });
}

const process = { methodVerifyOrProcess: 'process' };
const inItems = (item: INodeParameters, more: INodeParameters = {}): INodeParameters => ({
	pricingMode: 'lineItems',
	lineItems: { items: [item] },
	...more,
});
const inJson = (items: unknown): INodeParameters => ({
	pricingMode: 'lineItems',
	lineItemsInput: 'json',
	lineItemsJson: typeof items === 'string' ? items : JSON.stringify(items),
});

test('a link over $25 takes one field', async () => {
	const [item] = output(await create({ amount: 25 }));
	const { groupID, privateToken } = sandbox.credentials;
	const data = { form: { pricing: { ...process, amount: 2500 } } };
	const requests = sandbox.requests.map(({ body }) => body);
	expect(requests).toEqual([{ groupID, token: privateToken, data }]);
	const [{ payLinkID, url, paymentData } = {}] = sandbox.paylinks;
	const link = { payLinkID, url, paymentData, groupID, token: expect.any(String) as string };
	expect(item).toEqual({ ...link, referenceID: null, amount: 25, amountFormatted: '$25.00' });
	// The fields that people read come first, the longest last.
	expect(Object.keys(item ?? {}).join()).toBe(
		'url,amountFormatted,referenceID,amount,payLinkID,token,groupID,paymentData',
	);
});

const mug = { name: 'Mug', price: 12.5, quantity: 3 };
const once = { productSource: 'id', productId: 'prod_1' };

test.each<[INodeParameters, number | null]>([
	[{ amount: 19.99, pricing: { tax: 2, tip: 3 } }, 19.99],
	[{ amount: 0, pricing: { methodVerifyOrProcess: 'verify' } }, 0],
	[inItems(mug, { pricing: { discountCodes: 'SAVE10' } }), 37.5],
	[inItems({ name: 'Rope', price: 3.33, quantity: 0.5 }), 1.67],
	[inItems(once), null],
	[inJson([{ product: { sku: 'MUG', price: '2500' }, amount: 2 }]), 50],
	[inJson([{ product: { sku: 'MUG', price: '' }, amount: 2 }]), null],
])('the output of %j has the entered amount in dollars: %p', async (more, amount) => {
	takeAnything();
	const [item] = output(await create({ referenceId: 'INV-1', ...more }));
	const amountFormatted = amount === null ? null : `$${amount.toFixed(2)}`;
	expect(item).toMatchObject({ referenceID: 'INV-1', amount, amountFormatted });
});

describe('sums of money', () => {
	const sums = { tip: 2.5, tax: '0.07', shipping: '1,234.50' };
	const cartTip = { dynamicData: { discountCodes: 'A', tip: '1.50' } };
	const fixed = { tipType: 'fixed', taxType: 'fixed' };
	const asDollars = { options: { sendAmountsAs: 'major' } };

	test.each([
		[{}, { amount: 1999, tip: 250, tax: 7, shipping: 123450 }, 150],
		[asDollars, { amount: 19.99, tip: 2.5, tax: 0.07, shipping: 1234.5 }, 1.5],
	])('are sent in cents, or in dollars by option: %j', async (options, pricing, tip) => {
		takeAnything();
		const sumsSent = (await formOf({ amount: 19.99, pricing: sums, ...options }))?.pricing;
		expect(sumsSent).toEqual({ ...process, ...fixed, ...pricing });
		const sent = await formOf({ amount: 25, ...cartTip, ...options });
		const dynamic = { discountCodes: ['A'], tip: { type: 'fixed', amount: tip } };
		expect(sent?.meta).toEqual({ dynamic });
	});

	test('percentages and the prices of products stay as they are', async () => {
		takeAnything();
		const given = { pricing: { tax: '8.875 %' }, dynamicData: { tip: '12.5%' } };
		const form = await formOf(inItems(mug, { ...asDollars, ...given }));
		const lineItems = [{ product: { name: 'Mug', price: 1250 }, amount: 3 }];
		const tax = { tax: 8.875, taxType: 'percentage' };
		expect(form?.pricing).toEqual({ ...process, ...tax, lineItems });
		expect(form?.meta).toEqual({ dynamic: { tip: { type: 'percentage', amount: 12.5 } } });
	});
});

describe('line items as JSON', () => {
	const mug = { sku: 'MUG', name: 'Mug', price: 2500 };

	test('are sent unchanged, even fields that the package does not know', async () => {
		const items = [
			{ product: { ...mug, description: null, colour: 'blue' }, amount: 1.5, note: 'x' },
			{ productId: 'prod_1', amount: 1, note: 'y' },
			{ product: { price: '2500', isRecurring: true, recurringMode: 'WEEKLY' }, amount: 1 },
		];
		takeAnything();
		for (const lineItemsJson of [JSON.stringify(items), '={{ $json.items }}']) {
			const form = await formOf({ ...inJson([]), lineItemsJson }, { items: [{ items }] });
			expect(form?.pricing).toEqual({ ...process, lineItems: items });
		}
	});

	test.each<[unknown, RegExp]>([
		['[{', /takes a list or an object in JSON/],
		[{ product: mug }, /must be a list/],
		[[], /are empty/],
		[[7], /number 1 is not an object/],
		[[{ product: mug, productId: 'p', amount: 1 }], /number 1 has both/],
		[[{ amount: 1 }], /number 1 needs a 'product' or a 'productId'/],
		[[{ product: mug, amount: 1 }, { product: mug }], /number 2 needs an 'amount', its quantity/],
		[[{ product: mug, amount: 0 }], /needs an 'amount', its quantity, above 0/],
		[[{ product: { isRecurring: true, recurringMode: ' ' }, amount: 1 }], /how often it is billed/],
		...[25.5, '25,50', ' ', true].map((price): [unknown, RegExp] => [
			[{ product: { ...mug, price }, amount: 1 }],
			/number 1 needs a 'price' in whole cents, such as 2550 for \$25\.50$/,
		]),
	])('%j is refused before any request: %s', async (items, message) => {
		const refused = await refusal(inJson(items));
		expect(refused).toMatch(/'Line Items.*'/);
		expect(refused).toMatch(message);
	});
});

test("'Billed' alone makes a subscription, and the hidden pricing mode is not sent", async () => {
	takeAnything();
	const item = { name: 'Free', price: 0, subscription: { recurringMode: '={{ "WEEKLY" }}' } };
	const product = { name: 'Free', price: 0, isRecurring: true, recurringMode: 'WEEKLY' };
	const both = { ...inItems(item), amount: 99 };
	const byItems = { ...process, lineItems: [{ product, amount: 1 }] };
	expect((await formOf(both))?.pricing).toEqual(byItems);
	const byAmount = { ...process, amount: 9900 };
	expect((await formOf({ ...both, pricingMode: 'amount' }))?.pricing).toEqual(byAmount);
});

describe('what cannot work', () => {
	const codes = { discountCodes: 'A' };
	const noAddress = { disableCustomAddress: true };
	const noEmail = { email: ' ' };
	const needs = (label: string) => `'${label}' needs an 'Existing Customer'`;
	const both = (one: string, other: string) => `'${one}' and '${other}' are both`;
	const club = { name: 'Club', price: 5, subscription: { recurringTrialDays: 7 } };
	const [tip, cartTip] = ['Tip (Dollars or Percent)', 'Cart Tip (Dollars or Percent)'];

	test.each<[string, INodeParameters]>([
		[both('Disable Card', 'Disable ACH'), { linkOptions: { disableCard: true, disableAch: true } }],
		[both(tip, cartTip), { pricing: { tip: 1 }, dynamicData: { tip: '10%' } }],
		[both('Discount Codes', 'Cart Discount Codes'), { pricing: codes, dynamicData: codes }],
		[needs('Disable Custom Payment'), { linkOptions: { disableCustomPayment: true } }],
		[needs('Saved Payment Method'), { customer: { customerPaymentId: by('id', 'card_1') } }],
		["'Disable Custom Address' needs at least one", { linkOptions: noAddress, customer: noEmail }],
		["'Valid Until' is in the past", { linkOptions: { validUntil: '2020-01-01T00:00:00Z' } }],
		["'Amount (Dollars)' must be at least 0.01, not 0", { amount: 0 }],
		["'Line Items' are empty", { pricingMode: 'lineItems' }],
		["'Price (Dollars)' is empty", inItems({ name: 'Mug', price: '={{ "" }}' })],
		["number 1 needs a 'Product ID'", inItems({ productSource: 'id' })],
		["needs a 'Quantity' above 0", inItems({ ...mug, quantity: 0 })],
		["set how often it is billed ('Billed'", inItems(club)],
	])('is refused before any request: %s', async (message, more) => {
		expect(await refusal({ amount: 25, ...more })).toContain(message);
	});

	test('allowed: one way to pay disabled, and a fixed address with a prefilled field', async () => {
		const linkOptions = { ...noAddress, disableAch: true, disableCard: false };
		const form = await formOf({ amount: 25, customer: { city: 'Bend' }, linkOptions });
		expect(form).toMatchObject({ ...noAddress, disableACH: true, disableCC: false });
	});
});

test('an existing customer can be given by email, and is looked up only if the form is valid', async () => {
	const customer = { customerId: by('email', 'ada@example.com') };
	const { id: customerID } = sandbox.addCustomer({ email: 'Ada@Example.com' });
	await refusal({ amount: 25, linkOptions: { disableCard: true, disableAch: true }, customer });
	expect(await formOf({ amount: 25, customer })).toMatchObject({ customerID });
});

test('a link that is valid until a day works on that day, in the timezone of the workflow', async () => {
	const workflow = { settings: { timezone: 'Europe/Berlin' } };
	const linkOptions = { validUntil: '2125-06-01' };
	const form = await formOf({ amount: 25, linkOptions }, { workflow });
	expect(form?.validUntil).toBe('2125-06-01T21:59:59.999Z');
});

test('a link that may have been made is not made again', async () => {
	sandbox.fault({ on: 'createCheckoutData', status: 502, workFirst: true });
	const { error } = await create({ amount: 25 });
	expect(error?.description).toMatch(/may have carried out this request/);
	expect([sandbox.paylinks.length, forms().length]).toEqual([1, 1]);
});
