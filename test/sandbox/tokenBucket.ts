import { Refusal } from './refusal';

export interface Limits {
	/** `perSecond` refills the bucket, `burst` is its size. Without it, nothing is refused. */
	rate?: { perSecond: number; burst: number };
	/** Seconds, for the `Retry-After` header of a refusal. Without it, there is none. */
	retryAfter?: number;
}

/** Refuses requests over the limit with a 429. */
export class TokenBucket {
	private tokens = Infinity;
	private refilledAt = 0;

	take({ rate, retryAfter }: Limits): void {
		if (rate === undefined) return;
		const now = performance.now();
		const refilled = ((now - this.refilledAt) / 1000) * rate.perSecond;
		this.tokens = Math.min(rate.burst, this.tokens + refilled);
		this.refilledAt = now;
		if (this.tokens < 1) {
			const headers = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
			throw new Refusal(429, 'Too many requests', headers);
		}
		this.tokens -= 1;
	}
}
