import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { stampFor } from '../e2e/provision';
import { until } from '../e2e/until';
import { credentials } from '../sandbox/world';

/** Runs `npm start` with a small server in n8n's place, or a small script in npm's. */

const ROOT = resolve(__dirname, '../..');
const N8N = `
const { appendFileSync, writeFileSync } = require('node:fs');
const { createServer } = require('node:http');
let stored = 0;
createServer(({ method, url }, answer) => {
	appendFileSync(process.env.DEMO_REQUESTS, method + ' ' + url + '\\n');
	const data = method === 'POST' ? { id: 'id-' + ++stored } : [];
	answer.end(JSON.stringify({ data }));
}).listen(Number(process.env.N8N_PORT), '127.0.0.1');
writeFileSync(process.env.DEMO_PIDS, JSON.stringify([process.pid]));
process.on('SIGTERM', () => setTimeout(() => process.exit(0), 700));
`;
const EXAMPLES = readdirSync(join(ROOT, 'workflows')).length;
/** Ignores SIGTERM, as npm does for a while, and has a child process. */
const NPM = `#!/bin/sh
trap '' TERM
sleep 600 &
echo "[$$, $!]" > "$DEMO_PIDS"
wait
`;

/** In the last lines of the demo's output, when everything has started. */
const READY = 'Press Ctrl-C to stop';

const onLinux = process.platform === 'linux' ? test : test.skip;
const started: ChildProcess[] = [];
let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'demo-'))));
afterEach(async () => {
	for (const child of started.splice(0)) child.kill('SIGKILL');
	await rm(folder, { recursive: true, force: true });
});

/** Installs the stand-in for n8n, unless an earlier demo of the test did. */
async function install(): Promise<void> {
	if (existsSync(join(folder, 'installed'))) return;
	const modules = join(folder, 'node_modules');
	const node = join(modules, `node-${process.platform}-${process.arch}`, 'bin', 'node');
	for (const path of [join(modules, 'n8n', 'bin'), dirname(node)]) {
		await mkdir(path, { recursive: true });
	}
	await symlink(process.execPath, node);
	await writeFile(join(modules, 'n8n', 'bin', 'n8n'), N8N);
	await writeFile(join(folder, 'installed'), await stampFor(node));
}

/** Below the ephemeral ports, in steps of ten: a demo uses five in a row. */
const randomPort = () => String(20_000 + 10 * randomInt(1_200));

function run(port: string, flags: string[] = []) {
	const env = {
		...process.env,
		N8N_E2E_DIR: folder,
		N8N_DEMO_DIR: join(folder, 'kept'),
		DEMO_PIDS: join(folder, 'pids.json'),
		DEMO_REQUESTS: join(folder, 'requests'),
		// First, for the stand-in of npm.
		PATH: `${folder}${delimiter}${process.env.PATH}`,
	};
	const script = ['--import', 'tsx', 'test/demo/start.ts', '--port', port, ...flags];
	const child = spawn(process.execPath, script, { cwd: ROOT, env });
	started.push(child);
	let text = '';
	child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
	const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
	return { child, ended, output: () => text };
}

/** The processes of the stand-in that still run. A zombie does not. */
async function running(): Promise<number[]> {
	const pids: number[] = JSON.parse(await readFile(join(folder, 'pids.json'), 'utf8'));
	const stats = pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z'));
	const states = await Promise.all(stats);
	return pids.filter((_, index) => !/\) Z/.test(states[index] ?? ''));
}

async function waitForAllToEnd(): Promise<void> {
	await until('all processes to end', async () => (await running()).length === 0);
}

/** A demo that is ready. `stop` ends it by a signal, and returns its exit code. */
async function givenDemo({ port = randomPort(), flags = [] as string[] } = {}) {
	await install();
	const { child, output, ended } = run(port, flags);
	await until('the demo to start', () => output().includes(READY));
	const stop = async (signal: NodeJS.Signals = 'SIGINT') => {
		child.kill(signal);
		return await ended;
	};
	return { port, output, stop };
}

onLinux.each(['SIGINT', 'SIGKILL'] as const)(
	'a second demo on the same port is refused, and n8n ends with the first after %s',
	async (signal) => {
		const { port, stop } = await givenDemo();
		const second = run(port);
		expect(await second.ended).toBe(1);
		expect(second.output()).toContain(`Port ${port} is in use`);
		expect(await running()).toHaveLength(1);
		expect(await stop(signal)).toBe(signal === 'SIGINT' ? 0 : null);
		await waitForAllToEnd();
	},
	120_000,
);

onLinux(
	'the next start continues: examples are added once, and the sandbox keeps its links',
	async () => {
		const port = randomPort();
		const startAndStop = async (...flags: string[]) => {
			await rm(join(folder, 'requests'), { force: true });
			const { output, stop } = await givenDemo({ port, flags });
			expect(await stop()).toBe(0);
			const requests = (await readFile(join(folder, 'requests'), 'utf8')).split('\n');
			const added = requests.filter((line) => line === 'POST /rest/workflows').length;
			return { added, link: /\/pay\/pl_\w+/.exec(output())?.[0] };
		};
		const first = await startAndStop();
		expect(first).toEqual({ added: EXAMPLES, link: expect.stringContaining('/pay/') });
		const second = await startAndStop();
		// The stand-in lists no workflows, so no example and no link is printed.
		expect(second).toEqual({ added: 0, link: undefined });
		const kept = await readFile(join(folder, 'kept', port, 'sandbox.json'), 'utf8');
		expect(kept).toContain(first.link?.slice('/pay/'.length));
		const fresh = await startAndStop('--fresh');
		expect(fresh.added).toBe(EXAMPLES);
		expect(fresh.link).not.toBe(first.link);
	},
	240_000,
);

/** Calls the API of the sandbox of the demo at this port. */
async function callSandbox(port: string, endpoint: string, data: object) {
	const { groupID, privateToken: token } = credentials;
	const response = await fetch(`http://127.0.0.1:${Number(port) + 1}/api/gateway/${endpoint}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ groupID, token, data }),
	});
	return Object(await response.json());
}

onLinux(
	'in its sandbox, a bank payment is pending at first',
	async () => {
		const { port, stop } = await givenDemo();
		const form = { pricing: { amount: 2500 } };
		const link = await callSandbox(port, 'createCheckoutData', { form });
		const ach = { accountNumber: '000123456789', routingNumber: '110000000' };
		const charged = await callSandbox(port, 'createTokenizedManualEntry', {
			paymentData: link.data.paymentData,
			customerInfo: { paymentType: 'ach', ach },
		});
		expect(charged).toMatchObject({ status: 'PENDING' });
		expect(await stop()).toBe(0);
	},
	120_000,
);

onLinux(
	'an installation ends with the demo that started it',
	async () => {
		await writeFile(join(folder, 'npm'), NPM, { mode: 0o755 });
		const { child, ended } = run(randomPort());
		await until('the installation', () => existsSync(join(folder, 'pids.json')));
		child.kill('SIGINT');
		expect(await ended).toBe(0);
		await waitForAllToEnd();
	},
	120_000,
);
