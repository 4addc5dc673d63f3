import type { IDataObject, INode, INodeTypes, IPollFunctions } from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import { takeBaseline } from '../../nodes/PaymentsGateway/trigger/baseline';
import { catchUp } from '../../nodes/PaymentsGateway/trigger/catchUp';
import type { Decision, Limits } from '../../nodes/PaymentsGateway/trigger/catchUp';
import { isState } from '../../nodes/PaymentsGateway/trigger/state';
import type { State } from '../../nodes/PaymentsGateway/trigger/state';
import { openState } from '../../nodes/PaymentsGateway/trigger/stateStore';
import type { PollEngine } from '../engine';
import type { Habits } from './eventModel';
import { EventModel } from './eventModel';
import { LOOK_BACK, MINUTE } from './spans';

const NODE: INode = {
	...{ id: 'n', name: 'Trigger', type: 't', typeVersion: 1, position: [0, 0], parameters: {} },
};
const noTypes = { getByNameAndVersion: () => undefined } as unknown as INodeTypes;

function copyOf<T>(value: T): T {
	return JSON.parse(JSON.stringify(value)) as T;
}

/** What n8n stores for the trigger, and what it has in memory: see test/engine/poller.ts. */
class Storage {
	private staticData: IDataObject | undefined;
	private row: IDataObject = {};
	private workflow = this.load();

	constructor(private readonly engine: PollEngine) {}

	private load(): Workflow {
		return new Workflow({
			...{ id: 'w', nodes: [NODE], connections: {}, active: true, nodeTypes: noTypes },
			...(this.staticData && { staticData: copyOf(this.staticData) }),
		});
	}

	/** The state as a poll sees it; what it writes is kept when n8n does. */
	open() {
		// The scheduler loads the workflow anew for each poll.
		if (this.engine !== 'default') this.restart();
		const { workflow } = this;
		const row = this.engine === 'durable' ? copyOf(this.row) : undefined;
		const context = {
			getNode: () => NODE,
			getWorkflow: () => ({ id: 'w', name: 'w', active: true }),
			getWorkflowStaticData: (type: string) =>
				type === 'node' && row ? row : workflow.getStaticData(type, NODE),
		} as unknown as IPollFunctions;
		const state = openState(context);
		return {
			state: () => {
				const latest: unknown = JSON.parse(state.latest);
				if (!isState(latest)) throw new Error('There is no state');
				return latest;
			},
			write: (next: State, isEmission: boolean) => {
				state.write(next, isEmission);
				this.row = row ?? this.row;
				if (isEmission) this.staticData = copyOf(workflow.staticData);
			},
		};
	}

	restart(): void {
		this.workflow = this.load();
	}
}

/** What a poll has decided, and how that is written. */
export interface Decided extends Decision {
	write: ReturnType<Storage['open']>['write'];
}

/** A list of events with a trigger that watches it, in simulated time until `jest.restoreAllMocks`. */
export class SimulatedTrigger extends EventModel {
	/** What has appeared and is to fire, and what has fired, in order. */
	readonly due = new Set<string>();
	readonly fired: string[] = [];
	readonly warnings: string[] = [];
	readonly limits: Limits = {
		lookBackMs: LOOK_BACK,
		maxEvents: 1_000,
		skipOlderMs: Infinity,
		isWanted: () => true,
	};
	/** The largest state that n8n was given, in characters. */
	mostState = 0;
	private readonly storage: Storage;

	constructor(habits: Partial<Habits> = {}, engine: PollEngine = 'default') {
		super({ total: 'true', hasDate: true, ...habits });
		this.storage = new Storage(engine);
		jest.spyOn(Date, 'now').mockImplementation(() => this.localNow);
	}

	/** Lists so many events from before its start, so far apart, the last one as long ago. */
	listOld(count: number, every = 1_000): void {
		for (let row = count; row > 0; row--) this.list(this.now - row * every);
	}

	async start(): Promise<void> {
		const first = await takeBaseline(this.open(), 'merchant', LOOK_BACK);
		this.storage.open().write(first, true);
	}

	get state(): State {
		return this.storage.open().state();
	}

	/** So many new events, so far apart. */
	arrive(count: number, every = 1): void {
		for (let n = 0; n < count; n++) {
			this.now += every;
			this.due.add(this.list(this.now));
		}
	}

	/** n8n begins anew with what it has stored. */
	restart(): void {
		this.storage.restart();
	}

	/** One poll, and how many events it fired; what fails is thrown. */
	async poll(): Promise<number> {
		return this.take(await this.decide());
	}

	/** So many polls a minute apart, some of which may fail; and how many requests they sent. */
	async polls(count: number): Promise<number> {
		const before = this.requests;
		for (let nth = 0; nth < count; nth++) {
			this.now += MINUTE;
			await this.poll().catch(() => undefined);
		}
		return this.requests - before;
	}

	protected async decide(): Promise<Decided> {
		const opened = this.storage.open();
		const state = opened.state();
		const decision = await catchUp(state, this.open(state.pageSize), this.limits);
		expect(decision.state.floor).toBeGreaterThanOrEqual(state.floor);
		return { ...decision, write: opened.write };
	}

	protected take({ state, events, warnings, write }: Decided): number {
		write(state, events.length > 0);
		this.mostState = Math.max(this.mostState, JSON.stringify(state).length);
		expect(this.mostState).toBeLessThan(60_000);
		const dates = events.map(({ date }) => Date.parse(date));
		expect(dates).toEqual([...dates].sort((a, b) => a - b));
		expect(events.length).toBeLessThanOrEqual(this.limits.maxEvents);
		this.fired.push(...events.map(({ eventID }) => eventID));
		this.warnings.push(...warnings);
		return events.length;
	}

	/** All that appeared has fired, once. */
	expectOnce(): void {
		expect([...this.fired].sort()).toEqual([...this.due].sort());
	}
}
