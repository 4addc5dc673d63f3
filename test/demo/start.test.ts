import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { stampFor } from '../e2e/provision';

/** Runs `npm start` with a small server in n8n's place, which ends as slowly and logs as much. */

const ROOT = resolve(__dirname, '../..');
const N8N = `
const { writeFileSync } = require('node:fs');
const { createServer } = require('node:http');
const { N8N_PORT, N8N_USER_FOLDER } = process.env;
createServer((_, answer) => answer.end('{}')).listen(Number(N8N_PORT), '127.0.0.1');
writeFileSync(N8N_USER_FOLDER + '/pids.json', JSON.stringify([process.pid, process.ppid]));
process.on('uncaughtException', () => undefined);
setInterval(() => console.log('n8n is at work'), 5);
process.on('SIGTERM', () => setTimeout(() => process.exit(0), 700));
`;

const onLinux = process.platform === 'linux' ? test : test.skip;
let folder: string;
const started: ChildProcess[] = [];
/** Of what stands in for n8n, and of whoever started it. */
const pids: number[] = [];

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'demo-'));
	const modules = join(folder, 'runtime', 'node_modules');
	const node = join(modules, `node-${process.platform}-${process.arch}`, 'bin', 'node');
	for (const path of [join(modules, 'n8n', 'bin'), join(modules, 'n8n-workflow'), dirname(node)]) {
		await mkdir(path, { recursive: true });
	}
	await symlink(process.execPath, node);
	await writeFile(join(modules, 'n8n', 'bin', 'n8n'), N8N);
	await writeFile(join(folder, 'runtime', 'installed'), await stampFor(node));
});

afterEach(async () => {
	for (const child of started.splice(0)) child.kill('SIGKILL');
	for (const pid of pids.splice(0)) if (await isThere(pid)) process.kill(pid, 'SIGKILL');
});

afterAll(async () => await rm(folder, { recursive: true, force: true }));

/** Ports below those that the system gives out by itself. */
function freePorts(): number {
	return 20_000 + 10 * randomInt(1_200);
}

/** A zombie, which has ended while its parent has not asked for its status, is not there. */
async function isThere(pid: number): Promise<boolean> {
	const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z');
	return !/\) Z/.test(stat);
}

function run(command: string, args: string[], inFolder = folder) {
	const env = { ...process.env, N8N_DEMO_DIR: inFolder };
	const child = spawn(command, args, { cwd: ROOT, env });
	started.push(child);
	let said = '';
	for (const stream of [child.stdout, child.stderr]) {
		stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
	}
	const ended = once(child, 'close').then(([code]: number[]) => ({ code, said }));
	return { child, ended, said: () => said };
}

async function hasStarted({ child, said }: ReturnType<typeof run>): Promise<void> {
	const until = Date.now() + 60_000;
	while (!said().includes('Ctrl-C ends everything')) {
		if (child.exitCode !== null || Date.now() > until) {
			throw new Error(`The demo does not start: ${said()}`);
		}
		await wait(50);
	}
}

type Demo = Awaited<ReturnType<typeof startDemo>>;

/** In a folder as an earlier start has left it. Notes what stands in for n8n, and its parent. */
async function startDemo(inTerminal: boolean) {
	const port = freePorts();
	const home = join(folder, `home-${port}`);
	await mkdir(home);
	await writeFile(join(home, 'demo.json'), '[]');
	const npm = ['npm', 'start', '--', '--port', String(port)];
	const running = inTerminal
		? run('script', ['-qefc', npm.join(' '), '/dev/null'])
		: run('npm', npm.slice(1));
	await hasStarted(running);
	const [n8n, demo]: number[] = JSON.parse(await readFile(join(home, 'pids.json'), 'utf8'));
	if (n8n === undefined || demo === undefined) throw new Error('No process has been noted');
	pids.push(n8n, demo);
	return { ...running, port, home, n8n, demo };
}

/** What ends it, whether in a terminal, and whether npm can wait for n8n. */
type Ending = [name: string, inTerminal: boolean, waits: boolean, end: (demo: Demo) => void];

onLinux.each<Ending>([
	['Ctrl-C', true, true, ({ child }) => child.stdin?.write('\x03')],
	['the terminal closing', true, false, ({ child }) => child.kill('SIGKILL')],
	['SIGKILL to npm', false, false, ({ child }) => child.kill('SIGKILL')],
	['SIGKILL to the demo', false, false, ({ demo }) => process.kill(demo, 'SIGKILL')],
])(
	'n8n does not outlive %s',
	async (_name, inTerminal, waits, end) => {
		const running = await startDemo(inTerminal);
		expect(await isThere(running.n8n)).toBe(true);
		end(running);
		if (waits) await running.ended;
		const until = Date.now() + (waits ? 0 : 15_000);
		while ((await isThere(running.n8n)) && Date.now() < until) await wait(50);
		expect(await isThere(running.n8n)).toBe(false);
	},
	120_000,
);

onLinux(
	'a second start beside a running one deletes nothing, and SIGTERM to npm ends the first',
	async () => {
		const running = await startDemo(false);
		const { port, home } = running;
		const again = ['start', '--', '--port', String(port), '--reset'];
		const { code, said } = await run('npm', again).ended;
		expect([code, said]).toEqual([1, expect.stringContaining(`Port ${port} is in use`)]);
		expect(existsSync(join(home, 'demo.json'))).toBe(true);

		expect(said).toMatch(/data of its own: npm start -- --port \d+\n/);
		running.child.kill('SIGTERM');
		expect((await running.ended).code).toBe(0);
	},
	120_000,
);

test('--remove deletes n8n and what demos have kept, and nothing else', async () => {
	const own = await mkdtemp(join(tmpdir(), 'demo-'));
	for (const name of ['runtime', 'home-5678', 'dev-5700', 'mutation']) await mkdir(join(own, name));
	const port = freePorts();
	const { code } = await run('npm', ['start', '--', '--remove', '--port', String(port)], own).ended;
	expect([code, await readdir(own)]).toEqual([0, ['mutation']]);
	await rm(own, { recursive: true });
}, 60_000);
