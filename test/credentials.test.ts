import type { IHttpRequestOptions, IRequestOptions } from 'n8n-workflow';

import { endpoints } from '../nodes/PaymentsGateway/wire';
import { engine } from './engine';
import type { RequestHelper } from './engine/editor';
import type { Fault } from './sandbox';
import { startSandbox } from './sandbox';
import { useNode } from './useNode';

/**
 * The credential: what it signs and what it refuses to sign, its test, and its use by n8n's own
 * HTTP Request node.
 */

const { sandbox, credentials, run } = useNode();

/** As the package's own map of endpoints has them; the credential has lists of its own. */
const TOKENS = Object.entries(endpoints).map(([endpoint, { token }]) => [endpoint, token] as const);

const base = 'https://gateway.example.com';
const token = 'the-header-token';
const there = {
	...{ environment: 'production', baseUrl: base, groupId: 'grp-1' },
	...{ headerToken: token, privateToken: 'the-private-token' },
};
/** In the words of either helper of n8n. */
const notRedirected = {
	...{ disableFollowRedirect: true, maxRedirects: 0 },
	...{ followRedirect: false, followAllRedirects: false },
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

const events = `${base}/api/gateway/webhookEvents`;
const customers = `${base}/api/gateway/customers`;

describe('a request', () => {
	const ours = { groupID: 'grp-1', token: 'the-private-token' };

	test.each(TOKENS)('to %s carries its token, that of the %s, and no other', async (to, where) => {
		const request = requestTo(`${base}/api/gateway/${to}`);
		const signature =
			where === 'header'
				? { headers: { 'X-Own': 'yes', token } }
				: { body: { data: { a: 1 }, ...ours } };
		expect(await authenticated(request)).toEqual({ ...request, ...notRedirected, ...signature });
	});

	test('that has a token of its own gets ours, in whatever letters', async () => {
		const request = requestTo(customers, { headers: { Token: 'old', TOKEN: 'old', token: 'old' } });
		expect((await authenticated(request)).headers).toEqual({ token });
	});

	const stale = { token: 'old', groupID: 'old', data: {} };
	test.each<[unknown, object]>([
		[stale, { ...ours, data: {} }],
		[undefined, ours],
		[null, ours],
		['', ours],
		// What came as text stays text.
		['{"data":{"a":1}}', { ...ours, data: { a: 1 } }],
	])('whose body is %j carries %j', async (given, expected) => {
		const request = { ...requestTo(events), body: given };
		const { body } = await authenticated(request as IHttpRequestOptions);
		expect(typeof body).toBe(given ? typeof given : 'object');
		expect(typeof body === 'string' ? JSON.parse(body) : body).toEqual(expected);
	});

	test.each(['{broken', '[]', '7', [1], Buffer.from('{}'), new URLSearchParams('a=1')])(
		'whose body is %p is refused',
		async (body) => {
			const given = body as NonNullable<IHttpRequestOptions['body']>;
			const words = 'must be a JSON object';
			expect(await refusal(requestTo(events, { body: given }))).toContain(words);
		},
	);

	test.each<[Partial<IHttpRequestOptions>, object]>([
		[{ url: 'https://gateway.example.com.evil.com/api/gateway/customers' }, {}],
		[{ url: 'http://gateway.example.com/api/gateway/customers' }, {}],
		[{ url: 'https:\\\\evil.com/api/gateway/webhookEvents' }, {}],
		[{ url: '/api/gateway/customers', baseURL: 'https://evil.example.com' }, {}],
		[{ url: customers }, { baseUrl: `${base}/eu/v1/` }],
		[{ url: `${base}/eu/v12/api/gateway/customers` }, { baseUrl: `${base}/eu/v1/` }],
	])('with %j is refused: it is not the gateway (%j)', async (given, credential) => {
		expect(await refusal(requestTo('', given), credential)).toContain('another address');
	});

	test.each([
		...['/', '/health', '/api/gateway', '/api/gateway/unknown', '/api/gateway/customers/export'],
		...['/api/gateway/Customers', '/other/api/gateway/customers', '/api/gateway/../customers'],
		'/api/gateway/constructor',
	])('to %s, which is no endpoint, gets neither token', async (path) => {
		const request = requestTo(`${base}${path}`);
		expect(await authenticated(request)).toEqual(request);
	});

	test.each<[Partial<IHttpRequestOptions>, string]>([
		[{ url: '/api/gateway/customers' }, customers],
		[{ url: '//api/gateway/customers', baseURL: base }, customers],
		[{ url: 'https:\\\\GATEWAY.example.com:443\\x\\..\\api/gateway/customers' }, customers],
		[{ url: `${customers}?x=1` }, `${customers}?x=1`],
	])('with %j goes to the very address that was looked at', async (given, expected) => {
		const { url, baseURL, headers } = await authenticated(requestTo('', given));
		expect({ url, baseURL }).toEqual({ url: expected });
		expect(headers).toMatchObject({ token });
	});
});

describe('a credential that is not complete says so before anything is sent', () => {
	test.each([
		[{ headerToken: '' }, customers, "no 'Header Token'"],
		[{ privateToken: '' }, events, "no 'Private Token'"],
		[{ groupId: '' }, events, "no 'Group ID'"],
		[{ groupId: 2 ** 60 }, events, "no 'Group ID'"],
		[{ baseUrl: '' }, customers, "no 'Base URL'"],
		[{ baseUrl: 'gateway.example.com' }, customers, 'is not an address'],
		[{ baseUrl: 'https://gateway.example.com:port' }, customers, 'is not an address'],
		[{ baseUrl: 'ftp://x.example.com', environment: 'sandbox' }, customers, 'is not an address'],
		[{ baseUrl: `${base}?v=1` }, customers, 'ends with its path'],
		[{ baseUrl: `${base}#top` }, customers, 'ends with its path'],
		[{ baseUrl: 'https://ada:secret@gateway.example.com' }, customers, 'no user name'],
	])('%j for %s', async (given, url, words) => {
		expect(await refusal(requestTo(url), given)).toContain(words);
	});

	test('what is not plainly the sandbox takes https only', async () => {
		const baseUrl = 'http://gateway.example.com';
		const request = requestTo(`${baseUrl}/api/gateway/customers`);
		for (const environment of ['production', 'Sandbox', ' sandbox', '', null]) {
			expect(await refusal(request, { baseUrl, environment })).toContain('https:// in production');
		}
		const signed = await authenticated(request, { baseUrl, environment: 'sandbox' });
		expect(signed.headers).toMatchObject({ token });
	});

	const listCustomers = { resource: 'customer', operation: 'getAll' };
	const makePaylink = { resource: 'paylink', operation: 'create', amount: 25 };

	test.each([
		[{ headerToken: '' }, 'Header Token', listCustomers, makePaylink],
		[{ groupId: '', privateToken: '' }, 'Group ID', makePaylink, listCustomers],
	])('in a node, of which the other half works: %j', async (given, words, lacking, other) => {
		const { error } = await run(lacking, { credentials: credentials(given) });
		expect(error).toMatchObject({
			message: expect.stringContaining(words),
			description: 'Open the credential and correct it.',
			failure: { cause: 'credential-invalid' },
		});
		expect(sandbox.requests).toHaveLength(0);
		expect((await run(other, { credentials: credentials(given) })).status).toBe('success');
	});

	test('tokens with spaces around them, as copied, are sent without', async () => {
		const { headerToken, privateToken, groupID } = sandbox.credentials;
		const spaced = credentials({
			...{ baseUrl: ` ${sandbox.url}/ `, groupId: ` ${groupID} ` },
			...{ headerToken: ` ${headerToken}\n`, privateToken: `\t${privateToken} ` },
		});
		expect(await engine.testCredential(spaced)).toMatchObject({ status: 'OK' });
	});
});

describe('the test of the credential', () => {
	const said = async (given = {}) => await engine.testCredential(credentials(given));
	const failed = (message: RegExp) => ({
		status: 'Error',
		message: expect.stringMatching(message) as string,
	});
	const data = { page: { page: 1, pageSize: 1 } };

	test('reads one event with the group and the private token', async () => {
		sandbox.addEvents(3);
		expect(await said()).toEqual({ status: 'OK', message: 'Connection successful!' });
		const { groupID, privateToken } = sandbox.credentials;
		expect(sandbox.requests).toMatchObject([
			{ endpoint: 'webhookEvents', body: { groupID, token: privateToken, data } },
		]);
	});

	test('reads one customer with the header token where that is the only one', async () => {
		expect(await said({ privateToken: ' ', groupId: '' })).toMatchObject({ status: 'OK' });
		const headers = { token: sandbox.credentials.headerToken };
		expect(sandbox.requests).toMatchObject([{ endpoint: 'customers', headers, body: { data } }]);
	});

	test('is for both nodes, which do not run without it', async () => {
		for (const name of ['paymentsGateway', 'paymentsGatewayTrigger']) {
			const { credentials: uses } = await engine.description(name);
			expect(uses).toEqual([{ name: 'paymentsGatewayApi', required: true }]);
		}
	});

	const wrong = /check 'Group ID' and 'Private Token', or 'Header Token' .*\(401\)$/;
	test.each([
		[{ groupId: '' }, /no 'Group ID'/, 0],
		[{ baseUrl: 'nonsense' }, /is not an address/, 0],
		// n8n asks once more after a 401.
		[{ privateToken: 'wrong' }, wrong, 2],
		[{ privateToken: '', headerToken: 'wrong' }, wrong, 2],
	])('says what is missing or wrong in %j: %s', async (given, message, requests) => {
		expect(await said(given)).toEqual(failed(message));
		expect(sandbox.requests).toHaveLength(requests);
	});

	test.each<[Fault, RegExp]>([
		[{ body: '<html>Welcome</html>' }, /does not seem to be the gateway's.*its answer is no list/],
		[{ body: { error: { message: 'Token expired' } } }, /check the tokens/],
		[{ body: { success: false, data: null } }, /did not take .* check the tokens/],
		[{ status: 418 }, /Teapot/],
	])('takes %j for no proof', async (fault, message) => {
		sandbox.fault({ times: Infinity, ...fault });
		expect(await said()).toEqual(failed(message));
	});

	test('says that nobody is there, in the one word that n8n leaves of it', async () => {
		const gone = await startSandbox();
		await gone.close();
		expect(await said({ baseUrl: gone.url })).toEqual(failed(/^ECONNREFUSED$/));
	});

	test.each([
		['refused the token', [403]],
		['redirects, which is not followed', [301, 302, 303, 307, 308]],
		["does not seem to be the gateway's", [404, 405]],
		['did not take the test request', [400, 422]],
		['limiting requests', [429]],
		["on the gateway's side", [500, 502, 503, 504]],
	])('says "%s" of the statuses %j', async (words, statuses) => {
		for (const status of statuses) {
			sandbox.clearFaults();
			const { privateToken } = sandbox.credentials;
			sandbox.fault({ times: Infinity, status, body: { message: privateToken } });
			const told = await said();
			expect(told).toEqual(failed(new RegExp(`${words}.* \\(${status}\\)$`)));
			expect(told.message).not.toContain(privateToken);
		}
	});
});

describe("n8n's HTTP Request node", () => {
	const by =
		(helper: RequestHelper) => async (request: IRequestOptions | Partial<IHttpRequestOptions>) =>
			await engine.requestAsHttpRequestNode(credentials(), helper, { method: 'POST', ...request });
	const older = by('requestWithAuthentication');
	const newer = by('httpRequestWithAuthentication');

	test.each(['customers', 'webhookEvents'])('reaches %s by either helper of n8n', async (to) => {
		const url = `${sandbox.url}/api/gateway/${to}`;
		const body = { data: {} };
		const text = { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
		await older({ body, uri: url, json: true });
		// As the node sends it today: text, and the answer as a stream of bytes.
		const asStream = { encoding: null, json: false, useStream: true, followRedirect: false };
		await older({ ...text, uri: url, ...asStream, resolveWithFullResponse: true });
		await newer({ body, url });
		await newer({ ...text, baseURL: sandbox.url, url: `/api/gateway/${to}` });
		expect(sandbox.requests.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
		const { headerToken, privateToken } = sandbox.credentials;
		const inHeader = to === 'customers';
		for (const { headers, body } of sandbox.requests) {
			expect(headers.token).toBe(inHeader ? headerToken : undefined);
			expect(JSON.stringify(body).includes(privateToken)).toBe(!inHeader);
		}
	});

	const everything = { followRedirect: true, followAllRedirects: true, maxRedirects: 21 };
	const sent = { ...everything, sendCredentialsOnCrossOriginRedirect: true, body: {} };
	const ways: Record<string, (url: string) => Promise<unknown>> = {
		'the older helper': async (uri) => await older({ ...sent, uri, json: true }),
		'the newer helper': async (url) => await newer({ ...sent, url, disableFollowRedirect: false }),
		'the test of the credential': async () => await engine.testCredential(credentials()),
	};
	test.each(Object.entries(ways))('follows no redirect of what was signed: %s', async (_, send) => {
		const elsewhere = await startSandbox();
		for (const status of [301, 302, 303, 307, 308]) {
			for (const endpoint of ['customers', 'webhookEvents']) {
				for (const host of [elsewhere.url, sandbox.url]) {
					sandbox.reset();
					sandbox.fault({ status, headers: { Location: `${host}/api/gateway/customer` } });
					await send(`${sandbox.url}/api/gateway/${endpoint}`).catch(() => undefined);
					expect(sandbox.requests).toHaveLength(1);
				}
			}
		}
		expect(elsewhere.requests).toHaveLength(0);
		await elsewhere.close();
	});
});
