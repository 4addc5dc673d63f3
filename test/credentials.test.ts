import type { IHttpRequestOptions, IRequestOptions } from 'n8n-workflow';

import { engine } from './engine';
import type { RequestHelper } from './engine/editor';
import type { Fault } from './sandbox';
import { startSandbox } from './sandbox';
import { useNode } from './useNode';

/**
 * The credential: which requests get its token and which are refused, its test, and its use by n8n's own
 * HTTP Request node.
 */

const { sandbox, credentials, run } = useNode();

const base = 'https://gateway.example.com';
const customers = `${base}/api/gateway/customers`;
const events = `${base}/api/gateway/webhookEvents`;
const token = 'the-header-token';
const credential = {
	environment: 'production',
	baseUrl: base,
	groupId: 'grp-1',
	headerToken: token,
	privateToken: 'the-private-token',
};
const inHeader = { headers: { 'X-Own': 'yes', token } };
const tokenInBody = { groupID: 'grp-1', token: 'the-private-token' };
const inBody = { body: { data: { a: 1 }, ...tokenInBody } };

type Given = Omit<Partial<IHttpRequestOptions>, 'body'> & { body?: unknown };
const requestTo = (url: string, given: Given = {}) => {
	const headers = { 'X-Own': 'yes' };
	return {
		method: 'POST',
		url,
		body: { data: { a: 1 } },
		headers,
		...given,
	} as IHttpRequestOptions;
};

/** Puts the token on a request. Checks that doing so again changes nothing, and that the input is not changed. */
async function withToken(request: IHttpRequestOptions, given = {}) {
	const before = structuredClone(request);
	const once = await engine.authenticate({ ...credential, ...given }, request);
	expect(request).toEqual(before);
	expect(await engine.authenticate({ ...credential, ...given }, once)).toEqual(once);
	return once;
}
const refusal = async (request: IHttpRequestOptions, given = {}) =>
	await engine.authenticate({ ...credential, ...given }, request).then(
		() => 'not refused',
		(error: Error) => error.message,
	);

describe('a request', () => {
	test.each<[string, object]>([
		['customers addCustomer customer updateCustomer deleteCustomer', inHeader],
		['addPaymentMethod deletePaymentMethod setDefaultPaymentMethod', inHeader],
		['webhookEvents computeTokenizedCheckout createTokenizedManualEntry', inBody],
		['createCheckoutData', inBody],
	])('to %s gets the token of that endpoint, no other, and follows no redirect', async (...row) => {
		const [names, expected] = row;
		const byOlderHelper = { followRedirect: false, followAllRedirects: false };
		const noRedirect = { disableFollowRedirect: true, maxRedirects: 0, ...byOlderHelper };
		for (const name of names.split(' ')) {
			const request = requestTo(`${base}/api/gateway/${name}`);
			expect(await withToken(request)).toEqual({ ...request, ...noRedirect, ...expected });
		}
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
	])('to %s, which is not an endpoint, is refused with an example of one', async (path) => {
		const { pathname } = new URL(`${base}${path}`);
		expect(await refusal(requestTo(`${base}${path}`))).toBe(
			`Nothing was sent: ${pathname} is not a gateway endpoint; use one, such as /api/gateway/customers`,
		);
	});

	test.each<[unknown, object]>([
		[
			{ token: 'old', groupID: 'old', data: {} },
			{ ...tokenInBody, data: {} },
		],
		[undefined, tokenInBody],
		['', tokenInBody],
		// Text stays text.
		['{"data":{"a":1}}', { ...tokenInBody, data: { a: 1 } }],
	])('whose body is %j carries %j', async (given, expected) => {
		const { body } = await withToken(requestTo(events, { body: given }));
		expect(typeof body).toBe(given ? typeof given : 'object');
		expect(typeof body === 'string' ? JSON.parse(body) : body).toEqual(expected);
	});

	test.each(['{broken', '[]', '7', [1], Buffer.from('{}'), new URLSearchParams('a=1')])(
		'whose body is %p is refused',
		async (body) =>
			expect(await refusal(requestTo(events, { body }))).toContain('must be a JSON object'),
	);

	test.each<[Given, object]>([
		[{ url: 'https://gateway.example.com.evil.com/api/gateway/customers' }, {}],
		[{ url: 'http://gateway.example.com/api/gateway/customers' }, {}],
		[{ url: 'https://ada@gateway.example.com/api/gateway/customers' }, {}],
		[{ url: 'https:\\\\evil.com/api/gateway/webhookEvents' }, {}],
		[{ url: customers }, { baseUrl: `${base}/eu/v1/` }],
		[{ url: `${base}/eu/v12/api/gateway/customers` }, { baseUrl: `${base}/eu/v1/` }],
	])('with %j is refused: it is not the gateway (%j)', async (given, otherBase) => {
		expect(await refusal(requestTo('', given), otherBase)).toContain('address is not below');
	});

	test.each<[Given, string]>([
		[{ url: '/api/gateway/customers' }, customers],
		// A slash too many does no harm.
		[{ url: `${base}//api/gateway/customers/` }, `${base}//api/gateway/customers/`],
		[{ url: '//api/gateway/customers', baseURL: 'https://evil.example.com' }, customers],
		[{ url: 'https:\\\\GATEWAY.example.com:443\\x\\..\\api/gateway/customers' }, customers],
		[{ url: `${customers}?x=1` }, `${customers}?x=1`],
	])('with %j goes to exactly the address that was checked', async (given, expected) => {
		const { url, baseURL, headers } = await withToken(requestTo('', given));
		expect({ url, baseURL }).toEqual({ url: expected });
		expect(headers).toMatchObject({ token });
	});
});

describe('an incomplete or invalid credential', () => {
	test.each([
		[{ headerToken: '' }, customers, "no 'Header Token'"],
		[{ headerToken: ' ', privateToken: '' }, customers, "neither 'Header Token' (for customers"],
		[{ headerToken: '', privateToken: '' }, events, "nor 'Private Token' (for paylinks"],
		[{ privateToken: '' }, events, "no 'Private Token'"],
		[{ groupId: 2 ** 60 }, events, "no 'Group ID'"],
		[{ baseUrl: '' }, customers, "no 'Base URL'"],
		[{ baseUrl: 'gateway.example.com' }, customers, 'must be an address'],
		[{ baseUrl: 'ftp://x.example.com', environment: 'sandbox' }, customers, 'must be an address'],
		[{ baseUrl: `${base}?v=1` }, customers, 'no user name (@)'],
		[{ baseUrl: `${base}#top` }, customers, 'no user name (@)'],
		[{ baseUrl: 'https://ada:secret@gateway.example.com' }, customers, 'no user name'],
	])('is refused before anything is sent: %j for %s', async (given, url, words) => {
		expect(await refusal(requestTo(url), given)).toContain(words);
	});

	test('must have https unless the environment is exactly "sandbox"', async () => {
		const baseUrl = 'http://gateway.example.com';
		const request = requestTo(`${baseUrl}/api/gateway/customers`);
		for (const environment of ['production', 'Sandbox', ' sandbox', '', null]) {
			expect(await refusal(request, { baseUrl, environment })).toContain('https:// in production');
		}
		expect(await withToken(request, { baseUrl, environment: 'sandbox' })).toMatchObject(inHeader);
	});

	const listCustomers = { resource: 'customer', operation: 'getAll' };
	test('is named by the error if its expression cannot be evaluated', async () => {
		const headerToken = "={{ $('Missing').item.json.token }}";
		const { error } = await run(listCustomers, { credentials: credentials({ headerToken }) });
		expect(error).toMatchObject({
			message: "Referenced node doesn't exist",
			description: 'n8n could not read the credential. Open it and correct it.',
		});
		expect(sandbox.requests).toEqual([]);
	});

	const makePaylink = { resource: 'paylink', operation: 'create', amount: 25 };
	test.each([
		[{ headerToken: '' }, 'Header Token', listCustomers, makePaylink],
		[{ groupId: '', privateToken: '' }, 'Group ID', makePaylink, listCustomers],
	])(
		'without one token, the operations of the other still work: %j',
		async (given, words, lacking, other) => {
			const { error } = await run(lacking, { credentials: credentials(given) });
			expect(error).toMatchObject({
				message: expect.stringContaining(words),
				description: 'Open the credential and correct it.',
				failure: { cause: 'credential-invalid' },
			});
			expect(sandbox.requests).toHaveLength(0);
			expect((await run(other, { credentials: credentials(given) })).status).toBe('success');
		},
	);
});

describe('the test of the credential', () => {
	const testWith = async (given = {}) => await engine.testCredential(credentials(given));
	const failed = (message: RegExp) => ({
		status: 'Error',
		message: expect.stringMatching(message) as string,
	});
	const data = { page: { page: 1, pageSize: 1 } };

	test('reads one event with the group and the private token, without blanks around them', async () => {
		const { groupID, privateToken } = sandbox.credentials;
		const spaced = { groupId: ` ${groupID} `, privateToken: `\t${privateToken}\n` };
		const found = await testWith({ ...spaced, baseUrl: ` ${sandbox.url}/ ` });
		expect(found).toEqual({ status: 'OK', message: 'Connection successful!' });
		const body = { groupID, token: privateToken, data };
		expect(sandbox.requests).toMatchObject([{ endpoint: 'webhookEvents', body }]);
	});

	test('reads one customer if there is only the header token', async () => {
		expect(await testWith({ privateToken: ' ', groupId: '' })).toMatchObject({ status: 'OK' });
		const headers = { token: sandbox.credentials.headerToken };
		expect(sandbox.requests).toMatchObject([{ endpoint: 'customers', headers, body: { data } }]);
	});

	const wrong = /check 'Group ID' and 'Private Token', or 'Header Token' .*\(401\)$/;
	test.each<[object, Fault, RegExp]>([
		[{ headerToken: '', privateToken: '' }, {}, /neither 'Header Token' .* nor 'Private Token'/],
		[{ privateToken: 'wrong' }, {}, wrong],
		[{ privateToken: '', headerToken: 'wrong' }, {}, wrong],
		[{}, { body: '<html>Welcome</html>' }, /not seem to be the gateway's.*its answer has no list/],
		[{}, { body: { error: { message: 'Token expired' } } }, /check the tokens/],
		[{}, { body: { success: false, data: null } }, /refused the test .* check the tokens/],
		[{}, { body: { success: false, data: [] } }, /refused the test .* check the tokens/],
		[{}, { body: { error: 'Token expired', data: null } }, /refused the test .* check the tokens/],
		[{}, { body: { data: null } }, /refused the test .* check the tokens/],
	])('shows what is missing or wrong: %j, answered %j', async (given, fault, message) => {
		if (Object.keys(fault).length > 0) sandbox.fault({ times: Infinity, ...fault });
		expect(await testWith(given)).toEqual(failed(message));
	});

	test.each([
		['refused the token', [403]],
		['redirects, which is not followed', [301, 302, 303, 307, 308]],
		["does not seem to be the gateway's", [404, 405]],
		['refused the test request', [400, 422]],
		['limiting requests', [429]],
		["on the gateway's side", [500, 502, 503, 504]],
	])('shows "%s" for the statuses %j, and no token', async (words, statuses) => {
		for (const status of statuses) {
			sandbox.clearFaults();
			const { privateToken } = sandbox.credentials;
			sandbox.fault({ times: Infinity, status, body: { message: privateToken } });
			const result = await testWith();
			expect(result).toEqual(failed(new RegExp(`${words}.* \\(${status}\\)$`)));
			expect(result.message).not.toContain(privateToken);
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
		// n8n sends no second `Token` beside `token`: header names are case-insensitive.
		const headers = { 'content-type': 'application/json', Token: 'another' };
		const text = { body: JSON.stringify(body), headers };
		await older({ body, uri: url, json: true });
		// As the node sends it today: text, and the answer as a stream of bytes.
		const asStream = { encoding: null, json: false, useStream: true, followRedirect: false };
		await older({ ...text, uri: url, ...asStream, resolveWithFullResponse: true });
		await newer({ body, url });
		await newer({ ...text, baseURL: sandbox.url, url: `/api/gateway/${to}` });
		expect(sandbox.requests.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
	});

	const follow = { followRedirect: true, followAllRedirects: true, maxRedirects: 21 };
	const sent = { ...follow, sendCredentialsOnCrossOriginRedirect: true, body: {} };
	const ways: Record<string, (url: string) => Promise<unknown>> = {
		'the older helper': async (uri) => await older({ ...sent, uri, json: true }),
		'the newer helper': async (url) => await newer({ ...sent, url, disableFollowRedirect: false }),
		'the test of the credential': async () => await engine.testCredential(credentials()),
	};
	test.each(Object.entries(ways))(
		'follows no redirect of a request with a token: %s',
		async (_, send) => {
			const elsewhere = await startSandbox();
			for (const endpoint of ['customers', 'webhookEvents']) {
				for (const host of [elsewhere.url, sandbox.url]) {
					sandbox.reset();
					sandbox.fault({ status: 307, headers: { Location: `${host}/api/gateway/customer` } });
					await send(`${sandbox.url}/api/gateway/${endpoint}`).catch(() => undefined);
					expect(sandbox.requests).toHaveLength(1);
				}
			}
			expect(elsewhere.requests).toHaveLength(0);
			await elsewhere.close();
		},
	);
});
