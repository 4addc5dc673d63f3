import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { isFree } from '../e2e/instance';
import { command, DEFAULT_PORT, type Options, PORTS, UserError } from './commandLine';
import { stateAt } from './inbox';

/**
 * Which demos of a folder are under way. A second start leaves them alone, and so does `--remove`:
 * an install, above all, can be under way for minutes before n8n is there.
 */

/** The ports of the demos that run or start, with which of the two it is. */
async function demosIn(folder: string): Promise<Map<number, string>> {
	const found = new Map<number, string>();
	for (const name of existsSync(folder) ? readdirSync(folder) : []) {
		const port = Number(/^(?:home|dev)-(\d+)$/.exec(name)?.[1]);
		const state = port > 0 ? await stateAt(port + 3) : undefined;
		if (state !== undefined) found.set(port, state);
	}
	return found;
}

/** The first of a demo's ports that is in use. */
async function taken(from: number): Promise<number | undefined> {
	for (const port of PORTS.map((each) => from + each)) {
		if (!(await isFree(port))) return port;
	}
	return undefined;
}

/** Throws where a start would disturb another one, or finds its ports in use. */
export async function requireFree(folder: string, options: Options): Promise<void> {
	const demos = await demosIn(folder);
	const isInstalled = existsSync(join(folder, 'runtime', 'installed'));
	const installing = [...demos].find(([, state]) => state === 'starting' && !isInstalled);
	if (installing) {
		throw new UserError(`Another start is installing n8n at the moment (port ${installing[0]}). Nothing was changed.
Wait until it says that n8n is ready, or end it with Ctrl-C in its own terminal.`);
	}
	const inUse = await taken(options.port);
	if (inUse === undefined) return;
	let port = options.port < 60_000 ? options.port : DEFAULT_PORT;
	do port += 100;
	while ((await taken(port)) !== undefined);
	const state = demos.get(options.port);
	const by = state === undefined ? 'another program' : `a demo that is ${state} already`;
	throw new UserError(`Port ${inUse} is in use by ${by}. Nothing was changed. Either
  - end it with Ctrl-C in its own terminal, and start again, or
  - start a second demo beside it, with data of its own: ${command({ ...options, port })}
    (open it in a private window: a browser is logged in to one of them at a time)`);
}

/** What the demos have made, and nothing else that may stand in the folder. */
const MADE = /^(?:runtime|tarball|node_modules|(?:home|dev)-\d+)$/;

export async function remove(folder: string, log: (line: string) => void): Promise<void> {
	for (const [port, state] of await demosIn(folder)) {
		throw new UserError(`A demo is ${state} at port ${port}: end it first. Nothing was deleted.`);
	}
	const made = existsSync(folder) ? readdirSync(folder).filter((name) => MADE.test(name)) : [];
	for (const name of made) {
		const what = name === 'runtime' ? ' (n8n itself: 2.9 GB, can take a minute)' : '';
		log(`Deleting ${join(folder, name)}${what}`);
		await rm(join(folder, name), { recursive: true, force: true });
	}
	log(made.length > 0 ? 'Deleted n8n and the data of all demos' : `Nothing to delete in ${folder}`);
}
