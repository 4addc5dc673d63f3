import { resolve } from 'node:path';

import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { authenticate, requestAsHttpRequestNode, search, testCredential } from './editor';
import { agentRun, run } from './execution';
import { CredentialStore } from './instance';
import type { Neighbours, PackageTypes } from './package';
import { loadPackage } from './package';
import type { PollerOptions } from './poller';
import { Poller } from './poller';

/**
 * The test engine: loads a built package and runs its nodes on n8n-core's own engine. Most tests
 * reach it through `test/useNode.ts`.
 */

export {
	DeduplicationStore,
	withDeduplicationStore,
	withoutDeduplicationStore,
} from './deduplication';
export type { AgentOptions, AgentPath, AgentResult, RunOptions, RunResult } from './execution';
export { output } from './execution';
export { log } from './instance';
export type { Poller, PollerOptions, PollEngine } from './poller';

type Credentials = ICredentialDataDecryptedObject;

/** A built package on n8n-core's engine. */
export class Engine {
	private loaded: Promise<PackageTypes> | undefined;
	private pollers = 0;

	/** Returns the node's error instead of throwing it; `output(run)` throws it. */
	readonly run = this.withOptions(run);
	readonly agentRun = this.withOptions(agentRun);
	readonly search = this.withOptions(search);
	readonly testCredential = this.withCredentials(testCredential);
	readonly authenticate = this.withCredentials(authenticate);
	readonly requestAsHttpRequestNode = this.withCredentials(requestAsHttpRequestNode);

	constructor(
		private readonly directory: string,
		private readonly neighbours: Neighbours = {},
	) {}

	/** Each poller is a workflow of its own, unless it is given an ID. */
	poller(options: PollerOptions): Poller {
		this.pollers += 1;
		const workflow = { id: `polled-workflow-${this.pollers}`, ...options.workflow };
		const load = async (isFresh: boolean) => await (isFresh ? this.load() : this.types());
		return new Poller(load, { ...options, workflow });
	}

	/** Simulates a restart of n8n: the package loses its memory. */
	restart(): void {
		this.loaded = this.load();
	}

	private async load(): Promise<PackageTypes> {
		return await loadPackage(this.directory, this.neighbours);
	}

	private async types(): Promise<PackageTypes> {
		return await (this.loaded ??= this.load());
	}

	private withCredentials<Rest extends unknown[], Result>(
		act: (store: CredentialStore, ...rest: Rest) => Promise<Result>,
	) {
		return async (credentials: Credentials, ...rest: Rest): Promise<Result> =>
			await act(new CredentialStore(await this.types(), () => credentials), ...rest);
	}

	private withOptions<Options extends { credentials: Credentials }, Result>(
		act: (store: CredentialStore, options: Options) => Promise<Result>,
	) {
		const withCredentials = this.withCredentials(act);
		return async (options: Options) => await withCredentials(options.credentials, options);
	}
}

export const engine = new Engine(resolve(__dirname, '../..'));
