import axios from 'axios';
import { startSandbox, type Sandbox } from '.';

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
const bodyEndpoints = [
	'webhookEvents',
	'computeTokenizedCheckout',
	'createTokenizedManualEntry',
	'createCheckoutData',
];

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox();
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.close());

async function post(endpoint: string, body: unknown, headers: Record<string, string> = {}) {
	return await axios.post(`${sandbox.url}/api/gateway/${endpoint}`, body, {
		headers: { 'Content-Type': 'application/json', ...headers },
		validateStatus: () => true,
	});
}

const header = () => ({ token: sandbox.credentials.headerToken });
const inBody = () => ({
	groupID: sandbox.credentials.groupID,
	token: sandbox.credentials.privateToken,
});

describe('transport', () => {
	test.each([...headerEndpoints, ...bodyEndpoints])('%s takes POST only', async (endpoint) => {
		const answer = await axios.get(`${sandbox.url}/api/gateway/${endpoint}`, {
			validateStatus: () => true,
		});
		expect(answer.status).toBe(405);
		expect(answer.headers.allow).toBe('POST');
	});

	test('refuses a body that is not declared as JSON', async () => {
		const answer = await post('customers', '{"data":{}}', {
			...header(),
			'Content-Type': 'text/plain',
		});
		expect(answer.status).toBe(415);
	});

	test.each(['{"data":', '"text"', '[]', 'null'])('refuses the body %s', async (body) => {
		const answer = await post('customers', body, header());
		expect(answer.status).toBe(400);
		expect(answer.data.error.message).toMatch(/JSON object/);
	});

	test('answers 404 at an unknown path', async () => {
		expect((await post('refund', { data: {} }, header())).status).toBe(404);
		expect(
			(await axios.post(`${sandbox.url}/customers`, {}, { validateStatus: () => true })).status,
		).toBe(404);
	});

	test('answers JSON, errors included', async () => {
		const answer = await post('customers', { data: { pages: {} } }, header());
		expect(answer.status).toBe(400);
		expect(answer.headers['content-type']).toBe('application/json');
		expect(answer.data).toEqual({ error: { message: 'data.pages is not a known field' } });
	});
});

describe('authentication', () => {
	test.each(headerEndpoints)('%s wants the header token', async (endpoint) => {
		const missing = await post(endpoint, { data: {} });
		expect([missing.status, missing.data.error.message]).toEqual([
			401,
			'The header token is missing (header token)',
		]);
		const wrong = await post(endpoint, { data: {} }, { token: sandbox.credentials.privateToken });
		expect([wrong.status, wrong.data.error.message]).toEqual([
			401,
			'The header token is wrong (header token)',
		]);
	});

	test.each(headerEndpoints)('%s refuses credentials in the body', async (endpoint) => {
		const answer = await post(endpoint, { ...inBody(), data: {} }, header());
		expect([answer.status, answer.data.error.message]).toEqual([
			400,
			'groupID is not a known field',
		]);
	});

	test.each(bodyEndpoints)('%s wants groupID and token in the body', async (endpoint) => {
		const { groupID, token } = inBody();
		const message = async (body: object) => {
			const answer = await post(endpoint, body, header());
			expect(answer.status).toBe(401);
			return answer.data.error.message;
		};
		expect(await message({ token, data: {} })).toMatch(/group ID is missing/);
		expect(await message({ groupID, data: {} })).toMatch(/private token is missing/);
		expect(await message({ groupID: 'grp_x', token, data: {} })).toMatch(/group ID is unknown/);
		expect(await message({ groupID, token: sandbox.credentials.headerToken, data: {} })).toMatch(
			/private token is wrong/,
		);
	});

	test('the private token of another group does not fit', async () => {
		const { groupID } = sandbox.credentials;
		const { privateToken } = sandbox.otherCredentials;
		const answer = await post('webhookEvents', { groupID, token: privateToken, data: {} });
		expect(answer.status).toBe(401);
	});

	test('credentials are checked before the form', async () => {
		expect((await post('addCustomer', { data: { form: { nonsense: 1 } } })).status).toBe(401);
	});

	test.each(headerEndpoints)('%s wraps its input in data', async (endpoint) => {
		const answer = await post(endpoint, {}, header());
		expect([answer.status, answer.data.error.message]).toEqual([400, 'data is missing']);
	});

	test.each(bodyEndpoints)('%s carries data next to the credentials', async (endpoint) => {
		const answer = await post(endpoint, inBody());
		expect([answer.status, answer.data.error.message]).toEqual([400, 'data is missing']);
		const extra = await post(endpoint, { ...inBody(), data: {}, page: {} });
		expect([extra.status, extra.data.error.message]).toEqual([400, 'page is not a known field']);
	});
});
