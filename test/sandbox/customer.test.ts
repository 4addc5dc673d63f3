import { useService } from './useService';

/**
 * Holds the eight customer and payment-method endpoints of the sandbox to the service's
 * description.
 */

const { sandbox, call, refusal } = useService();

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
const gpecomm = { id: 'gp_1', cvv: '111' };
const none = {
	...{ cvc: '', accountNumber: '', routingNumber: '', accountType: '', accountHolderType: '' },
	gpEcommID: '',
};
const shown = { last4: '4444', brand: 'MASTERCARD', expires: '04/31' };

test('a customer is stored with all fields, and listed', async () => {
	const { status, answer } = await call('addCustomer', {
		form: { ...form, skipMultiTokenConvert: true, card },
	});
	const { customerID: id, paymentCardID: cardID } = answer;
	expect([status, Object.keys(answer)]).toEqual([200, ['customerID', 'paymentCardID']]);
	const method = { ...none, ...shown, cardID, type: 'card', isDefault: true, cvc: '987' };
	expect((await call('customer', { customerID: id })).answer).toEqual({
		...{ id, ...form },
		paymentCards: [method],
	});
	expect((await call('customers', { page: {} })).answer).toEqual({
		data: [
			{
				...{ id, isDefault: true, ...shown, name: 'Ada Byron', city_state: 'Springfield, IL' },
				...{ zip: '62701', email: 'ada@example.com', phone: '+1 555 0100' },
			},
		],
		page: { total: 1, range: { from: 0, to: 1 }, page: 1, pageSize: 10 },
	});
});

test('a customer needs no payment method, and then has an empty paymentCardID', async () => {
	expect((await call('addCustomer', { form })).answer.paymentCardID).toBe('');
	expect(sandbox.customers).toMatchObject([{ paymentCards: [] }]);
});

test.each([
	[false, { ...form, email: 'countess@example.com', phone: '' }],
	[true, { email: 'countess@example.com', phone: '', nameOnCard: '', billingCity: '' }],
])('an update, where it replaces the form: %j', async (updateReplaces, after) => {
	sandbox.settings.updateReplaces = updateReplaces;
	const { id: customerID } = sandbox.addCustomer({ ...form, card });
	const changes = { email: 'countess@example.com', phone: '' };
	const { answer } = await call('updateCustomer', { customerID, form: changes });
	expect(answer).toEqual({ customerID });
	expect(sandbox.customers).toMatchObject([{ ...after, paymentCards: [{ last4: '4444' }] }]);
});

test('deleting a customer removes the payment methods too', async () => {
	const { id: customerID } = sandbox.addCustomer({ card });
	expect((await call('deleteCustomer', { customerID })).answer).toEqual({ customerID });
	expect((await call('customers', { page: {} })).answer.data).toEqual([]);
	const cardID = 'pm_1';
	const gone = [404, `Customer ${customerID} not found`];
	for (const [endpoint, data] of Object.entries({
		customer: {},
		deleteCustomer: {},
		updateCustomer: { form: {} },
		addPaymentMethod: { form: { card } },
		deletePaymentMethod: { cardID },
		setDefaultPaymentMethod: { cardID },
	})) {
		expect(await refusal(endpoint, { customerID, ...data })).toEqual(gone);
	}
});

test.each([
	['card', { card }, shown],
	['ach', { ach }, { ...ach, last4: '6789', brand: 'ACH' }],
	['gpecomm', { gpecomm, skipMultiTokenConvert: false }, { gpEcommID: 'gp_1', cvc: '111' }],
])('a saved %s is answered in clear', async (type, given, method) => {
	const { id: customerID } = sandbox.addCustomer();
	const { answer } = await call('addPaymentMethod', { customerID, form: given });
	expect(answer).toEqual({ customerID, paymentCardID: expect.stringMatching(/^pm_/) });
	const saved = { ...method, type, cardID: answer.paymentCardID, isDefault: true };
	expect((await call('customer', { customerID })).answer.paymentCards).toMatchObject([saved]);
});

test('one method is the default: the first, the one that is set, or the next one', async () => {
	const { id: customerID, paymentCards } = sandbox.addCustomer({ card });
	const other = sandbox.addPaymentMethod(customerID, { ach }).cardID;
	const form = { card, setAsDefault: true };
	const defaults = () => sandbox.customers[0]?.paymentCards.map((each) => each.isDefault);
	expect(defaults()).toEqual([true, false]);
	const added = (await call('addPaymentMethod', { customerID, form })).answer.paymentCardID;
	expect(defaults()).toEqual([false, false, true]);
	const set = await call('setDefaultPaymentMethod', { customerID, cardID: other });
	expect(set.answer).toEqual({ customerID });
	expect(defaults()).toEqual([false, true, false]);
	expect((await call('customers', { page: {} })).answer.data).toMatchObject([{ last4: '6789' }]);
	const deleted = await call('deletePaymentMethod', { customerID, cardID: other });
	expect(deleted.answer).toEqual({ customerID });
	expect(sandbox.customers[0]?.paymentCards).toMatchObject([
		{ cardID: paymentCards[0]?.cardID, isDefault: true },
		{ cardID: added, isDefault: false },
	]);
	const stranger = sandbox.addCustomer({ card }).id;
	for (const endpoint of ['deletePaymentMethod', 'setDefaultPaymentMethod']) {
		expect((await call(endpoint, { customerID: stranger, cardID: added })).status).toBe(404);
	}
});

test.each([
	['addCustomer', {}, 'form is missing'],
	['addCustomer', { form: { ...form, nickname: 'Ada' } }, 'form.nickname is not a known field'],
	['addCustomer', { form: { phone: 5550100 } }, 'form.phone must be a string'],
	['addCustomer', { form: { email: null } }, 'form.email must be a string'],
	[
		'addCustomer',
		{ form: { skipMultiTokenConvert: 'y' } },
		'form.skipMultiTokenConvert must be a boolean',
	],
	['addCustomer', { form: { card: 'tok' } }, 'form.card must be an object'],
	['addCustomer', { form: { card: { cvc: '123' } } }, 'form.card.cardToken is missing'],
	[
		'addCustomer',
		{ form: { card: { ...card, expiryDate: '13/30' } } },
		'form.card.expiryDate must be a date as MM/YY',
	],
	[
		'addCustomer',
		{ form: { ach: { ...ach, routingNumber: '1' } } },
		'form.ach.routingNumber must be a routing number of 9 digits',
	],
	['addCustomer', { form: { card, ach } }, 'form must hold at most one of card, ach, gpecomm'],
	['addCustomer', { form: {}, customerID: 'x' }, 'customerID is not a known field'],
	['customer', {}, 'customerID is missing'],
	['customer', { customerID: 7 }, 'customerID must be a string'],
	['updateCustomer', { customerID: 'x', form: { card } }, 'form.card is not a known field'],
	['deletePaymentMethod', { customerID: 'x' }, 'cardID is missing'],
	['customers', { page: { page: 0 } }, 'page.page must be an integer of 1 or more'],
	['customers', { page: { page: '1' } }, 'page.page must be an integer of 1 or more'],
	['customers', { page: { pageSize: 2.5 } }, 'page.pageSize must be an integer of 1 or more'],
	['customers', { page: { size: 10 } }, 'page.size is not a known field'],
	['customers', { page: { sort: 'email' } }, 'page.sort must be an object'],
	['customers', { page: { sort: { field: 'email' } } }, 'page.sort.order is missing'],
	[
		'customers',
		{ page: { sort: { field: 'email', order: 'up' } } },
		'page.sort.order must be one of asc, desc',
	],
	[
		'customers',
		{ page: { sort: { field: 'shoe', order: 'asc' } } },
		'page.sort.field "shoe" is not a field of this list',
	],
	[
		'customers',
		{ page: { sort: { field: 'isDefault', order: 'asc' } } },
		'page.sort.field "isDefault" cannot be sorted by',
	],
	['customers', { page: { filter: { field: 'email' } } }, 'page.filter must be an array'],
	[
		'customers',
		{ page: { filter: [{ field: 'email', operation: 'like', value: 'a' }] } },
		'page.filter[0].operation must be one of contains, equals, gt, lt, gte, lte, neq',
	],
	[
		'customers',
		{ page: { filter: [{ field: 'shoe', operation: 'equals', value: '5' }] } },
		'page.filter.field "shoe" is not a field of this list',
	],
])('%s refuses %j', async (endpoint, data, words) => {
	expect(await refusal(endpoint, data)).toEqual([400, `data.${words}`]);
	expect(sandbox.customers).toEqual([]);
});

test('a form without a method adds none', async () => {
	const { id: customerID } = sandbox.addCustomer();
	const words = 'data.form must hold one of card, ach, gpecomm';
	const form = { setAsDefault: true };
	expect(await refusal('addPaymentMethod', { customerID, form })).toEqual([400, words]);
});

describe('the list', () => {
	const emails = async (page: unknown): Promise<string> => {
		const { answer } = await call('customers', { page });
		return answer.data.map(({ email }: { email: string }) => email.charAt(0)).join('');
	};
	const where = (field: string, operation: string, value: string) => ({ field, operation, value });

	test('begins with the first ten in order of creation, and ends with an empty page', async () => {
		const made = sandbox.addCustomers(12).map(({ id }) => id);
		const { data } = (await call('customers')).answer;
		expect(data.map(({ id }: { id: string }) => id)).toEqual(made.slice(0, 10));
		const read = async (page: number) =>
			(await call('customers', { page: { page, pageSize: 5 } })).answer;
		const last = { total: 12, range: { from: 10, to: 12 }, page: 3, pageSize: 5 };
		expect(await read(3)).toMatchObject({ data: [{}, {}], page: last });
		expect(await read(9)).toMatchObject({ data: [], page: { total: 12, page: 9 } });
	});

	test.each([
		['bac', {}],
		['abc', { sort: { field: 'email', order: 'asc' } }],
		['cba', { sort: { field: 'email', order: 'desc' } }],
		['cab', { sort: { field: 'city_state', order: 'asc' } }],
		['b', { filter: [where('email', 'contains', 'B@')] }],
		['b', { filter: [where('email', 'equals', 'b@x.com')] }],
		['', { filter: [where('email', 'equals', 'B@x.com')] }],
		['c', { filter: [where('email', 'gt', 'b@x.com')] }],
		['bc', { filter: [where('email', 'gte', 'b@x.com')] }],
		['a', { filter: [where('email', 'lt', 'b@x.com')] }],
		['ba', { filter: [where('email', 'lte', 'b@x.com')] }],
		['ac', { filter: [where('email', 'neq', 'b@x.com')] }],
		['a', { filter: [where('email', 'contains', 'x.com'), where('zip', 'equals', '2')] }],
		['c', { search: 'hopper' }],
		['bac', { search: '' }],
	])('is %j for %j', async (expected, page) => {
		sandbox.addCustomer({ email: 'b@x.com', billingCity: 'Zion', billingZip: '1' });
		sandbox.addCustomer({ email: 'a@x.com', billingCity: 'Mesa', billingZip: '2' });
		sandbox.addCustomer({ email: 'c@x.com', billingCity: 'Bend', nameOnCard: 'Grace HOPPER' });
		expect(await emails(page)).toBe(expected);
	});

	test('shows changes at once, unless it is held', async () => {
		const { id } = sandbox.addCustomer({ email: 'a@x.com' });
		expect(await emails({})).toBe('a');
		await call('updateCustomer', { customerID: id, form: { email: 'b@x.com' } });
		expect(await emails({})).toBe('b');
		sandbox.holdCustomerList(true);
		sandbox.removeCustomer(id);
		sandbox.addCustomer({ email: 'c@x.com' });
		expect(await emails({})).toBe('b');
		sandbox.holdCustomerList(false);
		expect(await emails({})).toBe('c');
	});
});
