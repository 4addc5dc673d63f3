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
import { inspect } from 'node:util';

import { signalGroup, spawnBound } from '../e2e/bound';
import { startChatModel } from '../e2e/chatModel';
import { startInstance } from '../e2e/instance';
import { N8nApi } from '../e2e/n8nApi';
import { installPackage, pack } from '../e2e/packed';
import { provision, runBound } from '../e2e/provision';
import { startSandbox } from '../sandbox';
import { command, type Options, readOptions, UserError } from './commandLine';
import { addExamples, type Surroundings } from './examples';
import { startInbox } from './inbox';
import { introduction, waitsForVisitor } from './tries';
import { remove, requireFree } from './underWay';

/**
 * The commands `npm start` and `npm run dev`: a real n8n with the package, the gateway's sandbox
 * and an inbox. All of it ends together, however this process ends.
 */

const ROOT = resolve(__dirname, '../..');
/** Where n8n and the demo's data are; tests have a folder of their own. */
const FOLDER = process.env.N8N_DEMO_DIR ?? join(ROOT, '.n8n');
const RUNTIME = join(FOLDER, 'runtime');
const RELOADING = { N8N_DEV_RELOAD: 'true', N8N_LOG_LEVEL: 'debug' };

function log(line: string): void {
	process.stdout.write(`${line}\n`);
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
	await runBound('npm', ['run', '--silent', 'build'], { cwd: ROOT, signal });
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
	tool.once('exit', (code) => ending.abort(new UserError(`${script} has ended with ${code}`)));
	return () => signalGroup(tool, 'SIGKILL');
}

/** Customers, payments and emails outlive a restart, as at the real gateway. */
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

/** The IDs of the example workflows by their names, kept beside n8n's own data. */
async function seed(url: string, file: string, around: Surroundings): Promise<Map<string, string>> {
	if (existsSync(file)) return new Map(JSON.parse(readFileSync(file, 'utf8')));
	log('Adding credentials and example workflows');
	const added = await addExamples(await N8nApi.logIn(url), around, waitsForVisitor);
	const ids = new Map(added.map(({ id, name }) => [name, id]));
	writeFileSync(file, JSON.stringify([...ids]));
	return ids;
}

/** Starts all of it. `closing` ends what has been started, the last first. */
async function start(options: Options, closing: End[], ending: AbortController): Promise<void> {
	const { port, reset, isDev } = options;
	const { signal } = ending;
	const home = join(FOLDER, `${isDev ? 'dev' : 'home'}-${port}`);
	await requireFree(FOLDER, options);
	if (reset) await rm(home, { recursive: true, force: true });
	await mkdir(home, { recursive: true });

	// At once, so that another start sees this one while it installs n8n.
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
	const instance = await startInstance({
		n8n,
		userFolder: home,
		port,
		log,
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
	inbox.isRunning();
	log(introduction(instance.url, ids, sandbox, inbox.url));
	log(`
Ctrl-C ends everything. What you did is kept for the next "${command(options)}";
"${command(options, '--reset')}" forgets it, and "npm start -- --remove" deletes n8n as well (3 GB).
n8n's log: ${instance.logFile}`);
	if (!isDev) return;
	log('Each save in nodes/ or credentials/ is loaded, and its types are checked.\n');
	closing.push(
		startTool('gulp/bin/gulp.js watch', ending, { PACKAGE_FOLDER: installed }),
		startTool('typescript/bin/tsc --watch --preserveWatchOutput', ending),
	);
}

async function main(): Promise<void> {
	const closing: End[] = [];
	const ending = new AbortController();
	const { signal } = ending;
	signal.addEventListener('abort', () => log('\nStopping'));
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
			await remove(FOLDER, log);
			process.exit(0);
		}
		await start(options, closing, ending);
		if (!signal.aborted) await once(signal, 'abort');
		signal.throwIfAborted();
	} catch (error) {
		if (Object(error).name !== 'AbortError') {
			status = 1;
			process.stderr.write(`${error instanceof UserError ? error.message : inspect(error)}\n`);
		}
	}
	for (const end of closing.reverse()) await end();
	if (signal.aborted) log('Stopped: nothing is left running');
	process.exit(status);
}

void main();
