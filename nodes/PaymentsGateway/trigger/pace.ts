/** How many more requests a poll has time for, if they take as long as those so far. */
export class Pace {
	private readonly started = Date.now();
	private requests = 0;

	constructor(readonly deadline: number) {}

	count(): void {
		this.requests++;
	}

	get requestsLeft(): number {
		const now = Date.now();
		if (now >= this.deadline) return 0;
		const each = this.requests === 0 ? 0 : (now - this.started) / this.requests;
		return each <= 0 ? Infinity : Math.floor(((this.deadline - now) * 0.8) / each);
	}
}
