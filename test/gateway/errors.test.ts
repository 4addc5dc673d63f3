import { inspect } from 'node:util';

import type { INode, INodeParameters } from 'n8n-workflow';

import type { FailedRequest } from '../../nodes/PaymentsGateway/gateway/errors';
import { requestError, gatewayMessage } from '../../nodes/PaymentsGateway/gateway/errors';
import { createMask } from '../../nodes/PaymentsGateway/output/mask';
import type { Endpoint } from '../../nodes/PaymentsGateway/wire';
import { standIn } from '../engine/instance';
import type { Fault } from '../sandbox';
import { useNode } from '../useNode';
import { create, events, get } from './operationOfEndpoint';

/** An error shows the gateway's own message, and what to do about it. */

const { sandbox, credentials, run } = useNode();

/** The error of a run in which the gateway answers like this. */
async function failing(parameters: INodeParameters, fault: Fault) {
	sandbox.fault({ times: Infinity, headers: { 'Retry-After': '0' }, ...fault });
	const { error } = await run(parameters);
	sandbox.clearFaults();
	if (error === undefined) throw new Error('The run did not fail');
	return error;
}

const EXPIRED = 'Card expired';
test.each<[unknown, string]>([
	[EXPIRED, EXPIRED],
	[{ message: EXPIRED }, EXPIRED],
	[{ errors: EXPIRED }, EXPIRED],
	[{ detail: EXPIRED }, EXPIRED],
	[{ error: { code: 'E1', message: EXPIRED } }, EXPIRED],
	[{ status: 402, error: 'Payment Required', message: EXPIRED, path: '/' }, EXPIRED],
	// Several messages, each with the name of its field, if there is one.
	[{ errors: [{ message: 'No email' }, { field: 'cvc' }, 'No name'] }, 'No email; No name'],
	[{ message: 'Invalid', errors: [{ field: 'phone', message: 'is short' }] }, 'phone: is short'],
	// No message.
	[{ customers: [{ message: 'Of a record' }] }, ''],
	[42, ''],
	['<!DOCTYPE html><p>x', ''],
	['< 5 \n\t characters<b> ', '< 5 characters<b>'],
])("the gateway's message in %j is %j", (body, words) => {
	expect(gatewayMessage(body)).toBe(words);
});

describe('an error', () => {
	/** The endpoint is `customers`, unless another one is given. */
	const errorOf = (failed: Partial<FailedRequest>) => {
		const node = standIn<INode>('node', { parameters: {} });
		return requestError(node, { endpoint: 'customers', ...failed }, createMask([]));
	};

	const link = { endpoint: 'createCheckoutData' } as const;
	const late = { code: 'ETIMEDOUT', waitedMs: 1_260 };
	const voided = { status: 402, payment: { transactionID: '', status: 'VOIDED' } };
	const slowed = { status: 429, retryAfterMs: 1_500 };
	const paused = { status: 429, unsent: true, retryAfterMs: 89_001 };
	const WEB_PAGE = 'with a web page instead of data';
	const notFoundPage = { status: 404, body: '<html>Not found</html>' };
	const created = { status: 200, body: { message: 'Created' }, missing: 'data' };

	const HTTP =
		"What answers at 'Base URL' speaks http, not https: check its https:// and its port.";
	const UP = "Check 'Base URL' in the credential, and that the gateway is up.";
	const BASE_URL = "Check 'Base URL' in the credential: enter it without /api.";
	const HERE = 'to this environment.';
	const TOKEN = `Check 'Header Token' in the credential, and that it belongs ${HERE}`;
	const GROUP = `Check 'Group ID' and 'Private Token' in the credential, and that they belong ${HERE}`;
	const LIMITS = 'The gateway limits how many requests it takes.';
	const LESS = 'Run this less often, or with fewer items.';
	const NO_FORM = 'The gateway answered (200), but not in a form that this node understands.';
	const SIDE = "This is on the gateway's side (500). Try again later.";
	const REPORTS =
		'The gateway reports an error, although its status means success (200). Check the values that were sent, or try again later.';
	const NOT_YET = 'Nothing was sent. Try again, or wait for the next poll.';
	const REDIRECTED = 'The gateway redirected the request (302), which is not followed';
	const BASE_URL_OR_LINK = `${BASE_URL} If it is right, check 'Existing Customer', 'Saved Payment Method' and each 'Product ID'.`;
	const NOT_SENT = 'Not sent: requests are paused after a refusal by the gateway';
	const refused = (status: number) =>
		`The gateway refused what was sent (${status}). Check the values that were sent.`;
	const unknown = (fields: string) => `Check ${fields}: the gateway found no such record.`;
	const answered = (status: number, how = 'without saying why') =>
		`The gateway answered ${status} ${how}`;
	const DOWN = 'temporarily-unavailable';
	const WRONG = 'configuration-invalid';
	const INVALID = 'credential-invalid';
	const LIMITED = 'rate-limited';

	test.each<[Partial<FailedRequest>, string, string, string | undefined]>([
		[{}, 'The gateway could not be reached', UP, DOWN],
		[{ code: 'EHOSTUNREACH' }, 'The gateway could not be reached (EHOSTUNREACH)', UP, DOWN],
		[{ code: 'ECONNREFUSED' }, 'The gateway refused the connection', UP, DOWN],
		[{ code: 'ENOTFOUND' }, "The gateway's address was not found", UP, DOWN],
		[{ code: 'EAI_AGAIN' }, "The gateway's address could not be looked up", UP, DOWN],
		[{ code: 'EPROTO' }, 'No secure connection to the gateway was made', HTTP, DOWN],
		[{ code: 'EPIPE' }, 'The connection to the gateway was lost', UP, DOWN],
		[late, 'The gateway did not answer within 1.3 seconds', UP, DOWN],
		[{ unsent: true }, 'There was no time left to send the request', NOT_YET, DOWN],
		[{ code: 'ERR_CANCELED' }, 'The execution was canceled', 'Nothing more was sent.', undefined],
		[{ status: 302 }, REDIRECTED, "Check 'Base URL' in the credential.", WRONG],
		[{ status: 422, body: { message: 'In its words' } }, 'In its words', refused(422), undefined],
		[{ status: 400, body: {} }, answered(400), refused(400), undefined],
		[voided, answered(402, 'with VOIDED'), 'The gateway refused the payment (402).', undefined],
		[{ status: 401 }, answered(401), TOKEN, INVALID],
		[{ ...link, status: 403 }, answered(403), GROUP, INVALID],
		[{ status: 404 }, answered(404), BASE_URL, WRONG],
		[{ endpoint: 'deleteCustomer', status: 404 }, answered(404), unknown("'Customer'"), WRONG],
		[{ ...notFoundPage, endpoint: 'customer' }, answered(404, WEB_PAGE), BASE_URL, WRONG],
		[{ ...notFoundPage, ...link }, answered(404, WEB_PAGE), BASE_URL, WRONG],
		[{ ...link, status: 404 }, answered(404), BASE_URL_OR_LINK, WRONG],
		[{ status: 429 }, answered(429), `${LIMITS} ${LESS}`, LIMITED],
		[slowed, answered(429), `${LIMITS} It asks to wait 2 seconds. ${LESS}`, LIMITED],
		// The limiter's own pause may be longer than the gateway asked for, or not asked for at all.
		[paused, NOT_SENT, `${LIMITS} The pause lasts another 90 seconds. ${LESS}`, LIMITED],
		[{ status: 500, body: { toString: 1 } }, answered(500), SIDE, DOWN],
		[{ status: 500, body: ' \n<!DOCTYPE html>' }, answered(500, WEB_PAGE), SIDE, DOWN],
		[created, answered(200, 'without "data": Created'), `${NO_FORM} ${BASE_URL}`, undefined],
		[{ status: 200 }, answered(200, 'with an error, without saying which'), REPORTS, undefined],
	])('of %j says %j, and what to do: %j', (failed, title, advice, cause) => {
		const { message, description, httpCode, failure } = errorOf(failed);
		expect([message, description]).toEqual([title, advice]);
		expect(httpCode).toBe(failed.status === undefined ? null : String(failed.status));
		expect(failure?.cause).toBe(cause);
	});

	test('of a write says if it is not known whether the write was carried out', () => {
		const statuses = [200, 302, 408, 500].map((status) => ({ status }));
		const unsure = [{}, { code: 'ERR_CANCELED' }, ...statuses];
		const refusals = [400, 409, 429, 499].map((status) => ({ status }));
		const failed = { status: 200, errorWithoutResult: true };
		const sure = [{ code: 'ECONNREFUSED' }, { unsent: true }, failed, ...refusals];
		const UNSURE = 'The gateway may have carried out this request. Check before you run it again.';
		const saying = (endpoint: Endpoint) =>
			[...unsure, ...sure].filter((each) =>
				errorOf({ ...each, endpoint }).description?.endsWith(` ${UNSURE}`),
			);
		expect(saying('setDefaultPaymentMethod')).toEqual(unsure);
		expect(saying('customers')).toEqual([]);
	});

	test('with a long message is cut, but secrets are masked first', async () => {
		const start = 'x'.repeat(495);
		const long = `${start} ${sandbox.credentials.headerToken} and so on`;
		const { message } = await failing(get, { status: 400, body: { message: long } });
		expect(message).toBe(`${start} ••••…`);
	});

	test.each<[number, string, string, string]>([
		[429, '90', 'now', LIMITED],
		[503, '90', 'now', DOWN],
		[429, 'Sun, 01 May 2101 12:01:30 GMT', '2101-05-01T12:00:00Z', LIMITED],
	])(
		"by %i reports the wait from Retry-After (%s; the gateway's clock: %s) to the user and to n8n",
		async (status, until, clock, cause) => {
			if (clock !== 'now') sandbox.clock.set(clock);
			const first = await failing(get, { status, headers: { 'Retry-After': until } });
			expect(first.failure).toEqual({ cause, retryAfterMs: 90_000 });
			// The node does not wait longer than a minute. The next run fails without a request.
			const { error } = await run(get);
			expect(error).toMatchObject({ httpCode: '429', message: NOT_SENT });
			expect(error?.description).toMatch(/The pause lasts another (89|90) seconds/);
			expect(sandbox.requests).toHaveLength(1);
		},
	);

	test('says what to correct if the credential is incomplete or the gateway is down', async () => {
		const lacking = await run(get, { credentials: credentials({ headerToken: '' }) });
		expect(lacking.error?.description).toBe('Open the credential and correct it.');
		const baseUrl = 'http://127.0.0.1:1';
		const { error } = await run(create, { credentials: credentials({ baseUrl }) });
		// Nothing was sent, so no advice to check what was carried out.
		expect(error).toMatchObject({ message: 'The gateway refused the connection', description: UP });
	});
});

test('the cause of an error shows neither a secret nor the request', () => {
	const inner = new TypeError('Not a token: tok_secret');
	const cause = Object.assign(new Error('Cannot read tok_secret', { cause: inner }), {
		config: { headers: { token: 'tok_secret' } },
	});
	const node = standIn<INode>('node', { parameters: {} });
	const error = requestError(node, { endpoint: 'customer', cause }, createMask(['tok_secret']));
	expect(error.cause).toMatchObject({
		name: 'Error',
		message: 'Cannot read ••••',
		cause: { name: 'TypeError', message: 'Not a token: ••••' },
	});
	expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('tok_secret');
});

test('a redirect is not followed, and its error shows no token', async () => {
	const { privateToken } = sandbox.credentials;
	const location = `${sandbox.url}/api/gateway/x?token=${privateToken}`;
	const error = await failing(create, { status: 307, headers: { Location: location } });
	expect(error.message).toContain('redirected the request (307), which is not followed');
	expect(error.description).toContain(`the gateway points to ${sandbox.url}`);
	expect(JSON.stringify(error)).not.toContain(privateToken);
	expect(sandbox.requests).toHaveLength(1);
});

/** Answers that lack a promised field: client.test.ts. */
describe('an answer with status 200', () => {
	const list = { data: [{ message: 'Of the row' }], page: { total: 1, page: 1, pageSize: 10 } };
	const BACKEND = 'Backend timeout';
	test.each<[object, string | undefined]>([
		[{ errors: [BACKEND] }, BACKEND],
		[{ error: { code: 0, message: BACKEND } }, BACKEND],
		[{ error: true }, 'The gateway answered 200 with an error, without saying which'],
		[{ success: false, message: BACKEND }, BACKEND],
		[{ error: null, errors: [], success: true, status: 'ok', message: 'Done' }, undefined],
		[{ error: '', errors: {} }, undefined],
	])('with %j beside its rows has the error %j', async (said, words) => {
		sandbox.fault({ body: { ...list, ...said } });
		const { error, items } = await run(events);
		expect(error?.message).toBe(words);
		expect(items).toHaveLength(words === undefined ? 1 : 0);
		expect(sandbox.requests).toHaveLength(1);
	});
});

const GATEWAY_SIDE = "on the gateway's side (500)";
const RATE_ADVICE = 'It asks to wait 0 seconds. Run this less often';
const LOOK = 'Check before you run it again';
const soon = { headers: { 'Retry-After': '0' } };
type Advice = string | undefined;
type Sent = [string, INodeParameters, Fault, requests: number, customers: number, Advice];
test.each<Sent>([
	['a 503, twice', get, { status: 503, times: 2, ...soon }, 3, 1, undefined],
	['a request that is lost', get, { drop: 'before' }, 2, 1, undefined],
	['a 500, again and again', get, { status: 500, times: Infinity }, 3, 1, GATEWAY_SIDE],
	['a 429, four times', create, { status: 429, times: 4, ...soon }, 5, 2, undefined],
	['a 429, again and again', create, { status: 429, times: 5, ...soon }, 5, 1, RATE_ADVICE],
	['a 504 after the request is carried out', create, { status: 504, workFirst: true }, 1, 2, LOOK],
	['an answer that is lost', create, { drop: 'after' }, 1, 2, LOOK],
])(
	'after %s, %j is sent as often as is safe',
	async (_, parameters, fault, requests, customers, advice) => {
		sandbox.addCustomer({ id: 'cus_1' });
		sandbox.fault(fault);
		const { error, items } = await run(parameters);
		expect([items.length, sandbox.requests.length]).toEqual([advice ? 0 : 1, requests]);
		expect(error?.description).toEqual(advice && expect.stringContaining(advice));
		expect(sandbox.customers).toHaveLength(customers);
	},
);

// What is masked, and how: test/output.
test("a sensitive value that was sent is masked in the gateway's message, not in the node's own text", async () => {
	sandbox.fault({ status: 422, body: { message: 'Wrong CVC 422' } });
	const card = { details: { cardToken: 'tok_visa_4242', cvc: '422' } };
	const { error } = await run({ ...create, instrument: 'card', card });
	expect(error?.message).toBe('Wrong CVC ••••');
	expect(error?.description).toContain('refused what was sent (422)');
});
