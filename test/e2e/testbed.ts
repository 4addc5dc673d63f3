import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Inbox } from '../demo/inbox';
import { startInbox } from '../demo/inbox';
import { loadSnapshot, saveSnapshots } from '../demo/keptSandbox';
import type { PaylinkForm } from '../../nodes/PaymentsGateway/wire';
import type { Sandbox } from '../sandbox';
import { nodeCredentials, startSandbox } from '../sandbox';
import { BANK_CAPTURES_AFTER } from '../sandbox/testMethods';
import type { Editor } from './editor';
import { CREDENTIAL, eventReporter, type NodeParameters } from './gatewayWorkflows';
import type { Instance, InstanceOptions } from './instance';
import { startInstance } from './instance';
import { N8nApi } from './n8nApi';
import { installPackage, pack } from './packed';
import type { Provisioned } from './provision';
import { findInstalled, provision } from './provision';
import { until } from './until';

/**
 * Everything that an end-to-end test needs: the sandbox in the gateway's place, an inbox for alerts
 * and mails, n8n with the packed package installed, n8n's API, and the editor in a browser. Also
 * makes payments, waits for polls and checks that events fire once.
 */

/**
 * Where the pinned n8n is installed, shared with `npm start` unless N8N_E2E_DIR names another
 * folder.
 */
export const RUNTIME = process.env.N8N_E2E_DIR ?? resolve(__dirname, '../../.n8n/runtime');

/** A folder in which npm has installed an n8n of another version. */
const OTHER = process.env.N8N_E2E_OTHER;

/** Prints immediately; jest holds console output back until the end. */
export function say(...lines: string[]): void {
	process.stderr.write(`${lines.join('\n')}\n`);
}

interface TestbedOptions extends Pick<InstanceOptions, 'engine' | 'env'> {
	/** n8n's port. The sandbox has the next one, the inbox's page and mail server the two after it. */
	port?: number;
	/** For the demo: keeps all data in this folder. Tests use a temporary one. */
	folder?: string;
}

/** Polls come every few seconds; a backlog fires in several of them, and a machine can be busy. */
const FIRED_WITHIN = 300_000;

export class Testbed {
	n8n!: Provisioned;
	sandbox!: Sandbox;
	inbox!: Inbox;
	instance!: Instance;
	api!: N8nApi;
	/** The ID of n8n's credential for the sandbox. */
	credentialId!: string;
	/** The folder of the installed package. */
	installed!: string;
	/** Holds everything but the installed n8n. */
	folder!: string;
	private tarball!: string;
	private opened: Editor | undefined;
	/** Closes everything that was started, in reverse order. */
	protected readonly closing: Array<() => Promise<unknown>> = [];

	constructor(protected readonly options: TestbedOptions = {}) {}

	async start(): Promise<void> {
		this.n8n = OTHER ? await findInstalled(OTHER) : await provision(RUNTIME, say);
		this.folder = this.options.folder ?? (await this.temporaryFolder());
		this.tarball = await pack(join(this.folder, 'tarball'));
		const { port } = this.options;
		this.sandbox = await this.startSandbox(port ? port + 1 : 0);
		this.closing.push(async () => await this.sandbox.close());
		this.inbox = await startInbox(port ? port + 2 : 0);
		this.closing.push(async () => await this.inbox.close());
		say(`Starting n8n ${this.n8n.version} (about 10 seconds; longer on a busy machine)`);
		this.instance = await this.startInstance('user');
		this.api = await N8nApi.logIn(this.instance.url);
		const data = nodeCredentials(this.sandbox);
		this.credentialId = await this.api.ensureCredential('Sandbox', CREDENTIAL, data);
	}

	private async temporaryFolder(): Promise<string> {
		const folder = await mkdtemp(join(tmpdir(), 'n8n-e2e-'));
		// Retries while a process that is ending still writes there.
		const options = { recursive: true, force: true, maxRetries: 20 };
		this.closing.push(async () => await rm(folder, options));
		return folder;
	}

	private async startSandbox(port: number): Promise<Sandbox> {
		if (this.options.folder === undefined) return await startSandbox({ seed: true, port });
		const file = join(this.folder, 'sandbox.json');
		const snapshot = await loadSnapshot(file);
		const sandbox = await startSandbox({ seed: true, port, snapshot });
		// In the demo, a bank payment is pending at first. Tests capture it immediately.
		sandbox.settings.bankCapturesAfter = BANK_CAPTURES_AFTER;
		this.closing.push(saveSnapshots(sandbox, file));
		return sandbox;
	}

	async close(): Promise<void> {
		for (const end of this.closing.splice(0).reverse()) await end();
	}

	/** Starts an n8n with the package: the main one, or a worker of queue mode. */
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

	/** The editor in a browser, opened by the first call. */
	async editor(): Promise<Editor> {
		if (this.opened) return this.opened;
		// Loaded only here: the demo needs no browser, and Playwright takes a second to load.
		const { openEditor } = await import('./editor');
		const editor = await openEditor(this.instance.url);
		this.closing.push(async () => await editor.close());
		return (this.opened = editor);
	}

	/** A customer pays a new link, or tries to. Returns the link and the ID of the event. */
	pay(form: PaylinkForm = { pricing: { amount: 1999 } }, outcome: 'paid' | 'declined' = 'paid') {
		const link = this.sandbox.addPaylink(form);
		return { ...link, eventID: this.sandbox.pay(link.payLinkID, { outcome }).eventID };
	}

	/** Adds a trigger that posts the ID of each event to the inbox. Returns the workflow's ID. */
	async addEventReporter(parameters: NodeParameters = {}): Promise<string> {
		const reporter = eventReporter(this.credentialId, this.inbox.url, parameters);
		return await this.api.addWorkflow(reporter);
	}

	/**
	 * Waits for this many successful requests for events, one after another. A poll that reads several
	 * pages makes several.
	 */
	async waitForEventRequests(requests = 1): Promise<void> {
		for (let request = 0; request < requests; request++) {
			const now = performance.now();
			const isAnswer = ({ startedAt = 0, status = 0 }) => startedAt > now && status === 200;
			const isPolled = () => this.sandbox.requestsTo('webhookEvents').some(isAnswer);
			await until('a poll', isPolled, { every: 1 });
		}
	}

	/**
	 * Activates a workflow that polls, and waits for a poll: from then on it fires. If the poll is
	 * another workflow's, this one has polled too: n8n 2 polls during the activation.
	 */
	async activateAndPoll(workflow: string): Promise<void> {
		const polling = this.waitForEventRequests();
		await this.api.activate(workflow);
		await polling;
	}

	/** Waits until event reporters have posted all these events to the inbox. */
	async waitForEvents(events: readonly string[], within = FIRED_WITHIN): Promise<void> {
		const haveFired = () => events.every((event) => this.inbox.alerts.includes(event));
		await until(`${events.length} events`, haveFired, { within });
	}

	/** Expects these events in the inbox, each once and no other. Deactivates the workflow. */
	async expectFiredOnce(
		workflow: string,
		events: readonly string[],
		within?: number,
	): Promise<void> {
		await this.waitForEvents(events, within);
		// A doubled event would fire within two more requests.
		await this.waitForEventRequests(2);
		await this.api.deactivate(workflow);
		expect([...this.inbox.alerts].sort()).toEqual([...events].sort());
	}
}

/** Starts a testbed before the tests of a file or a `describe`, and closes it after them. */
export function startForTests<T extends Testbed>(testbed: T): T {
	beforeAll(async () => await testbed.start());
	afterAll(async () => await testbed.close());
	return testbed;
}
