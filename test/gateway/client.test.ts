import { SsrfProtectionConfig } from '@n8n/config';
import { Container } from '@n8n/di';
import type { INode, INodeParameters } from 'n8n-workflow';

import type { Context } from '../../nodes/PaymentsGateway/gateway/connection';
import { merchantsOf } from '../../nodes/PaymentsGateway/gateway/merchants';
import type { Endpoint } from '../../nodes/PaymentsGateway/wire';
import { engine, output } from '../engine';
import { standIn } from '../engine/instance';
import type { Fault } from '../sandbox';
import { useNode } from '../useNode';
import { asking, byId, calculate, commit, create, events, get, paylink } from './asking';

/** What leaves, what does not leave any more, and what is made of the answers. */

const { sandbox, credentials, run, later } = useNode();

let orders = 0;
/** A charge of a reference of its own: what this process has sent is not sent again. */
async function charge(fault: Fault, referenceID = `CLIENT-${orders++}`, options = {}) {
	sandbox.fault({ on: 'createTokenizedManualEntry', ...fault });
	const result = await run({
		...commit,
		paymentData: sandbox.addCart({ referenceID, amount: 1_900 }),
		options,
	});
	sandbox.clearFaults();
	return { ...result, referenceID, words: `${result.error?.message} ${result.error?.description}` };
}
const UNKNOWN = 'not known whether this payment was charged';

describe('an answer', () => {
	const link = { payLinkID: 'pl_1', url: 'https://pay.example.com', paymentData: 'x' };
	const whole: Readonly<Partial<Record<Endpoint, object>>> = {
		customers: { data: [{ id: 'cus_1' }], page: { total: 1, page: 1, pageSize: 10 } },
		customer: { id: 'cus_1', email: 'a@x.io', paymentCards: [] },
		webhookEvents: { data: [], page: { total: 0, page: 1, pageSize: 10 } },
		computeTokenizedCheckout: { breakdown: { total: 2500 }, referenceID: 'R' },
		createCheckoutData: { data: link, token: 'public', groupID: 'grp' },
	};
	const NO_DATA = 'The gateway answered 200 without "data"';
	const written = { customerID: 'cus_1', paymentCardID: 'pm_1' };

	test.each(asking)('of %s is read wrapped in data, and without', async (on, parameters) => {
		// Update reads the customer before it changes them.
		sandbox.addCustomer({ id: 'cus_1' });
		const body = whole[on] ?? written;
		const answered = async (answer: object) => {
			sandbox.fault({ on, body: answer });
			return output(await run(parameters));
		};
		const plain = await answered(body);
		expect(await answered({ data: body })).toEqual(plain);
		expect(await answered({ success: true, data: body, message: 'ok' })).toEqual(plain);
	});

	test.each<[INodeParameters, unknown, object]>([
		[paylink, { ...link, token: 'public' }, { item: { ...link, token: 'public' } }],
		// An ID may come as a number, and a total as text.
		[create, { customerID: 17 }, { item: { customerID: '17' } }],
		[calculate, { data: { breakdown: { total: '2500' } } }, { item: { total: 25 } }],
		// Some write no rows as null, also those of a page behind the last.
		[events, { data: null, page: { total: 0 } }, { item: undefined, words: undefined }],
		[events, { data: null, page: { total: '0' } }, { item: undefined, words: undefined }],
		[events, { data: null, page: { total: 1, page: 2 } }, { item: undefined, words: undefined }],
		[events, { data: null, page: { total: 1, page: 1 } }, { words: NO_DATA }],
		// A bare list is none, and an error is one, wrapped or not.
		[events, [], { words: NO_DATA }],
		[get, { success: false, data: { id: 'cus_1' }, message: 'Not today' }, { words: 'Not today' }],
		[get, { data: { id: 'cus_1', error: { message: 'Not today' } } }, { words: 'Not today' }],
	])('to %j that is %j is read as %j', async (parameters, body, expected) => {
		sandbox.fault({ body });
		const { items, error } = await run(parameters);
		expect({ item: items[0], words: error?.message }).toMatchObject(expected);
	});
});

describe('the answer to a charge', () => {
	const named = { transactionID: 'tx_1' };
	const of = (status: string) => ({ ...named, status });
	const plain = (status: number): [string, Fault] => [
		`a plain ${status}`,
		{ status, headers: { 'Retry-After': '0' }, body: { message: 'No' } },
	];

	test.each<[string, Fault]>([
		...[402, 429].map(plain),
		['a 422 that names one without saying more', { status: 422, body: named }],
		['a 402 that repeats it as a number', { status: 402, body: { status: 402, ...named } }],
		['a 200 that declines without a transaction', { body: { status: 'DECLINED', message: 'No' } }],
		['a 500 that does', { status: 500, body: of('Rejected') }],
		['an error with status 200 that does', { body: { ...of('VOIDED'), error: 'No' } }],
		...['NOT_CAPTURED', 'Paid: no'].map((status): [string, Fault] => [
			`a 402 of one that is ${status}`,
			{ status: 402, body: of(status) },
		]),
		['a wrapped one', { status: 500, body: { data: of('failed'), message: 'No' } }],
	])('is a refusal: %s', async (_, fault) => {
		const refused = await charge(fault);
		expect(refused.words).toContain('Nothing was charged');
		expect(sandbox.requestsTo('createTokenizedManualEntry')).toHaveLength(1);
		// Free again, at once.
		expect(output(await charge({}, refused.referenceID))).toMatchObject([{ charged: true }]);
	});

	test.each<[string, Fault]>([
		...[302, 409, 503].map(plain),
		['a 402 that names a transaction', { status: 402, body: of('PENDING') }],
		['a 400 that says it was captured', { status: 400, body: { status: 'CAPTURED' } }],
		['a 500 that only says failed', { status: 500, body: { status: 'failed' } }],
		['nothing', { body: '' }],
		['a 200 without a transaction', { body: { status: 'CAPTURED' } }],
		['a captured one with an error', { body: { ...of('CAPTURED'), success: false } }],
		['no answer', { drop: 'before' }],
	])('leaves it unknown: %s', async (_, fault) => {
		const unknown = await charge(fault);
		expect(unknown.words).toContain(UNKNOWN);
		expect((await charge({}, unknown.referenceID)).error).toBeDefined();
		expect(sandbox.requestsTo('createTokenizedManualEntry')).toHaveLength(1);
	});

	test('is read wrapped in data as well', async () => {
		const answer = (data: unknown) => ({ success: true, data });
		expect(output(await charge({ answer }))).toMatchObject([{ charged: true }]);
	});
});

test('a limit is met once by a charge, and five times by others', async () => {
	const limit: Fault = { status: 429, headers: { 'Retry-After': '0' }, times: Infinity };
	expect((await charge(limit)).words).toContain('Nothing was charged');
	expect(sandbox.requestsTo('createTokenizedManualEntry')).toHaveLength(1);
	// The pace forgets the limit.
	later(601_000);
	sandbox.fault(limit);
	const { error } = await run(create);
	expect(error?.description).toContain('It asks to wait 0 seconds. Run this less often');
	expect(sandbox.requestsTo('addCustomer')).toHaveLength(5);
});

describe('a request that n8n itself refuses', () => {
	const protection = Container.get(SsrfProtectionConfig);
	beforeEach(() => (protection.enabled = true));
	afterEach(() => (protection.enabled = false));

	const words = 'The request was blocked because it resolves to a restricted IP address';
	const advice = expect.stringContaining('ask your n8n administrator') as unknown;

	test('fails in its words', async () => {
		const { error } = await run(create);
		expect(error).toMatchObject({ message: words, description: advice });
		expect(error?.description).not.toMatch(/not known|Base URL/);
		expect(sandbox.requests).toEqual([]);
	});

	test('has charged nothing', async () => {
		protection.enabled = false;
		sandbox.fault({ on: 'computeTokenizedCheckout', run: () => (protection.enabled = true) });
		// Nothing is looked up then: the next request is the charge.
		const blocked = await charge({}, undefined, { allowRepeatCharge: true });
		expect(blocked.words).toContain('Nothing was charged');
		expect(blocked.words).toContain(words);
		expect(sandbox.charges).toEqual([]);
	});
});

/** Of a node that must not send anything. */
const silent = () =>
	standIn<Context>('context', {
		getInputData: (() => []) as never,
		getCredentials: (async () => await Promise.resolve(credentials())) as never,
		getNode: () => standIn<INode>('node', { name: 'Payments Gateway', parameters: {} }),
	});

test.each(['customers', 'createTokenizedManualEntry'] as const)(
	'%s: once a run is stopped, or its time is over, nothing leaves, and its error says so',
	async (endpoint) => {
		const stopped = merchantsOf(silent());
		const client = await stopped.clientFor();
		stopped.stop();
		// Whatever waits or leaves: each gives its place back.
		for (let times = 0; times < 70; times++) {
			expect(await client.attempt(endpoint, {} as never)).toMatchObject({
				refused: true,
				error: { message: 'The execution was canceled', description: 'Nothing more was sent.' },
			});
		}
		const late = await merchantsOf(silent(), { deadline: Date.now() - 1 }).clientFor();
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
	// Long beside what a busy machine adds, or the pace would take it for the service's.
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

test.each([
	[429, 1],
	[503, 1],
	[500, 2],
])('a %i that says when to come back holds others back: %i was sent', async (status, sent) => {
	sandbox.fault({ status, headers: { 'Retry-After': '600' } });
	const remove = { ...get, operation: 'delete' };
	expect((await run(remove)).error).toBeDefined();
	const { error } = await run(remove);
	if (status !== 500) {
		expect(error?.message).toBe('Not sent, as the gateway has asked for a pause');
		expect(error?.description).toMatch(/It asks to wait (59\d|600) seconds/);
	}
	expect(sandbox.requests).toHaveLength(sent);
});

test('nothing is waited for beyond the end of a poll', async () => {
	const poller = engine.poller({ parameters: {}, credentials: credentials(), budgetMs: 2_000 });
	sandbox.fault({ on: 'webhookEvents', status: 503, headers: { 'Retry-After': '5' } });
	const began = Date.now();
	await expect(poller.activate()).rejects.toThrow();
	expect(Date.now() - began).toBeLessThan(2_000);
	expect(sandbox.requests).toHaveLength(1);
});
