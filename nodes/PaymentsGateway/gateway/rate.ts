/**
 * How many requests a second a service takes, learned from its refusals: what it took before it
 * refused some shows its rate, and after a while without a refusal a little more is tried.
 */

/** A date in years would lock the merchant out until n8n is started again. */
const LONGEST_HOLD = 600_000;
/** So long a pause speaks of a quota: once it is over, there is nothing to be spaced. */
const LONGEST_RATE_HOLD = 10_000;
const BACK_OFF = 100;
/** Services take a burst before they count: so many milliseconds' worth, as a first guess. */
const BURST = 200;
/** What was due while the process was busy goes out together, as far as so long ago. */
const CATCH_UP = 50;
/** After a pause like this a service that counts by the second has forgotten what came before. */
const PAUSE = 500;
/** A rate is tried again with so much more, then with four times that. */
const RAISE = 0.05;
const LONGEST_PATIENCE = 20_000;

export class Rate {
	/** The service wants to be left alone until then. */
	heldUntil = -Infinity;
	private perMs = Infinity;
	private nextAt = -Infinity;
	/**
	 * A refusal has asked for so long a pause. What it shows is seen as the first request after the
	 * pause leaves, since answers that are still under way count as taken.
	 */
	private hold: number | undefined;
	/** What the service took since it last had a pause: from which request on, and how many. */
	private stretch = { first: 0, since: -Infinity, until: -Infinity, taken: 0 };
	/** In a row, with nothing taken in between. */
	private refusals = 0;
	/** The rate that went well before it was last raised. */
	private proven = 0;
	private raiseAt = Infinity;
	private patience = 0;
	private step = RAISE;

	/** When the next request may leave. */
	opensAt(): number {
		return Math.max(this.heldUntil, this.nextAt);
	}

	/** A request leaves; `number` tells it from others, and so many are under way then. */
	left(number: number, underWay: number, now: number): void {
		if (this.hold !== undefined && now >= this.heldUntil) this.slowDown(number, this.hold, now);
		// Who asks for less than the rate proves nothing of it.
		else if (now >= this.raiseAt && now - this.nextAt < CATCH_UP) this.raise(number, now);
		this.nextAt = Math.max(this.nextAt, now - CATCH_UP) + 1 / this.perMs;
		if (underWay === 1 && now - this.stretch.until > PAUSE) this.startStretch(number, now);
		this.stretch.until = now;
	}

	private startStretch(first: number, now: number): void {
		this.stretch = { first, since: now, until: now, taken: 0 };
	}

	answered(number: number): void {
		this.refusals = 0;
		if (number >= this.stretch.first) this.stretch.taken += 1;
	}

	/** Several that were refused together count as one refusal: `isFirst`. */
	refused(retryAfterMs: number, isFirst: boolean, now: number): void {
		let hold = Math.min(retryAfterMs, LONGEST_HOLD);
		if (isFirst) {
			hold = Math.max(hold, Math.min(LONGEST_RATE_HOLD, BACK_OFF * 2 ** this.refusals++));
			if (hold <= LONGEST_RATE_HOLD) this.hold = hold;
		}
		this.heldUntil = Math.max(this.heldUntil, now + hold);
	}

	private slowDown(number: number, hold: number, now: number): void {
		const { taken, since, until } = this.stretch;
		const guess = taken / (until - since + BURST);
		// Refused at once, the pause was too short; that says nothing about the rate.
		const shown = taken === 0 && this.perMs < Infinity ? this.perMs : guess;
		const before = this.perMs;
		this.perMs = Math.min(Math.max(shown, this.proven, 1 / hold), 0.95 * before);
		// The same limit once more: it is tried again after twice the time.
		const isSame = Math.abs(this.perMs / before - 1) < 0.1;
		this.patience = isSame
			? Math.min(LONGEST_PATIENCE, 2 * this.patience)
			: Math.max(Math.min(1, taken / 10) * Math.max(1_000, 5 * hold), 5 / this.perMs);
		this.step = RAISE;
		this.proven = 0;
		this.hold = undefined;
		this.nextAt = now;
		this.raiseAt = now + this.patience;
		this.startStretch(number, now);
	}

	/** Limits change, and a first guess may be too low. */
	private raise(number: number, now: number): void {
		this.proven = this.perMs;
		this.perMs *= 1 + this.step;
		this.step = Math.min(1, this.step * 4);
		this.raiseAt = now + this.patience;
		this.startStretch(number, now);
	}
}
