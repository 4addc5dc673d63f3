import { createSandbox, startSandbox } from '.';
import { misfits } from './form';

/**
 * The sandbox is a rig: shown here is only what the tests that use it would not notice if it were
 * wrong. Those of the operations show the endpoints by their own requests.
 */

const sandbox = createSandbox({ clock: '2026-03-01T12:00:00Z' });
beforeAll(async () => await sandbox.listen());
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.close());

/** As a browser opens a page, or sends its form. */
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
] as const)('%s does not take %j: %s', (endpoint, data, words) => {
	expect(misfits(endpoint, data)).toEqual([expect.stringContaining(words)]);
});

test('a cart never costs less than nothing, and is refunded once', () => {
	const lineItems = [{ product: { price: 1700, sku: 'MUG' }, amount: 2 }];
	const pricing = { lineItems, tax: 8.5, taxType: 'percentage', tip: 100 } as const;
	sandbox.pay(sandbox.addPaylink({ pricing }).payLinkID);
	const [{ amount, transactionID } = { amount: 0, transactionID: '' }] = sandbox.charges;
	expect(amount).toBe(3400 + 289 + 100);
	const free = sandbox.addPaylink({ pricing: { amount: 300, discountCodes: ['FIVER'] } });
	expect(() => sandbox.pay(free.payLinkID)).toThrow('nothing to charge');
	expect(sandbox.refund(transactionID).type).toBe('payment_refund');
	expect(() => sandbox.refund(transactionID)).toThrow('refunded already');
});

describe('the pay page', () => {
	const press = async (payLinkID: string, action: string) => {
		const fields = { action, nameOnCard: 'Ada', email: 'ada@example.com' };
		return await send(`/pay/${payLinkID}`, new URLSearchParams(fields));
	};

	test('is declined, charges nothing, and then pays once', async () => {
		const { payLinkID } = sandbox.addPaylink({ pricing: { amount: 2500 }, referenceID: 'INV-1' });
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

	test('leads to the shop, ends with its link, and escapes what merchants wrote', async () => {
		const script = '<script>alert(1)</script>';
		const { payLinkID } = sandbox.addPaylink({
			pricing: { lineItems: [{ product: { name: script }, amount: 1 }] },
			...{ onFailureURL: 'https://shop.example/no', validUntil: '2026-03-02' },
		});
		expect((await send(`/pay/${payLinkID}`)).text).not.toContain(script);
		expect((await press(payLinkID, 'decline')).location).toBe('https://shop.example/no');
		sandbox.clock.set('2026-03-02T00:00:00Z');
		expect((await press(payLinkID, 'pay')).status).toBe(410);
	});
});

test('the seed is a shop with a past', async () => {
	const seeded = await startSandbox({ seed: true });
	expect(new Set(seeded.events.map(({ type }) => type)).size).toBe(3);
	await seeded.close();
});
