import { log, output } from '../../engine';
import { useNode } from '../../useNode';
import { by } from '../locator';
import { customerWith } from './methods';

/** The payment methods of a customer, in the gateway's order. */

const { sandbox, run } = useNode({ resource: 'paymentMethod', operation: 'getAll' });

const ach = { accountNumber: '000123456789', routingNumber: '021000021', accountType: 'CHECKING' };

test('answers the methods as items, in order, with what is sensitive shortened', async () => {
	const { id } = customerWith(sandbox, 1);
	sandbox.addPaymentMethod(id, { ach });
	const customerId = by('email', 'ada@example.com');
	const items = output(await run({ customerId }));
	expect(items).toMatchObject([
		{ last4: '1000' },
		{ accountNumber: '••••6789', routingNumber: '••••0021' },
	]);
});

test.each([
	[{ returnAll: true }, 60],
	[{ returnAll: false }, 50],
	[{ limit: 3 }, 3],
])('%j answers %i of 60', async (parameters, count) => {
	const { id, methods } = customerWith(sandbox, 60);
	const items = output(await run({ customerId: by('id', id), ...parameters }));
	const ids = methods.map(({ cardID }) => cardID);
	expect(items.map(({ cardID }) => cardID)).toEqual(ids.slice(0, count));
});

const method = { cardID: 'card_1', last4: '4242' };
test.each<[unknown, object[]]>([
	[null, []],
	['none', []],
	[[null, method, 'card', ['card'], 7], [method]],
])(
	'of %j are those that are payment methods, with nothing made up',
	async (paymentCards, found) => {
		const { id } = sandbox.addCustomer();
		sandbox.fault({ answer: () => ({ id, paymentCards }) });
		expect(output(await run({ customerId: by('id', id) }))).toEqual(found);
		const warnings = log.lines.filter((line) => line.startsWith('warn'));
		expect(warnings).toHaveLength(Array.isArray(paymentCards) ? 1 : 0);
	},
);
