import { Handled, rowOf } from '../../nodes/PaymentsGateway/trigger/handled';
import type { PollEngine } from '../engine';
import type { Habits } from './eventModel';
import { refused } from './eventModel';
import { SimulatedTrigger } from './simulatedTrigger';
import type { Decided } from './simulatedTrigger';
import { BUDGET, DAY, HOUR, LOOK_BACK, MINUTE, PROMISED } from './spans';

/**
 * A trigger that polls a list of events in bad weather, and the account of what should fire and what
 * did. storm.test.ts and month.test.ts say what happens, step by step.
 */

/** A method of the storm, and what it is called with. */
export type Step = { [Kind in StepKind]: [Kind, ...Parameters<Storm[Kind]>] }[StepKind];
export type StepKind =
	ListStep | 'arrive' | 'moment' | 'wait' | 'restart' | 'clock' | 'cap' | 'pollIn';
/** The list does more than to grow on top. */
type ListStep = 'late' | 'future' | 'repeat' | 'noEvent' | 'purge' | 'total';

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
type Weather = typeof QUIET;

/** What a storm begins with. */
export interface Scene {
	habits: Habits;
	maxEvents: number;
	engine: PollEngine;
	/** How many requests of the activation are answered with an empty list. */
	empty: number;
	old: number;
	/** How many days this machine's clock is fast. */
	clock: number;
}

export class Storm extends SimulatedTrigger {
	/** Beyond what is promised: at most once. */
	private readonly exempt = new Set<string>();
	private readonly purgedUnseen = new Set<string>();
	private readonly purged: Array<{ at: number }> = [];
	private floor = 0;
	/** By failed or slow polls, a wrong clock, a purge, or a count that comes or goes: the count alone
	 * does not show what is missing, and it may wait for a sweep. */
	private isDisturbed = false;
	/** The polls so far, and the most requests that one of them has sent. */
	polled = 0;
	mostRequests = 0;

	constructor(private readonly scene: Scene) {
		super({ ...scene.habits }, scene.engine);
		this.limits.maxEvents = scene.maxEvents;
		for (let row = 0; row < scene.old; row++) {
			// In pairs of one moment, so that the start can miss one, too.
			this.now += row % 2 === 1 ? 0 : row < 120 ? 50 : MINUTE;
			this.list(this.now);
		}
		this.wait(20);
		if (scene.clock !== 0) this.clock(scene.clock);
	}

	override async start(): Promise<void> {
		const { empty } = this.scene;
		this.empty = empty;
		await super.start();
		this.empty = 0;
		this.floor = this.state.floor;
		// Where the first answer shows nothing, what is dated as lately before it counts as new.
		const shown = empty > 0 ? this.rows.filter(({ at }) => at >= this.floor) : [];
		for (const { event } of shown) this.exempt.add(event.eventID);
		this.requests = 0;
	}

	async happen([kind, ...given]: Step): Promise<void> {
		const method = this[kind] as (...all: unknown[]) => Promise<unknown> | void;
		await method.apply(this, given);
	}

	/** So many share a moment. */
	moment(count: number): void {
		this.now += 1_000 - (this.now % 1_000);
		this.arrive(count, 0);
	}

	late(count: number, hours: number): void {
		for (let n = 0; n < count; n++) this.add(Math.floor(this.now - hours * HOUR));
	}

	future(hours: number): void {
		this.add(this.now + hours * HOUR);
	}

	/** A row that is no event. */
	noEvent(rank: number): void {
		this.listNull(this.placeOf(rank));
	}

	/** An ID once more, at the same place or with the date of now. */
	repeat(rank: number, isNow: boolean): void {
		const event = this.rows[rank]?.event;
		// What was settled long ago is not known any more; dated anew, it would be a new event.
		if (!event || (isNow && !this.isKnown(event))) return;
		if (isNow) this.list(this.now, undefined, event.eventID);
		else this.list(this.placeOf(rank), event.date, event.eventID);
	}

	/** The oldest are removed; what no poll could see before cannot fire. */
	purge(keptHours: number): void {
		const kept = this.rows.filter(({ at }) => at >= this.now - keptHours * HOUR).length;
		for (const row of this.rows.splice(kept)) {
			this.isDisturbed = true;
			this.purged.push(row);
			const { eventID: id = '' } = row.event ?? {};
			if (this.fired.includes(id)) continue;
			this.purgedUnseen.add(id);
			if (this.due.delete(id)) this.exempt.add(id);
		}
	}

	total(total: Habits['total']): void {
		this.isDisturbed = true;
		this.habits.total = total;
	}

	wait(minutes: number): void {
		this.now += minutes * MINUTE;
	}

	/** This machine's clock is so many days fast. */
	clock(days: number): void {
		this.isDisturbed = true;
		// Without the gateway's clock nobody could tell that this one is wrong.
		this.localOff = this.habits.hasDate ? days * DAY : 0;
	}

	cap(rows: number): void {
		const { habits } = this;
		habits.cap = Math.min(rows, habits.cap ?? rows);
	}

	/** How many have fired; -1 where the poll has failed. */
	async pollIn(weather: Weather): Promise<number> {
		this.bring(weather);
		const sentBefore = this.requests;
		const decision = await this.decide().catch((error: Error) => error);
		this.before = () => undefined;
		this.latency = 0;
		this.polled++;
		this.mostRequests = Math.max(this.mostRequests, this.requests - sentBefore);
		if (!(decision instanceof Error)) return this.survive(decision, weather);
		if (!/503|429|drip|too slow/.test(decision.message)) throw decision;
		return -1;
	}

	private bring({ failAt, failWith, arriveAt, arrive, lateAt, latency }: Weather): void {
		this.isDisturbed ||= latency > 0;
		this.latency = latency;
		const deadline = this.now + BUDGET;
		const sentBefore = this.requests;
		this.before = () => {
			const request = this.requests - sentBefore;
			if (this.now >= deadline) return refused('drip');
			if (failAt > 0 && (failWith === '503' ? request === failAt : request >= failAt)) {
				this.isDisturbed = true;
				if (failWith === 'drip') this.now = deadline;
				return refused(failWith);
			}
			if (request === arriveAt) this.arrive(arrive, 0);
			if (request === lateAt) this.late(1, 3);
			return undefined;
		};
	}

	private survive(decision: Decided, { dies }: Weather): number {
		if (!dies) return this.take(decision);
		this.restart();
		return -1;
	}

	/** Polls until nothing more comes, the hourly sweeps included. */
	async settle(): Promise<void> {
		this.localOff = 0;
		if (this.habits.total === 'true' && !this.isDisturbed) {
			// The count shows what is missing, so nothing has to wait for the hourly sweep.
			await this.pollUntilQuiet(MINUTE);
			expect(this.verdict()).toEqual({ doubled: [], lost: [], wrong: [] });
		}
		await this.pollUntilQuiet(61 * MINUTE);
	}

	private async pollUntilQuiet(every: number): Promise<void> {
		let quiet = 0;
		for (let polls = 0; polls < 1_000 && quiet < 3; polls++) {
			this.now += quiet > 0 ? every : MINUTE;
			quiet = (await this.pollIn(QUIET)) === 0 ? quiet + 1 : 0;
		}
		expect(quiet).toBe(3);
	}

	/** Comes at another place than on top. */
	private add(at: number): void {
		// Purged rows count: they were among the newest when the floor passed them.
		const above = this.purged.concat(this.rows).filter((row) => row.at >= at).length;
		const isPromised = at >= this.now - LOOK_BACK && at >= this.floor && above < PROMISED;
		(isPromised ? this.due : this.exempt).add(this.list(at));
	}

	private isKnown(event: Parameters<typeof rowOf>[0]): boolean {
		return new Handled(this.state.handled).has(rowOf(event, 0).hash);
	}

	private placeOf(rank: number): number {
		return this.rows[Math.min(rank, this.rows.length - 1)]?.at ?? this.now;
	}

	verdict() {
		const once = new Set<string>();
		const doubled: string[] = [];
		for (const id of this.fired) {
			if (once.has(id)) doubled.push(id);
			once.add(id);
		}
		const lost = [...this.due].filter((id) => !once.has(id));
		const wrong = [...once].filter((id) => !this.due.has(id) && !this.exempt.has(id));
		return { doubled, lost, wrong };
	}

	counted() {
		const { doubled, lost, wrong } = this.verdict();
		const once = new Set(this.fired);
		const unfired = [...this.exempt].filter((id) => !once.has(id));
		const purgedUnseen = unfired.filter((id) => this.purgedUnseen.has(id)).length;
		return {
			sent: this.due.size + this.exempt.size,
			purgedUnseen,
			tooLate: unfired.length - purgedUnseen,
			fired: once.size,
			lost: lost.length,
			doubled: doubled.length,
			unclear: wrong.length,
		};
	}
}
