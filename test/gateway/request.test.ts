import type { IHttpRequestOptions } from 'n8n-workflow';

import type { Context } from '../../nodes/PaymentsGateway/gateway/merchant';
import { merchantOf } from '../../nodes/PaymentsGateway/gateway/merchant';
import { sendOnce } from '../../nodes/PaymentsGateway/gateway/request';
import { standIn } from '../engine/instance';
import { controlTimeLimit } from '../timeLimits';

/** One request as n8n's helper gets it. Time limits at a real gateway: timeLimit.test.ts. */

const merchant = merchantOf({ baseUrl: 'https://gateway.example.com', headerToken: 'secret' });

/** n8n-core's helper: it gives the request the signal of the execution, and sends it. */
function contextSending(
	send: (request: IHttpRequestOptions) => Promise<unknown>,
	executionSignal = new AbortController().signal,
): Context {
	const httpRequestWithAuthentication = async (_: string, request: IHttpRequestOptions) => {
		request.abortSignal = executionSignal;
		return await send(request);
	};
	return standIn<Context>('context', { helpers: { httpRequestWithAuthentication } as never });
}

const runOf = (context: Context) => ({
	context,
	deadline: Infinity,
	cancelled: undefined,
	ended: new AbortController().signal,
});

test('a request keeps the signal of its time limit, although n8n assigns another one', async () => {
	const timeLimit = controlTimeLimit(30_000);
	let signal: IHttpRequestOptions['abortSignal'];
	const context = contextSending(async (request) => {
		signal = request.abortSignal;
		// n8n copies the request with a spread, so the signal must be an own enumerable property.
		expect({ ...request }.abortSignal).toBe(signal);
		timeLimit.expireSoon(1);
		return await new Promise(() => undefined);
	});
	const result = await sendOnce('customer', { customerID: 'cus_1' }, runOf(context), merchant);
	timeLimit.restore();
	expect(result).toMatchObject({ code: 'ETIMEDOUT' });
	// The connection is closed at the limit.
	expect(signal?.aborted).toBe(true);
});

test('a request ends when the execution is cancelled', async () => {
	const cancel = new AbortController();
	const context = contextSending(async ({ abortSignal }) => {
		await new Promise((resolve) => {
			abortSignal?.addEventListener?.('abort', resolve);
			cancel.abort();
		});
		throw Object.assign(new Error('canceled'), { code: 'ERR_CANCELED' });
	});
	const run = { ...runOf(context), cancelled: cancel.signal };
	const result = await sendOnce('customer', { customerID: 'cus_1' }, run, merchant);
	expect(result).toMatchObject({ code: 'ERR_CANCELED' });
});

test('a request without an answer keeps the cause, which n8n has wrapped', async () => {
	const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
	const context = contextSending(async () => {
		const wrapped = new Error('The service refused the connection', { cause });
		await Promise.reject(wrapped);
	});
	const result = await sendOnce('customer', { customerID: 'cus_1' }, runOf(context), merchant);
	expect(result).toMatchObject({ code: 'ECONNREFUSED', cause });
	expect('cause' in result && result.cause).toBe(cause);
});
