import { output } from '../../engine';
import { useNode } from '../../useNode';
import { by } from '../locator';
import { everything } from './everything';

/** A customer as the gateway has it, with what is sensitive left out or cut. */

const { sandbox, run } = useNode({ resource: 'customer', operation: 'get' });

test('shows what people read first, then the rest, and what is sensitive left out or cut', async () => {
	const ach = { accountNumber: '000123456789', routingNumber: '021000021' };
	const { id, paymentCards } = sandbox.addCustomer({ ...everything, ach });
	sandbox.fault({ on: 'customer', answer: (answer) => ({ vip: true, ...(answer as object) }) });
	const [item = {}] = output(await run({ customerId: by('id', id) }));
	const [{ cvc, ...shown } = { cvc: undefined }] = paymentCards;
	expect(cvc).toBeDefined();
	const method = { ...shown, accountNumber: '••••6789', routingNumber: '••••0021' };
	expect(item).toEqual({ ...everything, id, vip: true, paymentCards: [method] });
	expect(Object.keys(item).join()).toBe(
		'nameOnCard,email,phone,billingCity,billingState,billingAddress,billingZip,billingCountry,paymentCards,id,vip',
	);
});
