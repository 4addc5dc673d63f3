import type { Fault } from '.';
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

/** As a stranger calls it, over HTTP and without the package. */
async function send(path: string, body?: object) {
	const isForm = body instanceof URLSearchParams;
	const response = await fetch(`${sandbox.url}${path}`, {
		method: body ? 'POST' : 'GET',
		headers: {
			token: sandbox.credentials.headerToken,
			...(isForm ? {} : { 'Content-Type': 'application/json' }),
		},
		...(body && { body: isForm ? body : JSON.stringify(body) }),
		redirect: 'manual',
	});
	const text = await response.text();
	return { status: response.status, text, location: response.headers.get('location') };
}

const add = async () =>
	await send('/api/gateway/addCustomer', { data: { form: { email: 'a@x.com' } } });

describe('a fault', () => {
	test.each<[Fault, number, string, customers: number]>([
		[{ status: 503, body: { message: 'Busy' } }, 503, '{"message":"Busy"}', 0],
		[{ status: 429 }, 429, '{"error":{"message":"Too Many Requests"}}', 0],
		[{ status: 504, workFirst: true, body: '' }, 504, '', 1],
		[{ answer: () => ({ other: 1 }) }, 200, '{"other":1}', 1],
		[{ answer: (answer) => Object(answer).no.such }, 500, 'such', 1],
	])(
		'%j answers %i once, and does the work where it says so',
		async (fault, status, text, work) => {
			sandbox.fault(fault);
			expect(await add()).toMatchObject({ status, text: expect.stringContaining(text) });
			expect(sandbox.customers).toHaveLength(work);
			expect((await add()).status).toBe(200);
		},
	);

	test('waits for its turn and its endpoint, and one that changes no answer goes with others', async () => {
		let seen = 0;
		sandbox.fault({ times: Infinity, run: () => seen++ });
		sandbox.fault({ on: 'addCustomer', status: 500, after: 1, times: 2 });
		sandbox.fault({ on: ['addCustomer', 'customer'], status: 502 });
		sandbox.fault({ on: 'customers', status: 418 });
		const statuses = [];
		for (let index = 0; index < 5; index++) statuses.push((await add()).status);
		expect([statuses, seen]).toEqual([[502, 500, 500, 200, 200], 5]);
	});

	test.each(['before', 'after'] as const)('breaks the connection %s the work', async (drop) => {
		sandbox.fault({ drop });
		await expect(add()).rejects.toThrow('fetch failed');
		expect(sandbox.customers).toHaveLength(drop === 'after' ? 1 : 0);
	});
});

test('a limit refuses what is too much at once, and a reset ends what hangs', async () => {
	sandbox.settings.limits = { atOnce: 1 };
	sandbox.fault({ delay: Infinity });
	const hanging = expect(add()).rejects.toThrow('fetch failed');
	while (sandbox.customers.length === 0) await new Promise(setImmediate);
	expect((await add()).status).toBe(429);
	sandbox.reset();
	await hanging;
	expect((await add()).status).toBe(200);
});

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

test('a cart never costs less than nothing, and a refund never more than was paid', async () => {
	const lineItems = [{ product: { price: 1700, sku: 'MUG' }, amount: 2 }];
	const pricing = { lineItems, tax: 8.5, taxType: 'percentage', tip: 100 } as const;
	const { payLinkID } = sandbox.addPaylink({ pricing });
	sandbox.pay(payLinkID);
	const [{ amount, transactionID } = { amount: 0, transactionID: '' }] = sandbox.charges;
	expect(amount).toBe(3400 + 289 + 100);
	const free = sandbox.addPaylink({ pricing: { amount: 300, discountCodes: ['FIVER'] } });
	expect(() => sandbox.pay(free.payLinkID)).toThrow('nothing to charge');
	expect(sandbox.refund(transactionID, 3000).type).toBe('payment_refund');
	expect(() => sandbox.refund(transactionID, 790)).toThrow('between $0.01 and $7.89');
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
		expect(declined).toMatchObject({
			status: 402,
			text: expect.stringMatching(/Nothing has been/),
		});
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

test('the seed is a shop with a past, and a later sandbox goes on where it ended', async () => {
	const earlier = await startSandbox({ seed: true });
	expect(new Set(earlier.events.map(({ type }) => type)).size).toBe(3);
	earlier.addEvent({ date: undefined, type: 'payment_odd', payload: 'not JSON' });
	const kept = earlier.kept();
	await earlier.close();
	const later = await startSandbox({ seed: true, kept });
	expect(later.kept()).toBe(kept);
	expect(later.refund(later.charges.at(-1)?.transactionID ?? '', 1).type).toBe('payment_refund');
	await later.close();
});
