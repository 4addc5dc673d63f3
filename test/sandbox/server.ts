import {
	createServer,
	type IncomingMessage,
	type Server,
	type ServerResponse,
	STATUS_CODES,
} from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { callEndpoint, isEndpoint } from './endpoints';
import type { Fault, FaultQueue } from './fault';
import type { Limiter } from './limiter';
import { servePage } from './payPage';
import { Refusal } from './refusal';
import type { RecordedRequest, RequestLog } from './request';
import type { World } from './world';

/**
 * The HTTP server of the sandbox: reads a request, applies the faults that a test has scripted,
 * lets the endpoint or the page do its work, and answers. Every API request is logged.
 */

/** The longest wait that a timer can do. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const DRIP_MS = 10;

interface Outgoing {
	status: number;
	headers: Record<string, string>;
	text: string;
}

/** What the server works with; a reset replaces some of it. */
export interface ServerContext {
	world: World;
	faults: FaultQueue;
	limiter: Limiter;
	log: RequestLog;
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

function json(status: number, text: string, headers: Record<string, string> = {}): Outgoing {
	return { status, text, headers: { 'Content-Type': 'application/json', ...headers } };
}

/** An error that is no refusal is a mistake of the sandbox or in a test's fault: it shows itself. */
function failure(error: unknown): Outgoing {
	const { status, headers, message } =
		error instanceof Refusal ? error : new Refusal(500, String(Object(error).stack ?? error));
	return json(status, JSON.stringify({ error: { message } }), headers);
}

/** The answer without any fault. */
function work({ endpoint, method, path, headers, body }: RecordedRequest, world: World): Outgoing {
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

function scriptedAnswer({ status = 200, body }: Fault): Outgoing {
	if (typeof body === 'string') {
		const type = body.trimStart().startsWith('<') ? 'text/html' : 'text/plain';
		return { status, text: body, headers: { 'Content-Type': `${type}; charset=utf-8` } };
	}
	const said = body ?? { error: { message: STATUS_CODES[status] ?? 'Scripted fault' } };
	return json(status, JSON.stringify(said));
}

/** Runs the faults and, unless they stand in its place, the work. Undefined: no answer. */
function answerWith(faults: readonly Fault[], doWork: () => Outgoing): Outgoing | undefined {
	for (const { run } of faults) run?.();
	const drop = faults.find((fault) => fault.drop)?.drop;
	if (drop === 'before') return undefined;
	const scripted = faults.find(({ status, body }) => status !== undefined || body !== undefined);
	const worked = scripted && !scripted.workFirst && !drop ? undefined : doWork();
	const outgoing = scripted ? scriptedAnswer(scripted) : worked;
	if (drop || !outgoing) return undefined;
	for (const { answer, headers } of faults) {
		if (answer && !scripted && outgoing.status === 200) {
			outgoing.text = JSON.stringify(answer(JSON.parse(outgoing.text))) ?? '';
		}
		Object.assign(outgoing.headers, headers);
	}
	return outgoing;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
	if (ms > 0) await sleep(Math.min(ms, MAX_TIMER_MS), undefined, { signal });
}

/** An answer that goes on until the caller has gone, which throws. */
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
	{ world, faults, limiter, log }: ServerContext,
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

	let outgoing: Outgoing | undefined;
	try {
		record.body = parsed(await readText(request));
		limiter.enter(world.settings.limits);
		const taken = faults.take(record);
		outgoing = answerWith(taken, () => work(record, world));
		const delay = taken.reduce((sum, fault) => sum + (fault.delay ?? 0), 0);
		await pause(world.settings.latency + delay, gone.signal);
		const dripping = taken.find((fault) => fault.drip !== undefined);
		if (dripping && outgoing) await drip(response, dripping.drip, gone.signal);
	} catch (error) {
		if (gone.signal.aborted || response.destroyed) return;
		outgoing = failure(error);
	}
	// Closed in the log before the caller can see the answer, so that it never counts as open.
	log.closed(record, outgoing);
	if (outgoing) send(response, outgoing, world);
	else request.socket.destroy();
}

function send(response: ServerResponse, { status, headers, text }: Outgoing, { clock }: World) {
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
