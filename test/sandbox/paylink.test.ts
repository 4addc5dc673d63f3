import axios from 'axios';
import { startSandbox, type Sandbox } from '.';

/** Holds the endpoint for paylinks of the sandbox to the service's description. */

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox();
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.close());

async function call(endpoint: string, data: unknown) {
	const { groupID, privateToken: token } = sandbox.credentials;
	const { status, data: answer } = await axios.post(
		`${sandbox.url}/api/gateway/${endpoint}`,
		{ groupID, token, data },
		{ validateStatus: () => true },
	);
	return { status, answer };
}

const create = async (form: unknown) => await call('createCheckoutData', { form });

async function costOf(form: unknown) {
	const { answer } = await create(form);
	const { paymentData } = answer.data;
	return (await call('computeTokenizedCheckout', { paymentData })).answer;
}

const mug = { sku: 'MUG', name: 'Mug', description: 'Blue', price: 1000 };

describe('createCheckoutData', () => {
	test('answers the link under data, and repeats token, groupID and url', async () => {
		const { status, answer } = await create({ pricing: { amount: 2500 } });
		expect(status).toBe(200);
		const { token, groupID, url } = answer.data;
		expect(answer).toEqual({
			data: {
				payLinkID: expect.any(String),
				paymentData: expect.stringMatching(/^[\w-]{100,}$/),
				token: expect.any(String),
				groupID: sandbox.credentials.groupID,
				url: expect.stringContaining(`${sandbox.url}/pay/`),
			},
			token,
			groupID,
			url,
		});
		expect(token).not.toBe(sandbox.credentials.privateToken);
	});

	test('the url opens a payment page', async () => {
		const { answer } = await create({ pricing: { amount: 2500 } });
		const page = await axios.get(answer.url);
		expect(page.headers['content-type']).toMatch('text/html');
		expect(page.data).toContain('$25.00');
	});

	test("takes every field of the service's description", async () => {
		const product = sandbox.addProduct({ name: 'Bag', price: 300 });
		const { id, paymentCards } = sandbox.addCustomer({ card: { cardToken: 'tok_visa_4242' } });
		const { status } = await create({
			pricing: {
				methodVerifyOrProcess: 'process',
				lineItems: [
					{ productId: product.id, amount: 1 },
					{
						product: {
							...mug,
							isRecurring: true,
							recurringMode: 'MONTHLY',
							recurringInterval: 1,
							recurringFrequency: 1,
							recurringTotalCycles: 12,
							recurringTrialDays: 7,
							recurringSetupFee: 0,
							recurringRefundable: false,
						},
						amount: 1,
					},
				],
				amount: 1300,
				tip: 10,
				tipType: 'percentage',
				tax: 100,
				taxType: 'fixed',
				discountCodes: ['SAVE10'],
				shipping: 200,
			},
			meta: {
				dynamic: {
					paymentType: 'card',
					discountCodes: ['FIVER'],
					tip: { amount: 100, type: 'fixed' },
					quantityAmounts: [{ id: 'MUG', quantity: 2 }],
				},
			},
			allowEdit: true,
			allowExtraDiscount: true,
			allowTip: true,
			disableCC: false,
			disableACH: true,
			validUntil: '2099-01-01T00:00:00+01:00',
			referenceID: 'INV-1',
			onSuccessURL: 'https://shop.example/ok',
			onFailureURL: 'https://shop.example/no',
			customerID: id,
			customerPaymentID: paymentCards[0]?.cardID,
			prefilledAddress: {
				email: 'a@x.com',
				phone: '1',
				country: 'US',
				state: 'IL',
				city: 'Springfield',
				zip: '62701',
				address: '1 Main Street',
				nameOnCard: 'Ada',
			},
			disableCustomAddress: true,
			disableCustomPayment: true,
			disablePreselectCard: false,
		});
		expect(status).toBe(200);
		expect(sandbox.paylinks[0]).toMatchObject({ referenceID: 'INV-1', status: 'open' });
	});

	test('the cart behind it carries reference, permissions and addresses', async () => {
		const cart = await costOf({
			pricing: { amount: 2500 },
			referenceID: 'INV-1',
			allowTip: true,
			allowExtraDiscount: true,
			allowEdit: false,
			onSuccessURL: 'https://shop.example/ok',
			onFailureURL: 'https://shop.example/no',
		});
		expect(cart).toMatchObject({
			breakdown: { subtotal: 2500, total: 2500 },
			lineItems: [],
			referenceID: 'INV-1',
			allowTip: true,
			allowExtraDiscount: true,
			allowEdit: false,
			onSuccessUrl: 'https://shop.example/ok',
			onFailureUrl: 'https://shop.example/no',
		});
	});

	test('computes tip, tax, shipping, discount codes and adjustments', async () => {
		const cart = await costOf({
			pricing: {
				lineItems: [{ product: mug, amount: 1 }],
				tip: 10,
				tipType: 'percentage',
				tax: 8.25,
				taxType: 'percentage',
				shipping: 500,
				discountCodes: ['SAVE10'],
			},
			meta: { dynamic: { quantityAmounts: [{ id: 'MUG', quantity: 3 }] } },
		});
		expect(cart.breakdown).toEqual({
			subtotal: 3000,
			discount: 300,
			tax: 248,
			shipping: 500,
			fees: 0,
			tip: 300,
			total: 3748,
		});
	});

	test('lineItems take priority over amount', async () => {
		const pricing = { amount: 1, lineItems: [{ product: mug, amount: 2 }] };
		expect((await costOf({ pricing })).breakdown.subtotal).toBe(2000);
	});

	test('fetches the product of a productId', async () => {
		const { id } = sandbox.addProduct({ sku: 'BAG', name: 'Bag', price: 300 });
		const cart = await costOf({ pricing: { lineItems: [{ productId: id, amount: 2 }] } });
		expect(cart.lineItems).toEqual([
			{ product: { sku: 'BAG', name: 'Bag', description: '', price: 300 }, amount: 2, total: 600 },
		]);
	});

	test('a set-up fee of a subscription counts among the fees', async () => {
		const product = { ...mug, isRecurring: true, recurringSetupFee: 700 };
		const { breakdown } = await costOf({ pricing: { lineItems: [{ product, amount: 1 }] } });
		expect(breakdown).toMatchObject({ subtotal: 1000, fees: 700, total: 1700 });
	});

	test('a commit can charge its payment data', async () => {
		const { answer } = await create({ pricing: { amount: 2500 }, referenceID: 'INV-1' });
		const { paymentData } = answer.data;
		await call('createTokenizedManualEntry', {
			paymentData,
			customerInfo: { paymentType: 'card', card: { cardToken: 'tok_visa_4242' } },
		});
		expect(sandbox.charges).toMatchObject([{ amount: 2500, referenceID: 'INV-1', via: 'api' }]);
		expect(sandbox.paylinks).toMatchObject([{ status: 'paid' }]);
	});

	const line = (item: unknown) => ({ pricing: { lineItems: [item] } });
	const amount = { pricing: { amount: 2500 } };
	const at = 'data.form.pricing.lineItems[0]';
	test.each([
		[{}, 'data.form.pricing is missing'],
		[{ pricing: {} }, 'data.form.pricing must hold lineItems or amount'],
		[{ pricing: { lineItems: [] } }, 'data.form.pricing must hold lineItems or amount'],
		[{ pricing: { amount: 0 } }, 'data.form.pricing.amount must be an integer of 1 or more'],
		[
			{ pricing: { amount: 19.99 } },
			'data.form.pricing.amount must be in cents: send 1999 for $19.99',
		],
		[
			{ pricing: { amount: 25.5 } },
			'data.form.pricing.amount must be in cents: send 2550 for $25.50',
		],
		[
			{ pricing: { amount: '$25' } },
			'data.form.pricing.amount must be in cents: send 2500 for $25.00',
		],
		[{ pricing: { amount: 1.005 } }, 'data.form.pricing.amount must be an integer of 1 or more'],
		[
			{ pricing: { amount: 1, shipping: 4.5 } },
			'data.form.pricing.shipping must be in cents: send 450 for $4.50',
		],
		[{ pricing: { amount: '2500' } }, 'data.form.pricing.amount must be an integer of 1 or more'],
		[line({ amount: 1 }), `${at} must hold productId or product`],
		[
			line({ amount: 1, productId: 'p', product: mug }),
			`${at} must hold either productId or product, not both`,
		],
		[line({ product: mug }), `${at}.amount is missing`],
		[line({ product: mug, amount: 0 }), `${at}.amount must be an integer of 1 or more`],
		[line({ product: { sku: 'X' }, amount: 1 }), `${at}.product.name is missing`],
		[
			line({ product: { ...mug, price: 9.5 }, amount: 1 }),
			`${at}.product.price must be in cents: send 950 for $9.50`,
		],
		[
			line({ product: { ...mug, recurringMode: 'monthly' }, amount: 1 }),
			`${at}.product.recurringMode must be one of DAILY, MONTHLY, YEARLY`,
		],
		[
			line({ product: { ...mug, recurringTrialDays: '7' }, amount: 1 }),
			`${at}.product.recurringTrialDays must be an integer of 0 or more`,
		],
		[
			line({ product: { ...mug, color: 'blue' }, amount: 1 }),
			`${at}.product.color is not a known field`,
		],
		[
			{ pricing: { amount: 1, tip: 2.5 } },
			'data.form.pricing.tip must be in cents: send 250 for $2.50',
		],
		[{ pricing: { amount: 1, discountCodes: ['NOPE'] } }, 'Unknown discount code "NOPE"'],
		[
			{ ...amount, meta: { dynamic: { tips: 1 } } },
			'data.form.meta.dynamic.tips is not a known field',
		],
		[{ ...amount, allowTip: 'yes' }, 'data.form.allowTip must be a boolean'],
		[{ ...amount, validUntil: 'tomorrow' }, 'data.form.validUntil must be an ISO 8601 timestamp'],
		[
			{ ...amount, onSuccessURL: 'javascript:alert(1)' },
			'data.form.onSuccessURL must be an http or https URL',
		],
		[
			{ ...amount, onSuccessUrl: 'https://shop.example' },
			'data.form.onSuccessUrl is not a known field',
		],
		[
			{ ...amount, disableCC: true, disableACH: true },
			'data.form leaves no way to pay: disableCC and disableACH are both true',
		],
		[
			{ ...amount, customerPaymentID: 'pm_1' },
			'data.form.customerPaymentID needs customerID beside it',
		],
		[
			{ ...amount, prefilledAddress: { street: 'x' } },
			'data.form.prefilledAddress.street is not a known field',
		],
	])('refuses %j', async (form, message) => {
		const { status, answer } = await create(form);
		expect([status, answer.error.message]).toEqual([400, message]);
		expect(sandbox.paylinks).toEqual([]);
		expect(sandbox.carts).toEqual([]);
	});

	test('answers 404 for an unknown product, customer or payment method', async () => {
		const { id } = sandbox.addCustomer();
		const statuses = [
			await create(line({ productId: 'prod_none', amount: 1 })),
			await create({ ...amount, customerID: 'cus_none' }),
			await create({ ...amount, customerID: id, customerPaymentID: 'pm_none' }),
		].map(({ status }) => status);
		expect(statuses).toEqual([404, 404, 404]);
	});
});
