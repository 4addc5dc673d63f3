import { output } from '../../engine';
import { useNode } from '../../useNode';
import { by } from '../locator';
import { everything } from './everything';

/** A customer as the service has it, with what is sensitive left out unless it is asked for. */

const { sandbox, run } = useNode({ resource: 'customer', operation: 'get' });

describe('get', () => {
	const stored = () =>
		sandbox.addCustomer({
			...everything,
			ach: { accountNumber: '000123456789', routingNumber: '021000021' },
		});

	test('answers the detail, with what is sensitive left out or shortened', async () => {
		const { id, paymentCards } = stored();
		const [method] = paymentCards;
		const { cvc, ...shown } = { ...method };
		expect(cvc).toBeDefined();
		expect(output(await run({ customerId: by('id', id) }))).toEqual([
			{
				id,
				...everything,
				paymentCards: [{ ...shown, accountNumber: '••••6789', routingNumber: '••••0021' }],
			},
		]);
	});

	test('shows all of it when asked to', async () => {
		const detail = stored();
		const parameters = { customerId: by('id', detail.id), options: { includeSensitive: true } };
		expect(output(await run(parameters))).toEqual([detail]);
	});

	test('never shows the tokens, even so', async () => {
		const { headerToken, privateToken } = sandbox.credentials;
		const { id } = sandbox.addCustomer({ nameOnCard: `${headerToken} ${privateToken}` });
		const parameters = { customerId: by('id', id), options: { includeSensitive: true } };
		expect(output(await run(parameters))).toMatchObject([{ nameOnCard: '•••• ••••' }]);
	});
});
