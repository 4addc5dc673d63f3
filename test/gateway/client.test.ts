import type { INode } from 'n8n-workflow';

import type { Context } from '../../nodes/PaymentsGateway/gateway/connection';
import { heard, isRefused } from '../../nodes/PaymentsGateway/gateway/client';
import { connectionOf } from '../../nodes/PaymentsGateway/gateway/connection';
import { merchantsOf } from '../../nodes/PaymentsGateway/gateway/merchants';
import { sendOnce } from '../../nodes/PaymentsGateway/gateway/request';
import { engine } from '../engine';
import { standIn } from '../engine/instance';
import { useSandbox } from '../useSandbox';

/** What is not sent any more, and what its caller is told of it. */

const { sandbox, credentials } = useSandbox();

/** Of a node that must not send anything. */
const silent = () =>
	standIn<Context>('context', {
		getCredentials: (async () => await Promise.resolve(credentials())) as never,
		getNode: () => standIn<INode>('node', { name: 'Payments Gateway', parameters: {} }),
	});

test.each(['customers', 'addCustomer', 'createTokenizedManualEntry'] as const)(
	'%s: once a run is stopped nothing leaves, and its error says so',
	async (endpoint) => {
		const merchants = merchantsOf(silent());
		const client = await merchants.clientFor();
		merchants.stop();
		const attempt = await client.attempt(endpoint, {} as never);
		expect(attempt).toMatchObject({
			refused: true,
			error: {
				message: 'The execution was canceled',
				description: 'Nothing more was sent.',
			},
		});
	},
);

test('what may not leave any more is not sent, and keeps nobody from leaving', async () => {
	const client = await merchantsOf(silent()).clientFor();
	for (let times = 0; times < 100; times++) {
		const options = { mayLeave: () => false };
		const attempt = await client.attempt('createTokenizedManualEntry', {} as never, options);
		expect(attempt).toMatchObject({ refused: true });
	}
	expect(sandbox.requests).toEqual([]);
});

test('a request whose time is up before it could leave has not been sent', async () => {
	const sending = {
		context: silent(),
		connection: connectionOf(credentials()),
		cancelled: undefined,
	};
	const sent = await sendOnce('addCustomer', { form: {} }, { ...sending, until: Date.now() });
	expect(sent).toMatchObject({ endpoint: 'addCustomer', code: 'ETIMEDOUT', unsent: true });
});

test.each([
	[429, 'write', true],
	[429, 'charge', false],
	// What is only read is asked for in no other way while the service wants less.
	[429, 'read', false],
	[422, 'write', true],
	[422, 'charge', true],
	[500, 'write', false],
	[302, 'write', false],
] as const)('whether a %i proves that nothing came of a %s: %j', (status, effect, refused) => {
	expect(isRefused(effect, { endpoint: 'addCustomer', status })).toBe(refused);
});

test.each([
	['an answer', { answer: {} }, { endpoint: 'customer', ms: 70 }],
	['a refusal', { status: 429 }, { refused: true }],
	['a refusal with a pause', { status: 429, retryAfterMs: 5 }, { refused: true, retryAfterMs: 5 }],
	['503 with a pause', { status: 503, retryAfterMs: 0 }, { refused: true, retryAfterMs: 0 }],
	['503 without', { status: 503 }, undefined],
	['500 with a pause', { status: 500, retryAfterMs: 5 }, undefined],
	['no answer in time', { code: 'ETIMEDOUT' }, { endpoint: 'customer', ms: 70 }],
	['a request that never left', { code: 'ETIMEDOUT', unsent: true }, undefined],
	['a connection that broke off', { code: 'ECONNRESET' }, undefined],
])('what %s says of the pace of a service', (_, result, outcome) => {
	const work = (share: number) => ({ idle: 70, active: 0, utilization: share });
	const failed = { endpoint: 'customer', ...result } as const;
	expect(heard('customer', failed, work(0.79))).toEqual(outcome);
	// A process that is busy nearly all the time hears of refusals alone.
	const isRefused = outcome !== undefined && 'refused' in outcome;
	expect(heard('customer', failed, work(0.8))).toEqual(isRefused ? outcome : undefined);
});

test('nothing is waited for beyond the end of a poll', async () => {
	const poller = engine.poller({ parameters: {}, credentials: credentials(), budgetMs: 2_000 });
	sandbox.fault({ on: 'webhookEvents', status: 503, headers: { 'Retry-After': '5' } });
	const began = Date.now();
	await expect(poller.activate()).rejects.toThrow();
	expect(Date.now() - began).toBeLessThan(2_000);
	expect(sandbox.requests).toHaveLength(1);
});
