import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import type { AgentPath } from './index';
import { Engine, log, output, withDeduplicationStore, withoutDeduplicationStore } from './index';

/**
 * Checks the test engine itself, with the small package in `fixture/`. If the engine were wrong
 * about n8n, the tests that run on it would prove nothing.
 */

const engine = new Engine(join(__dirname, 'fixture'));

let server: Server;
let credentials: { baseUrl: string; token: string };
let requests: Array<{ path: string; token: string; text: string | undefined }>;
let events: number[];
let hungUp: Promise<void>;
let hung: Promise<void>;

beforeAll(async () => {
	let tellHung = () => {};
	let tellHungUp = () => {};
	hung = new Promise((resolve) => (tellHung = resolve));
	hungUp = new Promise((resolve) => (tellHungUp = resolve));
	server = createServer((request, response) => {
		let body = '';
		request.on('data', (chunk: Buffer) => (body += chunk.toString()));
		request.on('end', () => {
			const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
			const { text } = JSON.parse(body || '{}') as { text?: string };
			requests.push({ path: pathname, token: request.headers.token as string, text });
			const say = (status: number, answer: unknown) =>
				response
					.writeHead(status, { 'content-type': 'application/json' })
					.end(JSON.stringify(answer));
			if (request.headers.token !== 'right') return say(401, { message: 'who are you' });
			if (pathname === '/hang') {
				response.on('close', tellHungUp);
				return tellHung();
			}
			if (pathname === '/events') return say(200, events);
			if (pathname === '/words') {
				const page = Number(searchParams.get('page'));
				const words = [`${searchParams.get('filter')}-${searchParams.get('text')}-${page}`];
				return say(200, page < 2 ? { words, next: String(page + 1) } : { words });
			}
			if (text === 'bad' || (text === 'flaky' && requests.length < 3)) {
				return say(500, { message: 'it broke' });
			}
			return say(200, { text });
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	credentials = { baseUrl: `http://127.0.0.1:${port}`, token: 'right' };
});

afterAll(() => server.close());

beforeEach(() => {
	requests = [];
	events = [];
	log.clear();
});

const eachText = { text: '={{ $json.text }}' };

describe('a run', () => {
	test('resolves expressions for each item and authenticates each request', async () => {
		const items = [{ text: 'one' }, { text: 'two' }];
		const run = await engine.run({ parameters: eachText, items, credentials });
		expect(output(run)).toMatchObject([{ text: 'one' }, { text: 'two' }]);
		expect(requests.map(({ token }) => token)).toEqual(['right', 'right']);
	});

	test('fails as n8n stores it, with the item and the status', async () => {
		const run = await engine.run({
			parameters: eachText,
			items: [{ text: 'fine' }, { text: 'bad' }],
			credentials,
		});
		expect(run.status).toBe('error');
		expect(run.error).toMatchObject({ httpCode: '500', context: { itemIndex: 1 } });
		expect(() => output(run)).toThrow(run.error?.message);
	});

	test('tries again with the context of the first try', async () => {
		const run = await engine.run({
			parameters: { text: 'flaky', note: true },
			settings: { retryOnFail: true, maxTries: 3 },
			credentials,
		});
		expect(output(run)).toMatchObject([{ text: 'flaky', calls: 3, run: 0 }]);
	});

	test('keeps the context through the batches of a loop, whose run index rises', async () => {
		const run = await engine.run({
			parameters: { ...eachText, note: true },
			items: [{ text: 'a' }, { text: 'b' }, { text: 'c' }],
			batches: 3,
			credentials,
		});
		expect(output(run)).toMatchObject([
			{ text: 'a', calls: 1, run: 0 },
			{ text: 'b', calls: 2, run: 1 },
			{ text: 'c', calls: 3, run: 2 },
		]);
	});

	test('sends a failed item to the error output, with what it came with', async () => {
		const run = await engine.run({
			parameters: eachText,
			items: [
				{ text: 'bad', id: 1 },
				{ text: 'fine', id: 2 },
			],
			settings: { onError: 'continueErrorOutput' },
			credentials,
		});
		expect(run.outputs[0]).toMatchObject([{ json: { text: 'fine' } }]);
		expect(run.outputs[1]).toMatchObject([
			{ json: { text: 'bad', id: 1, error: expect.any(String) as string } },
		]);
	});

	test('goes on in a loop after a failed batch', async () => {
		const run = await engine.run({
			parameters: eachText,
			items: [{ text: 'bad' }, { text: 'fine' }],
			settings: { onError: 'continueErrorOutput' },
			batches: 2,
			credentials,
		});
		expect(run.outputs.map((items) => items.length)).toEqual([1, 1]);
		expect(run.tasks).toHaveLength(2);
	});

	test('cuts the request when the execution is cancelled', async () => {
		const stop = new AbortController();
		const running = engine.run({ parameters: { path: '/hang' }, credentials, signal: stop.signal });
		await Promise.race([hung, running.then(output)]);
		stop.abort();
		await hungUp;
		expect((await running).status).toBe('canceled');
	});

	test('logs nothing to the console and what n8n logs to the log', async () => {
		await engine.run({ parameters: { text: 'bad' }, credentials });
		expect(log.lines.join('\n')).toContain('Running node "Echo" finished with error');
	});
});

describe('an agent', () => {
	const parameters = { text: "={{ $fromAI('words', '', 'string') }}" };
	const marks: Array<[AgentPath, object]> = [
		['supplyData', { tool: true, mark: false, mode: 'trigger' }],
		['engineRequest', { tool: false, mark: true, mode: 'trigger' }],
		['ephemeral', { tool: false, mark: false, mode: 'internal' }],
	];

	test.each(marks)('calls a tool by %s, and leaves its marks', async (via, mark) => {
		const run = await engine.agentRun({ parameters, args: { words: 'hello' }, via, credentials });
		expect(JSON.parse(run.answer ?? '')).toMatchObject([{ text: 'hello', ...mark }]);
		expect(run.answer).toContain('"type":"n8n-nodes-engine-fixture.echoTool"');
	});

	const words = 'The service was not able to process your request';
	const failures: Array<[AgentPath, string | undefined, string]> = [
		// The agent itself fails, with the description in the message.
		['supplyData', undefined, `${words}\n\nDetails: it broke`],
		['engineRequest', JSON.stringify([{ error: words }]), words],
		['ephemeral', words, words],
	];

	test.each(failures)('hears of a failure by %s', async (via, answer, message) => {
		const run = await engine.agentRun({ parameters, args: { words: 'bad' }, via, credentials });
		expect([run.answer, run.error?.message]).toEqual([answer, message]);
	});
});

describe('a poller', () => {
	const parameters = {};

	test('stores the state of an activation, and keeps an idle one in memory, in the default engine', async () => {
		const poller = engine.poller({ parameters, credentials });
		expect(await poller.poll()).toBeNull();
		expect([poller.state, poller.memory]).toEqual([{}, { seen: 0 }]);
		expect(await poller.activate()).toBeNull();
		expect(poller.state).toEqual({ seen: 0 });
		events = [1];
		expect(await poller.poll()).toMatchObject([
			[{ json: { event: 1, activation: 'activate', budget: 300_000 } }],
		]);
		expect(poller.state).toEqual({ seen: 1 });
	});

	test('stores the state of idle scheduled polls in the durable engine, not that of activation', async () => {
		const poller = engine.poller({ parameters, credentials, engine: 'durable' });
		expect(await poller.activate()).toBeNull();
		expect(poller.state).toEqual({});
		await poller.poll();
		expect(poller.state).toEqual({ seen: 0 });
		events = [1];
		expect(await poller.poll()).toMatchObject([
			[{ json: { event: 1, activation: 'update', budget: 36_000 } }],
		]);
	});

	test('forgets in a restart what is not stored, module memory included', async () => {
		const poller = engine.poller({ parameters, credentials, staticData: { seen: 0 } });
		events = [1];
		await poller.activate();
		await poller.restart();
		events = [1, 2];
		expect(await poller.activate('init')).toMatchObject([
			[{ json: { event: 2, polls: 1, activation: 'init' } }],
		]);
	});

	test('drops what a superseded registration brings', async () => {
		const poller = engine.poller({ parameters, credentials, staticData: { seen: 0 } });
		await poller.activate();
		events = [1];
		const late = poller.poll();
		const [again] = await Promise.all([poller.activate('update'), late]);
		expect([again, await late]).toMatchObject([[[{ json: { event: 1 } }]], null]);
	});

	test('fetches a test event without a change of state', async () => {
		events = [1, 2];
		const poller = engine.poller({ parameters, credentials });
		expect(await poller.poll({ mode: 'manual' })).toMatchObject([[{ json: { event: 2 } }]]);
		expect([poller.state, poller.emitted]).toEqual([{}, []]);
	});

	test('throws what n8n would hand to the error workflow', async () => {
		const poller = engine.poller({ parameters, credentials: { ...credentials, token: 'wrong' } });
		await expect(poller.activate()).rejects.toMatchObject({ httpCode: '401' });
		await expect(poller.poll()).rejects.toMatchObject({ httpCode: '401' });
	});

	test('has no budget on older versions of n8n', async () => {
		events = [1];
		const staticData = { seen: 0 };
		const poller = engine.poller({ parameters, credentials, staticData, withoutBudget: true });
		expect(await poller.poll()).toMatchObject([[{ json: { budget: null } }]]);
	});
});

describe('the editor', () => {
	test('pages through a picker, which sees the form', async () => {
		const search = { method: 'words', parameters: { text: 'x' }, filter: 'f', credentials };
		expect(await engine.search(search)).toEqual({
			results: [{ name: 'f-x-1', value: 'f-x-1' }],
			paginationToken: '2',
		});
		expect(await engine.search({ ...search, paginationToken: '2' })).toEqual({
			results: [{ name: 'f-x-2', value: 'f-x-2' }],
		});
	});

	test('tests a credential', async () => {
		expect(await engine.testCredential(credentials)).toMatchObject({ status: 'OK' });
		expect(await engine.testCredential({ ...credentials, token: 'wrong' })).toEqual({
			status: 'Error',
			message: 'The token is refused',
		});
	});

	test('sends as the HTTP Request node does with the credential', async () => {
		const { baseUrl } = credentials;
		const legacy = {
			uri: `${baseUrl}/echo`,
			method: 'POST' as const,
			body: { text: 'a' },
			json: true,
		};
		expect(await engine.requestWithAuthentication(credentials, legacy)).toEqual({ text: 'a' });
		const request = { url: `${baseUrl}/echo`, method: 'POST' as const, body: { text: 'b' } };
		expect(await engine.httpRequestWithAuthentication(credentials, request)).toEqual({ text: 'b' });
	});

	test('fills the defaults of a credential in', async () => {
		const request = { url: 'http://localhost' };
		expect(await engine.authenticate({ baseUrl: 'x' }, request)).toEqual({
			...request,
			headers: { token: 'default-token' },
		});
	});
});

describe('the deduplication store', () => {
	const once = { parameters: { text: 'a', once: true } };

	afterEach(withoutDeduplicationStore);

	test('knows in later executions what was recorded', async () => {
		const store = await withDeduplicationStore();
		output(await engine.run({ ...once, credentials }));
		const again = await engine.run({ ...once, credentials });
		expect(again.error?.message).toBe('a was sent before');
		await withDeduplicationStore();
		output(await engine.run({ ...once, credentials }));
		expect(store.rows.size).toBe(1);
	});

	test('leaves the gap of the real one between two that ask at once', async () => {
		const store = await withDeduplicationStore();
		output(await engine.run({ parameters: { text: 'b', once: true }, credentials }));
		const both = [engine.run({ ...once, credentials }), engine.run({ ...once, credentials })];
		expect((await Promise.all(both)).map(({ error }) => error)).toEqual([undefined, undefined]);
		expect(store.rows.size).toBe(1);
	});

	test('throws where n8n has none', async () => {
		const run = await engine.run({ ...once, credentials });
		expect(run.error?.message).toContain('Instance needs to initialized before use');
	});
});
