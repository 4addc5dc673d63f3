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
import { mkdir, rm, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { inspect, parseArgs } from 'node:util';

import { signalGroup, spawnBound } from '../e2e/bound';
import { startChatModel } from '../e2e/chatModel';
import { isFree, OWNER, startInstance } from '../e2e/instance';
import { installPackage, pack } from '../e2e/packed';
import { provision, run } from '../e2e/provision';
import { N8nApi } from '../e2e/n8nApi';
import type { Sandbox } from '../sandbox';
import { nodeCredentials, startSandbox } from '../sandbox';
import { standingOf } from '../sandbox/paylink';
import { addExamples, readExamples } from './examples';
import { follow } from './follow';
import type { Inbox } from './inbox';
import { startInbox } from './inbox';
import { tryOf, waitsForVisitor } from './tries';

/**
 * The commands `npm start` and `npm run dev`: a real n8n with the package, the gateway's sandbox
 * and an inbox. All of it ends together, however this process ends.
 */

const ROOT = resolve(__dirname, '../..');
/** Where n8n and the demo's data are; tests have a folder of their own. */
const FOLDER = process.env.N8N_DEMO_DIR ?? join(ROOT, '.n8n');
const RUNTIME = join(FOLDER, 'runtime');
const DEFAULT_PORT = 5678;
/** n8n, its task runner, the sandbox, the inbox's page and mail server, and the agent's chat model. */
const PORTS = [0, 1, 2, 3, 4, 5] as const;

const usage = `Usage: npm start -- [--port <number>] [--reset] [--inspect]
       npm start -- --remove
       npm run dev -- [--port <number>] [--reset] [--inspect]

Starts a real n8n with this package, a sandbox of the gateway, and an inbox for emails and alerts.
As "npm run dev", with data of its own, each save builds the package and n8n loads it again.

  --port <number>   where the editor is; the ${PORTS.length - 1} ports after it are used too (default ${DEFAULT_PORT}).
                    Each port has data of its own. A browser is logged in to one of them at a time:
                    open the second in a private window
  --reset           forget workflows, executions, customers, payments and emails of earlier starts
  --remove          delete n8n and the data of all demos (about 3 GB), and start nothing
  --inspect         let a debugger attach to n8n, at Node's usual port 9229
  --help            print this`;

const RELOADING = { N8N_DEV_RELOAD: 'true', N8N_LOG_LEVEL: 'debug' };

/** An error that the user can do something about; it is shown without a stack. */
class Refused extends Error {}

function log(line: string): void {
	process.stdout.write(`${line}\n`);
}

const flag = { type: 'boolean', default: false } as const;
const port = { type: 'string', default: String(DEFAULT_PORT) } as const;

type Options = ReturnType<typeof readOptions>;

function readOptions() {
	const options = { port, reset: flag, remove: flag, inspect: flag, dev: flag, help: flag };
	let values;
	try {
		({ values } = parseArgs({ options }));
	} catch (error) {
		throw new Refused(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
	}
	if (values.help) {
		log(usage);
		process.exit(0);
	}
	const number = Number(values.port);
	const most = 65_536 - PORTS.length;
	if (!Number.isInteger(number) || number < 1024 || number > most) {
		const range = `a number from 1024 to ${most}`;
		throw new Refused(`--port must be ${range}, not "${values.port}"\n\n${usage}`);
	}
	return { ...values, port: number, isDev: values.dev };
}

/** As it is typed, so that it can be copied. */
function command({ port, isDev }: Options, ...more: string[]): string {
	const given = port === DEFAULT_PORT ? more : ['--port', String(port), ...more];
	const start = isDev ? 'npm run dev' : 'npm start';
	return given.length > 0 ? [start, '--', ...given].join(' ') : start;
}

/** The first of the demo's ports that is in use. */
async function taken(from: number): Promise<number | undefined> {
	for (const port of PORTS.map((each) => from + each)) {
		if (!(await isFree(port))) return port;
	}
	return undefined;
}

async function requireFree(options: Options): Promise<void> {
	const inUse = await taken(options.port);
	if (inUse === undefined) return;
	let port = options.port < 60_000 ? options.port : DEFAULT_PORT;
	do port += 100;
	while ((await taken(port)) !== undefined);
	throw new Refused(`Port ${inUse} is in use, perhaps by a demo that runs already. Nothing was changed. Either
  - end it with Ctrl-C in its own terminal, and start again, or
  - start a second demo beside it, with data of its own: ${command({ ...options, port })}
    (open it in a private window: a browser is logged in to one of them at a time)`);
}

function newest(path: string): number {
	const stat = statSync(path);
	if (!stat.isDirectory()) return stat.mtimeMs;
	const entries = readdirSync(path, { recursive: true, encoding: 'utf8' });
	return Math.max(...entries.map((entry) => statSync(join(path, entry)).mtimeMs));
}

async function build(signal: AbortSignal): Promise<void> {
	const sources = ['nodes', 'credentials', 'icons', 'package.json', 'tsconfig.json'];
	const built = join(ROOT, 'dist');
	const since = existsSync(built) ? newest(built) : 0;
	if (sources.every((source) => newest(join(ROOT, source)) < since)) return;
	log('Building the package: usually 10 s');
	await run('npm', ['run', 'build'], { cwd: ROOT, signal });
}

/**
 * The demo's folder is below this repository, so the package would find the n8n-workflow of the
 * tests. n8n does not recognise the error classes of that copy, so a link leads to n8n's own first.
 */
async function shareWorkflowPackage(): Promise<void> {
	const link = join(FOLDER, 'node_modules', 'n8n-workflow');
	if (lstatSync(link, { throwIfNoEntry: false }) !== undefined) return;
	await mkdir(dirname(link), { recursive: true });
	await symlink(join(RUNTIME, 'node_modules', 'n8n-workflow'), link, 'junction');
}

type End = () => Promise<void> | void;

/** A tool that goes on until the demo ends, and ends it; with its words in this terminal. */
function startTool(command: string, ending: AbortController, env: NodeJS.ProcessEnv = {}): End {
	const [script = '', ...args] = command.split(' ');
	const tool = spawnBound(process.execPath, [join(ROOT, 'node_modules', script), ...args], {
		cwd: ROOT,
		env: { ...process.env, ...env },
		output: 'inherit',
	});
	tool.once('exit', (code) => ending.abort(new Refused(`${script} has ended with ${code}`)));
	return () => signalGroup(tool, 'SIGKILL');
}

/** Customers, payments and emails outlive a restart, as at the real service. */
function keep(file: string, kept: () => string): End {
	let last = '';
	const save = () => {
		const now = kept();
		if (now === last) return;
		// In one step: a kill in the middle of writing would leave half a file.
		writeFileSync(`${file}.new`, now);
		renameSync(`${file}.new`, file);
		last = now;
	};
	const timer = setInterval(save, 1_000);
	return () => {
		clearInterval(timer);
		save();
	};
}

function readKept(file: string): { kept?: string } {
	return existsSync(file) ? { kept: readFileSync(file, 'utf8') } : {};
}

type Surroundings = Parameters<typeof addExamples>[1];

/** The IDs of the example workflows by their names, kept beside n8n's own data. */
async function seed(url: string, file: string, around: Surroundings): Promise<Map<string, string>> {
	if (existsSync(file)) return new Map(JSON.parse(readFileSync(file, 'utf8')));
	log('Adding credentials and example workflows');
	const api = await N8nApi.logIn(url);
	const waiting = readExamples(around.inbox.url).filter(waitsForVisitor);
	const ids = new Map<string, string>();
	for (const { id, name } of await addExamples(api, around)) {
		ids.set(name, id);
		if (waiting.some((example) => example.name === name)) await api.activate(id);
	}
	writeFileSync(file, JSON.stringify([...ids]));
	return ids;
}

function introduce(url: string, ids: Map<string, string>, sandbox: Sandbox, inbox: Inbox): void {
	const open = sandbox.paylinks.filter((paylink) => standingOf(paylink, sandbox) === 'open');
	const withEmail = open.filter(({ form }) => form.prefilledAddress?.email);
	const [first] = withEmail.concat(open);
	const [other] = open.filter((paylink) => !withEmail.includes(paylink)).concat(open);
	const { baseUrl, groupId, headerToken, privateToken } = nodeCredentials(sandbox);
	const [toDecline, toPay] = [first?.url ?? sandbox.url, other?.url ?? sandbox.url];
	const place = { n8n: url, toDecline, toPay };
	log(`
Workflows  ${url}/home/workflows
Login      ${OWNER.email}
Password   ${OWNER.password}
Sandbox    ${sandbox.url}  (payment pages; no money moves)
Inbox      ${inbox.url}  (the emails and alerts that the workflows send)
Credential Base URL ${baseUrl}, Group ID ${groupId}, Header Token ${headerToken}, Private Token ${privateToken}
           (the workflows have it already; to make one yourself, as in the README)

What to try, and where to look then. A double click on a node shows what it brought. 3, 6 and 10
wait for payments all the time, so the inbox can hold more than one alert about the same payment.`);
	for (const example of readExamples(inbox.url)) {
		const id = ids.get(example.name);
		if (id === undefined) continue;
		const { start = 'Read its notes', look = '' } = tryOf(example, place) ?? {};
		log(`\n${example.name}  ${url}/workflow/${id}\n   ${start}; ${look}`);
	}
}

/** Starts all of it. `closing` ends what has been started, the last first. */
async function start(options: Options, closing: End[], ending: AbortController): Promise<void> {
	const { port, reset, isDev } = options;
	const { signal } = ending;
	const home = join(FOLDER, `${isDev ? 'dev' : 'home'}-${port}`);
	await mkdir(FOLDER, { recursive: true });
	await requireFree(options);
	if (reset) await rm(home, { recursive: true, force: true });
	await mkdir(home, { recursive: true });

	// At once, so that its port is taken when another demo starts while this one installs n8n.
	const inboxFile = join(home, 'inbox.json');
	const inbox = await startInbox({ web: port + 3, smtp: port + 4, ...readKept(inboxFile) });
	closing.push(async () => await inbox.close(), keep(inboxFile, inbox.kept));
	await build(signal);
	const n8n = await provision(RUNTIME, log, signal);
	await shareWorkflowPackage();
	const installed = await installPackage(await pack(join(FOLDER, 'tarball')), home);
	const model = await startChatModel(port + 5);
	closing.push(async () => await model.close());
	const sandboxFile = join(home, 'sandbox.json');
	const sandbox = await startSandbox({ port: port + 2, seed: true, ...readKept(sandboxFile) });
	closing.push(
		async () => await sandbox.close(),
		keep(sandboxFile, () => sandbox.kept()),
	);

	signal.throwIfAborted();
	const logFile = join(home, 'n8n.log');
	closing.push(
		follow(logFile, (line) => {
			if (/Hot reload|Debugger listening/.test(line)) log(line);
		}),
	);
	const instance = await startInstance({
		n8n,
		userFolder: home,
		port,
		log,
		nodeOptions: options.inspect ? ['--inspect'] : [],
		env: {
			N8N_RUNNERS_BROKER_PORT: String(port + 1),
			// Seconds that n8n waits for executions under way when it is told to end.
			N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '5',
			...(isDev ? RELOADING : {}),
		},
		signal,
	});
	closing.push(async () => await instance.stop());
	const around = { sandbox, inbox, model: model.url };
	const ids = await seed(instance.url, join(home, 'demo.json'), around);
	signal.throwIfAborted();
	introduce(instance.url, ids, sandbox, inbox);
	log(`
Ctrl-C ends everything. What you did is kept for the next "${command(options)}";
"${command(options, '--reset')}" forgets it, and "npm start -- --remove" deletes n8n as well (3 GB). n8n's log: ${logFile}`);
	if (!isDev) return;
	log('Each save in nodes/ or credentials/ is loaded, and its types are checked.\n');
	closing.push(
		startTool('gulp/bin/gulp.js watch', ending, { PACKAGE_FOLDER: installed }),
		startTool('typescript/bin/tsc --watch --preserveWatchOutput', ending),
	);
}

/** What the demos have made, and nothing else that may stand in the folder. */
const MADE = /^(?:runtime|tarball|node_modules|(?:home|dev)-\d+)$/;

/** Nothing is deleted below a demo that runs. */
async function remove(options: Options): Promise<void> {
	await requireFree(options);
	const made = existsSync(FOLDER) ? readdirSync(FOLDER).filter((name) => MADE.test(name)) : [];
	for (const name of made) await rm(join(FOLDER, name), { recursive: true, force: true });
	log(`Deleted n8n and the data of all demos from ${FOLDER}`);
}

async function main(): Promise<void> {
	const closing: End[] = [];
	const ending = new AbortController();
	const { signal } = ending;
	// Not only once: npm passes Ctrl-C on a second time, which must not end this halfway.
	for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) {
		process.on(name, () => ending.abort());
	}
	const parent = process.ppid;
	setInterval(() => {
		if (process.ppid !== parent) ending.abort();
	}, 500).unref();
	// Output to a terminal that is gone must not end this with an error.
	for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

	let status = 0;
	try {
		const options = readOptions();
		if (options.remove) {
			await remove(options);
			process.exit(0);
		}
		await start(options, closing, ending);
		if (!signal.aborted) await once(signal, 'abort');
		log('\nEnding n8n, the sandbox and the inbox');
		signal.throwIfAborted();
	} catch (error) {
		if (Object(error).name !== 'AbortError') {
			status = 1;
			process.stderr.write(`${error instanceof Refused ? error.message : inspect(error)}\n`);
		}
	}
	for (const end of closing.reverse()) await end();
	process.exit(status);
}

void main();
