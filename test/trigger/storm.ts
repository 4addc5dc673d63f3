import type { INode, INodeTypes, IDataObject, IPollFunctions } from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import { takeBaseline } from '../../nodes/PaymentsGateway/trigger/baseline';
import { catchUp } from '../../nodes/PaymentsGateway/trigger/catchUp';
import { Handled, rowOf } from '../../nodes/PaymentsGateway/trigger/handled';
import { readState } from '../../nodes/PaymentsGateway/trigger/state';
import type { State } from '../../nodes/PaymentsGateway/trigger/state';
import { openState } from '../../nodes/PaymentsGateway/trigger/stateStore';
import type { StateStore } from '../../nodes/PaymentsGateway/trigger/stateStore';
import type { PollEngine } from '../engine';
import type { Habits } from './eventModel';
import { EventModel, refused } from './eventModel';
import { BUDGET, DAY, HOUR, LOOK_BACK, MINUTE, PROMISED } from './spans';

/**
 * A trigger that polls a list of events in bad weather, in simulated time, and the account of what
 * should fire and what did. storm.test.ts and month.test.ts say what happens, step by step.
 */

export type Step =
	| { kind: 'arrive'; count: number; every: number }
	/** So many share a moment. */
	| { kind: 'moment'; count: number }
	| { kind: 'late'; count: number; hours: number }
	| { kind: 'future'; hours: number }
	/** An ID once more, at the same place or with the date of now. */
	| { kind: 'repeat'; rank: number; isNow: boolean }
	/** A row that is no event. */
	| { kind: 'null'; rank: number }
	/** The oldest are removed: a share of all, or by their age. */
	| { kind: 'purge'; keep: number }
	| { kind: 'purgeOlder'; days: number }
	| { kind: 'wait'; minutes: number }
	| { kind: 'restart' }
	| { kind: 'rename' }
	/** This machine's clock is so many days fast. */
	| { kind: 'clock'; days: number }
	| { kind: 'cap'; to: number }
	| { kind: 'total'; total: Habits['total'] }
	| ({ kind: 'poll' } & PollFaults);

/** What disturbs a poll; here nothing does. */
export const QUIET = {
	/** From this request on nothing is answered; 0: never. */
	failAt: 0,
	/** Once with a 503, for the rest of the poll with a 429, or not before its time is over. */
	failWith: '503' as '503' | '429' | 'drip',
	/** At this request so many arrive; at that one, one comes late. 0: never. */
	arriveAt: 0,
	arrive: 0,
	lateAt: 0,
	/** Milliseconds that each request takes, of a poll's 40 seconds. */
	latency: 0,
	/** n8n dies after the poll, and before it has stored the state and started an execution. */
	dies: false,
};
type PollFaults = typeof QUIET;

/** Steps with which the list does more than to grow on top. */
const ODD: readonly string[] = ['late', 'future', 'repeat', 'null', 'purge', 'purgeOlder', 'total'];

/** What a storm begins with. */
export interface Scene {
	habits: Habits;
	maxEvents: number;
	engine: PollEngine;
	/** How many requests of the activation are answered with an empty list. */
	empty: number;
	old: number;
}

const noTypes = { getByNameAndVersion: () => undefined } as unknown as INodeTypes;

/** What n8n stores for the trigger, and what it has in memory: see test/engine/poller.ts. */
class Storage {
	private name = 'Trigger';
	private staticData: string | undefined;
	private row: IDataObject | undefined;
	private workflow = this.load();

	constructor(private readonly engine: PollEngine) {}

	private get node(): INode {
		const position: [number, number] = [0, 0];
		return { id: 'n', name: this.name, type: 't', typeVersion: 1, position, parameters: {} };
	}

	private load(): Workflow {
		return new Workflow({
			id: 'w',
			nodes: [this.node],
			connections: {},
			active: true,
			nodeTypes: noTypes,
			...(this.staticData === undefined ? {} : { staticData: JSON.parse(this.staticData) }),
		});
	}

	/** The state as a poll sees it; what it writes is kept when n8n does. */
	open() {
		// The scheduler loads the workflow anew for each poll.
		if (this.engine !== 'default') this.restart();
		const { workflow } = this;
		const isDurable = this.engine === 'durable';
		const copy = isDurable
			? (JSON.parse(JSON.stringify(this.row ?? {})) as IDataObject)
			: undefined;
		const context = {
			getNode: () => this.node,
			getWorkflow: () => ({ id: 'w', name: 'w', active: true }),
			getWorkflowStaticData: (type: string) =>
				type === 'node' && copy !== undefined ? copy : workflow.getStaticData(type, this.node),
		} as unknown as IPollFunctions;
		return {
			state: openState(context),
			store: (isEmission: boolean) => {
				if (copy !== undefined) this.row = copy;
				if (isEmission) this.staticData = JSON.stringify(workflow.staticData);
			},
		};
	}

	/** The larger of what n8n stores of the workflow and of the node, in characters. */
	get size(): number {
		return Math.max(this.staticData?.length ?? 0, JSON.stringify(this.row ?? {}).length);
	}

	restart(): void {
		this.workflow = this.load();
	}

	rename(): void {
		this.name += ' again';
		this.restart();
	}
}

export class Storm {
	readonly model: EventModel;
	readonly fired = new Map<string, number>();
	/** Within what is promised. */
	private readonly due = new Set<string>();
	/** Beyond what is promised: at most once. */
	private readonly exempt = new Set<string>();
	private readonly storage: Storage;
	private floor = 0;
	private readonly purged: Array<{ at: number }> = [];
	private readonly purgedUnseen = new Set<string>();
	private readonly counts = {
		polls: 0,
		restarts: 0,
		renames: 0,
		failures: 0,
		moves: 0,
		oddities: 0,
		clocks: 0,
		slow: 0,
		requests: 0,
	};
	/** The most that one poll has sent, and that n8n has stored. */
	readonly most = { requests: 0, state: 0 };

	constructor(private readonly scene: Scene) {
		this.model = new EventModel({ ...scene.habits });
		this.storage = new Storage(scene.engine);
		for (let row = 0; row < scene.old; row++) {
			// In pairs of one moment, so that the start can miss one, too.
			this.tick(row % 2 === 1 ? 0 : row < 120 ? 50 : MINUTE);
			this.model.list(this.model.now);
		}
		this.tick(20 * MINUTE);
		jest.spyOn(Date, 'now').mockImplementation(() => this.model.localNow);
	}

	private tick(ms: number): void {
		this.model.now += ms;
	}

	async start(): Promise<void> {
		const { empty } = this.scene;
		this.model.empty = empty;
		const { state, store } = this.storage.open();
		const first = await takeBaseline(this.model.open(100), 'm', LOOK_BACK);
		this.model.empty = 0;
		this.floor = first.floor;
		// Where the first answer shows nothing, what is dated as lately before it counts as new.
		const shown = empty > 0 ? this.model.rows.filter(({ at }) => at >= first.floor) : [];
		for (const { event } of shown) this.exempt.add(event.eventID);
		state.write(first, true);
		store(true);
	}

	private stateIn({ stored }: StateStore): State {
		const read = readState(JSON.parse(stored), 'm');
		if (typeof read === 'string') throw new Error(`The state is ${read}`);
		return read;
	}

	private arrive(): void {
		this.due.add(this.model.list(this.model.now));
	}

	/** Comes at another place than on top. */
	private add(at: number): void {
		// Purged rows count: they were among the newest when the floor passed them.
		const above = this.purged.concat(this.model.rows).filter((row) => row.at >= at).length;
		const isPromised = at >= this.model.now - LOOK_BACK && at >= this.floor && above < PROMISED;
		(isPromised ? this.due : this.exempt).add(this.model.list(at));
	}

	async take(step: Step): Promise<void> {
		const { model, counts } = this;
		if (ODD.includes(step.kind)) counts.oddities++;
		switch (step.kind) {
			case 'arrive':
				for (let n = 0; n < step.count; n++) {
					this.tick(step.every);
					this.arrive();
				}
				return;
			case 'moment':
				this.tick(1_000 - (model.now % 1_000));
				for (let n = 0; n < step.count; n++) this.arrive();
				return;
			case 'late':
				for (let n = 0; n < step.count; n++) this.add(Math.floor(model.now - step.hours * HOUR));
				return;
			case 'future':
				this.add(model.now + step.hours * HOUR);
				return;
			case 'null':
				model.listNull(this.placeOf(step.rank));
				return;
			case 'repeat': {
				const event = model.rows[step.rank]?.event;
				// What was settled long ago is not known any more; dated anew, it would be a new event.
				if (!event || (step.isNow && !this.isKnown(event))) return;
				if (step.isNow) model.list(model.now, undefined, event.eventID);
				else model.list(this.placeOf(step.rank), event.date, event.eventID);
				return;
			}
			case 'purge':
				this.purge(Math.ceil(model.rows.length * step.keep));
				return;
			case 'purgeOlder':
				this.purge(model.rows.filter(({ at }) => at >= model.now - step.days * DAY).length);
				return;
			case 'total':
				model.habits.total = step.total;
				return;
			case 'wait':
				this.tick(step.minutes * MINUTE);
				return;
			case 'restart':
				counts.restarts++;
				this.storage.restart();
				return;
			case 'rename':
				counts.renames++;
				this.storage.rename();
				return;
			case 'clock':
				counts.clocks++;
				// Without the gateway's clock nobody could tell that this one is wrong.
				model.localOff = model.habits.hasDate ? step.days * DAY : 0;
				return;
			case 'cap':
				model.habits.cap = Math.min(step.to, model.habits.cap ?? step.to);
				return;
			case 'poll':
				await this.poll(step);
		}
	}

	private isKnown(event: Parameters<typeof rowOf>[0]): boolean {
		const { handled } = this.stateIn(this.storage.open().state);
		return new Handled(handled).has(rowOf(event).hash);
	}

	private placeOf(rank: number): number {
		const { rows, now } = this.model;
		return rows[Math.min(rank, rows.length - 1)]?.at ?? now;
	}

	/** What was purged before a poll could see it cannot fire. */
	private purge(kept: number): void {
		for (const row of this.model.rows.splice(kept)) {
			this.purged.push(row);
			const { eventID: id = '' } = row.event ?? {};
			if (this.fired.has(id)) continue;
			this.purgedUnseen.add(id);
			if (this.due.delete(id)) this.exempt.add(id);
		}
	}

	async poll({ failAt, failWith, arriveAt, arrive, lateAt, latency, dies }: PollFaults) {
		const { model, counts } = this;
		counts.polls++;
		if (latency > 0) counts.slow++;
		model.requests = 0;
		model.latency = latency;
		const deadline = model.now + BUDGET;
		model.before = (request) => {
			if (model.now >= deadline) return refused('drip');
			if (failAt > 0 && (failWith === '503' ? request === failAt : request >= failAt)) {
				counts.failures++;
				if (failWith === 'drip') model.now = deadline;
				return refused(failWith);
			}
			if ((request === arriveAt && arrive > 0) || request === lateAt) counts.moves++;
			if (request === arriveAt) for (let n = 0; n < arrive; n++) this.arrive();
			if (request === lateAt) this.add(model.now - 3 * HOUR);
			return undefined;
		};
		const { state, store } = this.storage.open();
		const before = this.stateIn(state);
		const outcome = await catchUp(before, model.open(before.pageSize ?? 100), {
			lookBackMs: LOOK_BACK,
			maxEvents: this.scene.maxEvents,
			skipOlderMs: Infinity,
			isWanted: () => true,
		}).catch((error: Error) => error);
		model.before = () => undefined;
		model.latency = 0;
		counts.requests += model.requests;
		this.most.requests = Math.max(this.most.requests, model.requests);
		if (outcome instanceof Error) {
			if (!/503|429|drip|too slow/.test(outcome.message)) throw outcome;
			return -1;
		}
		expect(outcome.state.floor).toBeGreaterThanOrEqual(before.floor);
		if (dies) {
			counts.restarts++;
			this.storage.restart();
			return -1;
		}
		const { events } = outcome;
		if (!state.isKept(outcome.state)) state.write(outcome.state, events.length > 0);
		store(events.length > 0);
		this.most.state = Math.max(this.most.state, this.storage.size);
		expect(this.most.state).toBeLessThan(64_000);
		const dates = events.map(({ date }) => Date.parse(date));
		expect(dates).toEqual([...dates].sort((a, b) => a - b));
		expect(events.length).toBeLessThanOrEqual(this.scene.maxEvents);
		for (const { eventID: id } of events) this.fired.set(id, (this.fired.get(id) ?? 0) + 1);
		return events.length;
	}

	/** Polls until nothing more comes, the hourly sweeps included. */
	async settle(): Promise<void> {
		this.model.localOff = 0;
		const { failures, clocks, slow } = this.counts;
		const isUndisturbed = this.purged.length + failures + clocks + slow === 0;
		if (this.model.habits.total === 'true' && isUndisturbed) {
			// The count shows what is missing, so nothing has to wait for the hourly sweep.
			await this.pollUntilQuiet(3, MINUTE);
			expect(this.verdict()).toEqual({ doubled: [], lost: [], wrong: [] });
		}
		await this.pollUntilQuiet(3, 61 * MINUTE);
	}

	private async pollUntilQuiet(enough: number, every: number): Promise<void> {
		let quiet = 0;
		for (let polls = 0; polls < 1_000 && quiet < enough; polls++) {
			this.tick(quiet > 0 ? every : MINUTE);
			quiet = (await this.poll(QUIET)) === 0 ? quiet + 1 : 0;
		}
		expect(quiet).toBe(enough);
	}

	verdict() {
		const doubled = [...this.fired].filter(([, count]) => count > 1).map(([id]) => id);
		const lost = [...this.due].filter((id) => !this.fired.has(id));
		const wrong = [...this.fired.keys()].filter((id) => !this.due.has(id) && !this.exempt.has(id));
		return { doubled, lost, wrong };
	}

	counted() {
		const { doubled, lost, wrong } = this.verdict();
		const unfired = [...this.exempt].filter((id) => !this.fired.has(id));
		const purgedUnseen = unfired.filter((id) => this.purgedUnseen.has(id)).length;
		return {
			...this.counts,
			sent: this.due.size + this.exempt.size,
			purgedUnseen,
			tooLate: unfired.length - purgedUnseen,
			fired: this.fired.size,
			lost: lost.length,
			doubled: doubled.length,
			unclear: wrong.length,
		};
	}
}
