import { SsrfProtectionConfig } from '@n8n/config';
import { Container } from '@n8n/di';
import type { INode, INodeParameters } from 'n8n-workflow';

import { paymentIn } from '../../nodes/PaymentsGateway/gateway/answer';
import type { Context } from '../../nodes/PaymentsGateway/gateway/merchant';
import { merchantsOf } from '../../nodes/PaymentsGateway/gateway/merchants';
import type { Endpoint } from '../../nodes/PaymentsGateway/wire';
import { engine, output } from '../engine';
import { standIn } from '../engine/instance';
import { useNode } from '../useNode';
import { asking, byId, commit, create, events, get } from './asking';

/** What leaves, what does not leave any more, and what is made of the answers. */

const { sandbox, credentials, run } = useNode();

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
	/** No endpoint promises so little. */
	const lacking: unknown[] = [
		...['', '<html></html>', 'OK', '[]', {}, { data: null }, { id: true }],
		{ id: '', customerID: '', paymentCardID: '', data: { payLinkID: '', url: '' } },
		{ breakdown: { total: '25.00' }, data: 'many' },
	];
	const LACKS_ROWS = 'The gateway answered 200 without "data"';
	const NOT_UNDERSTOOD = {
		httpCode: '200',
		message: expect.stringMatching(/^(The gateway answered 200 with|OK$|many$)/) as unknown,
		description: expect.stringContaining('not in a form that this node understands') as unknown,
	};

	test.each(asking)(
		'of %s is read wrapped in data or not, and is an error that lacks what is promised, or says so',
		async (on, parameters) => {
			const answered = async (answer: unknown) => {
				sandbox.reset();
				// Update reads the customer before it changes them.
				sandbox.addCustomer({ id: 'cus_1' });
				sandbox.fault({ on, body: answer, times: Infinity });
				const result = await run(parameters);
				// Never sent again.
				expect(sandbox.requestsTo(on)).toHaveLength(1);
				return result;
			};
			const body = whole[on] ?? written;
			const plain = output(await answered(body));
			expect(output(await answered({ data: body }))).toEqual(plain);
			expect(output(await answered({ success: true, data: body, message: 'ok' }))).toEqual(plain);
			for (const less of lacking) {
				expect((await answered(less)).error).toMatchObject(NOT_UNDERSTOOD);
			}
			const { error } = await answered({ ...body, error: { message: 'Not today' } });
			expect(error?.message).toBe('Not today');
		},
	);

	test.each<[INodeParameters, object, object]>([
		[create, { customerID: 17 }, { item: { customerID: '17' } }],
		// No rows, where a list should stand, would pass for a list that was looked through.
		[events, { data: null, page: { total: 0 } }, { words: LACKS_ROWS }],
		[events, { page: { total: 0, page: 2 } }, { words: LACKS_ROWS }],
		[get, { data: { id: 'cus_1', error: { message: 'Not today' } } }, { words: 'Not today' }],
	])('to %j that is %j is read as %j', async (parameters, body, expected) => {
		sandbox.fault({ body });
		const { items, error } = await run(parameters);
		expect({ item: items[0], words: error?.message }).toMatchObject(expected);
	});
});

// What becomes of a charge by its answer: test/resources/payment/charge.answer.test.ts.
test('of two transactions that an answer names, the one that may have gone through counts', () => {
	const [declined, other] = ['DECLINED', 'AUTHORIZED'].map((status, index) => ({
		...{ transactionID: `tx_${index}`, status },
	}));
	expect(paymentIn({ ...declined, data: other })).toEqual(other);
	expect(paymentIn({ ...other, data: declined })).toEqual(other);
	expect(paymentIn({ data: declined })).toEqual(declined);
	expect(paymentIn({ message: 'No' })).toBeUndefined();
});

test('a request that n8n itself refuses has charged nothing, and fails in its words', async () => {
	const protection = Container.get(SsrfProtectionConfig);
	sandbox.fault({ on: 'computeTokenizedCheckout', run: () => (protection.enabled = true) });
	// Nothing is looked up then: the next request is the charge.
	const options = { allowRepeatCharge: true };
	const blocked = await run({ ...commit, paymentData: sandbox.addCart(), options });
	const { error } = await run(create);
	protection.enabled = false;
	const words = 'The request was blocked because it resolves to a restricted IP address';
	const said = `${blocked.error?.message} ${blocked.error?.description}`;
	expect(said).toContain('Nothing was charged');
	expect(said).toContain(words);
	expect(error?.message).toBe(words);
	expect(error?.description).toContain('ask your n8n administrator');
	expect(error?.description).not.toMatch(/not known|Base URL/);
	expect(sandbox.requests.map(({ endpoint }) => endpoint)).toEqual(['computeTokenizedCheckout']);
});

test.each(['customers', 'createTokenizedManualEntry'] as const)(
	'%s: once a run is stopped, or its time is over, nothing leaves, and its error says so',
	async (endpoint) => {
		// It has no helper that could send anything.
		const silent = standIn<Context>('context', {
			getInputData: (() => []) as never,
			getCredentials: (async () => await Promise.resolve(credentials())) as never,
			getNode: () => standIn<INode>('node', { name: 'Payments Gateway', parameters: {} }),
		});
		const stopped = merchantsOf(silent);
		const client = await stopped.clientFor();
		stopped.stop();
		// Whatever waits or leaves: each gives its place back.
		for (let times = 0; times < 70; times++) {
			expect(await client.attempt(endpoint, {} as never)).toMatchObject({
				refused: true,
				error: { message: 'The execution was canceled', description: 'Nothing more was sent.' },
			});
		}
		const late = await merchantsOf(silent, Date.now() - 1).clientFor();
		expect(await late.attempt(endpoint, {} as never)).toMatchObject({
			refused: true,
			error: { message: 'There was no time left to send the request' },
		});
	},
);

test('many requests at once are 64 at most, and listen to no signal so often that Node warns of it', async () => {
	const warnings: string[] = [];
	const note = ({ name }: Error) => warnings.push(name);
	process.on('warning', note);
	const items = sandbox.addCustomers(200).map(({ id }) => ({ id }));
	// Long beside what a busy machine adds, or the pace would take it for the gateway's.
	sandbox.settings.latency = 100;
	sandbox.fault({ on: 'customer', after: 60, times: 40, status: 503 });
	const { signal } = new AbortController();
	const parameters = { ...get, customerId: byId('={{ $json.id }}') };
	expect(output(await run(parameters, { items, signal }))).toHaveLength(200);
	await new Promise((resolve) => setTimeout(resolve, 20));
	process.off('warning', note);
	expect(sandbox.maxInFlight).toBeGreaterThan(10);
	expect(sandbox.maxInFlight).toBeLessThanOrEqual(64);
	expect(warnings).toEqual([]);
});

test('a 503 that says when to come back holds others back, a 500 does not', async () => {
	for (const status of [500, 503]) {
		sandbox.fault({ on: 'deleteCustomer', status, headers: { 'Retry-After': '600' } });
		expect((await run({ ...get, operation: 'delete' })).error?.httpCode).toBe(String(status));
	}
	const { error } = await run(get);
	expect(error?.message).toBe('Not sent, as the gateway has asked for a pause');
	expect(error?.description).toMatch(/It asks to wait (59\d|600) seconds/);
	expect(sandbox.requests).toHaveLength(2);
});

test('nothing is waited for beyond the end of a poll', async () => {
	const poller = engine.poller({ parameters: {}, credentials: credentials(), budgetMs: 2_000 });
	sandbox.fault({ on: 'webhookEvents', status: 503, headers: { 'Retry-After': '5' } });
	const began = Date.now();
	await expect(poller.activate()).rejects.toThrow();
	expect(Date.now() - began).toBeLessThan(2_000);
	expect(sandbox.requests).toHaveLength(1);
});
