import { useService } from './useService';

/** Holds the endpoint for paylinks of the sandbox to the service's description. */

const { sandbox, call, refusal } = useService();

const create = async (form: unknown) => await call('createCheckoutData', { form });
async function cartOf(form: unknown) {
	const { paymentData } = (await create(form)).answer.data;
	return (await call('computeTokenizedCheckout', { paymentData })).answer;
}

const mug = { sku: 'MUG', name: 'Mug', description: 'Blue', price: 1000 };
const line = (item: unknown) => ({ pricing: { lineItems: [item] } });
const amount = { pricing: { amount: 2500 } };

test('answers the link under data, and repeats token, groupID and url', async () => {
	const { status, answer } = await create(amount);
	const { groupID } = sandbox.credentials;
	const url = `${sandbox.url}/pay/${answer.data.payLinkID}`;
	const repeated = { token: `pub_${groupID}`, groupID, url };
	const paymentData = expect.stringMatching(/^[\w-]{100,}$/) as unknown;
	const payLinkID = expect.stringMatching(/^pl_/) as unknown;
	expect(status).toBe(200);
	expect(answer).toEqual({ data: { payLinkID, paymentData, ...repeated }, ...repeated });
	expect(sandbox.paylinks).toMatchObject([{ url, status: 'open' }]);
});

test("takes every field of the service's description", async () => {
	const { id: productId } = sandbox.addProduct({ sku: 'BAG', name: 'Bag', price: 300 });
	const { id, paymentCards } = sandbox.addCustomer({ card: { cardToken: 'tok_visa_4242' } });
	const recurring = {
		...{ isRecurring: true, recurringMode: 'MONTHLY', recurringInterval: 1 },
		...{ recurringFrequency: 1, recurringTotalCycles: 12, recurringTrialDays: 7 },
		...{ recurringSetupFee: 700, recurringRefundable: false },
	};
	const permissions = { allowEdit: false, allowExtraDiscount: true, allowTip: true };
	const cart = await cartOf({
		pricing: {
			methodVerifyOrProcess: 'process',
			lineItems: [
				{ productId, amount: 2 },
				{ product: { ...mug, ...recurring }, amount: 1 },
			],
			...{ amount: 1, tip: 10, tipType: 'percentage', tax: 8.25, taxType: 'percentage' },
			...{ discountCodes: ['SAVE10'], shipping: 200 },
		},
		meta: {
			dynamic: {
				...{ paymentType: 'card', discountCodes: ['FIVER'] },
				tip: { amount: 100, type: 'fixed' },
				quantityAmounts: [{ id: 'MUG', quantity: 2 }],
			},
		},
		...permissions,
		...{ disableCC: false, disableACH: true, validUntil: '2099-01-01T00:00:00+01:00' },
		...{ referenceID: 'INV-1', onSuccessURL: 'https://shop.example/ok', onFailureURL: '' },
		...{ customerID: id, customerPaymentID: paymentCards[0]?.cardID },
		prefilledAddress: {
			...{ email: 'a@x.com', phone: '1', country: 'US', state: 'IL', city: 'Springfield' },
			...{ zip: '62701', address: '1 Main Street', nameOnCard: 'Ada' },
		},
		...{ disableCustomAddress: true, disableCustomPayment: true, disablePreselectCard: false },
	});
	expect(cart).toMatchObject({
		// The line items count instead of the amount, and the set-up fee once among the fees.
		breakdown: { subtotal: 2600, discount: 760, tax: 215, shipping: 200, fees: 700, tip: 100 },
		lineItems: [
			{ product: { sku: 'BAG', name: 'Bag', description: '', price: 300 }, amount: 2, total: 600 },
			{ product: mug, amount: 2, total: 2000 },
		],
		...permissions,
		...{ referenceID: 'INV-1', onSuccessUrl: 'https://shop.example/ok', onFailureUrl: '' },
	});
});

test('a plain one allows editing alone, and a percentage tip is one of the subtotal', async () => {
	expect(await cartOf({ pricing: { amount: 2500, tip: 10, tipType: 'percentage' } })).toMatchObject(
		{
			breakdown: { subtotal: 2500, tip: 250, total: 2750 },
			...{ lineItems: [], allowEdit: true, allowExtraDiscount: false, allowTip: false },
		},
	);
});

test('a commit can charge its payment data, and then it is paid', async () => {
	const { paymentData } = (await create({ ...amount, referenceID: 'INV-1' })).answer.data;
	const card = { cardToken: 'tok_visa_4242' };
	const customerInfo = { paymentType: 'card', card };
	await call('createTokenizedManualEntry', { paymentData, customerInfo });
	expect(sandbox.charges).toMatchObject([{ amount: 2500, referenceID: 'INV-1', via: 'api' }]);
	expect(sandbox.paylinks).toMatchObject([{ status: 'paid' }]);
});

const item = 'pricing.lineItems[0]';
test.each([
	[{}, 'pricing is missing'],
	[{ pricing: {} }, 'pricing must hold lineItems or amount'],
	[{ pricing: { lineItems: [] } }, 'pricing must hold lineItems or amount'],
	[{ pricing: { amount: 0 } }, 'pricing.amount must be an integer of 1 or more'],
	[{ pricing: { amount: 1.005 } }, 'pricing.amount must be an integer of 1 or more'],
	[{ pricing: { amount: '2500' } }, 'pricing.amount must be an integer of 1 or more'],
	[{ pricing: { amount: 19.99 } }, 'pricing.amount must be in cents: send 1999 for $19.99'],
	[{ pricing: { amount: 25.5 } }, 'pricing.amount must be in cents: send 2550 for $25.50'],
	[{ pricing: { amount: '$25' } }, 'pricing.amount must be in cents: send 2500 for $25.00'],
	[
		{ pricing: { amount: 1, shipping: 4.5 } },
		'pricing.shipping must be in cents: send 450 for $4.50',
	],
	[{ pricing: { amount: 1, tip: 2.5 } }, 'pricing.tip must be in cents: send 250 for $2.50'],
	[
		{ pricing: { amount: 1, tax: 0.001 } },
		'pricing.tax must be an integer: fixed amounts are in minor units',
	],
	[line({ amount: 1 }), `${item} must hold productId or product`],
	[
		line({ amount: 1, productId: 'p', product: mug }),
		`${item} must hold either productId or product, not both`,
	],
	[line({ product: mug }), `${item}.amount is missing`],
	[line({ product: mug, amount: 0 }), `${item}.amount must be an integer of 1 or more`],
	[line({ product: { sku: 'X' }, amount: 1 }), `${item}.product.name is missing`],
	[
		line({ product: { ...mug, price: 9.5 }, amount: 1 }),
		`${item}.product.price must be in cents: send 950 for $9.50`,
	],
	[
		line({ product: { ...mug, recurringMode: 'monthly' }, amount: 1 }),
		`${item}.product.recurringMode must be one of DAILY, MONTHLY, YEARLY`,
	],
	[
		line({ product: { ...mug, recurringTrialDays: '7' }, amount: 1 }),
		`${item}.product.recurringTrialDays must be an integer of 0 or more`,
	],
	[
		line({ product: { ...mug, color: 'blue' }, amount: 1 }),
		`${item}.product.color is not a known field`,
	],
	[{ ...amount, meta: { dynamic: { tips: 1 } } }, 'meta.dynamic.tips is not a known field'],
	[{ ...amount, allowTip: 'yes' }, 'allowTip must be a boolean'],
	[{ ...amount, validUntil: 'tomorrow' }, 'validUntil must be an ISO 8601 timestamp'],
	[{ ...amount, onSuccessURL: 'javascript:1' }, 'onSuccessURL must be an http or https URL'],
	[{ ...amount, onSuccessUrl: 'https://shop.example' }, 'onSuccessUrl is not a known field'],
	[{ ...amount, customerPaymentID: 'pm_1' }, 'customerPaymentID needs customerID beside it'],
	[
		{ ...amount, prefilledAddress: { street: 'x' } },
		'prefilledAddress.street is not a known field',
	],
])('refuses %j', async (form, words) => {
	const message = `data.form.${words}`;
	expect(await refusal('createCheckoutData', { form })).toEqual([400, message]);
	expect([sandbox.paylinks, sandbox.carts]).toEqual([[], []]);
});

test.each([
	[400, { pricing: { amount: 1, discountCodes: ['NOPE'] } }, 'Unknown discount code "NOPE"'],
	[
		400,
		{ ...amount, disableCC: true, disableACH: true },
		'data.form leaves no way to pay: disableCC and disableACH are both true',
	],
	[404, line({ productId: 'prod_none', amount: 1 }), 'Product prod_none not found'],
	[404, { ...amount, customerID: 'cus_none' }, 'Customer cus_none not found'],
	[
		404,
		{ ...amount, customerID: 'cus_1', customerPaymentID: 'pm_none' },
		'Customer cus_1 has no payment method pm_none',
	],
])('answers %i to %j', async (status, form, words) => {
	sandbox.addCustomer({ id: 'cus_1' });
	expect(await refusal('createCheckoutData', { form })).toEqual([status, words]);
	expect([sandbox.paylinks, sandbox.carts]).toEqual([[], []]);
});
