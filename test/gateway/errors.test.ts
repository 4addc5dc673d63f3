import type { INode, INodeParameters } from 'n8n-workflow';

import type { FailedRequest } from '../../nodes/PaymentsGateway/gateway/errors';
import { requestError, serviceWords } from '../../nodes/PaymentsGateway/gateway/errors';
import { createMask } from '../../nodes/PaymentsGateway/output/mask';
import type { Endpoint } from '../../nodes/PaymentsGateway/wire';
import { log, output } from '../engine';
import type { Fault } from '../sandbox';
import { startSandbox } from '../sandbox';
import { useNode } from '../useNode';
import { asking, byId, create, events, get } from './asking';

/** A failure is told in the service's own words, and with what to do about it. */

const { sandbox, credentials, run } = useNode();

/** The error of a run in which the service answers like this. */
async function failing(parameters: INodeParameters, fault: Fault) {
	sandbox.fault({ times: Infinity, headers: { 'Retry-After': '0' }, ...fault });
	const { error } = await run(parameters);
	sandbox.clearFaults();
	if (error === undefined) throw new Error('The run did not fail');
	return error;
}

test.each<[unknown, string]>([
	[{ error: { code: 'E1', description: 'Card expired' } }, 'Card expired'],
	[{ error: '', message: 'Card expired', statusCode: 400 }, 'Card expired'],
	[{ error: true, message: 'Card expired' }, 'Card expired'],
	[
		{ errors: [{ message: 'No email' }, { field: 'cvc' }, { message: 'No name' }] },
		'No email; No name',
	],
	[{ errors: { cvc: ['is wrong', 'is short'], phone: {} } }, 'cvc: is wrong; is short'],
	[{ title: 'Bad Request', detail: 'Card expired' }, 'Card expired'],
	// A code, or the words of the status, give way to what stands beside them.
	[{ error: 'Bad Request', message: ['email must be an email'] }, 'email must be an email'],
	[{ error: 'invalid_request', error_description: 'Email is taken' }, 'Email is taken'],
	[{ message: 'Input validation failed', errors: { email: ['Is taken.'] } }, 'email: Is taken.'],
	[{ error: 'Not Found', data: { message: 'Of a record' } }, 'Not Found'],
	[{ errors: [{ field: 'phone', message: 'is required' }] }, 'phone: is required'],
	[{ errors: [{ path: 'phone', msg: 'is required' }] }, 'phone: is required'],
	[{ detail: [{ loc: ['body', 'phone'], msg: 'field required' }] }, 'body.phone: field required'],
	[
		{ email: ['Is taken.'], phone: ['Is short.', 'Is old.'] },
		'email: Is taken.; phone: Is short.; Is old.',
	],
	[{ data: { form: 1, email: ['Is taken.'] } }, 'email: Is taken.'],
	[
		{ error: { name: 'ZodError', issues: [{ path: ['email'], message: 'Invalid' }] } },
		'email: Invalid',
	],
	[
		{
			...{ error: 'Bad Request', message: "Validation failed for object='form'. Error count: 1" },
			errors: [{ field: 'phone', defaultMessage: 'is too short', code: 'Size' }],
		},
		'phone: is too short',
	],
	[{ customers: [{ message: 'Of a record' }] }, ''],
	[{ status: 400, path: '/x', tags: [] }, ''],
	[{ Error_Message: 'Card expired' }, 'Card expired'],
	[{ result: 'Declined', data: { reason: 'Card expired' } }, 'Card expired'],
	[{ message: {} }, ''],
	['  Card \n\t expired ', 'Card expired'],
	[42, ''],
	// A web page has no words of the service.
	['<!DOCTYPE html><p>x', ''],
	['  <h1>502</h1>', ''],
	['<?xml version="1.0"?><e/>', ''],
	['< 5 characters', '< 5 characters'],
	['Card<b>4242</b> expired', 'Card<b>4242</b> expired'],
	// Not in endless depth.
	[[[[['Card expired']]]], 'Card expired'],
	[[[[[['Card expired']]]]], ''],
	[Array.from({ length: 50 }).reduce((errors) => ({ errors }), 'Card expired'), ''],
	...[
		...['error', 'message', 'errors', 'error_description', 'errorMessage', 'detail', 'details'],
		...['description', 'reason', 'title', 'msg', 'responseText', 'responseMessage', 'data'],
		...['failure_reason', 'failureMessage', 'decline_reason', 'statusReason', 'failure'],
		...['result', 'code'],
	].map((key): [unknown, string] => [{ [key]: 'Card expired' }, 'Card expired']),
])("of %j, the service's own words are %j", (body, words) => {
	expect(serviceWords(body)).toBe(words);
});

describe('an error', () => {
	const UP = "Check 'Base URL' in the credential, and that the gateway is up.";
	const NOT_KNOWN = 'the gateway does not know what was sent.';
	const NO_TIME = { code: 'ETIMEDOUT', timeoutMs: 0, unsent: true };

	/** The error of a method that was to be the default, unless another endpoint is named. */
	const told = (failed: Partial<FailedRequest>) =>
		requestError(
			{ parameters: {} } as unknown as INode,
			{ endpoint: 'setDefaultPaymentMethod', ...failed },
			createMask([]),
		);

	test.each<[Partial<FailedRequest>, string]>([
		[{ status: 422, body: { message: 'In its words' } }, 'In its words'],
		[{}, 'The gateway could not be reached'],
		[{ code: 'EHOSTUNREACH' }, 'The gateway could not be reached (EHOSTUNREACH)'],
		[{ code: 'ECONNREFUSED' }, 'The gateway refused the connection'],
		[{ code: 'ENOTFOUND' }, "The gateway's address was not found"],
		[{ code: 'EAI_AGAIN' }, "The gateway's address could not be looked up"],
		[{ code: 'ECONNRESET' }, 'The connection to the gateway broke off'],
		[{ code: 'EPIPE' }, 'The connection to the gateway broke off'],
		[{ code: 'ETIMEDOUT', timeoutMs: 1_260 }, 'The gateway did not answer within 1.3 seconds'],
		[NO_TIME, 'There was no time left to send the request'],
		[{ status: 429, unsent: true }, 'Not sent, as the gateway has asked for a pause'],
		[{ code: 'ERR_CANCELED' }, 'The execution was canceled'],
		[{ status: 302 }, 'The gateway redirected the request (302), which is not followed'],
		...(
			[
				[{ status: 400, body: {} }, '400 without saying why'],
				[{ status: 500, body: { toString: 1 } }, '500 without saying why'],
				[{ status: 500, body: ' \n<!DOCTYPE html>' }, '500 with a web page instead of data'],
				[{ status: 429 }, '429 without saying why'],
				[{ status: 402, payment: { transactionID: '', status: 'VOIDED' } }, '402 with VOIDED'],
				[{ status: 200, body: {}, missing: 'data' }, '200 without "data"'],
				[{ status: 200, body: { msg: 'Created' }, missing: 'data' }, '200 without "data": Created'],
				[{ status: 200 }, '200 with an error, without saying which'],
			] as const
		).map(([failed, how]): [object, string] => [failed, `The gateway answered ${how}`]),
	])('of %j says %j', (failed, message) => {
		const error = told(failed);
		expect(error.message).toBe(message);
		expect(error.httpCode).toBe(failed.status === undefined ? null : String(failed.status));
	});

	const read = { endpoint: 'customers' } as const;
	const link = { endpoint: 'createCheckoutData', status: 403 } as const;
	const BASE_URL = "Check 'Base URL' in the credential: it is entered without /api.";
	const NOTHING_FOUND = 'Where other operations work, the gateway may mean that nothing was found.';
	const HERE = 'to this environment.';
	const TOKEN = `Check 'Header Token' in the credential, and that it belongs ${HERE}`;
	const GROUP = `Check 'Group ID' and 'Private Token' in the credential, and that they belong ${HERE}`;
	const LIMITS = 'The gateway limits how many requests it takes.';
	const LESS = 'Run this less often, or with fewer items.';
	const refused = (status: number) =>
		`The gateway refused what was sent (${status}). Check the values of this item.`;
	const NO_FORM = 'The gateway answered (200), but not in a form that this node understands.';
	const REPORTS =
		'The gateway reports this as an error, although its status is a good one (200). Check the values of this item, or try again later.';
	const UNSURE = 'It is not known whether it was carried out: look before you send it again.';
	const DOWN = 'temporarily-unavailable';
	const WRONG = 'configuration-invalid';

	test.each<[Partial<FailedRequest>, string, string | undefined]>([
		[{}, `${UP} ${UNSURE}`, DOWN],
		[read, UP, DOWN],
		[{ code: 'EAI_AGAIN' }, UP, DOWN],
		[{ code: 'ERR_CANCELED' }, `Nothing more was sent. ${UNSURE}`, undefined],
		[NO_TIME, 'Nothing was sent.', DOWN],
		[{ status: 302 }, `Check 'Base URL' in the credential. ${UNSURE}`, WRONG],
		[{ status: 400 }, refused(400), undefined],
		[{ status: 408 }, `${refused(408)} ${UNSURE}`, undefined],
		[{ ...read, status: 408 }, refused(408), undefined],
		[{ ...read, status: 401 }, TOKEN, 'credential-invalid'],
		[{ status: 403 }, TOKEN, 'credential-invalid'],
		[link, GROUP, 'credential-invalid'],
		[{ status: 404 }, `Check 'Customer' and 'Payment Method': ${NOT_KNOWN}`, WRONG],
		[{ ...read, status: 404 }, `${BASE_URL} ${NOTHING_FOUND}`, WRONG],
		[{ endpoint: 'addCustomer', status: 404 }, BASE_URL, WRONG],
		[{ status: 429 }, `${LIMITS} ${LESS}`, 'rate-limited'],
		[
			{ status: 429, retryAfterMs: 89_001 },
			`${LIMITS} It asks to wait 90 seconds. ${LESS}`,
			'rate-limited',
		],
		[{ status: 500 }, `This is on the gateway's side (500). Try again later. ${UNSURE}`, DOWN],
		[{ ...read, status: 200, missing: 'data' }, `${NO_FORM} ${BASE_URL}`, undefined],
		[{ status: 200, body: { error: 'Not today' } }, `${REPORTS} ${UNSURE}`, undefined],
	])('of %j advises %j', (failed, description, cause) => {
		const error = told(failed);
		expect(error.description).toBe(description);
		expect(error.failure).toEqual(cause && expect.objectContaining({ cause }));
	});

	test.each<[Endpoint, string]>([
		['updateCustomer', "'Customer'"],
		['deleteCustomer', "'Customer'"],
		['addPaymentMethod', "'Customer'"],
		['setDefaultPaymentMethod', "'Customer' and 'Payment Method'"],
		['computeTokenizedCheckout', "'Payment Data'"],
		['createCheckoutData', "'Existing Customer', 'Saved Payment Method' and each 'Product ID'"],
	])('of %s names what nobody knows: %s', (endpoint, fields) => {
		expect(told({ endpoint, status: 404 }).description).toBe(`Check ${fields}: ${NOT_KNOWN}`);
	});

	test('is cut when it is endless, after what is secret was masked', async () => {
		const body = { message: `${'x'.repeat(495)} ${sandbox.credentials.headerToken}` };
		const { message } = await failing(get, { status: 400, body });
		expect(message).toHaveLength(500);
		expect(message).not.toContain('sand');
		const endless = await failing(get, { status: 400, body: { message: 'y'.repeat(9_000) } });
		expect(endless.message).toHaveLength(501);
	});

	test.each([undefined, '2101-05-01T12:00:00Z'])(
		"names how long to wait, for n8n too, also until a date by the service's clock: %s",
		async (clock) => {
			if (clock) sandbox.clock.set(clock);
			const until = clock ? new Date(Date.parse(clock) + 90_000).toUTCString() : '90';
			const first = await failing(get, { status: 429, headers: { 'Retry-After': until } });
			expect(first.failure).toEqual({ cause: 'rate-limited', retryAfterMs: 90_000 });
			// Longer than a minute is for n8n to wait, not for the node; the next run asks in vain.
			const { error } = await run(get);
			expect(error).toMatchObject({
				httpCode: '429',
				message: 'Not sent, as the gateway has asked for a pause',
			});
			expect(error?.description).toMatch(/It asks to wait (89|90) seconds/);
			expect(sandbox.requests).toHaveLength(1);
		},
	);

	test('of a credential that is not complete, or of a service that is not there', async () => {
		const lacking = await run(get, { credentials: credentials({ headerToken: '' }) });
		expect(lacking.error).toMatchObject({
			message: expect.stringContaining('Header Token'),
			description: 'Open the credential and correct it.',
			failure: { cause: 'credential-invalid' },
		});
		expect(sandbox.requests).toHaveLength(0);
		const gone = await startSandbox();
		await gone.close();
		const { error } = await run(create, { credentials: credentials({ baseUrl: gone.url }) });
		// Nothing is left uncertain.
		expect(error).toMatchObject({
			message: 'The gateway refused the connection',
			description: UP,
			failure: { cause: 'temporarily-unavailable' },
		});
	});
});

test('a redirect is never followed, with no token', async () => {
	const elsewhere = await startSandbox();
	const location = `${elsewhere.url}/api/gateway/x?token=${sandbox.credentials.privateToken}`;
	for (const [status, parameters] of [
		[300, get],
		[307, create],
		[308, get],
	] as const) {
		const error = await failing(parameters, { status, headers: { Location: location } });
		expect(error).toMatchObject({
			message: `The gateway redirected the request (${status}), which is not followed`,
			description: expect.stringContaining(`the gateway points to ${elsewhere.url}`),
		});
		expect(JSON.stringify(error)).not.toContain(sandbox.credentials.privateToken);
	}
	await elsewhere.close();
	expect([elsewhere.requests.length, sandbox.requests.length]).toEqual([0, 3]);
});

describe('an answer with status 200', () => {
	const lacking: unknown[] = [
		...['', '<html></html>', 'OK', '[]', {}, { data: null }, { id: true }],
		{ id: '', customerID: '', paymentCardID: '', data: { payLinkID: '', url: '' } },
		{ breakdown: { total: '25.00' }, data: 'many' },
	];

	test.each(asking)(
		'of %s is an error where it lacks what is promised, or says so whatever it holds',
		async (on, form) => {
			for (const body of lacking) {
				sandbox.reset();
				// Update reads the customer before it changes them.
				sandbox.addCustomer({ id: 'cus_1' });
				const { message, description, httpCode } = await failing(form, { on, body });
				expect(httpCode).toBe('200');
				expect(message).toMatch(/^(The gateway answered 200 with|OK$|many$)/);
				expect(description).toContain('not in a form that this node understands');
				// Never sent again.
				expect(sandbox.requestsTo(on)).toHaveLength(1);
			}
			const link = { payLinkID: 'pl_1', url: 'https://pay.example.com' };
			const whole = {
				data: on === 'createCheckoutData' ? link : [],
				...{ id: 'cus_1', customerID: 'cus_1', paymentCardID: 'pm_1', breakdown: { total: 2500 } },
			};
			sandbox.fault({ on, body: whole });
			output(await run(form));
			const body = { ...whole, error: { message: 'Not today' } };
			expect((await failing(form, { on, body })).message).toBe('Not today');
			expect(sandbox.requestsTo(on)).toHaveLength(3);
		},
	);

	const list = { data: [{ message: 'Of the row' }], page: { total: 1, page: 1, pageSize: 10 } };
	const SAYS_NONE = 'The gateway answered 200 with an error, without saying which';
	test.each<[object, string | undefined]>([
		[{ errors: ['Backend timeout'] }, 'Backend timeout'],
		[{ success: false, message: 'Backend timeout' }, 'Backend timeout'],
		[{ success: 'false' }, SAYS_NONE],
		[{ success: 0 }, SAYS_NONE],
		[{ ok: '0' }, SAYS_NONE],
		[{ error: true }, SAYS_NONE],
		[{ status: 'error', message: 'Backend timeout' }, 'Backend timeout'],
		[{ status: 'FAILED', message: 'Backend timeout' }, 'Backend timeout'],
		[{ status: 'failure', message: 'Backend timeout' }, 'Backend timeout'],
		[{ status: false, message: 'Backend timeout' }, 'Backend timeout'],
		[{ ok: false, message: 'Backend timeout' }, 'Backend timeout'],
		[{ code: 500, message: 'Backend timeout' }, 'Backend timeout'],
		[{ errorMessage: 'Backend timeout' }, 'Backend timeout'],
		[{ status: 'ok', code: 200 }, undefined],
		[{ status: 0, success: 1 }, undefined],
		[{ errors: [] }, undefined],
		[{ error: null }, undefined],
		[{ error: { code: 0, message: '' } }, undefined],
	])('that says %j beside its rows fails with %j', async (said, words) => {
		sandbox.fault({ body: { ...list, ...said } });
		const { error, items } = await run(events);
		expect(error?.message).toBe(words);
		expect(items).toHaveLength(words === undefined ? 1 : 0);
		expect(sandbox.requests).toHaveLength(1);
	});
});

const SIDE = "on the gateway's side (500)";
const LOOK = 'look before you send it again';
const soon = { headers: { 'Retry-After': '0' } };
test.each<[string, INodeParameters, Fault, number, string | undefined]>([
	['a 503, twice', get, { status: 503, times: 2, ...soon }, 3, undefined],
	['a connection that breaks before the work', get, { drop: 'before' }, 2, undefined],
	['a 500, again and again', get, { status: 500, times: Infinity }, 3, SIDE],
	['a limit, twice', create, { status: 429, times: 2, ...soon }, 3, undefined],
	['a 504 after the work', create, { status: 504, workFirst: true }, 1, LOOK],
	['a connection that breaks', create, { drop: 'after' }, 1, LOOK],
	['an empty answer', create, { body: '', workFirst: true }, 1, LOOK],
])('after %s, %j is sent as often as is safe', async (_, parameters, fault, requests, words) => {
	sandbox.addCustomer({ id: 'cus_1' });
	sandbox.fault(fault);
	const { error, items } = await run(parameters);
	expect([items.length, sandbox.requests.length]).toEqual([words ? 0 : 1, requests]);
	expect(error?.description).toEqual(words && expect.stringContaining(words));
	// A write is made once.
	expect(sandbox.customers).toHaveLength(parameters === create ? 2 : 1);
});

/** All that is masked, and how: test/output/mask.test.ts. */
describe('what was sent in secret', () => {
	const method = { resource: 'paymentMethod', operation: 'add', customerId: byId('cus_1') };
	const account = { accountNumber: '={{ "000123" + 456789 }}', routingNumber: '021000021' };
	const ach = { ...method, instrument: 'ach', ach: { details: account } };
	const card = (cvc: string) => {
		const details = { cardToken: 'tok_visa_4242', cvc };
		return { ...method, card: { details } };
	};
	const sent = ['000123456789', '021000021', 'tok_visa_4242', '7371'];
	beforeEach(() => sandbox.addCustomer({ id: 'cus_1' }));

	/** Of all that n8n keeps of a run, but for the parameters that are typed into the workflow. */
	function expectNothingOf({ run: { data } }: Awaited<ReturnType<typeof run>>): void {
		const kept = JSON.stringify({ ...data, executionData: undefined }) + log.lines.join('\n');
		const { headerToken, privateToken } = sandbox.credentials;
		for (const secret of [headerToken, privateToken, ...sent]) {
			// Random IDs may hold any four digits.
			expect(kept.replaceAll(/[\da-f]{13,}/g, '')).not.toContain(secret);
		}
	}

	/** The request as a service may repeat it. */
	const echo = () => {
		const { body, headers } = sandbox.requests.at(-1) ?? {};
		return [{ body, headers }, `Refused: ${JSON.stringify({ body, headers })}`];
	};

	test.each([
		['No 7371 for tok_visa_4242', card('7371'), {}],
		['No 7371', card('={{ 7371 }}'), { onError: 'continueErrorOutput' as const }],
		['No 000123456789 at 021000021', ach, {}],
	])('is not kept when an error repeats it: %s', async (words, parameters, settings) => {
		sandbox.fault({ answer: () => ({ success: false, message: [words, ...echo()] }) });
		const result = await run(parameters, { settings });
		expect(JSON.stringify(result.error ?? result.outputs[1])).toContain('No ••••');
		expectNothingOf(result);
	});

	test('is not kept when a success repeats it, or when the form itself is refused', async () => {
		sandbox.fault({ answer: (answer) => ({ ...Object(answer), echo: echo() }) });
		const result = await run(ach);
		expect(output(result)).toMatchObject([{ customerID: 'cus_1', echo: expect.anything() }]);
		expectNothingOf(result);
		const refused = await run({ ...ach, ach: { details: { ...account, routingNumber: '' } } });
		expect(refused.error?.message).toContain("'Routing Number' is empty");
		expect(sandbox.requests).toHaveLength(1);
		expectNothingOf(refused);
	});

	test('is left where it stands in our own words', async () => {
		sandbox.fault({ status: 422, body: { message: 'Wrong CVC 422' } });
		const { error } = await run(card('422'));
		expect(error?.message).toBe('Wrong CVC ••••');
		expect(error?.description).toContain('refused what was sent (422)');
	});
});
