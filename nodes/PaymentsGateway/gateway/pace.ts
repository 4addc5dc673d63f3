import { AtOnce } from './atOnce';
import { Rate } from './rate';
import { LONGEST_WAIT } from './retry';
import { sleepUntilAborted } from './sleep';

/**
 * The way out to a merchant: the requests of all runs wait here for their place, first come first
 * served. A charge passes the line; the trigger and the pickers have a pace of their own
 * (merchants.ts). How many places there are is learned from the answers, and outlives the run.
 */

/**
 * What a request has shown of the gateway's pace: how long its answer took, or for how many
 * milliseconds a refusal asks to be left alone, 0 where it does not say.
 */
export type Heard = { endpoint: string; ms: number } | { refusedFor: number };

/** The place of a request under way. It is given back once the answer is there. */
export interface Place {
	done(heard?: Heard): void;
}

interface Waiting {
	/** It can wait until then, by the clock of the pace, which no change of the date moves. */
	until: number;
	admit: (place: Place | undefined) => void;
}

export interface Clock {
	now: () => number;
	sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

export class Pace {
	/** When the last request was over. Before one is, nothing can have been learned. */
	usedAt = Infinity;
	private readonly atOnce = new AtOnce();
	private readonly rate = new Rate();
	private readonly line: Waiting[] = [];
	private underWay = 0;
	private waking: AbortController | undefined;

	constructor(private readonly clock: Clock) {}

	/** How many may be under way at once, as far as is known by now. */
	get limit(): number {
		return this.atOnce.limit;
	}

	get isIdle(): boolean {
		return this.underWay === 0 && this.line.length === 0;
	}

	/** Others are under way, or wait. */
	get isBusy(): boolean {
		return this.underWay > 1 || this.line.length > 0;
	}

	/** Milliseconds that the gateway still wants to be left alone. */
	heldFor(): number {
		return Math.ceil(Math.max(0, this.rate.heldUntil - this.clock.now()));
	}

	/**
	 * Waits for a place. Undefined when there is none: the run has ended, or the gateway wants a pause
	 * that is longer than `within` milliseconds, or than a minute.
	 */
	async enter(within = Infinity, ended?: AbortSignal): Promise<Place | undefined> {
		const until = this.clock.now() + within;
		if (ended?.aborted || this.isTooLong(until)) return undefined;
		return await new Promise((resolve) => {
			const leave = () => this.turnAway((each) => each === waiting);
			const waiting: Waiting = {
				until,
				admit: (place) => {
					ended?.removeEventListener('abort', leave);
					resolve(place);
				},
			};
			ended?.addEventListener('abort', leave);
			this.line.push(waiting);
			this.letGo();
		});
	}

	/** A place at once: for whoever is next, and for a charge, past the line. */
	pass(): Place {
		const leftAt = this.clock.now();
		const underWay = ++this.underWay;
		this.rate.left(leftAt);
		return {
			done: (heard) => {
				this.underWay -= 1;
				this.usedAt = this.clock.now();
				if (heard !== undefined) this.learn(leftAt, underWay, heard);
				this.letGo();
			},
		};
	}

	private learn(leftAt: number, underWay: number, heard: Heard): void {
		if ('ms' in heard) {
			this.rate.answered(leftAt);
			this.atOnce.answered(underWay, heard.endpoint, heard.ms);
			return;
		}
		const { refusedFor } = heard;
		// Retry-After speaks of time. Without it too many were at once, unless there was only one.
		if (refusedFor > 0 || underWay === 1) {
			this.rate.refused(leftAt, refusedFor, this.clock.now());
			this.turnAway(({ until }) => this.isTooLong(until));
		} else {
			this.atOnce.refused(underWay);
		}
	}

	private isTooLong(until: number): boolean {
		const held = this.heldFor();
		return held > LONGEST_WAIT || this.clock.now() + held > until;
	}

	private letGo(): void {
		while (this.line.length > 0 && this.underWay < this.limit) {
			const wait = this.rate.opensAt() - this.clock.now();
			if (wait > 0) {
				void this.wakeIn(wait);
				return;
			}
			this.line.shift()?.admit(this.pass());
		}
	}

	private async wakeIn(ms: number): Promise<void> {
		if (this.waking) return;
		this.waking = new AbortController();
		await this.clock.sleep(Math.ceil(ms), this.waking.signal).catch(() => undefined);
		this.waking = undefined;
		this.letGo();
	}

	private turnAway(whom: (waiting: Waiting) => boolean): void {
		for (const gone of this.line.filter(whom)) {
			this.line.splice(this.line.indexOf(gone), 1);
			gone.admit(undefined);
		}
		// A timer that nobody waits for would only keep the process from ending.
		if (this.line.length === 0) this.waking?.abort();
	}
}

/** What was learned holds for so long after the last request. */
const KEPT_MS = 600_000;
const MOST_KEPT = 100;

export type PaceOf = (scope: string) => Pace;

/** The paces of a process, by merchant; whoever is idle is forgotten, the longest unused first. */
export function createPaces(clock: Clock): PaceOf {
	const paces = new Map<string, Pace>();
	return (scope) => {
		const tooOld = clock.now() - KEPT_MS;
		for (const [each, { usedAt, isIdle }] of paces) {
			const isSpare = paces.size >= MOST_KEPT && each !== scope;
			if (isIdle && (usedAt < tooOld || isSpare)) paces.delete(each);
		}
		const pace = paces.get(scope) ?? new Pace(clock);
		paces.delete(scope);
		paces.set(scope, pace);
		return pace;
	};
}

const CLOCK: Clock = { now: () => performance.now(), sleep: sleepUntilAborted };

export const sharedPaceOf = createPaces(CLOCK);

/** A pace that nobody else has part in, and that remembers nothing from before. */
export const ownPaceOf: PaceOf = () => new Pace(CLOCK);
