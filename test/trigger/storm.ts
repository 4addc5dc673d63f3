import type { INode, INodeTypes, IDataObject, IPollFunctions } from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import { takeBaseline } from '../../nodes/PaymentsGateway/trigger/baseline';
import { catchUp } from '../../nodes/PaymentsGateway/trigger/catchUp';
import { Handled, rowOf } from '../../nodes/PaymentsGateway/trigger/handled';
import { readState } from '../../nodes/PaymentsGateway/trigger/state';
import type { State } from '../../nodes/PaymentsGateway/trigger/state';
import { openState } from '../../nodes/PaymentsGateway/trigger/stateStore';
import type { StateStore } from '../../nodes/PaymentsGateway/trigger/stateStore';
import { KEPT } from '../../nodes/PaymentsGateway/trigger/sweep';
import type { WebhookEvent } from '../../nodes/PaymentsGateway/wire';
import type { PollEngine } from '../engine';
import type { Habits } from './eventModel';
import { EventModel, refused } from './eventModel';
import { BUDGET, DAY, HOUR, LOOK_BACK, MINUTE } from './spans';

/**
 * A trigger that polls a list of events which misbehaves, in simulated time, and the account of what
 * should fire and what did. storm.test.ts and month.test.ts say what happens, step by step.
 */

type Whose = 'service' | 'local' | 'none';

export type Step =
	/** `isBehind`: a gateway that shows local time, after the clocks went back. */
	| { kind: 'arrive'; count: number; every: number; isBehind?: boolean }
	| { kind: 'moment'; count: number; second: boolean }
	| { kind: 'late'; count: number; hours: number }
	| { kind: 'future'; hours: number }
	| { kind: 'undated'; rank: number }
	/** An ID once more, at the same place or with the date of now. */
	| { kind: 'repeat'; rank: number; isNow: boolean }
	| { kind: 'purge'; keep: number }
	| { kind: 'wait'; minutes: number }
	| { kind: 'restart' }
	| { kind: 'rename' }
	| { kind: 'null'; rank: number }
	| { kind: 'clock'; whose: Whose; days: number }
	| { kind: 'cap'; to: number }
	| { kind: 'lie'; total: Habits['total'] }
	/** Two rows, one below the other, stand the wrong way round from now on. */
	| { kind: 'swap'; rank: number }
	| { kind: 'vanish'; rank: number; count: number }
	| { kind: 'purgeOlder'; days: number }
	| ({ kind: 'poll' } & PollFaults);

/** What disturbs a poll; here nothing does. */
export const QUIET = {
	/** From this request on nothing is answered; 0: never. */
	failAt: 0,
	/** Once with a 503 or 404, for the rest of the poll with a 429, or not before its time is over. */
	failWith: '503' as '503' | '404' | '429' | 'drip',
	arriveAt: 0,
	arrive: 0,
	lateAt: 0,
	/** Rows vanish at this request; 0: never. */
	vanishAt: 0,
	/** Milliseconds that each request takes, of a poll's 40 seconds. */
	latency: 0,
	/** n8n dies after the poll, and before it has stored the state and started an execution. */
	dies: false,
};
type PollFaults = typeof QUIET;

/** Steps with which the list does what a list of events should not. */
const ODD = 'late future undated repeat purge purgeOlder null lie swap vanish'.split(' ');

/** What a storm begins with. */
export interface Scene {
	habits: Habits;
	pageSize: number;
	maxEvents: number;
	engine: PollEngine;
	/** The least milliseconds that a request takes. */
	latency: number;
	/** How many requests of the activation are answered with an empty list. */
	empty: number;
	/** A clock that is wrong from the start. */
	off: { whose: Whose; days: number };
	old: number;
	seed: number;
}

/** A small generator of its own, so that a seed replays all of it. */
export function randomFrom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (Math.imul(state, 48_271) >>> 0) % 2_147_483_647;
		return state / 2_147_483_647;
	};
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
	private clock = 0;
	private readonly random: () => number;
	private floor = 0;
	/** How many events a clock that was fast has dated. */
	private misdated = 0;
	private readonly purged: Array<{ at: number }> = [];
	private readonly purgedUnseen = new Set<string>();
	/** Events that came late, and how they are dated. */
	private readonly cameLate = new Map<string, number>();
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
		this.random = randomFrom(scene.seed);
		this.model = new EventModel({ ...scene.habits });
		this.storage = new Storage(scene.engine);
		this.clock = this.model.now;
		for (let row = 0; row < scene.old; row++) {
			// In pairs of one moment, so that the start can miss one, too.
			this.model.list(this.tick(row % 2 === 1 ? 0 : row < 120 ? 50 : 60_000));
		}
		this.model.now = this.clock + 20 * MINUTE;
		jest.spyOn(Date, 'now').mockImplementation(() => this.model.localNow);
	}

	/** Dates rise with arrivals, as at a gateway whose clock is right. */
	private tick(ms: number): number {
		this.clock = Math.max(this.clock + ms, this.model.now);
		this.model.now = this.clock;
		return this.clock;
	}

	private pages(size = this.scene.pageSize) {
		return this.model.open(Math.min(size, this.scene.pageSize));
	}

	/** One clock at a time, or nobody could tell which is right. */
	private setClock(whose: Whose, days: number): void {
		this.counts.clocks++;
		this.model.serviceOff = whose === 'service' && this.scene.habits.hasDate ? days * DAY : 0;
		this.model.localOff = whose === 'local' ? days * DAY : 0;
	}

	async start(): Promise<void> {
		const { empty, habits, off, old } = this.scene;
		// With nothing listed and no `Date` header, nothing but this machine's clock says what is new.
		const isAlone = !habits.hasDate && off.days > 0 && (empty > 0 || old === 0);
		this.setClock(isAlone ? 'none' : off.whose, off.days);
		this.model.empty = empty;
		const { state, store } = this.storage.open();
		const cursor = await takeBaseline(this.pages(), 's', LOOK_BACK);
		this.model.empty = 0;
		this.floor = cursor.floor;
		// Where the first answer shows nothing, what is dated as lately before it counts as new.
		const shown = empty > 0 ? this.model.rows.filter(({ at }) => at >= cursor.floor) : [];
		for (const { event } of shown) this.exempt.add(event.eventID);
		state.write(cursor, true);
		store(true);
	}

	private stateIn({ stored }: StateStore): State {
		const read = readState(JSON.parse(stored), 's');
		if (typeof read === 'string') throw new Error(`The state is ${read}`);
		return read;
	}

	private add(at: number, date?: string): string {
		const id = this.model.list(at, date);
		const isPromised =
			at >= this.model.now - LOOK_BACK && this.isAmongNewest(at) && at >= this.floor;
		(isPromised ? this.due : this.exempt).add(id);
		return id;
	}

	private isAmongNewest(at: number): boolean {
		// Purged rows count: they were among the newest when the floor passed them.
		return this.purged.concat(this.model.rows).filter((row) => row.at >= at).length <= KEPT;
	}

	/** A poll that reads a page or two must see past those on top. */
	private get mostMisdated(): number {
		return this.scene.latency > 0 ? 5 : 900;
	}

	/** On time: nothing lies above it, save what a clock that was fast has dated. */
	private arrive(at: number, date?: string): void {
		// More than 1,000 events of the future cannot be remembered, as README says.
		if (this.model.serviceOff > 0 && ++this.misdated > this.mostMisdated) this.setClock('none', 0);
		const { serviceOff, rows } = this.model;
		if (serviceOff !== 0) this.add(at + serviceOff);
		else if ((rows[KEPT - 1]?.at ?? 0) > at) this.add(at, date);
		else this.due.add(this.model.list(at, date));
	}

	private late(hours: number): void {
		const at = Math.floor(this.model.now - hours * HOUR);
		this.cameLate.set(this.add(at), at);
	}

	/** A very slow gateway leaves a poll a page: a flood then buries what came late, as docs/limits.md says. */
	private forgiveBuried(): void {
		for (const [id, at] of this.cameLate) {
			const isBuried = !this.fired.has(id) && !this.isAmongNewest(at);
			if (isBuried && this.due.delete(id)) this.exempt.add(id);
		}
	}

	async take(step: Step): Promise<void> {
		const { model, counts } = this;
		if (ODD.includes(step.kind)) counts.oddities++;
		switch (step.kind) {
			case 'arrive':
				for (let n = 0; n < step.count; n++) {
					const at = this.tick(step.every);
					if (step.isBehind !== true) this.arrive(at);
					// A list that was empty as the trigger began says nothing of what was then.
					else if (at - HOUR >= this.floor) this.arrive(at, new Date(at - HOUR).toISOString());
				}
				return;
			case 'moment': {
				const moment = Math.ceil(this.tick(1) / 1_000) * 1_000;
				this.tick(moment - this.clock);
				const inSeconds = new Date(moment).toISOString().replace('.000', '');
				const date = step.second ? inSeconds : undefined;
				for (let n = 0; n < step.count; n++) this.arrive(moment, date);
				return;
			}
			case 'late':
				for (let n = 0; n < step.count; n++) this.late(step.hours);
				return;
			case 'future':
				// Without the gateway's clock, a local one that is wrong could not be told from it.
				if (!this.scene.habits.hasDate || ++this.misdated > this.mostMisdated) return;
				this.add(model.now + step.hours * HOUR);
				return;
			case 'undated': {
				const at = this.placeOf(step.rank);
				const id = this.add(at, 'no date');
				// Below others it comes late, whatever it is dated.
				if (step.rank > 0) this.cameLate.set(id, at);
				return;
			}
			case 'null':
				model.listNull(this.placeOf(step.rank));
				return;
			case 'repeat': {
				const event = model.rows[step.rank]?.event;
				if (event === undefined || event === null) return;
				// What was settled long ago is not known any more; dated anew, it would be a new event.
				const isNow = step.isNow && this.fired.has(event.eventID) && this.isKnown(event);
				const at = isNow ? this.tick(1) : this.placeOf(step.rank);
				model.list(at, isNow ? undefined : event.date, event.eventID);
				return;
			}
			case 'purge':
				this.vanish(Math.ceil(model.rows.length * step.keep), Infinity);
				return;
			case 'purgeOlder': {
				const { rows, now } = model;
				const kept = rows.findIndex(({ at }) => at < now - step.days * DAY);
				if (kept >= 0) this.vanish(kept, Infinity);
				return;
			}
			case 'lie':
				model.habits.total = step.total;
				return;
			case 'swap': {
				// No service puts an event above one that is dated months later.
				const pair = model.rows.slice(step.rank, step.rank + 2);
				const [one = 0, other = one] = pair.map(({ at }) => at);
				if (Math.abs(one - other) < DAY) model.rows.splice(step.rank, 2, ...pair.reverse());
				return;
			}
			case 'vanish':
				this.vanish(step.rank, step.count);
				return;
			case 'wait':
				model.now += step.minutes * MINUTE;
				this.clock = Math.max(this.clock, model.now);
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
				this.setClock(step.whose, step.days);
				return;
			case 'cap':
				this.lowerCap(step.to);
				return;
			case 'poll':
				await this.poll(step);
		}
	}

	private isKnown(event: WebhookEvent): boolean {
		const { handled } = this.stateIn(this.storage.open().state);
		return new Handled(handled).has(rowOf(event).hash);
	}

	/** What the gateway does not let anybody read cannot fire. */
	private forgiveTooDeep(): void {
		const { rows, habits } = this.model;
		for (const { event } of rows.slice((habits.deepest ?? Infinity) - 200)) {
			if (event && !this.fired.has(event.eventID)) this.forgive(event.eventID);
		}
	}

	private placeOf(rank: number): number {
		const { rows, now } = this.model;
		return rows[Math.min(rank, rows.length - 1)]?.at ?? now;
	}

	private lowerCap(to: number): void {
		const { habits } = this.model;
		habits.cap = Math.min(to, habits.cap ?? to);
	}

	private vanish(rank: number, count: number): void {
		for (const row of this.model.rows.splice(rank, count)) {
			this.purged.push(row);
			if (row.event) this.forgive(row.event.eventID);
		}
	}

	/** What was purged before a poll could see it cannot fire. */
	private forgive(id: string): void {
		if (!this.fired.has(id)) this.purgedUnseen.add(id);
		if (this.due.delete(id)) this.exempt.add(id);
	}

	async poll({ failAt, failWith, arriveAt, arrive, lateAt, vanishAt, latency, dies }: PollFaults) {
		const { model, counts } = this;
		counts.polls++;
		if (latency > 0) counts.slow++;
		model.requests = 0;
		model.latency = Math.max(latency, this.scene.latency);
		this.forgiveTooDeep();
		const deadline = model.now + BUDGET;
		model.before = (request) => {
			if (model.now >= deadline) return refused('drip');
			const isOnce = failWith === '503' || failWith === '404';
			if (failAt > 0 && (isOnce ? request === failAt : request >= failAt)) {
				counts.failures++;
				if (failWith === 'drip') model.now = deadline;
				return refused(failWith);
			}
			if ((request === arriveAt && arrive > 0) || request === lateAt) counts.moves++;
			if (request === arriveAt) for (let n = 0; n < arrive; n++) this.arrive(this.tick(7));
			if (request === lateAt) this.late(3);
			if (request === vanishAt) this.vanish(Math.floor(this.random() * 300), 7);
			return undefined;
		};
		const { state, store } = this.storage.open();
		const cursor = this.stateIn(state);
		const outcome = await catchUp(cursor, this.pages(cursor.pageSize), {
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
			if (!/503|404|429|drip|different pages/.test(outcome.message)) throw outcome;
			return -1;
		}
		expect(outcome.state.floor).toBeGreaterThanOrEqual(cursor.floor);
		expect(JSON.stringify(outcome.state).length).toBeLessThan(60_000);
		if (dies) {
			counts.restarts++;
			this.storage.restart();
			return -1;
		}
		if (!state.isKept(outcome.state)) state.write(outcome.state, outcome.events.length > 0);
		store(outcome.events.length > 0);
		this.most.state = Math.max(this.most.state, this.storage.size);
		const dates = outcome.events
			.map(({ date }) => Date.parse(date))
			.filter((at) => !Number.isNaN(at));
		expect(dates).toEqual([...dates].sort((a, b) => a - b));
		expect(outcome.events.length).toBeLessThanOrEqual(this.scene.maxEvents);
		for (const { eventID: id } of outcome.events) this.fired.set(id, (this.fired.get(id) ?? 0) + 1);
		return outcome.events.length;
	}

	/** Polls until nothing more comes, the hourly readings included. */
	async settle(): Promise<void> {
		this.setClock('none', 0);
		const { habits, off, latency } = this.scene;
		if (latency > 0) this.forgiveBuried();
		const isCounted = habits.total === 'true' && this.purged.length === 0 && latency === 0;
		const { failures, clocks, slow } = this.counts;
		if (isCounted && failures + clocks + slow === 0 && off.whose === 'none') {
			// The count shows what is missing, so nothing has to wait for the hourly reading. It may
			// where requests failed in the middle of one, or a clock is wrong.
			await this.pollUntilQuiet(3, 6 * MINUTE);
			expect(this.verdict()).toEqual({ doubled: [], lost: [], wrong: [] });
		}
		await this.pollUntilQuiet(4, 61 * MINUTE);
	}

	private async pollUntilQuiet(enough: number, every: number): Promise<void> {
		let quiet = 0;
		// Of a backlog of 2,000 rows, ten on a page and twenty seconds each, the last ones take 2,400.
		for (let polls = 0; polls < 4_000 && quiet < enough; polls++) {
			this.model.now += quiet > 0 ? every : MINUTE;
			const count = await this.poll(QUIET);
			const { reading } = this.stateIn(this.storage.open().state);
			if (count !== 0) quiet = 0;
			else if (reading === undefined) quiet++;
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
