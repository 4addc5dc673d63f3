import { takeBaseline } from '../../nodes/PaymentsGateway/trigger/baseline';
import { catchUp } from '../../nodes/PaymentsGateway/trigger/catchUp';
import type { Decision } from '../../nodes/PaymentsGateway/trigger/catchUp';
import type { Limits } from '../../nodes/PaymentsGateway/trigger/catchUp';
import { startAt } from '../../nodes/PaymentsGateway/trigger/state';
import type { State } from '../../nodes/PaymentsGateway/trigger/state';
import type { Habits } from './eventModel';
import { EventModel } from './eventModel';
import { LOOK_BACK, MINUTE } from './spans';

/** A list of events with a trigger that watches it, in simulated time until `jest.restoreAllMocks`. */
export class ModelTrigger extends EventModel {
	/** What has appeared and is to fire, and what has fired, in order. */
	readonly sent: string[] = [];
	readonly fired: string[] = [];
	readonly warnings: string[] = [];
	readonly limits: Limits = {
		lookBackMs: LOOK_BACK,
		maxEvents: 1_000,
		skipOlderMs: Infinity,
		isWanted: () => true,
	};
	state = startAt('merchant', 0);

	constructor(habits: Partial<Habits> = {}) {
		super({ total: 'true', hasDate: true, ...habits });
		jest.spyOn(Date, 'now').mockImplementation(() => this.localNow);
	}

	/** Lists so many events from before its start, so far apart, the last one so long ago. */
	listOld(count: number, every = 1_000, last = every): void {
		for (let row = count - 1; row >= 0; row--) this.list(this.now - last - row * every);
	}

	async start(): Promise<void> {
		this.state = await takeBaseline(this.open(), 'merchant', LOOK_BACK);
	}

	/** Lists an event dated so many milliseconds ago, by the clock of the gateway. */
	add(ago: number, date?: string): void {
		this.sent.push(this.list(this.now - ago, date));
	}

	/** So many new events, a millisecond apart. */
	arrive(count: number): void {
		this.now += MINUTE;
		for (let row = count; row > 0; row--) this.add(row);
	}

	/** One poll; what fails is thrown. */
	async poll(): Promise<void> {
		this.take(await this.read());
	}

	/** So many polls, some of which may fail; and how many requests they sent. */
	async polls(count: number): Promise<number> {
		const before = this.requests;
		for (let nth = 0; nth < count; nth++) {
			const decision = await this.read().catch(() => undefined);
			if (decision !== undefined) this.take(decision);
		}
		return this.requests - before;
	}

	/** A minute later, as n8n would: the state went through JSON. */
	private async read(): Promise<Decision> {
		this.now += MINUTE;
		const stored: State = JSON.parse(JSON.stringify(this.state));
		return await catchUp(stored, this.open(stored.pageSize), this.limits);
	}

	private take({ state, events, warnings }: Decision): void {
		this.state = state;
		this.fired.push(...events.map(({ eventID }) => eventID));
		this.warnings.push(...warnings);
		expect(JSON.stringify(state).length).toBeLessThan(60_000);
	}

	/** All that appeared has fired, once. */
	expectOnce(): void {
		expect([...this.fired].sort()).toEqual([...this.sent].sort());
	}
}
