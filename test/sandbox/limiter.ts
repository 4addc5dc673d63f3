import { Refusal } from './refusal';

/**
 * How much the sandbox takes from its callers: too many requests at once, or in a second, can be
 * refused or have to wait.
 */

/** With nothing set, everything is taken. */
export interface Limits {
	/** Requests a second, and how many of them at any one moment. */
	rate?: { perSecond: number; burst: number };
	/** Requests at work at once; one more is refused. */
	atOnce?: number;
	/** Requests at work at once; the others wait in line. */
	workers?: number;
	/** What a refusal says, in seconds. */
	retryAfter?: number;
}

export class Limiter {
	private tokens = Infinity;
	private countedAt = 0;
	private atWork = 0;
	private line: Array<() => void> = [];

	/** Resolves when the work may begin, to a function that must be called when it has ended. */
	async enter({ rate, atOnce = Infinity, workers = Infinity, retryAfter }: Limits) {
		const isTooFast = rate !== undefined && !this.take(rate);
		if (isTooFast || this.atWork + this.line.length >= atOnce) {
			const headers = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
			throw new Refusal(429, 'Too many requests', headers);
		}
		if (this.atWork >= workers) await new Promise<void>((begin) => this.line.push(begin));
		else this.atWork += 1;
		return () => {
			// Whoever is next takes over, so that nobody slips in between.
			const next = this.line.shift();
			if (next) next();
			else this.atWork -= 1;
		};
	}

	private take({ perSecond, burst }: NonNullable<Limits['rate']>): boolean {
		const now = performance.now();
		const refilled = ((now - this.countedAt) / 1000) * perSecond;
		this.tokens = Math.min(burst, this.tokens + refilled);
		this.countedAt = now;
		if (this.tokens < 1) return false;
		this.tokens -= 1;
		return true;
	}
}
