import type { INode, INodeParameters } from 'n8n-workflow';

import type { FailedRequest } from '../../nodes/PaymentsGateway/gateway/errors';
import { requestError, serviceWords } from '../../nodes/PaymentsGateway/gateway/errors';
import { createMask } from '../../nodes/PaymentsGateway/output/mask';
import { log, output } from '../engine';
import type { Fault } from '../sandbox';
import { startSandbox } from '../sandbox';
import { useNode } from '../useNode';
import { asking, byId, calculate, create, events, get, paylink } from './asking';

const { sandbox, credentials, run } = useNode();

/** The error of a run in which the service answers like this. */
async function failing(parameters: INodeParameters, fault: Fault) {
	sandbox.fault({ times: Infinity, headers: { 'Retry-After': '0' }, ...fault });
	const { error } = await run(parameters);
	if (error === undefined) throw new Error('The run did not fail');
	return error;
}

const OURS = /problem|failure|mistake/i;

describe('the answer of a list whose status is a good one', () => {
	const list = { data: [{ message: 'Of the row' }], page: { total: 1, page: 1, pageSize: 10 } };

	test.each<[object, string]>([
		[{ error: { message: 'Backend timeout' } }, 'Backend timeout'],
		[{ errors: ['Backend timeout'] }, 'Backend timeout'],
		[{ success: false, message: 'Backend timeout' }, 'Backend timeout'],
		[{ success: 'false' }, 'The gateway answered 200 with an error, without saying which'],
		[{ error: true }, 'The gateway answered 200 with an error, without saying which'],
	])('is an error where it says %j', async (said, words) => {
		const error = await failing(events, { body: { ...list, ...said } });
		expect(error).toMatchObject({
			message: words,
			description: expect.stringContaining('although its status is a good one (200)'),
		});
		expect(sandbox.requests).toHaveLength(1);
	});

	test.each([
		{ error: null },
		{ errors: [] },
		{ error: { code: 0, message: '' } },
		{ success: true },
	])('is none where it says %j', async (said) => {
		sandbox.fault({ body: { ...list, ...said } });
		expect(output(await run(events))).toHaveLength(1);
	});
});

describe("the service's own words", () => {
	test.each<[unknown, string]>([
		[{ error: { message: 'Card expired' } }, 'Card expired'],
		[{ error: { code: 'E1', description: 'Card expired' } }, 'Card expired'],
		[{ message: 'Card expired', statusCode: 400 }, 'Card expired'],
		[{ error: '', message: 'Card expired' }, 'Card expired'],
		[{ error: true, message: 'Card expired' }, 'Card expired'],
		[{ errors: [{ message: 'No email' }, {}, { message: 'No name' }] }, 'No email; No name'],
		[{ errors: [{ detail: 'No email', status: '422' }] }, 'No email'],
		[{ error: { errors: [{ message: 'Deep' }] } }, 'Deep'],
		[{ title: 'Bad Request', detail: 'Card expired' }, 'Card expired'],
		[{ data: { reason: 'Card expired' } }, 'Card expired'],
		[{ message: {} }, ''],
		['  Card \n\t expired ', 'Card expired'],
		[['Card expired'], 'Card expired'],
		[null, ''],
		[42, ''],
		['<!DOCTYPE html><p>x', ''],
		['  <h1>502</h1>', ''],
		['<?xml version="1.0"?><e/>', ''],
		['< 5 characters', '< 5 characters'],
		['Card<b>4242</b> expired', 'Card<b>4242</b> expired'],
	])('are found in %j', (body, words) => {
		expect(serviceWords(body)).toBe(words);
	});

	test('are looked for in no endless depth', () => {
		const nested = (depth: number) =>
			Array.from({ length: depth }).reduce<unknown>((inner) => [inner], 'Card expired');
		expect(serviceWords(nested(4))).toBe('Card expired');
		expect(serviceWords(nested(50_000))).toBe('');
	});

	test('are the title of the error', async () => {
		const error = await failing(get, { status: 422, body: { message: 'Card expired' } });
		expect(error).toMatchObject({
			message: 'Card expired',
			description: 'The gateway refused what was sent (422). Check the values of this item.',
			httpCode: '422',
			context: { itemIndex: 0 },
		});
		expect(sandbox.requests).toHaveLength(1);
	});

	test.each([
		[400, '{}', 'The gateway answered 400 without saying why'],
		[500, '', 'The gateway answered 500 without saying why'],
		[502, '<html>Bad gateway</html>', 'The gateway answered 502 with a web page instead of data'],
		[403, '<h1>Forbidden</h1>', 'The gateway answered 403 with a web page instead of data'],
	])('are not made up: %i with %j', async (status, body, message) => {
		expect(await failing(get, { status, body })).toMatchObject({
			message,
			httpCode: String(status),
		});
	});

	test('are cut when they are endless, after what is secret was masked', async () => {
		const body = { message: `${'x'.repeat(490)} ${sandbox.credentials.headerToken}` };
		const { message } = await failing(get, { status: 400, body });
		expect(message).toHaveLength(495);
		expect(message).not.toContain('sand');
		sandbox.clearFaults();
		const endless = await failing(get, { status: 400, body: { message: 'y'.repeat(9_000) } });
		expect(endless.message).toHaveLength(501);
	});
});

describe('what to do about it', () => {
	const HEADER = "Check 'Header Token' in the credential";
	const PRIVATE = "Check 'Group ID' and 'Private Token' in the credential";
	const cases: Array<[INodeParameters, number, string, string | undefined]> = [
		[get, 401, HEADER, 'credential-invalid'],
		[get, 403, HEADER, 'credential-invalid'],
		[create, 401, HEADER, 'credential-invalid'],
		[paylink, 401, PRIVATE, 'credential-invalid'],
		[events, 403, PRIVATE, 'credential-invalid'],
		[get, 404, "Check 'Customer'", 'configuration-invalid'],
		[paylink, 404, "'Product ID'", 'configuration-invalid'],
		[events, 404, "Check 'Base URL'", 'configuration-invalid'],
		[get, 400, 'Check the values of this item', undefined],
		[calculate, 404, "Check 'Payment Data'", 'configuration-invalid'],
		[get, 429, 'limits how many requests', 'rate-limited'],
		[get, 500, "on the gateway's side (500)", 'temporarily-unavailable'],
		[get, 503, "on the gateway's side (503)", 'temporarily-unavailable'],
		[create, 500, 'not known whether it was carried out', 'temporarily-unavailable'],
	];

	test.each(cases)('%j with %i: %s', async (parameters, status, hint, cause) => {
		const error = await failing(parameters, { status, body: { message: 'In its words' } });
		expect(error.message).toBe('In its words');
		expect(error.description).toContain(hint);
		expect(error.description).not.toMatch(OURS);
		expect(error.httpCode).toBe(String(status));
		expect(error.failure?.cause).toBe(cause);
	});

	test('names how long the service asks to wait, for n8n too', async () => {
		const headers = { 'Retry-After': '90' };
		const error = await failing(get, { status: 429, headers });
		expect(error.description).toContain('It asks to wait 90 seconds');
		expect(error.failure).toEqual({ cause: 'rate-limited', retryAfterMs: 90_000 });
		// Longer than a minute is for n8n to wait, not for the node.
		expect(sandbox.requests).toHaveLength(1);
		const next = await run(get);
		expect(next.error).toMatchObject({
			message: 'The gateway answered 429 without saying why',
			description: expect.stringMatching(/It asks to wait (89|90) seconds/),
			httpCode: '429',
		});
		expect(sandbox.requests).toHaveLength(1);
	});

	test('a credential that is not complete is named as such', async () => {
		const { error } = await run(get, { credentials: credentials({ headerToken: '' }) });
		expect(error).toMatchObject({
			message: expect.stringContaining('Header Token'),
			description: 'Open the credential and complete it.',
			failure: { cause: 'credential-invalid' },
		});
		expect(sandbox.requests).toHaveLength(0);
	});

	const UP = "Check 'Base URL' in the credential, and that the gateway is up.";
	const UNSURE = 'It is not known whether it was carried out: look before you send it again.';
	test.each<[Partial<FailedRequest>, string, string]>([
		[{}, 'The gateway could not be reached', `${UP} ${UNSURE}`],
		[
			{ code: 'EHOSTUNREACH' },
			'The gateway could not be reached (EHOSTUNREACH)',
			`${UP} ${UNSURE}`,
		],
		[{ code: 'EPIPE' }, 'The connection to the gateway broke off', `${UP} ${UNSURE}`],
		[{ code: 'EAI_AGAIN' }, "The gateway's address could not be looked up", UP],
		[
			{ code: 'CERT_HAS_EXPIRED' },
			'The gateway could not be reached (CERT_HAS_EXPIRED)',
			`${UP} ${UNSURE}`,
		],
		[
			{ code: 'ETIMEDOUT', timeoutMs: 1_260 },
			'The gateway did not answer within 1.3 seconds',
			`${UP} ${UNSURE}`,
		],
		[{ code: 'ERR_CANCELED' }, 'The execution was canceled', `Nothing more was sent. ${UNSURE}`],
		[
			{ status: 429 },
			'The gateway answered 429 without saying why',
			'The gateway limits how many requests it takes. Run this less often, or with fewer items.',
		],
		[
			{ status: 302 },
			'The gateway redirected the request (302), which is not followed',
			`Check 'Base URL' in the credential. ${UNSURE}`,
		],
		[
			{ status: 404, body: 'No such card' },
			'No such card',
			"Check 'Customer' and 'Payment Method': the gateway does not know what was sent.",
		],
	])('of a write after %j is told', (failed, message, description) => {
		const node = { parameters: {} } as unknown as INode;
		const error = requestError(
			node,
			{ endpoint: 'setDefaultPaymentMethod', ...failed },
			createMask([]),
		);
		expect(error).toMatchObject({ message, description });
	});

	test.each(['2021-05-01T12:00:00Z', '2101-05-01T12:00:00Z'])(
		'reads the date until which to wait by the clock of the service, at %s',
		async (clock) => {
			sandbox.clock.set(clock);
			const until = new Date(Date.parse(clock) + 90_000).toUTCString();
			const error = await failing(get, { status: 429, headers: { 'Retry-After': until } });
			expect(error.failure).toEqual({ cause: 'rate-limited', retryAfterMs: 90_000 });
			expect(sandbox.requests).toHaveLength(1);
		},
	);

	test('a service that is not there is named as such', async () => {
		const gone = await startSandbox();
		await gone.close();
		const unreachable = { credentials: credentials({ baseUrl: gone.url }) };
		const [read, write] = await Promise.all([run(get, unreachable), run(create, unreachable)]);
		expect(read.error).toMatchObject({
			message: 'The gateway refused the connection',
			failure: { cause: 'temporarily-unavailable' },
		});
		// Nothing was connected, so nothing is uncertain.
		expect(write.error?.description).toBe(
			"Check 'Base URL' in the credential, and that the gateway is up.",
		);
	});

	test('the item that failed is named', async () => {
		sandbox.addCustomer({ id: 'cus_1' });
		const parameters = { ...get, customerId: byId('={{ $json.id }}') };
		const items = [{ id: 'cus_1' }, { id: 'cus_2' }];
		const { error } = await run(parameters, { items });
		expect(error).toMatchObject({
			message: 'Customer cus_2 not found',
			context: { itemIndex: 1 },
		});
	});
});

test('a redirect is never followed, with no token', async () => {
	const elsewhere = await startSandbox();
	const location = `${elsewhere.url}/api/gateway/x?token=${sandbox.credentials.privateToken}`;
	const headers = { Location: location };
	const statuses = [300, 301, 302, 303, 307, 308];
	for (const status of statuses) {
		const error = await failing(status === 307 ? create : get, { status, headers });
		expect(error).toMatchObject({
			message: `The gateway redirected the request (${status}), which is not followed`,
			description: expect.stringContaining(`the gateway points to ${elsewhere.url}`),
			httpCode: String(status),
		});
		expect(JSON.stringify(error)).not.toContain(sandbox.credentials.privateToken);
		sandbox.clearFaults();
	}
	await elsewhere.close();
	expect(elsewhere.requests).toHaveLength(0);
	expect(sandbox.requests).toHaveLength(statuses.length);
	expect(sandbox.customers).toHaveLength(0);
});

describe("an answer with status 200 that lacks what the service's description promises", () => {
	const bodies: unknown[] = [
		'',
		'<html></html>',
		'OK',
		'[]',
		'null',
		{},
		{ data: null },
		{ id: 7 },
		{ id: '', customerID: '', paymentCardID: '', data: { payLinkID: '', url: '' } },
		{ breakdown: { total: '2500' }, data: 'many' },
	];

	test.each(asking)('%s: is an error, and never sent again', async (endpoint, parameters) => {
		for (const body of bodies) {
			sandbox.reset();
			// Update reads the customer before it changes them.
			sandbox.addCustomer({ id: 'cus_1' });
			const error = await failing(parameters, { on: endpoint, body });
			expect(error.httpCode).toBe('200');
			expect(error.message).not.toMatch(OURS);
			expect(error.description).toContain('not in a form that this node understands');
			expect(sandbox.requestsTo(endpoint)).toHaveLength(1);
		}
	});

	test.each(asking)('%s: is an error where it says so, whatever it holds', async (on, form) => {
		const whole = {
			data:
				on === 'createCheckoutData' ? { payLinkID: 'pl_1', url: 'https://pay.example.com' } : [],
			id: 'cus_1',
			customerID: 'cus_1',
			paymentCardID: 'pm_1',
			breakdown: { total: 2500 },
		};
		sandbox.addCustomer({ id: 'cus_1' });
		sandbox.fault({ on, body: whole });
		output(await run(form));
		const error = await failing(form, { on, body: { ...whole, error: { message: 'Not today' } } });
		expect(error.message).toBe('Not today');
		expect(sandbox.requestsTo(on)).toHaveLength(2);
	});

	test('says what is missing, or what the service says', async () => {
		expect((await failing(create, { body: {} })).message).toBe(
			'The gateway answered 200 without "customerID"',
		);
		sandbox.clearFaults();
		const refused = await failing(create, { body: { success: false, error: 'Not today' } });
		expect(refused.message).toBe('Not today');
		expect(refused.description).toContain('not known whether it was carried out');
	});
});

describe('sending again', () => {
	test.each<[string, Fault, number]>([
		['a 503 twice', { status: 503, times: 2, headers: { 'Retry-After': '0' } }, 3],
		['a connection that breaks before the work', { drop: 'before' }, 2],
		['a connection that breaks after the work', { drop: 'after' }, 2],
	])('a read meets %s and goes on', async (_, fault, requests) => {
		sandbox.addCustomer({ id: 'cus_1' });
		sandbox.fault(fault);
		expect(output(await run(get))).toMatchObject([{ id: 'cus_1' }]);
		expect(sandbox.requests).toHaveLength(requests);
	});

	test('a read gives up after the third time', async () => {
		await failing(get, { status: 500 });
		expect(sandbox.requests).toHaveLength(3);
	});

	test('a write is sent again after a limit, and made once', async () => {
		sandbox.fault({ status: 429, headers: { 'Retry-After': '0' }, times: 2 });
		expect(output(await run(create))).toHaveLength(1);
		expect(sandbox.requests).toHaveLength(3);
		expect(sandbox.customers).toHaveLength(1);
	});

	test.each<[string, Fault]>([
		['504 after the work', { status: 504, workFirst: true }],
		['a broken connection', { drop: 'after' }],
		['an empty answer', { body: '', workFirst: true }],
	])('a write is not sent again after %s, and says that it is uncertain', async (_, fault) => {
		const error = await failing(create, fault);
		expect(error.description).toContain('look before you send it again');
		expect(sandbox.requests).toHaveLength(1);
		expect(sandbox.customers).toHaveLength(1);
	});
});

describe('what must not be kept', () => {
	const account = '000123456789';
	const routing = '021000021';
	const cvc = '7371';
	const secrets = () => [
		account,
		routing,
		sandbox.credentials.headerToken,
		sandbox.credentials.privateToken,
	];
	const add = (instrument: INodeParameters) => ({
		resource: 'paymentMethod',
		operation: 'add',
		customerId: byId('={{ $json.id }}'),
		...instrument,
	});
	const ach = add({
		instrument: 'ach',
		ach: { details: { accountNumber: '={{ "000123" + 456789 }}', routingNumber: routing } },
	});
	const card = add({ card: { details: { cardToken: 'tok_visa_4242', cvc } } });

	/** All that n8n keeps of a run, but for the parameters that are typed into the workflow. */
	const kept = ({ run: { data } }: Awaited<ReturnType<typeof run>>) =>
		JSON.stringify({ ...data, executionData: undefined }) + log.lines.join('\n');

	const echoes = () => {
		const { headerToken, privateToken } = sandbox.credentials;
		const request = {
			headers: { token: headerToken },
			body: { token: privateToken, ach: { accountNumber: account, routingNumber: routing }, cvc },
		};
		const json = JSON.stringify(request);
		return [
			json,
			`Refused: ${json}`,
			request,
			`Refused: ${JSON.stringify(json)}`,
			`Refused: ${encodeURIComponent(json)}`,
			`No ${Number(account)}, ${routing}, ${headerToken}, ${encodeURIComponent(privateToken)}, ${cvc}`,
		];
	};

	test.each([0, 1, 2, 3, 4, 5])(
		'is not, when an error repeats the request in form %i',
		async (form) => {
			for (const settings of [{}, { onError: 'continueErrorOutput' as const }]) {
				const { id } = sandbox.addCustomer();
				sandbox.fault({ status: 400, body: { message: echoes()[form], error: echoes()[form] } });
				const result = await run(ach, { items: [{ id }], settings });
				expect(result.error ?? result.outputs[1]).toBeDefined();
				for (const secret of secrets()) expect(kept(result)).not.toContain(secret);
				log.clear();
				sandbox.fault({ status: 400, body: { message: echoes()[form] } });
				const other = await run(card, { items: [{ id }], settings });
				// Random IDs may hold any four digits.
				const everything = kept(other).replaceAll(/[\da-f]{12,}/g, '');
				expect(everything).not.toMatch(/(?<!\d)7371(?!\d)/);
				log.clear();
			}
		},
	);

	test('is not, when a success repeats the request', async () => {
		const { id } = sandbox.addCustomer();
		sandbox.fault({ answer: (answer) => ({ ...Object(answer), echo: echoes().slice(0, 3) }) });
		const result = await run(ach, { items: [{ id }] });
		expect(output(result)).toMatchObject([{ customerID: id, echo: expect.anything() }]);
		for (const secret of secrets()) expect(kept(result)).not.toContain(secret);
	});

	test('is, where it is no more than our own words', async () => {
		const { id } = sandbox.addCustomer();
		const parameters = add({ card: { details: { cardToken: 'tok_visa_4242', cvc: '422' } } });
		sandbox.fault({ status: 422, body: { message: 'Wrong CVC 422' } });
		const { error } = await run(parameters, { items: [{ id }] });
		expect(error?.message).toBe('Wrong CVC ••••');
		expect(error?.description).toContain('refused what was sent (422)');
	});

	test('is not, when the form itself is refused before anything is sent', async () => {
		const parameters = {
			...ach,
			ach: { details: { accountNumber: account, routingNumber: '' } },
		};
		const result = await run(parameters, { items: [{ id: 'cus_1' }] });
		expect(result.error?.message).toContain("'Routing Number' is empty");
		expect(sandbox.requests).toHaveLength(0);
		expect(JSON.stringify(result.error)).not.toContain(account);
		expect(kept(result)).not.toContain(account);
	});

	test.each([
		['typed', { cardToken: 'tok_visa_4242', cvc, expiryDate: '08/29' }],
		['as expressions', { cardToken: '={{ "tok_visa_" + 4242 }}', cvc: `={{ ${cvc} }}` }],
	])('is not in an error that carries the node: a card, %s', async (_, details) => {
		const wrong = add({ card: { details: { ...details, expiryDate: '99/99/99' } } });
		const refused = add({ card: { details: { ...details, expiryDate: '08/29' } } });
		for (const parameters of [wrong, refused]) {
			sandbox.fault({ on: 'addPaymentMethod', status: 422, body: { message: 'No' } });
			const result = await run(parameters, { items: [{ id: sandbox.addCustomer().id }] });
			const node: unknown = Reflect.get(result.error ?? {}, 'node');
			expect(Reflect.get(Object(node), 'parameters')).toMatchObject({
				operation: 'add',
				card: { details: { cardToken: '••••', cvc: '••••' } },
			});
			expect(JSON.stringify(node)).not.toMatch(/tok_visa|7371/);
			expect(JSON.stringify(result.error)).not.toMatch(/tok_visa|7371/);
		}
	});
});
