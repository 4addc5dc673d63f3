import { AsyncLocalStorage } from 'node:async_hooks';
import { isDeepStrictEqual } from 'node:util';

import { Container } from '@n8n/di';
import { PollContext, PollTriggerExecutor } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	IPollFunctions,
	Workflow,
	WorkflowActivateMode,
} from 'n8n-workflow';

import type { WorkflowOptions } from './execution';
import { additionalData, CredentialStore, workflowOf } from './instance';
import type { PackageTypes } from './package';

/**
 * Runs a polling trigger from its activation over polls and restarts to its deactivation, on each of
 * n8n's three engines for polls:
 *
 * | engine    | contexts              | node's state in | stored                                  |
 * | --------- | --------------------- | --------------- | --------------------------------------- |
 * | default   | one till deactivation | static data     | before each emission, after activation  |
 * | scheduled | one a poll            | static data     | before each emission, after activation  |
 * | durable   | one a poll            | cursor row      | in one transaction with the execution,  |
 * |           |                       |                 | or alone after a poll (not an           |
 * |           |                       |                 | activation) that returns null           |
 *
 * Once a cursor row exists, every engine uses it.
 */

/** n8n's in-memory polling, or its scheduler without or with durable cursors. */
export type PollEngine = 'default' | 'scheduled' | 'durable';

export interface PollerOptions {
	parameters: INodeParameters;
	credentials: ICredentialDataDecryptedObject;
	workflow?: WorkflowOptions;
	settings?: Partial<INode>;
	engine?: PollEngine;
	/** The state of the node that is stored already. */
	staticData?: IDataObject;
	/** The state of the workflow as a whole that is stored already. */
	workflowData?: IDataObject;
	budgetMs?: number;
	/** An active trigger of the same workflow: n8n then gives both one and the same static data. */
	beside?: Poller;
	/** As before n8n 2.38, where poll functions have no `getPollBudgetMs`. */
	withoutBudget?: boolean;
}

interface PollOptions {
	/** `manual` is "Fetch Test Event": it sees the stored state and changes nothing. */
	mode?: 'trigger' | 'manual';
	/** Set for the poll that runs when n8n registers the trigger. */
	activation?: WorkflowActivateMode;
}

type PollData = INodeExecutionData[][] | null;

/** What one poll did; polls may overlap. */
interface PollRun {
	data: PollData;
	error?: Error;
	/** Its own copy of the durable cursor, and what that was copied from. */
	cursor?: { copy: IDataObject; seed: IDataObject };
}

/**
 * As in n8n 2.41.1: its trigger-execution-context.factory.js gives a scheduled poll 80% of 45 s (the
 * default of N8N_SCHEDULER_POLL_TIMEOUT), n8n-core's poll-context.js any other poll 5 minutes.
 */
const SCHEDULED_BUDGET_MS = 36_000;
const DEFAULT_BUDGET_MS = 300_000;

function asStored<T>(value: T): T {
	return JSON.parse(JSON.stringify(value)) as T;
}

/**
 * A poll trigger as n8n runs it. n8n-core's PollTriggerExecutor drives the polls; what the cli
 * does around them (TriggerExecutionContextFactory, PollCursorService, saving static data) is here.
 */
export class Poller {
	/** The data with which executions were started, in order. */
	readonly emitted: INodeExecutionData[][][] = [];
	/** The next emission's transaction fails: n8n stores neither the execution nor the cursor. */
	dropsNextEmission = false;

	private types: PackageTypes | undefined;
	private engine: PollEngine;

	/** The workflow's static data in the database, as JSON. */
	private stored: IDataObject;

	/** The node's row of durable cursors. */
	private cursor: IDataObject | undefined;

	/** What n8n has registered in the process, or the context of the last scheduled poll. */
	private context: PollContext | undefined;

	private readonly runStorage = new AsyncLocalStorage<PollRun>();

	constructor(
		private readonly load: (isFresh: boolean) => Promise<PackageTypes>,
		private readonly options: PollerOptions & { workflow: WorkflowOptions },
	) {
		const { engine = 'default', staticData, workflowData } = options;
		this.engine = engine;
		this.stored = {
			...(staticData && { [this.key]: staticData }),
			...(workflowData && { global: workflowData }),
		};
	}

	/** Publishing, process start or leader change: n8n registers the trigger anew, with one poll. */
	async activate(activation: WorkflowActivateMode = 'activate'): Promise<PollData> {
		return await this.poll({ activation });
	}

	/** One poll. Throws the error that n8n would give to its error workflow. */
	async poll({ mode = 'trigger', activation }: PollOptions = {}): Promise<PollData> {
		const types = (this.types ??= await this.load(false));
		if (mode === 'manual') return await this.fetchTestEvent(types);
		const context = this.contextFor(types, activation);
		const isCurrent = () => this.engine !== 'default' || this.context === context;
		const execute = Container.get(PollTriggerExecutor).create(
			context.workflow,
			context.node,
			context as IPollFunctions,
			isCurrent,
		);
		const pollRun: PollRun = { data: null };
		try {
			await this.runStorage.run(pollRun, async () => await execute(activation !== undefined));
			if (activation !== undefined) this.storeStaticData(context.workflow);
		} catch (error) {
			// An activation that fails leaves nothing registered.
			if (this.context === context) this.context = undefined;
			throw error;
		}
		const { data, error } = pollRun;
		if (error !== undefined) throw error;
		// A time limit that outlives this poll keeps this object alive; free its data.
		pollRun.data = null;
		return data;
	}

	/** The node's state as n8n has it in the database. */
	get state(): IDataObject {
		return asStored(this.cursor ?? this.staticDataIn(this.key));
	}

	/** The node's state in the process, which the default engine stores only with the next event. */
	get memory(): IDataObject {
		if (this.cursor !== undefined || this.context === undefined) return this.state;
		const { workflow, node } = this.context;
		return asStored(workflow.getStaticData('node', node));
	}

	/** The static data of the workflow as a whole, in the database. */
	get workflowState(): IDataObject {
		return asStored(this.staticDataIn('global'));
	}

	/** The same in the process. */
	get workflowMemory(): IDataObject {
		if (this.context === undefined) return this.workflowState;
		return asStored(this.context.workflow.getStaticData('global'));
	}

	/** Whether the static data has changes that n8n has not stored. */
	get isUnstored(): boolean {
		return this.context?.workflow.staticData.__dataChanged === true;
	}

	setState(state: IDataObject): void {
		this.stored[this.key] = asStored(state);
		if (this.cursor !== undefined) this.cursor = asStored(state);
		this.context = undefined;
	}

	/** The parameters after an edit; n8n sees them with the next activation. */
	edit(parameters: INodeParameters): void {
		this.options.parameters = parameters;
	}

	/** The credential after an edit; n8n reads it anew for each poll. */
	editCredentials(credentials: ICredentialDataDecryptedObject): void {
		this.options.credentials = credentials;
	}

	/** The node by another name; n8n sees it with the next activation. */
	rename(name: string): void {
		this.options.settings = { ...this.options.settings, name };
	}

	/** The stored state stays; what is only in memory is lost. */
	deactivate(): void {
		this.context = undefined;
	}

	/** A new process: the state as stored, and a node without memory. n8n then activates. */
	async restart(engine: PollEngine = this.engine): Promise<void> {
		this.engine = engine;
		this.context = undefined;
		this.types = await this.load(true);
	}

	private get name(): string {
		return this.options.settings?.name ?? 'Trigger';
	}

	/** The key of the node's data within the workflow's static data. */
	private get key(): string {
		return `node:${this.name}`;
	}

	private staticDataIn(key: string): IDataObject {
		return (this.stored[key] ?? {}) as IDataObject;
	}

	/** A new PollContext, for one poll or until deactivation. */
	private newContext(types: PackageTypes, activation: WorkflowActivateMode): PollContext {
		const { parameters, beside, workflow: own } = this.options;
		const settings = { ...this.options.settings, name: this.name };
		const node = types.instance(types.trigger, parameters, types.credentialName, settings);
		const shared = beside?.context?.workflow;
		shared?.setNodes([...Object.values(shared.nodes), node]);
		const staticData = asStored(this.stored);
		const workflow = shared ?? workflowOf(types, [node], { ...own, active: true, staticData });
		const store = new CredentialStore(types, () => this.options.credentials);
		const additional = additionalData(store, { workflowId: workflow.id });
		const mode = activation === 'manual' ? 'manual' : 'trigger';
		return new PollContext(workflow, node, additional, mode, activation);
	}

	/**
	 * The default engine keeps one context from activation to deactivation. The scheduler makes one
	 * for each poll, with the activation mode "update" unless the poll is an activation.
	 */
	private contextFor(types: PackageTypes, activation?: WorkflowActivateMode): PollContext {
		const isScheduledPoll = this.engine !== 'default' && activation === undefined;
		if (activation === undefined && !isScheduledPoll && this.context) return this.context;
		const context = this.newContext(types, activation ?? (isScheduledPoll ? 'update' : 'activate'));
		const defaultBudget = isScheduledPoll ? SCHEDULED_BUDGET_MS : DEFAULT_BUDGET_MS;
		const { budgetMs = defaultBudget, withoutBudget } = this.options;
		const { workflow, node } = context;
		this.context = Object.assign(context, {
			__emit: (data: INodeExecutionData[][]) => this.emit(workflow, data),
			__emitError: (error: Error) => {
				this.currentRun.error = error;
			},
			__commitCursor: async () => this.commit(),
			__runPoll: async <T>(poll: () => Promise<T>) => {
				this.stage();
				return await poll();
			},
			resolveNodeStaticData: () =>
				this.currentRun.cursor?.copy ?? workflow.getStaticData('node', node),
			getPollBudgetMs: withoutBudget ? undefined : () => budgetMs,
		});
		return context;
	}

	private get currentRun(): PollRun {
		const pollRun = this.runStorage.getStore();
		if (pollRun === undefined) throw new Error('No poll is running');
		return pollRun;
	}

	/** The first durable poll makes the row from the static data. */
	private stage(): void {
		if (this.engine === 'durable') this.cursor ??= this.staticDataIn(this.key);
		if (this.cursor === undefined) return;
		this.currentRun.cursor = { copy: asStored(this.cursor), seed: this.cursor };
	}

	private commit(): void {
		const staged = this.currentRun.cursor;
		if (staged === undefined || isDeepStrictEqual(staged.copy, staged.seed)) return;
		this.cursor = asStored(staged.copy);
		staged.seed = this.cursor;
	}

	/** The static data is stored before, and outside of, the transaction of cursor and execution. */
	private emit(workflow: Workflow, data: INodeExecutionData[][]): void {
		this.storeStaticData(workflow);
		if (this.dropsNextEmission) {
			this.dropsNextEmission = false;
			return;
		}
		this.commit();
		this.emitted.push(data);
		this.currentRun.data = data;
	}

	/** As n8n 2.41 does: saves all static data on every emission and after an activation. */
	private storeStaticData(workflow: Workflow): void {
		if (workflow.staticData.__dataChanged !== true) return;
		this.stored = asStored(workflow.staticData);
		workflow.staticData.__dataChanged = false;
	}

	private async fetchTestEvent(types: PackageTypes): Promise<PollData> {
		const context = this.newContext(types, 'manual');
		return (await types.node(types.trigger).poll?.call(context as IPollFunctions)) ?? null;
	}
}
