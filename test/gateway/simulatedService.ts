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
		while (busy < hands() && line.length > 0) {
			busy += 1;
			line.shift()?.();
		}
		return undefined;
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
	return async () => {
		await time.sleep(latency / 2);
		const { perSecond, burst } = rate();
		tokens = Math.min(burst, tokens + ((time.now() - countedAt) / 1000) * perSecond);
		countedAt = time.now();
		const isTaken = tokens >= 1;
		if (isTaken) tokens -= 1;
		await time.sleep(latency / 2);
		return isTaken ? undefined : refusal;
	};
}

/** So many in every second of the clock. */
export function withWindow(
	time: VirtualTime,
	perSecond: number,
	latency: number,
	refusal: Refusal,
): Service {
	const used = new Map<number, number>();
	return async () => {
		await time.sleep(latency / 2);
		const second = Math.floor(time.now() / 1000);
		const before = used.get(second) ?? 0;
		if (before < perSecond) used.set(second, before + 1);
		await time.sleep(latency / 2);
		return before < perSecond ? undefined : refusal;
	};
}

/** Refuses whoever comes while so many are being worked on. */
export function withMostAtOnce(
	time: VirtualTime,
	most: () => number,
	latency: () => number,
	refusal: Refusal = {},
): Service {
	let busy = 0;
	return async () => {
		await time.sleep(1);
		if (busy >= most()) {
			await time.sleep(1);
			return refusal;
		}
		busy += 1;
		await time.sleep(latency());
		busy -= 1;
		return undefined;
	};
}

export interface Seen {
	ms: number;
	sent: number;
	refused: number;
	/** Given up after too many tries. */
	failed: number;
	/** The most under way at once. */
	most: number;
	/** When each request left, and when each refusal came. */
	departures: number[];
	refusals: number[];
	/** How many were under way when each request left. */
	underWay: number[];
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
	gate: Pace,
	service: Service,
	{ requests, workers = 64, endpoint = () => 'customer', tries = 5 }: Work,
): Promise<Seen> {
	const started = time.now();
	const seen: Seen = {
		ms: 0,
		sent: 0,
		refused: 0,
		failed: 0,
		most: 0,
		departures: [],
		refusals: [],
		underWay: [],
	};
	let next = 0;
	let underWay = 0;
	/** Answers whether there is anything left to do for this request. */
	const attempt = async (name: string): Promise<boolean> => {
		const permit = await gate.enter();
		if (!permit) throw new Error('Turned away');
		const at = time.now();
		underWay += 1;
		seen.sent += 1;
		seen.most = Math.max(seen.most, underWay);
		seen.departures.push(at);
		seen.underWay.push(underWay);
		const refusal = await service(name);
		underWay -= 1;
		if (!refusal) {
			permit.done({ endpoint: name, ms: time.now() - at });
			return false;
		}
		seen.refused += 1;
		seen.refusals.push(time.now());
		permit.done({ refused: true, ...refusal });
		return true;
	};
	const worker = async () => {
		while (next < requests) {
			const name = endpoint(next++);
			let tried = 1;
			while ((await attempt(name)) && tried < tries) tried += 1;
			if (tried === tries) seen.failed += 1;
		}
	};
	await Promise.all(Array.from({ length: workers }, worker));
	seen.ms = time.now() - started;
	return seen;
}
