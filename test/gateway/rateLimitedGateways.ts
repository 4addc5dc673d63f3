import type { Limiter, Observation } from '../../nodes/PaymentsGateway/gateway/limiter';
import type { Clock } from '../../nodes/PaymentsGateway/gateway/sleep';

/**
 * Gateways with every kind of limit, and runs that send requests to them. A run of minutes takes
 * milliseconds, and is the same each time.
 */

const HOUR = 3_600_000;

/** A clock that moves on only when everybody sleeps: minutes pass in a moment. */
export class SimulatedClock implements Clock {
	// Not 0: a time that was never set would look like now.
	private time = HOUR;
	private sleepers: Array<{ at: number; wake: () => void }> = [];

	readonly now = () => this.time;

	readonly sleep = async (milliseconds: number, signal?: AbortSignal): Promise<void> => {
		await new Promise<void>((resolve) => {
			const sleeper = { at: this.time + milliseconds, wake: resolve };
			const later = this.sleepers.findIndex(({ at }) => at > sleeper.at);
			this.sleepers.splice(later < 0 ? this.sleepers.length : later, 0, sleeper);
			signal?.addEventListener('abort', () => {
				this.sleepers = this.sleepers.filter((other) => other !== sleeper);
				resolve();
			});
		});
	};

	/** How many sleep. A timer that nobody waits for would be one of them. */
	get sleeping(): number {
		return this.sleepers.length;
	}

	/** Lets time pass until the task is done. Throws if nobody will ever wake up. */
	async run<T>(task: Promise<T>): Promise<T> {
		let isDone = false;
		void task.finally(() => (isDone = true)).catch(() => undefined);
		for (;;) {
			await new Promise(setImmediate);
			if (isDone) return await task;
			const [first] = this.sleepers;
			if (!first) throw new Error('The task waits for something that never happens');
			this.time = Math.max(this.time, first.at);
			while (this.sleepers[0] && this.sleepers[0].at <= this.time) this.sleepers.shift()?.wake();
		}
	}
}

type Refusal = { retryAfterMs: number | undefined };
export const refusal = (retryAfterMs?: number): Refusal => ({ retryAfterMs });

/** Takes one request. Resolves with its outcome. */
export type Gateway = () => Promise<'success' | Refusal>;

type MakeGateway = (clock: SimulatedClock) => Gateway;

const in20Ms = () => 20;

/** Answers every request, however many there are. */
export const unlimited =
	(latency = in20Ms): MakeGateway =>
	(clock) =>
	async () => {
		await clock.sleep(latency());
		return 'success';
	};

/** Processes a fixed number at a time and queues the rest. It refuses none. */
export const withConcurrency =
	(concurrency: number): MakeGateway =>
	(clock) => {
		let busy = 0;
		const waiting: Array<() => void> = [];
		return async () => {
			if (busy === concurrency) await new Promise<void>((start) => waiting.push(start));
			else busy += 1;
			await clock.sleep(40);
			const next = waiting.shift();
			if (next) next();
			else busy -= 1;
			return 'success';
		};
	};

/** What a gateway takes. It may change: `ms` is the time since the gateway was made. */
type Limit<T> = (ms: number) => T;

/** Refuses a request while it processes `most` others. */
export const withMostAtOnce =
	(most: Limit<number>, latency = in20Ms): MakeGateway =>
	(clock) => {
		const startedAt = clock.now();
		let busy = 0;
		return async () => {
			await clock.sleep(1);
			if (busy >= most(clock.now() - startedAt)) return refusal();
			busy += 1;
			await clock.sleep(latency());
			busy -= 1;
			return 'success';
		};
	};

interface RateLimit {
	perSecond: number;
	/** How many requests it takes beyond the rate after a break. */
	burst: number;
}

/** A token bucket, as most gateways have. It decides when half of the latency has passed. */
export const withRate =
	(limit: Limit<RateLimit>, refused = refusal(1_000), latency = 20): MakeGateway =>
	(clock) => {
		const startedAt = clock.now();
		let tokens = limit(0).burst;
		let filledAt = startedAt;
		return async () => {
			await clock.sleep(latency / 2);
			const { perSecond, burst } = limit(clock.now() - startedAt);
			tokens = Math.min(burst, tokens + ((clock.now() - filledAt) / 1_000) * perSecond);
			filledAt = clock.now();
			const isTaken = tokens >= 1;
			if (isTaken) tokens -= 1;
			await clock.sleep(latency / 2);
			return isTaken ? 'success' : refused;
		};
	};

interface RunResult {
	ms: number;
	/** When each request was sent, and when each refusal came. */
	sentAt: number[];
	refusedAt: number[];
	/** How many requests were refused with their last try. */
	failed: number;
	maxInFlight: number;
}

const WORKERS = 64;
const MOST_TRIES = 5;

/** Sends `requests` requests as the client does: 64 workers, each repeating what is refused. */
export async function sendAll(
	clock: SimulatedClock,
	limiter: Limiter,
	gateway: Gateway,
	requests: number,
): Promise<RunResult> {
	const startedAt = clock.now();
	const result: RunResult = { ms: 0, sentAt: [], refusedAt: [], failed: 0, maxInFlight: 0 };
	let inFlight = 0;
	let next = 0;
	const send = async (tries: number): Promise<Observation> => {
		const slot = await limiter.acquire({ tries });
		if (slot === undefined) throw new Error('The limiter turned a request away');
		result.sentAt.push(clock.now());
		result.maxInFlight = Math.max(result.maxInFlight, ++inFlight);
		const observation = await gateway();
		inFlight -= 1;
		slot.release(observation);
		return observation;
	};
	const worker = async (): Promise<void> => {
		while (next++ < requests) {
			let tries = 1;
			while (tries <= MOST_TRIES && (await send(tries)) !== 'success') {
				result.refusedAt.push(clock.now());
				tries += 1;
			}
			if (tries > MOST_TRIES) result.failed += 1;
		}
	};
	await Promise.all(Array.from({ length: WORKERS }, worker));
	result.ms = clock.now() - startedAt;
	return result;
}
