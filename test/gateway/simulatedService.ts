import type { Clock, Pace } from '../../nodes/PaymentsGateway/gateway/pace';

/** Services with every kind of limit, a run that works through requests, and the time of both. */

interface Due {
	at: number;
	run: () => void;
}

/** Time that passes only when nothing else is left to do: minutes are simulated in a moment. */
export class VirtualTime implements Clock {
	private time = 0;
	private due: Due[] = [];

	readonly now = () => this.time;

	readonly sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
		await new Promise<void>((resolve, reject) => {
			const due: Due = { at: this.time + ms, run: resolve };
			const later = this.due.findIndex(({ at }) => at > due.at);
			this.due.splice(later < 0 ? this.due.length : later, 0, due);
			signal?.addEventListener('abort', () => {
				this.due = this.due.filter((each) => each !== due);
				reject(new Error('aborted'));
			});
		});
	};

	async run<T>(task: Promise<T>): Promise<T> {
		let isOver = false;
		void task.finally(() => (isOver = true));
		for (;;) {
			await new Promise(setImmediate);
			if (isOver) return await task;
			const [next] = this.due;
			if (!next) throw new Error('Somebody waits in vain: nothing happens any more');
			this.time = next.at;
			while (this.due[0] && this.due[0].at <= this.time) this.due.shift()?.run();
		}
	}
}

export interface Refusal {
	retryAfterMs?: number;
}
/** What a request finds: an answer after a while, or a refusal. */
export type Service = (endpoint: string) => Promise<Refusal | undefined>;

/** The same numbers in every run. */
export function seeded(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state * 1664525 + 1013904223) % 2 ** 32;
		return state / 2 ** 32;
	};
}

/** So many are worked on at once; the others wait in line. */
export function withHands(
	time: VirtualTime,
	latency: (endpoint: string) => number,
	hands = () => Infinity,
): Service {
	let busy = 0;
	const line: Array<() => void> = [];
	return async (endpoint) => {
		while (busy >= hands()) await new Promise<void>((begin) => line.push(begin));
		busy += 1;
		await time.sleep(latency(endpoint));
		busy -= 1;
		for (const begin of line.splice(0, hands() - busy)) begin();
		return undefined;
	};
}

export type Rate = readonly [perSecond: number, burst: number];

/** A token bucket. It is decided when half of the latency has passed. */
export function withRate(
	time: VirtualTime,
	rate: () => Rate,
	latency: number,
	refusal: Refusal,
): Service {
	let tokens = Infinity;
	let countedAt = 0;
	return async () => {
		await time.sleep(latency / 2);
		const [perSecond, burst] = rate();
		tokens = Math.min(burst, tokens + ((time.now() - countedAt) / 1000) * perSecond);
		countedAt = time.now();
		const isTaken = tokens >= 1;
		if (isTaken) tokens -= 1;
		await time.sleep(latency / 2);
		return isTaken ? undefined : refusal;
	};
}

/** Refuses whoever comes while so many are being worked on. */
export function withMostAtOnce(
	time: VirtualTime,
	latency: () => number,
	most: () => number,
): Service {
	let busy = 0;
	return async () => {
		await time.sleep(1);
		const isTaken = busy < most();
		if (isTaken) busy += 1;
		await time.sleep(isTaken ? latency() : 1);
		if (isTaken) busy -= 1;
		return isTaken ? undefined : {};
	};
}

/** What was seen of a run. */
interface Seen {
	ms: number;
	/** Given up after too many tries. */
	failed: number;
	/** When each request left, and when each refusal came. */
	departures: number[];
	refusals: number[];
	/** The most under way at once. */
	most: number;
}

const TRIES = 5;

/** As the client does it: many items at once, each refused request through the gate again. */
export async function work(
	time: VirtualTime,
	pace: Pace,
	service: Service,
	requests: number,
	endpoint: (index: number) => string = () => 'customer',
): Promise<Seen> {
	const started = time.now();
	const seen: Seen = { ms: 0, failed: 0, departures: [], refusals: [], most: 0 };
	let next = 0;
	let underWay = 0;
	const isRefused = async (name: string): Promise<boolean> => {
		const place = await pace.enter();
		if (!place) throw new Error('Turned away');
		const at = time.now();
		seen.departures.push(at);
		seen.most = Math.max(seen.most, ++underWay);
		const refusal = await service(name);
		underWay -= 1;
		if (refusal) seen.refusals.push(time.now());
		const answered = { endpoint: name, ms: time.now() - at };
		place.done(refusal ? { refusedFor: refusal.retryAfterMs ?? 0 } : answered);
		return refusal !== undefined;
	};
	const worker = async () => {
		while (next < requests) {
			const name = endpoint(next++);
			let tried = 1;
			while ((await isRefused(name)) && tried < TRIES) tried += 1;
			if (tried === TRIES) seen.failed += 1;
		}
	};
	await Promise.all(Array.from({ length: 64 }, worker));
	seen.ms = time.now() - started;
	return seen;
}
