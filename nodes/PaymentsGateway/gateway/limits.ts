/**
 * A limit that is learned as TCP learns its congestion window (AIMD): slow start, then additive
 * increase and multiplicative decrease.
 */
export class AimdLimit {
	/** What is added once slow start is over. */
	private step: number | undefined;

	constructor(
		public value: number,
		private readonly max: number,
		private readonly stepFor: (value: number) => number,
	) {}

	/** As many successes as the limit is high double it in slow start; later they add one step. */
	recordSuccess(): void {
		const increase = this.step === undefined ? 1 : this.step / this.value;
		this.value = Math.min(this.max, this.value + increase);
	}

	/** Halves the limit, but lowers it no further than `floor`. */
	cut(floor = 1): void {
		this.value = Math.min(this.value, Math.max(floor, this.value / 2));
		this.step = this.stepFor(this.value);
	}
}

/** In a busy process, timers fire this late. What was due since then is sent together. */
const CATCH_UP_MS = 50;
/** The rate doubles in 50 s. Measured over 36 limits: 25 s and 100 s take longer in all. */
const rateStep = (perSecond: number) => perSecond / 50;

/**
 * Requests per second, for a gateway that counts them by time. A window alone would be exceeded again
 * and again (measured for 50 a second and Retry-After: 1: four times the least time). There is no such
 * limit until a first refusal shows how high it may be:
 *
 *   measuredFrom          lastAnswerAt          pausedUntil
 *        |---- successes ----|------- pause -------|---- requests at the new rate
 *
 * The gateway takes more a second than it took up to pausedUntil, since it would have taken some during
 * the pause, and fewer than it took up to lastAnswerAt, which was too much. The geometric mean of the two
 * is the new rate.
 */
export class Rate {
	/** When the next request may be sent. */
	nextSendAt = -Infinity;
	lastAnswerAt: number;
	private successes = 0;
	private perSecond: AimdLimit | undefined;

	constructor(public measuredFrom: number) {
		this.lastAnswerAt = measuredFrom;
	}

	startMeasuring(now: number): void {
		this.measuredFrom = now;
		this.nextSendAt = now;
		this.successes = 0;
	}

	recordSend(now: number): void {
		if (this.perSecond === undefined) return;
		this.nextSendAt = Math.max(this.nextSendAt, now - CATCH_UP_MS) + 1_000 / this.perSecond.value;
	}

	recordSuccess(): void {
		this.successes += 1;
		this.perSecond?.recordSuccess();
	}

	/** A later measurement lowers the rate by half at most: after a short run it is a poor one. */
	slowDown(pausedUntil: number): void {
		const withoutPauseMs = Math.max(1, this.lastAnswerAt - this.measuredFrom);
		const meanMs = Math.sqrt(withoutPauseMs * Math.max(1, pausedUntil - this.measuredFrom));
		const measured = Math.max(1, (1_000 * this.successes) / meanMs);
		if (this.perSecond === undefined) this.perSecond = new AimdLimit(measured, Infinity, rateStep);
		else this.perSecond.cut(measured);
	}
}
