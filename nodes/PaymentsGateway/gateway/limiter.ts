import { AimdLimit, Rate } from './limits';
import { WaitingQueue } from './queue';
import type { Clock } from './sleep';

/**
 * Keeps the requests to one merchant's gateway within what that gateway takes. Its limits are not known,
 * so they are learned from its answers. Two limits follow the same rule, AIMD (limits.ts):
 *
 *   window   requests in flight, for a gateway that can only do so many at once
 *   rate     requests per second, once the gateway has shown that it counts by time: it sends
 *            Retry-After, or it refuses a request that is almost alone
 *
 *   window
 *    64 |             refusal (429)
 *       |         ____|                                     ____
 *       |       _/    |              additive        __..---
 *       |     _/      |    pause     increase ...----
 *     8 |____/        |______________|--- half the window
 *       +-----------------------------------------------------------> time
 *        slow start    nobody sends   refused requests go first
 *
 * A refusal pauses all requests. As they resume, one limit is lowered, once for all refusals of the
 * pause: the window, or the rate if the refusals were about time. Time-outs lower the window too.
 */

const INITIAL_WINDOW = 8;
/** Each request in flight holds memory and a socket. More than this made no run quicker. */
export const MAX_WINDOW = 64;
/** Four pauses lie between five tries. They add up to 1.6 s, which outlasts a limit by the second. */
const backOffMs = (tries: number) => 10 * 5 ** (tries - 1);
/** A Retry-After of years would lock the merchant out until n8n restarts. */
const LONGEST_PAUSE_MS = 600_000;
/** A request does not wait longer for the end of a pause. It fails, and n8n can run it again. */
export const LONGEST_WAIT_MS = 60_000;
/** After an answer this slow, a third of a read's time limit, the window does not grow. */
const SLOW_MS = 10_000;
/** The requests before a break of this length are not counted for the rate. */
const IDLE_MS = 1_000;

/** What an answer shows about the load of the gateway. */
export type Observation = 'success' | 'timeout' | { retryAfterMs: number | undefined };

type SlotRequest = { tries?: number; withinMs?: number; signal?: AbortSignal };

/** Permission to send one request, to be released when its answer is there. */
export interface Slot {
	/** Without an observation, the answer shows nothing about the load. */
	release(observation?: Observation): void;
}

export class Limiter {
	private readonly window = new AimdLimit(INITIAL_WINDOW, MAX_WINDOW, () => 1);
	private readonly rate: Rate;
	private readonly queue = new WaitingQueue<Slot>();
	private inFlight = 0;
	private pausedUntil = -Infinity;
	/** The limit that was too high, until it is lowered as requests resume. */
	private exceeded: 'window' | 'rate' | undefined;
	private timer: AbortController | undefined;

	constructor(private readonly clock: Clock) {
		this.rate = new Rate(clock.now());
	}

	/** How many requests may be in flight, as far as is known by now. */
	get parallel(): number {
		return Math.floor(this.window.value);
	}

	get pauseLeftMs(): number {
		return Math.ceil(Math.max(0, this.pausedUntil - this.clock.now()));
	}

	isUnusedSince(time: number): boolean {
		return this.inFlight === 0 && this.queue.length === 0 && this.rate.lastAnswerAt < time;
	}

	/**
	 * Waits for a slot. `tries`: how often the request was sent, the next time included. `withinMs`: how
	 * long it can wait for the end of a pause. Undefined if that is too long, or if the signal aborts.
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

	/** A charge skips the queue and the pause: its safety checks would go stale while it waits. */
	acquireNow(tries = 1): Slot {
		const sentAt = this.clock.now();
		const wasIdle = this.inFlight === 0 && sentAt - this.rate.lastAnswerAt > IDLE_MS;
		if (wasIdle && !this.exceeded) this.rate.startMeasuring(sentAt);
		this.inFlight += 1;
		this.rate.recordSend(sentAt);
		return { release: (observation) => this.release(sentAt, tries, observation) };
	}

	private release(sentAt: number, tries: number, observation?: Observation): void {
		const now = this.clock.now();
		const isWindowFull = this.inFlight >= this.parallel || this.queue.length > 0;
		this.inFlight -= 1;
		this.rate.lastAnswerAt = now;
		// The answer to a request from before the last pause says nothing about the limits since then.
		const isCurrent = sentAt >= this.rate.measuredFrom;
		if (observation === 'success') {
			if (isCurrent) this.rate.recordSuccess();
			const mayGrow = isCurrent && isWindowFull && now - sentAt <= SLOW_MS && !this.exceeded;
			if (mayGrow) this.window.recordSuccess();
		} else if (observation === 'timeout') {
			if (isCurrent) this.exceeded ??= 'window';
		} else if (observation !== undefined) {
			const { retryAfterMs = 0 } = observation;
			const countsByTime = retryAfterMs > 0 || this.inFlight <= 1;
			if (isCurrent) this.exceeded ??= countsByTime ? 'rate' : 'window';
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

	/** Requests of the same millisecond are sent together: measured, a third less processor time. */
	private dispatchSoon(): void {
		if (this.inFlight === 0) this.dispatch();
		else if (this.queue.length > 0) void this.dispatchIn(1);
	}

	/** If the timer runs already, `dispatch` will find out what to wait for next. */
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
			if (this.exceeded) this.lowerLimit(now);
			else this.queue.admitFirst(({ tries }) => this.acquireNow(tries));
		}
	}

	private lowerLimit(now: number): void {
		if (this.exceeded === 'rate') this.rate.slowDown(this.pausedUntil);
		else this.window.cut();
		this.exceeded = undefined;
		this.rate.startMeasuring(now);
	}
}
