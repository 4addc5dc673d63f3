import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Inbox } from '../demo/inbox';
import { startInbox } from '../demo/inbox';
import type { Sandbox } from '../sandbox';
import { startSandbox } from '../sandbox';
import type { Editor } from './editor';
import { openEditor } from './editor';
import type { Engine, Instance } from './instance';
import { freePort, startInstance } from './instance';
import { installPackage, pack } from './packed';
import type { Provisioned } from './provision';
import { found, provision } from './provision';
import { N8nApi } from './n8nApi';

/**
 * Starts everything that an end-to-end test needs, and stops it: the sandbox in the service's place,
 * an inbox for alerts and mails, n8n with the packed package installed, n8n's API, and the editor in
 * a browser. Also how tests wait for what is to come.
 */

interface TestbedOptions {
	/** What runs polls. */
	engine?: Engine;
	/** Default: what `tarballIn()` gives. */
	tarball?: string;
	env?: Readonly<Record<string, string>>;
}

export interface Testbed {
	readonly n8n: Provisioned;
	readonly sandbox: Sandbox;
	readonly inbox: Inbox;
	/** The port of the inbox for mails. */
	readonly smtp: number;
	readonly instance: Instance;
	readonly api: N8nApi;
	/** In a browser; the same one each time. */
	editor(): Promise<Editor>;
	close(): Promise<void>;
}

/** What is packed from the last build, unless N8N_E2E_TARBALL names a tarball. */
export async function tarballIn(folder: string): Promise<string> {
	return process.env.N8N_E2E_TARBALL ?? (await pack(folder));
}

/** The same one as of `npm start`, unless N8N_E2E_DIR names another. */
export const RUNTIME = process.env.N8N_E2E_DIR ?? resolve(__dirname, '../../.n8n/runtime');

/** A folder with an n8n of another version, to be used as it is. */
const OTHER = process.env.N8N_E2E_OTHER;

export async function startTestbed(options: TestbedOptions = {}): Promise<Testbed> {
	const { engine = 'the default engine', env = {} } = options;
	const closing: Array<() => Promise<void>> = [];
	const close = async () => {
		for (const end of closing.splice(0).reverse()) await end();
	};
	try {
		const log = (line: string) => void process.stderr.write(`${line}\n`);
		const n8n = OTHER ? await found(OTHER) : await provision(RUNTIME, log);
		const folder = await mkdtemp(join(tmpdir(), 'n8n-e2e-'));
		closing.push(async () => await rm(folder, { recursive: true, force: true }));
		const userFolder = join(folder, 'user');
		const tarball = options.tarball ?? (await tarballIn(join(folder, 'tarball')));
		await installPackage(tarball, userFolder);
		const sandbox = await startSandbox({ seed: true });
		closing.push(async () => await sandbox.close());
		const smtp = await freePort();
		const inbox = await startInbox({ web: 0, smtp });
		closing.push(async () => await inbox.close());
		const instance = await startInstance({ n8n, userFolder, engine, env });
		closing.push(async () => await instance.stop());
		const api = await N8nApi.logIn(instance.url);
		let editor: Promise<Editor> | undefined;
		closing.push(async () => await (await editor)?.close());
		return {
			n8n,
			sandbox,
			inbox,
			smtp,
			instance,
			api,
			editor: async () => await (editor ??= openEditor({ url: instance.url, height: 1100 })),
			close,
		};
	} catch (error) {
		await close();
		throw error;
	}
}

/** A poll trigger polls once a minute; the rest is for a busy machine. */
const WITHIN_A_POLL = 90_000;

/** Asks again and again until there is an answer. If none comes in time, the error names `what`. */
export async function until<T>(
	what: string,
	ask: () => T | undefined | false | Promise<T | undefined | false>,
	{ within = WITHIN_A_POLL, every = 100 } = {},
): Promise<T> {
	for (const end = Date.now() + within; Date.now() < end; await wait(every)) {
		const answer = await ask();
		if (answer !== undefined && answer !== false) return answer;
	}
	throw new Error(`Waited ${within / 1000} s in vain for ${what}`);
}
