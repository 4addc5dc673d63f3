/**
 * How many requests a service takes at once, learned from how it answers: more are let go while
 * answers come back about as quick as before, and fewer once it refuses some.
 */

const START = 5;
export const MOST = 64;
/** No more than these are added at a time. */
const MOST_MORE = 16;

/** Milliseconds that say nothing about the service: this process is busy as well. */
const NOISE = 5;

/** After so many windows of answers at the latest, more are tried again. */
const MOST_PATIENCE = 64;

function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

export class AtOnce {
	limit = START;
	/** More than these were refused, or made answers slower. */
	private ceiling = MOST;
	/** The limit before it last grew. */
	private smaller = START;
	/** The usual time of an answer by then, by endpoint. */
	private before = new Map<string, number>();
	/** What answers took since the limit changed. */
	private took = new Map<string, number[]>();
	private wasFull = false;
	private wasSlow = false;
	/** So many more windows of answers at the ceiling, then a few more are tried. */
	private windowsLeft = 0;
	private patience = 1;

	/** A request leaves; so many are under way then. */
	left(underWay: number): void {
		if (underWay >= this.limit) this.wasFull = true;
	}

	/** What left under another limit says nothing about this one, and is not told here. */
	answered(endpoint: string, ms: number): void {
		const took = this.took.get(endpoint) ?? [];
		this.took.set(endpoint, took);
		took.push(ms);
		if (took.length < Math.max(START, 0.75 * this.limit)) return;
		// The median: a single slow answer is no signal, nor is a long tail.
		this.judge(median(took), this.before.get(endpoint));
	}

	private judge(usual: number, before: number | undefined): void {
		const { limit, smaller, ceiling } = this;
		// Twice as many may take up to 1.6 times as long: more still get through in all.
		const isSlower =
			before !== undefined && (usual + NOISE) / (before + NOISE) > 1 + 0.6 * (limit / smaller - 1);
		if (isSlower && !this.wasSlow) {
			// Once may be chance.
			this.wasSlow = true;
			this.took.clear();
		} else if (isSlower) {
			this.fallTo(smaller, smaller);
		} else if (!this.wasFull) {
			this.took.clear();
		} else if (limit < ceiling) {
			this.growTo(Math.min(limit + Math.min(limit, MOST_MORE), ceiling));
		} else if (ceiling < MOST && --this.windowsLeft <= 0) {
			this.ceiling = Math.min(MOST, Math.ceil(1.25 * limit));
			this.growTo(this.ceiling);
		} else {
			this.startWindow();
		}
	}

	private growTo(limit: number): void {
		this.smaller = this.limit;
		const before = [...this.took];
		this.startWindow();
		this.before = new Map(before.map(([endpoint, took]) => [endpoint, median(took)]));
		this.limit = limit;
	}

	/** Some were refused while so many were under way. */
	refused(underWay: number): void {
		this.fallTo(
			Math.max(1, Math.min(Math.floor(this.limit / 2), underWay - 1)),
			Math.max(1, underWay - 1),
		);
	}

	private fallTo(limit: number, ceiling: number): void {
		this.limit = limit;
		this.ceiling = Math.min(ceiling, this.ceiling);
		this.windowsLeft = this.patience;
		this.patience = Math.min(MOST_PATIENCE, 2 * this.patience);
		this.startWindow();
	}

	private startWindow(): void {
		this.took.clear();
		this.before.clear();
		this.wasFull = false;
		this.wasSlow = false;
	}
}
