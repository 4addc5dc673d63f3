import axios from 'axios';
import { startSandbox, type Sandbox } from '.';

/**
 * Holds the eight customer and payment-method endpoints of the sandbox to the service's
 * description.
 */

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox();
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.close());

async function call(endpoint: string, data: unknown) {
	const { status, data: answer } = await axios.post(
		`${sandbox.url}/api/gateway/${endpoint}`,
		{ data },
		{ headers: { token: sandbox.credentials.headerToken }, validateStatus: () => true },
	);
	return { status, answer };
}

const form = {
	nameOnCard: 'Ada Byron',
	email: 'ada@example.com',
	phone: '+1 555 0100',
	billingAddress: '1 Main Street',
	billingCity: 'Springfield',
	billingState: 'IL',
	billingZip: '62701',
	billingCountry: 'US',
};
const card = { cardToken: 'tok_mastercard_4444', cvc: '987', expiryDate: '04/31' };
const ach = {
	accountNumber: '000123456789',
	routingNumber: '110000000',
	accountType: 'CHECKING',
	accountHolderType: 'PERSONAL',
};

describe('addCustomer', () => {
	test('stores all fields and answers both IDs', async () => {
		const { status, answer } = await call('addCustomer', {
			form: { ...form, skipMultiTokenConvert: true, card },
		});
		expect(status).toBe(200);
		expect(answer).toEqual({
			customerID: expect.any(String),
			paymentCardID: expect.any(String),
		});
		const detail = await call('customer', { customerID: answer.customerID });
		expect(detail.answer).toEqual({
			id: answer.customerID,
			...form,
			paymentCards: [
				{
					cardID: answer.paymentCardID,
					type: 'card',
					isDefault: true,
					last4: '4444',
					brand: 'MASTERCARD',
					expires: '04/31',
					cvc: '987',
					accountNumber: '',
					routingNumber: '',
					accountType: '',
					accountHolderType: '',
					gpEcommID: '',
				},
			],
		});
	});

	test('needs no payment method, and then answers an empty paymentCardID', async () => {
		const { answer } = await call('addCustomer', { form });
		expect(answer.paymentCardID).toBe('');
		expect(sandbox.customers[0]?.paymentCards).toEqual([]);
	});

	test.each([
		[{ form: { ...form, nickname: 'Ada' } }, 'data.form.nickname is not a known field'],
		[{ form: { ...form, phone: 5550100 } }, 'data.form.phone must be a string'],
		[{ form: { ...form, email: null } }, 'data.form.email must be a string'],
		[
			{ form: { skipMultiTokenConvert: 'yes' } },
			'data.form.skipMultiTokenConvert must be a boolean',
		],
		[{ form: { card: 'tok' } }, 'data.form.card must be an object'],
		[
			{ form: { card: { ...card, expiryDate: '13/30' } } },
			'data.form.card.expiryDate must be a date as MM/YY',
		],
		[{ form: { card: { cvc: '123' } } }, 'data.form.card.cardToken is missing'],
		[{ form: { card, ach } }, 'data.form must hold at most one of card, ach, gpecomm'],
		[{ form: {}, customerID: 'x' }, 'data.customerID is not a known field'],
		[{}, 'data.form is missing'],
	])('refuses %j', async (data, message) => {
		const { status, answer } = await call('addCustomer', data);
		expect([status, answer.error.message]).toEqual([400, message]);
		expect(sandbox.customers).toEqual([]);
	});
});

describe('customer', () => {
	test('answers 404 for an unknown ID', async () => {
		const { status, answer } = await call('customer', { customerID: 'cus_none' });
		expect(status).toBe(404);
		expect(answer.error.message).toContain('cus_none');
	});

	test.each([{}, { customerID: 7 }, { id: 'x' }])('refuses %j', async (data) => {
		expect((await call('customer', data)).status).toBe(400);
	});
});

describe('updateCustomer', () => {
	test('changes the fields given, clears the empty ones and keeps the rest', async () => {
		const { id } = sandbox.addCustomer({ ...form, card });
		const { answer } = await call('updateCustomer', {
			customerID: id,
			form: { email: 'countess@example.com', phone: '' },
		});
		expect(answer).toEqual({ customerID: id });
		expect(sandbox.customers[0]).toMatchObject({
			...form,
			email: 'countess@example.com',
			phone: '',
			paymentCards: [{ last4: '4444' }],
		});
	});

	test('clears what is left out, where it replaces the form', async () => {
		sandbox.settings.updateReplaces = true;
		const { id } = sandbox.addCustomer({ ...form, card });
		await call('updateCustomer', { customerID: id, form: { email: 'countess@example.com' } });
		const [customer] = sandbox.customers;
		expect(customer).toMatchObject({ email: 'countess@example.com', nameOnCard: '', phone: '' });
		expect(customer?.paymentCards).toHaveLength(1);
	});

	test('takes no payment method', async () => {
		const { id } = sandbox.addCustomer();
		const { status } = await call('updateCustomer', { customerID: id, form: { card } });
		expect(status).toBe(400);
	});

	test('answers 404 for an unknown ID', async () => {
		expect((await call('updateCustomer', { customerID: 'x', form: {} })).status).toBe(404);
	});
});

describe('deleteCustomer', () => {
	test('removes the customer together with the payment methods', async () => {
		const { id } = sandbox.addCustomer({ card });
		expect((await call('deleteCustomer', { customerID: id })).answer).toEqual({
			customerID: id,
		});
		expect((await call('customer', { customerID: id })).status).toBe(404);
		expect((await call('deleteCustomer', { customerID: id })).status).toBe(404);
		expect((await call('customers', { page: {} })).answer.data).toEqual([]);
	});
});

describe('payment methods', () => {
	test('adds a saved card and answers its ID', async () => {
		const { id } = sandbox.addCustomer();
		const { answer } = await call('addPaymentMethod', { customerID: id, form: { card } });
		expect(answer).toEqual({ customerID: id, paymentCardID: expect.any(String) });
		expect(sandbox.customers[0]?.paymentCards).toMatchObject([
			{ cardID: answer.paymentCardID, isDefault: true, brand: 'MASTERCARD' },
		]);
	});

	test('adds a bank account and answers its numbers in clear', async () => {
		const { id } = sandbox.addCustomer();
		await call('addPaymentMethod', { customerID: id, form: { ach } });
		const { answer } = await call('customer', { customerID: id });
		expect(answer.paymentCards).toMatchObject([{ ...ach, type: 'ach', last4: '6789' }]);
	});

	test('adds a gpecomm method', async () => {
		const { id } = sandbox.addCustomer();
		await call('addPaymentMethod', {
			customerID: id,
			form: { gpecomm: { id: 'gp_1', cvv: '111' }, skipMultiTokenConvert: false },
		});
		const { answer } = await call('customer', { customerID: id });
		expect(answer.paymentCards).toMatchObject([{ gpEcommID: 'gp_1', type: 'gpecomm' }]);
	});

	test('makes a later method the default only when asked to', async () => {
		const { id } = sandbox.addCustomer({ card });
		await call('addPaymentMethod', { customerID: id, form: { ach } });
		const defaults = () => sandbox.customers[0]?.paymentCards.map((each) => each.isDefault);
		expect(defaults()).toEqual([true, false]);
		await call('addPaymentMethod', { customerID: id, form: { card, setAsDefault: true } });
		expect(defaults()).toEqual([false, false, true]);
	});

	test('sets another default', async () => {
		const { id } = sandbox.addCustomer({ card });
		const { cardID } = sandbox.addPaymentMethod(id, { ach });
		const { answer } = await call('setDefaultPaymentMethod', { customerID: id, cardID });
		expect(answer).toEqual({ customerID: id });
		const row = (await call('customers', { page: {} })).answer.data[0];
		expect(row).toMatchObject({ last4: '6789', brand: 'ACH', isDefault: true });
	});

	test('deletes a method, and the next one becomes the default', async () => {
		const { id, paymentCards } = sandbox.addCustomer({ card });
		const { cardID } = sandbox.addPaymentMethod(id, { ach });
		const { answer } = await call('deletePaymentMethod', {
			customerID: id,
			cardID: paymentCards[0]?.cardID,
		});
		expect(answer).toEqual({ customerID: id });
		expect(sandbox.customers[0]?.paymentCards).toMatchObject([{ cardID, isDefault: true }]);
	});

	test.each(['deletePaymentMethod', 'setDefaultPaymentMethod'])(
		'%s knows only methods of that customer',
		async (endpoint) => {
			const { id } = sandbox.addCustomer({ card });
			const other = sandbox.addCustomer({ card });
			const cardID = other.paymentCards[0]?.cardID;
			expect((await call(endpoint, { customerID: id, cardID })).status).toBe(404);
			expect((await call(endpoint, { customerID: 'cus_none', cardID })).status).toBe(404);
			expect((await call(endpoint, { customerID: id })).status).toBe(400);
		},
	);

	test('refuses a form without a method', async () => {
		const { id } = sandbox.addCustomer();
		const { status, answer } = await call('addPaymentMethod', {
			customerID: id,
			form: { setAsDefault: true },
		});
		expect([status, answer.error.message]).toEqual([
			400,
			'data.form must hold one of card, ach, gpecomm',
		]);
	});
});

describe('customers', () => {
	const emails = async (page: unknown) => {
		const { status, answer } = await call('customers', { page });
		expect(status).toBe(200);
		return answer.data.map(({ email }: { email: string }) => email);
	};

	test("rows hold the fields of the service's description", async () => {
		const { id } = sandbox.addCustomer({ ...form, card });
		const { answer } = await call('customers', { page: {} });
		expect(answer).toEqual({
			data: [
				{
					id,
					isDefault: true,
					last4: '4444',
					brand: 'MASTERCARD',
					expires: '04/31',
					name: 'Ada Byron',
					city_state: 'Springfield, IL',
					zip: '62701',
					email: 'ada@example.com',
					phone: '+1 555 0100',
				},
			],
			page: { total: 1, range: { from: 0, to: 1 }, page: 1, pageSize: 10 },
		});
	});

	test('defaults to the first ten in order of creation', async () => {
		const made = sandbox.addCustomers(12).map(({ email }) => email);
		expect(await emails({})).toEqual(made.slice(0, 10));
	});

	test('cuts pages, tells the total, and answers an empty page past the end', async () => {
		sandbox.addCustomers(7);
		const last = (await call('customers', { page: { page: 3, pageSize: 3 } })).answer;
		expect(last.data).toHaveLength(1);
		expect(last.page).toEqual({ total: 7, range: { from: 6, to: 7 }, page: 3, pageSize: 3 });
		const past = (await call('customers', { page: { page: 9, pageSize: 3 } })).answer;
		expect(past.data).toEqual([]);
		expect(past.page.total).toBe(7);
	});

	test.each([
		['email', 'asc', ['a@x.com', 'b@x.com', 'c@x.com']],
		['email', 'desc', ['c@x.com', 'b@x.com', 'a@x.com']],
		['city_state', 'asc', ['c@x.com', 'a@x.com', 'b@x.com']],
	])('sorts by %s %s', async (field, order, expected) => {
		sandbox.addCustomer({ email: 'b@x.com', billingCity: 'Zion', billingState: 'IL' });
		sandbox.addCustomer({ email: 'a@x.com', billingCity: 'Mesa', billingState: 'AZ' });
		sandbox.addCustomer({ email: 'c@x.com', billingCity: 'Bend', billingState: 'OR' });
		expect(await emails({ sort: { field, order } })).toEqual(expected);
	});

	test.each([
		['contains', 'B@', ['b@x.com']],
		['equals', 'b@x.com', ['b@x.com']],
		['equals', 'B@x.com', []],
		['gt', 'b@x.com', ['c@x.com']],
		['gte', 'b@x.com', ['b@x.com', 'c@x.com']],
		['lt', 'b@x.com', ['a@x.com']],
		['lte', 'b@x.com', ['a@x.com', 'b@x.com']],
		['neq', 'b@x.com', ['a@x.com', 'c@x.com']],
	])('filters by %s %s', async (operation, value, expected) => {
		for (const name of ['a', 'b', 'c']) sandbox.addCustomer({ email: `${name}@x.com` });
		expect(await emails({ filter: [{ field: 'email', operation, value }] })).toEqual(expected);
	});

	test('holds a row against all filters', async () => {
		sandbox.addCustomer({ email: 'a@x.com', billingZip: '1' });
		sandbox.addCustomer({ email: 'b@x.com', billingZip: '2' });
		const filter = [
			{ field: 'email', operation: 'contains', value: 'x.com' },
			{ field: 'zip', operation: 'equals', value: '2' },
		];
		expect(await emails({ filter })).toEqual(['b@x.com']);
	});

	test('searches all text of a row without regard to case', async () => {
		sandbox.addCustomer({ email: 'a@x.com', nameOnCard: 'Grace HOPPER' });
		sandbox.addCustomer({ email: 'b@x.com' });
		expect(await emails({ search: 'hopper' })).toEqual(['a@x.com']);
		expect(await emails({ search: '' })).toEqual(['a@x.com', 'b@x.com']);
	});

	test.each([
		[{ page: 0 }, 'data.page.page must be an integer of 1 or more'],
		[{ page: '1' }, 'data.page.page must be an integer of 1 or more'],
		[{ pageSize: 2.5 }, 'data.page.pageSize must be an integer of 1 or more'],
		[{ size: 10 }, 'data.page.size is not a known field'],
		[{ sort: 'email' }, 'data.page.sort must be an object'],
		[{ sort: { field: 'email' } }, 'data.page.sort.order is missing'],
		[{ sort: { field: 'email', order: 'up' } }, 'data.page.sort.order must be one of asc, desc'],
		[
			{ sort: { field: 'shoe', order: 'asc' } },
			'data.page.sort.field "shoe" is not a field of this list',
		],
		[{ filter: { field: 'email' } }, 'data.page.filter must be an array'],
		[
			{ filter: [{ field: 'email', operation: 'like', value: 'a' }] },
			'data.page.filter[0].operation must be one of contains, equals, gt, lt, gte, lte, neq',
		],
		[
			{ filter: [{ field: 'email', operation: 'equals', value: 5 }] },
			'data.page.filter[0].value must be a string',
		],
		[
			{ filter: [{ field: 'shoe', operation: 'equals', value: '5' }] },
			'data.page.filter.field "shoe" is not a field of this list',
		],
	])('refuses the page %j', async (page, message) => {
		const { status, answer } = await call('customers', { page });
		expect([status, answer.error.message]).toEqual([400, message]);
	});

	test('shows changes at once', async () => {
		const { id } = sandbox.addCustomer({ email: 'old@x.com' });
		expect(await emails({})).toEqual(['old@x.com']);
		await call('updateCustomer', { customerID: id, form: { email: 'new@x.com' } });
		expect(await emails({})).toEqual(['new@x.com']);
		sandbox.removeCustomer(id);
		expect(await emails({})).toEqual([]);
	});

	test('goes on as it is while it is held', async () => {
		sandbox.addCustomer({ email: 'old@x.com' });
		sandbox.holdCustomerList(true);
		sandbox.addCustomer({ email: 'new@x.com' });
		expect(await emails({})).toEqual(['old@x.com']);
		sandbox.holdCustomerList(false);
		expect(await emails({})).toEqual(['old@x.com', 'new@x.com']);
	});
});
