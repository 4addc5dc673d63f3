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
const monthly = { isRecurring: true, recurringMode: 'MONTHLY' };
const address = { email: 'ada@example.com', city: 'Springfield' };
const adjustable = { allowTip: true, allowExtraDiscount: true };

describe('the open page', () => {
	const parts = { tax: 10, taxType: 'percentage', shipping: 450, tip: 100 } as const;
	test.each<[Form, RegExp]>([
		[{}, /^ ?Pay \$25\.00 Sandbox: no money moves .* INV-1 \$25\.00 Payment \$25\.00 Total/],
		[{}, /Pay \$25\.00 Decline \(simulate\) $/],
		[priced({}, 3), /Coffee &amp; Club × 3 A roast \$30\.00/],
		[
			{ pricing: { amount: 3000, ...parts, discountCodes: ['FIVER'] } },
			/\$30\.00 Discount -\$5\.00 Tax \$3\.00 Shipping \$4\.50 Tip \$1\.00 Total \$33\.50/,
		],
		[
			priced({ ...monthly, recurringTrialDays: 7, recurringTotalCycles: 12 }),
			/\$10\.00 every month, 7 days free, 12 payments /,
		],
		[
			priced({ ...monthly, recurringInterval: 3, recurringSetupFee: 500 }),
			/\$10\.00 every 3 months, until cancelled .* Fees \$5\.00 Total \$15\.00/,
		],
	])('of %j says what is paid', async (form, words) => {
		const { status, text } = await open(link(form));
		expect([status, text]).toEqual([200, expect.stringMatching(words)]);
	});

	const always = ['shown', 'nameOnCard', 'email', 'phone', 'country', 'address'].concat(
		...['city', 'state', 'zip', 'method'],
	);
	const ofCard = ['cardNumber', 'expiryDate', 'cvc'];
	const ofAccount = ['routingNumber', 'accountNumber'];
	test.each<[Form, string[]]>([
		[{ allowExtraDiscount: true }, [...always, ...ofCard, ...ofAccount, 'discountCode']],
		[{ disableCC: true }, [...always, ...ofAccount]],
		[{ disableACH: true, allowTip: true }, [...always, ...ofCard, 'tip']],
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
		const payer = { customer_email: 'ada@example.com', customer_address: 'Springfield' };
		expect(lastTransaction()).toMatchObject({ ...payer, customer_phone: '' });
	});

	test('escapes what merchants and payers wrote', async () => {
		const script = '"><script>alert(1)</script>';
		const paylink = link({ ...priced({ name: script }), referenceID: script });
		const { html } = await submit(paylink, { cardNumber: script, email: script, method: 'card' });
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
		expect((await visit('/pay', { method: 'GET' })).status).toBe(404);
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
		const [{ transactionID = '' } = {}] = sandbox.charges;
		const { paymentData } = paylink;
		const charge = { transactionID, amount: 2500, referenceID: 'INV-1', paymentData, via: 'page' };
		expect(sandbox.charges).toMatchObject([charge]);
		expect(lastTransaction()).toMatchObject({
			...{ id: transactionID, status: 'CAPTURED', brand: 'MASTERCARD', exp_year: '31' },
			...{ masked_number_last4: 'XXXXXXXXXXXX4444', customer_name: 'Ada Byron' },
			...{ customer_email: 'ada@example.com', customer_address: 'Springfield' },
			...{ customer_country: 'US', referenceID: 'INV-1' },
		});
		const { text } = await open(paylink);
		expect(text).toContain('paid $25.00 Thank you. Your payment has been received');
		expect(text).toContain('MASTERCARD ending in 4444 Date 1 Mar 2026, 12:00 UTC Reference INV-1');
		expect(text).toContain(`Transaction ${transactionID}`);
		const again = await submit(paylink);
		expect([again.status, sandbox.charges.length]).toEqual([400, 1]);
		expect(again.text).toContain('has been paid already');
	});

	test.each([
		[{ method: 'ach', accountNumber: '000987654321' }, 2500, { brand: 'ACH', exp_month: '' }],
		[{ tip: '4.50', discountCode: 'save10' }, 2500 + 450 - 250, { brand: 'VISA' }],
		[{ shown: '3000', tip: '5' }, 3000, { exp_month: '12' }],
	])('with %j charges %i', async (fields, amount, transaction) => {
		await submit(link(adjustable), fields);
		expect(sandbox.charges).toMatchObject([{ amount }]);
		expect(lastTransaction()).toMatchObject({ amount, ...transaction });
	});

	test.each([
		[{ action: 'update', tip: '1', discountCode: 'FIVER' }, 200, 'Pay $21.00', '2100'],
		[{ shown: '2500', tip: '5' }, 409, 'The total is now $30.00', '3000'],
	])('with %j shows the new total and charges nothing', async (fields, status, words, shown) => {
		const page = await submit(link(adjustable), fields);
		expect([page.status, page.text]).toEqual([status, expect.stringContaining(words)]);
		expect(page.input('shown')).toContain(`value="${shown}"`);
		expect(page.input('tip')).toContain(`value="${fields.tip}"`);
		expect(sandbox.charges).toEqual([]);
	});

	test.each<[Form, object, string, field: string]>([
		[{}, { tip: '5' }, 'takes no tip', ''],
		[{}, { discountCode: 'SAVE10' }, 'takes no discount codes', ''],
		[adjustable, { action: 'update', tip: '-5' }, 'must be a number such as 2.50', 'tip'],
		[adjustable, { discountCode: 'NOPE' }, 'Unknown discount code', 'discountCode'],
		[{ disableCC: true }, { method: 'card' }, 'cannot be paid in this way', ''],
		[{ disableACH: true }, { method: 'ach' }, 'cannot be paid in this way', ''],
		[{}, { method: 'saved:pm_none' }, 'cannot be paid in this way', ''],
		[{}, { method: 'card', cardNumber: '' }, 'must have 12 to 19 digits', 'cardNumber'],
		[{}, { method: 'card', expiryDate: '1/2' }, 'must be written MM/YY', 'expiryDate'],
		[{}, { method: 'ach', routingNumber: '5' }, 'must have 9 digits', 'routingNumber'],
		[{}, { method: 'ach', accountNumber: 'x' }, 'must have 4 to 17 digits', 'accountNumber'],
	])('a link with %j refuses %j', async (form, fields, words, field) => {
		const { status, text, input } = await submit(link(form), fields);
		expect([status, text]).toEqual([400, expect.stringContaining(words)]);
		expect([sandbox.charges, sandbox.events]).toEqual([[], []]);
		const marks = `aria-invalid="true" aria-describedby="${field}-problem" autofocus`;
		if (field !== '') expect(input(field)).toContain(marks);
	});

	test.each([
		[{ action: 'decline' }, 'Card declined'],
		[{ method: 'card', cardNumber: '4000 0000 0000 0002' }, 'Card declined'],
		[{ method: 'ach', accountNumber: '000000000000' }, 'Bank account declined'],
		[{ method: 'card', expiryDate: '02/26' }, 'Card expired'],
	])('with %j is declined, charges nothing and can be tried again', async (fields, message) => {
		const paylink = link();
		const { status, text } = await submit(paylink, fields);
		const words = `${message}. Nothing has been charged; you can try again.`;
		expect([status, text]).toEqual([402, expect.stringContaining(words)]);
		expect([sandbox.charges, sandbox.events]).toMatchObject([[], [{ type: 'payment_failed' }]]);
		expect(lastTransaction()).toMatchObject({ status: 'DECLINED', message, referenceID: 'INV-1' });
		expect((await submit(paylink, { method: 'card', expiryDate: '03/26' })).status).toBe(303);
	});

	test('leads to the addresses of the shop', async () => {
		const [ok, no] = ['https://shop.example/thanks?a=1', 'https://shop.example/no'];
		const paylink = link({ onSuccessURL: ok, onFailureURL: no });
		expect((await submit(paylink, { action: 'decline' })).location).toBe(no);
		expect((await submit(paylink)).location).toBe(ok);
		expect((await open(paylink)).html).toContain(`href="${ok}"`);
	});

	test('is possible until the link expires; what was paid in time keeps its receipt', async () => {
		const validUntil = '2026-03-01T13:00:00+00:00';
		const [paid, late] = [link({ validUntil }), link({ validUntil })];
		await submit(paid);
		expect((await open(late)).status).toBe(200);
		sandbox.clock.advance(3_600_000);
		const { status, text } = await open(late);
		expect([status, text]).toEqual([410, expect.stringContaining('This link has expired')]);
		expect(text).toContain('1 Mar 2026, 13:00 UTC');
		expect((await submit(late)).status).toBe(410);
		expect((await open(paid)).status).toBe(200);
		expect(sandbox.charges).toHaveLength(1);
	});
});

test('a saved customer pays as the link says: with one method, any, or none chosen', async () => {
	const saved = (cardToken: string) => ({ card: { cardToken, expiryDate: '03/26' } });
	const { id, paymentCards } = sandbox.addCustomer({
		...saved('tok_visa_1111'),
		email: 'ada@example.com',
	});
	const customerID = id;
	const customerPaymentID = sandbox.addPaymentMethod(id, saved('tok_amex_0005')).cardID;
	const checked = async (form: Form) =>
		/value="saved:(\w+)"\s+checked/.exec((await open(link({ customerID, ...form }))).html)?.[1];
	expect(await checked({})).toBe(paymentCards[0]?.cardID);
	expect(await checked({ customerPaymentID })).toBe(customerPaymentID);

	const chosen = link({ customerID, customerPaymentID });
	const { text, input } = await open(chosen);
	expect(input('email')).toContain('value="ada@example.com"');
	expect(text).toMatch(/VISA ending in 1111 expires 03\/26 AMEX ending in 0005 .* Card test card/);
	await submit(chosen);
	expect(lastTransaction()).toMatchObject({ brand: 'AMEX', customer_id: id });

	const unchosen = { customerID, customerPaymentID, disablePreselectCard: true };
	expect(await checked(unchosen)).toBeUndefined();
	expect((await submit(link(unchosen))).text).toContain('Choose how to pay');

	const fixed = link({ customerID, customerPaymentID, disableCustomPayment: true });
	const ways = (await open(fixed)).html.matchAll(/name="method" value="([^"]*)"/g);
	expect([...ways].map(([, way]) => way)).toEqual([`saved:${customerPaymentID}`]);
	for (const method of ['card', `saved:${paymentCards[0]?.cardID}`]) {
		expect((await submit(fixed, { method })).status).toBe(400);
	}
	expect((await submit(fixed, { method: `saved:${customerPaymentID}` })).status).toBe(303);

	const orphaned = link({ customerID, customerPaymentID, disableCustomPayment: true });
	sandbox.removeCustomer(customerID);
	expect((await open(orphaned)).text).toContain('no payment method that can be used');
	expect((await submit(orphaned)).status).toBe(400);
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
	const { location } = await submit(paylink, { amount: '10' }, '/refund');
	expect(location).toBe(`/pay/${paylink.payLinkID}`);
	const { text } = await open(paylink);
	expect(text).toMatch(/partly refunded .*Refunded -\$10\.00 .*all that is left, \$15\.00/);
	await submit(paylink, {}, '/refund');
	const parentTransactionId = sandbox.charges[0]?.transactionID;
	const refund = { status: 'REVERSED', amount: 1500, parentTransactionId };
	expect(lastTransaction()).toMatchObject(refund);
	expect((await open(paylink)).html).not.toContain('/refund"');
	expect(sandbox.paylinks).toMatchObject([{ status: 'refunded' }]);
});
