/**
 * A limit that is learned as TCP learns its congestion window (AIMD): slow start, then additive
 * increase and multiplicative decrease.
 */
export class AimdLimit {
	/** What a round of `value` successes adds once slow start is over. */
	private step: number | undefined;

	constructor(
		public value: number,
		private readonly max: number,
		private readonly stepFor: (value: number) => number,
	) {}

	recordSuccess(): void {
		// Slow start: a round of `value` successes doubles the limit. Later, such a round adds one step.
		const increase = this.step === undefined ? 1 : this.step / this.value;
		this.value = Math.min(this.max, this.value + increase);
	}

	/** Halves the limit, but lowers it no further than `floor`. */
	cut(floor = 1): void {
		this.value = Math.min(this.value, Math.max(floor, this.value / 2));
		this.step = this.stepFor(this.value);
	}
}

/**
 * Timers can fire late. The requests that became due in the last 50 ms are then sent together.
 * A choice, not a measurement.
 */
const CATCH_UP_MS = 50;
/**
 * Once the rate has been cut, it takes 50 s to grow by the value it was cut to. Measured with 36
 * gateway limits: 25 s and 100 s make the runs longer in total.
 */
const rateStep = (perSecond: number) => perSecond / 50;

/** What the answers have shown since a limit was last lowered, or since requests resumed after a break. */
export class Period {
	successes = 0;
	/** `startedAt` until the first answer. */
	lastAnswerAt: number;
	/** The limit that was too high. It is lowered as requests resume, which ends the period. */
	tooHigh: 'window' | 'rate' | undefined;

	constructor(readonly startedAt: number) {
		this.lastAnswerAt = startedAt;
	}
}

/**
 * Requests per second, for a gateway that counts them by time. With a window alone, the gateway would
 * refuse again and again (measured at 50 requests a second with Retry-After: a run takes four times the possible
 * minimum). There is no such limit until a first refusal shows how high it may be:
 *
 *    startedAt            lastAnswerAt          pausedUntil
 *        |---- successes ----|------- pause -------|---- requests at the new rate
 *
 * The limit lies between two averages: successes a second up to pausedUntil (too low, since nothing was
 * sent in the pause) and up to lastAnswerAt (too high, since it led to a refusal). The new rate is their
 * geometric mean.
 */
export class Rate {
	/** When the next request may be sent. */
	nextSendAt = -Infinity;
	private perSecond: AimdLimit | undefined;

	recordSend(now: number): void {
		if (this.perSecond === undefined) return;
		this.nextSendAt = Math.max(this.nextSendAt, now - CATCH_UP_MS) + 1_000 / this.perSecond.value;
	}

	recordSuccess(): void {
		this.perSecond?.recordSuccess();
	}

	/**
	 * A later measurement lowers the rate by at most half: short periods give poor measurements.
	 */
	slowDown({ startedAt, lastAnswerAt, successes }: Period, pausedUntil: number): void {
		const withoutPauseMs = Math.max(1, lastAnswerAt - startedAt);
		const meanMs = Math.sqrt(withoutPauseMs * Math.max(1, pausedUntil - startedAt));
		const measured = Math.max(1, (1_000 * successes) / meanMs);
		// Measured, not cut: it grows in slow start until the next refusal about time.
		if (this.perSecond === undefined) this.perSecond = new AimdLimit(measured, Infinity, rateStep);
		else this.perSecond.cut(measured);
	}
}
