import type { PaylinkForm } from '../../nodes/PaymentsGateway/wire';
import type { StoredPaylink } from '.';
import { useService } from './useService';

/** Uses the payment page as a browser does: opens it, pays, is declined, comes back, refunds. */

const { sandbox, send } = useService({ clock: '2026-03-01T12:00:00Z' });

type Form = Partial<PaylinkForm>;
const link = (form: Form = {}): StoredPaylink =>
	sandbox.addPaylink({ pricing: { amount: 2500 }, referenceID: 'INV-1', ...form });

/** A page as a browser gets it, with its text beside its markup. */
async function visit(path: string, sent: Parameters<typeof send>[1]) {
	const { status, headers, text: html } = await send(path, sent);
	const text = html.replace(/<style>[^]*?<\/style>|<[^>]*>/g, ' ').replace(/\s+/g, ' ');
	/** The input of that name, as it was written. */
	const input = (name: string) => new RegExp(`<input[^>]*name="${name}"[^>]*>`).exec(html)?.[0];
	return { status, html, text, location: headers.get('location'), input };
}

const open = async ({ payLinkID }: StoredPaylink) =>
	await visit(`/pay/${payLinkID}`, { method: 'GET' });
const submit = async ({ payLinkID }: StoredPaylink, fields = {}, path = '') =>
	await visit(`/pay/${payLinkID}${path}`, { body: new URLSearchParams(fields).toString() });

function lastTransaction() {
	const { transaction, refund } = JSON.parse(sandbox.events.at(-1)?.payload ?? '{}');
	return transaction ?? refund;
}

const product = { sku: 'CLUB', name: 'Coffee & Club', description: 'A roast', price: 1000 };
const priced = (terms: object, amount = 1): Form => ({
	pricing: { lineItems: [{ product: { ...product, ...terms }, amount }] },
});
const address = { email: 'ada@example.com', city: 'Springfield' };
const adjustable = { allowTip: true, allowExtraDiscount: true };

describe('the open page', () => {
	const monthly = { isRecurring: true, recurringMode: 'MONTHLY', recurringSetupFee: 500 };
	const parts = { tax: 10, taxType: 'percentage', shipping: 450, tip: 100 } as const;
	test.each<[Form, RegExp]>([
		[{}, /INV-1 \$25\.00 Payment \$25\.00 Total .* Pay \$25\.00 Decline \(simulate\) $/],
		[priced({}, 3), /Coffee &amp; Club × 3 A roast \$30\.00/],
		[
			{ pricing: { amount: 3000, ...parts, discountCodes: ['FIVER'] } },
			/\$30\.00 Discount -\$5\.00 Tax \$3\.00 Shipping \$4\.50 Tip \$1\.00 Total \$33\.50/,
		],
		[
			priced({ ...monthly, recurringTrialDays: 7, recurringTotalCycles: 12 }),
			/\$10\.00 monthly, 7 days free, 12 payments .* Fees \$5\.00 Total \$15\.00/,
		],
	])('of %j says what is paid', async (form, words) => {
		const { status, text } = await open(link(form));
		expect([status, text]).toEqual([200, expect.stringMatching(words)]);
	});

	test.each<[Form, string[]]>([
		[{}, ['cardNumber', 'accountNumber']],
		[{ disableCC: true, allowTip: true }, ['accountNumber', 'tip']],
		[{ disableACH: true, allowExtraDiscount: true }, ['cardNumber', 'discountCode']],
	])('of %j has the fields %j', async (form, expected) => {
		const { input } = await open(link(form));
		const names = ['cardNumber', 'accountNumber', 'tip', 'discountCode'];
		expect(names.filter((name) => input(name) !== undefined)).toEqual(expected);
	});

	test('prefills the address, and locks it when it cannot be changed', async () => {
		const free = (await open(link({ prefilledAddress: address }))).input('email');
		expect(free).toContain('value="ada@example.com"');
		expect(free).not.toContain('readonly');
		const locked = link({ prefilledAddress: address, disableCustomAddress: true });
		expect((await open(locked)).input('email')).toContain('readonly');
		await submit(locked, { email: 'eve@example.com', billingCity: 'Elsewhere', phone: '1' });
		const payer = { customer_email: 'ada@example.com', customer_address: 'Springfield' };
		expect(lastTransaction()).toMatchObject({ ...payer, customer_phone: '' });
	});

	test('escapes what merchants and payers wrote', async () => {
		const script = '"><script>alert(1)</script>';
		const paylink = link({ ...priced({ name: script }), referenceID: script });
		const { html } = await submit(paylink, { action: 'update', cardNumber: script, email: script });
		expect(html).not.toContain('<script>alert');
		expect(html.match(/&lt;script&gt;alert/g)).toHaveLength(4);
	});

	test('stands on the front page; there is no other', async () => {
		const { payLinkID } = link();
		link({ validUntil: '2026-02-28' });
		const { html, text } = await visit('/', { method: 'GET' });
		expect(html).toContain(`/pay/${payLinkID}`);
		expect(text).toMatch(/INV-1 open \$25\.00 INV-1 expired \$25\.00/);
		expect((await visit('/pay/none', { method: 'GET' })).status).toBe(404);
	});
});

describe('paying', () => {
	test('charges, records the event with the payer, and shows the receipt', async () => {
		const paylink = link();
		const { status, location } = await submit(paylink, {
			...{ method: 'card', cardNumber: '5555 5555 5555 4444', expiryDate: '04/31', cvc: '1' },
			...{ nameOnCard: 'Ada Byron', email: 'ada@example.com', billingCountry: 'US' },
		});
		expect([status, location]).toEqual([303, `/pay/${paylink.payLinkID}`]);
		const [{ transactionID = '' } = {}] = sandbox.charges;
		const { paymentData } = paylink;
		const charge = { transactionID, amount: 2500, referenceID: 'INV-1', paymentData, via: 'page' };
		expect(sandbox.charges).toMatchObject([charge]);
		expect(lastTransaction()).toMatchObject({
			...{ id: transactionID, status: 'CAPTURED', brand: 'MASTERCARD', exp_year: '31' },
			...{ masked_number_last4: 'XXXXXXXXXXXX4444', customer_name: 'Ada Byron' },
			...{ customer_email: 'ada@example.com', customer_country: 'US', referenceID: 'INV-1' },
		});
		const { text } = await open(paylink);
		expect(text).toContain('paid $25.00 Thank you. Your payment has been received');
		expect(text).toMatch(/MASTERCARD ending in 4444 Date Sun, 01 Mar 2026 12:00.* Reference INV-1/);
		expect(text).toContain(`Transaction ${transactionID}`);
		const again = await submit(paylink);
		expect([again.status, sandbox.charges.length]).toEqual([400, 1]);
		expect(again.text).toContain('has been paid already');
	});

	test('with a bank account, a tip and a code charges what the page has said', async () => {
		const account = { method: 'ach', accountNumber: '000987654321' };
		await submit(link(adjustable), { ...account, tip: '4.50', discountCode: 'save10' });
		const amount = 2500 + 450 - 250;
		expect(sandbox.charges).toMatchObject([{ amount }]);
		expect(lastTransaction()).toMatchObject({ amount, brand: 'ACH' });
	});

	test.each<[Form, Record<string, string>, number, string]>([
		[adjustable, { action: 'update', tip: '1', discountCode: 'FIVER' }, 200, 'Pay $21.00'],
		[adjustable, { shown: '2500', tip: '5' }, 409, 'The total is now $30.00'],
		[adjustable, { action: 'update', tip: '-5' }, 400, 'must be a number such as 2.50'],
		[{}, { discountCode: 'SAVE10' }, 400, 'takes no discount codes'],
		[{ disableCC: true }, { method: 'card' }, 400, 'cannot be paid in this way'],
	])('of a link with %j with %j charges nothing: %i', async (form, fields, status, words) => {
		const page = await submit(link(form), fields);
		expect([page.status, page.text]).toEqual([status, expect.stringContaining(words)]);
		expect([sandbox.charges, sandbox.events]).toEqual([[], []]);
		if (fields.tip) expect(page.input('tip')).toContain(`value="${fields.tip}"`);
	});

	test.each([
		[{ action: 'decline' }, 'Card declined'],
		[{ method: 'card', cardNumber: '4000 0000 0000 0002' }, 'Card declined'],
		[{ method: 'ach', accountNumber: '000000000000' }, 'Bank account declined'],
	])('with %j is declined, charges nothing and can be tried again', async (fields, message) => {
		const paylink = link();
		const { status, text } = await submit(paylink, fields);
		const words = `${message}. Nothing has been charged; you can try again.`;
		expect([status, text]).toEqual([402, expect.stringContaining(words)]);
		expect([sandbox.charges, sandbox.events]).toMatchObject([[], [{ type: 'payment_failed' }]]);
		expect(lastTransaction()).toMatchObject({ status: 'DECLINED', message, referenceID: 'INV-1' });
		expect((await submit(paylink, { method: 'card' })).status).toBe(303);
	});

	test('leads to the addresses of the shop', async () => {
		const [ok, no] = ['https://shop.example/thanks?a=1', 'https://shop.example/no'];
		const paylink = link({ onSuccessURL: ok, onFailureURL: no });
		expect((await submit(paylink, { action: 'decline' })).location).toBe(no);
		expect((await submit(paylink)).location).toBe(ok);
	});

	test('is possible until the link expires; what was paid in time keeps its receipt', async () => {
		const validUntil = '2026-03-01T13:00:00+00:00';
		const [paid, late] = [link({ validUntil }), link({ validUntil })];
		await submit(paid);
		expect((await open(late)).status).toBe(200);
		sandbox.clock.advance(3_600_000);
		const { status, text } = await open(late);
		expect([status, text]).toEqual([410, expect.stringContaining('Sun, 01 Mar 2026 13:00:00 GMT')]);
		expect((await submit(late)).status).toBe(410);
		expect((await open(paid)).status).toBe(200);
		expect(sandbox.charges).toHaveLength(1);
	});
});

test('a saved customer pays as the link says: with one method, any, or none chosen', async () => {
	const saved = (cardToken: string) => ({ card: { cardToken, expiryDate: '03/26' } });
	const { id: customerID, paymentCards } = sandbox.addCustomer(saved('tok_visa_1111'));
	const other = paymentCards[0]?.cardID;
	const customerPaymentID = sandbox.addPaymentMethod(customerID, saved('tok_amex_0005')).cardID;
	const offered = async (form: Form) => {
		const { html } = await open(link({ customerID, customerPaymentID, ...form }));
		const ways = [...html.matchAll(/name="method" value="(\w+)"\s+(checked)?/g)];
		return ways.map(([, way, isChecked]) => (isChecked ? [way] : way));
	};
	const unchosen = { customerPaymentID: '', disableACH: true };
	expect(await offered(unchosen)).toEqual([[other], customerPaymentID, 'card']);
	expect(await offered({})).toEqual([other, [customerPaymentID], 'card', 'ach']);

	await submit(link({ customerID, customerPaymentID }));
	expect(lastTransaction()).toMatchObject({ brand: 'AMEX', customer_id: customerID });

	const none = { customerPaymentID, disablePreselectCard: true };
	expect(await offered(none)).toEqual([other, customerPaymentID, 'card', 'ach']);
	const refused = await submit(link({ customerID, ...none }));
	expect(refused.text).toContain('Choose how to pay');

	expect(await offered({ disableCustomPayment: true })).toEqual([[customerPaymentID]]);
	const fixed = link({ customerID, customerPaymentID, disableCustomPayment: true });
	expect((await submit(fixed, { method: 'card' })).status).toBe(400);
	sandbox.removeCustomer(customerID);
	expect((await open(fixed)).text).toContain('no payment method that can be used');
});

test('a payment is refunded in parts, and no more than was paid', async () => {
	const paylink = link();
	expect((await submit(paylink, {}, '/refund')).status).toBe(404);
	await submit(paylink);
	for (const amount of ['25.01', '0', 'much']) {
		expect((await submit(paylink, { amount }, '/refund')).status).toBe(400);
	}
	expect(sandbox.events).toHaveLength(1);
	const { location } = await submit(paylink, { amount: '10' }, '/refund');
	expect(location).toBe(`/pay/${paylink.payLinkID}`);
	const { text } = await open(paylink);
	expect(text).toMatch(/partly refunded .*Refunded -\$10\.00 .*all that is left: \$15\.00/);
	await submit(paylink, {}, '/refund');
	const parentTransactionId = sandbox.charges[0]?.transactionID;
	const refund = { status: 'REVERSED', amount: 1500, parentTransactionId };
	expect(lastTransaction()).toMatchObject(refund);
	expect((await open(paylink)).html).not.toContain('/refund"');
	expect(sandbox.paylinks).toMatchObject([{ status: 'refunded' }]);
});
