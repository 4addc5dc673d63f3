import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { spawnWatched } from '../e2e/watchedProcess';
import { startChatModel } from '../e2e/chatModel';
import { isFree } from '../e2e/instance';
import { say, Testbed } from '../e2e/testbed';
import { addExamples } from './examples';
import { activeInDemo, introduction } from './tries';

/**
 * The commands `npm start` and `npm run dev`: the testbed of the end-to-end tests, for people. All
 * processes end with this one, even if it is killed. The data of n8n and the sandbox is kept in
 * .n8n/demo, by port, and the next start continues with it.
 *
 *   --port <number>   the port of n8n's editor; the four ports after it are used too (default 5678)
 *   --fresh           starts over: deletes the kept data
 *   --dev             n8n loads each saved source file
 */

const ROOT = resolve(__dirname, '../..');
/** Tests set their own folder. */
const KEPT = process.env.N8N_DEMO_DIR ?? join(ROOT, '.n8n/demo');
/** For n8n, the sandbox, the inbox, its mail server, and the chat model. */
const PORT_OFFSETS = [0, 1, 2, 3, 4];
const RELOADING = { N8N_DEV_RELOAD: 'true', N8N_LOG_LEVEL: 'debug' };

/** Runs a tool in this terminal until the demo ends. If the tool ends first, it ends the demo. */
async function runTool(script: string, args: string[], env: NodeJS.ProcessEnv = {}) {
	const tool = spawnWatched(process.execPath, [join(ROOT, 'node_modules', script), ...args], {
		cwd: ROOT,
		env: { ...process.env, ...env },
		output: 'inherit',
	});
	const [code] = await once(tool, 'exit');
	throw new Error(`${script} stopped with exit code ${code}`);
}

async function start(testbed: Testbed, port: number, isDev: boolean): Promise<void> {
	await testbed.start();
	const model = await startChatModel(port + 4);
	const examples = await addExamples(testbed, model.url, activeInDemo);
	say(introduction(testbed, examples));
	say(`
Press Ctrl-C to stop. Your workflows, credentials and executions are kept in this folder (.n8n/demo):
the next "npm start" continues with them, and "npm start -- --fresh" starts over.
n8n's log: ${testbed.instance.logFile}`);
	if (!isDev) return;
	say(
		'Each saved file in nodes/ and credentials/ is loaded into n8n, and its types are checked.\n',
	);
	await Promise.all([
		runTool('gulp/bin/gulp.js', ['watch'], { PACKAGE_FOLDER: testbed.installed }),
		runTool('typescript/bin/tsc', ['--watch', '--preserveWatchOutput']),
	]);
}

async function stopRequested(): Promise<void> {
	await new Promise<void>((resolve) => {
		// `on`, not `once`: npm sends Ctrl-C a second time, which must not end this process halfway.
		for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) {
			process.on(name, () => resolve());
		}
		// A killed parent sends no signal.
		const parent = process.ppid;
		setInterval(() => process.ppid === parent || resolve(), 500).unref();
	});
	say('\nStopping');
}

async function demo(): Promise<void> {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '5678' },
			fresh: { type: 'boolean', default: false },
			dev: { type: 'boolean', default: false },
		},
	});
	const port = Number(values.port);
	for (const offset of PORT_OFFSETS) {
		if (await isFree(port + offset)) continue;
		throw new Error(`Port ${port + offset} is in use. Stop the program that uses it, which may be another demo, or use other
ports: npm start -- --port ${port + 100}`);
	}
	const folder = join(KEPT, String(port));
	if (values.fresh) await rm(folder, { recursive: true, force: true });
	else if (existsSync(folder)) say('Continuing with what you made before');
	const testbed = new Testbed({ port, folder, env: values.dev ? RELOADING : {} });
	const end = stopRequested();
	try {
		await Promise.race([start(testbed, port, values.dev), end]);
		await end;
	} finally {
		// An unfinished installation, or an n8n that is still starting, ends with this process.
		await testbed.close();
	}
	say('Stopped');
}

// Output to a closed terminal must not end this process with an error.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

demo().then(
	() => process.exit(0),
	(error: unknown) => {
		say(error instanceof Error ? error.message : String(error));
		process.exit(1);
	},
);
