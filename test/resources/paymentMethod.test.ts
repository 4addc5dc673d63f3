import type { INodeParameters } from 'n8n-workflow';

import type { Endpoint } from '../../nodes/PaymentsGateway/wire';
import { engine, output } from '../engine';
import { startSandbox, type Sandbox } from '../sandbox';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox();
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.close());

const by = (mode: string, value: unknown) => ({ __rl: true, mode, value }) as INodeParameters;
const run = async (operation: string, parameters: INodeParameters, given = {}) =>
	await engine.run({
		parameters: { resource: 'paymentMethod', operation, ...parameters },
		credentials: {
			environment: 'sandbox',
			baseUrl: sandbox.url,
			groupId: sandbox.credentials.groupID,
			headerToken: sandbox.credentials.headerToken,
			privateToken: sandbox.credentials.privateToken,
		},
		...given,
	});
const sent = (endpoint: Endpoint) => sandbox.requestsTo(endpoint).map(({ body }) => body.data);
/** A customer with so many cards, the first of which is the default. */
const customerWith = (cards: number) => {
	const { id } = sandbox.addCustomer({ email: 'ada@example.com' });
	const methods = Array.from({ length: cards }, (_, index) =>
		sandbox.addPaymentMethod(id, { card: { cardToken: `tok_visa_${1000 + index}` } }),
	);
	return { id, methods };
};
const methodsOf = (id: string) => sandbox.customers.find((each) => each.id === id)?.paymentCards;

describe('add', () => {
	const card = { cardToken: 'tok_mastercard_4444', cvc: '123', expiryDate: '08/29' };
	const ach = { accountNumber: '000123456789', routingNumber: '021000021' };
	const types = { accountType: 'CHECKING', accountHolderType: 'PERSONAL' };
	const cases: Array<[INodeParameters, object]> = [
		[{ card: { details: card } }, { card }],
		[
			{ instrument: 'card', card: { details: { ...card, cvc: '' } } },
			{ card: { ...card, cvc: undefined } },
		],
		[{ instrument: 'ach', ach: { details: ach } }, { ach: { ...ach, ...types } }],
		[
			{ instrument: 'gpecomm', gpecomm: { details: { id: 'gp', cvv: '9' } } },
			{ gpecomm: { id: 'gp', cvv: '9' } },
		],
		[
			{ card: { details: card }, options: { setAsDefault: true, skipMultiTokenConvert: true } },
			{ card, setAsDefault: true, skipMultiTokenConvert: true },
		],
		[
			{ card: { details: card }, options: { setAsDefault: false } },
			{ card, setAsDefault: false },
		],
	];

	test.each(cases)('%j sends exactly that', async (parameters, form) => {
		const { id } = customerWith(1);
		const items = output(await run('add', { customerId: by('id', id), ...parameters }));
		const added = methodsOf(id)?.[1];
		expect(items).toEqual([{ customerID: id, paymentCardID: added?.cardID }]);
		// JSON has no undefined, so what is undefined here must not have been there.
		expect(sent('addPaymentMethod')).toEqual([{ customerID: id, form }]);
		expect(Object.values(sent('addPaymentMethod')[0] ?? {})).not.toContain('');
	});

	test('makes it the default only when it is told to', async () => {
		const { id, methods } = customerWith(1);
		const parameters = { customerId: by('email', 'ADA@example.com'), card: { details: card } };
		output(await run('add', parameters));
		expect(methodsOf(id)?.find(({ isDefault }) => isDefault)?.cardID).toBe(methods[0]?.cardID);
		output(await run('add', { ...parameters, options: { setAsDefault: true } }));
		expect(methodsOf(id)?.[2]?.isDefault).toBe(true);
	});

	test('refuses a form without its details before anything is sent', async () => {
		for (const instrument of ['card', 'ach', 'gpecomm']) {
			const { error } = await run('add', {
				customerId: by('email', 'ada@example.com'),
				instrument,
			});
			expect(error?.message).toContain('is empty');
		}
		expect(sandbox.requests).toHaveLength(0);
	});
});

describe('get many', () => {
	test('answers the methods as items, in order, with what is sensitive shortened', async () => {
		const { id } = customerWith(0);
		const account = { accountNumber: '000123456789', routingNumber: '021000021' };
		sandbox.addPaymentMethod(id, { card: { cardToken: 'tok_visa_4242', cvc: '123' } });
		sandbox.addPaymentMethod(id, { ach: account });
		const parameters = { customerId: by('id', id), returnAll: true };
		const items = output(await run('getAll', parameters));
		expect(items).toMatchObject([
			{ last4: '4242' },
			{ accountNumber: '••••6789', routingNumber: '••••0021' },
		]);
		expect(items.some((item) => 'cvc' in item)).toBe(false);
		const revealed = await run('getAll', { ...parameters, options: { includeSensitive: true } });
		expect(output(revealed)).toEqual(methodsOf(id));
	});

	test.each([
		[{ returnAll: true }, 60],
		[{ returnAll: false }, 50],
		[{ limit: 3 }, 3],
		[{ limit: 100 }, 60],
	])('%j answers %i of 60', async (parameters, count) => {
		const { id, methods } = customerWith(60);
		const items = output(await run('getAll', { customerId: by('id', id), ...parameters }));
		expect(items.map(({ cardID }) => cardID)).toEqual(
			methods.slice(0, count).map(({ cardID }) => cardID),
		);
	});

	test('of a customer without any is an empty result', async () => {
		const { id } = customerWith(0);
		expect(output(await run('getAll', { customerId: by('id', id) }))).toEqual([]);
		sandbox.fault({ answer: () => ({ id, paymentCards: null }) });
		expect(output(await run('getAll', { customerId: by('id', id) }))).toEqual([]);
	});
});

describe('delete and set default', () => {
	test('name the method and its customer, and do no more', async () => {
		const { id, methods } = customerWith(3);
		const [first, second, third] = methods.map(({ cardID }) => cardID);
		const chosen = (cardID: unknown) => ({
			customerId: by('id', id),
			paymentMethodId: by('list', cardID),
		});
		expect(output(await run('setDefault', chosen(third)))).toEqual([{ customerID: id }]);
		expect(output(await run('delete', chosen(second)))).toEqual([
			{ customerID: id, deleted: true },
		]);
		expect(sent('setDefaultPaymentMethod')).toEqual([{ customerID: id, cardID: third }]);
		expect(sent('deletePaymentMethod')).toEqual([{ customerID: id, cardID: second }]);
		expect(methodsOf(id)).toMatchObject([
			{ cardID: first, isDefault: false },
			{ cardID: third, isDefault: true },
		]);
		const again = await run('delete', chosen(second));
		expect(again.error?.message).toBe(`Customer ${id} has no payment method ${second}`);
		expect(again.error?.description).toContain('Check the Customer and the Payment Method');
	});

	test('take the method by an expression, for each item', async () => {
		const { id, methods } = customerWith(3);
		const items = methods.map(({ cardID }) => ({ id, cardID }));
		const parameters = {
			customerId: by('id', '={{ $json.id }}'),
			paymentMethodId: by('id', '={{ $json.cardID }}'),
			options: { parallelRequests: 1 },
		};
		expect(output(await run('delete', parameters, { items }))).toHaveLength(3);
		expect(methodsOf(id)).toEqual([]);
	});

	test('without a method are refused before anything is sent', async () => {
		for (const operation of ['delete', 'setDefault']) {
			const parameters = {
				customerId: by('email', 'ada@example.com'),
				paymentMethodId: by('id', '={{ $json.none }}'),
			};
			const { error } = await run(operation, parameters);
			expect(error?.message).toContain('"Payment Method" is empty');
		}
		expect(sandbox.requests).toHaveLength(0);
	});
});
