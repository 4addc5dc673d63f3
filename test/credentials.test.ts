import type { IHttpRequestOptions } from 'n8n-workflow';

import type { Endpoint } from '../nodes/PaymentsGateway/wire';
import { endpoints } from '../nodes/PaymentsGateway/wire';
import { engine } from './engine';
import { startSandbox } from './sandbox';
import { useNode } from './useNode';

/**
 * The credential: what it signs and what it refuses to sign, its test, and its use by n8n's own
 * HTTP Request node.
 */

const { sandbox, credentials, run } = useNode();

/** As the package's own map of endpoints has them; the credential has lists of its own. */
const endpointsWith = (token: 'header' | 'body') =>
	(Object.keys(endpoints) as Endpoint[]).filter((endpoint) => endpoints[endpoint].token === token);
const HEADER_ENDPOINTS = endpointsWith('header');
const BODY_ENDPOINTS = endpointsWith('body');

const base = 'https://gateway.example.com';
const there = {
	environment: 'production',
	baseUrl: base,
	groupId: 'grp-1',
	headerToken: 'the-header-token',
	privateToken: 'the-private-token',
};
/** In the words of either helper of n8n. */
const notRedirected = {
	disableFollowRedirect: true,
	maxRedirects: 0,
	followRedirect: false,
	followAllRedirects: false,
};
const requestTo = (url: string, given: Partial<IHttpRequestOptions> = {}): IHttpRequestOptions => ({
	method: 'POST',
	url,
	body: { data: { a: 1 } },
	headers: { 'X-Own': 'yes' },
	...given,
});

/** Authenticates, and holds that doing it twice changes nothing, nor what was handed in. */
async function authenticated(request: IHttpRequestOptions, given = {}) {
	const before = structuredClone(request);
	const once = await engine.authenticate({ ...there, ...given }, request);
	expect(request).toEqual(before);
	const twice = await engine.authenticate({ ...there, ...given }, once);
	expect(twice).toEqual(once);
	return once;
}

const refusal = async (request: IHttpRequestOptions, given = {}) =>
	await engine.authenticate({ ...there, ...given }, request).then(
		() => 'not refused',
		(error: Error) => error.message,
	);

describe('a request', () => {
	test('is known by its endpoint, of which there are twelve', () => {
		expect([HEADER_ENDPOINTS.length, BODY_ENDPOINTS.length]).toEqual([8, 4]);
	});

	test.each(HEADER_ENDPOINTS)('to %s carries the header token, and no other', async (endpoint) => {
		const request = requestTo(`${base}/api/gateway/${endpoint}`);
		const signed = await authenticated(request);
		expect(signed).toEqual({
			...request,
			...notRedirected,
			headers: { 'X-Own': 'yes', token: 'the-header-token' },
		});
		expect(JSON.stringify(signed)).not.toContain('the-private-token');
	});

	test.each(BODY_ENDPOINTS)(
		'to %s carries group and private token in its body',
		async (endpoint) => {
			const request = requestTo(`${base}/api/gateway/${endpoint}`);
			const signed = await authenticated(request);
			expect(signed).toEqual({
				...request,
				...notRedirected,
				body: { data: { a: 1 }, groupID: 'grp-1', token: 'the-private-token' },
			});
			expect(JSON.stringify(signed)).not.toContain('the-header-token');
		},
	);

	test.each(['Token', 'TOKEN', 'token'])('that has a %s of its own gets ours', async (name) => {
		const request = requestTo(`${base}/api/gateway/customers`, { headers: { [name]: 'old' } });
		expect((await authenticated(request)).headers).toEqual({ token: 'the-header-token' });
		const inBody = requestTo(`${base}/api/gateway/webhookEvents`, {
			body: { token: 'old', groupID: 'old', data: {} },
		});
		expect((await authenticated(inBody)).body).toEqual({
			token: 'the-private-token',
			groupID: 'grp-1',
			data: {},
		});
	});

	test.each([undefined, null, ''])(
		'without a body (%j) gets one where it is needed',
		async (body) => {
			const request = { ...requestTo(`${base}/api/gateway/webhookEvents`), body };
			const signed = await authenticated(request as IHttpRequestOptions);
			expect(signed.body).toEqual({ groupID: 'grp-1', token: 'the-private-token' });
		},
	);

	test('whose body is JSON in text keeps it in text', async () => {
		const request = requestTo(`${base}/api/gateway/webhookEvents`, { body: '{"data":{"a":1}}' });
		const { body } = await authenticated(request);
		expect(JSON.parse(String(body))).toEqual({
			data: { a: 1 },
			groupID: 'grp-1',
			token: 'the-private-token',
		});
	});

	test.each([
		['{broken', 'must be JSON'],
		['[]', 'must be a JSON object'],
		['7', 'must be a JSON object'],
		[[1], 'must be a JSON object'],
		[Buffer.from('{}'), 'must be a JSON object'],
		[new URLSearchParams('a=1'), 'must be a JSON object'],
	])('whose body is %p is refused', async (body, words) => {
		const request = requestTo(`${base}/api/gateway/webhookEvents`, {
			body: body as IHttpRequestOptions['body'],
		});
		expect(await refusal(request)).toContain(words);
	});

	test.each([
		'https://evil.example.com/api/gateway/customers',
		'https://gateway.example.com.evil.com/api/gateway/customers',
		'https://gateway.example.com:8443/api/gateway/customers',
		'https://gateway.example.com@evil.com/api/gateway/customers',
		'http://gateway.example.com/api/gateway/customers',
		'https:evil.com/api/gateway/customers',
		'https:\\\\evil.com/api/gateway/webhookEvents',
		'ftp://gateway.example.com/api/gateway/customers',
	])('to %s is refused: it is not the service', async (url) => {
		expect(await refusal(requestTo(url))).toMatch(/another address|cannot be read/);
	});

	test('with a base of its own at another place is refused', async () => {
		const baseURL = 'https://evil.example.com';
		expect(await refusal(requestTo('/api/gateway/customers', { baseURL }))).toContain(
			'another address',
		);
		const signed = await authenticated(
			requestTo('/api/gateway/customers', { baseURL: `${base}/` }),
		);
		expect(signed.headers).toMatchObject({ token: 'the-header-token' });
	});

	test.each([
		'/',
		'/health',
		'/api/gateway',
		'/api/gateway/unknown',
		'/api/gateway/customers/export',
		'/api/gateway/Customers',
		'/other/api/gateway/customers',
		'/api/gateway/../customers',
		'/api/gateway/constructor',
	])('to %s, which is no endpoint, gets neither token', async (path) => {
		const request = requestTo(`${base}${path}`);
		expect(await authenticated(request)).toEqual(request);
	});

	test('goes to the very address that was looked at', async () => {
		const asked = [
			{ url: '/api/gateway/customers' },
			{ url: 'api/gateway/customers', baseURL: `${base}/` },
			{ url: '//api/gateway/customers', baseURL: base },
			{ url: 'https:\\\\GATEWAY.example.com:443\\x\\..\\api/gateway/customers' },
		];
		for (const given of asked) {
			const { url, baseURL } = await authenticated({ ...requestTo(''), ...given });
			expect({ url, baseURL }).toEqual({ url: `${base}/api/gateway/customers` });
		}
	});

	test.each([
		['customers with a query', `${base}/api/gateway/customers?x=1`],
		['customers with a slash', `${base}/api/gateway/customers/`],
		['customers by a path alone', '/api/gateway/customers'],
		['customers by a path without a slash', 'api/gateway/customers'],
		['customers in capitals of the host', 'https://GATEWAY.example.com/api/gateway/customers'],
		['customers with the port of https', 'https://gateway.example.com:443/api/gateway/customers'],
	])('to %s is one to the service', async (_, url) => {
		expect((await authenticated(requestTo(url))).headers).toMatchObject({
			token: 'the-header-token',
		});
	});

	test("may say uri, as n8n's older helper does", async () => {
		const { url: uri, ...rest } = requestTo(`${base}/api/gateway/customers`);
		const signed = await authenticated({ ...rest, uri } as unknown as IHttpRequestOptions);
		expect(signed.headers).toMatchObject({ token: 'the-header-token' });
		expect(signed).toMatchObject({ uri });
	});

	test.each(['', '/', '///', ' '])('meets a Base URL that ends in %j', async (end) => {
		const signed = await authenticated(requestTo(`${base}/api/gateway/customers`), {
			baseUrl: base + end,
		});
		expect(signed.headers).toMatchObject({ token: 'the-header-token' });
	});

	test('meets a Base URL with a path, and nothing beside it', async () => {
		const baseUrl = `${base}/eu/v1/`;
		const url = `${base}/eu/v1/api/gateway/customers`;
		expect((await authenticated(requestTo(url), { baseUrl })).headers).toMatchObject({
			token: 'the-header-token',
		});
		expect(await refusal(requestTo(`${base}/api/gateway/customers`), { baseUrl })).toContain(
			'another address',
		);
		const beside = requestTo(`${base}/eu/v12/api/gateway/customers`);
		expect(await refusal(beside, { baseUrl })).toContain('another address');
	});
});

describe('a credential that is not complete says so before anything is sent', () => {
	test.each([
		[{ headerToken: '' }, 'customers', "no 'Header Token'"],
		[{ headerToken: '   ' }, 'customers', "no 'Header Token'"],
		[{ privateToken: '' }, 'webhookEvents', "no 'Private Token'"],
		[{ groupId: '' }, 'webhookEvents', "no 'Group ID'"],
		[{ baseUrl: '' }, 'customers', "no 'Base URL'"],
		[{ baseUrl: 'gateway.example.com' }, 'customers', 'is not an address'],
		[{ baseUrl: 'ftp://x.example.com', environment: 'sandbox' }, 'customers', 'https://'],
		[{ baseUrl: 'http://gateway.example.com' }, 'customers', 'https:// in production'],
		[{ baseUrl: `${base}?v=1` }, 'customers', 'ends with its path'],
		[{ baseUrl: `${base}#top` }, 'customers', 'ends with its path'],
		[{ baseUrl: `${base}?` }, 'customers', 'ends with its path'],
		[{ baseUrl: `${base}/eu#` }, 'customers', 'ends with its path'],
		[{ baseUrl: 'https://ada:secret@gateway.example.com' }, 'customers', 'no user name'],
		[{ baseUrl: 'https://@gateway.example.com' }, 'customers', 'no user name'],
		[{ baseUrl: 'https://gateway.example.com\\eu' }, 'customers', 'blank or a backslash'],
		[{ baseUrl: 'https://gateway .example.com' }, 'customers', 'blank or a backslash'],
		[{ baseUrl: 'https://gateway.exa\nmple.com' }, 'customers', 'blank or a backslash'],
		[{ baseUrl: 'https://gateway.example.com/e\u0000u' }, 'customers', 'blank or a backslash'],
		[{ baseUrl: 'https:gateway.example.com' }, 'customers', 'is not an address'],
		[{ baseUrl: 'https:///gateway.example.com' }, 'customers', 'is not an address'],
		[{ baseUrl: 'https://gateway.example.com:port' }, 'customers', 'is not an address'],
		[{ groupId: 2 ** 60 }, 'webhookEvents', "no 'Group ID'"],
		[{ headerToken: '', privateToken: ' ' }, 'customers', "'Private Token', or both"],
		[{ headerToken: 'tok en\n2' }, 'customers', 'Header Token'],
		[{ headerToken: '••••••' }, 'customers', 'Header Token'],
	])('%j for %s', async (given, endpoint, words) => {
		expect(await refusal(requestTo(`${base}/api/gateway/${endpoint}`), given)).toContain(words);
	});

	test.each(['production', 'Sandbox', 'SANDBOX', ' sandbox', 'test', '', 7, null])(
		'an environment of %j takes https only',
		async (environment) => {
			const request = requestTo('http://gateway.example.com/api/gateway/customers');
			const baseUrl = 'http://gateway.example.com';
			expect(await refusal(request, { baseUrl, environment })).toContain('https:// in production');
			const signed = await authenticated(request, { baseUrl, environment: 'sandbox' });
			expect(signed.headers).toMatchObject({ token: 'the-header-token' });
		},
	);

	test.each([
		[{ headerToken: '' }, { resource: 'customer', operation: 'getAll' }, 'Header Token'],
		[{ privateToken: '' }, { resource: 'webhookEvent', operation: 'getAll' }, 'Private Token'],
		[{ groupId: '' }, { resource: 'paylink', operation: 'create', amount: 1 }, 'Group ID'],
		[{ headerToken: '••••' }, { resource: 'customer', operation: 'getAll' }, 'Header Token'],
		[
			{ environment: 'production' },
			{ resource: 'customer', operation: 'getAll' },
			'https:// in production',
		],
	])('in a node: %j', async (given, parameters, words) => {
		const { error } = await run(parameters, { credentials: credentials(given) });
		expect(error?.message).toContain(words);
		expect(error).toMatchObject({
			description: 'Open the credential and complete it.',
			failure: { cause: 'credential-invalid' },
		});
		expect(sandbox.requests).toHaveLength(0);
	});

	test('the other half works without it', async () => {
		const makesPaylinks = await run(
			{ resource: 'paylink', operation: 'create', amount: 25 },
			{ credentials: credentials({ headerToken: '' }) },
		);
		const keepsCustomers = await run(
			{ resource: 'customer', operation: 'getAll' },
			{ credentials: credentials({ privateToken: '', groupId: '' }) },
		);
		expect([makesPaylinks.status, keepsCustomers.status]).toEqual(['success', 'success']);
	});

	test('tokens with spaces around them, as copied, are sent without', async () => {
		const { headerToken, privateToken, groupID } = sandbox.credentials;
		const spaced = credentials({
			baseUrl: ` ${sandbox.url}/ `,
			headerToken: ` ${headerToken}\n`,
			privateToken: `\t${privateToken} `,
			groupId: ` ${groupID} `,
		});
		expect(await engine.testCredential(spaced)).toMatchObject({ status: 'OK' });
	});
});

describe('the test of the credential', () => {
	const said = async (given = {}) => await engine.testCredential(credentials(given));
	const asked = () => sandbox.requests.map(({ endpoint }) => endpoint);

	test('reads one event with the group and the private token', async () => {
		sandbox.addEvents(3);
		expect(await said()).toEqual({ status: 'OK', message: 'Connection successful!' });
		expect(asked()).toEqual(['webhookEvents']);
		expect(sandbox.requestsTo('webhookEvents')[0]?.body).toEqual({
			groupID: sandbox.credentials.groupID,
			token: sandbox.credentials.privateToken,
			data: { page: { page: 1, pageSize: 1 } },
		});
	});

	test.each([{ privateToken: '' }, { privateToken: ' ', groupId: '' }])(
		'reads one customer with the header token where that is the only one: %j',
		async (given) => {
			expect(await said(given)).toMatchObject({ status: 'OK' });
			expect(asked()).toEqual(['customers']);
			expect(sandbox.requests[0]).toMatchObject({
				headers: { token: sandbox.credentials.headerToken },
				body: { data: { page: { page: 1, pageSize: 1 } } },
			});
		},
	);

	test('stands on the credential alone, where the verification looks for it', async () => {
		expect(await engine.credentialType()).toHaveProperty('test.request.method', 'POST');
		for (const name of ['paymentsGateway', 'paymentsGatewayTrigger']) {
			const { credentials: uses } = await engine.description(name);
			expect(uses).toEqual([{ name: 'paymentsGatewayApi', required: true }]);
		}
	});

	test.each([
		[{ headerToken: '', privateToken: ' ' }, /fill in 'Header Token', 'Private Token', or both$/],
		[{ groupId: '' }, /no 'Group ID'/],
		[{ environment: 'production' }, /^'Base URL' must start with https:\/\/ in production$/],
		[{ baseUrl: 'nonsense' }, /is not an address/],
		[{ baseUrl: '' }, /no 'Base URL'/],
		[{ baseUrl: '', groupId: '', headerToken: '', privateToken: '' }, /no 'Base URL'/],
	])('sends nothing, and says what is missing in %j', async (given, message) => {
		expect(await said(given)).toEqual({
			status: 'Error',
			message: expect.stringMatching(message),
		});
		expect(sandbox.requests).toHaveLength(0);
	});

	test.each([
		[{ privateToken: 'wrong' }],
		[{ groupId: 'wrong' }],
		[{ privateToken: '', headerToken: 'wrong' }],
	])('says which fields to look at when the service refuses %j', async (given) => {
		expect(await said(given)).toEqual({
			status: 'Error',
			message: expect.stringMatching(
				/refused the token: check 'Group ID' and 'Private Token', or 'Header Token' .*\(401\)$/,
			),
		});
	});

	test('says that nobody is there, in the one word that n8n leaves of it', async () => {
		const gone = await startSandbox();
		await gone.close();
		expect(await said({ baseUrl: gone.url })).toEqual({ status: 'Error', message: 'ECONNREFUSED' });
	});

	test.each([
		[{ body: '<html>Welcome</html>' }, /its answer is no list/],
		[{ body: '' }, /its answer is no list/],
		[{ body: { data: null } }, /its answer is no list/],
		[{ body: { data: {} } }, /its answer is no list/],
		[{ body: { error: { message: 'Token expired' } } }, /check the tokens/],
		[{ status: 404 }, /does not seem to be the gateway's: .* \(404\)/],
		[{ status: 405 }, /\(405\)/],
		[{ status: 429 }, /limiting requests/],
		[{ status: 403 }, /refused the token.* \(403\)/],
		[{ status: 500 }, /on the gateway's side.* \(500\)/],
		[{ status: 418 }, /Teapot/],
	])('takes %j for no proof', async (fault, message) => {
		sandbox.fault({ times: Infinity, ...fault });
		expect(await said()).toEqual({ status: 'Error', message: expect.stringMatching(message) });
	});

	test('never repeats a token in what it says', async () => {
		sandbox.fault({
			times: Infinity,
			status: 400,
			body: { message: `bad ${sandbox.credentials.privateToken}` },
		});
		expect((await said()).message).not.toContain(sandbox.credentials.privateToken);
	});
});

describe('a redirect of what the credential has signed is not followed', () => {
	const everything = {
		followRedirect: true,
		followAllRedirects: true,
		maxRedirects: 21,
		sendCredentialsOnCrossOriginRedirect: true,
	};
	const body = { data: {} };
	const senders: Array<[string, (url: string) => Promise<unknown>]> = [
		[
			"n8n's older helper",
			async (uri) =>
				await engine.requestWithAuthentication(credentials(), {
					...everything,
					method: 'POST',
					uri,
					body,
					json: true,
				}),
		],
		[
			"n8n's newer helper",
			async (url) =>
				await engine.httpRequestWithAuthentication(credentials(), {
					...everything,
					disableFollowRedirect: false,
					method: 'POST',
					url,
					body,
				}),
		],
		['the test of the credential', async () => await engine.testCredential(credentials())],
		['a node', async () => await run({ resource: 'webhookEvent', operation: 'getAll' })],
		[
			'a node, with the header',
			async () => await run({ resource: 'customer', operation: 'getAll' }),
		],
	];
	const cases = senders.flatMap(([name, send]) =>
		[301, 302, 303, 307, 308].map((status) => [name, status, send] as const),
	);

	test.each(cases)('by %s (%i)', async (_, status, send) => {
		const elsewhere = await startSandbox();
		try {
			for (const endpoint of ['customers', 'webhookEvents'] as const) {
				for (const host of [elsewhere.url, sandbox.url]) {
					sandbox.reset();
					sandbox.fault({
						times: 1,
						status,
						headers: { Location: `${host}/api/gateway/customer` },
					});
					await send(`${sandbox.url}/api/gateway/${endpoint}`).catch(() => undefined);
					expect(sandbox.requests).toHaveLength(1);
				}
			}
			expect(elsewhere.requests).toHaveLength(0);
		} finally {
			await elsewhere.close();
		}
	});
});

describe("n8n's HTTP Request node", () => {
	/** What each endpoint takes, in a world that is made for it. */
	const bodies = () => {
		const { id } = sandbox.addCustomer({ card: { cardToken: 'tok_visa_4242' } });
		const spare = sandbox.addCustomer();
		const first = sandbox.addPaymentMethod(id, { card: { cardToken: 'tok_a' } }).cardID;
		const second = sandbox.addPaymentMethod(id, { card: { cardToken: 'tok_b' } }).cardID;
		const card = { cardToken: 'tok_visa_4242' };
		const made: Record<Endpoint, object> = {
			customers: {},
			addCustomer: { form: { email: 'ada@example.com' } },
			customer: { customerID: id },
			updateCustomer: { customerID: id, form: { phone: '1' } },
			deleteCustomer: { customerID: spare.id },
			addPaymentMethod: { customerID: id, form: { card } },
			deletePaymentMethod: { customerID: id, cardID: first },
			setDefaultPaymentMethod: { customerID: id, cardID: second },
			webhookEvents: {},
			computeTokenizedCheckout: { paymentData: sandbox.addCart() },
			createTokenizedManualEntry: {
				paymentData: sandbox.addCart(),
				customerInfo: { paymentType: 'card', card },
			},
			createCheckoutData: { form: { pricing: { amount: 2500 } } },
		};
		return made;
	};
	const all = [...HEADER_ENDPOINTS, ...BODY_ENDPOINTS];

	test.each(all)('reaches %s with the credential, by either helper of n8n', async (endpoint) => {
		const uri = `${sandbox.url}/api/gateway/${endpoint}`;
		const json = { 'content-type': 'application/json' };
		const plain = { method: 'POST' as const, uri, json: true, body: { data: bodies()[endpoint] } };
		await engine.requestWithAuthentication(credentials(), plain);
		// As the node sends it today: text, and the answer as a stream of bytes.
		await engine.requestWithAuthentication(credentials(), {
			method: 'POST',
			uri,
			body: JSON.stringify({ data: bodies()[endpoint] }),
			headers: json,
			encoding: null,
			json: false,
			useStream: true,
			resolveWithFullResponse: true,
			followRedirect: false,
		});
		await engine.httpRequestWithAuthentication(credentials(), {
			method: 'POST',
			url: uri,
			body: { data: bodies()[endpoint] },
		});
		await engine.httpRequestWithAuthentication(credentials(), {
			method: 'POST',
			baseURL: sandbox.url,
			url: `/api/gateway/${endpoint}`,
			body: JSON.stringify({ data: bodies()[endpoint] }),
			headers: json,
		});
		expect(sandbox.requests.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
		const { headerToken, privateToken } = sandbox.credentials;
		const inHeader = HEADER_ENDPOINTS.includes(endpoint);
		for (const { headers, body } of sandbox.requests) {
			expect(headers.token).toBe(inHeader ? headerToken : undefined);
			expect(JSON.stringify(body).includes(privateToken)).toBe(!inHeader);
		}
	});

	test('is not sent anywhere else with it', async () => {
		const elsewhere = await startSandbox();
		const uri = `${elsewhere.url}/api/gateway/customers`;
		const request = { method: 'POST' as const, uri, json: true, body: {} };
		await expect(engine.requestWithAuthentication(credentials(), request)).rejects.toThrow(
			'another address',
		);
		await expect(
			engine.httpRequestWithAuthentication(credentials(), { method: 'POST', url: uri, body: {} }),
		).rejects.toThrow('another address');
		expect(elsewhere.requests).toHaveLength(0);
		await elsewhere.close();
	});
});
