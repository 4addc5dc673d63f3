import type { IHttpRequestOptions, IN8nHttpFullResponse, INode } from 'n8n-workflow';

import { createLimiters } from '../../nodes/PaymentsGateway/gateway/limiter';
import type { Context } from '../../nodes/PaymentsGateway/gateway/merchant';
import { clientsOf } from '../../nodes/PaymentsGateway/gateway/clients';
import { PROCESS_CLOCK } from '../../nodes/PaymentsGateway/gateway/sleep';
import { standIn } from '../engine/instance';
import { controlTimeLimit } from '../timeLimits';

/** What the client reports to its limiter. How the limiter acts on it: limiter.test.ts. */

let stopRun = (): void => undefined;
afterEach(() => stopRun());

type Answer = Partial<IN8nHttpFullResponse>;

/** A client without a network. `sent` has the customer of each request, or the endpoint. */
async function clientAnswered(answer: (name: string) => Promise<Answer>) {
	const sent: string[] = [];
	const httpRequestWithAuthentication = async (_: string, request: IHttpRequestOptions) => {
		const { data } = request.body as { data: { customerID?: string } };
		const name = data.customerID ?? request.url.split('/').at(-1) ?? '';
		sent.push(name);
		return { statusCode: 200, headers: {}, body: { id: name }, ...(await answer(name)) };
	};
	const context = standIn<Context>('context', {
		getInputData: (() => []) as never,
		getCredentials: (async () => await Promise.resolve({ headerToken: 'one' })) as never,
		getNode: () => standIn<INode>('node', { name: 'Payments Gateway', parameters: {} }),
		helpers: { httpRequestWithAuthentication } as never,
		logger: standIn<Context['logger']>('logger', { debug: () => undefined }),
	});
	const { clientFor, stop } = clientsOf(context, Infinity, createLimiters(PROCESS_CLOCK));
	stopRun = stop;
	return { client: await clientFor(), sent };
}

const refused = (headers = {}): Answer => ({ statusCode: 429, headers });

test('a refused request goes ahead of those that wait', async () => {
	const answers: Array<() => void> = [];
	const areSent = async (count: number) => {
		while (sent.length < count) await new Promise(setImmediate);
	};
	const { client, sent } = await clientAnswered(async () => {
		const isFirst = sent.length === 1;
		if (isFirst) await areSent(8);
		else if (sent.length <= 8) await new Promise<void>((resolve) => answers.push(resolve));
		return isFirst ? refused() : {};
	});
	const names = Array.from({ length: 12 }, (_, index) => `c${index + 1}`);
	const all = names.map(async (customerID) => await client.call('customer', { customerID }));
	await areSent(8);
	// The refusal is the first answer that the client gets.
	for (let turns = 0; turns < 3; turns++) await new Promise(setImmediate);
	for (const resolve of answers) resolve();
	await Promise.all(all);
	// Eight are in flight, of which the first is refused. It goes ahead of the four that wait.
	expect(sent.slice(0, 9)).toEqual([...names.slice(0, 8), 'c1']);
	expect(sent.slice(9).sort()).toEqual(['c10', 'c11', 'c12', 'c9']);
});

test('a charge is sent in a pause in which everything else waits', async () => {
	const { client, sent } = await clientAnswered(
		async (name) =>
			await Promise.resolve(name === 'paused' ? refused({ 'retry-after': '50' }) : {}),
	);
	const paused = client.attempt('customer', { customerID: 'paused' });
	while (sent.length < 1) await new Promise(setImmediate);
	await new Promise((resolve) => setTimeout(resolve, 20));
	const waiting = client.attempt('customer', { customerID: 'waiting' });
	const charged = client.attempt('createTokenizedManualEntry', {} as never);
	await new Promise((resolve) => setTimeout(resolve, 20));
	expect(sent).toEqual(['paused', 'createTokenizedManualEntry']);
	stopRun();
	for (const each of [paused, waiting]) await each;
	expect(await charged).toMatchObject({ notCarriedOut: false });
});

test('a time-out halves how many requests may be in flight', async () => {
	const timeLimit = controlTimeLimit(60_000);
	const { client } = await clientAnswered(async () => {
		timeLimit.expireSoon(1);
		return await new Promise(() => undefined);
	});
	expect(client.parallel).toBe(8);
	// The limit is lowered as the next request asks for a slot.
	for (let request = 0; request < 2; request++) {
		const result = await client.attempt('deleteCustomer', { customerID: 'cus_1' });
		expect(result).toMatchObject({ notCarriedOut: false });
	}
	timeLimit.restore();
	expect(client.parallel).toBe(4);
});
