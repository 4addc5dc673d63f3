import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { stampFor } from '../e2e/provision';
import { until } from '../e2e/until';

/** Runs `npm start` with a small server in n8n's place, or a small script in npm's. */

const ROOT = resolve(__dirname, '../..');
const N8N = `
const { writeFileSync } = require('node:fs');
const { createServer } = require('node:http');
createServer((_, answer) => answer.end('{}')).listen(Number(process.env.N8N_PORT), '127.0.0.1');
writeFileSync(process.env.DEMO_PIDS, JSON.stringify([process.pid]));
process.on('SIGTERM', () => setTimeout(() => process.exit(0), 700));
`;
/** Takes no SIGTERM for a while, as npm does, and has a process of its own. */
const NPM = `#!/bin/sh
trap '' TERM
sleep 600 &
echo "[$$, $!]" > "$DEMO_PIDS"
wait
`;

const onLinux = process.platform === 'linux' ? test : test.skip;
const started: ChildProcess[] = [];
let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'demo-'))));
afterEach(async () => {
	for (const child of started.splice(0)) child.kill('SIGKILL');
	await rm(folder, { recursive: true, force: true });
});

/** What stands in for n8n is installed. */
async function install(): Promise<void> {
	const modules = join(folder, 'node_modules');
	const node = join(modules, `node-${process.platform}-${process.arch}`, 'bin', 'node');
	for (const path of [join(modules, 'n8n', 'bin'), dirname(node)]) {
		await mkdir(path, { recursive: true });
	}
	await symlink(process.execPath, node);
	await writeFile(join(modules, 'n8n', 'bin', 'n8n'), N8N);
	await writeFile(join(folder, 'installed'), await stampFor(node));
}

/** Below the ports that the system gives out by itself. */
const freePort = () => String(20_000 + 10 * randomInt(1_200));

function run(port: string, path = '') {
	const PATH = [path, process.env.PATH].filter(Boolean).join(delimiter);
	const own = { N8N_E2E_DIR: folder, DEMO_PIDS: join(folder, 'pids.json'), PATH };
	const script = ['--import', 'tsx', 'test/demo/start.ts', '--port', port];
	const child = spawn(process.execPath, script, { cwd: ROOT, env: { ...process.env, ...own } });
	started.push(child);
	let said = '';
	child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
	const ended = new Promise<{ code: number | null; said: string }>((resolve) => {
		child.once('close', (code) => resolve({ code, said }));
	});
	return { child, ended, said: () => said };
}

/** Those that are still there. A zombie, whose parent has not asked for its status, is not. */
async function running(): Promise<number[]> {
	const pids: number[] = JSON.parse(await readFile(join(folder, 'pids.json'), 'utf8'));
	const stats = pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z'));
	const states = await Promise.all(stats);
	return pids.filter((_, index) => !/\) Z/.test(states[index] ?? ''));
}

const allToEnd = () => until('all to end', async () => (await running()).length === 0);

onLinux.each(['SIGINT', 'SIGKILL'] as const)(
	'a demo is left alone by a second one, and n8n does not outlive its end by %s',
	async (signal) => {
		await install();
		const port = freePort();
		const { child, said, ended } = run(port);
		await until('the demo to start', () => said().includes('Ctrl-C ends everything'));
		const again = await run(port).ended;
		expect([again.code, again.said]).toEqual([
			1,
			expect.stringContaining(`Port ${port} is in use`),
		]);
		expect(await running()).toHaveLength(1);
		child.kill(signal);
		expect((await ended).code).toBe(signal === 'SIGINT' ? 0 : null);
		await allToEnd();
	},
	120_000,
);

onLinux(
	'an install ends with the demo that has begun it',
	async () => {
		await writeFile(join(folder, 'npm'), NPM, { mode: 0o755 });
		const { child, ended } = run(freePort(), folder);
		await until('the install', () => existsSync(join(folder, 'pids.json')));
		child.kill('SIGINT');
		expect((await ended).code).toBe(0);
		await allToEnd();
	},
	120_000,
);
