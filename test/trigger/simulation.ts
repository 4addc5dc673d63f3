import { takeBaseline } from '../../nodes/PaymentsGateway/trigger/baseline';
import { catchUp } from '../../nodes/PaymentsGateway/trigger/catchUp';
import type { EventPages } from '../../nodes/PaymentsGateway/trigger/eventPages';
import type { FiringRules } from '../../nodes/PaymentsGateway/trigger/nextState';
import { isState } from '../../nodes/PaymentsGateway/trigger/state';
import type { State } from '../../nodes/PaymentsGateway/trigger/state';
import { MINUTE } from '../durations';
import type { PollEngine } from '../engine';
import type { EventListHabits } from './eventListGateway';
import { pagesOf, refused } from './eventListGateway';
import { LOOK_BACK } from './ledger';
import { SimulatedN8n } from './simulatedN8n';
import { TriggerWorld } from './world';

/** How long the requests of a poll may take, if n8n gives it 45 seconds. In milliseconds. */
const BUDGET = 40_500;

/** The disturbances of one poll: here, none. */
export const NO_DISTURBANCE = {
	/** The first request that fails (1 is the first; 0: none). */
	failAt: 0,
	/** One 503, a 429 for the rest of the poll, or an answer that does not end in time. */
	failWith: '503' as '503' | '429' | 'drip',
	/** Before this request is answered, `arrive` events arrive; 0: never. */
	arriveAt: 0,
	arrive: 0,
	/** Before this request is answered, one event appears late; 0: never. */
	lateAt: 0,
	/** How many milliseconds each request takes. */
	latency: 0,
	/** n8n is killed after the poll, before it has saved the state and started the execution. */
	dies: false,
};
export type Disturbance = typeof NO_DISTURBANCE;

/**
 * A trigger in a simulated world: a gateway with a list of events, n8n, and a clock. Scenarios
 * (scenarios.test.ts), storms (storm.test.ts) and months (month.test.ts) all play in it.
 *
 *     action --> gateway's list --> poll --> ledger: events that fired
 *        '---------------------------------> ledger: events that must fire, or may
 *
 * - Actions (world.ts) change the list of events, the gateway's habits or the clocks; `restart`
 *   restarts n8n. `poll` is one poll of the trigger, which a disturbance can make fail.
 * - Each poll is checked: the watermark never falls, the state stays small, the events are in order
 *   and not too many.
 * - The ledger (ledger.ts) knows which events have to fire. After `pollUntilQuiet`, `ledger.faults()` must be
 *   empty: none is lost, none has fired twice, no other has fired.
 */
export class Simulation extends TriggerWorld {
	readonly rules: FiringRules = {
		lookBackMs: LOOK_BACK,
		maxEvents: 1_000,
		skipOlderMs: Infinity,
		isSelected: () => true,
	};
	readonly warnings: string[] = [];
	readonly polled = { polls: 0, mostRequests: 0 };
	private readonly n8n: SimulatedN8n;

	constructor(habits: Partial<EventListHabits> = {}, engine: PollEngine = 'default') {
		super(habits);
		this.n8n = new SimulatedN8n(engine);
	}

	/** The activation of the trigger. The first answers can be empty by mistake. */
	async start(emptyAnswers = 0): Promise<void> {
		const { gateway } = this;
		gateway.emptyAnswers = emptyAnswers;
		const first = await takeBaseline(this.openPages(), 'merchant', LOOK_BACK);
		gateway.emptyAnswers = 0;
		this.n8n.openStateStore().save(first, true);
		this.ledger.start = first.watermark;
		// If the list seemed empty, its events of the last minutes may count as new.
		const maybeNew = gateway.rows.filter(({ time }) => emptyAnswers > 0 && time >= first.watermark);
		for (const { event } of maybeNew) this.ledger.optional.add(event.eventID);
	}

	override get state(): State {
		const { state } = this.n8n.openStateStore();
		if (!isState(state)) throw new Error('There is no state');
		return state;
	}

	/** n8n ends and starts again: what it has not saved is gone. */
	restart(): void {
		this.n8n.restart();
	}

	/** Returns how many events fired, or -1 if n8n died after the poll. Throws the error of the poll. */
	async poll(disturbance = NO_DISTURBANCE): Promise<number> {
		const { gateway, polled } = this;
		const requestsBefore = gateway.requests;
		if (disturbance !== NO_DISTURBANCE) this.disturb(disturbance);
		const store = this.n8n.openStateStore();
		const { state } = store;
		if (!isState(state) || store.isReplay)
			throw new Error('The store has no state, or starts from a replay');
		try {
			const decision = await catchUp(state, this.openPages(state.pageSize), this.rules);
			if (disturbance.dies) {
				this.restart();
				return -1;
			}
			store.save(decision.state, decision.events.length > 0);
			this.check(decision, state);
			return decision.events.length;
		} finally {
			if (disturbance !== NO_DISTURBANCE) this.endDisturbance();
			polled.polls++;
			polled.mostRequests = Math.max(polled.mostRequests, gateway.requests - requestsBefore);
		}
	}

	/** Like `poll`, but returns -1 if the poll failed because it was disturbed. */
	async tryPoll(disturbance: Disturbance): Promise<number> {
		return await this.poll(disturbance).catch((error: Error) => {
			if (/503|429|drip|too slow/.test(error.message)) return -1;
			throw error;
		});
	}

	/** Polls until nothing fires any more, the hourly late scan included. */
	async pollUntilQuiet(): Promise<void> {
		this.clockOffset = 0;
		if (this.gateway.habits.total === 'correct' && !this.isCountUnreliable) {
			// The count shows what is missing, so nothing has to wait for the hourly late scan.
			await this.pollEvery(MINUTE);
			expect(this.ledger.faults()).toEqual({ doubled: [], lost: [], wrong: [] });
		}
		await this.pollEvery(61 * MINUTE);
	}

	/** Polls until three polls that are `ms` apart fire nothing. */
	private async pollEvery(ms: number): Promise<void> {
		let quiet = 0;
		for (let polls = 0; polls < 1_000 && quiet < 3; polls++) {
			this.gateway.now += quiet > 0 ? ms : MINUTE;
			quiet = (await this.tryPoll(NO_DISTURBANCE)) === 0 ? quiet + 1 : 0;
		}
		expect(quiet).toBe(3);
	}

	private check(
		{ state, events, warnings }: Awaited<ReturnType<typeof catchUp>>,
		before: State,
	): void {
		expect(state.watermark).toBeGreaterThanOrEqual(before.watermark);
		expect(JSON.stringify(state).length).toBeLessThan(60_000);
		expect(events.length).toBeLessThanOrEqual(this.rules.maxEvents);
		const dates = events.map(({ date }) => Date.parse(date));
		expect(dates).toEqual([...dates].sort((a, b) => a - b));
		this.ledger.fired.push(...events.map(({ eventID }) => eventID));
		this.warnings.push(...warnings);
	}

	private disturb({ failAt, failWith, arriveAt, arrive, lateAt, latency }: Disturbance): void {
		const { gateway } = this;
		this.isCountUnreliable ||= latency > 0;
		gateway.latency = latency;
		const deadline = gateway.now + BUDGET;
		const requestsBefore = gateway.requests;
		gateway.beforeAnswer = () => {
			const request = gateway.requests - requestsBefore;
			if (gateway.now >= deadline) return refused('drip');
			if (failAt > 0 && (failWith === '503' ? request === failAt : request >= failAt)) {
				this.isCountUnreliable = true;
				if (failWith === 'drip') gateway.now = deadline;
				return refused(failWith);
			}
			if (request === arriveAt) this.arrive(arrive, 0);
			if (request === lateAt) this.late(1, 3);
			return undefined;
		};
	}

	private endDisturbance(): void {
		this.gateway.beforeAnswer = () => undefined;
		this.gateway.latency = 0;
	}

	private openPages(pageSize?: number): EventPages {
		const { gateway } = this;
		const answer = gateway.answer.bind(gateway);
		return pagesOf({ answer, deadline: Date.now() + BUDGET, pageSize });
	}
}
