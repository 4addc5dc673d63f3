import { Refusal } from './refusal';

/** Refuses what comes faster than a limit. With nothing set, everything is taken. */

export interface Limits {
	/** Requests a second, and how many of them at any one moment. */
	rate?: { perSecond: number; burst: number };
	/** What a refusal says, in seconds. */
	retryAfter?: number;
}

export class Limiter {
	private tokens = Infinity;
	private countedAt = 0;

	enter({ rate, retryAfter }: Limits): void {
		if (rate === undefined) return;
		const now = performance.now();
		const refilled = ((now - this.countedAt) / 1000) * rate.perSecond;
		this.tokens = Math.min(rate.burst, this.tokens + refilled);
		this.countedAt = now;
		if (this.tokens < 1) {
			const headers = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
			throw new Refusal(429, 'Too many requests', headers);
		}
		this.tokens -= 1;
	}
}
