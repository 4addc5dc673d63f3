import type { PaylinkForm } from '../../nodes/PaymentsGateway/wire';
import type { StoredPaylink } from '.';
import { useService } from './useService';

/**
 * Uses the payment page of the sandbox as a browser does: opens it, pays, is declined, comes back.
 */

const { sandbox, send } = useService({ clock: '2026-03-01T12:00:00Z' });

const link = (form: Partial<PaylinkForm> = {}): StoredPaylink =>
	sandbox.addPaylink({ pricing: { amount: 2500 }, referenceID: 'INV-1', ...form });

/** A page as a browser gets it, with its text beside its markup. */
async function visit(path: string, sent: Parameters<typeof send>[1]) {
	const { status, headers, text: html } = await send(path, sent);
	const bare = html.replace(/<(style|script)>[^]*?<\/\1>/g, '').replace(/<[^>]*>/g, ' ');
	return {
		status,
		html,
		text: bare.replace(/\s+/g, ' '),
		location: headers.get('location'),
		/** The input of that name, as it was written. */
		input: (name: string) => new RegExp(`<input[^>]*name="${name}"[^>]*>`).exec(html)?.[0] ?? '',
	};
}

const open = async ({ payLinkID }: StoredPaylink) =>
	await visit(`/pay/${payLinkID}`, { method: 'GET' });
const submit = async (
	{ payLinkID }: StoredPaylink,
	fields: Record<string, string> = {},
	path = '',
) => await visit(`/pay/${payLinkID}${path}`, { body: new URLSearchParams(fields).toString() });

function lastTransaction() {
	const { transaction, refund } = JSON.parse(sandbox.events.at(-1)?.payload ?? '{}');
	return transaction ?? refund;
}

const product = { sku: 'CLUB', name: 'Coffee & Club', description: 'A roast', price: 1000 };
const priced = (terms: object, amount = 1): Partial<PaylinkForm> => ({
	pricing: { lineItems: [{ product: { ...product, ...terms }, amount }] },
});
const monthly = { isRecurring: true, recurringMode: 'MONTHLY' };
const address = { email: 'ada@example.com', city: 'Springfield' };

describe('the open page', () => {
	test.each<[Partial<PaylinkForm>, RegExp]>([
		[{}, /^ ?Pay \$25\.00 Sandbox: no money moves .* INV-1 \$25\.00 Payment \$25\.00 Total/],
		[{}, /Pay \$25\.00 Decline \(simulate\) $/],
		[priced({}, 3), /Coffee &amp; Club × 3 A roast \$30\.00/],
		[{ allowTip: true, ...priced({}) }, /Subtotal \$10\.00 Tip \$0\.00 Total \$10\.00/],
		[
			{
				pricing: {
					...{ amount: 3000, tax: 10, taxType: 'percentage', shipping: 450, tip: 100 },
					discountCodes: ['FIVER'],
				},
			},
			/Subtotal \$30\.00 Discount −\$5\.00 Tax \$3\.00 Shipping \$4\.50 Tip \$1\.00 Total \$33\.50/,
		],
		[priced({ ...monthly, recurringSetupFee: 500 }), /Fees \$5\.00 Total \$15\.00/],
		[
			priced({ ...monthly, recurringTrialDays: 7, recurringTotalCycles: 12 }),
			/\$10\.00 monthly, 7 days free, 12 payments /,
		],
		[priced({ ...monthly, recurringMode: 'YEARLY' }), /\$10\.00 yearly, until cancelled /],
		[
			priced({ ...monthly, recurringInterval: 3, recurringSetupFee: 500 }),
			/\$10\.00 every 3 months, until cancelled, \$5\.00 set-up fee \(not refundable\)/,
		],
		[
			priced({ ...monthly, recurringFrequency: 2, recurringTotalCycles: 1 }),
			/\$10\.00 2 times a month, 1 payment /,
		],
		[priced({ isRecurring: true }), /\$10\.00 daily, until cancelled /],
	])('of %j says what is paid', async (form, words) => {
		const { status, text } = await open(link(form));
		expect([status, text]).toEqual([200, expect.stringMatching(words)]);
	});

	const always = ['shown', ...['nameOnCard', 'email', 'phone', 'country', 'address']].concat(
		...['city', 'state', 'zip', 'method'],
	);
	const ofCard = ['cardNumber', 'expiryDate', 'cvc'];
	const ofAccount = ['routingNumber', 'accountNumber'];
	test.each<[Partial<PaylinkForm>, string[]]>([
		[{}, [...always, ...ofCard, ...ofAccount]],
		[{ disableCC: true }, [...always, ...ofAccount]],
		[{ disableACH: true, allowTip: true }, [...always, ...ofCard, 'tip']],
		[{ allowExtraDiscount: true }, [...always, ...ofCard, ...ofAccount, 'discountCode']],
	])('of %j has fields for what it takes, each with a label', async (form, names) => {
		const { html } = await open(link(form));
		const found = [...html.matchAll(/<input[^>]* name="(\w+)"/g)].map(([, name]) => name);
		expect(new Set(found)).toEqual(new Set(names));
		for (const name of names.filter((each) => !['shown', 'method'].includes(each))) {
			expect(html).toContain(`<label for="${name}">`);
		}
	});

	test('prefills the address, and locks it when it cannot be changed', async () => {
		const free = (await open(link({ prefilledAddress: address }))).input('email');
		expect(free).toContain('value="ada@example.com"');
		expect(free).not.toContain('readonly');
		const locked = link({ prefilledAddress: address, disableCustomAddress: true });
		expect((await open(locked)).input('email')).toContain('readonly');
		await submit(locked, { email: 'eve@example.com', city: 'Elsewhere', phone: '1' });
		expect(lastTransaction()).toMatchObject({
			...{ customer_email: 'ada@example.com', customer_address: 'Springfield' },
			customer_phone: '',
		});
	});

	test('escapes what merchants and payers wrote', async () => {
		const script = '"><script>alert(1)</script>';
		const paylink = link({ ...priced({ name: script }), referenceID: script });
		const { html } = await submit(paylink, { cardNumber: script, email: script, method: 'card' });
		expect(html).not.toContain('<script>alert');
		expect(html.match(/&lt;script&gt;alert/g)).toHaveLength(4);
	});

	test.each([
		['GET', '/pay/none', 404],
		['GET', '/pay', 404],
		['DELETE', '/pay/none', 405],
	])('%s %s answers %i', async (method, path, status) => {
		expect((await visit(path, { method })).status).toBe(status);
	});

	test('stands on the front page', async () => {
		const { payLinkID } = link();
		link({ validUntil: '2026-02-28' });
		const { html, text } = await visit('/', { method: 'GET' });
		expect(html).toContain(`/pay/${payLinkID}`);
		expect(text).toMatch(/INV-1 open \$25\.00 INV-1 expired \$25\.00/);
	});
});

describe('paying', () => {
	test('charges, records the event with the payer, and shows the receipt', async () => {
		const paylink = link();
		const { status, location } = await submit(paylink, {
			...{ method: 'card', cardNumber: '5555 5555 5555 4444', expiryDate: '04/31', cvc: '1' },
			...{ nameOnCard: 'Ada Byron', ...address, country: 'US' },
		});
		expect([status, location]).toEqual([303, `/pay/${paylink.payLinkID}`]);
		const { paymentData } = paylink;
		const charge = { amount: 2500, referenceID: 'INV-1', paymentData, via: 'page' };
		expect(sandbox.charges).toMatchObject([charge]);
		expect(sandbox.events).toMatchObject([{ type: 'payment_success' }]);
		const [{ transactionID = '' } = {}] = sandbox.charges;
		expect(lastTransaction()).toMatchObject({
			...{ id: transactionID, status: 'CAPTURED', brand: 'MASTERCARD', exp_year: '31' },
			...{ masked_number_last4: 'XXXXXXXXXXXX4444', customer_name: 'Ada Byron' },
			...{ customer_email: 'ada@example.com', customer_address: 'Springfield' },
			...{ customer_country: 'US', referenceID: 'INV-1' },
		});
		const receipt = await open(paylink);
		expect(receipt.text).toContain('paid $25.00 Thank you. Your payment has been received');
		expect(receipt.text).toContain(
			`MASTERCARD ending in 4444 Date 1 Mar 2026, 12:00 UTC Reference INV-1 Transaction ${transactionID}`,
		);
		const again = await submit(paylink);
		expect([again.status, again.text]).toEqual([
			400,
			expect.stringContaining('has been paid already'),
		]);
		expect(sandbox.charges).toHaveLength(1);
	});

	test.each([
		[{ method: 'ach', accountNumber: '000987654321' }, 2500, { brand: 'ACH', exp_month: '' }],
		[{ tip: '4.50', tipType: 'fixed' }, 2950, { brand: 'VISA', exp_month: '12' }],
		[{ tip: '20', tipType: 'percentage', discountCode: 'save10' }, 2500 + 500 - 250, {}],
		[{ shown: '3000', tip: '5' }, 3000, {}],
	])('with %j charges %i', async (fields, amount, transaction) => {
		await submit(link({ allowTip: true, allowExtraDiscount: true }), fields);
		expect(sandbox.charges).toMatchObject([{ amount }]);
		expect(lastTransaction()).toMatchObject({ amount, ...transaction });
	});

	test.each([
		[{ action: 'update', tip: '1', discountCode: 'FIVER' }, 200, 'Pay $21.00', '2100'],
		[{ shown: '2500', tip: '5' }, 409, 'The total is now $30.00', '3000'],
	])('with %j shows the new total and charges nothing', async (fields, status, words, shown) => {
		const page = await submit(link({ allowTip: true, allowExtraDiscount: true }), fields);
		expect([page.status, page.text]).toEqual([status, expect.stringContaining(words)]);
		expect(page.input('shown')).toContain(`value="${shown}"`);
		expect(page.input('tip')).toContain(`value="${fields.tip}"`);
		expect(sandbox.charges).toEqual([]);
	});

	const tip = 'The tip must be a number such as 2.50';
	test.each([
		[{}, { tip: '5' }, 'takes no tip', ''],
		[{}, { discountCode: 'SAVE10' }, 'takes no discount codes', ''],
		[{ allowTip: true }, { tip: 'lots' }, tip, 'tip'],
		[{ allowTip: true }, { tip: '-5' }, tip, 'tip'],
		[{ allowTip: true }, { action: 'update', tip: '1.234' }, tip, 'tip'],
		[
			{ allowExtraDiscount: true },
			{ discountCode: 'NOPE' },
			'Unknown discount code "NOPE"',
			'discountCode',
		],
		[{ disableCC: true }, { method: 'card' }, 'cannot be paid in this way', ''],
		[{ disableACH: true }, { method: 'ach' }, 'cannot be paid in this way', ''],
		[{}, { method: 'saved:pm_none' }, 'cannot be paid in this way', ''],
		[{}, { method: 'card', cardNumber: '12' }, 'must have 12 to 19 digits', 'cardNumber'],
		[{}, { method: 'card', cardNumber: '' }, 'must have 12 to 19 digits', 'cardNumber'],
		[{}, { method: 'card', expiryDate: '1/2' }, 'must be written MM/YY', 'expiryDate'],
		[{}, { method: 'ach', routingNumber: '5' }, 'must have 9 digits', 'routingNumber'],
		[{}, { method: 'ach', accountNumber: 'x' }, 'must have 4 to 17 digits', 'accountNumber'],
	])('a link with %j refuses %j', async (form, fields, words, field) => {
		const { status, html, text, input } = await submit(link(form), fields);
		expect([status, text]).toEqual([400, expect.stringContaining(words.replaceAll('"', '&quot;'))]);
		expect([sandbox.charges, sandbox.events]).toEqual([[], []]);
		if (field === '') return;
		const marks = /aria-invalid="true" aria-describedby="(\w+)-problem" autofocus/;
		expect(marks.exec(input(field))?.[1]).toBe(field);
		expect(html).toContain(`id="${field}-problem" role="alert"`);
	});

	test('leads to the addresses of the shop, but to no script', async () => {
		const [ok, no] = ['https://shop.example/thanks?a=1', 'https://shop.example/no'];
		const paylink = link({ onSuccessURL: ok, onFailureURL: no });
		expect((await submit(paylink, { action: 'decline' })).location).toBe(no);
		expect((await submit(paylink)).location).toBe(ok);
		expect((await open(paylink)).html).toContain(`href="${ok}"`);
		const bad = link({ onSuccessURL: 'javascript:alert(1)' });
		expect((await submit(bad)).location).toBe(`/pay/${bad.payLinkID}`);
		expect((await open(bad)).html).not.toContain('javascript:');
	});
});

describe('with a saved customer', () => {
	const expiryDate = '03/26';
	let customerID: string;
	let first: string;
	let other: string;
	beforeEach(() => {
		const card = { cardToken: 'tok_visa_1111', expiryDate };
		const { id, paymentCards } = sandbox.addCustomer({ email: 'ada@example.com', card });
		const amex = { card: { cardToken: 'tok_amex_0005', expiryDate } };
		[customerID, first] = [id, paymentCards[0]?.cardID ?? ''];
		other = sandbox.addPaymentMethod(id, amex).cardID;
	});
	const checked = (html: string) =>
		/value="([^"]*)"\s+checked/.exec(html)?.[1]?.replace('saved:', '');

	test('knows the address, offers the saved methods and pays with the one of the link', async () => {
		expect(checked((await open(link({ customerID }))).html)).toBe(first);
		const paylink = link({ customerID, customerPaymentID: other });
		const { html, text, input } = await open(paylink);
		expect(input('email')).toContain('value="ada@example.com"');
		expect(text).toMatch(
			/VISA ending in 1111 expires 03\/26 AMEX ending in 0005 .* Card test card/,
		);
		expect(checked(html)).toBe(other);
		await submit(paylink);
		expect(lastTransaction()).toMatchObject({
			...{ brand: 'AMEX', customer_id: customerID, customer_email: 'ada@example.com' },
		});
	});

	test('preselects nothing when the link says so', async () => {
		const paylink = link({ customerID, customerPaymentID: other, disablePreselectCard: true });
		expect(checked((await open(paylink)).html)).toBeUndefined();
		const { status, text } = await submit(paylink);
		expect([status, text]).toEqual([400, expect.stringContaining('Choose how to pay')]);
	});

	test('takes only the saved method with disableCustomPayment', async () => {
		const paylink = link({ customerID, customerPaymentID: other, disableCustomPayment: true });
		const { html } = await open(paylink);
		expect([...html.matchAll(/name="method" value="([^"]*)"/g)].map(([, value]) => value)).toEqual([
			`saved:${other}`,
		]);
		expect((await submit(paylink, { method: 'card' })).status).toBe(400);
		expect((await submit(paylink, { method: `saved:${first}` })).status).toBe(400);
		expect((await submit(paylink, { method: `saved:${other}` })).status).toBe(303);
		expect(sandbox.charges).toHaveLength(1);
	});

	test('charges nothing once the card has expired', async () => {
		sandbox.clock.set('2026-04-01T00:00:00Z');
		expect((await submit(link({ customerID }))).status).toBe(402);
		expect(lastTransaction()).toMatchObject({ status: 'DECLINED', message: 'Card expired' });
		expect(sandbox.charges).toEqual([]);
	});

	test('says so when nothing is left to pay with', async () => {
		const paylink = link({ customerID, customerPaymentID: first, disableCustomPayment: true });
		sandbox.removeCustomer(customerID);
		expect((await open(paylink)).text).toContain('no payment method that can be used');
		expect((await submit(paylink)).status).toBe(400);
	});
});

test.each([
	[{ action: 'decline' }, 'Card declined'],
	[{ method: 'card', cardNumber: '4000 0000 0000 0002' }, 'Card declined'],
	[{ method: 'ach', accountNumber: '000000000000' }, 'Bank account declined'],
	[{ method: 'card', expiryDate: '02/26' }, 'Card expired'],
])('%j is declined, charges nothing and can be tried again', async (fields, message) => {
	const paylink = link();
	const { status, text } = await submit(paylink, fields);
	const words = `${message}. Nothing has been charged; you can try again.`;
	expect([status, text]).toEqual([402, expect.stringContaining(words)]);
	expect([sandbox.charges, sandbox.events]).toMatchObject([[], [{ type: 'payment_failed' }]]);
	expect(lastTransaction()).toMatchObject({ status: 'DECLINED', message, referenceID: 'INV-1' });
	expect((await submit(paylink, { method: 'card', expiryDate: '03/26' })).status).toBe(303);
});

test('a payment is refunded in parts, and no more than was paid', async () => {
	const paylink = link();
	expect((await submit(paylink, {}, '/refund')).status).toBe(404);
	await submit(paylink);
	for (const amount of ['25.01', '0', 'much']) {
		const { status, html } = await submit(paylink, { amount }, '/refund');
		expect([status, html]).toEqual([400, expect.stringContaining('id="amount-problem"')]);
	}
	expect(sandbox.events).toHaveLength(1);
	const { status, location } = await submit(paylink, { amount: '10' }, '/refund');
	expect([status, location]).toEqual([303, `/pay/${paylink.payLinkID}`]);
	const { text } = await open(paylink);
	expect(text).toContain('partly refunded');
	expect(text).toContain('Refunded −$10.00');
	expect(text).toContain('all that is left, $15.00');
	await submit(paylink, {}, '/refund');
	const parentTransactionId = sandbox.charges[0]?.transactionID;
	expect(lastTransaction()).toMatchObject({
		...{ status: 'REVERSED', amount: 1500, parentTransactionId },
	});
	const { html } = await open(paylink);
	expect(html).not.toContain('/refund"');
	expect(sandbox.paylinks).toMatchObject([{ status: 'refunded' }]);
});

test('an expired link cannot be paid, but shows the receipt of what was paid in time', async () => {
	const validUntil = '2026-03-01T13:00:00+00:00';
	const [paid, late] = [link({ validUntil }), link({ validUntil })];
	await submit(paid);
	expect((await open(late)).status).toBe(200);
	sandbox.clock.advance(3_600_000);
	const { status, text } = await open(late);
	expect([status, text]).toEqual([410, expect.stringContaining('This link has expired')]);
	expect(text).toContain('1 Mar 2026, 13:00 UTC');
	expect((await submit(late)).status).toBe(410);
	expect(() => sandbox.pay(late.payLinkID)).toThrow('expired');
	expect((await open(paid)).status).toBe(200);
	expect(sandbox.charges).toHaveLength(1);
});

test('a test presses the buttons without a browser', () => {
	const { payLinkID } = link();
	expect(sandbox.pay(payLinkID, { outcome: 'declined' }).type).toBe('payment_failed');
	expect(sandbox.pay(payLinkID).type).toBe('payment_success');
	expect(sandbox.charges).toMatchObject([{ amount: 2500, via: 'page' }]);
	expect(() => sandbox.pay(payLinkID)).toThrow('paid already');
});
