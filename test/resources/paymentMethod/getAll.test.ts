import { log, output } from '../../engine';
import { useNode } from '../../useNode';
import { by } from '../locator';
import { customerWith, methodsOf } from './methods';

/** The payment methods of a customer, in the service's order. */

const { sandbox, run } = useNode({ resource: 'paymentMethod', operation: 'getAll' });

describe('get many', () => {
	test('answers the methods as items, in order, with what is sensitive shortened', async () => {
		const { id } = customerWith(sandbox, 0);
		const account = { accountNumber: '000123456789', routingNumber: '021000021' };
		sandbox.addPaymentMethod(id, { card: { cardToken: 'tok_visa_4242', cvc: '123' } });
		sandbox.addPaymentMethod(id, { ach: account });
		const parameters = { customerId: by('id', id), returnAll: true };
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
		sandbox.addPaymentMethod(id, {
			ach: { accountNumber: '000123456789', routingNumber: '021000021', accountType: 'CHECKING' },
		});
		const customerId = by('id', id);
		const full = output(await run({ customerId }));
		const simple = output(await run({ customerId, options: { simplify: true } }));
		expect(simple).toMatchObject([
			{ cardID: full[0]?.cardID, type: 'card', isDefault: true, brand: 'VISA', last4: '1000' },
			{ accountType: 'CHECKING', accountNumber: '••••6789' },
		]);
		for (const [index, method] of simple.entries()) {
			expect(Object.keys(method).length).toBeLessThanOrEqual(10);
			expect(full[index]).toMatchObject(method);
		}
		expect(output(await run({ customerId, options: { simplify: false } }))).toEqual(full);
		expect(Object.keys(full[0] ?? {})).toContain('gpEcommID');
	});

	test('simplified, makes up nothing that the service left out', async () => {
		const { id } = customerWith(sandbox, 0);
		sandbox.fault({ answer: () => ({ id, paymentCards: [{ cardID: 'card_1', last4: '4242' }] }) });
		const items = output(await run({ customerId: by('id', id), options: { simplify: true } }));
		expect(items).toEqual([{ cardID: 'card_1', last4: '4242' }]);
	});

	test.each([
		[{ returnAll: true }, 60],
		[{ returnAll: false }, 50],
		[{ limit: 3 }, 3],
		[{ limit: 100 }, 60],
	])('%j answers %i of 60', async (parameters, count) => {
		const { id, methods } = customerWith(sandbox, 60);
		const items = output(await run({ customerId: by('id', id), ...parameters }));
		expect(items.map(({ cardID }) => cardID)).toEqual(
			methods.slice(0, count).map(({ cardID }) => cardID),
		);
	});

	test.each([null, undefined, 'none', {}])(
		'of a customer with %p in their place, too',
		async (none) => {
			const { id } = customerWith(sandbox, 1);
			sandbox.fault({
				on: 'customer',
				answer: (all) => ({ ...(all as object), paymentCards: none }),
			});
			expect(output(await run({ customerId: by('id', id), returnAll: true }))).toEqual([]);
			expect(log.lines.filter((line) => line.startsWith('warn'))).toEqual([]);
		},
	);

	test('of a customer without any is an empty result', async () => {
		const { id } = customerWith(sandbox, 0);
		expect(output(await run({ customerId: by('id', id) }))).toEqual([]);
		sandbox.fault({ answer: () => ({ id, paymentCards: null }) });
		expect(output(await run({ customerId: by('id', id) }))).toEqual([]);
	});

	test.each([{ simplify: false }, { simplify: true }])(
		'leaves out what is no payment method (%j)',
		async (options) => {
			const { id, methods } = customerWith(sandbox, 2);
			const paymentCards = [null, ...methods, 'card', ['card'], 7];
			sandbox.fault({ answer: () => ({ id, paymentCards }) });
			expect(output(await run({ customerId: by('id', id), options }))).toHaveLength(2);
		},
	);
});
