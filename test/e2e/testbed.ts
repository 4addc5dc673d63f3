import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import type { Inbox } from '../demo/inbox';
import { startInbox } from '../demo/inbox';
import type { Sandbox } from '../sandbox';
import { nodeCredentials, startSandbox } from '../sandbox';
import type { Editor } from './editor';
import { openEditor } from './editor';
import { CREDENTIAL } from './gatewayWorkflows';
import type { Instance, InstanceOptions } from './instance';
import { freePort, startInstance } from './instance';
import { N8nApi } from './n8nApi';
import { installPackage, pack } from './packed';
import type { Provisioned } from './provision';
import { found, provision } from './provision';

/**
 * Starts everything that an end-to-end test needs, and stops it: the sandbox in the service's place,
 * an inbox for alerts and mails, n8n with the packed package installed, n8n's API, and the editor in
 * a browser. Also how tests pay, and wait for what is to come.
 */

interface TestbedOptions extends Pick<InstanceOptions, 'engine' | 'env'> {
	/** Default: what `tarballIn()` gives. */
	tarball?: string;
	/** Where n8n is, or is installed to. */
	runtime?: string;
	theme?: 'light' | 'dark';
	/** Whether the service has customers and payments already. */
	seed?: boolean;
}

export interface Testbed {
	readonly n8n: Provisioned;
	readonly sandbox: Sandbox;
	readonly inbox: Inbox;
	/** The port of the inbox for mails. */
	readonly smtp: number;
	readonly instance: Instance;
	readonly api: N8nApi;
	/** The ID of n8n's credential for the sandbox. */
	credential(): Promise<string>;
	/** In a browser; the same one each time. */
	editor(): Promise<Editor>;
	/** One more n8n with the package, such as a worker of queue mode. */
	start(name: string, options?: Partial<InstanceOptions>): Promise<Instance>;
	/** By a customer on the page of a link; answers the event's ID. */
	pay(): string;
	/** Until a poll that begins from now on has its answer. */
	polled(): Promise<void>;
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

/** At once; what is logged otherwise, jest prints at the end only. */
export function say(...lines: string[]): void {
	process.stderr.write(`${lines.join('\n')}\n`);
}

export async function startTestbed(options: TestbedOptions = {}): Promise<Testbed> {
	const { engine, env, runtime = RUNTIME, theme, seed = true } = options;
	const closing: Array<() => Promise<unknown>> = [];
	const close = async () => {
		for (const end of closing.splice(0).reverse()) await end();
	};
	try {
		const n8n = OTHER ? await found(OTHER) : await provision(runtime, say);
		const folder = await mkdtemp(join(tmpdir(), 'n8n-e2e-'));
		closing.push(async () => await rm(folder, { recursive: true, force: true }));
		const tarball = options.tarball ?? (await tarballIn(join(folder, 'tarball')));
		const sandbox = await startSandbox({ seed });
		closing.push(async () => await sandbox.close());
		const smtp = await freePort();
		const inbox = await startInbox({ web: 0, smtp });
		closing.push(async () => await inbox.close());

		const start: Testbed['start'] = async (name, more = {}) => {
			const userFolder = join(folder, name);
			await installPackage(tarball, userFolder);
			const started = await startInstance({ n8n, userFolder, engine, env, ...more });
			closing.push(async () => await started.stop());
			return started;
		};
		const instance = await start('user');
		const { url } = instance;
		const api = await N8nApi.logIn(url);

		let credential: Promise<string> | undefined;
		let editor: Promise<Editor> | undefined;
		closing.push(async () => await (await editor)?.close());
		return {
			n8n,
			sandbox,
			inbox,
			smtp,
			instance,
			api,
			credential: async () =>
				await (credential ??= api.addCredential('Sandbox', CREDENTIAL, nodeCredentials(sandbox))),
			editor: async () => await (editor ??= openEditor({ url, theme, height: 1100 })),
			start,
			pay() {
				const { payLinkID } = sandbox.addPaylink({ pricing: { amount: 1999 } });
				return sandbox.pay(payLinkID).eventID;
			},
			async polled() {
				const now = performance.now();
				const isAnswer = ({ startedAt = 0, status = 0 }) => startedAt > now && status === 200;
				const polls = () => sandbox.requestsTo('webhookEvents');
				await until('a poll', () => polls().some(isAnswer), { every: 1 });
			},
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
