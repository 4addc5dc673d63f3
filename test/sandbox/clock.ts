/**
 * The sandbox's own clock, which tests can stop and move. Dates of paylinks, payments and events
 * come from it.
 */

/**
 * Milliseconds of an ISO 8601 timestamp, NaN when it is none. `Date.parse` alone would read
 * "event 7" as a day in July, and a time without a zone in the zone of the machine.
 */
export function instant(text: string): number {
	if (!/^\d{4}-\d{2}-\d{2}(T\d{2}:|$)/.test(text)) return NaN;
	const hasZone = text.length === 10 || /(Z|[+-]\d{2}:?\d{2})$/i.test(text);
	return Date.parse(hasZone ? text : `${text}Z`);
}

/** Runs with real time until it is set; then it stands still until it is advanced or set again. */
export class Clock {
	private fixed: number | undefined;

	constructor(private readonly start?: Date | string) {
		this.reset();
	}

	now(): Date {
		return new Date(this.fixed ?? Date.now());
	}

	set(date: Date | string): void {
		const time = typeof date === 'string' ? instant(date) : date.getTime();
		if (Number.isNaN(time)) throw new Error(`Not an ISO 8601 timestamp: ${String(date)}`);
		this.fixed = time;
	}

	advance(ms: number): void {
		this.set(new Date(this.now().getTime() + ms));
	}

	reset(): void {
		this.fixed = undefined;
		if (this.start !== undefined) this.set(this.start);
	}
}
