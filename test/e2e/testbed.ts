import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Inbox } from '../demo/inbox';
import { startInbox } from '../demo/inbox';
import { keepSandbox, keptSandbox } from '../demo/keptSandbox';
import type { Sandbox } from '../sandbox';
import { nodeCredentials, startSandbox } from '../sandbox';
import { BANK_SETTLES_AFTER } from '../sandbox/testMethods';
import type { Editor } from './editor';
import { openEditor } from './editor';
import { CREDENTIAL } from './gatewayWorkflows';
import type { Instance, InstanceOptions } from './instance';
import { startInstance } from './instance';
import { N8nApi } from './n8nApi';
import { installPackage, pack } from './packed';
import type { Provisioned } from './provision';
import { found, provision } from './provision';
import { until } from './until';

/**
 * Everything that an end-to-end test needs: the sandbox in the gateway's place, an inbox for alerts
 * and mails, n8n with the packed package installed, n8n's API, and the editor in a browser. Also how
 * tests pay, and wait for polls.
 */

/** The same one as of `npm start`, unless N8N_E2E_DIR names another. */
export const RUNTIME = process.env.N8N_E2E_DIR ?? resolve(__dirname, '../../.n8n/runtime');

/** A folder with an n8n of another version, to be used as it is. */
const OTHER = process.env.N8N_E2E_OTHER;

/** At once; what is logged otherwise, jest prints at the end only. */
export function say(...lines: string[]): void {
	process.stderr.write(`${lines.join('\n')}\n`);
}

export interface TestbedOptions extends Pick<InstanceOptions, 'engine' | 'env' | 'port'> {
	/** Of n8n. The sandbox has the next one, and the inbox the two after that: its page and its mail. */
	port?: number;
	/** Is kept at the end and continued by the next testbed in it. Default: a temporary one. */
	folder?: string;
}

export class Testbed {
	n8n!: Provisioned;
	sandbox!: Sandbox;
	inbox!: Inbox;
	instance!: Instance;
	api!: N8nApi;
	/** The ID of n8n's credential for the sandbox. */
	credential!: string;
	/** Where n8n has the package. */
	installed!: string;
	/** Holds everything but the installed n8n. */
	folder!: string;
	private tarball!: string;
	private opened: Editor | undefined;
	/** Ends what has been started, the last first. */
	protected readonly closing: Array<() => Promise<unknown>> = [];

	constructor(protected readonly options: TestbedOptions = {}) {}

	async start(): Promise<void> {
		this.n8n = OTHER ? await found(OTHER) : await provision(RUNTIME, say);
		this.folder = this.options.folder ?? (await this.temporaryFolder());
		this.tarball = await pack(join(this.folder, 'tarball'));
		const { port } = this.options;
		this.sandbox = await this.startSandbox(port ? port + 1 : 0);
		this.closing.push(async () => await this.sandbox.close());
		this.inbox = await startInbox(port ? port + 2 : 0);
		this.closing.push(async () => await this.inbox.close());
		say(`Starting n8n ${this.n8n.version} (half a minute to two minutes)`);
		this.instance = await this.startInstance('user');
		this.api = await N8nApi.logIn(this.instance.url);
		const data = nodeCredentials(this.sandbox);
		this.credential = await this.api.credential('Sandbox', CREDENTIAL, data);
	}

	private async temporaryFolder(): Promise<string> {
		const folder = await mkdtemp(join(tmpdir(), 'n8n-e2e-'));
		// Again where a process that is ending still writes there.
		const all = { recursive: true, force: true, maxRetries: 20 };
		this.closing.push(async () => await rm(folder, all));
		return folder;
	}

	private async startSandbox(port: number): Promise<Sandbox> {
		if (this.options.folder === undefined) return await startSandbox({ seed: true, port });
		const file = join(this.folder, 'sandbox.json');
		const snapshot = await keptSandbox(file);
		const sandbox = await startSandbox({ seed: true, port, snapshot });
		// People see a bank payment pending first; a test does not wait for one.
		sandbox.settings.bankSettlesAfter = BANK_SETTLES_AFTER;
		this.closing.push(keepSandbox(sandbox, file));
		return sandbox;
	}

	async close(): Promise<void> {
		for (const end of this.closing.splice(0).reverse()) await end();
	}

	/** An n8n with the package: the first one, or a worker of queue mode. */
	protected async startInstance(
		name: string,
		worker?: InstanceOptions['worker'],
	): Promise<Instance> {
		const userFolder = join(this.folder, name);
		this.installed = await installPackage(this.tarball, userFolder);
		const started = await startInstance({ n8n: this.n8n, userFolder, worker, ...this.options });
		this.closing.push(async () => await started.stop());
		return started;
	}

	/** In a browser; the same one each time. */
	async editor(): Promise<Editor> {
		if (this.opened) return this.opened;
		const editor = await openEditor(this.instance.url);
		this.closing.push(async () => await editor.close());
		return (this.opened = editor);
	}

	/** By a customer on the page of a new link; answers the event's ID. */
	pay(): string {
		const { payLinkID } = this.sandbox.addPaylink({ pricing: { amount: 1999 } });
		return this.sandbox.pay(payLinkID).eventID;
	}

	/** Until so many polls that begin from now on have their answer. */
	async polled(times = 1): Promise<void> {
		for (let poll = 0; poll < times; poll++) {
			const now = performance.now();
			const isAnswer = ({ startedAt = 0, status = 0 }) => startedAt > now && status === 200;
			const isPolled = () => this.sandbox.requestsTo('webhookEvents').some(isAnswer);
			await until('a poll', isPolled, { every: 1 });
		}
	}

	/** Switches on a workflow that polls, and waits for its first poll: from now on it fires. */
	async activateAndPoll(workflow: string): Promise<void> {
		const polling = this.polled();
		await this.api.activate(workflow);
		await polling;
	}
}

/** For all tests of a file or of a `describe`: started before the first and closed after the last. */
export function use<T extends Testbed>(testbed: T): T {
	beforeAll(async () => await testbed.start());
	afterAll(async () => await testbed.close());
	return testbed;
}
