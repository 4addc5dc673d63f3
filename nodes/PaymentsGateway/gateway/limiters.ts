import { Limiter } from './limiter';
import type { Clock } from './sleep';
import { PROCESS_CLOCK } from './sleep';

/** The limiters of this process: all runs of a merchant share one, and what it has learned. */

const KEPT_MS = 600_000;
const MOST_KEPT = 100;

export function createLimiters(clock: Clock): (merchant: string) => Limiter {
	/** In the order of their use, the longest unused first. */
	const limiters = new Map<string, Limiter>();
	return (merchant) => {
		const forgetBefore = clock.now() - KEPT_MS;
		for (const [other, limiter] of limiters) {
			const isSpare = limiters.size >= MOST_KEPT && other !== merchant;
			if (limiter.isUnusedSince(isSpare ? Infinity : forgetBefore)) limiters.delete(other);
		}
		const limiter = limiters.get(merchant) ?? new Limiter(clock);
		limiters.delete(merchant);
		limiters.set(merchant, limiter);
		return limiter;
	};
}

export const sharedLimiter = createLimiters(PROCESS_CLOCK);
