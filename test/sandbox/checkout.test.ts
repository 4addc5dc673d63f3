import axios from 'axios';
import { startSandbox, type Sandbox } from '.';

/**
 * Holds the two cart endpoints of the sandbox to the service's description: what a cart costs, and
 * what a charge does.
 */

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ clock: '2026-03-01T12:00:00Z' });
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

const mug = { sku: 'MUG', name: 'Mug', description: 'Blue', price: 1000 };
const tea = { sku: 'TEA', name: 'Tea', description: '', price: 550 };

const cart = (more: Parameters<Sandbox['addCart']>[0] = {}): string =>
	sandbox.addCart({
		referenceID: 'ORDER-1',
		lineItems: [{ product: mug, amount: 2 }, { product: tea }],
		...more,
	});

const compute = async (paymentData: string, dynamicData?: unknown) =>
	await call('computeTokenizedCheckout', { paymentData, dynamicData });

describe('computeTokenizedCheckout', () => {
	test('answers all fields of the cart', async () => {
		const paymentData = cart({
			tax: { percentage: 10 },
			shipping: 300,
			fees: 50,
			onSuccessUrl: 'https://shop.example/ok',
			onFailureUrl: 'https://shop.example/no',
			allowTip: false,
		});
		const { status, answer } = await compute(paymentData);
		expect(status).toBe(200);
		expect(answer).toEqual({
			breakdown: {
				subtotal: 2550,
				discount: 0,
				tax: 255,
				shipping: 300,
				fees: 50,
				tip: 0,
				total: 3155,
			},
			lineItems: [
				{ product: mug, amount: 2, total: 2000 },
				{ product: tea, amount: 1, total: 550 },
			],
			discountBreakdown: [],
			allowEdit: true,
			allowExtraDiscount: true,
			allowTip: false,
			referenceID: 'ORDER-1',
			onSuccessUrl: 'https://shop.example/ok',
			onFailureUrl: 'https://shop.example/no',
		});
	});

	test('total = subtotal + tax + shipping + fees + tip - discount', async () => {
		const paymentData = cart({
			tax: 111,
			shipping: 222,
			fees: 333,
			discount: 44,
			surcharge: { card: { percentage: 3 } },
		});
		const { answer } = await compute(paymentData, {
			paymentType: 'card',
			tip: { amount: 500, type: 'fixed' },
			discountCodes: ['SAVE10', 'FIVER'],
		});
		const { subtotal, discount, tax, shipping, fees, tip, total } = answer.breakdown;
		expect(answer.breakdown).toMatchObject({ discount: 44 + 255 + 500, fees: 333 + 77, tip: 500 });
		expect(total).toBe(subtotal + tax + shipping + fees + tip - discount);
	});

	test('a percentage tip is that percentage of the subtotal, rounded half up', async () => {
		const paymentData = cart({ tax: 999 });
		const tip = async (amount: number) =>
			(await compute(paymentData, { tip: { amount, type: 'percentage' } })).answer.breakdown.tip;
		expect(await tip(20)).toBe(510);
		expect(await tip(15)).toBe(383);
		expect(await tip(0)).toBe(0);
	});

	test('card and ACH may cost differently', async () => {
		const paymentData = cart({ surcharge: { card: { percentage: 2 }, ach: 25 } });
		const fees = async (dynamicData: unknown) =>
			(await compute(paymentData, dynamicData)).answer.breakdown.fees;
		expect(await fees({ paymentType: 'card' })).toBe(51);
		expect(await fees({ paymentType: 'ach' })).toBe(25);
		expect(await fees({})).toBe(0);
	});

	test('a new quantity changes amount, line total and subtotal', async () => {
		const { answer } = await compute(cart(), { quantityAmounts: [{ id: 'MUG', quantity: 5 }] });
		expect(answer.lineItems[0]).toEqual({ product: mug, amount: 5, total: 5000 });
		expect(answer.breakdown.subtotal).toBe(5550);
	});

	test('a code counts once and never takes more than the subtotal', async () => {
		const small = sandbox.addCart({ amount: 300 });
		const { answer } = await compute(small, { discountCodes: ['FIVER', 'FIVER', 'SAVE10'] });
		expect(answer.breakdown).toMatchObject({ discount: 300, total: 0 });
		expect(answer.discountBreakdown).toEqual([{ code: 'FIVER', amount: 300 }]);
	});

	test.each([
		[{ discountCodes: ['NOPE'] }, 'Unknown discount code "NOPE"'],
		[
			{ quantityAmounts: [{ id: 'CUP', quantity: 1 }] },
			'This cart has no product with the SKU "CUP"',
		],
		[
			{ quantityAmounts: [{ id: 'MUG', quantity: 0 }] },
			'data.dynamicData.quantityAmounts[0].quantity must be an integer of 1 or more',
		],
		[
			{ quantityAmounts: [{ sku: 'MUG', quantity: 1 }] },
			'data.dynamicData.quantityAmounts[0].id is missing',
		],
		[{ paymentType: 'cash' }, 'data.dynamicData.paymentType must be one of card, ach'],
		[{ discountCodes: 'SAVE10' }, 'data.dynamicData.discountCodes must be an array'],
		[{ tip: 500 }, 'data.dynamicData.tip must be an object'],
		[
			{ tip: { amount: '5', type: 'fixed' } },
			'data.dynamicData.tip.amount must be a number of 0 or more',
		],
		[
			{ tip: { amount: 5, type: 'percent' } },
			'data.dynamicData.tip.type must be one of fixed, percentage',
		],
		[
			{ tip: { amount: 5.5, type: 'fixed' } },
			'data.dynamicData.tip.amount must be in cents: send 550 for $5.50',
		],
		[{ coupon: 'X' }, 'data.dynamicData.coupon is not a known field'],
	])('refuses %j', async (dynamicData, message) => {
		const { status, answer } = await compute(cart(), dynamicData);
		expect([status, answer.error.message]).toEqual([400, message]);
	});

	test.each([
		[{ allowTip: false }, { tip: { amount: 1, type: 'fixed' } }, /takes no tip/],
		[{ allowExtraDiscount: false }, { discountCodes: ['SAVE10'] }, /takes no discount/],
		[{ allowEdit: false }, { quantityAmounts: [{ id: 'MUG', quantity: 1 }] }, /are fixed/],
	])('a cart with %j refuses %j', async (permission, dynamicData, message) => {
		const { status, answer } = await compute(cart(permission), dynamicData);
		expect(status).toBe(400);
		expect(answer.error.message).toMatch(message);
	});

	test('refuses payment data that it did not make', async () => {
		expect((await compute('bm90IG91cnM')).status).toBe(400);
		expect((await call('computeTokenizedCheckout', {})).status).toBe(400);
	});

	test('charges nothing', async () => {
		await compute(cart());
		expect(sandbox.charges).toEqual([]);
		expect(sandbox.events).toEqual([]);
	});
});

describe('createTokenizedManualEntry', () => {
	const card = { cardToken: 'tok_visa_4242', cvc: '123', expiryDate: '12/30' };
	const ach = {
		accountNumber: '000123456789',
		routingNumber: '110000000',
		accountType: 'CHECKING',
		accountHolderType: 'PERSONAL',
	};
	const byCard = { paymentType: 'card', card };
	const commit = async (paymentData: string, customerInfo: unknown, dynamicData?: unknown) =>
		await call('createTokenizedManualEntry', { paymentData, dynamicData, customerInfo });

	test('captures the computed total and answers ID and status', async () => {
		const paymentData = cart({ surcharge: { card: 40 } });
		const { status, answer } = await commit(paymentData, byCard, {
			tip: { amount: 10, type: 'percentage' },
		});
		expect(status).toBe(200);
		expect(answer).toEqual({ transactionID: expect.any(String), status: 'CAPTURED' });
		expect(sandbox.charges).toEqual([
			{
				transactionID: answer.transactionID,
				amount: 2550 + 255 + 40,
				referenceID: 'ORDER-1',
				paymentData,
				via: 'api',
				at: '2026-03-01T12:00:00.000Z',
			},
		]);
	});

	test("is reported by a payment_success event with every field of the service's description", async () => {
		const { answer } = await commit(cart({ tax: 100, fees: 20 }), {
			...byCard,
			nameOnCard: 'Ada Byron',
			email: 'ada@example.com',
			billingAddress: '1 Main Street',
			billingCity: 'Springfield',
			billingState: 'IL',
			billingZip: '62701',
			billingCountry: 'US',
		});
		const [event] = sandbox.events;
		expect(event).toEqual({
			eventID: expect.any(String),
			date: '2026-03-01T12:00:00.000Z',
			type: 'payment_success',
			payload: expect.any(String),
		});
		const { transaction, lineItems } = JSON.parse(event?.payload ?? '');
		const strings = [
			...['tx_id', 'batch_id', 'result', 'message', 'entry_mode', 'pmt_id', 'country'],
			...['merchant_id', 'authcode', 'brand_reference', 'avs_address_result', 'created_by'],
			...['avs_postal_code_result', 'avs_action', 'cvv_result', 'commercial_level'],
			...['payment_plan_id', 'gsa', 'emv', 'customer_id', 'customer_phone'],
			...['masked_number_last4'],
		];
		expect(transaction).toEqual({
			...Object.fromEntries(strings.map((name) => [name, expect.any(String)])),
			id: answer.transactionID,
			type: 'AUTH',
			status: 'CAPTURED',
			channel: 'CNP',
			capture_mode: 'AUTO',
			amount: 2670,
			currency: 'USD',
			group_id: sandbox.credentials.groupID,
			brand: 'VISA',
			exp_month: '12',
			exp_year: '30',
			customer_name: 'Ada Byron',
			customer_email: 'ada@example.com',
			customer_country: 'US',
			customer_address: '1 Main Street, Springfield, IL, 62701',
			parentTransactionId: null,
			created_at: '2026-03-01T12:00:00.000Z',
			referenceID: 'ORDER-1',
		});
		expect(transaction.masked_number_last4).toMatch(/4242$/);
		expect(transaction.customer_id).not.toBe('');
		expect(lineItems).toEqual({
			id: expect.any(String),
			transactionId: answer.transactionID,
			customerId: transaction.customer_id,
			lineItems: [
				{ product: mug, amount: 2, total: 2000 },
				{ product: tea, amount: 1, total: 550 },
			],
			tip: 0,
			subTotal: 2550,
			tax: 100,
			shipping: 0,
			discount: 0,
			surcharge: 20,
			total: 2670,
			shippingAddress: null,
			metadata: null,
			narrative: expect.any(String),
			created_at: '2026-03-01T12:00:00.000Z',
			referenceID: 'ORDER-1',
			referenceSource: expect.any(String),
		});
	});

	test.each([
		['under ach', { paymentType: 'ach', ach }],
		['under card, as they were seen too', { paymentType: 'card', card: ach }],
		['under card with the payment type ach', { paymentType: 'ach', card: ach }],
	])('takes ACH details %s', async (_where, customerInfo) => {
		const { answer } = await commit(cart(), customerInfo);
		expect(answer.status).toBe('CAPTURED');
		const { transaction } = JSON.parse(sandbox.events[0]?.payload ?? '');
		expect(transaction).toMatchObject({ brand: 'ACH', masked_number_last4: 'XXXXXXXXXXXX6789' });
	});

	test.each([
		['a card', byCard, { ...card, cardToken: 'tok_declined' }, 'Card declined'],
		['an account', { paymentType: 'ach' }, undefined, 'Bank account declined'],
	])('declines %s with a 402 and a payment_failed event', async (_what, info, bad, message) => {
		const instrument = bad ? { card: bad } : { ach: { ...ach, accountNumber: '000000000000' } };
		const { status, answer } = await commit(cart(), { ...info, ...instrument });
		expect([status, answer.error.message]).toEqual([402, message]);
		expect(sandbox.charges).toEqual([]);
		expect(sandbox.events).toHaveLength(1);
		expect(sandbox.events[0]?.type).toBe('payment_failed');
		const { transaction } = JSON.parse(sandbox.events[0]?.payload ?? '');
		expect(transaction).toMatchObject({ status: 'DECLINED', message, referenceID: 'ORDER-1' });
	});

	test('declines everything when the settings say so', async () => {
		sandbox.settings.chargeOutcome = 'declined';
		expect((await commit(cart(), byCard)).status).toBe(402);
	});

	test.each([
		['PENDING', 200, 1, 'payment_success'],
		['DECLINED', 200, 0, 'payment_failed'],
		[429, 429, 0, undefined],
	] as const)(
		'answers %s when the settings say so',
		async (chargeStatus, status, charges, event) => {
			sandbox.settings.chargeStatus = chargeStatus;
			const committed = await commit(cart(), byCard);
			expect(committed.status).toBe(status);
			if (status === 200) {
				const transactionID = expect.stringMatching(/^txn_/) as unknown;
				expect(committed.answer).toEqual({ transactionID, status: chargeStatus });
			}
			expect(sandbox.charges).toHaveLength(charges);
			expect(sandbox.events[0]?.type).toBe(event);
		},
	);

	test('charges the same cart again when it is committed again', async () => {
		const paymentData = cart();
		const first = await commit(paymentData, byCard);
		const second = await commit(paymentData, byCard);
		expect(sandbox.charges.map(({ transactionID }) => transactionID)).toEqual([
			first.answer.transactionID,
			second.answer.transactionID,
		]);
	});

	test.each([
		[undefined, 'data.customerInfo is missing'],
		[{ card }, 'data.customerInfo.paymentType is missing'],
		[{ paymentType: 'cash', card }, 'data.customerInfo.paymentType must be one of card, ach'],
		[{ paymentType: 'card' }, 'data.customerInfo.card is missing'],
		[{ paymentType: 'ach' }, 'data.customerInfo.ach is missing'],
		[{ paymentType: 'card', card: { cvc: '1' } }, 'data.customerInfo.card.cardToken is missing'],
		[
			{ paymentType: 'ach', ach: { accountNumber: '12345' } },
			'data.customerInfo.ach.routingNumber is missing',
		],
		[
			{ paymentType: 'card', card: { accountNumber: '12345' } },
			'data.customerInfo.card.routingNumber is missing',
		],
		[
			{ paymentType: 'card', card: { ...card, ...ach } },
			'data.customerInfo.card must hold a card or a bank account, not both',
		],
		[{ ...byCard, ach }, 'data.customerInfo must hold either card or ach'],
		[{ paymentType: 'card', ach }, 'data.customerInfo.ach does not go with the paymentType "card"'],
		[{ ...byCard, phone: '1' }, 'data.customerInfo.phone is not a known field'],
	])('refuses customerInfo %j', async (customerInfo, message) => {
		const { status, answer } = await commit(cart(), customerInfo);
		expect([status, answer.error.message]).toEqual([400, message]);
		expect(sandbox.charges).toEqual([]);
		expect(sandbox.events).toEqual([]);
	});

	test('refuses a cart that costs nothing', async () => {
		const { status } = await commit(sandbox.addCart({ amount: 0 }), byCard);
		expect(status).toBe(400);
	});
});
