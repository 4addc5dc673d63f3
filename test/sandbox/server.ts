import { createServer, STATUS_CODES } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { callEndpoint, isEndpoint } from './endpoints';
import type { Fault, FaultQueue } from './fault';
import { servePage } from './payPage';
import { Refusal } from './refusal';
import type { HttpAnswer, RecordedRequest, RequestLog } from './request';
import type { TokenBucket } from './tokenBucket';
import type { World } from './world';

/**
 * The HTTP server of the sandbox: reads a request, applies the faults that a test has scripted,
 * runs the endpoint's handler or the page, and answers. Every API request is logged.
 */

/** The longest wait of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const DRIP_MS = 10;

/** A reset replaces all but `world`. */
export interface ServerContext {
	world: World;
	faults: FaultQueue;
	bucket: TokenBucket;
	log: RequestLog;
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

function json(status: number, text: string, headers: Record<string, string> = {}): HttpAnswer {
	return { status, text, headers: { 'Content-Type': 'application/json', ...headers } };
}

/** Any error but a refusal is a bug in the sandbox or in a fault: a 500 with its stack. */
function failure(error: unknown): HttpAnswer {
	const { status, headers, message } =
		error instanceof Refusal ? error : new Refusal(500, String(Object(error).stack ?? error));
	return json(status, JSON.stringify({ error: { message } }), headers);
}

/** The answer without any fault. */
function handle(
	{ endpoint, method, path, headers, body }: RecordedRequest,
	world: World,
): HttpAnswer {
	try {
		if (path !== `/api/gateway/${endpoint}` || !isEndpoint(endpoint)) {
			throw new Refusal(404, `There is no endpoint at ${path}`);
		}
		if (method !== 'POST') throw new Refusal(405, `${path} takes POST only`, { Allow: 'POST' });
		if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) {
			throw new Refusal(415, 'Content-Type must be application/json');
		}
		return json(200, JSON.stringify(callEndpoint(endpoint, body, headers.token, world)));
	} catch (error) {
		return failure(error);
	}
}

function scriptedAnswer({ status = 200, body }: Fault): HttpAnswer {
	if (typeof body === 'string') {
		const type = body.trimStart().startsWith('<') ? 'text/html' : 'text/plain';
		return { status, text: body, headers: { 'Content-Type': `${type}; charset=utf-8` } };
	}
	const payload = body ?? { error: { message: STATUS_CODES[status] ?? 'Scripted fault' } };
	return json(status, JSON.stringify(payload));
}

/** Runs the handler, unless the fault replaces it. Undefined: drop the connection. */
function answerWith(fault: Fault, handler: () => HttpAnswer): HttpAnswer | undefined {
	const { drop, status, body, workFirst, answer } = fault;
	const isScripted = status !== undefined || body !== undefined;
	if (drop === 'after' || (isScripted && workFirst)) handler();
	if (drop !== undefined) return undefined;
	if (isScripted) return scriptedAnswer(fault);
	const outgoing = handler();
	if (answer && outgoing.status === 200) {
		outgoing.text = JSON.stringify(answer(JSON.parse(outgoing.text))) ?? '';
	}
	return outgoing;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
	if (ms > 0) await sleep(Math.min(ms, MAX_TIMER_MS), undefined, { signal });
}

/** Sends an endless answer. Throws when the caller has gone. */
async function drip(response: ServerResponse, kind: Fault['drip'], gone: AbortSignal) {
	if (kind === 'headers') {
		response.socket?.write('HTTP/1.1 200 OK\r\nX-Drip: ');
	} else {
		response.writeHead(200, { 'Content-Type': 'application/json' }).flushHeaders();
	}
	for (;;) {
		await pause(DRIP_MS, gone);
		if (kind === 'headers') response.socket?.write('.');
		else response.write(' ');
	}
}

async function serveApi(
	request: IncomingMessage,
	response: ServerResponse,
	path: string,
	{ world, faults, bucket, log }: ServerContext,
): Promise<void> {
	const { method = '', headers } = request;
	const endpoint = path.split('/').pop() ?? '';
	const startedAt = performance.now();
	const record: RecordedRequest = { endpoint, method, path, headers, body: undefined, startedAt };
	log.opened(record);
	const gone = new AbortController();
	response.on('close', () => {
		log.closed(record);
		gone.abort();
	});

	let outgoing: HttpAnswer | undefined;
	try {
		record.body = parsed(await readText(request));
		bucket.take(world.settings.limits);
		const { main, all } = faults.take(record);
		for (const { run } of all) run?.();
		outgoing = answerWith(main, () => handle(record, world));
		if (outgoing) Object.assign(outgoing.headers, ...all.map(({ headers: added }) => added));
		const delay = all.reduce((sum, fault) => sum + (fault.delay ?? 0), 0);
		await pause(world.settings.latency + delay, gone.signal);
		if (main.drip && outgoing) await drip(response, main.drip, gone.signal);
	} catch (error) {
		if (gone.signal.aborted || response.destroyed) return;
		outgoing = failure(error);
	}
	// Closed in the log before the caller can see the answer, so that it never counts as open.
	log.closed(record, outgoing);
	if (outgoing) send(response, outgoing, world);
	else request.socket.destroy();
}

function send(response: ServerResponse, { status, headers, text }: HttpAnswer, { clock }: World) {
	response.sendDate = false;
	response.writeHead(status, {
		Date: clock.now().toUTCString(),
		'Content-Length': String(Buffer.byteLength(text)),
		...headers,
	});
	response.end(text);
}

export function createSandboxServer(context: ServerContext): Server {
	const { world } = context;
	async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const [path = '/'] = (request.url ?? '/').split('?');
		if (path !== '/' && !/^\/pay(\/|$)/.test(path)) {
			await serveApi(request, response, path, context);
			return;
		}
		const readBody = async () => await readText(request);
		send(response, await servePage(request.method ?? '', path, readBody, world), world);
	}
	const server = createServer((request, response) => {
		serve(request, response).catch((error: unknown) => {
			if (response.headersSent) response.destroy();
			else send(response, failure(error), world);
		});
	});
	// Longer than any test: a connection that times out would look like a fault.
	server.keepAliveTimeout = 10 * 60_000;
	server.requestTimeout = 0;
	return server;
}
