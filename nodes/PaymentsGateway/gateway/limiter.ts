import { AimdLimit, Period, Rate } from './limits';
import { WaitingQueue } from './queue';
import type { Clock } from './sleep';
import { PROCESS_CLOCK } from './sleep';

/**
 * Keeps the requests to one merchant's gateway within what that gateway takes. Its limits are not known,
 * so they are learned from its answers. Two limits follow the same rule, AIMD (limits.ts):
 *
 *   window   requests in flight, for a gateway that handles only so many at a time
 *   rate     requests per second, once the gateway has shown that it counts by time: it sends
 *            Retry-After, or it refuses a request that is almost alone
 *
 *   window
 *    64 |             x refusal (429)
 *       |           _/|
 *    32 |        __/  |              ________--------  additive increase
 *       |     __/     |     pause    | half the window
 *     8 |____/        |              |
 *       +-----------------------------------------------> time
 *        slow start    nobody sends   refused requests go first
 *
 * A refusal pauses all requests but charges. As they resume, one limit is lowered, once for all
 * refusals of the pause. The first one decides which: the rate if it was about time, else the window.
 * A time-out lowers the window, without a pause.
 */

const INITIAL_WINDOW = 8;
/** docs/scaling.md promises it for queued requests. Charges, polls and pickers come on top. */
export const MAX_WINDOW = 64;
/** Four pauses lie between five tries. They add up to 1.6 s, which outlasts a per-second limit. */
const backOffMs = (tries: number) => 10 * 5 ** (tries - 1);
/** A Retry-After of years would lock the merchant out until n8n restarts. */
export const LONGEST_PAUSE_MS = 600_000;
/** A request does not wait longer for the end of a pause. It fails, and n8n can run it again. */
export const LONGEST_WAIT_MS = 60_000;
/** After an answer this slow, a third of a read's time limit, the window does not grow. */
const SLOW_MS = 10_000;
/** A break of this length begins a new period: the rate is not measured across it. */
const IDLE_MS = 1_000;

/** What an answer shows about the load of the gateway. */
export type Observation = 'success' | 'timeout' | { retryAfterMs: number | undefined };

type SlotRequest = { tries?: number; withinMs?: number; signal?: AbortSignal };

/** Permission to send one request, to be released when its answer arrives. */
export interface Slot {
	/** Without an observation, the answer shows nothing about the load. */
	release(observation?: Observation): void;
}

export class Limiter {
	private readonly window = new AimdLimit(INITIAL_WINDOW, MAX_WINDOW, () => 1);
	private readonly rate = new Rate();
	private readonly queue = new WaitingQueue<Slot>();
	private inFlight = 0;
	private pausedUntil = -Infinity;
	private period: Period;
	private timer: AbortController | undefined;

	constructor(private readonly clock: Clock) {
		this.period = new Period(clock.now());
	}

	/** How many requests may be in flight, as far as is known by now. */
	get parallel(): number {
		return Math.floor(this.window.value);
	}

	get pauseLeftMs(): number {
		return Math.ceil(Math.max(0, this.pausedUntil - this.clock.now()));
	}

	/** Undefined while a request is in flight or waits. */
	get unusedSince(): number | undefined {
		const isUnused = this.inFlight === 0 && this.queue.length === 0;
		return isUnused ? this.period.lastAnswerAt : undefined;
	}

	/**
	 * Waits for a slot. `tries`: how often the request was sent, the next time included. `withinMs`: the
	 * time until the deadline. Undefined if the pause outlasts the deadline or LONGEST_WAIT_MS, or if the
	 * signal aborts. A deadline that passes without a pause does not end the wait: sendOnce checks it.
	 */
	async acquire(request: SlotRequest = {}): Promise<Slot | undefined> {
		const { tries = 1, withinMs = Infinity, signal } = request;
		const deadline = this.clock.now() + withinMs;
		if (signal?.aborted || this.isPausedBeyond(deadline)) return undefined;
		const waiting = this.queue.wait({ tries, deadline }, signal);
		this.dispatchSoon();
		const slot = await waiting;
		// A timer that no request waits for would keep the process from ending.
		if (this.queue.length === 0) this.timer?.abort();
		return slot;
	}

	/** A charge skips the queue and the pause: its look at the events would grow old while it waits. */
	acquireNow(): Slot {
		return this.openSlot(1);
	}

	private openSlot(tries: number): Slot {
		const sentAt = this.clock.now();
		const { tooHigh, lastAnswerAt } = this.period;
		const wasIdle = this.inFlight === 0 && sentAt - lastAnswerAt > IDLE_MS;
		// Not while a limit is still to be lowered: a charge skips `dispatch`, and a new period would forget
		// `tooHigh`.
		if (wasIdle && !tooHigh) this.startPeriod(sentAt);
		this.inFlight += 1;
		this.rate.recordSend(sentAt);
		return { release: (observation) => this.release(sentAt, tries, observation) };
	}

	private release(sentAt: number, tries: number, observation?: Observation): void {
		const now = this.clock.now();
		const { period } = this;
		const isWindowFull = this.inFlight >= this.parallel || this.queue.length > 0;
		this.inFlight -= 1;
		period.lastAnswerAt = now;
		// The answer to an earlier request says nothing about the limits of this period.
		const isCurrent = sentAt >= period.startedAt;
		if (observation === 'success' && isCurrent) {
			period.successes += 1;
			this.rate.recordSuccess();
			// After a refusal or a time-out, only the rate still grows. Measured: if it did not, 400 requests at
			// 50 a second, refused without Retry-After, would take a quarter longer.
			const mayGrow = isWindowFull && now - sentAt <= SLOW_MS && !period.tooHigh;
			if (mayGrow) this.window.recordSuccess();
		} else if (observation === 'timeout' && isCurrent) {
			period.tooHigh ??= 'window';
		} else if (typeof observation === 'object') {
			const { retryAfterMs = 0 } = observation;
			// At most one other: this request is no longer counted.
			const isAlmostAlone = this.inFlight <= 1;
			const countsByTime = retryAfterMs > 0 || isAlmostAlone;
			if (isCurrent) period.tooHigh ??= countsByTime ? 'rate' : 'window';
			const pauseMs = Math.min(Math.max(retryAfterMs, backOffMs(tries)), LONGEST_PAUSE_MS);
			this.pausedUntil = Math.max(this.pausedUntil, now + pauseMs);
			this.queue.turnAway(({ deadline }) => this.isPausedBeyond(deadline));
		}
		this.dispatchSoon();
	}

	private isPausedBeyond(deadline: number): boolean {
		const { pauseLeftMs } = this;
		return pauseLeftMs > LONGEST_WAIT_MS || this.clock.now() + pauseLeftMs > deadline;
	}

	/**
	 * Requests of the same millisecond are sent together. Measured with 200 requests to a local server:
	 * about 15 % less processor time.
	 */
	private dispatchSoon(): void {
		if (this.inFlight === 0) this.dispatch();
		else if (this.queue.length > 0) void this.dispatchIn(1);
	}

	/** If the timer is running, `dispatch` will find out what to wait for next. */
	private async dispatchIn(ms: number): Promise<void> {
		if (this.timer) return;
		this.timer = new AbortController();
		await this.clock.sleep(Math.ceil(ms), this.timer.signal);
		this.timer = undefined;
		this.dispatch();
	}

	/** Hands out as many slots as the limits allow, and sets the timer for the next one. */
	private dispatch(): void {
		while (this.queue.length > 0 && this.inFlight < this.parallel) {
			const now = this.clock.now();
			const waitMs = Math.max(this.pausedUntil, this.rate.nextSendAt) - now;
			if (waitMs > 0) return void this.dispatchIn(waitMs);
			if (this.period.tooHigh) this.lowerLimit(now);
			else this.queue.admitFirst(({ tries }) => this.openSlot(tries));
		}
	}

	private lowerLimit(now: number): void {
		if (this.period.tooHigh === 'rate') this.rate.slowDown(this.period, this.pausedUntil);
		else this.window.cut();
		this.startPeriod(now);
	}

	private startPeriod(now: number): void {
		this.period = new Period(now);
		// No catch-up for the time of the pause or break.
		this.rate.nextSendAt = now;
	}
}

/**
 * Hands out one limiter for each merchant. It forgets one, and what that has learned, once it was not
 * used for as long as the longest pause: no pause is forgotten before its end.
 */
export function createLimiters(clock: Clock): (merchant: string) => Limiter {
	const limiters = new Map<string, Limiter>();
	return (merchant) => {
		const forgetBefore = clock.now() - LONGEST_PAUSE_MS;
		for (const [each, { unusedSince = Infinity }] of limiters) {
			if (unusedSince < forgetBefore) limiters.delete(each);
		}
		const limiter = limiters.get(merchant) ?? new Limiter(clock);
		limiters.set(merchant, limiter);
		return limiter;
	};
}

/** All runs of this process share it. */
export const sharedLimiter = createLimiters(PROCESS_CLOCK);
