import { SsrfProtectionConfig } from '@n8n/config';
import { Container } from '@n8n/di';
import type { INode } from 'n8n-workflow';

import type { Context } from '../../nodes/PaymentsGateway/gateway/merchant';
import { clientsOf } from '../../nodes/PaymentsGateway/gateway/clients';
import type { Endpoint } from '../../nodes/PaymentsGateway/wire';
import { engine, log, output } from '../engine';
import { standIn } from '../engine/instance';
import { by } from '../resources/locator';
import type { Fault } from '../sandbox';
import { useNode } from '../useNode';
import {
	operationOfEndpoint,
	chargeWithoutCart,
	create,
	events,
	get,
	paylink,
} from './operationOfEndpoint';

/** Which requests are sent, and how answers are read. */

const { sandbox, credentials, run, advancePerformanceNow } = useNode();

describe('an answer', () => {
	const link = { payLinkID: 'pl_1', url: 'https://pay.example.com', paymentData: 'x' };
	const written = { customerID: 'cus_1', paymentCardID: 'pm_1' };
	const whole: Readonly<Partial<Record<Endpoint, object>>> = {
		customers: { data: [{ id: 'cus_1' }], page: { total: 1, page: 1, pageSize: 10 } },
		customer: { id: 'cus_1', email: 'a@x.io', paymentCards: [] },
		webhookEvents: { data: [], page: { total: 0, page: 1, pageSize: 10 } },
		computeTokenizedCheckout: { breakdown: { total: 2500 }, referenceID: 'R' },
		createCheckoutData: { data: link, token: 'public', groupID: 'grp' },
	};
	/** For every endpoint, each of these lacks a promised field. */
	const lacking: unknown[] = [
		// With `data: null`, a list could pass for one without rows.
		{ data: null, page: { total: 0 } },
		'',
		'<html></html>',
		'OK',
		'[]',
		{},
		{ id: true },
		{ id: '', customerID: '', paymentCardID: '', data: { payLinkID: '', url: '' } },
		{ breakdown: { total: '25.00' }, data: 'many' },
	];
	const NOT_UNDERSTOOD = {
		httpCode: '200',
		message: expect.stringMatching(/^(The gateway answered 200 with|OK$|many$)/) as unknown,
		description: expect.stringContaining('not in a form that this node understands') as unknown,
	};

	test.each(operationOfEndpoint)(
		'of %s may be wrapped in data; it fails if it lacks a promised field or reports an error',
		async (on, parameters) => {
			const answered = async (answer: unknown) => {
				sandbox.reset();
				// By then, the node has forgotten its own update of the customer.
				advancePerformanceNow(60_000);
				// Update reads the customer before it changes them.
				sandbox.addCustomer({ id: 'cus_1' });
				sandbox.fault({ on, body: answer, times: Infinity });
				const result = await run(parameters);
				// Never sent again.
				expect(sandbox.requestsTo(on)).toHaveLength(1);
				return result;
			};
			const body = whole[on] ?? written;
			const wrapped = { success: true, data: body, message: 'ok' };
			expect(output(await answered(wrapped))).toEqual(output(await answered(body)));
			for (const less of lacking) {
				expect((await answered(less)).error).toMatchObject(NOT_UNDERSTOOD);
			}
			const failed = { data: { ...body, error: { message: 'Not today' } } };
			expect((await answered(failed)).error?.message).toBe('Not today');
		},
	);

	test('may hold an ID that is a number', async () => {
		sandbox.fault({ body: { customerID: 17 } });
		expect(output(await run(create))).toMatchObject([{ customerID: '17' }]);
	});

	/** A charge with this answer. No earlier charge of the reference is looked up. */
	const chargeAnswered = async (body: object) => {
		sandbox.fault({ on: 'createTokenizedManualEntry', body });
		const options = { allowRepeatCharge: true };
		return await run({ ...chargeWithoutCart, paymentData: sandbox.addCart(), options });
	};

	test.each([
		['is a number', 1, 'pending', '1'],
		['has blanks around it', ' captured\n', 'charged', 'captured'],
	])('to a charge may hold a status that %s', async (_, sent, outcome, status) => {
		const result = await chargeAnswered({ transactionID: `txn_${outcome}`, status: sent });
		expect(output(result)).toMatchObject([{ outcome, status }]);
	});

	test('to a charge may hold a refusing status with blanks around it', async () => {
		const data = { transactionID: 'txn_declined', status: ' declined ' };
		const { error } = await chargeAnswered({ data });
		expect(error?.description).toMatch(/^Nothing was charged\. You can try again/);
	});
});

test("if n8n itself blocks a charge, nothing was charged, and the error shows n8n's message", async () => {
	const protection = Container.get(SsrfProtectionConfig);
	sandbox.fault({ on: 'computeTokenizedCheckout', run: () => (protection.enabled = true) });
	// With repeats allowed, no events are read: the request after the cart is the charge.
	const options = { allowRepeatCharge: true };
	const { error } = await run({ ...chargeWithoutCart, paymentData: sandbox.addCart(), options });
	protection.enabled = false;
	expect(error?.message).toContain('was blocked because it resolves to a restricted IP address');
	expect(error?.description).toMatch(/^Nothing was charged.* ask your n8n administrator/);
	expect(sandbox.requests.map(({ endpoint }) => endpoint)).toEqual(['computeTokenizedCheckout']);
});

test.each(['customers', 'createTokenizedManualEntry'] as const)(
	'%s: once a run is stopped, or its time is over, nothing is sent, and the error says so',
	async (endpoint) => {
		// It has no helper that could send anything.
		const silent = standIn<Context>('context', {
			getInputData: (() => []) as never,
			getCredentials: (async () => await Promise.resolve(credentials())) as never,
			getNode: () => standIn<INode>('node', { name: 'Payments Gateway', parameters: {} }),
		});
		const stopped = clientsOf(silent);
		const client = await stopped.clientFor();
		stopped.stop();
		expect(await client.attempt(endpoint, {} as never)).toMatchObject({
			notCarriedOut: true,
			error: { message: 'The execution was canceled', description: 'Nothing more was sent.' },
		});
		const late = await clientsOf(silent, Date.now() - 1).clientFor();
		expect(await late.attempt(endpoint, {} as never)).toMatchObject({
			notCarriedOut: true,
			error: { message: 'There was no time left to send the request' },
		});
	},
);

test('if page 3 is refused, the rows before it are returned, and the log shows both counts', async () => {
	sandbox.addEvents(330);
	const when: Fault['when'] = ({ body }) => JSON.stringify(body).includes('"page":3');
	sandbox.fault({ when, status: 400, times: Infinity });
	expect(output(await run({ ...events, returnAll: true }))).toHaveLength(200);
	expect(log.lines.filter((line) => /counts 330 rows .* returned 200/.test(line))).toHaveLength(1);
});

test('a poll does not wait for a Retry-After beyond its time budget', async () => {
	const poller = engine.poller({ parameters: {}, credentials: credentials(), budgetMs: 2_000 });
	sandbox.fault({ on: 'webhookEvents', status: 503, headers: { 'Retry-After': '5' } });
	const began = Date.now();
	await expect(poller.activate()).rejects.toThrow();
	expect(Date.now() - began).toBeLessThan(2_000);
	expect(sandbox.requests).toHaveLength(1);
});

test('quick answers let more requests be in flight, up to 64', async () => {
	const items = sandbox.addCustomers(200).map(({ id }) => ({ id }));
	// Long compared with what a busy machine adds.
	sandbox.settings.latency = 100;
	const byItem = { ...get, customerId: by('id', '={{ $json.id }}') };
	expect(output(await run(byItem, { items }))).toHaveLength(200);
	expect(sandbox.maxInFlight).toBeGreaterThan(10);
	expect(sandbox.maxInFlight).toBeLessThanOrEqual(64);
});

test('each request is one line of the debug log: endpoint, try, status or reason, and time', async () => {
	const customer = sandbox.addCustomer();
	sandbox.fault({ on: 'customer', status: 503 });
	sandbox.fault({ on: 'customer', drop: 'before' });
	output(await run({ ...get, customerId: by('id', customer.id) }));
	const lines = log.lines.filter((line) => line.includes('Payments Gateway:'));
	expect(lines).toEqual([
		expect.stringMatching(/^debug Payments Gateway: customer, try 1: 503, \d+ ms$/),
		expect.stringMatching(/^debug Payments Gateway: customer, try 2: ECONNRESET, \d+ ms$/),
		expect.stringMatching(/^debug Payments Gateway: customer, try 3: 200, \d+ ms$/),
	]);
});

test('the log holds no token, and nothing of what was sent or answered', async () => {
	const card = { details: { cardToken: 'tok_visa_4242' } };
	const [customer] = output(await run({ ...create, instrument: 'card', card }));
	await run(paylink);
	const { headerToken, privateToken } = sandbox.credentials;
	const logged = log.lines.join('\n');
	expect(logged.match(/debug Payments Gateway:/g)).toHaveLength(2);
	for (const text of [headerToken, privateToken, 'ada@example.com', 'tok_visa']) {
		expect(logged).not.toContain(text);
	}
	expect(logged).not.toContain(customer?.customerID);
});
