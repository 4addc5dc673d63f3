import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { stampFor } from '../e2e/provision';

/** Runs `npm start` with a small server in n8n's place, or a small script in npm's. */

const ROOT = resolve(__dirname, '../..');
const N8N = `
const { writeFileSync } = require('node:fs');
const { createServer } = require('node:http');
const { N8N_PORT, N8N_USER_FOLDER } = process.env;
createServer((_, answer) => answer.end('{}')).listen(Number(N8N_PORT), '127.0.0.1');
writeFileSync(N8N_USER_FOLDER + '/pids.json', JSON.stringify([process.pid, process.ppid]));
process.on('SIGTERM', () => setTimeout(() => process.exit(0), 700));
`;
/** Takes no SIGTERM for a while, as npm does, and has a process of its own. */
const NPM = `#!/bin/sh
trap '' TERM
sleep 600 &
echo "[$$, $!]" > "$N8N_DEMO_DIR/pids.json"
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
	const modules = join(folder, 'runtime', 'node_modules');
	const node = join(modules, `node-${process.platform}-${process.arch}`, 'bin', 'node');
	for (const path of [join(modules, 'n8n', 'bin'), join(modules, 'n8n-workflow'), dirname(node)]) {
		await mkdir(path, { recursive: true });
	}
	await symlink(process.execPath, node);
	await writeFile(join(modules, 'n8n', 'bin', 'n8n'), N8N);
	await writeFile(join(folder, 'runtime', 'installed'), await stampFor(node));
}

/** Below the ports that the system gives out by itself. */
const freePorts = () => 20_000 + 10 * randomInt(1_200);

function run(args: string[], path = '') {
	const PATH = [path, process.env.PATH].filter(Boolean).join(delimiter);
	const env = { ...process.env, N8N_DEMO_DIR: folder, PATH };
	const script = ['--import', 'tsx', 'test/demo/start.ts', ...args];
	const child = spawn(process.execPath, script, { cwd: ROOT, env });
	started.push(child);
	let said = '';
	for (const stream of [child.stdout, child.stderr]) {
		stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
	}
	const ended = new Promise<{ code: number | null; said: string }>((resolve) => {
		child.once('close', (code) => resolve({ code, said }));
	});
	return { child, ended, said: () => said };
}

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
	for (const end = Date.now() + 60_000; !(await isSo()); await wait(50)) {
		if (Date.now() > end) throw new Error(`Not in time: ${what}`);
	}
}

/** A zombie, which has ended while its parent has not asked for its status, is not there. */
async function isThere(pid: number): Promise<boolean> {
	const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z');
	return !/\) Z/.test(stat);
}

/** A demo on its own port, in a folder as an earlier start has left it. */
async function startDemo() {
	await install();
	const port = freePorts();
	const home = join(folder, `home-${port}`);
	await mkdir(home);
	await writeFile(join(home, 'demo.json'), '[]');
	const running = run(['--port', String(port)]);
	await until('the demo to start', () => running.said().includes('Ctrl-C ends everything'));
	const [n8n = 0]: number[] = JSON.parse(await readFile(join(home, 'pids.json'), 'utf8'));
	return { ...running, port, home, n8n };
}

onLinux.each(['SIGINT', 'SIGKILL'] as const)(
	'n8n does not outlive a demo that ends by %s',
	async (signal) => {
		const { child, n8n } = await startDemo();
		expect(await isThere(n8n)).toBe(true);
		child.kill(signal);
		await until('n8n to end', async () => !(await isThere(n8n)));
	},
	120_000,
);

onLinux(
	'a second start, and --remove, leave a running demo alone',
	async () => {
		const { port, home, child, ended } = await startDemo();
		const again = await run(['--port', String(port), '--reset']).ended;
		expect([again.code, again.said]).toEqual([1, expect.stringContaining('running already')]);
		expect(again.said).toMatch(/data of its own: npm start -- --port \d+\n/);
		expect((await run(['--remove']).ended).code).toBe(1);
		expect(existsSync(join(home, 'demo.json'))).toBe(true);
		child.kill('SIGTERM');
		expect(await ended).toMatchObject({ code: 0, said: expect.stringContaining('Stopped') });
	},
	120_000,
);

onLinux(
	'an install is noticed by a second start, and ends with the first',
	async () => {
		await writeFile(join(folder, 'npm'), NPM, { mode: 0o755 });
		const first = run(['--port', String(freePorts())], folder);
		await until('the install', () => existsSync(join(folder, 'pids.json')));
		const { code, said } = await run(['--port', String(freePorts())], folder).ended;
		expect([code, said]).toEqual([1, expect.stringContaining('is installing n8n at the moment')]);
		first.child.kill('SIGINT');
		expect((await first.ended).code).toBe(0);
		const pids: number[] = JSON.parse(await readFile(join(folder, 'pids.json'), 'utf8'));
		expect(await Promise.all(pids.map(isThere))).toEqual([false, false]);
	},
	120_000,
);

test('--remove deletes n8n and what demos have kept, and nothing else', async () => {
	const made = ['runtime', 'home-5678', 'dev-5700'];
	for (const name of [...made, 'mutation']) await mkdir(join(folder, name));
	const { code, said } = await run(['--remove']).ended;
	expect([code, await readdir(folder)]).toEqual([0, ['mutation']]);
	for (const name of made) expect(said).toContain(`Deleting ${join(folder, name)}`);
}, 60_000);
