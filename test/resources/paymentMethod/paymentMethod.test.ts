import type { INodeParameters } from 'n8n-workflow';

import { output } from '../../engine';
import { useNode } from '../../useNode';
import { by } from '../locator';

/**
 * A customer's payment methods: listed, added as they were filled in, deleted, and made the default.
 */

const { sandbox, run, sent } = useNode({ resource: 'paymentMethod' });

const card = { cardToken: 'tok_mastercard_4444', cvc: '123', expiryDate: '08/29' };
const ach = { accountNumber: '000123456789', routingNumber: '021000021' };
const types = { accountType: 'CHECKING', accountHolderType: 'PERSONAL' };
const ACCOUNT = '12345678901234567';

/** A customer with this many cards. The first is the default. */
function customerWith(cards: number) {
	const { id } = sandbox.addCustomer({ email: 'ada@example.com' });
	const cardIDs = Array.from({ length: cards }, (_, index) => {
		const details = { cardToken: `tok_visa_${1000 + index}` };
		return sandbox.addPaymentMethod(id, { card: details }).cardID;
	});
	return { id, cardIDs };
}
const methodsOf = (of: string) => sandbox.customers.find(({ id }) => id === of)?.paymentCards;

test.each<[INodeParameters, object]>([
	[{ card: { details: { ...card, cvc: '' } } }, { card: { ...card, cvc: undefined } }],
	[
		{ instrument: 'ach', ach: { details: ach }, options: { setAsDefault: true } },
		{ ach: { ...ach, ...types }, setAsDefault: true },
	],
	[
		{ card: { details: card }, options: { setAsDefault: false } },
		{ card, setAsDefault: false },
	],
])('%j adds exactly that', async (parameters, form) => {
	const { id } = customerWith(1);
	const items = output(await run({ operation: 'add', customerId: by('id', id), ...parameters }));
	const added = methodsOf(id)?.[1];
	expect(items).toEqual([{ customerID: id, paymentCardID: added?.cardID }]);
	// JSON has no undefined: a field that is undefined here must not have been sent.
	expect(sent('addPaymentMethod')).toEqual([{ customerID: id, form }]);
	expect(added?.isDefault).toBe('setAsDefault' in form && form.setAsDefault);
});

test('refuses a form without its details before the customer is looked up', async () => {
	const add = { operation: 'add', customerId: by('email', 'ada@example.com') };
	for (const instrument of ['card', 'ach', 'gpecomm']) {
		expect((await run({ ...add, instrument })).error?.message).toContain('is empty');
	}
	expect(sandbox.requests).toHaveLength(0);
});

test.each([
	[Number(ACCOUNT), 'takes text, not a number'],
	[{ number: ACCOUNT }, 'takes text, not an object'],
	[`${ACCOUNT.slice(0, 12)}E+11`, 'takes digits only'],
])('an account number given as %j is in no error', async (given, why) => {
	const details = { ...ach, accountNumber: '={{ $json.given }}' };
	const add = { operation: 'add', customerId: by('id', 'cus_1'), instrument: 'ach' };
	const { error } = await run({ ...add, ach: { details } }, { items: [{ given }] });
	expect(error?.message).toContain(`'Account Number' ${why}`);
	expect(JSON.stringify([error, error?.message, error?.stack])).not.toContain(ACCOUNT.slice(0, 12));
	expect(sandbox.requests).toEqual([]);
});

test('delete and set default name the method and its customer, and do no more', async () => {
	const { id, cardIDs } = customerWith(3);
	const [first, second, third] = cardIDs;
	const act = async (operation: string, cardID: unknown) =>
		await run({ operation, customerId: by('id', id), paymentMethodId: by('list', cardID) });
	expect(output(await act('setDefault', third))).toEqual([{ customerID: id }]);
	expect(output(await act('delete', second))).toEqual([{ customerID: id, deleted: true }]);
	expect(sent('setDefaultPaymentMethod')).toEqual([{ customerID: id, cardID: third }]);
	expect(sent('deletePaymentMethod')).toEqual([{ customerID: id, cardID: second }]);
	expect(methodsOf(id)).toMatchObject([
		{ cardID: first, isDefault: false },
		{ cardID: third, isDefault: true },
	]);
	const again = await act('delete', second);
	expect(again.error?.message).toBe(`Customer ${id} has no payment method ${second}`);
	expect(again.error?.description).toContain("Check 'Customer' and 'Payment Method'");
});

describe('of several items about one customer, the last decides the default, even if the first is sent again:', () => {
	const last4 = (id: string) => methodsOf(id)?.find(({ isDefault }) => isDefault)?.last4;
	const tooMany = { status: 429, headers: { 'Retry-After': '0' } };

	test('Set Default', async () => {
		const { id, cardIDs } = customerWith(3);
		sandbox.fault({ on: 'setDefaultPaymentMethod', ...tooMany });
		const parameters = {
			customerId: by('id', id),
			paymentMethodId: by('id', '={{ $json.cardID }}'),
		};
		const items = cardIDs.slice(1).map((cardID) => ({ cardID }));
		output(await run({ operation: 'setDefault', ...parameters }, { items }));
		expect(last4(id)).toBe('1002');
	});

	test('Add with Set as Default', async () => {
		const { id } = customerWith(1);
		sandbox.fault({ on: 'addPaymentMethod', ...tooMany });
		const details = { cardToken: '={{ $json.token }}' };
		const parameters = { customerId: by('id', id), card: { details } };
		const items = [{ token: 'tok_visa_2001' }, { token: 'tok_visa_2002' }];
		const options = { setAsDefault: true };
		output(await run({ operation: 'add', ...parameters, options }, { items }));
		expect(last4(id)).toBe('2002');
	});
});

describe('the list', () => {
	const getAll = async (customerId: INodeParameters, more: INodeParameters = {}) =>
		output(await run({ operation: 'getAll', customerId, ...more }));

	test('has the methods as items, with sensitive fields shortened', async () => {
		sandbox.addPaymentMethod(customerWith(1).id, { ach });
		expect(await getAll(by('email', 'ada@example.com'))).toMatchObject([
			{ type: 'card', brand: 'VISA', last4: '1000' },
			{ accountNumber: '••••6789', routingNumber: '••••0021' },
		]);
	});

	test('has as many of 60 methods as the form asks for, in order', async () => {
		const { id, cardIDs } = customerWith(60);
		for (const [more, count] of [
			[{ returnAll: true }, 60],
			[{}, 50],
			[{ limit: 3 }, 3],
		] as const) {
			const items = await getAll(by('id', id), more);
			expect(items.map(({ cardID }) => cardID)).toEqual(cardIDs.slice(0, count));
		}
	});

	test('is empty for a customer without payment methods', async () => {
		const { id } = sandbox.addCustomer();
		sandbox.fault({ answer: () => ({ id }) });
		expect(await getAll(by('id', id))).toEqual([]);
	});
});
