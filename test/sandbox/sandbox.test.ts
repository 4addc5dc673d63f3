import type { PaylinkForm } from '../../nodes/PaymentsGateway/wire';
import { createSandbox, startSandbox } from '.';
import { validate } from './schema';

/**
 * Covers only what the tests that use the sandbox would not notice. The operation tests cover the
 * endpoints.
 */

const sandbox = createSandbox({ clock: '2026-03-01T12:00:00Z' });
beforeAll(async () => await sandbox.listen());
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.close());

/** The ID of a new paylink, of $25 unless the form says otherwise. */
const givenPaylink = (form: Partial<PaylinkForm> = {}) =>
	sandbox.addPaylink({ pricing: { amount: 2500 }, ...form }).payLinkID;
const firstCharge = () => sandbox.charges[0]?.transactionID ?? '';

/** Opens a page as a browser does, or sends its form. */
async function send(path: string, form?: URLSearchParams) {
	const sent = form ? { method: 'POST', body: form } : {};
	const response = await fetch(`${sandbox.url}${path}`, { ...sent, redirect: 'manual' });
	const text = await response.text();
	return { status: response.status, text, location: response.headers.get('location') };
}

test.each([
	['customer', { customerID: 7 }, 'data.customerID must be a string'],
	['deletePaymentMethod', { customerID: 'x' }, 'data.cardID is missing'],
	['addCustomer', { form: { nickname: 'Ada' } }, 'data.form.nickname is not a known field'],
	['addPaymentMethod', { customerID: 'x', form: {} }, 'data.form must hold one of card, ach'],
	['webhookEvents', { page: { page: 0 } }, 'data.page.page must be an integer of 1 or more'],
	['createCheckoutData', { form: { pricing: {} } }, 'data.form.pricing must hold lineItems or'],
	['createCheckoutData', { form: { pricing: { amount: 2.5 } } }, 'amount must be an integer of 1'],
	[
		'createTokenizedManualEntry',
		{ paymentData: 'x', customerInfo: { paymentType: 'ach', card: { cardToken: 'tok' } } },
		'data.customerInfo does not hold what its paymentType says',
	],
] as const)('%s refuses %j: %s', (endpoint, data, words) => {
	expect(validate(endpoint, data)).toEqual([expect.stringContaining(words)]);
});

const mugs = [{ product: { price: 1700, sku: 'MUG' }, amount: 2 }];
test.each([
	['subtotal, tax and tip', { lineItems: mugs, tax: 8.5, tip: 100 }, 3400 + 289 + 100],
	['a tax of 144.5 cents as 145', { amount: 1_700, tax: 8.5 }, 1_700 + 145],
	['a tax of 100.5 cents as 101', { amount: 10_000, tax: 1.005 }, 10_000 + 101],
	['a tax of 100.4 cents as 100', { amount: 10_000, tax: 1.004 }, 10_000 + 100],
])('a payment includes %s', (_, pricing, amount) => {
	sandbox.pay(givenPaylink({ pricing: { ...pricing, taxType: 'percentage' } }));
	expect(sandbox.charges).toMatchObject([{ amount }]);
});

test('a payment can be refunded only once', () => {
	sandbox.pay(givenPaylink());
	expect(sandbox.refund(firstCharge()).type).toBe('payment_refund');
	expect(() => sandbox.refund(firstCharge())).toThrow('refunded already');
});

test('a cart that a discount brings to 0 cannot be charged', () => {
	const free = givenPaylink({ pricing: { amount: 300, discountCodes: ['FIVER'] } });
	expect(() => sandbox.pay(free)).toThrow('nothing to charge');
	expect(sandbox.charges).toEqual([]);
});

describe('a payment by the API', () => {
	const card = { cardToken: 'tok_visa_4242', cvc: '123', expiryDate: '12/39' };
	const account = { accountNumber: '000123456789', routingNumber: '110000000' };

	async function charge(method: { card: object } | { ach: object }) {
		const { groupID, privateToken: token } = sandbox.credentials;
		const paymentType = 'card' in method ? 'card' : 'ach';
		const data = { paymentData: sandbox.addCart(), customerInfo: { paymentType, ...method } };
		const response = await fetch(`${sandbox.url}/api/gateway/createTokenizedManualEntry`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ groupID, token, data }),
		});
		const { status = '', error } = Object(await response.json());
		return { http: response.status, answer: String(error?.message ?? status) };
	}
	const recorded = () => sandbox.events.map(({ type, date }) => `${type} ${date.slice(11, 16)}`);

	test.each([
		['tok_declined', '12/39', 'Card declined'],
		['tok_visa_4242', '02/26', 'Card expired'],
	])('with %s that expires in %s is declined: %s', async (cardToken, expiryDate, words) => {
		const answer = await charge({ card: { ...card, cardToken, expiryDate } });
		expect(answer).toEqual({ http: 402, answer: words });
		expect([sandbox.charges, recorded()]).toEqual([[], ['payment_failed 12:00']]);
	});

	test.each(['tok_visa', 'tok_decline', 'TOK_DECLINED', 'tok_declined ', 'tok_'])(
		'with the unknown token %j is refused and charges nothing',
		async (cardToken) => {
			const { http, answer } = await charge({ card: { ...card, cardToken } });
			expect(http).toBe(400);
			expect(answer).toContain('cardToken must be a card token, such as tok_visa_4242');
			expect([sandbox.charges, recorded()]).toEqual([[], []]);
		},
	);

	test.each(['tok_amex_0005', 'a1B2-token'])(
		'with the token %s is captured until the end of the month in which the card expires',
		async (cardToken) => {
			sandbox.clock.set('2026-03-31T23:59:59Z');
			const answer = await charge({ card: { ...card, cardToken, expiryDate: '03/26' } });
			expect(answer).toEqual({ http: 200, answer: 'CAPTURED' });
		},
	);

	test('with tok_pending stays pending', async () => {
		const answer = await charge({ card: { ...card, cardToken: 'tok_pending' } });
		expect(answer).toEqual({ http: 200, answer: 'PENDING' });
		sandbox.clock.advance(30 * 24 * 3_600_000);
		expect([sandbox.charges.length, recorded()]).toEqual([1, []]);
		expect(() => sandbox.refund(firstCharge())).toThrow('This payment is pending');
	});

	test('with a bank account is pending, then captured with the date it was due', async () => {
		sandbox.settings.bankCapturesAfter = 120_000;
		expect(await charge({ ach: account })).toEqual({ http: 200, answer: 'PENDING' });
		expect(recorded()).toEqual([]);
		sandbox.clock.advance(119_000);
		expect(recorded()).toEqual([]);
		sandbox.clock.advance(600_000);
		expect(recorded()).toEqual(['payment_success 12:02']);
	});

	test('with 000000009999 is captured, and is returned under the same ID', async () => {
		sandbox.settings.bankCapturesAfter = 120_000;
		await charge({ ach: { ...account, accountNumber: '000000009999' } });
		sandbox.clock.advance(120_000);
		expect(recorded()).toEqual(['payment_success 12:02']);
		sandbox.clock.advance(120_000);
		expect(recorded()).toEqual(['payment_success 12:02', 'payment_failed 12:04']);
		const records = sandbox.events.map(({ payload }) => JSON.parse(payload).transaction);
		const id = firstCharge();
		expect(records).toMatchObject([
			{ id, status: 'CAPTURED' },
			{ id, status: 'RETURNED', message: 'Returned by the bank: insufficient funds' },
		]);
		expect(() => sandbox.refund(id)).toThrow('This payment is returned');
	});
});

describe('the pay page', () => {
	const press = async (payLinkID: string, action: string) => {
		const fields = { action, nameOnCard: 'Ada', email: 'ada@example.com' };
		return await send(`/pay/${payLinkID}`, new URLSearchParams(fields));
	};

	test('declines without charging, then pays once', async () => {
		const payLinkID = givenPaylink({ referenceID: 'INV-1' });
		expect((await send(`/pay/${payLinkID}`)).text).toMatch(/Pay \$25\.00[^]*Decline \(simulate\)/);
		const declined = await press(payLinkID, 'decline');
		expect([declined.status, declined.text]).toEqual([
			402,
			expect.stringMatching(/Nothing has been/),
		]);
		expect(sandbox.charges).toEqual([]);
		expect((await press(payLinkID, 'pay')).location).toBe(`/pay/${payLinkID}`);
		expect((await send(`/pay/${payLinkID}`)).text).toContain('Your payment has been received');
		expect((await press(payLinkID, 'pay')).status).toBe(400);
		expect(sandbox.charges).toMatchObject([{ amount: 2500, referenceID: 'INV-1', via: 'page' }]);
		const payloads = sandbox.events.map(({ payload }) => JSON.parse(payload).transaction);
		const by = { customer_name: 'Ada', customer_email: 'ada@example.com' };
		expect(payloads).toMatchObject([
			{ status: 'DECLINED', ...by },
			{ status: 'CAPTURED', ...by },
		]);
	});

	test('shows that a bank payment is on its way, has arrived, or was returned', async () => {
		sandbox.settings.bankCapturesAfter = 120_000;
		const ach = { accountNumber: '000000009999', routingNumber: '110000000' };
		const payLinkID = givenPaylink({ customerID: sandbox.addCustomer({ ach }).id });
		await press(payLinkID, 'pay');
		expect((await press(payLinkID, 'pay')).status).toBe(400);
		const shown = async () => (await send(`/pay/${payLinkID}`)).text;
		expect(await shown()).toContain('Your payment is on its way');
		sandbox.clock.advance(120_000);
		expect(await shown()).toContain('Your payment has been received');
		sandbox.clock.advance(120_000);
		expect(await shown()).toContain('Your bank has returned this payment');
	});

	test('redirects a decline to onFailureURL', async () => {
		const onFailureURL = 'https://shop.example/no';
		const { location } = await press(givenPaylink({ onFailureURL }), 'decline');
		expect(location).toBe(onFailureURL);
	});

	test('cannot be paid from validUntil on', async () => {
		const payLinkID = givenPaylink({ validUntil: '2026-03-02' });
		sandbox.clock.set('2026-03-02T00:00:00Z');
		expect((await press(payLinkID, 'pay')).status).toBe(410);
	});

	test('escapes product names', async () => {
		const lineItems = [{ product: { name: '<script>alert(1)</script>' }, amount: 1 }];
		const { text } = await send(`/pay/${givenPaylink({ pricing: { lineItems } })}`);
		expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
		expect(text).not.toContain('<script>');
	});
});

test('a sandbox started from a snapshot holds the seed and more, and captures what fell due meanwhile', async () => {
	const earlier = await startSandbox({ seed: true, clock: '2026-03-01T12:00:00Z' });
	earlier.settings.bankCapturesAfter = 120_000;
	const { id } = earlier.addCustomer({
		ach: { accountNumber: '000123456789', routingNumber: '110000000' },
	});
	const form = { pricing: { amount: 2500 }, referenceID: 'INV-7', customerID: id };
	const { payLinkID } = earlier.addPaylink(form);
	earlier.pay(payLinkID);
	const snapshot = JSON.parse(JSON.stringify(earlier.snapshot()));
	const later = await startSandbox({ clock: '2026-03-01T13:00:00Z', snapshot });
	const { type, date } = later.events.at(-1) ?? {};
	expect({ type, date }).toEqual({ type: 'payment_success', date: '2026-03-01T12:02:00.000Z' });
	for (const part of ['customers', 'products', 'carts', 'paylinks', 'charges'] as const) {
		expect(later.snapshot()[part]).toEqual(earlier.snapshot()[part]);
		expect(later.snapshot()[part]).not.toEqual([]);
	}
	expect(() => later.pay(payLinkID)).toThrow('paid already');
	const types = new Set(later.events.map((each) => each.type));
	expect(types).toEqual(new Set(['payment_success', 'payment_failed', 'payment_refund']));
	await Promise.all([earlier.close(), later.close()]);
});
