import type { Context } from '../../nodes/PaymentsGateway/gateway/merchant';
import { merchantOf } from '../../nodes/PaymentsGateway/gateway/merchant';
import { sendOnce } from '../../nodes/PaymentsGateway/gateway/request';
import { standIn } from '../engine/instance';

// Time limits: timeLimit.test.ts. A cancelled request: test/resources/payment/charge.answer.test.ts.
test('a request without an answer keeps the cause, which n8n has wrapped', async () => {
	const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
	const wrapped = new Error('The service refused the connection', { cause });
	const helpers = { httpRequestWithAuthentication: async () => await Promise.reject(wrapped) };
	const context = standIn<Context>('context', { helpers: helpers as never });
	const { signal: ended } = new AbortController();
	const run = { context, deadline: Infinity, cancelled: undefined, ended };
	const merchant = merchantOf({ baseUrl: 'https://gateway.example.com', headerToken: 'secret' });
	const result = await sendOnce('customer', { customerID: 'cus_1' }, run, merchant);
	expect(result).toMatchObject({ code: 'ECONNREFUSED' });
	expect('cause' in result && result.cause).toBe(cause);
});
