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
import { introduction, waitsForVisitor } from './tries';

/**
 * The commands `npm start` and `npm run dev`: the testbed of the end-to-end tests, for people. All of
 * it ends together, however this process ends. What people made in n8n and in the sandbox is kept in
 * .n8n/demo, by port, and is there again at the next start.
 *
 *   --port <number>   the port of n8n's editor; the four ports after it are used too (default 5678)
 *   --fresh           starts over: deletes what was kept
 *   --dev             n8n loads each saved source file
 */

const ROOT = resolve(__dirname, '../..');
/** Tests name a folder of their own. */
const KEPT = process.env.N8N_DEMO_DIR ?? join(ROOT, '.n8n/demo');
/** For n8n, the sandbox, the inbox, its mail server, and the chat model. */
const PORTS = [0, 1, 2, 3, 4];
const RELOADING = { N8N_DEV_RELOAD: 'true', N8N_LOG_LEVEL: 'debug' };

/** Runs until the demo ends, with its output in this terminal. If it ends first, so does the demo. */
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
	const examples = await addExamples(testbed, model.url, waitsForVisitor);
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
		// Not only once: npm passes Ctrl-C on a second time, which must not end this halfway.
		for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) {
			process.on(name, () => resolve());
		}
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
	for (const each of PORTS.map((next) => port + next)) {
		if (await isFree(each)) continue;
		throw new Error(`Port ${each} is in use. Stop the program that uses it, which may be another demo, or use other
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
		// An installation or n8n that is still starting ends with this process.
		await testbed.close();
	}
	say('Stopped');
}

// Output to a terminal that is gone must not end this with an error.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

demo().then(
	() => process.exit(0),
	(error: unknown) => {
		say(error instanceof Error ? error.message : String(error));
		process.exit(1);
	},
);
