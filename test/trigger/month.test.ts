import fc from 'fast-check';

import { tally } from '../reliability/tally';
import { MINUTE } from './spans';
import { QUIET, Storm } from './storm';
import type { Step } from './storm';

/**
 * A busy merchant: some 20,000 events in 30 days, and each day what a storm brings in an hour. A
 * short form of it in every run, all of it with STORM=1.
 */

const DAYS = Number(process.env.MONTH_DAYS ?? (process.env.STORM ? 30 : 1));
const POLL_EVERY = 10;
const POLLS_A_DAY = (24 * 60) / POLL_EVERY;
/** The gateway drops what is older, each night. */
const KEPT_HOURS = 48;

/** A small generator of its own, so that a seed replays all of it. */
function randomFrom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (Math.imul(state, 48_271) >>> 0) % 2_147_483_647;
		return state / 2_147_483_647;
	};
}

/** What happens on these days, in order. */
function* daysOf(random: () => number): Generator<Step> {
	const upTo = (most: number) => Math.ceil(random() * most);
	const oneOf = <T>(...values: T[]) => values[Math.floor(random() * values.length)] as T;
	/** How many more polls something lasts that has begun. */
	const left = { outage: 0, clock: 0, uncounted: 0 };
	let failWith = QUIET.failWith;

	const polls = DAYS * POLLS_A_DAY;
	for (let poll = 1; poll <= polls; poll++) {
		const happens = (timesADay: number) => random() < timesADay / POLLS_A_DAY;
		const hour = Math.floor((poll * POLL_EVERY) / 60) % 24;
		const arrivals = upTo(hour < 7 ? 2 : hour < 20 ? 11 : 5);
		const minutes = POLL_EVERY / (arrivals + 1);
		yield ['arrive', arrivals, Math.floor(minutes * MINUTE)];

		if (happens(0.1)) yield ['arrive', 150 + upTo(400), 20];
		if (happens(0.3)) yield ['moment', 1 + upTo(60)];
		if (happens(6)) yield ['late', upTo(4), random() ** 2 * 80];
		if (happens(0.3)) yield ['future', upTo(50_000)];
		if (happens(0.5)) yield ['repeat', upTo(150), random() < 0.7];
		if (happens(0.5)) yield ['noEvent', upTo(150)];
		if (happens(2)) yield ['restart'];
		if (poll % POLLS_A_DAY === POLLS_A_DAY - 1) yield ['purge', KEPT_HOURS];

		if (poll === Math.floor(polls * 0.4)) yield ['cap', 50];
		if (poll === Math.floor(polls * 0.97)) yield ['cap', 10];

		if (--left.clock === 0) yield ['clock', 0];
		if (left.clock < 0 && happens(0.7)) {
			left.clock = upTo(18);
			yield ['clock', oneOf(-400, -30, -5, -1, -0.1, 0.1, 2, 6, 400)];
		}
		if (--left.uncounted === 0) yield ['total', 'true'];
		if (left.uncounted < 0 && happens(0.5)) {
			left.uncounted = upTo(36);
			yield ['total', oneOf('zero', 'text')];
		}
		if (--left.outage < 0 && happens(0.7)) {
			left.outage = happens(20) ? upTo(70) : upTo(3);
			failWith = oneOf('503', '429', 'drip');
		}
		const isOut = left.outage >= 0;
		const faults = {
			failAt: isOut ? 1 : happens(4) ? upTo(12) : 0,
			failWith: isOut ? failWith : oneOf('503', '429', 'drip'),
			arriveAt: upTo(6),
			arrive: happens(20) ? upTo(5) : 0,
			lateAt: happens(3) ? upTo(4) : 0,
			latency: happens(4) ? oneOf(300, 1_000) : 0,
			dies: happens(1),
		};
		yield ['pollIn', faults];
		yield ['wait', minutes];
	}
}

test.each(['default', 'durable', 'scheduled'] as const)(
	`fires every event of ${DAYS} busy days exactly once (%s engine)`,
	async (engine) => {
		const given = process.env.MONTH_SEED ?? fc.readConfigureGlobal().seed;
		const seed = Number(given ?? Date.now() % 2 ** 31);
		const month = new Storm({
			habits: { total: 'true', hasDate: true },
			maxEvents: 1_000,
			engine,
			empty: 0,
			old: 1_300,
			clock: 0,
		});
		await month.start();
		for (const step of daysOf(randomFrom(seed))) await month.happen(step);
		await month.settle();
		jest.restoreAllMocks();

		const counted = month.counted();
		tally('month', { days: DAYS, ...counted });
		// With the seed, to play the same days again.
		expect({ seed, ...month.verdict() }).toEqual({ seed, doubled: [], lost: [], wrong: [] });
		expect(counted.sent).toBeGreaterThan(DAYS * 600);
		expect(counted.fired / counted.sent).toBeGreaterThan(0.95);
		// A reading of some 2,000 events by pages of ten, at the most.
		expect(month.mostRequests).toBeLessThanOrEqual(300);
		expect(month.requests / month.polled).toBeLessThan(12);
	},
	600_000,
);
