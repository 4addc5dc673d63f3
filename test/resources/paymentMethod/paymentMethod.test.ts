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

const details = { cardToken: '={{ $json.token }}' };
test.each<[string, INodeParameters, string]>([
	[
		'Set Default',
		{ operation: 'setDefault', paymentMethodId: by('id', '={{ $json.cardID }}') },
		'1002',
	],
	['Add', { operation: 'add', card: { details }, options: { setAsDefault: true } }, '2002'],
])(
	'of several items of %s about one customer, the last decides the default, even if the first is sent again',
	async (_, parameters, last4) => {
		const { id, cardIDs } = customerWith(3);
		const on = ['setDefaultPaymentMethod', 'addPaymentMethod'] as const;
		sandbox.fault({ on, status: 429, headers: { 'Retry-After': '0' } });
		const items = [1, 2].map((n) => ({ cardID: cardIDs[n], token: `tok_visa_200${n}` }));
		output(await run({ customerId: by('id', id), ...parameters }, { items }));
		expect(methodsOf(id)?.find(({ isDefault }) => isDefault)?.last4).toBe(last4);
	},
);

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
