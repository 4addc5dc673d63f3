import type { EventInput, Sandbox } from '.';
import { useService } from './useService';

/**
 * Holds the twelve endpoints to docs/service.md, and to what the sandbox's README decides where
 * that is silent. What the tests of the operations show by their own requests is not shown again.
 */

const { sandbox, send, call, refusal } = useService({ clock: '2026-03-01T12:00:00Z' });
const { groupID, privateToken, headerToken } = sandbox.credentials;
const inBody = { groupID, token: privateToken };
const header = { token: headerToken };

const payer = {
	...{ nameOnCard: 'Ada Byron', email: 'ada@example.com', billingCountry: 'US' },
	...{ billingAddress: '1 Main Street', billingCity: 'Springfield', billingState: 'IL' },
	billingZip: '62701',
};
const person = { ...payer, phone: '+1 555 0100' };
const card = { cardToken: 'tok_mastercard_4444', cvc: '987', expiryDate: '04/31' };
const numbers = { accountNumber: '000123456789', routingNumber: '110000000' };
const ach = { ...numbers, accountType: 'CHECKING', accountHolderType: 'PERSONAL' };
const mug = { sku: 'MUG', name: 'Mug', description: 'Blue', price: 1000 };
const tea = { sku: 'TEA', name: 'Tea', description: '', price: 550 };
const cart = (more: Parameters<Sandbox['addCart']>[0] = {}): string =>
	sandbox.addCart({
		referenceID: 'ORDER-1',
		lineItems: [{ product: mug, amount: 2 }, { product: tea }],
		...more,
	});

test.each([
	[405, '/api/gateway/customers', { method: 'GET' }],
	[415, '/api/gateway/customers', { headers: { ...header, 'Content-Type': 'text/plain' } }],
	[400, '/api/gateway/customers', { body: '{"data":' }],
	[404, '/api/gateway/constructor', {}],
])('answers %i where the request is wrong: %s %j', async (status, path, wrong) => {
	const sent = { headers: header, body: { data: {} }, ...wrong };
	expect((await send(path, sent)).status).toBe(status);
});

const { privateToken: others } = sandbox.otherCredentials;
const noHeader = 'The header token is missing or wrong';
const noBody = 'The body fields groupID and token are not those of a merchant';
test.each<[string, Record<string, string>, object, number, string]>([
	['customers', {}, { data: 1 }, 401, noHeader],
	['customers', { token: privateToken }, {}, 401, noHeader],
	['customers', header, { ...inBody, data: {} }, 400, 'groupID is not a known field'],
	['customers', header, {}, 400, 'data is missing'],
	['webhookEvents', header, { data: 1 }, 401, noBody],
	['webhookEvents', header, { groupID, token: others }, 401, noBody],
	['webhookEvents', {}, { ...inBody, data: {}, page: {} }, 400, 'page is not a known field'],
])('%s with %j and %j answers %i: %s', async (endpoint, headers, body, ...expected) => {
	expect(await refusal(endpoint, {}, { headers, body })).toEqual(expected);
});

test('a customer is stored with all fields, and listed', async () => {
	const form = { ...person, skipMultiTokenConvert: true, card };
	const { answer } = await call('addCustomer', { form });
	const { customerID: id, paymentCardID: cardID } = answer;
	const shown = { isDefault: true, last4: '4444', brand: 'MASTERCARD', expires: '04/31' };
	const empty = { accountNumber: '', routingNumber: '', accountType: '', accountHolderType: '' };
	expect((await call('customer', { customerID: id })).answer).toEqual({
		...{ id, ...person },
		paymentCards: [{ cardID, type: 'card', ...shown, cvc: '987', ...empty, gpEcommID: '' }],
	});
	const { nameOnCard: name, email, phone, billingZip: zip } = person;
	expect((await call('customers')).answer).toEqual({
		data: [{ id, ...shown, name, email, phone, zip, city_state: 'Springfield, IL' }],
		page: { total: 1, range: { from: 0, to: 1 }, page: 1, pageSize: 10 },
	});
});

const pageOf = async (page: unknown) => (await call('webhookEvents', { page })).answer;
const ids = async (page?: unknown): Promise<string[]> =>
	(await pageOf(page)).data.map(({ eventID }: { eventID: string }) => eventID);
const by = (field: string, order = 'asc') => ({ sort: { field, order } });
const where = (field: string, operation: string, value: string) => ({
	...by('date'),
	filter: [{ field, operation, value }],
});

describe('a list', () => {
	const times: EventInput[] = [
		{ eventID: 'late', date: '2026-03-01T01:00:00-05:00' },
		{ eventID: 'early', date: '2026-03-01T07:00:00+05:00' },
		{ eventID: 'middle', date: '2026-03-01T05:00:00.000Z' },
	];
	const odd: EventInput[] = [
		{ eventID: 'good', date: '1999-01-01T00:00:00Z' },
		{ eventID: 'garbage', date: 'event 7' },
		{ eventID: 'none', date: undefined },
	];
	const kinds: EventInput[] = [
		{ eventID: 'b', type: 'payment_refund', date: '2026-03-02T00:00:00Z' },
		{ eventID: 'c', type: 'payment_failed', date: '2026-03-03T00:00:00Z', payload: 'a Needle' },
		{ eventID: 'a', type: '', date: '2026-03-01T00:00:00Z', payload: { any: 'thing' } },
	];
	const second = '2026-03-02T02:00:00+02:00';

	test.each([
		['is newest first', times, undefined, ['late', 'middle', 'early']],
		['takes odd dates for the oldest', odd, by('date'), ['garbage', 'none', 'good']],
		['keeps equal ones as they came', odd, by('date', 'desc'), ['good', 'garbage', 'none']],
		['compares text', kinds, where('type', 'equals', 'payment_failed'), ['c']],
		['compares instants', kinds, where('date', 'gt', second), ['c']],
		['compares instants', kinds, where('date', 'lte', second), ['a', 'b']],
		['looks into payloads', kinds, where('payload', 'contains', 'NEEDLE'), ['c']],
		['is not searched by date', kinds, { search: '2026-03-01' }, []],
		['ends with an empty page', kinds, { page: 9 }, []],
	])('%s', async (_what, events, page, expected) => {
		for (const event of events) sandbox.addEvent(event);
		expect(await ids(page)).toEqual(expected);
	});

	test.each([
		[{}, { total: 25, range: { from: 10, to: 20 }, page: 2, pageSize: 10 }],
		[{ pageSizeCap: 4 }, { total: 25, range: { from: 4, to: 8 }, page: 2, pageSize: 4 }],
		[{ pageSizeCap: 4, pageSizeSaid: 'asked' }, { pageSize: 10 }],
		[{ pageSizeSaid: 'nothing' }, { pageSize: undefined }],
		[{ total: 'zero' }, { total: 0 }],
		[{ total: 'text' }, { total: '25' }],
		[{ total: { constant: 9 } }, { total: 9 }],
		[{ ignorePage: true }, { page: 1, range: { from: 0, to: 10 } }],
		[{ repeatLastPage: true, pageSizeCap: 25 }, { range: { from: 10, to: 20 } }],
	])('with %j says %j of page 2', async (settings, said) => {
		sandbox.addEvents(25);
		Object.assign(sandbox.settings, settings);
		const { data, page } = await pageOf({ page: 2, pageSize: 10 });
		expect({ pageSize: undefined, ...page }).toMatchObject(said);
		expect(data).toHaveLength(page.range.to - page.range.from);
	});

	test('can repeat its last page, refuse a large one, and ignore what it was asked', async () => {
		sandbox.addEvents(25);
		const { settings } = sandbox;
		const all = { pageSize: 25 };
		const newest = await ids(all);
		Object.assign(settings, { repeatLastPage: true, rejectPageSizeAbove: 25 });
		expect(await ids({ page: 9, pageSize: 10 })).toEqual(newest.slice(20));
		const words = 'data.page.pageSize must be at most 25';
		expect(await refusal('webhookEvents', { page: { pageSize: 26 } })).toEqual([400, words]);
		settings.ignoreCase = true;
		expect(await ids({ ...all, ...where('type', 'equals', 'PAYMENT_SUCCESS') })).toHaveLength(25);
		Object.assign(settings, { ignoreSort: true, ignoreFilter: true, ignoreSearch: true });
		expect(await ids({ ...all, ...where('type', 'equals', 'no'), search: 'x' })).toEqual(newest);
		settings.eventOrder = 'asc';
		expect(await ids(all)).toEqual([...newest].reverse());
	});
});

describe('events', () => {
	test('hold what was added: no date, a used ID, a place in the order, or the other group', async () => {
		const { groupID: other, privateToken: token } = sandbox.otherCredentials;
		sandbox.addEvent({ eventID: 'x', date: undefined, payload: '{broken' });
		sandbox.addEvent({ eventID: 'x' });
		sandbox.addEvent({ eventID: 'y', date: '', at: 1 });
		sandbox.addEvent({ eventID: 'theirs', groupID: other });
		const { data } = await pageOf(by('date'));
		expect('date' in data[0]).toBe(false);
		expect(data).toMatchObject([
			{ eventID: 'x', payload: '{broken' },
			{ eventID: 'y', date: '' },
			{ eventID: 'x', date: '2026-03-01T12:00:00.000Z', type: 'payment_success' },
		]);
		const body = { groupID: other, token, data: {} };
		const theirs = (await call('webhookEvents', {}, { body })).answer;
		expect(theirs.data).toMatchObject([{ eventID: 'theirs' }]);
		sandbox.removeEvent('x');
		expect([await ids(), sandbox.events.length]).toEqual([['y'], 1]);
	});

	test('of payments show in order of what happened, and only after the lag', async () => {
		const pay = () => sandbox.pay(sandbox.addPaylink({ pricing: { amount: 2500 } }).payLinkID);
		const shown = [pay().eventID, sandbox.addEvent().eventID];
		expect(await ids()).toEqual(shown);
		sandbox.settings.eventLag = Infinity;
		const { eventID } = pay();
		expect(await ids()).toEqual(shown);
		expect(sandbox.events).toHaveLength(3);
		sandbox.settings.eventLag = 0;
		expect(await ids()).toEqual([...shown, eventID]);
	});

	test("of a payment have every field of the service's description, and so has a refund", async () => {
		const paymentData = cart({ tax: 100, surcharge: { card: 20 } });
		const customerInfo = { paymentType: 'card', card, ...payer };
		const { answer } = await call('createTokenizedManualEntry', { paymentData, customerInfo });
		const { transactionID } = answer;
		const { transaction, lineItems } = JSON.parse(sandbox.events[0]?.payload ?? '');
		const at = { created_at: '2026-03-01T12:00:00.000Z', referenceID: 'ORDER-1' };
		expect(Object.keys(transaction).join(' ')).toBe(
			'id tx_id batch_id result message entry_mode pmt_id type status channel capture_mode amount ' +
				'currency country merchant_id group_id brand masked_number_last4 exp_month exp_year authcode ' +
				'brand_reference avs_address_result avs_postal_code_result avs_action cvv_result ' +
				'commercial_level payment_plan_id gsa emv created_by customer_id customer_name customer_email ' +
				'customer_phone customer_country customer_address parentTransactionId created_at referenceID',
		);
		expect(transaction).toMatchObject({
			...{ id: transactionID, type: 'AUTH', status: 'CAPTURED', group_id: groupID, amount: 2670 },
			...{ masked_number_last4: 'XXXXXXXXXXXX4444', exp_month: '04', exp_year: '31', ...at },
			...{ customer_name: 'Ada Byron', customer_email: 'ada@example.com', customer_country: 'US' },
			...{ customer_address: '1 Main Street, Springfield, IL, 62701', parentTransactionId: null },
		});
		expect(lineItems).toEqual({
			...{ id: expect.any(String), transactionId: transactionID, narrative: 'Mug, Tea' },
			...{ customerId: transaction.customer_id, referenceSource: 'MERCHANT', ...at },
			lineItems: [{ product: mug, amount: 2, total: 2000 }, expect.objectContaining({ amount: 1 })],
			...{ tip: 0, subTotal: 2550, tax: 100, shipping: 0, discount: 0, surcharge: 20, total: 2670 },
			...{ shippingAddress: null, metadata: null },
		});
		sandbox.refund(transactionID, 1000);
		const { refund } = JSON.parse(sandbox.events[1]?.payload ?? '');
		expect(Object.keys(refund)).toEqual(Object.keys(transaction));
		expect(refund).toMatchObject({ status: 'REVERSED', amount: 1000, referenceID: 'ORDER-1' });
		expect(refund.parentTransactionId).toBe(transactionID);
		expect(refund.id).not.toBe(transactionID);
		expect(() => sandbox.refund(transactionID, 1671)).toThrow('between $0.01 and $16.70');
	});
});

describe('a cart', () => {
	test('never costs less than nothing, and one that costs nothing cannot be charged', async () => {
		const paymentData = sandbox.addCart({ amount: 300 });
		const dynamicData = { discountCodes: ['FIVER', 'SAVE10'] };
		const { answer } = await call('computeTokenizedCheckout', { paymentData, dynamicData });
		expect(answer.breakdown).toMatchObject({ discount: 300, total: 0 });
		expect(answer.discountBreakdown).toEqual([{ code: 'FIVER', amount: 300 }]);
		const order = { paymentData, dynamicData, customerInfo: { paymentType: 'card', card } };
		const words = 'The total of this cart is 0: nothing to charge';
		expect(await refusal('createTokenizedManualEntry', order)).toEqual([400, words]);
	});

	test('of a paylink has its lines, its parts and its presets', async () => {
		const { id: productId } = sandbox.addProduct({ sku: 'BAG', name: 'Bag', price: 300 });
		const club = { ...mug, isRecurring: true, recurringSetupFee: 700 };
		const lineItems = [
			{ productId, amount: 2 },
			{ product: club, amount: 1 },
		];
		const form = {
			pricing: {
				...{ lineItems, amount: 1, tip: 10, tipType: 'percentage', shipping: 200 },
				...{ tax: 8.25, taxType: 'percentage', discountCodes: ['SAVE10'] },
			},
			meta: {
				dynamic: {
					...{ discountCodes: ['FIVER'], tip: { amount: 100, type: 'fixed' } },
					quantityAmounts: [{ id: 'MUG', quantity: 2 }],
				},
			},
			...{ allowEdit: false, onSuccessURL: 'https://shop.example/ok' },
		};
		const { paymentData } = (await call('createCheckoutData', { form })).answer.data;
		// The line items count instead of the amount, and the set-up fee once among the fees.
		const breakdown = { subtotal: 2600, discount: 760, tax: 215, shipping: 200, fees: 700 };
		expect((await call('computeTokenizedCheckout', { paymentData })).answer).toMatchObject({
			breakdown: { ...breakdown, tip: 100 },
			lineItems: [
				{ product: { sku: 'BAG', name: 'Bag', description: '', price: 300 }, amount: 2 },
				{ product: mug, amount: 2, total: 2000 },
			],
			...{ allowEdit: false, allowTip: false, onSuccessUrl: 'https://shop.example/ok' },
		});
	});
});

test('a charge takes the computed total, each time anew', async () => {
	const paymentData = cart({ surcharge: { card: 40 } });
	const dynamicData = { tip: { amount: 10, type: 'percentage' } };
	const order = { paymentData, dynamicData, customerInfo: { paymentType: 'card', card } };
	const { transactionID } = (await call('createTokenizedManualEntry', order)).answer;
	const charged = {
		...{ transactionID, amount: 2550 + 255 + 40, paymentData, referenceID: 'ORDER-1' },
		...{ via: 'api', at: '2026-03-01T12:00:00.000Z' },
	};
	expect(sandbox.charges).toEqual([charged]);
	await call('createTokenizedManualEntry', order);
	expect(sandbox.charges).toHaveLength(2);
});

test('the payment data of a paylink can be charged, which pays the link', async () => {
	const { paymentData } = sandbox.addPaylink({ pricing: { amount: 2500 }, referenceID: 'INV-1' });
	const customerInfo = { paymentType: 'card', card };
	await call('createTokenizedManualEntry', { paymentData, customerInfo });
	expect(sandbox.charges).toMatchObject([{ amount: 2500, referenceID: 'INV-1', via: 'api' }]);
	expect(sandbox.paylinks).toMatchObject([{ status: 'paid' }]);
});

/** The data with another value at a path such as `form.pricing.lineItems[0].amount`. */
function altered(data: object, path: string, value: unknown): object {
	const copy: object = structuredClone(data);
	const steps = path.match(/\w+/g) ?? [];
	const last = steps.pop() ?? '';
	const at = steps.reduce<object>((each, step) => Reflect.get(each, step), copy);
	Reflect.set(at, last, value);
	return copy;
}

describe('what does not fit is refused, a field by its path, and nothing happens', () => {
	const tip = { amount: 1, type: 'fixed' };
	const quantityAmounts = [{ id: 'CUP', quantity: 1 }];
	const right = (): Record<string, object> => ({
		customer: {},
		deletePaymentMethod: { customerID: 'x' },
		addCustomer: { form: { card } },
		addPaymentMethod: { customerID: sandbox.addCustomer({ id: 'cus_1' }).id, form: { card } },
		webhookEvents: { page: where('date', 'gt', '2026-03-01') },
		computeTokenizedCheckout: { paymentData: cart(), dynamicData: { tip } },
		createTokenizedManualEntry: {
			paymentData: cart(),
			customerInfo: { paymentType: 'card', card },
		},
		createCheckoutData: { form: { pricing: { lineItems: [{ product: mug, amount: 1 }] } } },
	});
	const compute = 'computeTokenizedCheckout';
	const charge = 'createTokenizedManualEntry';
	const paylink = 'createCheckoutData';
	const info = 'customerInfo';
	const pricing = 'form.pricing';
	const line = `${pricing}.lineItems[0]`;
	const noWay = { pricing: { amount: 1 }, disableCC: true, disableACH: true };
	const leaves = 'leaves no way to pay: disableCC and disableACH are both true';
	const operations = 'contains, equals, gt, lt, gte, lte, neq';
	const whole = 'must be an integer of 1 or more';
	const fixed = 'must be an integer: fixed amounts are in minor units';
	const unknown = 'is not a known field';

	test.each([
		['customer', 'customerID', 7, 'must be a string'],
		['deletePaymentMethod', 'cardID', undefined, 'is missing'],
		['addCustomer', 'form.nickname', 'Ada', unknown],
		['addCustomer', 'form.card', 'tok', 'must be an object'],
		['addCustomer', 'form.card.expiryDate', '13/30', 'must be a date as MM/YY'],
		['addCustomer', 'form', { card, ach }, 'must hold at most one of card, ach, gpecomm'],
		['addPaymentMethod', 'form', {}, 'must hold one of card, ach, gpecomm'],
		['webhookEvents', 'page.page', 0, whole],
		['webhookEvents', 'page.sort.field', 'shoe', '"shoe" is not a field of this list'],
		['webhookEvents', 'page.filter', {}, 'must be an array'],
		['webhookEvents', 'page.filter[0].operation', 'like', `must be one of ${operations}`],
		[compute, 'paymentData', 'other', 'cannot be decrypted'],
		[compute, 'dynamicData.tip.amount', '5', 'must be a number of 0 or more'],
		[compute, 'dynamicData.tip.amount', 5.5, fixed],
		[paylink, pricing, {}, 'must hold lineItems or amount'],
		[paylink, `${pricing}.tip`, 2.5, fixed],
		[paylink, line, { amount: 1 }, 'must hold productId or product'],
		[
			paylink,
			line,
			{ amount: 1, productId: 'p', product: mug },
			'must hold either productId or product, not both',
		],
		[paylink, `${line}.product.recurringMode`, 'monthly', 'must be one of DAILY, MONTHLY, YEARLY'],
		[paylink, 'form', noWay, leaves],
		[paylink, 'form.allowTip', 'yes', 'must be a boolean'],
		[paylink, 'form.validUntil', 'tomorrow', 'must be an ISO 8601 timestamp'],
		[paylink, 'form.onSuccessURL', 'javascript:1', 'must be an http or https URL'],
		[paylink, 'form.customerPaymentID', 'pm_1', 'needs customerID beside it'],
		[charge, info, { paymentType: 'card', card, ach }, 'must hold either card or ach'],
		[charge, info, { paymentType: 'card', ach }, 'does not hold what its paymentType says'],
		[charge, info, { paymentType: 'ach', card }, 'does not hold what its paymentType says'],
		[charge, `${info}.card`, { ...card, ...ach }, `.cardToken ${unknown}`],
	])('%s: %s = %j %s', async (endpoint, path, value, complaint) => {
		const data = altered(right()[endpoint] ?? {}, path, value);
		const words = `data.${path} ${complaint}`.replace(' .', '.');
		expect(await refusal(endpoint, data)).toEqual([400, words]);
		expect([...sandbox.charges, ...sandbox.events, ...sandbox.paylinks]).toEqual([]);
	});

	test.each([
		[404, paylink, 'form.customerID', 'cus_none', 'Customer cus_none not found'],
		[404, paylink, line, { productId: 'p', amount: 1 }, 'Product p not found'],
		[400, paylink, `${pricing}.discountCodes`, ['NOPE'], 'Unknown discount code "NOPE"'],
		[
			400,
			compute,
			'dynamicData',
			{ quantityAmounts },
			'This cart has no product with the SKU "CUP"',
		],
	])('%i %s: %s = %j: %s', async (status, endpoint, path, value, words) => {
		const data = altered(right()[endpoint] ?? {}, path, value);
		expect(await refusal(endpoint, data)).toEqual([status, words]);
		expect(sandbox.paylinks).toEqual([]);
	});
});
