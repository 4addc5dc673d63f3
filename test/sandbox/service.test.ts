import { bodyEndpoints, useService } from './useService';

/**
 * Checks what holds for every endpoint of the sandbox: how a request must be sent, and with which
 * credentials.
 */

const headerEndpoints = [
	'customers',
	'addCustomer',
	'customer',
	'updateCustomer',
	'deleteCustomer',
	'addPaymentMethod',
	'deletePaymentMethod',
	'setDefaultPaymentMethod',
];

const { sandbox, send, call, refusal } = useService();
const { groupID, privateToken, headerToken } = sandbox.credentials;
const inBody = { groupID, token: privateToken };
const header = { token: headerToken };

test.each([...headerEndpoints, ...bodyEndpoints])('%s takes POST only', async (endpoint) => {
	const { status, headers } = await call(endpoint, {}, { method: 'GET' });
	expect([status, headers.get('allow')]).toEqual([405, 'POST']);
});

test.each([
	[415, { body: '{"data":{}}', headers: { ...header, 'Content-Type': 'text/plain' } }],
	[400, { body: '{"data":', headers: header }],
	[400, { body: '"text"', headers: header }],
	[400, { body: '[]', headers: header }],
	[400, { body: 'null', headers: header }],
])('answers %i to %j', async (status, sent) => {
	expect((await send('/api/gateway/customers', sent)).status).toBe(status);
});

test.each(['/api/gateway/refund', '/customers', '/api/gateway/constructor'])(
	'there is nothing at %s',
	async (path) => {
		const { status, answer } = await send(path, { body: { data: {} }, headers: header });
		expect(status).toBe(404);
		expect(answer).toEqual({ error: { message: expect.stringContaining(path) } });
	},
);

test.each(headerEndpoints)('%s wants the header token, and data alone', async (endpoint) => {
	const sent = async (headers: Record<string, string>, body: unknown) =>
		await refusal(endpoint, {}, { headers, body });
	const nonsense = { data: { nonsense: 1 } };
	expect(await sent({}, nonsense)).toEqual([401, 'The header token is missing (header token)']);
	const wrong = [401, 'The header token is wrong (header token)'];
	expect(await sent({ token: privateToken }, nonsense)).toEqual(wrong);
	expect(await sent(header, { ...inBody, data: {} })).toEqual([
		400,
		'groupID is not a known field',
	]);
	expect(await sent(header, {})).toEqual([400, 'data is missing']);
});

test.each(bodyEndpoints)('%s wants groupID, token and data in the body', async (endpoint) => {
	const sent = async (body: unknown) => await refusal(endpoint, {}, { headers: header, body });
	const { privateToken: others } = sandbox.otherCredentials;
	const cases: Array<[body: object, status: number, words: string]> = [
		[{ token: privateToken, data: {} }, 401, 'The group ID is missing (body field groupID)'],
		[{ groupID, data: {} }, 401, 'The private token is missing (body field token)'],
		[{ ...inBody, groupID: 'x', data: {} }, 401, 'The group ID is unknown (body field groupID)'],
		[
			{ groupID, token: headerToken, data: {} },
			401,
			'The private token is wrong (body field token)',
		],
		[{ groupID, token: others, data: {} }, 401, 'The private token is wrong (body field token)'],
		[inBody, 400, 'data is missing'],
		[{ ...inBody, data: {}, page: {} }, 400, 'page is not a known field'],
	];
	for (const [body, status, words] of cases) expect(await sent(body)).toEqual([status, words]);
});
