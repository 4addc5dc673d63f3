import axios from 'axios';
import type { PaylinkForm } from '../../nodes/PaymentsGateway/wire';
import type { Transaction } from './eventPayload';
import { startSandbox, type Sandbox, type StoredPaylink } from '.';

/**
 * Uses the payment page of the sandbox as a browser does: opens it, pays, is declined, comes back.
 */

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ clock: '2026-03-01T12:00:00Z' });
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.close());

const link = (form: Partial<PaylinkForm> = {}): StoredPaylink =>
	sandbox.addPaylink({ pricing: { amount: 2500 }, referenceID: 'INV-1', ...form });

async function open({ url }: { url: string }) {
	return await axios.get<string>(url, { validateStatus: () => true });
}

async function submit({ url }: { url: string }, fields: Record<string, string> = {}, path = '') {
	return await axios.post<string>(`${url}${path}`, new URLSearchParams(fields).toString(), {
		maxRedirects: 0,
		validateStatus: () => true,
	});
}

function lastTransaction(): Partial<Transaction> {
	const { transaction, refund } = JSON.parse(sandbox.events.at(-1)?.payload ?? '{}');
	return transaction ?? refund;
}

/** The text of a page, without markup, style and script. */
function text(page: string): string {
	return page
		.replace(/<(style|script)>[^]*?<\/\1>/g, '')
		.replace(/<[^>]*>/g, ' ')
		.replace(/\s+/g, ' ');
}

/** The input of that name, as it was written. */
function input(page: string, name: string): string {
	return new RegExp(`<input[^>]*name="${name}"[^>]*>`).exec(page)?.[0] ?? '';
}

const product = { sku: 'CLUB', name: 'Coffee Club', description: 'A roast', price: 1000 };

describe('the open page', () => {
	test('says that no money moves, what is paid, and for what', async () => {
		const { status, data } = await open(link());
		expect(status).toBe(200);
		const page = text(data);
		expect(page).toContain('Sandbox: no money moves');
		expect(page).toContain('INV-1');
		expect(page).toContain('Payment $25.00');
		expect(page).toContain('Pay $25.00');
		expect(page).toContain('Decline (simulate)');
	});

	test('lists line items in dollars, and their parts', async () => {
		const { data } = await open(
			link({
				pricing: {
					lineItems: [{ product, amount: 3 }],
					tax: 10,
					taxType: 'percentage',
					shipping: 450,
					discountCodes: ['FIVER'],
				},
			}),
		);
		const page = text(data);
		expect(page).toMatch(/Coffee Club × 3 A roast \$30\.00/);
		expect(page).toMatch(/Subtotal \$30\.00 Discount −\$5\.00 Tax \$3\.00 Shipping \$4\.50/);
		expect(page).toContain('Pay $32.50');
	});

	test.each([
		[
			{ recurringMode: 'MONTHLY', recurringTrialDays: 7, recurringTotalCycles: 12 },
			'$10.00 monthly, 7 days free, 12 payments',
		],
		[{ recurringMode: 'YEARLY' }, '$10.00 yearly, until cancelled'],
		[
			{ recurringMode: 'MONTHLY', recurringInterval: 3, recurringSetupFee: 500 },
			'$10.00 every 3 months, until cancelled, $5.00 set-up fee (not refundable)',
		],
		[
			{ recurringMode: 'MONTHLY', recurringFrequency: 2, recurringTotalCycles: 1 },
			'$10.00 2 times a month, 1 payment',
		],
		[{}, '$10.00 daily, until cancelled'],
	])('describes the subscription %j in words', async (terms, words) => {
		const item = { product: { ...product, isRecurring: true, ...terms }, amount: 1 };
		const { data } = await open(link({ pricing: { lineItems: [item] } }));
		expect(text(data)).toContain(words);
	});

	test('shows tip and discount only where the link allows them', async () => {
		const { data: without } = await open(link());
		expect(input(without, 'tip') + input(without, 'discountCode')).toBe('');
		const { data: tip } = await open(link({ allowTip: true }));
		expect([input(tip, 'tip') !== '', input(tip, 'discountCode')]).toEqual([true, '']);
		const { data: code } = await open(link({ allowExtraDiscount: true }));
		expect([input(code, 'tip'), input(code, 'discountCode') !== '']).toEqual(['', true]);
	});

	test('offers cards and bank accounts unless they are disabled', async () => {
		const offered = async (form: Partial<PaylinkForm>) => {
			const { data } = await open(link(form));
			return ['card', 'ach'].filter((method) => data.includes(`value="${method}"`));
		};
		expect(await offered({})).toEqual(['card', 'ach']);
		expect(await offered({ disableCC: true })).toEqual(['ach']);
		expect(await offered({ disableACH: true })).toEqual(['card']);
	});

	test('prefills the address, and locks it when it cannot be changed', async () => {
		const prefilledAddress = { email: 'ada@example.com', city: 'Springfield' };
		const { data } = await open(link({ prefilledAddress }));
		expect(input(data, 'email')).toContain('value="ada@example.com"');
		expect(input(data, 'email')).not.toContain('readonly');
		const { data: locked } = await open(link({ prefilledAddress, disableCustomAddress: true }));
		expect(input(locked, 'city')).toContain('value="Springfield"');
		expect(input(locked, 'city')).toContain('readonly');
	});

	test('escapes all that came from outside', async () => {
		const evil = '"><script>alert(1)</script>';
		const { data } = await open(
			link({
				referenceID: evil,
				pricing: { lineItems: [{ product: { ...product, name: evil }, amount: 1 }] },
				prefilledAddress: { nameOnCard: evil },
			}),
		);
		expect(data).not.toContain('<script>alert');
		expect(data.match(/&quot;&gt;&lt;script&gt;/g)).toHaveLength(3);
	});

	test('runs no script but its own', async () => {
		const { headers } = await open(link());
		expect(headers['content-security-policy']).toMatch(/default-src 'none'.*'sha256-/);
	});

	test('an unknown link says so', async () => {
		const { status, data } = await open({ url: `${sandbox.url}/pay/pl_none` });
		expect(status).toBe(404);
		expect(text(data)).toContain('Not found');
	});

	test('does not count as an API request', async () => {
		await open(link());
		expect(sandbox.requests).toEqual([]);
	});
});

describe('paying', () => {
	test('charges, records the event with the payer, and shows the receipt', async () => {
		const paylink = link();
		const answer = await submit(paylink, {
			method: 'card',
			cardNumber: '5555 5555 5555 4444',
			expiryDate: '04/31',
			cvc: '123',
			nameOnCard: 'Ada Byron',
			email: 'ada@example.com',
			city: 'Springfield',
			country: 'US',
		});
		expect(answer.status).toBe(303);
		expect(answer.headers.location).toBe(`/pay/${paylink.payLinkID}`);
		expect(sandbox.charges).toMatchObject([
			{ amount: 2500, referenceID: 'INV-1', paymentData: paylink.paymentData, via: 'page' },
		]);
		expect(sandbox.events).toMatchObject([{ type: 'payment_success' }]);
		expect(lastTransaction()).toMatchObject({
			id: sandbox.charges[0]?.transactionID,
			status: 'CAPTURED',
			brand: 'MASTERCARD',
			masked_number_last4: 'XXXXXXXXXXXX4444',
			customer_name: 'Ada Byron',
			customer_email: 'ada@example.com',
			customer_address: 'Springfield',
			referenceID: 'INV-1',
		});
		const { status, data } = await open(paylink);
		expect(status).toBe(200);
		expect(text(data)).toContain('Your payment has been received');
		expect(text(data)).toContain(sandbox.charges[0]?.transactionID);
		expect(data).not.toContain('name="cardNumber"');
	});

	test('with a bank account', async () => {
		await submit(link(), {
			method: 'ach',
			accountNumber: '000987654321',
			routingNumber: '110000000',
		});
		expect(lastTransaction()).toMatchObject({ brand: 'ACH', exp_month: '' });
	});

	test('adds a fixed tip', async () => {
		await submit(link({ allowTip: true }), { tip: '4.50', tipType: 'fixed' });
		expect(sandbox.charges[0]?.amount).toBe(2950);
		const { lineItems } = JSON.parse(sandbox.events[0]?.payload ?? '');
		expect(lineItems).toMatchObject({ tip: 450, total: 2950, subTotal: 2500 });
	});

	test('adds a tip in per cent, and takes a discount code off', async () => {
		await submit(link({ allowTip: true, allowExtraDiscount: true }), {
			tip: '20',
			tipType: 'percentage',
			discountCode: 'save10',
		});
		expect(sandbox.charges[0]?.amount).toBe(2500 + 500 - 250);
	});

	test('shows the new total before it is paid', async () => {
		const paylink = link({ allowTip: true, allowExtraDiscount: true });
		const answer = await submit(paylink, { action: 'update', tip: '1', discountCode: 'FIVER' });
		expect(answer.status).toBe(200);
		expect(text(answer.data)).toContain('Pay $21.00');
		expect(input(answer.data, 'tip')).toContain('value="1"');
		expect(sandbox.charges).toEqual([]);
	});

	test('never charges another total than the button said', async () => {
		const paylink = link({ allowTip: true });
		const answer = await submit(paylink, { shown: '2500', tip: '5' });
		expect(answer.status).toBe(409);
		expect(text(answer.data)).toContain('The total is now $30.00');
		expect(input(answer.data, 'shown')).toContain('value="3000"');
		expect(sandbox.charges).toEqual([]);
		expect((await submit(paylink, { shown: '3000', tip: '5' })).status).toBe(303);
	});

	test.each([
		[{}, { tip: '5' }, 'takes no tip'],
		[{}, { discountCode: 'SAVE10' }, 'takes no discount codes'],
		[{ allowTip: true }, { tip: 'lots' }, 'The tip must be a number'],
		[{ allowTip: true }, { tip: '-5' }, 'The tip must be a number'],
		[{ allowExtraDiscount: true }, { discountCode: 'NOPE' }, 'Unknown discount code'],
		[{ disableCC: true }, { method: 'card' }, 'cannot be paid with a card'],
		[{ disableACH: true }, { method: 'ach' }, 'cannot be paid with a bank account'],
		[{}, { method: 'card', cardNumber: '12' }, 'must have 12 to 19 digits'],
		[{}, { method: 'card', cardNumber: '' }, 'The card number is missing'],
		[{}, { method: 'card', expiryDate: '1/2' }, 'must be written MM/YY'],
		[{}, { method: 'ach', routingNumber: '5' }, 'must have 9 digits'],
		[{}, { method: 'saved:pm_none' }, 'cannot be used here'],
	])('a link with %j refuses %j', async (form, fields, message) => {
		const { status, data } = await submit(link(form), fields);
		expect(status).toBe(400);
		expect(text(data)).toContain(message);
		expect(sandbox.charges).toEqual([]);
		expect(sandbox.events).toEqual([]);
	});

	test('twice is not possible', async () => {
		const paylink = link();
		await submit(paylink);
		const again = await submit(paylink);
		expect(text(again.data)).toContain('has been paid already');
		expect(sandbox.charges).toHaveLength(1);
	});

	test('a locked address stays what the merchant gave', async () => {
		const prefilledAddress = { nameOnCard: 'Ada Byron', city: 'Springfield' };
		const paylink = link({ prefilledAddress, disableCustomAddress: true });
		await submit(paylink, { nameOnCard: 'Eve', city: 'Elsewhere' });
		expect(lastTransaction()).toMatchObject({
			customer_name: 'Ada Byron',
			customer_address: 'Springfield',
		});
	});

	test('leads to onSuccessURL, and the receipt leads there too', async () => {
		const paylink = link({ onSuccessURL: 'https://shop.example/thanks?a=1' });
		const answer = await submit(paylink);
		expect([answer.status, answer.headers.location]).toEqual([
			303,
			'https://shop.example/thanks?a=1',
		]);
		expect((await open(paylink)).data).toContain('href="https://shop.example/thanks?a=1"');
	});

	test('never leads to an address that is no web address', async () => {
		const paylink = link({ onSuccessURL: 'javascript:alert(1)' });
		const answer = await submit(paylink);
		expect(answer.headers.location).toBe(`/pay/${paylink.payLinkID}`);
		expect((await open(paylink)).data).not.toContain('javascript:');
	});
});

describe('with a saved customer', () => {
	const visa = { card: { cardToken: 'tok_visa_1111', expiryDate: '01/30' } };
	const amex = { card: { cardToken: 'tok_amex_0005', expiryDate: '01/30' } };

	function customer() {
		const { id, paymentCards } = sandbox.addCustomer({ email: 'ada@example.com', ...visa });
		const other = sandbox.addPaymentMethod(id, amex).cardID;
		return { customerID: id, first: paymentCards[0]?.cardID ?? '', other };
	}

	test('knows the address, offers the saved methods and preselects the one of the link', async () => {
		const { customerID, first, other } = customer();
		const { data } = await open(link({ customerID, customerPaymentID: other }));
		expect(input(data, 'email')).toContain('value="ada@example.com"');
		expect(data).toContain(`value="saved:${first}"`);
		expect(data).toMatch(new RegExp(`value="saved:${other}"\\s+checked`));
		expect(data).toContain('value="card"');
	});

	test('pays with the preselected method when nothing else is chosen', async () => {
		const { customerID, other } = customer();
		await submit(link({ customerID, customerPaymentID: other }));
		expect(lastTransaction()).toMatchObject({
			brand: 'AMEX',
			customer_id: customerID,
			customer_email: 'ada@example.com',
		});
	});

	test('preselects nothing when the link says so', async () => {
		const { customerID, other } = customer();
		const paylink = link({ customerID, customerPaymentID: other, disablePreselectCard: true });
		expect((await open(paylink)).data).not.toMatch(/value="[^"]*"\s+checked/);
		const { status, data } = await submit(paylink);
		expect([status, text(data)]).toEqual([400, expect.stringContaining('Choose how to pay')]);
	});

	test('takes only the saved method with disableCustomPayment', async () => {
		const { customerID, first, other } = customer();
		const paylink = link({ customerID, customerPaymentID: other, disableCustomPayment: true });
		const { data } = await open(paylink);
		expect(data).toContain(`value="saved:${other}"`);
		expect(data).not.toContain(`value="saved:${first}"`);
		expect(data).not.toContain('value="card"');
		expect((await submit(paylink, { method: 'card' })).status).toBe(400);
		expect((await submit(paylink, { method: `saved:${first}` })).status).toBe(400);
		expect((await submit(paylink, { method: `saved:${other}` })).status).toBe(303);
		expect(sandbox.charges).toHaveLength(1);
	});

	test('says so when nothing is left to pay with', async () => {
		const { customerID, first } = customer();
		const paylink = link({ customerID, customerPaymentID: first, disableCustomPayment: true });
		sandbox.removeCustomer(customerID);
		expect(text((await open(paylink)).data)).toContain('no payment method that can be used');
		expect((await submit(paylink)).status).toBe(400);
	});
});

describe('declining', () => {
	test.each([
		['the button', { action: 'decline' }],
		['the declined card', { method: 'card', cardNumber: '4000 0000 0000 0002' }],
	])(
		'by %s records payment_failed, charges nothing and can be tried again',
		async (_by, fields) => {
			const paylink = link();
			const { status, data } = await submit(paylink, fields);
			expect(status).toBe(402);
			expect(text(data)).toContain('Card declined');
			expect(sandbox.charges).toEqual([]);
			expect(sandbox.events).toMatchObject([{ type: 'payment_failed' }]);
			expect(lastTransaction()).toMatchObject({ status: 'DECLINED', referenceID: 'INV-1' });
			expect((await submit(paylink)).status).toBe(303);
		},
	);

	test.each([
		['02/26', 402, 'Card expired'],
		['03/26', 303, ''],
	])('a card that expires %s answers %i in March 2026', async (expiryDate, status, message) => {
		const answer = await submit(link(), { method: 'card', expiryDate });
		expect(answer.status).toBe(status);
		expect(text(answer.data)).toContain(message);
		expect(sandbox.charges).toHaveLength(status === 303 ? 1 : 0);
		expect(sandbox.events).toMatchObject([
			{ type: status === 303 ? 'payment_success' : 'payment_failed' },
		]);
	});

	test('a saved card that expired in the meantime charges nothing', async () => {
		const card = { cardToken: 'tok_visa_1111', expiryDate: '03/26' };
		const customerID = sandbox.addCustomer({ card }).id;
		const paylink = link({ customerID });
		sandbox.clock.set('2026-04-01T00:00:00Z');
		expect((await submit(paylink)).status).toBe(402);
		expect(sandbox.charges).toEqual([]);
		expect(lastTransaction()).toMatchObject({ status: 'DECLINED' });
	});

	test('leads to onFailureURL', async () => {
		const answer = await submit(link({ onFailureURL: 'https://shop.example/no' }), {
			action: 'decline',
		});
		expect([answer.status, answer.headers.location]).toEqual([303, 'https://shop.example/no']);
	});
});

describe('refunding', () => {
	test('in full records payment_refund, and nothing is left to refund', async () => {
		const paylink = link();
		await submit(paylink);
		const answer = await submit(paylink, {}, '/refund');
		expect([answer.status, answer.headers.location]).toEqual([303, `/pay/${paylink.payLinkID}`]);
		expect(sandbox.events.map(({ type }) => type)).toEqual(['payment_success', 'payment_refund']);
		expect(lastTransaction()).toMatchObject({
			status: 'REVERSED',
			amount: 2500,
			parentTransactionId: sandbox.charges[0]?.transactionID,
		});
		const page = (await open(paylink)).data;
		expect(text(page)).toContain('Refunded −$25.00');
		expect(page).not.toContain('/refund"');
	});

	test('in part leaves the rest to refund', async () => {
		const paylink = link();
		await submit(paylink);
		await submit(paylink, { amount: '10' }, '/refund');
		const page = text((await open(paylink)).data);
		expect(page).toContain('Partly refunded');
		expect(page).toContain('all that is left, $15.00');
		expect(sandbox.paylinks[0]?.status).toBe('partiallyRefunded');
	});

	test.each(['25.01', '0', 'much'])('refuses the amount %s', async (amount) => {
		const paylink = link();
		await submit(paylink);
		const { status } = await submit(paylink, { amount }, '/refund');
		expect(status).toBe(400);
		expect(sandbox.events).toHaveLength(1);
	});

	test('is not possible before it is paid', async () => {
		const { status } = await submit(link(), {}, '/refund');
		expect(status).toBe(404);
	});
});

describe('an expired link', () => {
	test('says so and cannot be paid, by the clock of the sandbox', async () => {
		const paylink = link({ validUntil: '2026-03-01T13:00:00+00:00' });
		expect((await open(paylink)).status).toBe(200);
		sandbox.clock.advance(3_600_000);
		const { status, data } = await open(paylink);
		expect(status).toBe(410);
		expect(text(data)).toContain('This link has expired');
		expect(text(data)).toContain('1 Mar 2026, 13:00 UTC');
		expect((await submit(paylink)).status).toBe(410);
		expect(() => sandbox.pay(paylink.payLinkID)).toThrow('expired');
		expect(sandbox.charges).toEqual([]);
	});

	test('that was paid in time still shows the receipt', async () => {
		const paylink = link({ validUntil: '2026-03-01T13:00:00Z' });
		await submit(paylink);
		sandbox.clock.advance(7_200_000);
		expect((await open(paylink)).status).toBe(200);
	});
});

describe('paying without a browser', () => {
	test('does what the page does', () => {
		const paylink = link({ allowTip: true, allowExtraDiscount: true });
		const failed = sandbox.pay(paylink.payLinkID, { outcome: 'declined' });
		expect(failed.type).toBe('payment_failed');
		const event = sandbox.pay(paylink.payLinkID, {
			tip: { percentage: 20 },
			discountCode: 'FIVER',
			ach: { accountNumber: '000111222333', routingNumber: '110000000' },
			address: { nameOnCard: 'Ada' },
		});
		expect(event.type).toBe('payment_success');
		expect(sandbox.charges).toMatchObject([{ amount: 2500 + 500 - 500, via: 'page' }]);
		expect(lastTransaction()).toMatchObject({ brand: 'ACH', customer_name: 'Ada' });
		expect(() => sandbox.pay(paylink.payLinkID)).toThrow('paid already');
	});
});

test('the front page lists the links', async () => {
	const paylink = link();
	const { data } = await axios.get<string>(sandbox.url);
	expect(data).toContain(`/pay/${paylink.payLinkID}`);
	expect(text(data)).toContain('INV-1 Open $25.00');
});

test('an expired link is called so on the front page', async () => {
	link({ validUntil: '2026-02-28' });
	const { data } = await axios.get<string>(sandbox.url);
	expect(text(data)).toContain('INV-1 Expired $25.00');
});
