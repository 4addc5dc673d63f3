import { Limiter, LONGEST_PAUSE_MS } from './limiter';
import type { Clock } from './sleep';
import { PROCESS_CLOCK } from './sleep';

/** The limiters of this process: all runs of a merchant share one, and what it has learned. */

/** Long enough that no pause is forgotten before its end, unless there are too many limiters. */
const KEPT_MS = LONGEST_PAUSE_MS;
/** More merchants than one n8n serves at a time. It bounds what expressions in a credential can fill. */
const MOST_KEPT = 100;

export function createLimiters(clock: Clock): (merchant: string) => Limiter {
	/** In the order of their use, the longest unused first. */
	const limiters = new Map<string, Limiter>();
	return (merchant) => {
		const forgetBefore = clock.now() - KEPT_MS;
		for (const [other, limiter] of limiters) {
			const { unusedSince } = limiter;
			const isSpare = limiters.size >= MOST_KEPT && other !== merchant;
			if (unusedSince !== undefined && (isSpare || unusedSince < forgetBefore)) {
				limiters.delete(other);
			}
		}
		const limiter = limiters.get(merchant) ?? new Limiter(clock);
		limiters.delete(merchant);
		limiters.set(merchant, limiter);
		return limiter;
	};
}

export const sharedLimiter = createLimiters(PROCESS_CLOCK);
