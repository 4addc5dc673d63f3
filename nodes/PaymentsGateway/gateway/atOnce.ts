/**
 * How many requests a gateway takes at once, learned from how it answers: more are let go while
 * answers come back about as quick as before, and fewer once it refuses some.
 */

const START = 5;
export const MOST = 64;
/** No more than these are added at a time, lest a gateway that limits its callers is flooded. */
const MOST_MORE = 16;
/** Milliseconds that say nothing about the gateway: this process is busy as well. */
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
	/** So many more windows of answers at the ceiling, then a few more are tried. */
	private windowsLeft = 0;
	private patience = 1;
	/** While more are tried: how many there were before, and what answers usually took, by endpoint. */
	private before = { limit: 0, medians: new Map<string, number>() };
	/** What answers take in this window, by endpoint. It ends with those to three quarters of the limit. */
	private times = new Map<string, number[]>();
	private wasSlow = false;

	/** The request was one of so many under way as it left. */
	answered(underWay: number, endpoint: string, ms: number): void {
		const { limit, before } = this;
		// What has left under another limit says nothing about this one.
		if (underWay <= before.limit || underWay > limit) return;
		const times = this.times.get(endpoint) ?? [];
		this.times.set(endpoint, times);
		times.push(ms);
		if (times.length < Math.max(START, 0.75 * limit)) return;
		if (this.isSlower(median(times), before.medians.get(endpoint))) {
			if (this.wasSlow) return this.fallTo(before.limit, before.limit);
			// Once may be chance.
			this.wasSlow = true;
			return this.times.clear();
		}
		const mayGrow = limit < this.ceiling || (limit < MOST && --this.windowsLeft < 0);
		// Who asks for fewer than the limit shows nothing of more.
		if (underWay === limit && mayGrow) this.grow();
		else this.startWindow();
	}

	/** Some were refused while so many, at least two, were under way. */
	refused(underWay: number): void {
		if (underWay > this.limit) return;
		const fewer = underWay - 1;
		this.fallTo(Math.min(fewer, Math.floor(this.limit / 2)), fewer);
	}

	/** The median: a single slow answer is no signal, nor is a long tail. */
	private isSlower(usual: number, before = Infinity): boolean {
		// Twice as many may take up to 1.6 times as long, and fewer in proportion: more get through in all.
		return (usual + NOISE) / (before + NOISE) > 1 + 0.6 * (this.limit / this.before.limit - 1);
	}

	private grow(): void {
		const { limit } = this;
		const medians = [...this.times].map(([endpoint, times]) => [endpoint, median(times)] as const);
		// A quarter more than the ceiling.
		if (limit === this.ceiling) this.ceiling = Math.min(MOST, Math.ceil(1.25 * limit));
		this.limit = Math.min(this.ceiling, 2 * limit, limit + MOST_MORE);
		this.startWindow(limit, new Map(medians));
	}

	private fallTo(limit: number, ceiling: number): void {
		this.limit = limit;
		this.ceiling = ceiling;
		this.windowsLeft = this.patience;
		this.patience = Math.min(MOST_PATIENCE, 2 * this.patience);
		this.startWindow();
	}

	private startWindow(limit = 0, medians = new Map<string, number>()): void {
		this.before = { limit, medians };
		this.times.clear();
		this.wasSlow = false;
	}
}
