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
	nodeType?: string;
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

export interface PollOptions {
	/** `manual` is "Fetch Test Event": it sees the stored state and changes nothing. */
	mode?: 'trigger' | 'manual';
	/** Makes this the poll with which n8n registers the trigger. */
	activation?: WorkflowActivateMode;
}

export type Polled = INodeExecutionData[][] | null;

interface Registration {
	nodeName: string;
	workflow: Workflow;
	context: PollContext;
}

/** A poll's own copy of the durable cursor, and what it was copied from. */
interface Staged {
	copy: IDataObject;
	seed: IDataObject;
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

	private registration: Registration | undefined;

	/** What one poll did; polls may overlap. */
	private readonly outcome = new AsyncLocalStorage<{ data: Polled; error?: Error }>();

	private readonly staged = new AsyncLocalStorage<Staged | undefined>();

	constructor(
		private readonly load: (fresh: boolean) => Promise<PackageTypes>,
		private options: PollerOptions & { workflow: WorkflowOptions },
	) {
		this.engine = options.engine ?? 'default';
		this.stored = { ...this.bucket(options.staticData) };
		if (options.workflowData !== undefined) this.stored.global = options.workflowData;
	}

	/** Publishing, process start or leader change: the registration is made anew, with one poll. */
	async activate(activation: WorkflowActivateMode = 'activate'): Promise<Polled> {
		return await this.poll({ activation });
	}

	/** One poll. What n8n would hand to its error workflow is thrown. */
	async poll({ mode = 'trigger', activation }: PollOptions = {}): Promise<Polled> {
		const types = (this.types ??= await this.load(false));
		if (mode === 'manual') return await this.fetchTestEvent(types);
		const registration = this.registrationFor(types, activation);
		const node = this.nodeOf(registration);
		const isCurrent = () => this.engine !== 'default' || this.registration === registration;
		const execute = Container.get(PollTriggerExecutor).create(
			registration.workflow,
			node,
			registration.context as IPollFunctions,
			isCurrent,
		);
		const outcome: { data: Polled; error?: Error } = { data: null };
		try {
			await this.outcome.run(outcome, async () => await execute(activation !== undefined));
			if (activation !== undefined) this.storeStaticData(registration.workflow);
		} catch (error) {
			// An activation that fails leaves nothing registered.
			if (this.registration === registration) this.registration = undefined;
			throw error;
		}
		if (outcome.error !== undefined) throw outcome.error;
		const { data } = outcome;
		// A time limit that began in this poll may run on, and its timer holds on to this object.
		outcome.data = null;
		return data;
	}

	/** The node's state as n8n has it in the database. */
	get state(): IDataObject {
		return asStored(this.cursor ?? this.storedState);
	}

	/** The node's state in the process, which the default engine stores only with the next event. */
	get memory(): IDataObject {
		if (this.cursor !== undefined || this.registration === undefined) return this.state;
		const { workflow } = this.registration;
		return asStored(workflow.getStaticData('node', this.nodeOf(this.registration)));
	}

	/** The static data of the workflow as a whole, in the database. */
	get workflowState(): IDataObject {
		return asStored((this.stored.global ?? {}) as IDataObject);
	}

	/** The same in the process. */
	get workflowMemory(): IDataObject {
		if (this.registration === undefined) return this.workflowState;
		return asStored(this.registration.workflow.getStaticData('global'));
	}

	setState(state: IDataObject): void {
		Object.assign(this.stored, this.bucket(asStored(state)));
		if (this.cursor !== undefined) this.cursor = asStored(state);
		this.registration = undefined;
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
		this.registration = undefined;
	}

	/** A new process: state as stored, and a node that remembers nothing. n8n then activates. */
	async restart(engine: PollEngine = this.engine): Promise<void> {
		this.engine = engine;
		this.registration = undefined;
		this.types = await this.load(true);
	}

	private get nodeName(): string {
		return this.options.settings?.name ?? 'Trigger';
	}

	private get storedState(): IDataObject {
		return (this.stored[`node:${this.nodeName}`] ?? {}) as IDataObject;
	}

	private bucket(state: IDataObject | undefined): IDataObject {
		return state === undefined ? {} : { [`node:${this.nodeName}`]: state };
	}

	private nodeOf({ nodeName, workflow }: Registration): INode {
		return workflow.getNode(nodeName) as INode;
	}

	private store(types: PackageTypes): CredentialStore {
		return new CredentialStore(types, this.options.credentials);
	}

	private workflow(types: PackageTypes): Workflow {
		const { nodeType = types.trigger, parameters, settings, workflow, beside } = this.options;
		const name = this.nodeName;
		const node = types.instance(nodeType, parameters, types.credentialName, { ...settings, name });
		if (beside?.registration !== undefined) {
			const shared = beside.registration.workflow;
			shared.setNodes([...Object.values(shared.nodes), node]);
			return shared;
		}
		return workflowOf(types, [node], {
			id: workflow.id ?? 'workflow-1',
			name: workflow.name ?? 'Test workflow',
			active: true,
			settings: workflow.settings ?? {},
			staticData: asStored(this.stored),
		});
	}

	/**
	 * The default engine keeps one context from activation to deactivation. The scheduler makes one
	 * for each poll, which then says "update"; only activation polls say how they came about.
	 */
	private registrationFor(types: PackageTypes, activation?: WorkflowActivateMode): Registration {
		if (activation === undefined && this.engine === 'default' && this.registration !== undefined) {
			return this.registration;
		}
		const isScheduled = this.engine !== 'default';
		const workflow = this.workflow(types);
		const registration: Registration = {
			nodeName: this.nodeName,
			workflow,
			context: this.context(types, workflow, activation ?? (isScheduled ? 'update' : 'activate')),
		};
		this.registration = registration;
		return registration;
	}

	private context(
		types: PackageTypes,
		workflow: Workflow,
		activation: WorkflowActivateMode,
	): PollContext {
		const { budgetMs, withoutBudget } = this.options;
		const node = workflow.getNode(this.nodeName) as INode;
		const scheduled = this.engine !== 'default' && activation === 'update';
		const budget = budgetMs ?? (scheduled ? DURABLE_BUDGET_MS : DEFAULT_BUDGET_MS);
		const context = new PollContext(
			workflow,
			node,
			additionalData(this.store(types), { workflowId: workflow.id }),
			'trigger',
			activation,
			(data) => this.emit(workflow, data),
			(error) => Object.assign(this.outcome.getStore() ?? {}, { error }),
			async () => this.commit(),
			async (poll) => await this.staged.run(this.stage(), poll),
			() => this.staged.getStore()?.copy ?? workflow.getStaticData('node', node),
			() => budget,
		);
		return withoutBudget ? Object.assign(context, { getPollBudgetMs: undefined }) : context;
	}

	/** The row is made from the static data the first time that cursors are durable. */
	private stage(): Staged | undefined {
		if (this.cursor === undefined && this.engine === 'durable') this.cursor = this.storedState;
		if (this.cursor === undefined) return undefined;
		return { copy: asStored(this.cursor), seed: this.cursor };
	}

	/** With an emission in one transaction with the execution, or alone after a scheduled `null`. */
	private commit(): void {
		const staged = this.staged.getStore();
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
		Object.assign(this.outcome.getStore() ?? {}, { data });
	}

	/** Seen in n8n 2.41: with every emission, and at the end of an activation; nodes' and workflow's. */
	private storeStaticData(workflow: Workflow): void {
		if (workflow.staticData.__dataChanged !== true) return;
		this.stored = asStored(workflow.staticData);
		workflow.staticData.__dataChanged = false;
	}

	private async fetchTestEvent(types: PackageTypes): Promise<Polled> {
		const workflow = this.workflow(types);
		const node = workflow.getNode(this.nodeName) as INode;
		const additional = additionalData(this.store(types), { workflowId: workflow.id });
		const context = new PollContext(workflow, node, additional, 'manual', 'manual');
		const { poll } = types.node(node.type);
		if (poll === undefined) throw new Error(`${node.type} is not a poll trigger`);
		return await poll.call(context as IPollFunctions);
	}
}
