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
 * Runs a polling trigger from its activation over polls and restarts to its deactivation. Both ways
 * in which n8n stores a trigger's state are here.
 */

export type PollEngine = 'default' | 'durable' | 'scheduled';

export interface PollerOptions {
	parameters: INodeParameters;
	credentials: ICredentialDataDecryptedObject;
	workflow?: WorkflowOptions;
	settings?: Partial<INode>;
	/** n8n's in-memory polling, or the scheduler, with durable cursors or without. */
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
	/** Makes this the poll with which n8n registers the trigger. */
	activation?: WorkflowActivateMode;
}

type Polled = INodeExecutionData[][] | null;

/** What one poll did; polls may overlap. */
interface UnderWay {
	data: Polled;
	error?: Error;
	/** Its own copy of the durable cursor, and what that was copied from. */
	cursor?: { copy: IDataObject; seed: IDataObject };
}

const DURABLE_BUDGET_MS = 36_000;
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
	/** The transaction of the next emission fails: with durable cursors, cursor and execution are lost. */
	dropsNext = false;

	private types: PackageTypes | undefined;
	private engine: PollEngine;

	/** The workflow's static data in the database, as JSON. */
	private stored: IDataObject;

	/** The node's row of durable cursors; once there, it is used for good, in either engine. */
	private cursor: IDataObject | undefined;

	/** What is registered with the process. */
	private context: PollContext | undefined;

	private readonly underWay = new AsyncLocalStorage<UnderWay>();

	constructor(
		private readonly load: (fresh: boolean) => Promise<PackageTypes>,
		private options: PollerOptions & { workflow: WorkflowOptions },
	) {
		const { engine = 'default', staticData, workflowData } = options;
		this.engine = engine;
		this.stored = {
			...(staticData && { [this.key]: staticData }),
			...(workflowData && { global: workflowData }),
		};
	}

	/** Publishing, process start or leader change: the registration is made anew, with one poll. */
	async activate(activation: WorkflowActivateMode = 'activate'): Promise<Polled> {
		return await this.poll({ activation });
	}

	/** One poll. What n8n would hand to its error workflow is thrown. */
	async poll({ mode = 'trigger', activation }: PollOptions = {}): Promise<Polled> {
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
		const doing: UnderWay = { data: null };
		try {
			await this.underWay.run(doing, async () => await execute(activation !== undefined));
			if (activation !== undefined) this.storeStaticData(context.workflow);
		} catch (error) {
			// An activation that fails leaves nothing registered.
			if (this.context === context) this.context = undefined;
			throw error;
		}
		if (doing.error !== undefined) throw doing.error;
		const { data } = doing;
		// A time limit that began in this poll may run on, and its timer holds on to this object.
		doing.data = null;
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

	/** Something was written to the workflow that n8n has not stored. */
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
		this.options = { ...this.options, parameters };
	}

	/** The credential after an edit; n8n reads it anew for each poll. */
	credentials(credentials: ICredentialDataDecryptedObject): void {
		Object.assign(this.options.credentials, credentials);
	}

	/** The node by another name; n8n sees it with the next activation. */
	rename(name: string): void {
		this.options = { ...this.options, settings: { ...this.options.settings, name } };
	}

	/** Deactivation: the state of the last emission stays, what is only in memory goes. */
	deactivate(): void {
		this.context = undefined;
	}

	/** A new process: state as stored, and a node that remembers nothing. n8n then activates. */
	async restart(engine: PollEngine = this.engine): Promise<void> {
		this.engine = engine;
		this.context = undefined;
		this.types = await this.load(true);
	}

	private get name(): string {
		return this.options.settings?.name ?? 'Trigger';
	}

	/** Under which the workflow's static data has the node's. */
	private get key(): string {
		return `node:${this.name}`;
	}

	private staticDataIn(key: string): IDataObject {
		return (this.stored[key] ?? {}) as IDataObject;
	}

	/** A way into n8n, for a poll or for all until it is deactivated. */
	private open(types: PackageTypes, activation: WorkflowActivateMode): PollContext {
		const { parameters, settings, credentials, beside, workflow: own } = this.options;
		const called = { ...settings, name: this.name };
		const node = types.instance(types.trigger, parameters, types.credentialName, called);
		const shared = beside?.context?.workflow;
		shared?.setNodes([...Object.values(shared.nodes), node]);
		const staticData = asStored(this.stored);
		const workflow = shared ?? workflowOf(types, [node], { ...own, active: true, staticData });
		const store = new CredentialStore(types, credentials);
		const additional = additionalData(store, { workflowId: workflow.id });
		const mode = activation === 'manual' ? 'manual' : 'trigger';
		return new PollContext(workflow, node, additional, mode, activation);
	}

	/**
	 * The default engine keeps one context from activation to deactivation. The scheduler makes one
	 * for each poll, which then says "update"; only activation polls say how they came about.
	 */
	private contextFor(types: PackageTypes, activation?: WorkflowActivateMode): PollContext {
		const isScheduled = this.engine !== 'default';
		if (activation === undefined && !isScheduled && this.context) return this.context;
		const how = activation ?? (isScheduled ? 'update' : 'activate');
		const usual = isScheduled && how === 'update' ? DURABLE_BUDGET_MS : DEFAULT_BUDGET_MS;
		const { budgetMs = usual, withoutBudget } = this.options;
		const context = this.open(types, how);
		const { workflow, node } = context;
		this.context = Object.assign(context, {
			__emit: (data: INodeExecutionData[][]) => this.emit(workflow, data),
			__emitError: (error: Error) => {
				this.doing.error = error;
			},
			__commitCursor: async () => this.commit(),
			__runPoll: async <T>(poll: () => Promise<T>) => {
				this.stage();
				return await poll();
			},
			resolveNodeStaticData: () => this.doing.cursor?.copy ?? workflow.getStaticData('node', node),
			getPollBudgetMs: withoutBudget ? undefined : () => budgetMs,
		});
		return context;
	}

	private get doing(): UnderWay {
		return this.underWay.getStore() ?? { data: null };
	}

	/** The row is made from the static data the first time that cursors are durable. */
	private stage(): void {
		if (this.engine === 'durable') this.cursor ??= this.staticDataIn(this.key);
		if (this.cursor === undefined) return;
		this.doing.cursor = { copy: asStored(this.cursor), seed: this.cursor };
	}

	/** With an emission in one transaction with the execution, or alone after a scheduled `null`. */
	private commit(): void {
		const staged = this.doing.cursor;
		if (staged === undefined || isDeepStrictEqual(staged.copy, staged.seed)) return;
		this.cursor = asStored(staged.copy);
		staged.seed = this.cursor;
	}

	/** The static data is stored before, and outside of, the transaction of cursor and execution. */
	private emit(workflow: Workflow, data: INodeExecutionData[][]): void {
		this.storeStaticData(workflow);
		if (this.dropsNext) {
			this.dropsNext = false;
			return;
		}
		this.commit();
		this.emitted.push(data);
		this.doing.data = data;
	}

	/** Seen in n8n 2.41: with every emission, and at the end of an activation; nodes' and workflow's. */
	private storeStaticData(workflow: Workflow): void {
		if (workflow.staticData.__dataChanged !== true) return;
		this.stored = asStored(workflow.staticData);
		workflow.staticData.__dataChanged = false;
	}

	private async fetchTestEvent(types: PackageTypes): Promise<Polled> {
		const context = this.open(types, 'manual');
		const { poll } = types.node(context.node.type);
		if (poll === undefined) throw new Error(`${context.node.type} is not a poll trigger`);
		return await poll.call(context as IPollFunctions);
	}
}
