import 'reflect-metadata';

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';

import { Logger as InstanceLogger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import {
	ExecuteContext,
	ExternalSecretsProxy,
	getAdditionalKeys,
	InstanceSettings,
} from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	ICredentialsHelper,
	IDataObject,
	IHttpRequestOptions,
	INode,
	INodeParameters,
	IWorkflowExecuteAdditionalData,
	Logger,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { createEmptyRunExecutionData, LoggerProxy, NodeHelpers, Workflow } from 'n8n-workflow';

import type { PackageTypes } from './package';

/**
 * What an n8n instance gives to the engine: credentials, a log, and the services that n8n-core
 * looks up.
 */

/** A partial fake: reading a member that is not listed throws. */
export function standIn<T extends object>(name: string, members: Partial<T>): T {
	return new Proxy(members, {
		get(target, key, receiver): unknown {
			// `await`, console.log and jest look for these on every object.
			if (key in target || typeof key === 'symbol' || key === 'then' || key === 'toJSON') {
				return Reflect.get(target, key, receiver);
			}
			throw new Error(
				`The test engine does not implement ${name}.${key}: add it to standIn('${name}', …)`,
			);
		},
	}) as T;
}

/** Bounds memory in storm tests. Older lines are dropped, so searches for secrets miss them. */
const KEPT_LINES = 5000;

/** What n8n and the nodes logged. Not printed; tests search it for secrets. */
export const log = {
	lines: [] as string[],
	clear: () => log.lines.splice(0),
};

function record(level: string) {
	return (message: string, meta?: unknown) => {
		// Deep enough to find a secret inside a nested error.
		const inspectOptions = { depth: 12, maxArrayLength: Infinity, maxStringLength: Infinity };
		const details = meta === undefined ? '' : ` ${inspect(meta, inspectOptions)}`;
		log.lines.push(`${level} ${message}${details}`);
		if (log.lines.length > KEPT_LINES) log.lines.shift();
	};
}

const logger: Logger & { scoped: () => Logger } = {
	debug: record('debug'),
	info: record('info'),
	warn: record('warn'),
	error: record('error'),
	scoped: () => logger,
};

// Set before anything uses them: the real ones print, and make a folder in the home folder.
Container.set(InstanceLogger, logger as unknown as InstanceLogger);
Container.set(
	InstanceSettings,
	standIn<InstanceSettings>('InstanceSettings', {
		instanceId: 'test-instance',
		hmacSignatureSecret: 'test-signature',
		encryptionKey: 'test-encryption-key',
		fsStorageMigrated: true,
		// A name only; nothing is written there.
		n8nFolder: join(tmpdir(), 'n8n-test-engine'),
	}),
);
LoggerProxy.init(logger);

/** One stored credential. n8n's cli keeps it in its database; this does the same without one. */
export class CredentialStore {
	constructor(
		readonly types: PackageTypes,
		private readonly read: () => ICredentialDataDecryptedObject,
	) {}

	get type(): string {
		return this.types.credentialName;
	}

	/** As n8n does: the stored fields with the form's defaults, a new object each time. */
	decrypted(): ICredentialDataDecryptedObject {
		return NodeHelpers.getNodeParameters(
			this.types.credential().properties,
			structuredClone(this.read()) as INodeParameters,
			true,
			false,
			null,
			null,
		) as ICredentialDataDecryptedObject;
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const { authenticate } = this.types.credential();
		if (typeof authenticate === 'function') return await authenticate(credentials, request);
		throw new Error('The test engine supports only an `authenticate` function');
	}

	helper(): ICredentialsHelper {
		return standIn<ICredentialsHelper>('credentialsHelper', {
			getParentTypes: () => [],
			isCredentialUsableByNode: () => true,
			getCredentialsProperties: (type) => this.types.credential(type).properties,
			// Expressions in its fields are evaluated for the current item, if there is one.
			getDecrypted: async (additionalData, _details, _type, mode, executeData, _raw, item) => {
				const fields = this.decrypted();
				if (item === undefined) return fields;
				return item.workflow.expression.getParameterValue(
					fields as INodeParameters,
					item.runExecutionData,
					item.runIndex,
					item.itemIndex,
					item.node.name,
					item.connectionInputData,
					mode,
					getAdditionalKeys(additionalData, mode, null, { isCredential: true }),
					executeData,
					false,
					fields,
				) as ICredentialDataDecryptedObject;
			},
			authenticate: async (credentials, _type, request) =>
				await this.authenticate(credentials, request as IHttpRequestOptions),
			// n8n runs it only for credentials with an expirable field.
			preAuthentication: async () => undefined,
		});
	}
}

const URL = 'http://127.0.0.1:5678';

export function notSupplied(): never {
	throw new Error(
		'The test engine does not implement this: replace its notSupplied in test/engine',
	);
}

/** A plain object, not a stand-in: n8n reads its many optional fields as flags. */
export function additionalData(
	store: CredentialStore,
	settings: Partial<IWorkflowExecuteAdditionalData> = {},
): IWorkflowExecuteAdditionalData {
	return {
		credentialsHelper: store.helper(),
		externalSecretsProxy: new ExternalSecretsProxy(),
		currentNodeExecutionIndex: 0,
		variables: {},
		restApiUrl: URL,
		instanceBaseUrl: URL,
		mcpBaseUrl: URL,
		mcpTestBaseUrl: URL,
		formBaseUrl: URL,
		formWaitingBaseUrl: URL,
		formTestBaseUrl: URL,
		webhookBaseUrl: URL,
		webhookWaitingBaseUrl: URL,
		webhookTestBaseUrl: URL,
		logAiEvent: () => {},
		executeWorkflow: notSupplied,
		getRunExecutionData: notSupplied,
		getRuntimeCredential: notSupplied,
		startRunnerTask: notSupplied,
		...settings,
	};
}

/** Nodes of this package and stand-ins, in a workflow. */
export function workflowOf(
	types: PackageTypes,
	nodes: INode[],
	more: Partial<ConstructorParameters<typeof Workflow>[0]> = {},
): Workflow {
	const nodeTypes = types.registry();
	return new Workflow({ nodes, connections: {}, active: false, nodeTypes, ...more });
}

/** An ExecuteContext for one node with one item. */
export function contextOf(
	store: CredentialStore,
	workflow: Workflow,
	node: INode,
	mode: WorkflowExecuteMode,
	json: IDataObject = {},
): ExecuteContext {
	const input = [{ json }];
	const data = { main: [input] };
	const additional = additionalData(store);
	const run = createEmptyRunExecutionData();
	const execution = { node, data, source: null };
	return new ExecuteContext(workflow, node, additional, mode, run, 0, input, data, execution, []);
}
