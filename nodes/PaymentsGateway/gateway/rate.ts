/**
 * How many requests a second a gateway takes, learned from its refusals: what it took before it
 * refused some shows its rate. From there the rate grows, hardly at first and then ever faster: a
 * limit that still holds is seldom met again, and one that has been raised is found all the same.
 */

/** A date in years would lock the merchant out until n8n is started again. */
const LONGEST_HOLD = 600_000;
/** A longer pause speaks of a quota: once it is over, there is nothing to be spaced. */
const LONGEST_SPACED_HOLD = 10_000;
/** The least pause; it doubles as long as nothing is taken, or all five tries would be over at once. */
const BACK_OFF = 100;
/** Services take a burst before they count: so many milliseconds' worth, as a first guess. */
const BURST = 200;
/** After half a second without a request, a gateway that counts by the second has forgotten some. */
const IDLE = 500;
/** What was due while the process was busy goes out together, as far as so long ago. */
const CATCH_UP = 50;
/** A rate that was raised in the meantime is found in about this time. */
const LONGEST_TO_DOUBLE = 30_000;

export class Rate {
	/** The gateway wants to be left alone until then. */
	heldUntil = -Infinity;
	/** Requests per millisecond, as the last refusal has shown. */
	private learned = Infinity;
	/** Milliseconds without a refusal in which that doubles. */
	private doublesIn = Infinity;
	private nextAt = -Infinity;
	/**
	 * The pause of a refusal that is yet to be learned from. That is done as the first request after it
	 * leaves, so that answers that are still under way count as taken.
	 */
	private pauseToLearnFrom: number | undefined;
	/** In a row, with nothing taken in between. */
	private refusals = 0;
	/** The requests in a row, by the time they left: first, last, and how many of them were taken. */
	private stretch = { since: -Infinity, until: -Infinity, taken: 0 };

	/** When the next request may leave. */
	opensAt(): number {
		return Math.max(this.heldUntil, this.nextAt);
	}

	left(now: number): void {
		if (this.pauseToLearnFrom !== undefined && now >= this.heldUntil) {
			this.slowDown(this.pauseToLearnFrom);
			this.pauseToLearnFrom = undefined;
			this.stretch = { since: now, until: now, taken: 0 };
			this.nextAt = now;
		}
		// Who asks for less than the rate proves nothing of it.
		const isUnused = now - this.nextAt > (this.learned < Infinity ? CATCH_UP : IDLE);
		if (isUnused) this.stretch = { since: now, until: now, taken: 0 };
		this.stretch.until = now;
		this.nextAt = Math.max(this.nextAt, now - CATCH_UP) + 1 / this.perMs();
	}

	answered(leftAt: number): void {
		this.refusals = 0;
		if (leftAt >= this.stretch.since) this.stretch.taken += 1;
	}

	refused(leftAt: number, retryAfterMs: number, now: number): void {
		let hold = Math.min(retryAfterMs, LONGEST_HOLD);
		// What left before a pause, and is refused during it, belongs to the same refusal.
		if (leftAt >= this.heldUntil) {
			hold = Math.max(hold, Math.min(LONGEST_SPACED_HOLD, BACK_OFF * 2 ** this.refusals++));
			if (hold <= LONGEST_SPACED_HOLD) this.pauseToLearnFrom = hold;
		}
		this.heldUntil = Math.max(this.heldUntil, now + hold);
	}

	/** By the fourth power it hardly grows at first, and then ever faster. */
	private perMs(): number {
		const { since, until } = this.stretch;
		return this.learned * (1 + ((until - since) / this.doublesIn) ** 4);
	}

	private slowDown(hold: number): void {
		const { since, until, taken } = this.stretch;
		const shown = Math.max(taken / (until - since + BURST), 1 / hold);
		if (this.learned === Infinity) {
			this.learned = shown;
			// What few requests have shown is a poor guess.
			this.doublesIn = Math.min(LONGEST_TO_DOUBLE, 1.5 * hold * (taken + 1));
		} else {
			// After a short stretch, or one in which the rate has grown much, what it shows is too low.
			this.learned = Math.max(shown, 0.75 * this.perMs());
			this.doublesIn = Math.min(LONGEST_TO_DOUBLE, 2 * this.doublesIn);
		}
	}
}
