import type { Pace } from '../../nodes/PaymentsGateway/gateway/pace';
import type { VirtualTime } from './virtualTime';

/** Services with every kind of limit in virtual time, and a run that works through requests. */

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

type Latency = (endpoint: string) => number;

/** Takes everything. */
export function open(time: VirtualTime, latency: Latency): Service {
	return async (endpoint) => {
		await time.sleep(latency(endpoint));
		return undefined;
	};
}

/** So many are worked on at once; the others wait in line. */
export function withHands(time: VirtualTime, hands: () => number, latency: Latency): Service {
	let busy = 0;
	const line: Array<() => void> = [];
	return async (endpoint) => {
		if (busy >= hands()) await new Promise<void>((begin) => line.push(begin));
		else busy += 1;
		await time.sleep(latency(endpoint));
		busy -= 1;
		for (const begin of line.splice(0, hands() - busy)) {
			busy += 1;
			begin();
		}
		return undefined;
	};
}

/** Half of the latency passes before it is decided, half after. */
function deciding(
	time: VirtualTime,
	latency: number,
	refusal: Refusal,
	isTaken: () => boolean,
): Service {
	return async () => {
		await time.sleep(latency / 2);
		const taken = isTaken();
		await time.sleep(latency / 2);
		return taken ? undefined : refusal;
	};
}

export interface Rate {
	perSecond: number;
	burst: number;
}

/** A token bucket. */
export function withRate(
	time: VirtualTime,
	rate: () => Rate,
	latency: number,
	refusal: Refusal,
): Service {
	let tokens = Infinity;
	let countedAt = 0;
	return deciding(time, latency, refusal, () => {
		const { perSecond, burst } = rate();
		tokens = Math.min(burst, tokens + ((time.now() - countedAt) / 1000) * perSecond);
		countedAt = time.now();
		const isTaken = tokens >= 1;
		if (isTaken) tokens -= 1;
		return isTaken;
	});
}

/** So many in every second of the clock. */
export function withWindow(
	time: VirtualTime,
	perSecond: number,
	latency: number,
	refusal: Refusal,
): Service {
	const used = new Map<number, number>();
	return deciding(time, latency, refusal, () => {
		const second = Math.floor(time.now() / 1000);
		const before = used.get(second) ?? 0;
		used.set(second, Math.min(perSecond, before + 1));
		return before < perSecond;
	});
}

/** Refuses whoever comes while so many are being worked on. */
export function withMostAtOnce(
	time: VirtualTime,
	most: () => number,
	latency: () => number,
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
export class Seen {
	ms = 0;
	/** Given up after too many tries. */
	failed = 0;
	/** When each request left, and how many were under way then. */
	readonly departures: number[] = [];
	readonly underWay: number[] = [];
	/** When each refusal came. */
	readonly refusals: number[] = [];

	/** The most under way at once. */
	get most(): number {
		return this.underWay.reduce((a, b) => Math.max(a, b), 0);
	}
}

export interface Work {
	requests: number;
	workers?: number;
	endpoint?: (index: number) => string;
	tries?: number;
}

/** As the client does it: many items at once, each refused request through the gate again. */
export async function work(
	time: VirtualTime,
	pace: Pace,
	service: Service,
	{ requests, workers = 64, endpoint = () => 'customer', tries = 5 }: Work,
): Promise<Seen> {
	const started = time.now();
	const seen = new Seen();
	let next = 0;
	let underWay = 0;
	const isRefused = async (name: string): Promise<boolean> => {
		const place = await pace.enter();
		if (!place) throw new Error('Turned away');
		const at = time.now();
		seen.departures.push(at);
		seen.underWay.push(++underWay);
		const refusal = await service(name);
		underWay -= 1;
		if (refusal) seen.refusals.push(time.now());
		const answered = { endpoint: name, ms: time.now() - at };
		place.done(refusal ? { refused: true, ...refusal } : answered);
		return refusal !== undefined;
	};
	const worker = async () => {
		while (next < requests) {
			const name = endpoint(next++);
			let tried = 1;
			while ((await isRefused(name)) && tried < tries) tried += 1;
			if (tried === tries) seen.failed += 1;
		}
	};
	await Promise.all(Array.from({ length: workers }, worker));
	seen.ms = time.now() - started;
	return seen;
}
