import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { spawnBound } from '../e2e/bound';
import { startChatModel } from '../e2e/chatModel';
import { isFree } from '../e2e/instance';
import { say, Testbed } from '../e2e/testbed';
import { addExamples } from './examples';
import { introduction, waitsForVisitor } from './tries';

/**
 * The commands `npm start` and `npm run dev`: the testbed of the end-to-end tests, for people. All of
 * it ends together, however this process ends, and nothing of it is kept but the installed n8n.
 *
 *   --port <number>   where the editor is; the two ports after it are used too (default 5678)
 *   --dev             n8n loads each save anew
 */

const ROOT = resolve(__dirname, '../..');
const RELOADING = { N8N_DEV_RELOAD: 'true', N8N_LOG_LEVEL: 'debug' };

/** Goes on until the demo ends, and ends it; with its words in this terminal. */
async function runTool(script: string, args: string[], env: NodeJS.ProcessEnv = {}) {
	const tool = spawnBound(process.execPath, [join(ROOT, 'node_modules', script), ...args], {
		cwd: ROOT,
		env: { ...process.env, ...env },
		output: 'inherit',
	});
	const [code] = await once(tool, 'exit');
	throw new Error(`${script} has ended with ${code}`);
}

async function start(testbed: Testbed, isDev: boolean): Promise<void> {
	await testbed.start();
	say('Adding the example workflows');
	const model = await startChatModel();
	const examples = await addExamples(testbed, model.url, waitsForVisitor);
	say(introduction(testbed, examples));
	say(`
Ctrl-C ends everything, and nothing is kept: download the workflows that you want to keep.
n8n's log: ${testbed.instance.logFile}`);
	if (!isDev) return;
	say('Each save in nodes/ or credentials/ is loaded, and its types are checked.\n');
	await Promise.all([
		runTool('gulp/bin/gulp.js', ['watch'], { PACKAGE_FOLDER: testbed.installed }),
		runTool('typescript/bin/tsc', ['--watch', '--preserveWatchOutput']),
	]);
}

async function toldToEnd(): Promise<void> {
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
	const flags = { port: { type: 'string', default: '5678' }, dev: { type: 'boolean' } } as const;
	const { dev = false, ...values } = parseArgs({ options: flags }).values;
	const port = Number(values.port);
	for (const each of [port, port + 1, port + 2]) {
		if (await isFree(each)) continue;
		throw new Error(`Port ${each} is in use. End what uses it, perhaps another demo, or start at
other ports: npm start -- --port ${port + 100}`);
	}
	const testbed = new Testbed({ port, env: dev ? RELOADING : {} });
	const end = toldToEnd();
	try {
		await Promise.race([start(testbed, dev), end]);
		await end;
	} finally {
		// What is still being installed or started ends with this process.
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
