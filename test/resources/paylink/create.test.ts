import fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';

import type { RunOptions } from '../../engine';
import { output } from '../../engine';
import { useNode } from '../../useNode';

/** A paylink asks for what was meant, to the cent, or is not made. */

const { sandbox, run: create, sent } = useNode({ resource: 'paylink', operation: 'create' });

const forms = () => sent('createCheckoutData').map(({ form }) => form);

/** The form that left for the service. */
async function formOf(more: INodeParameters, options?: Partial<RunOptions>) {
	output(await create(more, options));
	return forms().at(-1);
}

async function refusal(more: INodeParameters, options?: Partial<RunOptions>): Promise<string> {
	const run = await create(more, options);
	expect(sandbox.requests).toEqual([]);
	expect(run.items).toEqual([]);
	return run.error?.message ?? '';
}

const inItems = (item: INodeParameters, more: INodeParameters = {}): INodeParameters => ({
	pricingMode: 'lineItems',
	lineItems: { items: [item] },
	...more,
});
const inJson = (items: unknown, more: INodeParameters = {}): INodeParameters => ({
	pricingMode: 'lineItems',
	lineItemsInput: 'json',
	lineItemsJson: typeof items === 'string' ? items : JSON.stringify(items),
	...more,
});

test('a link over $25 takes one field', async () => {
	const [item] = output(await create({ amount: 25 }));
	const { groupID, privateToken: token } = sandbox.credentials;
	expect(sandbox.requests.map(({ body }) => body)).toEqual([
		{
			groupID,
			token,
			data: { form: { pricing: { methodVerifyOrProcess: 'process', amount: 2500 } } },
		},
	]);
	const [link] = sandbox.paylinks;
	expect(item).toEqual({
		payLinkID: link?.payLinkID,
		url: link?.url,
		paymentData: link?.paymentData,
		token: expect.any(String) as string,
		groupID,
		amount: 2500,
		amountFormatted: '$25.00',
	});
});

test('the output carries the reference, and the amount only where it is known', async () => {
	const [plain] = output(await create({ amount: 19.99, referenceId: 'INV-1' }));
	expect(plain).toMatchObject({ referenceID: 'INV-1', amount: 1999, amountFormatted: '$19.99' });
	const items = inItems({ name: 'Mug', price: 12.5, quantity: 3 });
	expect(output(await create(items))[0]).toMatchObject({ amount: 3750 });
	const unknown: INodeParameters[] = [
		{ amount: 25, pricing: { tax: 2 } },
		{ amount: 25, pricing: { discountCodes: 'SAVE10' } },
		{ ...items, dynamicData: { quantityAmounts: { items: [{ id: 'SKU', quantity: 5 }] } } },
		inItems({ name: 'Club', price: 10, subscription: { recurringMode: 'MONTHLY' } }),
	];
	for (const more of unknown) {
		const run = await create(more);
		for (const item of run.items) expect(item).not.toHaveProperty('amount');
	}
});

test("every field of the service's description is reachable, named and typed as there", async () => {
	const customer = sandbox.addCustomer({ id: 'cus_1', card: { cardToken: 'tok_visa_4242' } });
	const method = customer.paymentCards[0]?.cardID ?? '';
	const form = await formOf({
		pricingMode: 'lineItems',
		lineItems: {
			items: [
				{ productSource: 'id', productId: sandbox.addProduct({ id: 'prod_1' }).id, quantity: 2 },
				{
					name: 'Coffee',
					sku: 'COF',
					description: 'Beans,\nevery month',
					price: 12.34,
					quantity: 1,
					subscription: {
						recurringMode: 'MONTHLY',
						recurringInterval: 1,
						recurringFrequency: 2,
						recurringTotalCycles: 12,
						recurringTrialDays: 7,
						recurringSetupFee: 4.5,
						recurringRefundable: true,
					},
				},
			],
		},
		referenceId: 'INV-1',
		customer: {
			customerId: { __rl: true, mode: 'list', value: 'cus_1' },
			customerPaymentId: { __rl: true, mode: 'id', value: method },
			prefilledAddress: {
				details: {
					email: 'ada@example.com',
					phone: '+1 555 0100',
					country: 'US',
					state: 'IL',
					city: 'Springfield',
					zip: '62701',
					address: '1 Main Street',
					nameOnCard: 'Ada Byron',
				},
			},
		},
		pricing: {
			discountCodes: ' SAVE10, FIVER,,SAVE10 ',
			methodVerifyOrProcess: 'verify',
			shipping: 3.99,
			tax: 8.25,
			taxType: 'percentage',
			tip: 2.5,
			tipType: 'fixed',
		},
		linkOptions: {
			allowEdit: false,
			allowExtraDiscount: true,
			allowTip: true,
			disableAch: true,
			disableCard: false,
			disableCustomAddress: true,
			disableCustomPayment: true,
			disablePreselectCard: true,
			onFailureUrl: 'https://shop.example/no',
			onSuccessUrl: 'https://shop.example/yes',
			validUntil: '2125-12-31T23:59:59Z',
		},
		dynamicData: {
			paymentType: 'card',
			discountCodes: 'FIVER',
			tip: { details: { amount: 250, type: 'fixed' } },
			quantityAmounts: { items: [{ id: 'COF', quantity: 3 }] },
		},
	});
	expect(form).toEqual({
		pricing: {
			methodVerifyOrProcess: 'verify',
			lineItems: [
				{ productId: 'prod_1', amount: 2 },
				{
					product: {
						name: 'Coffee',
						sku: 'COF',
						description: 'Beans,\nevery month',
						price: 1234,
						isRecurring: true,
						recurringMode: 'MONTHLY',
						recurringInterval: 1,
						recurringFrequency: 2,
						recurringTotalCycles: 12,
						recurringTrialDays: 7,
						recurringSetupFee: 450,
						recurringRefundable: true,
					},
					amount: 1,
				},
			],
			discountCodes: ['SAVE10', 'FIVER'],
			shipping: 399,
			tax: 8.25,
			taxType: 'percentage',
			tip: 250,
			tipType: 'fixed',
		},
		meta: {
			dynamic: {
				paymentType: 'card',
				discountCodes: ['FIVER'],
				tip: { amount: 250, type: 'fixed' },
				quantityAmounts: [{ id: 'COF', quantity: 3 }],
			},
		},
		referenceID: 'INV-1',
		customerID: 'cus_1',
		customerPaymentID: method,
		prefilledAddress: {
			email: 'ada@example.com',
			phone: '+1 555 0100',
			country: 'US',
			state: 'IL',
			city: 'Springfield',
			zip: '62701',
			address: '1 Main Street',
			nameOnCard: 'Ada Byron',
		},
		allowEdit: false,
		allowExtraDiscount: true,
		allowTip: true,
		disableACH: true,
		disableCC: false,
		disableCustomAddress: true,
		disableCustomPayment: true,
		disablePreselectCard: true,
		onFailureURL: 'https://shop.example/no',
		onSuccessURL: 'https://shop.example/yes',
		validUntil: '2125-12-31T23:59:59.000Z',
	});
});

test('nothing that is left empty is sent', async () => {
	const empty = '={{ $json.v }}';
	const form = await formOf(
		{
			amount: 25,
			referenceId: empty,
			customer: {
				customerId: { __rl: true, mode: 'id', value: empty },
				customerPaymentId: { __rl: true, mode: 'id', value: '' },
				prefilledAddress: { details: { email: empty, phone: ' ' } },
			},
			pricing: { discountCodes: empty, methodVerifyOrProcess: '', shipping: empty, tip: empty },
			linkOptions: { onSuccessUrl: empty, onFailureUrl: '', validUntil: empty },
			dynamicData: { discountCodes: empty, quantityAmounts: {} },
		},
		{ items: [{ v: null }] },
	);
	expect(form).toEqual({ pricing: { methodVerifyOrProcess: 'process', amount: 2500 } });
});

describe('amounts', () => {
	const amounts = { amount: '={{ $json.v }}' };
	const sent = () => forms().map(({ pricing }) => pricing.amount);

	test('any sum in major units is sent to the cent, as a number or as text', async () => {
		const cents = fc.oneof(
			fc.integer({ min: 1, max: 10_000_00 }),
			fc.integer({ min: 1, max: 90_071_992_547_409 }),
		);
		const written = fc.tuple(cents, fc.boolean()).map(([value, asText]) => {
			const digits = String(value).padStart(3, '0');
			const text = `${digits.slice(0, -2)}.${digits.slice(-2)}`;
			return { value, v: asText ? text : Number(text) };
		});
		await fc.assert(
			fc.asyncProperty(fc.array(written, { minLength: 30, maxLength: 30 }), async (rows) => {
				sandbox.reset();
				const items = rows.map(({ v }) => ({ v }));
				output(await create(amounts, { items }));
				expect(sent().sort()).toEqual(rows.map(({ value }) => value).sort());
			}),
			{ numRuns: 4 },
		);
	});

	test('any whole number of minor units is sent as it is', async () => {
		const cents = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
		const [rows = []] = fc.sample(fc.array(cents, { minLength: 40, maxLength: 40 }), 1);
		const items = rows.map((v) => ({ v }));
		output(await create({ ...amounts, amountUnit: 'minor' }, { items }));
		expect(sent().sort()).toEqual(rows.sort());
	});

	// All refusals are in form/amount.test.ts; these rows show that a paylink reads amounts that way.
	test.each<[INodeParameters, unknown, RegExp]>([
		[{}, 19.999, /more than two decimals: 19\.999/],
		[{}, 0.1 + 0.2, /more than two decimals/],
		[{}, 0, /at least 0\.01/],
		[{}, -25, /below zero/],
		[{}, 1e21, /out of range/],
		[{}, '25,00', /takes an amount, not 25,00: type 25\.00/],
		[{}, null, /is empty/],
		[
			{ amountUnit: 'minor' },
			19.99,
			/19\.99 looks like dollars; the service takes cents \(1999\).*"Amount Unit"/,
		],
		[{ amountUnit: 'minor' }, 0, /at least 1/],
	])('with %j, %p is refused before any request', async (unit, v, message) => {
		const told = await refusal({ ...amounts, ...unit }, { items: [{ v: v as null }] });
		expect(told).toMatch(/"Amount \(.*\)"/);
		expect(told).toMatch(message);
	});

	const everyMoney = (amount: number): INodeParameters => ({
		...inItems({
			name: 'Club',
			price: amount,
			subscription: { recurringMode: 'DAILY', recurringSetupFee: amount },
		}),
		pricing: { shipping: amount, tip: amount, tax: amount },
	});

	test('every sum of the form follows the unit', async () => {
		for (const [amountUnit, amount] of [
			['major', 25.5],
			['minor', 2550],
		] as const) {
			expect(await formOf({ ...everyMoney(amount), amountUnit })).toMatchObject({
				pricing: {
					shipping: 2550,
					tip: 2550,
					tipType: 'fixed',
					tax: 2550,
					taxType: 'fixed',
					lineItems: [{ product: { price: 2550, recurringSetupFee: 2550 } }],
				},
			});
		}
	});

	test.each<[string, INodeParameters]>([
		['Tip Type', { pricing: { tip: '15', tipType: '={{ $json.v }}' } }],
		['Tax Type', { pricing: { tax: '8.25', taxType: '={{ $json.v }}' } }],
		[
			'Cart Tip Type',
			{ dynamicData: { tip: { details: { amount: '15', type: '={{ $json.v }}' } } } },
		],
		['Processing Method', { pricing: { methodVerifyOrProcess: '={{ $json.v }}' } }],
		// Without a number, the payments would never end.
		[
			'Total Payments',
			inItems({
				name: 'Club',
				price: 5,
				subscription: { recurringMode: 'MONTHLY', recurringTotalCycles: '={{ $json.v }}' },
			}),
		],
	])('a %s that an expression does not find is not the default', async (label, more) => {
		for (const item of [{}, { v: null }, { v: '' }]) {
			expect(await refusal({ amount: 25, ...more }, { items: [item] })).toContain(
				`"${label}" is empty`,
			);
		}
	});

	test('a percentage follows no unit', async () => {
		const pricing = { tip: 12.5, tipType: 'percentage', tax: 8.875, taxType: 'percentage' };
		for (const amountUnit of ['major', 'minor']) {
			expect(await formOf({ amount: 25, amountUnit, pricing })).toMatchObject({ pricing });
		}
	});

	test.each<[string, INodeParameters, string]>([
		['price', inItems({ name: 'Mug', price: 9.99 }), 'Price'],
		[
			'setup fee',
			inItems({
				name: 'Mug',
				price: 1,
				subscription: { recurringMode: 'DAILY', recurringSetupFee: 9.99 },
			}),
			'Setup Fee',
		],
		['shipping', { amount: 1, pricing: { shipping: 9.99 } }, 'Shipping'],
		['tip', { amount: 1, pricing: { tip: 9.99 } }, 'Tip'],
		['tax', { amount: 1, pricing: { tax: 9.99, taxType: 'fixed' } }, 'Tax'],
	])('a %s in dollars is refused where cents are due', async (_, more, label) => {
		const told = await refusal({ ...more, amountUnit: 'minor' });
		expect(told).toMatch(
			new RegExp(`"${label} \\(.*\\)": 9.99 looks like dollars.*\\(999\\).*"Amount Unit"`),
		);
	});

	test('a tip in the cart adjustments is in cents, as its label says', async () => {
		const dynamicData = { tip: { details: { amount: 2.5, type: 'fixed' } } };
		expect(await refusal({ amount: 25, dynamicData })).toMatch(
			/"Cart Tip \(Cents\)": 2\.5 looks like dollars.*\(250\)/,
		);
	});
});

describe('line items as JSON', () => {
	const mug = { sku: 'MUG', name: 'Mug', price: 2500 };

	test.each(['major', 'minor'])(
		'are in minor units, whatever the unit (%s)',
		async (amountUnit) => {
			sandbox.addProduct({ id: 'prod_1' });
			const items = [
				{ product: mug, amount: 2 },
				{ productId: 'prod_1', amount: 1 },
			];
			const form = await formOf(inJson(items, { amountUnit }));
			expect(form?.pricing).toEqual({ methodVerifyOrProcess: 'process', lineItems: items });
		},
	);

	test('may come as a list from an expression', async () => {
		const list = [{ product: { ...mug, isRecurring: true, recurringMode: 'YEARLY' } }];
		const form = await formOf(inJson('={{ $json.list }}'), { items: [{ list }] });
		expect(form?.pricing.lineItems).toEqual([{ ...list[0], amount: 1 }]);
	});

	test('are as empty as the form begins with', async () => {
		const told = await refusal({ pricingMode: 'lineItems', lineItemsInput: 'json' });
		expect(told).toMatch(/"Line Items" are empty/);
	});

	test.each<[string, unknown, RegExp]>([
		['no JSON', '[{', /is not valid JSON/],
		['no list', { product: mug }, /must be a list/],
		['an empty list', [], /are empty/],
		['no object', [7], /number 1 is not an object/],
		['both', [{ product: mug, productId: 'p' }], /number 1 has both/],
		['neither', [{ amount: 1 }], /number 1 has neither/],
		['nothing of a product', [{ product: {} }], /neither/],
		['nameless', [{ product: { name: '', price: 1 } }], /neither/],
		['no price', [{ product: { name: 'Mug' } }], /without a price/],
		[
			'dollars',
			[{ product: mug }, { product: { ...mug, price: 19.99 } }],
			/number 2 .*19\.99 looks like dollars; the service takes cents \(1999\).*"Amount Unit"/,
		],
		['a price as text', [{ product: { ...mug, price: '2500' } }], /price that is not a number/],
		['a negative price', [{ product: { ...mug, price: -1 } }], /below zero/],
		['no quantity', [{ product: mug, amount: 0 }], /quantity/],
		['half a quantity', [{ product: mug, amount: 1.5 }], /quantity/],
		['a quantity as text', [{ product: mug, amount: '2' }], /quantity/],
		['an unknown field', [{ product: mug, quantity: 2 }], /unknown field "quantity"/],
		['a long unknown field', [{ ['x'.repeat(50)]: 1 }], /unknown field "x{40}…"/],
		['an unknown product field', [{ product: { ...mug, prize: 1 } }], /unknown field "prize"/],
		[
			'a subscription without a mode',
			[{ product: { ...mug, isRecurring: true } }],
			/without a mode/,
		],
		[
			'a subscription with an empty mode',
			[{ product: { ...mug, isRecurring: true, recurringMode: ' ' } }],
			/without a mode/,
		],
		[
			'a fee in dollars',
			[{ product: { ...mug, recurringSetupFee: 4.5 } }],
			/4\.5 looks like dollars/,
		],
		[
			'a flag as text',
			[{ product: { ...mug, isRecurring: 'true' } }],
			/isRecurring that is not a boolean/,
		],
		['a product ID that is a number', [{ productId: 7 }], /not text/],
		['a product that is text', [{ product: 'Mug' }], /not an object/],
		[
			'a hidden field',
			'[{ "__proto__": { "amount": 5 }, "productId": "p" }]',
			/unknown field "__proto__"/,
		],
		['null', 'null', /must be a list/],
	])('with %s are refused before any request', async (_, items, message) => {
		const told = await refusal(inJson(items));
		expect(told).toMatch(/"Line Items.*"/);
		expect(told).toMatch(message);
	});
});

describe('line items by fields', () => {
	test.each<[string, INodeParameters, RegExp]>([
		['none', { pricingMode: 'lineItems' }, /"Line Items" are empty/],
		['nameless', inItems({ price: 5 }), /number 1 has neither/],
		['without an ID', inItems({ productSource: 'id' }), /number 1 has neither/],
		['below zero', inItems({ name: 'Mug', price: -5 }), /"Price .*below zero/],
		[
			'none of it',
			inItems({ name: 'Mug', price: 5, quantity: 0 }),
			/"Quantity" must be at least 1/,
		],
		[
			'half of it',
			inItems({ name: 'Mug', price: 5, quantity: 1.5 }),
			/"Quantity" takes a whole number/,
		],
		[
			'a price that nobody found',
			inItems({ name: 'Mug', price: '={{ $json.none }}' }),
			/"Price .*" is empty/,
		],
		[
			'a quantity that nobody found',
			inItems({ name: 'Mug', price: 5, quantity: '={{ $json.none }}' }),
			/"Quantity" is empty/,
		],
		[
			'a subscription without a mode',
			inItems({ name: 'Club', price: 5, subscription: { recurringTrialDays: 7 } }),
			/without a mode/,
		],
		[
			'a mode that is none',
			inItems({ name: 'Club', price: 5, subscription: { recurringMode: 'WEEKLY' } }),
			/"Billed" cannot be/,
		],
		[
			'half a trial day',
			inItems({
				name: 'Club',
				price: 5,
				subscription: { recurringMode: 'DAILY', recurringTrialDays: 0.5 },
			}),
			/"Trial Days" takes a whole number/,
		],
	])('%s: refused before any request', async (_, more, message) => {
		const told = await refusal(more);
		expect(told).toMatch(message);
		expect(told).not.toContain('[item');
	});

	test('a product may cost nothing, and a mode alone makes a subscription', async () => {
		const form = await formOf(
			inItems({ name: 'Free', price: 0, subscription: { recurringMode: 'YEARLY' } }),
		);
		expect(form?.pricing.lineItems).toEqual([
			{
				product: { name: 'Free', price: 0, isRecurring: true, recurringMode: 'YEARLY' },
				amount: 1,
			},
		]);
	});

	test('only one way of pricing is sent', async () => {
		const both = { ...inItems({ name: 'Mug', price: 5 }), amount: 99 };
		expect((await formOf(both))?.pricing).not.toHaveProperty('amount');
		expect((await formOf({ ...both, pricingMode: 'amount' }))?.pricing).toEqual({
			methodVerifyOrProcess: 'process',
			amount: 9900,
		});
	});
});

describe('combinations that cannot work', () => {
	const id = (value: string) => ({ __rl: true, mode: 'id', value });

	test.each<[INodeParameters, RegExp]>([
		[{ linkOptions: { disableCard: true, disableAch: true } }, /"Disable Card" and "Disable ACH"/],
		[
			{ customer: { customerPaymentId: id('card_1') } },
			/"Saved Payment Method" needs an "Existing Customer"/,
		],
		[
			{ customer: { customerId: id('cus_1') }, linkOptions: { disableCustomPayment: true } },
			/"Disable Custom Payment" needs a "Saved Payment Method"/,
		],
		[
			{ linkOptions: { disableCustomAddress: true } },
			/"Disable Custom Address" needs a "Prefilled Address"/,
		],
		[
			{
				linkOptions: { disableCustomAddress: true },
				customer: { prefilledAddress: { details: { email: ' ' } } },
			},
			/"Prefilled Address"/,
		],
		[{ linkOptions: { validUntil: '2020-01-01T00:00:00Z' } }, /"Valid Until" lies in the past/],
		[{ linkOptions: { validUntil: 'tomorrow' } }, /"Valid Until" takes a date/],
		[{ linkOptions: { validUntil: '2125-01-31T00:00:00+99:99' } }, /"Valid Until" takes a date/],
		[{ linkOptions: { validUntil: '2125-02-31' } }, /"Valid Until" takes a date/],
		[{ linkOptions: { validUntil: '0026-01-01' } }, /"Valid Until" takes a date/],
		[{ linkOptions: { allowTip: 'sometimes' } }, /"Allow Tip" must be true or false/],
		[{ pricing: { tip: -1, tipType: 'percentage' } }, /"Tip .*below zero/],
		[{ pricing: { tip: '9'.repeat(400), tipType: 'percentage' } }, /"Tip .*out of range/],
		[{ amountUnit: '={{ $json.unit }}' }, /"Amount Unit" is empty/],
		[{ pricingMode: '={{ $json.mode ?? "" }}' }, /"Price By" is empty/],
		[
			{ dynamicData: { quantityAmounts: { items: [{ id: '', quantity: 1 }] } } },
			/"Product SKU" is empty/,
		],
	])('%j is refused before any request', async (more, message) => {
		const told = await refusal({ amount: 25, ...more });
		expect(told).toMatch(message);
		expect(told).not.toContain('[item');
	});

	test('the item is named', async () => {
		const linkOptions = { disableCard: true, disableAch: '={{ $json.v }}' };
		const items = [{ v: false }, { v: true }];
		const run = await create({ amount: 25, linkOptions }, { items });
		expect(run.error?.message).toContain('[item 1]');
		expect(run.error?.context?.itemIndex).toBe(1);
	});

	test('with Continue On Fail the item has only the error and what to do', async () => {
		const settings = { onError: 'continueErrorOutput' as const };
		const run = await create(
			{ amount: '={{ $json.v }}' },
			{ items: [{ v: 0 }, { v: 1 }], settings },
		);
		expect(run.outputs.map((rows) => rows.length)).toEqual([1, 1]);
		expect(run.outputs[1]?.[0]?.json).toEqual({
			v: 0,
			error: expect.stringMatching(/at least 0\.01, not 0 \[item 0\]/) as string,
			message: expect.stringContaining('Nothing was changed or charged.') as string,
		});
	});
});

describe('a saved customer', () => {
	const by = (mode: string, value: string) => ({ customerId: { __rl: true, mode, value } });

	test('may be given by email, whatever its case', async () => {
		const { id } = sandbox.addCustomer({ email: 'Ada@Example.com' });
		const form = await formOf({ amount: 25, customer: by('email', 'ada@example.com') });
		expect(form?.customerID).toBe(id);
	});

	test('must be one: none and several make no link', async () => {
		const twins = [0, 1].map(() => sandbox.addCustomer({ email: 'twin@example.com' }).id);
		const none = await create({ amount: 25, customer: by('email', 'no@example.com') });
		expect(none.error?.message).toMatch(/No customer has the email no@example\.com/);
		const several = await create({ amount: 25, customer: by('email', 'twin@example.com') });
		for (const twin of twins) expect(several.error?.message).toContain(twin);
		expect(forms()).toEqual([]);
	});

	test('by email is not looked up for a link that cannot work', async () => {
		const linkOptions = { disableCard: true, disableAch: true };
		await refusal({ amount: 25, linkOptions, customer: by('email', 'ada@example.com') });
	});
});

describe('Valid Until', () => {
	test.each([
		['2125-06-01T18:00:00', 'Europe/Berlin', '2125-06-01T16:00:00.000Z'],
		['2125-01-01T18:00:00', 'Europe/Berlin', '2125-01-01T17:00:00.000Z'],
		['2125-06-01 18:00', 'America/New_York', '2125-06-01T22:00:00.000Z'],
		['2125-06-01', 'DEFAULT', '2125-06-01T04:00:00.000Z'],
		['2125-06-01', 'Asia/Kolkata', '2125-05-31T18:30:00.000Z'],
		['2125-06-01T18:00:00Z', 'Europe/Berlin', '2125-06-01T18:00:00.000Z'],
		['2125-06-01T18:00:00-05:00', 'Europe/Berlin', '2125-06-01T23:00:00.000Z'],
		[
			'={{ DateTime.fromISO("2125-06-01T18:00:00-05:00") }}',
			'Europe/Berlin',
			'2125-06-01T23:00:00.000Z',
		],
		['={{ new Date("2125-06-01T18:00:00Z") }}', 'Europe/Berlin', '2125-06-01T18:00:00.000Z'],
	])('%s in %s is %s', async (validUntil, timezone, moment) => {
		const workflow = { settings: { timezone } };
		const form = await formOf({ amount: 25, linkOptions: { validUntil } }, { workflow });
		expect(form?.validUntil).toBe(moment);
	});
});

test.each<[string, unknown]>([
	['no URL', { data: { payLinkID: 'pl_1' } }],
	['no data', { url: 'https://x.example' }],
	['an empty ID', { data: { payLinkID: '', url: 'https://x.example' } }],
])('an answer with %s is an error, and the link is not made twice', async (_, answer) => {
	sandbox.fault({ on: 'createCheckoutData', answer: () => answer });
	const run = await create({ amount: 25 });
	expect(run.error?.message).toMatch(/without "data/);
	expect(forms()).toHaveLength(1);
});

test('a link that may have been made is not made twice, and it says so', async () => {
	sandbox.fault({ on: 'createCheckoutData', status: 502, workFirst: true });
	const run = await create({ amount: 25 });
	expect(run.error?.description).toMatch(/not known whether it was carried out/);
	expect(sandbox.paylinks).toHaveLength(1);
	expect(forms()).toHaveLength(1);
});

test('a link that was held off by a limit is made at the next try', async () => {
	sandbox.fault({ on: 'createCheckoutData', status: 429, headers: { 'Retry-After': '0' } });
	expect(output(await create({ amount: 25 }))).toHaveLength(1);
	expect(sandbox.paylinks).toHaveLength(1);
});
