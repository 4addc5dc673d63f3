import { log, output } from '../../engine';
import { useNode } from '../../useNode';
import { by } from '../locator';
import { customerWith, methodsOf } from './methods';

/** The payment methods of a customer, in the service's order. */

const { sandbox, run } = useNode({ resource: 'paymentMethod', operation: 'getAll' });

const ach = { accountNumber: '000123456789', routingNumber: '021000021', accountType: 'CHECKING' };

test('answers the methods as items, in order, with what is sensitive shortened', async () => {
	const { id } = customerWith(sandbox, 0);
	sandbox.addPaymentMethod(id, { card: { cardToken: 'tok_visa_4242', cvc: '123' } });
	sandbox.addPaymentMethod(id, { ach });
	const parameters = { customerId: by('email', 'ada@example.com'), returnAll: true };
	const items = output(await run(parameters));
	expect(items).toMatchObject([
		{ last4: '4242' },
		{ accountNumber: '••••6789', routingNumber: '••••0021' },
	]);
	expect(items.some((item) => 'cvc' in item)).toBe(false);
	const revealed = await run({ ...parameters, options: { includeSensitive: true } });
	expect(output(revealed)).toEqual(methodsOf(sandbox, id));
});

test('simplified, each has what people look for, in ten fields at most', async () => {
	const { id } = customerWith(sandbox, 1);
	sandbox.addPaymentMethod(id, { ach });
	const customerId = by('id', id);
	const full = output(await run({ customerId, options: { simplify: false } }));
	const simple = output(await run({ customerId, options: { simplify: true } }));
	expect(simple).toMatchObject([
		{ cardID: full[0]?.cardID, type: 'card', isDefault: true, brand: 'VISA', last4: '1000' },
		{ accountType: 'CHECKING', accountNumber: '••••6789' },
	]);
	for (const [index, method] of simple.entries()) {
		expect(Object.keys(method).length).toBeLessThanOrEqual(10);
		expect(full[index]).toMatchObject(method);
	}
	expect(output(await run({ customerId }))).toEqual(full);
	expect(Object.keys(full[0] ?? {})).toContain('gpEcommID');
});

test.each([
	[{ returnAll: true }, 60],
	[{ returnAll: false }, 50],
	[{ limit: 3 }, 3],
	[{ limit: 100 }, 60],
])('%j answers %i of 60', async (parameters, count) => {
	const { id, methods } = customerWith(sandbox, 60);
	const items = output(await run({ customerId: by('id', id), ...parameters }));
	const ids = methods.map(({ cardID }) => cardID);
	expect(items.map(({ cardID }) => cardID)).toEqual(ids.slice(0, count));
});

const method = { cardID: 'card_1', last4: '4242' };
test.each<[unknown, object[]]>([
	[null, []],
	[undefined, []],
	['none', []],
	[{}, []],
	[[], []],
	[[method], [method]],
	[[null, method, 'card', ['card'], 7], [method]],
])(
	'of %j are those that are payment methods, with nothing made up',
	async (paymentCards, found) => {
		const hasOther = Array.isArray(paymentCards) && paymentCards.length > found.length;
		for (const simplify of [false, true]) {
			sandbox.fault({ answer: () => ({ id: 'cus_1', paymentCards }) });
			const { id } = sandbox.addCustomer();
			const options = { simplify };
			expect(output(await run({ customerId: by('id', id), options }))).toEqual(found);
		}
		const warnings = log.lines.filter((line) => line.startsWith('warn'));
		expect(warnings).toHaveLength(hasOther ? 2 : 0);
	},
);
