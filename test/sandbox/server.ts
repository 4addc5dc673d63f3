import {
	createServer,
	type IncomingMessage,
	type Server,
	type ServerResponse,
	STATUS_CODES,
} from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { callEndpoint, isEndpoint } from './endpoints';
import type { Fault, FaultQueue } from './fault';
import type { Limiter } from './limiter';
import { servePage } from './paymentPage';
import { Refusal } from './refusal';
import type { RecordedRequest, RequestLog } from './request';
import type { World } from './world';

/**
 * The HTTP server of the sandbox: reads a request, applies the faults that a test has scripted,
 * lets the endpoint or the page do its work, and answers. Every API request is logged.
 */

const MAX_BODY_BYTES = 5_000_000;
/** The longest wait that a timer can do; a fault that hangs is ended by close or reset. */
const MAX_TIMER_MS = 2 ** 31 - 1;

interface Outgoing {
	status: number;
	headers: Record<string, string>;
	text: string | Buffer;
}

/** What the server works with, as it is at the moment of a request. */
interface ServerContext {
	world: World;
	faults: FaultQueue;
	limiter: Limiter;
	log: RequestLog;
}

async function readBody(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of request) {
		const buffer = Buffer.from(chunk);
		bytes += buffer.length;
		if (bytes > MAX_BODY_BYTES) throw new Refusal(413, 'The body is too large');
		chunks.push(buffer);
	}
	return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): Outgoing {
	const text = Buffer.isBuffer(body) ? body : JSON.stringify(body);
	return { status, text, headers: { 'Content-Type': 'application/json', ...headers } };
}

function refusalAnswer({ status, message, headers }: Refusal): Outgoing {
	return json(status, { error: { message } }, { ...headers });
}

/** Any other error is a mistake of the sandbox or in a test's fault, so the answer shows its stack. */
function failure(error: unknown): Outgoing {
	if (error instanceof Refusal) return refusalAnswer(error);
	const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
	return json(500, { error: { message } });
}

function checkTransport(request: IncomingMessage, path: string, body: unknown): void {
	const endpoint = apiEndpoint(path);
	if (endpoint === undefined || !isEndpoint(endpoint)) {
		throw new Refusal(404, `There is no endpoint at ${path}`);
	}
	if (request.method !== 'POST') {
		throw new Refusal(405, `${path} takes POST only`, { Allow: 'POST' });
	}
	const type = request.headers['content-type'] ?? '';
	if (!/^application\/json\s*(;|$)/i.test(type)) {
		throw new Refusal(415, 'Content-Type must be application/json');
	}
	if (typeof body === 'string') throw new Refusal(400, 'The body is not a JSON object');
}

function apiEndpoint(path: string): string | undefined {
	return /^\/api\/gateway\/([^/]+)$/.exec(path)?.[1];
}

/** The answer without any fault. */
function work(request: IncomingMessage, record: RecordedRequest, world: World): Outgoing {
	try {
		checkTransport(request, record.path, record.body);
		const { token } = request.headers;
		const header = Array.isArray(token) ? token[0] : token;
		return json(200, callEndpoint(record.endpoint, record.body, header, world));
	} catch (error) {
		if (error instanceof Refusal) return refusalAnswer(error);
		throw error;
	}
}

function scriptedAnswer({ status = 200, body }: Fault): Outgoing {
	if (typeof body === 'string') {
		const type = body.trimStart().startsWith('<') ? 'text/html' : 'text/plain';
		return { status, text: body, headers: { 'Content-Type': `${type}; charset=utf-8` } };
	}
	return json(status, body ?? { error: { message: STATUS_CODES[status] ?? 'Scripted fault' } });
}

/** Runs the faults and, unless they stand in its place, the work. */
function answerWith(faults: readonly Fault[], doWork: () => Outgoing): Outgoing | undefined {
	for (const { run } of faults) run?.();
	if (faults.some(({ drop }) => drop === 'before')) return undefined;
	const scripted = faults.find(({ status, body }) => status !== undefined || body !== undefined);
	const worksFirst = faults.some(({ workFirst, drop }) => workFirst || drop === 'after');
	let outgoing = scripted && !worksFirst ? undefined : doWork();
	for (const { answer } of faults) {
		if (!answer || outgoing?.status !== 200) continue;
		const text = JSON.stringify(answer(JSON.parse(outgoing.text.toString())));
		outgoing = { ...outgoing, text: text ?? '' };
	}
	if (scripted) outgoing = scriptedAnswer(scripted);
	if (!outgoing || faults.some(({ drop }) => drop === 'after')) return undefined;
	for (const { headers } of faults) {
		outgoing = { ...outgoing, headers: { ...outgoing.headers, ...headers } };
	}
	return outgoing;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
	if (ms > 0) await sleep(Math.min(ms, MAX_TIMER_MS), undefined, { signal });
}

const DRIP_MS = 10;

/** An answer that goes on until the caller has gone, which throws. */
async function drip(response: ServerResponse, kind: Fault['drip'], gone: AbortSignal) {
	if (kind === 'headers') {
		response.socket?.write('HTTP/1.1 200 OK\r\nX-Drip: ');
	} else {
		response.writeHead(200, { 'Content-Type': 'application/json' });
		response.flushHeaders();
	}
	for (;;) {
		await pause(DRIP_MS, gone);
		if (kind === 'headers') response.socket?.write('.');
		if (kind === 'body') response.write(' ');
	}
}

async function serveApi(
	request: IncomingMessage,
	response: ServerResponse,
	path: string,
	{ world, faults, limiter, log }: ServerContext,
): Promise<void> {
	const record: RecordedRequest = {
		endpoint: path.split('/').pop() ?? '',
		method: request.method ?? '',
		path,
		headers: request.headers,
		body: undefined,
		startedAt: performance.now(),
	};
	log.opened(record, () => request.socket.destroy());
	const gone = new AbortController();
	response.on('close', () => {
		log.closed(record);
		gone.abort();
	});

	let outgoing: Outgoing | undefined;
	let leave: (() => void) | undefined;
	try {
		record.body = parsed(await readBody(request));
		leave = await limiter.enter(world.settings.limits);
		const taken = faults.take(record);
		outgoing = answerWith(taken, () => work(request, record, world));
		const delay = taken.reduce((sum, fault) => sum + (fault.delay ?? 0), 0);
		await pause(world.settings.latency + delay, gone.signal);
		const dripping = taken.find((fault) => fault.drip !== undefined);
		if (dripping && outgoing) await drip(response, dripping.drip, gone.signal);
	} catch (error) {
		if (gone.signal.aborted || response.destroyed) return;
		outgoing = failure(error);
	} finally {
		leave?.();
	}
	if (!outgoing) {
		log.closed(record);
		request.socket.destroy();
		return;
	}
	// Closed in the log before the caller can see the answer, so that it never counts as open.
	log.closed(record, outgoing.status);
	record.answer = outgoing.text.toString();
	send(response, outgoing, world);
}

export function send(
	response: ServerResponse,
	{ status, headers, text }: Outgoing,
	{ clock }: World,
): void {
	const bytes = typeof text === 'string' ? Buffer.from(text) : text;
	response.sendDate = false;
	response.writeHead(status, {
		Date: clock.now().toUTCString(),
		'Content-Length': String(bytes.length),
		...headers,
	});
	response.end(bytes);
}

export function createSandboxServer(contextNow: () => ServerContext): Server {
	const server = createServer((request, response) => {
		const [pathname = '/'] = (request.url ?? '/').split('?');
		const current = contextNow();
		const isPage = pathname === '/' || /^\/pay(\/|$)/.test(pathname);
		const served = isPage
			? servePage(request, pathname, () => readBody(request), current.world).then((page) =>
					send(response, page, current.world),
				)
			: serveApi(request, response, pathname, current);
		served.catch((error: unknown) => {
			if (response.headersSent) response.destroy();
			else send(response, failure(error), current.world);
		});
	});
	// Longer than any test: a connection that times out would look like a fault.
	server.keepAliveTimeout = 10 * 60_000;
	server.requestTimeout = 0;
	return server;
}
