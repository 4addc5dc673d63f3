import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { createMask } from '../../nodes/PaymentsGateway/output/mask';
import type { Endpoint } from '../../nodes/PaymentsGateway/wire';
import { engine, output } from '../engine';
import { by } from '../resources/locator';
import { useNode } from '../useNode';
import { HARMLESS } from './harmless';

/** What is not secret leaves as it came: a destroyed order number is as bad as a leaked account. */

/** As JSON has them, which is how they arrive. */
const words = JSON.parse(JSON.stringify(HARMLESS)) as IDataObject;
const { sandbox, credentials, run } = useNode();

test('there are about a hundred of them', () => {
	expect(Object.keys(words).length).toBeGreaterThanOrEqual(100);
});

describe.each(Object.entries(HARMLESS))('%s', (name, value) => {
	test('leaves as it came, and not as a copy', () => {
		const mask = createMask(['a-header-token', 'a-private-token', 'test', '100']);
		const row = { id: '1', lineItems: [{ [name]: value }], [name]: value };
		for (const reveal of [false, true]) expect(mask.value(row, reveal)).toBe(row);
		const json = JSON.stringify({ [name]: value });
		expect(mask.text(json)).toBe(json);
	});
});

const CARD = { details: { cardToken: 'tok_visa_4242', cvc: '100', expiryDate: '08/29' } };
const ACH = { details: { accountNumber: '0012345678', routingNumber: '021000021' } };
const customerId = by('id', 'cus_1');
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
	return { data: data.map((row) => ({ ...row, ...planted() })), page };
};
const add = { customerId, instrument: 'ach', ach: ACH };

describe.each<[string, INodeParameters, Endpoint, (answer: unknown) => unknown]>([
	['customer.create', { instrument: 'card', card: CARD }, 'addCustomer', beside],
	['customer.delete', { customerId }, 'deleteCustomer', beside],
	['customer.get', { customerId }, 'customer', beside],
	['customer.getAll', {}, 'customers', inRows],
	['customer.update', { customerId, customerFields: { phone: '1' } }, 'updateCustomer', beside],
	['paymentMethod.add', add, 'addPaymentMethod', beside],
	[
		'paymentMethod.delete',
		{ customerId, paymentMethodId: by('id', 'c') },
		'deletePaymentMethod',
		beside,
	],
	[
		'paymentMethod.getAll',
		{ customerId },
		'customer',
		(answer) => ({ ...Object(answer), paymentCards: [{ cardID: 'c', ...planted() }] }),
	],
	[
		'paymentMethod.setDefault',
		{ customerId, paymentMethodId: by('id', 'c') },
		'setDefaultPaymentMethod',
		beside,
	],
	['cart.calculate', { paymentData: 'CART' }, 'computeTokenizedCheckout', beside],
])('%s', (name, parameters, on, answer) => {
	test('hands all of them on, and no secret', async () => {
		const [resource = '', operation = ''] = name.split('.');
		sandbox.addCustomer({ id: 'cus_1', email: 'ada@example.com' });
		const method = sandbox.addPaymentMethod('cus_1', { card: CARD.details });
		const filled = JSON.parse(
			JSON.stringify(parameters)
				.replace('"c"', JSON.stringify(method.cardID))
				.replace('"CART"', JSON.stringify(sandbox.addCart())),
		) as INodeParameters;
		sandbox.fault({ on, answer });
		expect(output(await run({ resource, operation, ...filled }))).toMatchObject([masked]);
	});
});

describe('an event', () => {
	const lines = [{ amount: 1, total: 100, product: { sku: 'A', words } }];
	const payload = {
		transaction: { id: 't', amount: 100, currency: 'USD', referenceID: 'order 100 of 200', words },
		lineItems: { narrative: 'account 55512345', metadata: words.metadata, lineItems: lines },
	};

	test('hands all of them on, from Get Many and Get Status', async () => {
		sandbox.addEvent({ payload });
		const getAll = { resource: 'webhookEvent', operation: 'getAll' };
		expect(output(await run({ ...getAll, simplify: false }))).toMatchObject([{ payload }]);
		expect(output(await run(getAll))).toMatchObject([{ lineItems: lines }]);
		const getStatus = { resource: 'payment', operation: 'getStatus' };
		const found = await run({ ...getStatus, referenceId: 'order 100 of 200' });
		expect(output(found)).toMatchObject([{ events: [{ lineItems: lines }] }]);
	});

	test.each([true, false])(
		'hands all of them on, from the trigger (simplify: %p)',
		async (simplify) => {
			const trigger = engine.poller({ parameters: { simplify }, credentials: credentials() });
			await trigger.activate();
			sandbox.addEvent({ payload });
			const fired = (await trigger.poll())?.flat().map(({ json }) => json);
			expect(fired).toMatchObject([simplify ? { lineItems: lines } : { payload }]);
		},
	);
});

test('a link and a charge keep all of them as their reference', async () => {
	const texts = Object.values(words).filter((each) => typeof each === 'string');
	const references = [...new Set(texts)].filter((each) => /^[^\n\ud800]{3,}$/.test(each));
	const expected = references.map((referenceID) => ({ referenceID }));
	const paylink = { resource: 'paylink', operation: 'create', amount: 25 };
	const referenceId = '={{ $json.referenceID }}';
	const links = await run({ ...paylink, referenceId }, { items: expected });
	expect(output(links)).toMatchObject(expected);
	const commit = { resource: 'payment', operation: 'commit', customerConsent: true, card: CARD };
	const carts = expected.map((given) => ({ cart: sandbox.addCart(given) }));
	const paymentData = '={{ $json.cart }}';
	const charges = await run({ ...commit, paymentData }, { items: carts });
	expect(output(charges)).toMatchObject(expected.map((given) => ({ charged: true, ...given })));
});

test('a paylink survives a token that is a word of its address', async () => {
	sandbox.fault({
		on: 'createCheckoutData',
		answer: () => ({
			data: {
				payLinkID: 'test-1',
				url: 'https://test.example/latest/test-1',
				paymentData: 'testdata',
				token: 'pk_test',
				groupID: 'test',
			},
		}),
	});
	const paylink = { resource: 'paylink', operation: 'create', amount: 25 };
	const short = credentials({ privateToken: 'test' });
	sandbox.credentials.privateToken = 'test';
	expect(output(await run(paylink, { credentials: short }))).toMatchObject([
		{ payLinkID: 'test-1', url: 'https://test.example/latest/test-1', token: 'pk_test' },
	]);
});
