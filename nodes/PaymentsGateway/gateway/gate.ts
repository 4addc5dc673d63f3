import { sleep } from 'n8n-workflow';

import { MOST, Pace } from './pace';
import { LONGEST_WAIT } from './retry';

/**
 * The one way out to a merchant: every request of this process waits here for its place, first come
 * first served, whichever run it is of. What the pace has learned outlives the run.
 */
export interface Gate {
	/**
	 * Undefined when it may not go: the run has ended, or the service wants a pause of more than so
	 * many milliseconds, or of more than a minute.
	 */
	enter(within?: number): Promise<Permit | undefined>;
	/** Goes at once, past the line. */
	pass(): Permit;
	/** Milliseconds that the service still wants to be left alone. */
	heldFor(): number;
	/** How many may be under way at once, as far as is known by now. */
	limit(): number;
}

/** What came of the request; nothing where that says nothing about the service's speed. */
export type Heard =
	{ endpoint: string; ms: number } | { refused: true; retryAfterMs?: number | undefined };

export interface Permit {
	done(outcome?: Heard): void;
}

/** How many requests a run may have under way, whichever merchants they go to. */
export interface RunBound {
	readonly most: number;
	underWay: number;
	/** Lets the next ones go, for each merchant of the run. */
	readonly dispatch: Set<() => void>;
}

export function boundOf(most = MOST): RunBound {
	return { most, underWay: 0, dispatch: new Set() };
}

/** The place that one run has in the line of one merchant. */
interface WaitingRun {
	bound: RunBound;
	waiting: Waiter[];
}

interface Waiter {
	ticket: number;
	until: number;
	admit: (permit: Permit | undefined) => void;
}

interface Merchant {
	gate: (bounds: Bounds) => Gate;
	isIdle: () => boolean;
	usedAt: () => number;
}

export interface Bounds {
	bound?: RunBound;
	/** The run has ended: nobody waits any longer. */
	ended?: AbortSignal;
}

export interface Clock {
	now: () => number;
	sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

function createMerchant({ now, sleep }: Clock): Merchant {
	const pace = new Pace();
	/** The runs with requests that wait. */
	const runs = new Set<WaitingRun>();
	let underWay = 0;
	let tickets = 0;
	let usedAt = now();
	let waking: AbortController | undefined;

	const isTooLong = (until: number) => {
		const held = Math.max(0, pace.heldUntil - now());
		return held > LONGEST_WAIT || now() + held > until;
	};

	const limitFor = ({ bound }: WaitingRun) =>
		Math.min(Math.floor(pace.limit), Math.max(MOST, bound.most));

	/** Of the runs that have room left, the one whose first has waited longest. */
	const nextRun = (): WaitingRun | undefined => {
		let next: WaitingRun | undefined;
		for (const run of runs) {
			if (run.bound.underWay >= run.bound.most || underWay >= limitFor(run)) continue;
			const ticket = run.waiting[0]?.ticket ?? Infinity;
			if (ticket < (next?.waiting[0]?.ticket ?? Infinity)) next = run;
		}
		return next;
	};

	const dispatch = () => {
		for (let run = nextRun(); run; run = nextRun()) {
			const wait = pace.opensAt() - now();
			if (wait > 0) {
				void wake(wait);
				return;
			}
			const waiter = run.waiting.shift();
			if (run.waiting.length === 0) runs.delete(run);
			waiter?.admit(permit(run));
		}
		// A timer that nobody waits for would only keep the process from ending.
		if (runs.size === 0) waking?.abort();
	};

	const wake = async (ms: number) => {
		if (waking) return;
		waking = new AbortController();
		await sleep(Math.ceil(ms), waking.signal).catch(() => undefined);
		waking = undefined;
		dispatch();
	};

	const permit = (run: WaitingRun): Permit => {
		run.bound.underWay += 1;
		underWay += 1;
		const departure = pace.depart(now(), underWay);
		return {
			done: (outcome) => {
				run.bound.underWay -= 1;
				underWay -= 1;
				usedAt = now();
				if (outcome && 'refused' in outcome) {
					pace.refused(departure, outcome.retryAfterMs ?? 0, now());
					for (const each of runs) turnAway(each, ({ until }) => isTooLong(until));
				} else if (outcome) {
					pace.answered(departure, outcome.endpoint, outcome.ms, run.bound.most);
				}
				// To the end of the queue, so that the merchants of a run take turns.
				run.bound.dispatch.delete(dispatch);
				run.bound.dispatch.add(dispatch);
				for (const each of [...run.bound.dispatch]) each();
			},
		};
	};

	const turnAway = (run: WaitingRun, whom: (waiter: Waiter) => boolean) => {
		const gone = run.waiting.filter(whom);
		run.waiting = run.waiting.filter((waiter) => !whom(waiter));
		if (run.waiting.length === 0) runs.delete(run);
		for (const { admit } of gone) admit(undefined);
	};

	return {
		usedAt: () => usedAt,
		isIdle: () => underWay === 0 && runs.size === 0,
		gate: ({ bound = boundOf(), ended }) => {
			const run: WaitingRun = { bound, waiting: [] };
			bound.dispatch.add(dispatch);
			ended?.addEventListener(
				'abort',
				() => {
					turnAway(run, () => true);
					dispatch();
				},
				{ once: true },
			);
			return {
				pass: () => permit(run),
				heldFor: () => Math.ceil(Math.max(0, pace.heldUntil - now())),
				limit: () => Math.min(bound.most, limitFor(run)),
				enter: async (within = Infinity) => {
					usedAt = now();
					const until = usedAt + within;
					if (ended?.aborted || isTooLong(until)) return undefined;
					return await new Promise((admit) => {
						run.waiting.push({ ticket: tickets++, until, admit });
						runs.add(run);
						dispatch();
					});
				},
			};
		},
	};
}

/** What was learned holds for so long after the last request. */
const KEPT_MS = 600_000;
const MOST_KEPT = 100;

/** The gates of a process, by merchant; whoever is idle is forgotten, the longest unused first. */
export function createGates(clock: Clock): (scope: string, bounds?: Bounds) => Gate {
	const merchants = new Map<string, Merchant>();
	return (scope, bounds = {}) => {
		const tooOld = clock.now() - KEPT_MS;
		for (const [each, { usedAt, isIdle }] of merchants) {
			const isSpare = merchants.size >= MOST_KEPT && each !== scope;
			if (isIdle() && (usedAt() < tooOld || isSpare)) merchants.delete(each);
		}
		const merchant = merchants.get(scope) ?? createMerchant(clock);
		merchants.delete(scope);
		merchants.set(scope, merchant);
		return merchant.gate(bounds);
	};
}

const CLOCK: Clock = { now: () => performance.now(), sleep };

export type GateOf = ReturnType<typeof createGates>;

export const gateOf = createGates(CLOCK);

/** A gate that nobody else goes through, and that remembers nothing from before. */
export const ownGateOf: GateOf = (scope, bounds) => createGates(CLOCK)(scope, bounds);
