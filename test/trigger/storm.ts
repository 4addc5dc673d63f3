import type { INode, INodeTypes, IDataObject, IPollFunctions } from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import { takeBaseline } from '../../nodes/PaymentsGateway/trigger/baseline';
import { catchUp } from '../../nodes/PaymentsGateway/trigger/catchUp';
import { Handled, rowOf } from '../../nodes/PaymentsGateway/trigger/handled';
import { isState } from '../../nodes/PaymentsGateway/trigger/state';
import type { State } from '../../nodes/PaymentsGateway/trigger/state';
import { openState } from '../../nodes/PaymentsGateway/trigger/stateStore';
import type { PollEngine } from '../engine';
import type { Habits } from './eventModel';
import { EventModel, refused } from './eventModel';
import { BUDGET, DAY, HOUR, LOOK_BACK, MINUTE, PROMISED } from './spans';

/**
 * A trigger that polls a list of events in bad weather, in simulated time, and the account of what
 * should fire and what did. storm.test.ts and month.test.ts say what happens, step by step.
 */

/** A method of the storm, and what it is called with. */
export type Step = { [Kind in StepKind]: [Kind, ...Parameters<Storm[Kind]>] }[StepKind];
export type StepKind =
	ListStep | 'arrive' | 'moment' | 'wait' | 'restart' | 'rename' | 'clock' | 'cap' | 'poll';
/** The list does more than to grow on top. */
type ListStep = 'late' | 'future' | 'repeat' | 'listNull' | 'purge' | 'purgeOlder' | 'total';

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
	private readonly purgedUnseen = new Set<string>();
	private readonly purged: Array<{ at: number }> = [];
	private readonly storage: Storage;
	private floor = 0;
	/** By failed or slow polls, a wrong clock, a purge, or a count that comes or goes: the count alone
	 * does not show what is missing, and it may wait for a sweep. */
	private isDisturbed = false;
	readonly counts = { polls: 0, requests: 0 };
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

	async start(): Promise<void> {
		const { empty } = this.scene;
		this.model.empty = empty;
		const { state, store } = this.storage.open();
		const first = await takeBaseline(this.model.open(), 'm', LOOK_BACK);
		this.model.empty = 0;
		this.floor = first.floor;
		// Where the first answer shows nothing, what is dated as lately before it counts as new.
		const shown = empty > 0 ? this.model.rows.filter(({ at }) => at >= first.floor) : [];
		for (const { event } of shown) this.exempt.add(event.eventID);
		state.write(first, true);
		store(true);
	}

	async take([kind, ...given]: Step): Promise<void> {
		const act = this[kind] as (...all: unknown[]) => Promise<unknown> | void;
		await act.apply(this, given);
	}

	arrive(count: number, every: number): void {
		for (let n = 0; n < count; n++) {
			this.tick(every);
			this.due.add(this.model.list(this.model.now));
		}
	}

	/** So many share a moment. */
	moment(count: number): void {
		this.tick(1_000 - (this.model.now % 1_000));
		this.arrive(count, 0);
	}

	late(count: number, hours: number): void {
		for (let n = 0; n < count; n++) this.add(Math.floor(this.model.now - hours * HOUR));
	}

	future(hours: number): void {
		this.add(this.model.now + hours * HOUR);
	}

	/** A row that is no event. */
	listNull(rank: number): void {
		this.model.listNull(this.placeOf(rank));
	}

	/** An ID once more, at the same place or with the date of now. */
	repeat(rank: number, isNow: boolean): void {
		const { model } = this;
		const event = model.rows[rank]?.event;
		// What was settled long ago is not known any more; dated anew, it would be a new event.
		if (!event || (isNow && !this.isKnown(event))) return;
		if (isNow) model.list(model.now, undefined, event.eventID);
		else model.list(this.placeOf(rank), event.date, event.eventID);
	}

	/** The oldest are removed, and a share of all is kept. */
	purge(share: number): void {
		this.keepNewest(Math.ceil(this.model.rows.length * share));
	}

	purgeOlder(days: number): void {
		const { rows, now } = this.model;
		this.keepNewest(rows.filter(({ at }) => at >= now - days * DAY).length);
	}

	/** What was removed before a poll could see it cannot fire. */
	private keepNewest(count: number): void {
		for (const row of this.model.rows.splice(count)) {
			this.isDisturbed = true;
			this.purged.push(row);
			const { eventID: id = '' } = row.event ?? {};
			if (this.fired.has(id)) continue;
			this.purgedUnseen.add(id);
			if (this.due.delete(id)) this.exempt.add(id);
		}
	}

	total(total: Habits['total']): void {
		this.isDisturbed = true;
		this.model.habits.total = total;
	}

	wait(minutes: number): void {
		this.tick(minutes * MINUTE);
	}

	restart(): void {
		this.storage.restart();
	}

	rename(): void {
		this.storage.rename();
	}

	/** This machine's clock is so many days fast. */
	clock(days: number): void {
		const { model } = this;
		this.isDisturbed = true;
		// Without the gateway's clock nobody could tell that this one is wrong.
		model.localOff = model.habits.hasDate ? days * DAY : 0;
	}

	cap(rows: number): void {
		const { habits } = this.model;
		habits.cap = Math.min(rows, habits.cap ?? rows);
	}

	/** How many have fired; -1 where it has failed. */
	async poll({ failAt, failWith, arriveAt, arrive, lateAt, latency, dies }: PollFaults) {
		const { model, counts, most, scene } = this;
		this.isDisturbed ||= latency > 0;
		model.requests = 0;
		model.latency = latency;
		const deadline = model.now + BUDGET;
		model.before = (request) => {
			if (model.now >= deadline) return refused('drip');
			if (failAt > 0 && (failWith === '503' ? request === failAt : request >= failAt)) {
				this.isDisturbed = true;
				if (failWith === 'drip') model.now = deadline;
				return refused(failWith);
			}
			if (request === arriveAt) this.arrive(arrive, 0);
			if (request === lateAt) this.late(1, 3);
			return undefined;
		};
		const { state, store } = this.storage.open();
		const before = this.stateIn(state);
		const outcome = await catchUp(before, model.open(before.pageSize), {
			lookBackMs: LOOK_BACK,
			maxEvents: scene.maxEvents,
			skipOlderMs: Infinity,
			isWanted: () => true,
		}).catch((error: Error) => error);
		model.before = () => undefined;
		model.latency = 0;
		counts.polls++;
		counts.requests += model.requests;
		most.requests = Math.max(most.requests, model.requests);
		if (outcome instanceof Error) {
			if (!/503|429|drip|too slow/.test(outcome.message)) throw outcome;
			return -1;
		}
		expect(outcome.state.floor).toBeGreaterThanOrEqual(before.floor);
		if (dies) {
			this.restart();
			return -1;
		}
		const { events } = outcome;
		state.write(outcome.state, events.length > 0);
		store(events.length > 0);
		most.state = Math.max(most.state, this.storage.size);
		expect(most.state).toBeLessThan(64_000);
		const dates = events.map(({ date }) => Date.parse(date));
		expect(dates).toEqual([...dates].sort((a, b) => a - b));
		expect(events.length).toBeLessThanOrEqual(scene.maxEvents);
		for (const { eventID: id } of events) this.fired.set(id, (this.fired.get(id) ?? 0) + 1);
		return events.length;
	}

	/** Polls until nothing more comes, the hourly sweeps included. */
	async settle(): Promise<void> {
		this.model.localOff = 0;
		if (this.model.habits.total === 'true' && !this.isDisturbed) {
			// The count shows what is missing, so nothing has to wait for the hourly sweep.
			await this.pollUntilQuiet(MINUTE);
			expect(this.verdict()).toEqual({ doubled: [], lost: [], wrong: [] });
		}
		await this.pollUntilQuiet(61 * MINUTE);
	}

	private async pollUntilQuiet(every: number): Promise<void> {
		let quiet = 0;
		for (let polls = 0; polls < 1_000 && quiet < 3; polls++) {
			this.tick(quiet > 0 ? every : MINUTE);
			quiet = (await this.poll(QUIET)) === 0 ? quiet + 1 : 0;
		}
		expect(quiet).toBe(3);
	}

	private tick(ms: number): void {
		this.model.now += ms;
	}

	/** Comes at another place than on top. */
	private add(at: number): void {
		// Purged rows count: they were among the newest when the floor passed them.
		const above = this.purged.concat(this.model.rows).filter((row) => row.at >= at).length;
		const isPromised = at >= this.model.now - LOOK_BACK && at >= this.floor && above < PROMISED;
		(isPromised ? this.due : this.exempt).add(this.model.list(at));
	}

	private stateIn({ stored }: ReturnType<typeof openState>): State {
		const read: unknown = JSON.parse(stored);
		if (!isState(read)) throw new Error('There is no state');
		return read;
	}

	private isKnown(event: Parameters<typeof rowOf>[0]): boolean {
		const { handled } = this.stateIn(this.storage.open().state);
		return new Handled(handled).has(rowOf(event, 0).hash);
	}

	private placeOf(rank: number): number {
		const { rows, now } = this.model;
		return rows[Math.min(rank, rows.length - 1)]?.at ?? now;
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
