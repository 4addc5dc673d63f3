import { ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	IConnections,
	IDataObject,
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	INodeParameters,
	IRun,
	IWorkflowBase,
} from 'n8n-workflow';
import { createRunExecutionData } from 'n8n-workflow';

import type { CredentialStore } from './instance';
import { additionalData, contextOf, standIn, workflowOf } from './instance';
import { ITEMS, LOOP, REQUESTING_AGENT, standInNode, TOOLS_AGENT } from './standInNodes';

/**
 * Runs a node in a workflow on n8n-core's own engine, started by a trigger or by an AI agent, and
 * returns what came out of it. Only what n8n's cli adds around the engine is written here.
 */

export interface WorkflowOptions {
	id?: string;
	settings?: { timezone?: string };
}

export interface RunOptions {
	/** Resource, operation and fields of the node under test; defaults are filled in. */
	parameters: INodeParameters;
	credentials: ICredentialDataDecryptedObject;
	/** The json of the input items; one empty item by default, none with `[]`. */
	items?: IDataObject[];
	settings?: Partial<INode>;
	nodeType?: string;
	/** Aborting it is n8n's stop button. */
	signal?: AbortSignal;
	workflow?: WorkflowOptions;
	/** Number of batches: puts a Loop Over Items around the node. */
	batches?: number;
	executionId?: string;
}

/** An error as n8n stores it with the execution: a plain object. */
interface StoredError {
	message: string;
	description?: string | null;
	context?: { itemIndex?: number };
	failure?: IDataObject;
	stack?: string;
}

export interface RunResult {
	/** The json of the items from the first output, of all batches. */
	items: IDataObject[];
	outputs: INodeExecutionData[][];
	/** The error that stopped the execution, or the node's error if n8n continued. */
	error?: StoredError;
	status: IRun['status'];
	run: IRun;
}

/** How an agent of n8n calls a node; see `agentRun`. */
export type AgentPath = 'supplyData' | 'engineRequest' | 'ephemeral';

export interface AgentOptions extends Pick<RunOptions, 'parameters' | 'credentials'> {
	via: AgentPath;
	/** What the model fills in for `$fromAI(…)` in the parameters. */
	args?: IDataObject;
}

export interface AgentResult extends RunResult {
	/** The text that the agent gives to the model. */
	answer?: string | undefined;
}

/** An empty name leaves that output unconnected. */
function connect(node: string, type: 'main' | 'ai_tool', outputs: string[]): IConnections {
	const lines = outputs.map((target) => (target === '' ? [] : [{ node: target, type, index: 0 }]));
	return { [node]: { [type]: lines } };
}

function resultOf(run: IRun, nodeName: string): RunResult {
	const tasks = run.data.resultData.runData[nodeName] ?? [];
	const outputs: INodeExecutionData[][] = [];
	for (const task of tasks) {
		const lines = task.data?.main ?? task.data?.ai_tool ?? [];
		for (const [index, items] of lines.entries()) (outputs[index] ??= []).push(...(items ?? []));
	}
	const failed = run.data.resultData.error ?? tasks.filter((task) => task.error).at(-1)?.error;
	const error = failed as StoredError | undefined;
	return {
		items: (outputs[0] ?? []).map(({ json }) => json),
		outputs,
		...(error === undefined ? {} : { error }),
		status: run.status,
		run,
	};
}

let executions = 0;

/** Runs a workflow from its first node on, as n8n does when a trigger fires. */
async function execute(
	store: CredentialStore,
	nodes: [INode, ...INode[]],
	connections: IConnections,
	input: IDataObject[],
	options: Pick<RunOptions, 'signal' | 'workflow' | 'executionId'> = {},
): Promise<IRun> {
	const { signal, executionId = `execution-${++executions}` } = options;
	const workflow = workflowOf(store.types, nodes, {
		id: options.workflow?.id ?? 'workflow-1',
		name: 'Test workflow',
		connections,
		active: true,
		settings: { executionOrder: 'v1', ...options.workflow?.settings },
	});
	const start = { node: nodes[0], data: { main: [input.map((json) => ({ json }))] }, source: null };
	const data = createRunExecutionData({ executionData: { nodeExecutionStack: [start] } });
	const unusedWorkflow = standIn<IWorkflowBase>('workflowData', {});
	const hooks = new ExecutionLifecycleHooks('trigger', executionId, unusedWorkflow);
	const additional = additionalData(store, { executionId, workflowId: workflow.id, hooks });
	const engine = new WorkflowExecute(additional, 'trigger', data);
	const execution = engine.processRunExecutionData(workflow);
	signal?.addEventListener('abort', () => execution.cancel());
	if (signal?.aborted) execution.cancel();
	return await execution;
}

export async function run(store: CredentialStore, options: RunOptions): Promise<RunResult> {
	const { parameters, items = [{}], settings, batches, nodeType = store.types.action } = options;
	// n8n takes 0 for "not set" and waits a second.
	const quick = settings?.retryOnFail === true ? { waitBetweenTries: 1 } : {};
	const node = store.types.instance(nodeType, parameters, store.type, { ...quick, ...settings });
	const first = standInNode(ITEMS, 'Items');
	if (batches === undefined) {
		const straight = connect('Items', 'main', [node.name]);
		return resultOf(await execute(store, [first, node], straight, items, options), node.name);
	}
	const batchSize = Math.ceil(items.length / batches);
	const loop = standInNode(LOOP, 'Loop', { batchSize });
	const around = {
		...connect('Items', 'main', ['Loop']),
		...connect('Loop', 'main', ['', node.name]),
		// The error output leads back as well, or the first failure would end the loop.
		...connect(node.name, 'main', ['Loop', 'Loop']),
	};
	return resultOf(await execute(store, [first, node, loop], around, items, options), node.name);
}

/**
 * Runs the node as an agent's tool, in any of n8n's three ways:
 * - `supplyData`: the older agent calls the `…Tool` type through LangChain; `isToolExecution()`.
 * - `engineRequest`: the newer agent has the engine run the `…Tool` node as a node of the workflow.
 * - `ephemeral`: agents outside of workflows run the node alone, in a workflow made for the call; the
 *   node keeps its own type, so only the mode "internal" shows that an agent called it.
 */
export async function agentRun(
	store: CredentialStore,
	{ via, parameters, args = {} }: AgentOptions,
): Promise<AgentResult> {
	const { action } = store.types;
	const type = via === 'ephemeral' ? action : `${action}Tool`;
	const node = store.types.instance(type, parameters, store.type);
	if (via === 'ephemeral') return await ephemeralRun(store, node, args);
	const agent = standInNode(via === 'supplyData' ? TOOLS_AGENT : REQUESTING_AGENT, 'Agent', {
		tool: node.name,
		args: JSON.stringify(args),
	});
	const connections = {
		...connect('Items', 'main', ['Agent']),
		...connect(node.name, 'ai_tool', ['Agent']),
	};
	const run = await execute(store, [standInNode(ITEMS, 'Items'), agent, node], connections, [{}]);
	const called = resultOf(run, node.name);
	const [said] = resultOf(run, 'Agent').items;
	const answer = said && String(said.answer);
	// For a LangChain call, n8n's run data holds the input and a nested string, so the items come from
	// the answer.
	const items = via === 'supplyData' ? (JSON.parse(answer ?? '[]') as IDataObject[]) : called.items;
	return { ...called, items, answer };
}

/** As n8n's `EphemeralNodeExecutor`: no workflow id, no execution, no context data, no signal. */
async function ephemeralRun(
	store: CredentialStore,
	node: INode,
	args: IDataObject,
): Promise<AgentResult> {
	const context = contextOf(store, workflowOf(store.types, [node]), node, 'internal', args);
	const now = { startedAt: new Date(), storedAt: 'db' } as const;
	const run: IRun = { mode: 'internal', data: createRunExecutionData(), status: 'error', ...now };
	const failed = resultOf(run, node.name);
	try {
		// The cast: n8n-core allows a workflow without a name, n8n-workflow's interface does not.
		const outputs = await store.types.node(node.type).execute?.call(context as IExecuteFunctions);
		if (!Array.isArray(outputs)) throw new Error('No output data');
		const items = (outputs[0] ?? []).map(({ json }) => json);
		return { ...failed, items, outputs, status: 'success', answer: JSON.stringify(items) };
	} catch (error) {
		const failure = error as StoredError;
		// The agent gets only the message.
		return { ...failed, error: failure, answer: failure.message };
	}
}

/** The items of a run that must not have failed. */
export function output({ items, error, status }: RunResult): IDataObject[] {
	if (error === undefined && status === 'success') return items;
	const { message, description } = error ?? { message: `The execution ended as ${status}` };
	throw new Error(description ? `${message} (${description})` : message);
}
