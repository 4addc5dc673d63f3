import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { createMask } from '../../nodes/PaymentsGateway/output/mask';
import type { Endpoint } from '../../nodes/PaymentsGateway/wire';
import { engine, log, output } from '../engine';
import { foundIn } from '../reliability/secrets';
import { by } from '../resources/locator';
import { useNode } from '../useNode';
import { HARMLESS } from './harmless';

/** What is not secret leaves as it came: a destroyed order number is as bad as a leaked account. */

/** As JSON has them, which is how they arrive. */
const words = JSON.parse(JSON.stringify(HARMLESS)) as IDataObject;
const { sandbox, credentials, run } = useNode();

test.each(Object.entries(HARMLESS))('%s leaves as it came', (name, value) => {
	const mask = createMask(['a-header-token', 'a-private-token', 'test', '100']);
	const row = { id: '1', lineItems: [{ [name]: value }], [name]: value };
	expect(mask.value(row)).toEqual(row);
	const json = JSON.stringify({ [name]: value });
	expect(mask.text(json)).toBe(json);
});

const CARD = { details: { cardToken: 'tok_visa_4242', cvc: '100', expiryDate: '08/29' } };
const ACH = { details: { accountNumber: '0012345678', routingNumber: '021000021' } };
/** Beside them, what must not leave. */
const planted = () => ({
	words,
	secret: { accountNumber: '000123456789', cvc: '7370', json: '{"card_no":"4111111111111111"}' },
	token: `${sandbox.credentials.headerToken} ${sandbox.credentials.privateToken}`,
});
const masked = {
	words,
	secret: { accountNumber: '••••6789', json: '{"card_no":"••••1111"}' },
	token: '•••• ••••',
};
const beside = (answer: unknown): unknown => ({ ...Object(answer), ...planted() });
const inRows = (answer: unknown) => {
	const { data, page } = answer as { data: object[]; page: object };
	return { data: data.map(beside), page };
};
const inMethods = (answer: unknown) => ({ ...Object(answer), paymentCards: [planted()] });
const customerId = by('id', 'cus_1');
const chosen = { customerId, paymentMethodId: by('id', '={{ $json.cardID }}') };
const card = { instrument: 'card', card: CARD };
const ach = { customerId, instrument: 'ach', ach: ACH };
const change = { customerId, customerFields: { phone: '1' } };

test.each<[string, INodeParameters, Endpoint, (answer: unknown) => unknown]>([
	['customer.create', card, 'addCustomer', beside],
	['customer.delete', { customerId }, 'deleteCustomer', beside],
	['customer.get', { customerId }, 'customer', beside],
	['customer.getAll', {}, 'customers', inRows],
	['customer.update', change, 'updateCustomer', beside],
	['paymentMethod.add', ach, 'addPaymentMethod', beside],
	['paymentMethod.delete', chosen, 'deletePaymentMethod', beside],
	['paymentMethod.getAll', { customerId }, 'customer', inMethods],
	['paymentMethod.setDefault', chosen, 'setDefaultPaymentMethod', beside],
	['cart.calculate', { paymentData: '={{ $json.cart }}' }, 'computeTokenizedCheckout', beside],
])('%s hands all of them on, also in an error, and no secret', async (name, given, on, answer) => {
	sandbox.addCustomer({ id: 'cus_1', email: 'ada@example.com' });
	const { cardID } = sandbox.addPaymentMethod('cus_1', { card: CARD.details });
	const items = [{ cardID, cart: sandbox.addCart() }];
	const [resource = '', operation = ''] = name.split('.');
	const parameters = { resource, operation, ...given };
	const { headerToken, privateToken } = sandbox.credentials;
	const typed = ['0012345678', '021000021', 'tok_visa_4242'];
	const sent = typed.filter((secret) => JSON.stringify(given).includes(secret));
	const secrets = [headerToken, privateToken, ...sent];
	const message = `${String(words.notes)}: ${secrets.join(', ')}`;
	// A list that is refused is asked for once more, in smaller pages.
	sandbox.fault({ on, status: 400, times: 2, body: { message } });
	const { error } = await run(parameters, { items });
	expect(error?.message).toMatch(/^Order 737 of 4242, seat 12A: ••••, ••••/);
	expect(foundIn([error, log.lines], secrets)).toEqual([]);
	sandbox.clearFaults();
	sandbox.fault({ on, answer });
	expect(output(await run(parameters, { items }))).toMatchObject([masked]);
});

test('an event hands all of them on, from Get Many, Get Status and the trigger', async () => {
	const lineItems = [{ amount: 1, total: 100, product: { sku: 'A', words } }];
	const payload = {
		transaction: { id: 't', amount: 100, currency: 'USD', referenceID: 'order 100 of 200', words },
		lineItems: { narrative: 'account 55512345', metadata: words.metadata, lineItems },
	};
	const trigger = engine.poller({ parameters: { simplify: false }, credentials: credentials() });
	await trigger.activate();
	sandbox.addEvent({ payload });
	const fired = (await trigger.poll())?.flat().map(({ json }) => json);
	expect(fired).toMatchObject([{ payload }]);
	const getAll = { resource: 'event', operation: 'getAll' };
	expect(output(await run({ ...getAll, simplify: false }))).toMatchObject([{ payload }]);
	expect(output(await run(getAll))).toMatchObject([{ lineItems }]);
	const getStatus = { resource: 'payment', operation: 'getStatus' };
	const found = await run({ ...getStatus, referenceId: 'order 100 of 200' });
	expect(output(found)).toMatchObject([{ events: [{ lineItems }] }]);
});
