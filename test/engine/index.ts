import { resolve } from 'node:path';

import type {
	ICredentialDataDecryptedObject,
	IHttpRequestOptions,
	INodeCredentialTestResult,
	INodeListSearchResult,
	IRequestOptions,
} from 'n8n-workflow';

import type { RequestHelper, SearchOptions } from './editor';
import { requestAsHttpRequestNode, search, testCredential } from './editor';
import type { AgentOptions, AgentResult, RunOptions, RunResult } from './execution';
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

	constructor(
		private readonly directory: string,
		private readonly neighbours: Neighbours = {},
	) {}

	/** Returns the node's error instead of throwing it; `output(run)` throws it. */
	async run(options: RunOptions): Promise<RunResult> {
		return await run(await this.storeFor(options.credentials), options);
	}

	async agentRun(options: AgentOptions): Promise<AgentResult> {
		return await agentRun(await this.storeFor(options.credentials), options);
	}

	/** Each poller is a workflow of its own, unless it is given an ID. */
	poller(options: PollerOptions): Poller {
		this.pollers += 1;
		const load = async (fresh: boolean) =>
			fresh ? await loadPackage(this.directory, true, this.neighbours) : await this.types();
		const workflow = { id: `polled-workflow-${this.pollers}`, ...options.workflow };
		return new Poller(load, { ...options, workflow });
	}

	async search(
		options: SearchOptions & { credentials: Credentials },
	): Promise<INodeListSearchResult> {
		return await search(await this.storeFor(options.credentials), options);
	}

	async testCredential(credentials: Credentials): Promise<INodeCredentialTestResult> {
		return await testCredential(await this.storeFor(credentials));
	}

	/** Calls the credential's own `authenticate` with this request object, as n8n does. */
	async authenticate(
		credentials: Credentials,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const store = await this.storeFor(credentials);
		return await store.authenticate(store.decrypted(), request);
	}

	/** Sends a request as n8n's HTTP Request node does with a predefined credential. */
	async requestAsHttpRequestNode(
		credentials: Credentials,
		helper: RequestHelper,
		request: IRequestOptions | IHttpRequestOptions,
	): Promise<unknown> {
		return await requestAsHttpRequestNode(await this.storeFor(credentials), helper, request);
	}

	/** Simulates a restart of n8n: the package loses its memory. */
	restart(): void {
		this.loaded = loadPackage(this.directory, true, this.neighbours);
	}

	private async types(): Promise<PackageTypes> {
		return await (this.loaded ??= loadPackage(this.directory, false, this.neighbours));
	}

	private async storeFor(credentials: Credentials): Promise<CredentialStore> {
		return new CredentialStore(await this.types(), () => credentials);
	}
}

export const engine = new Engine(resolve(__dirname, '../..'));
