/**
 * How many requests one service takes at once, and how many a second, learned from its answers.
 *
 * Latency is judged as TCP Vegas and Netflix's concurrency-limits do: as long as answers are as
 * quick as the quickest were, nothing queues at the service, and more may be under way. A refusal
 * (429) says more plainly what was too much. The clock is handed in; waiting is the gate's business.
 */
export const START = 5;
export const MOST = 64;

/** No more than these are added at a time. */
const MOST_MORE = 12;
/** Answers this many times slower than the quick ones: a queue begins, and no more are sent. */
const QUEUE = 1.5;
/** From here on half as many are enough to keep the service busy, and no more are sent. */
const LONG_QUEUE = 2;
/**
 * After so many windows with a short queue, half as many are tried: perhaps nothing queues, and the
 * service has become slower.
 */
const PATIENT_WINDOWS = 4;
/** Milliseconds that say nothing about the service: this process is busy as well. */
const NOISE = 5;

const BACK_OFF = 100;
const LONGEST_BACK_OFF = 10_000;
/** A date in years would lock the merchant out until n8n is started again. */
const LONGEST_HOLD = 600_000;
/**
 * How much a limit by the second is taken to let through in a burst, in milliseconds of its rate,
 * until a second refusal shows what the burst and the rate are.
 */
const BURST = 200;
/** A limit that was found is tried again after a while, with so much more, then with four times that. */
const RAISE = 0.05;
const LONGEST_PATIENCE = 20_000;
/** What was due while the process was busy goes out together, as far as so long ago. */
const CATCH_UP = 100;
/** After a pause like this a service that counts by the second has forgotten what came before. */
const PAUSE = 500;

/** What is known of a request when it leaves. */
export interface Departure {
	/** Its number among all requests. */
	serial: number;
	/** How many were under way, itself included. */
	underWay: number;
}

interface Latency {
	/** What an answer takes when nothing queues. */
	quick: number;
	/** What they took since the limit last changed. */
	took: number[];
	/** What they took before the limit was last changed, when it was halved because of them. */
	tookBefore: number;
}

function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

export class Pace {
	/** How many may be under way. */
	limit = START;
	/** The service wants to be left alone until then. */
	heldUntil = -Infinity;
	/** What refusals have shown: the most at once, and the most a millisecond. */
	private ceiling = Infinity;
	private rate = Infinity;

	private readonly latencies = new Map<string, Latency>();
	private serial = 0;
	/** The last request that left before the limit changed. */
	private changedAfter = 0;
	/** The last one that left before a refusal was heard. */
	private refusedAfter = 0;
	/** Nothing has shown yet that there is a limit. */
	private isDoubling = true;
	private wasFull = false;
	private slowWindows = 0;

	private nextAt = -Infinity;
	/** How many may go out together: half of the burst that the service once took. */
	private spare = 1;
	/** Requests since the service last had a pause: the first one's number, how many, how long. */
	private run = { after: 0, since: -Infinity, until: -Infinity, sent: 0, refused: 0 };
	/** How long a refusal holds all back, until it is known what became of those under way. */
	private hold: number | undefined;
	/** How many the service took before it refused, and how long that went well. */
	private taken: { sent: number; ms: number } | undefined;
	private isCrowd = false;
	/** In a row, with nothing taken in between. */
	private refusals = 0;
	/** The limit that the last refusal has shown. */
	private found = NaN;
	/** The rate that went well before it was last raised. */
	private proven = 0;
	private raiseAt = Infinity;
	private patience = 0;
	private step = RAISE;

	/** When the next request may leave, as far as time is concerned. */
	opensAt(): number {
		return Math.max(this.heldUntil, this.nextAt);
	}

	depart(now: number, underWay: number): Departure {
		if (this.hold !== undefined) this.slowDown(this.hold, now);
		else if (now >= this.raiseAt) this.raise(now);
		this.nextAt = Math.max(this.nextAt, now - this.spare / this.rate) + 1 / this.rate;
		if (underWay >= Math.floor(this.limit)) this.wasFull = true;
		if (underWay === 1 && now - this.run.until > PAUSE) this.startRun(now);
		this.run.sent += 1;
		this.run.until = now;
		return { serial: ++this.serial, underWay };
	}

	private startRun(now: number): void {
		this.run = { after: this.serial, since: now, until: now, sent: 0, refused: 0 };
	}

	/** An answer that took so long; `most` is the user's own bound. */
	answered({ serial }: Departure, endpoint: string, ms: number, most: number): void {
		if (serial > this.refusedAfter) this.refusals = 0;
		// What left under another limit tells nothing about this one.
		if (serial <= this.changedAfter) return;
		const latency = this.latencies.get(endpoint) ?? {
			quick: Infinity,
			took: [],
			tookBefore: Infinity,
		};
		this.latencies.set(endpoint, latency);
		latency.took.push(ms);
		const { limit, isDoubling } = this;
		const enough = isDoubling ? Math.max(START, 0.6 * limit) : Math.max(2 * START, limit);
		if (latency.took.length >= enough) this.judge(latency, most);
	}

	/** The median of many answers: a single slow one is no signal, nor is a long tail. */
	private judge(latency: Latency, most: number): void {
		const { limit } = this;
		const took = median(latency.took);
		latency.took = [];
		// Half as many were not quicker, so the service itself has become slower.
		if (took > 0.8 * latency.tookBefore) {
			latency.quick = took;
			this.isDoubling = true;
		}
		latency.tookBefore = Infinity;
		latency.quick = Math.min(latency.quick, took);
		const slowness = (took + NOISE) / (latency.quick + NOISE);
		if (slowness < QUEUE) {
			this.slowWindows = 0;
			const more = this.isDoubling ? Math.min(limit, MOST_MORE) : Math.sqrt(limit);
			if (this.wasFull) this.limit = Math.min(limit + more, this.ceiling, Math.max(MOST, most));
		} else if (slowness > LONG_QUEUE || ++this.slowWindows > PATIENT_WINDOWS) {
			this.slowWindows = 0;
			this.isDoubling = false;
			if (limit > START) {
				this.limit = Math.max(START, limit / 2);
			} else {
				latency.quick += 0.3 * (took - latency.quick);
			}
		}
		if (this.limit !== limit) this.changed();
		if (this.limit < limit) latency.tookBefore = took;
		this.wasFull = false;
	}

	private changed(): void {
		this.changedAfter = this.serial;
		for (const latency of this.latencies.values()) latency.took = [];
	}

	/** A 429. Those that were refused together are one refusal. */
	refused({ serial, underWay }: Departure, retryAfterMs: number, now: number): void {
		if (serial > this.run.after) this.run.refused += 1;
		let hold = Math.min(retryAfterMs, LONGEST_HOLD);
		if (serial > this.refusedAfter) {
			this.refusedAfter = this.serial;
			this.isDoubling = false;
			hold = Math.max(hold, Math.min(LONGEST_BACK_OFF, BACK_OFF * 2 ** this.refusals++));
			// So long a pause speaks of a quota: once it is over, there is nothing to be spaced.
			if (hold <= LONGEST_BACK_OFF) this.hold = hold;
			// Retry-After speaks of time. Without it there were too many at once, unless they were few.
			const isFew = underWay === 1 || (this.ceiling < Infinity && underWay <= this.ceiling / 2);
			this.isCrowd = retryAfterMs === 0 && !isFew;
		}
		if (this.isCrowd) this.lower(underWay - 1);
		this.heldUntil = Math.max(this.heldUntil, now + hold);
	}

	private lower(limit: number): void {
		this.ceiling = Math.max(1, Math.min(this.ceiling, limit));
		this.limit = Math.min(this.limit, this.ceiling);
		this.changed();
	}

	/**
	 * A service that counts by the second takes a burst, then its rate: two refusals with a different
	 * time before them show both. Until then the burst is guessed.
	 */
	private slowDown(hold: number, now: number): void {
		const { taken: before, found, run } = this;
		const sent = run.sent - run.refused;
		const ms = run.until - run.since;
		let guess = sent / (ms + BURST);
		let certainty = Math.min(1, sent / 10);
		if (before !== undefined && ms > before.ms + 50) {
			const fitted = (sent - before.sent) / (ms - before.ms);
			guess = Math.max(sent / (ms + hold), fitted);
			certainty = 1;
		}
		// Refused at once, the pause was too short; that says nothing about the rate.
		if (sent > 0) this.taken = { sent, ms };
		else if (this.rate < Infinity) guess = this.rate;
		if (!this.isCrowd) {
			this.rate = Math.min(Math.max(guess, this.proven, 1 / hold), 0.95 * this.rate);
			const { sent: burst, ms: after } = this.taken ?? { sent: 0, ms: 0 };
			this.spare = Math.max(1, Math.min((burst - this.rate * after) / 2, CATCH_UP * this.rate));
		}
		this.found = this.isCrowd ? this.ceiling : this.rate;
		const isSame = Math.abs(this.found / found - 1) < 0.1;
		this.patience = isSame
			? Math.min(LONGEST_PATIENCE, 2 * this.patience)
			: Math.max(certainty * Math.max(1_000, 5 * hold), 5 / this.rate);
		this.step = RAISE;
		this.proven = 0;
		this.hold = undefined;
		this.nextAt = now;
		this.raiseAt = now + this.patience;
		this.startRun(now);
	}

	/** Limits change, and a first guess may be too low. */
	private raise(now: number): void {
		if (this.rate < Infinity) this.proven = this.rate;
		this.rate *= 1 + this.step;
		this.startRun(now);
		this.ceiling = Math.max(this.ceiling + 1, this.ceiling * (1 + this.step));
		if (this.step > RAISE) this.patience /= 2;
		this.step = Math.min(1, this.step * 4);
		this.raiseAt = now + this.patience;
	}
}
