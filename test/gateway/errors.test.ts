import type { INode, INodeParameters } from 'n8n-workflow';

import type { FailedRequest } from '../../nodes/PaymentsGateway/gateway/errors';
import { requestError, serviceWords } from '../../nodes/PaymentsGateway/gateway/errors';
import { createMask } from '../../nodes/PaymentsGateway/output/mask';
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
	[{ error: { message: 'Card expired' } }, 'Card expired'],
	[{ error: { code: 'E1', description: 'Card expired' } }, 'Card expired'],
	[{ message: 'Card expired', statusCode: 400 }, 'Card expired'],
	[{ error: '', message: 'Card expired' }, 'Card expired'],
	[{ error: true, message: 'Card expired' }, 'Card expired'],
	[{ errors: [{ message: 'No email' }, {}, { message: 'No name' }] }, 'No email; No name'],
	[{ errors: [{ detail: 'No email', status: '422' }] }, 'No email'],
	[{ title: 'Bad Request', detail: 'Card expired' }, 'Card expired'],
	[{ data: { reason: 'Card expired' } }, 'Card expired'],
	[{ msg: 'Card expired' }, 'Card expired'],
	[{ result: 'Insufficient funds' }, 'Insufficient funds'],
	[{ error: { code: 'card_declined' } }, 'card_declined'],
	[{ errors: { cvc: ['is wrong', 'is short'], phone: {} } }, 'cvc: is wrong; is short'],
	[{ message: {} }, ''],
	['  Card \n\t expired ', 'Card expired'],
	[['Card expired'], 'Card expired'],
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
])("of %j, the service's own words are %j", (body, words) => {
	expect(serviceWords(body)).toBe(words);
});

describe('an error', () => {
	const UP = "Check 'Base URL' in the credential, and that the gateway is up.";
	const NOT_KNOWN = 'the gateway does not know what was sent.';

	/** The error of a method that was to be the default, unless another endpoint is named. */
	const told = (failed: Partial<FailedRequest>) =>
		requestError(
			{ parameters: {} } as unknown as INode,
			{ endpoint: 'setDefaultPaymentMethod', ...failed },
			createMask([]),
		);

	test.each<[Partial<FailedRequest>, string]>([
		[{ status: 422, body: { message: 'In its words' } }, 'In its words'],
		[{ status: 200, body: { error: 'In its words' } }, 'In its words'],
		[{}, 'The gateway could not be reached'],
		[{ code: 'EHOSTUNREACH' }, 'The gateway could not be reached (EHOSTUNREACH)'],
		[{ code: 'ECONNREFUSED' }, 'The gateway refused the connection'],
		[{ code: 'EPIPE' }, 'The connection to the gateway broke off'],
		[{ code: 'EAI_AGAIN' }, "The gateway's address could not be looked up"],
		[{ code: 'ETIMEDOUT', timeoutMs: 1_260 }, 'The gateway did not answer within 1.3 seconds'],
		[
			{ code: 'ETIMEDOUT', timeoutMs: 0, unsent: true },
			'There was no time left to send the request',
		],
		[{ status: 429, unsent: true }, 'Not sent, as the gateway has asked for a pause'],
		[{ code: 'ERR_CANCELED' }, 'The execution was canceled'],
		[{ status: 302 }, 'The gateway redirected the request (302), which is not followed'],
		[{ status: 400, body: {} }, 'The gateway answered 400 without saying why'],
		[{ status: 500, body: { toString: 1 } }, 'The gateway answered 500 without saying why'],
		[
			{ status: 500, body: ' \n<!DOCTYPE html>' },
			'The gateway answered 500 with a web page instead of data',
		],
		[{ status: 429 }, 'The gateway answered 429 without saying why'],
		[{ status: 502, body: '<p>Bad' }, 'The gateway answered 502 with a web page instead of data'],
		[{ status: 200, body: {}, missing: 'data' }, 'The gateway answered 200 without "data"'],
		[
			{ status: 200, body: { message: 'Created' }, missing: 'data' },
			'The gateway answered 200 without "data": Created',
		],
		[{ status: 200 }, 'The gateway answered 200 with an error, without saying which'],
	])('of %j says %j', (failed, message) => {
		const error = told(failed);
		expect(error.message).toBe(message);
		expect(error.httpCode).toBe(failed.status === undefined ? null : String(failed.status));
	});

	const read = { endpoint: 'customers' } as const;
	const link = { endpoint: 'createCheckoutData' } as const;
	const TOKEN = "Check 'Header Token' in the credential, and that it belongs";
	const PRIVATE = "Check 'Group ID' and 'Private Token' in the credential, and that they belong";
	const LIMITS = 'The gateway limits how many requests it takes.';
	const LESS = 'Run this less often, or with fewer items.';
	const REFUSED = 'The gateway refused what was sent';
	const UNSURE = 'It is not known whether it was carried out: look before you send it again.';
	test.each<[Partial<FailedRequest>, string, string | undefined]>([
		[{}, `${UP} ${UNSURE}`, 'temporarily-unavailable'],
		[read, UP, 'temporarily-unavailable'],
		[{ code: 'ECONNRESET' }, `${UP} ${UNSURE}`, 'temporarily-unavailable'],
		[{ code: 'EAI_AGAIN' }, UP, 'temporarily-unavailable'],
		[{ code: 'ERR_CANCELED' }, `Nothing more was sent. ${UNSURE}`, undefined],
		[{ status: 302 }, `Check 'Base URL' in the credential. ${UNSURE}`, 'configuration-invalid'],
		[{ status: 408 }, `${REFUSED} (408). Check the values of this item. ${UNSURE}`, undefined],
		[{ ...read, status: 408 }, `${REFUSED} (408). Check the values of this item.`, undefined],
		[{ status: 409 }, `${REFUSED} (409). Check the values of this item.`, undefined],
		[{ ...read, status: 401 }, `${TOKEN} to this environment.`, 'credential-invalid'],
		[{ status: 403 }, `${TOKEN} to this environment.`, 'credential-invalid'],
		[{ ...link, status: 403 }, `${PRIVATE} to this environment.`, 'credential-invalid'],
		[
			{ status: 404 },
			`Check 'Customer' and 'Payment Method': ${NOT_KNOWN}`,
			'configuration-invalid',
		],
		[{ ...read, status: 404 }, "Check 'Base URL' in the credential.", 'configuration-invalid'],
		[
			{ status: 400 },
			'The gateway refused what was sent (400). Check the values of this item.',
			undefined,
		],
		[{ status: 429 }, `${LIMITS} ${LESS}`, 'rate-limited'],
		[
			{ status: 429, retryAfterMs: 89_001 },
			`${LIMITS} It asks to wait 90 seconds. ${LESS}`,
			'rate-limited',
		],
		[
			{ code: 'ETIMEDOUT', timeoutMs: 0, unsent: true },
			'Nothing was sent.',
			'temporarily-unavailable',
		],
		[
			{ status: 500 },
			`This is on the gateway's side (500). Try again later. ${UNSURE}`,
			'temporarily-unavailable',
		],
		[
			{ ...read, status: 200, missing: 'data' },
			"The gateway answered (200), but not in a form that this node understands. Check 'Base URL' in the credential.",
			undefined,
		],
		[
			{ status: 200, body: { error: 'Not today' } },
			`The gateway reports this as an error, although its status is a good one (200). Check the values of this item, or try again later. ${UNSURE}`,
			undefined,
		],
	])('of %j advises %j', (failed, description, cause) => {
		const error = told(failed);
		expect(error.description).toBe(description);
		expect(error.failure).toEqual(cause && expect.objectContaining({ cause }));
	});

	test('names the item, and says what the service says', async () => {
		sandbox.addCustomer({ id: 'cus_1' });
		const parameters = { ...get, customerId: byId('={{ $json.id }}') };
		const { error } = await run(parameters, { items: [{ id: 'cus_1' }, { id: 'cus_2' }] });
		expect(error).toMatchObject({
			message: 'Customer cus_2 not found',
			description: `Check 'Customer': ${NOT_KNOWN}`,
			httpCode: '404',
			context: { itemIndex: 1 },
			failure: { cause: 'configuration-invalid' },
		});
	});

	test('is cut when it is endless, after what is secret was masked', async () => {
		const body = { message: `${'x'.repeat(490)} ${sandbox.credentials.headerToken}` };
		const { message } = await failing(get, { status: 400, body });
		expect(message).toHaveLength(495);
		expect(message).not.toContain('sand');
		const endless = await failing(get, { status: 400, body: { message: 'y'.repeat(9_000) } });
		expect(endless.message).toHaveLength(501);
	});

	test.each([undefined, '2021-05-01T12:00:00Z', '2101-05-01T12:00:00Z'])(
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

	test('of a credential that is not complete is told as such, before anything is sent', async () => {
		const { error } = await run(get, { credentials: credentials({ headerToken: '' }) });
		expect(error).toMatchObject({
			message: expect.stringContaining('Header Token'),
			description: 'Open the credential and complete it.',
			failure: { cause: 'credential-invalid' },
		});
		expect(sandbox.requests).toHaveLength(0);
	});

	test('of a service that is not there leaves nothing uncertain', async () => {
		const gone = await startSandbox();
		await gone.close();
		const { error } = await run(create, { credentials: credentials({ baseUrl: gone.url }) });
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
	const statuses = [300, 301, 302, 303, 307, 308];
	for (const status of statuses) {
		const headers = { Location: location };
		const error = await failing(status === 307 ? create : get, { status, headers });
		expect(error).toMatchObject({
			message: `The gateway redirected the request (${status}), which is not followed`,
			description: expect.stringContaining(`the gateway points to ${elsewhere.url}`),
		});
		expect(JSON.stringify(error)).not.toContain(sandbox.credentials.privateToken);
	}
	await elsewhere.close();
	expect(elsewhere.requests).toHaveLength(0);
	expect(sandbox.requests).toHaveLength(statuses.length);
});

describe('an answer with status 200', () => {
	const lacking: unknown[] = [
		...['', '<html></html>', 'OK', '[]', 'null', {}, { data: null }, { id: true }],
		{ id: '', customerID: '', paymentCardID: '', data: { payLinkID: '', url: '' } },
		{ breakdown: { total: '25.00' }, data: 'many' },
	];

	test.each(asking)('of %s is an error where it lacks what is promised', async (on, form) => {
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
	});

	test.each(asking)('of %s is an error where it says so, whatever it holds', async (on, form) => {
		const isLink = on === 'createCheckoutData';
		const whole = {
			data: isLink ? { payLinkID: 'pl_1', url: 'https://pay.example.com' } : [],
			...{ id: 'cus_1', customerID: 'cus_1', paymentCardID: 'pm_1', breakdown: { total: 2500 } },
		};
		sandbox.addCustomer({ id: 'cus_1' });
		sandbox.fault({ on, body: whole });
		output(await run(form));
		const error = await failing(form, { on, body: { ...whole, error: { message: 'Not today' } } });
		expect(error.message).toBe('Not today');
		expect(sandbox.requestsTo(on)).toHaveLength(2);
	});

	const list = { data: [{ message: 'Of the row' }], page: { total: 1, page: 1, pageSize: 10 } };
	const SAYS_NONE = 'The gateway answered 200 with an error, without saying which';
	test.each<[object, string | undefined]>([
		[{ errors: ['Backend timeout'] }, 'Backend timeout'],
		[{ success: false, message: 'Backend timeout' }, 'Backend timeout'],
		[{ success: 'false' }, SAYS_NONE],
		[{ error: true }, SAYS_NONE],
		[{ error: null }, undefined],
		[{ errors: [] }, undefined],
		[{ error: { code: 0, message: '' } }, undefined],
		[{ success: true }, undefined],
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
	['a connection that breaks after the work', get, { drop: 'after' }, 2, undefined],
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
	const add = (instrument: INodeParameters) => ({
		...{ resource: 'paymentMethod', operation: 'add', customerId: byId('cus_1') },
		...instrument,
	});
	const account = { accountNumber: '={{ "000123" + 456789 }}', routingNumber: '021000021' };
	const ach = add({ instrument: 'ach', ach: { details: account } });
	const card = (cvc: string) => add({ card: { details: { cardToken: 'tok_visa_4242', cvc } } });
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

	test('is not kept when a success repeats it', async () => {
		sandbox.fault({ answer: (answer) => ({ ...Object(answer), echo: echo() }) });
		const result = await run(ach);
		expect(output(result)).toMatchObject([{ customerID: 'cus_1', echo: expect.anything() }]);
		expectNothingOf(result);
	});

	test('is not kept when the form itself is refused', async () => {
		const result = await run({ ...ach, ach: { details: { ...account, routingNumber: '' } } });
		expect(result.error?.message).toContain("'Routing Number' is empty");
		expect(sandbox.requests).toHaveLength(0);
		expectNothingOf(result);
	});

	test('is left where it stands in our own words', async () => {
		sandbox.fault({ status: 422, body: { message: 'Wrong CVC 422' } });
		const { error } = await run(card('422'));
		expect(error?.message).toBe('Wrong CVC ••••');
		expect(error?.description).toContain('refused what was sent (422)');
	});
});
