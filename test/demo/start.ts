import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { once } from 'node:events';
import {
	existsSync,
	lstatSync,
	readdirSync,
	readFileSync,
	renameSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { mkdir, rm, statfs, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import type { ChatModel } from '../e2e/chatModel';
import { startChatModel } from '../e2e/chatModel';
import { OWNER, startInstance } from '../e2e/instance';
import type { Instance } from '../e2e/instance';
import { installPackage, pack } from '../e2e/packed';
import { provision, run } from '../e2e/provision';
import { Session } from '../e2e/session';
import type { Sandbox } from '../sandbox';
import { startSandbox } from '../sandbox';
import { addExamples } from './examples';
import type { Inbox } from './inbox';
import { startInbox } from './inbox';

/** A real n8n with the package, the service's sandbox and an inbox: all that a newcomer has not. */

const ROOT = resolve(__dirname, '../..');
const FOLDER = join(ROOT, '.n8n');
const RUNTIME = join(FOLDER, 'runtime');
/** Whoever develops has an n8n of their own; `npm start` stays as it was left. */
const IS_DEV = process.argv.includes('--dev');
const COMMAND = IS_DEV ? 'npm run dev' : 'npm start';
const HOME = join(FOLDER, IS_DEV ? 'dev' : 'home');
const SEEDED = join(HOME, 'demo.json');
const SANDBOX = join(HOME, 'sandbox.json');
const DEFAULT_PORT = 5678;
const NEEDED_BYTES = 5_000_000_000;
/** What starts by itself once the demo runs. */
const ACTIVE = ['1. Email a paylink', '3. Alert on failed payments'];

const usage = `Usage: npm start -- [--port <number>] [--reset] [--inspect]
       npm run dev -- [--port <number>] [--reset] [--inspect]

Starts a real n8n with this package, a sandbox of the service, and an inbox for emails and alerts.
As "npm run dev", in a folder of its own, each save builds the package and n8n loads it again.

  --port <number>   where the editor is; the five ports after it are used too (default ${DEFAULT_PORT})
  --reset           forget workflows, executions, customers and payments of earlier starts
  --inspect         let a debugger attach to n8n, at Node's usual port 9229
  --help            print this`;

const RELOADING = { N8N_DEV_RELOAD: 'true', N8N_LOG_LEVEL: 'debug' };

/** Said as it is, without a stack: it is the user who can mend it. */
class Refused extends Error {}

function log(line: string): void {
	process.stdout.write(`${line}\n`);
}

interface Options {
	port: number | undefined;
	reset: boolean;
	inspect: boolean;
}

function readOptions(): Options {
	let values;
	try {
		({ values } = parseArgs({
			options: {
				port: { type: 'string' },
				reset: { type: 'boolean', default: false },
				inspect: { type: 'boolean', default: false },
				dev: { type: 'boolean', default: false },
				help: { type: 'boolean', default: false },
			},
		}));
	} catch (error) {
		throw new Refused(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
	}
	if (values.help) {
		log(usage);
		process.exit(0);
	}
	const port = values.port === undefined ? undefined : Number(values.port);
	if (port !== undefined && !(Number.isInteger(port) && port >= 1024 && port <= 65_530)) {
		throw new Refused(
			`--port must be a number from 1024 to 65530, not "${values.port}"\n\n${usage}`,
		);
	}
	return { port, reset: values.reset ?? false, inspect: values.inspect ?? false };
}

function seededPort(): number | undefined {
	if (!existsSync(SEEDED)) return undefined;
	const { port }: { port?: unknown } = JSON.parse(readFileSync(SEEDED, 'utf8'));
	return typeof port === 'number' ? port : undefined;
}

async function requireFree(port: number): Promise<void> {
	for (const each of [0, 1, 2, 3, 4, 5].map((next) => port + next)) {
		const server = createServer();
		server.listen(each, '127.0.0.1');
		try {
			await once(server, 'listening');
		} catch {
			throw new Refused(
				`Port ${each} is in use. End what uses it, or choose others: ${COMMAND} -- --port ${port + 100}`,
			);
		}
		server.close();
		await once(server, 'close');
	}
}

async function requireSpace(): Promise<void> {
	if (existsSync(join(RUNTIME, 'installed'))) return;
	const { bavail, bsize } = await statfs(FOLDER);
	if (bavail * bsize < NEEDED_BYTES) {
		const free = (bavail * bsize) / 1e9;
		throw new Refused(`n8n takes about 4 GB, and only ${free.toFixed(1)} GB are free here`);
	}
}

function newest(path: string): number {
	const stat = statSync(path);
	if (!stat.isDirectory()) return stat.mtimeMs;
	const entries = readdirSync(path, { recursive: true, encoding: 'utf8' });
	return Math.max(...entries.map((entry) => statSync(join(path, entry)).mtimeMs));
}

async function build(): Promise<void> {
	const sources = ['nodes', 'credentials', 'icons', 'package.json', 'tsconfig.json'];
	const built = join(ROOT, 'dist');
	const since = existsSync(built) ? newest(built) : 0;
	if (sources.every((source) => newest(join(ROOT, source)) < since)) return;
	log('Building the package: usually 10 s');
	await run('npm', ['run', 'build'], { cwd: ROOT });
}

/**
 * Below this repository the package would find the n8n-workflow of the tests, whose errors are none
 * to n8n: its classes are others. Elsewhere there is none but n8n's, so it is put in the way here.
 */
async function shareWorkflowPackage(): Promise<void> {
	const link = join(FOLDER, 'node_modules', 'n8n-workflow');
	if (lstatSync(link, { throwIfNoEntry: false }) !== undefined) return;
	await mkdir(dirname(link), { recursive: true });
	await symlink(join(RUNTIME, 'node_modules', 'n8n-workflow'), link, 'junction');
}

/** Builds into the package that n8n watches, on each save, until it is told to end. */
function buildOnSave(installed: string, ended: (code: number | null) => void): () => void {
	const gulp = join(ROOT, 'node_modules', 'gulp', 'bin', 'gulp.js');
	const child = spawn(process.execPath, [gulp, 'watch'], {
		cwd: ROOT,
		env: { ...process.env, PACKAGE_FOLDER: installed },
		stdio: ['ignore', 'inherit', 'inherit'],
	});
	const end = () => {
		child.off('exit', ended);
		child.kill();
	};
	child.once('exit', ended);
	process.once('exit', end);
	return end;
}

/** Customers and payments outlive a restart, as at the real service. */
function keep(sandbox: Sandbox): () => void {
	let last = '';
	const save = () => {
		const kept = sandbox.kept();
		if (kept === last) return;
		// In one step: a kill in the middle of writing would leave half a file.
		writeFileSync(`${SANDBOX}.new`, kept);
		renameSync(`${SANDBOX}.new`, SANDBOX);
		last = kept;
	};
	const timer = setInterval(save, 1_000);
	return () => {
		clearInterval(timer);
		save();
	};
}

async function seed(
	instance: Instance,
	sandbox: Sandbox,
	inbox: Inbox,
	model: ChatModel,
	port: number,
) {
	log('Adding credentials and example workflows');
	const session = await Session.open(instance.url);
	const surroundings = { sandbox, inbox, smtp: port + 4, model: model.url };
	const workflows = await addExamples(session, surroundings);
	for (const { id, name } of workflows) if (ACTIVE.includes(name)) await session.activate(id);
	writeFileSync(SEEDED, JSON.stringify({ port }));
}

function introduce(instance: Instance, sandbox: Sandbox, inbox: Inbox): void {
	const open = sandbox.paylinks.find(({ status }) => status === 'open');
	log(`
n8n      ${instance.url}
Login    ${OWNER.email}
Password ${OWNER.password}

Sandbox  ${sandbox.url}  (no money moves)
Inbox    ${inbox.url}  (emails and alerts of the examples)

Three things to try
  1. Email a paylink: fill in ${instance.url}/form/email-a-paylink and look into the inbox.
  2. Make a payment fail: open ${open?.url ?? sandbox.url} and press "Decline"; within a minute the
     alert is in the inbox.
  3. Open "5. Charge a cart safely" in the editor and press "Execute workflow".

Ctrl-C ends everything. What you did is kept; ${COMMAND} -- --reset forgets it.`);
	if (IS_DEV)
		log(`Each save in nodes/ or credentials/ is loaded. n8n's log: ${instance.logFile}\n`);
}

async function main(): Promise<void> {
	const closing: Array<() => Promise<void> | void> = [];
	let isClosing = false;
	const close = async (status: number) => {
		if (isClosing) return;
		isClosing = true;
		for (const end of closing.reverse()) await end();
		process.exit(status);
	};
	for (const signal of ['SIGINT', 'SIGTERM'] as const) {
		process.once(signal, () => {
			log('\nEnding n8n, the sandbox and the inbox');
			void close(0);
		});
	}
	try {
		const { port: wanted, reset, inspect } = readOptions();
		await mkdir(FOLDER, { recursive: true });
		if (reset) await rm(HOME, { recursive: true, force: true });
		const before = seededPort();
		const port = wanted ?? before ?? DEFAULT_PORT;
		if (before !== undefined && before !== port) {
			throw new Refused(
				`What is kept was made for port ${before}. Start without --port, or add --reset to begin anew.`,
			);
		}
		await requireFree(port);
		await requireSpace();
		await build();
		const n8n = await provision(RUNTIME, log);
		await mkdir(HOME, { recursive: true });
		await shareWorkflowPackage();
		const installed = await installPackage(await pack(join(FOLDER, 'tarball')), HOME);

		const kept = existsSync(SANDBOX) ? { kept: readFileSync(SANDBOX, 'utf8') } : {};
		const sandbox = await startSandbox({ port: port + 2, seed: true, ...kept });
		closing.push(async () => await sandbox.close(), keep(sandbox));
		const inbox = await startInbox({ web: port + 3, smtp: port + 4 });
		closing.push(async () => await inbox.close());
		const model = await startChatModel(port + 5);
		closing.push(async () => await model.close());
		const instance = await startInstance({
			n8n,
			userFolder: HOME,
			port,
			log,
			nodeOptions: inspect ? ['--inspect'] : [],
			env: { N8N_RUNNERS_BROKER_PORT: String(port + 1), ...(IS_DEV ? RELOADING : {}) },
			onOutput: (text) => {
				if (/Hot reload|Debugger listening/.test(text)) process.stdout.write(text);
			},
		});
		closing.push(async () => await instance.stop());
		if (seededPort() === undefined) await seed(instance, sandbox, inbox, model, port);
		introduce(instance, sandbox, inbox);
		if (IS_DEV) {
			const end = buildOnSave(installed, (code) => {
				process.stderr.write(`The build has ended with ${code}\n`);
				void close(1);
			});
			closing.push(end);
		}
	} catch (error) {
		if (isClosing) return;
		const words =
			error instanceof Refused
				? error.message
				: error instanceof Error
					? error.stack
					: String(error);
		process.stderr.write(`${words}\n`);
		await close(1);
	}
}

void main();
