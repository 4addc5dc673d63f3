import type { Sandbox } from '.';
import { useService } from './useService';

/**
 * Holds the two cart endpoints of the sandbox to the service's description: what a cart costs, and
 * what a charge does.
 */

const { sandbox, call, refusal } = useService({ clock: '2026-03-01T12:00:00Z' });

const mug = { sku: 'MUG', name: 'Mug', description: 'Blue', price: 1000 };
const tea = { sku: 'TEA', name: 'Tea', description: '', price: 550 };
const cart = (more: Parameters<Sandbox['addCart']>[0] = {}): string =>
	sandbox.addCart({
		referenceID: 'ORDER-1',
		lineItems: [{ product: mug, amount: 2 }, { product: tea }],
		...more,
	});

describe('computeTokenizedCheckout', () => {
	const ENDPOINT = 'computeTokenizedCheckout';
	const cost = async (paymentData: string, dynamicData = {}) =>
		(await call(ENDPOINT, { paymentData, dynamicData })).answer.breakdown;

	test('answers all fields of the cart, and charges nothing', async () => {
		const addresses = { onSuccessUrl: 'https://shop.example/ok', onFailureUrl: '' };
		const permissions = { allowEdit: true, allowExtraDiscount: true, allowTip: false };
		const parts = { tax: { percentage: 10 }, shipping: 300, surcharge: { ach: 50 } };
		const { status, answer } = await call(ENDPOINT, {
			paymentData: cart({ ...parts, ...addresses, ...permissions }),
			dynamicData: { paymentType: 'ach' },
		});
		expect(status).toBe(200);
		expect(answer).toEqual({
			breakdown: {
				...{ subtotal: 2550, discount: 0, tax: 255, shipping: 300, fees: 50, tip: 0 },
				total: 3155,
			},
			lineItems: [
				{ product: mug, amount: 2, total: 2000 },
				{ product: tea, amount: 1, total: 550 },
			],
			discountBreakdown: [],
			referenceID: 'ORDER-1',
			...permissions,
			...addresses,
		});
		expect([sandbox.charges, sandbox.events]).toEqual([[], []]);
	});

	const tipOf = (amount: number, type = 'percentage') => ({ tip: { amount, type } });
	test.each([
		[{}, { fees: 0, tip: 0, total: 2550 }],
		[{ paymentType: 'card' }, { fees: 51 }],
		[{ paymentType: 'ach' }, { fees: 25 }],
		[tipOf(500, 'fixed'), { tip: 500 }],
		[tipOf(20), { tip: 510 }],
		[tipOf(15), { tip: 383 }],
		[tipOf(0), { tip: 0 }],
		[{ quantityAmounts: [{ id: 'MUG', quantity: 5 }] }, { subtotal: 5550 }],
		[{ discountCodes: ['SAVE10', 'FIVER', 'FIVER'] }, { discount: 755 }],
		[
			{ ...tipOf(100, 'fixed'), discountCodes: ['FIVER'], paymentType: 'card' },
			{ subtotal: 2550, discount: 500, fees: 51, tip: 100, total: 2550 - 500 + 51 + 100 },
		],
	])('%j makes %j', async (dynamicData, expected) => {
		const surcharge = { card: { percentage: 2 }, ach: 25 };
		expect(await cost(cart({ surcharge }), dynamicData)).toMatchObject(expected);
	});

	test('a discount never takes more than the subtotal', async () => {
		const paymentData = sandbox.addCart({ amount: 300 });
		const { answer } = await call(ENDPOINT, {
			paymentData,
			dynamicData: { discountCodes: ['FIVER', 'SAVE10'] },
		});
		expect(answer.breakdown).toMatchObject({ discount: 300, total: 0 });
		expect(answer.discountBreakdown).toEqual([{ code: 'FIVER', amount: 300 }]);
	});

	const at = 'data.dynamicData';
	test.each([
		[{ discountCodes: ['NOPE'] }, 'Unknown discount code "NOPE"'],
		[{ discountCodes: ['constructor'] }, 'Unknown discount code "constructor"'],
		[{ discountCodes: 'SAVE10' }, `${at}.discountCodes must be an array`],
		[
			{ quantityAmounts: [{ id: 'CUP', quantity: 1 }] },
			'This cart has no product with the SKU "CUP"',
		],
		[
			{ quantityAmounts: [{ id: 'MUG', quantity: 0 }] },
			`${at}.quantityAmounts[0].quantity must be an integer of 1 or more`,
		],
		[{ quantityAmounts: [{ sku: 'MUG', quantity: 1 }] }, `${at}.quantityAmounts[0].id is missing`],
		[{ paymentType: 'cash' }, `${at}.paymentType must be one of card, ach`],
		[{ tip: 500 }, `${at}.tip must be an object`],
		[{ tip: { amount: '5', type: 'fixed' } }, `${at}.tip.amount must be a number of 0 or more`],
		[{ tip: { amount: 5, type: 'percent' } }, `${at}.tip.type must be one of fixed, percentage`],
		[
			{ tip: { amount: 5.5, type: 'fixed' } },
			`${at}.tip.amount must be in cents: send 550 for $5.50`,
		],
		[{ coupon: 'X' }, `${at}.coupon is not a known field`],
	])('refuses %j', async (dynamicData, words) => {
		expect(await refusal(ENDPOINT, { paymentData: cart(), dynamicData })).toEqual([400, words]);
	});

	test.each([
		[{ allowTip: false }, tipOf(1, 'fixed'), /takes no tip/],
		[{ allowExtraDiscount: false }, { discountCodes: ['SAVE10'] }, /takes no discount/],
		[{ allowEdit: false }, { quantityAmounts: [{ id: 'MUG', quantity: 1 }] }, /are fixed/],
	])('a cart with %j refuses %j', async (permission, dynamicData, words) => {
		const [status, message] = await refusal(ENDPOINT, {
			paymentData: cart(permission),
			dynamicData,
		});
		expect([status, message]).toEqual([400, expect.stringMatching(words)]);
	});

	test('refuses payment data that it did not make', async () => {
		const words = 'data.paymentData cannot be decrypted';
		expect(await refusal(ENDPOINT, { paymentData: 'bm90IG91cnM' })).toEqual([400, words]);
	});
});

describe('createTokenizedManualEntry', () => {
	const card = { cardToken: 'tok_visa_4242', cvc: '123', expiryDate: '12/30' };
	const numbers = { accountNumber: '000123456789', routingNumber: '110000000' };
	const ach = { ...numbers, accountType: 'CHECKING', accountHolderType: 'PERSONAL' };
	const byCard = { paymentType: 'card', card };
	const order = (customerInfo: unknown, paymentData = cart(), dynamicData = {}) =>
		['createTokenizedManualEntry', { paymentData, dynamicData, customerInfo }] as const;

	test('captures the computed total', async () => {
		const paymentData = cart({ surcharge: { card: 40 } });
		const tip = { amount: 10, type: 'percentage' };
		const { status, answer } = await call(...order(byCard, paymentData, { tip }));
		const transactionID = expect.stringMatching(/^txn_/) as unknown;
		expect([status, answer]).toEqual([200, { transactionID, status: 'CAPTURED' }]);
		const charge = {
			...{ transactionID: answer.transactionID, amount: 2550 + 255 + 40, paymentData },
			...{ referenceID: 'ORDER-1', via: 'api', at: '2026-03-01T12:00:00.000Z' },
		};
		expect(sandbox.charges).toEqual([charge]);
		// The worst that a service can do.
		await call(...order(byCard, paymentData));
		expect(sandbox.charges).toHaveLength(2);
	});

	test("is reported by an event with every field of the service's description", async () => {
		const { answer } = await call(
			...order(
				{
					...byCard,
					...{ nameOnCard: 'Ada Byron', email: 'ada@example.com', billingCountry: 'US' },
					...{ billingAddress: '1 Main Street', billingCity: 'Springfield', billingZip: '62701' },
				},
				cart({ tax: 100, surcharge: { card: 20 } }),
			),
		);
		expect(sandbox.events).toMatchObject([
			{ date: '2026-03-01T12:00:00.000Z', type: 'payment_success' },
		]);
		const { transaction, lineItems } = JSON.parse(sandbox.events[0]?.payload ?? '');
		const strings = [
			...['tx_id', 'batch_id', 'result', 'message', 'entry_mode', 'pmt_id', 'country'],
			...['merchant_id', 'authcode', 'brand_reference', 'avs_address_result', 'created_by'],
			...['avs_postal_code_result', 'avs_action', 'cvv_result', 'commercial_level'],
			...['payment_plan_id', 'gsa', 'emv', 'customer_id', 'customer_phone'],
		];
		expect(transaction).toEqual({
			...Object.fromEntries(strings.map((name) => [name, expect.any(String)])),
			...{ id: answer.transactionID, type: 'AUTH', status: 'CAPTURED', channel: 'CNP' },
			...{ capture_mode: 'AUTO', amount: 2670, currency: 'USD', brand: 'VISA' },
			group_id: sandbox.credentials.groupID,
			masked_number_last4: 'XXXXXXXXXXXX4242',
			...{ exp_month: '12', exp_year: '30', parentTransactionId: null },
			...{ customer_name: 'Ada Byron', customer_email: 'ada@example.com' },
			...{ customer_country: 'US', customer_address: '1 Main Street, Springfield, 62701' },
			...{ created_at: '2026-03-01T12:00:00.000Z', referenceID: 'ORDER-1' },
		});
		expect(lineItems).toEqual({
			...{ id: expect.any(String), narrative: 'Mug, Tea', referenceSource: 'MERCHANT' },
			...{ transactionId: answer.transactionID, customerId: transaction.customer_id },
			lineItems: [
				{ product: mug, amount: 2, total: 2000 },
				{ product: tea, amount: 1, total: 550 },
			],
			...{ tip: 0, subTotal: 2550, tax: 100, shipping: 0, discount: 0, surcharge: 20 },
			...{ total: 2670, shippingAddress: null, metadata: null },
			...{ created_at: '2026-03-01T12:00:00.000Z', referenceID: 'ORDER-1' },
		});
	});

	test.each([
		['under ach', { paymentType: 'ach', ach }],
		['under card, as they were seen too', { paymentType: 'card', card: ach }],
		['under card with the payment type ach', { paymentType: 'ach', card: ach }],
	])('takes ACH details %s', async (_where, customerInfo) => {
		expect((await call(...order(customerInfo))).answer.status).toBe('CAPTURED');
		const { transaction } = JSON.parse(sandbox.events[0]?.payload ?? '');
		expect(transaction).toMatchObject({ brand: 'ACH', masked_number_last4: 'XXXXXXXXXXXX6789' });
	});

	const declined = { ...card, cardToken: 'tok_declined' };
	test.each([
		[{ ...byCard, card: declined }, 'Card declined'],
		[{ ...byCard, card: { ...card, expiryDate: '02/26' } }, 'Card expired'],
		[
			{ paymentType: 'ach', ach: { ...ach, accountNumber: '000000000000' } },
			'Bank account declined',
		],
	])('declines %j with a 402 and a payment_failed event', async (customerInfo, message) => {
		expect(await refusal(...order(customerInfo))).toEqual([402, message]);
		expect(sandbox.charges).toEqual([]);
		expect(sandbox.events).toMatchObject([{ type: 'payment_failed' }]);
		const { transaction } = JSON.parse(sandbox.events[0]?.payload ?? '');
		expect(transaction).toMatchObject({ status: 'DECLINED', message, referenceID: 'ORDER-1' });
	});

	test.each([
		['PENDING', 200, 1, 'payment_success'],
		['DECLINED', 200, 0, 'payment_failed'],
		[429, 429, 0, undefined],
	] as const)('answers %s where it is set to', async (chargeStatus, status, charges, type) => {
		sandbox.settings.chargeStatus = chargeStatus;
		const committed = await call(...order(byCard));
		expect([committed.status, sandbox.charges.length, sandbox.events[0]?.type]).toEqual([
			...[status, charges, type],
		]);
		expect(committed.answer.status).toBe(status === 200 ? chargeStatus : undefined);
	});

	const { accountNumber } = ach;
	test.each([
		[undefined, ' is missing'],
		[{ card }, '.paymentType is missing'],
		[{ paymentType: 'cash', card }, '.paymentType must be one of card, ach'],
		[{ paymentType: 'card' }, '.card is missing'],
		[{ paymentType: 'ach' }, '.ach is missing'],
		[{ paymentType: 'ach', card }, '.ach is missing'],
		[{ paymentType: 'card', card: { cvc: '1' } }, '.card.cardToken is missing'],
		[{ paymentType: 'ach', ach: { accountNumber } }, '.ach.routingNumber is missing'],
		[{ paymentType: 'card', card: { accountNumber } }, '.card.routingNumber is missing'],
		[{ paymentType: 'card', card: { ...card, ...ach } }, '.card.cardToken is not a known field'],
		[{ ...byCard, ach }, ' must hold either card or ach'],
		[{ paymentType: 'card', ach }, '.ach does not go with the paymentType "card"'],
		[{ ...byCard, phone: '1' }, '.phone is not a known field'],
	])('refuses customerInfo %j', async (customerInfo, words) => {
		expect(await refusal(...order(customerInfo))).toEqual([400, `data.customerInfo${words}`]);
		expect([sandbox.charges, sandbox.events]).toEqual([[], []]);
	});

	test('refuses a cart that costs nothing', async () => {
		const words = 'The total of this cart is 0: nothing to charge';
		const free = sandbox.addCart({ amount: 0 });
		expect(await refusal(...order(byCard, free))).toEqual([400, words]);
	});
});
