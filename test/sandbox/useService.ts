import { createSandbox, type SandboxOptions } from '.';
import { bodyEndpoints } from './endpoints';

/**
 * A sandbox for all tests of a file, empty at the start of each, and a way to call it as a stranger
 * does, over HTTP and without the package.
 */

interface Sent {
	method?: string;
	/** Instead of the credentials and the data. A text goes out as it is; all else is JSON. */
	body?: unknown;
	headers?: Record<string, string>;
}

export function useService(options: SandboxOptions = {}) {
	const sandbox = createSandbox(options);
	beforeAll(async () => await sandbox.listen());
	beforeEach(() => sandbox.reset());
	afterAll(async () => await sandbox.close());

	async function send(path: string, { method = 'POST', body, headers }: Sent) {
		const response = await fetch(`${sandbox.url}${path}`, {
			method,
			headers: { 'Content-Type': 'application/json', ...headers },
			...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
			redirect: 'manual',
		});
		const text = await response.text();
		const isJson = response.headers.get('content-type') === 'application/json';
		const answer = isJson ? JSON.parse(text) : undefined;
		return { status: response.status, headers: response.headers, text, answer };
	}

	async function call(endpoint: string, data: unknown = {}, more: Sent = {}) {
		const { groupID, privateToken, headerToken } = sandbox.credentials;
		const isInBody = bodyEndpoints.includes(endpoint);
		return await send(`/api/gateway/${endpoint}`, {
			body: isInBody ? { groupID, token: privateToken, data } : { data },
			headers: isInBody ? {} : { token: headerToken },
			...more,
		});
	}

	/** Status and words of a refusal. */
	async function refusal(...request: Parameters<typeof call>): Promise<[number, string]> {
		const { status, answer } = await call(...request);
		return [status, answer.error?.message];
	}

	return { sandbox, send, call, refusal };
}
