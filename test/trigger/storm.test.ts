import fc from 'fast-check';

import { tally } from '../reliability/tally';
import type { Scene, Step } from './storm';
import { QUIET, Storm } from './storm';

const RUNS = Number(process.env.STORM_RUNS ?? (process.env.STORM ? 10_000 : 250));

/** A step of this kind, so many times as often as one that happens once. */
function often<Kind extends string, Rest extends object>(
	weight: number,
	kind: Kind,
	rest: { [Key in keyof Rest]: fc.Arbitrary<Rest[Key]> },
) {
	const arbitrary = fc.record<Rest>(rest).map((given) => ({ kind, ...given }));
	return { weight, arbitrary };
}

/** What is usual, that many times as often as each of the others. */
function mostly<const Usual, Other>(
	weight: number,
	usual: Usual,
	...others: Array<fc.Arbitrary<Other>>
): fc.Arbitrary<Usual | Other> {
	return fc.oneof({ weight, arbitrary: fc.constant(usual) }, ...others);
}

const upTo = (max: number) => fc.integer({ min: 1, max });
const rank = fc.integer({ min: 0, max: 150 });

const step: fc.Arbitrary<Step> = fc.oneof(
	often(10, 'poll', {
		failAt: mostly(4, 0, upTo(12)),
		failWith: fc.constantFrom('503', '404', '429', 'drip'),
		arriveAt: upTo(6),
		arrive: mostly(1, 0, upTo(15)),
		lateAt: mostly(3, 0, upTo(5)),
		vanishAt: mostly(9, 0, upTo(9)),
		latency: fc.constantFrom(0, 0, 0, 0, 0, 0, 2_000, 9_000, 20_000, 25_000),
		dies: mostly(15, 0, upTo(1)).map(Boolean),
	}),
	often(5, 'arrive', {
		count: upTo(130),
		every: fc.constantFrom(0, 1, 40, 400),
	}),
	// A backlog.
	often(1, 'arrive', {
		count: fc.oneof(
			{ weight: 6, arbitrary: fc.integer({ min: 150, max: 500 }) },
			fc.integer({ min: 1_000, max: 2_300 }),
		),
		every: fc.constant(20),
	}),
	often(1, 'arrive', {
		count: upTo(60),
		every: fc.constantFrom(1, 400),
		isBehind: fc.constant(true),
	}),
	often(2, 'moment', { count: fc.integer({ min: 2, max: 160 }), second: fc.boolean() }),
	often(4, 'late', {
		count: upTo(5),
		hours: fc.double({ min: 0.01, max: 90, noNaN: true }),
	}),
	often(2, 'future', { hours: upTo(50_000) }),
	often(1, 'undated', {
		rank: fc.oneof(fc.integer({ min: 0, max: 120 }), fc.constant(100_000)),
	}),
	often(1, 'repeat', { rank, isNow: fc.boolean() }),
	often(1, 'purge', { keep: fc.double({ min: 0, max: 1, noNaN: true }) }),
	often(1, 'swap', { rank }),
	often(1, 'vanish', {
		rank: fc.integer({ min: 0, max: 1_500 }),
		count: upTo(400),
	}),
	often(4, 'wait', { minutes: fc.constantFrom(0.01, 1, 1, 5, 61, 600, 2_000) }),
	often(2, 'restart', {}),
	often(1, 'rename', {}),
	often(1, 'null', { rank }),
	often(2, 'clock', {
		whose: fc.constantFrom('service', 'local', 'none'),
		days: fc.constantFrom(-30, -5, -1, 0.1, 2, 6, 400),
	}),
	often(1, 'cap', { to: fc.constantFrom(10, 25, 50) }),
);

/** A gateway so slow that a poll reads a page or two, while more and more arrives. */
const slowBacklog: fc.Arbitrary<Step[]> = fc
	.array(
		fc.record({
			count: fc.integer({ min: 50, max: 600 }),
			latency: fc.constantFrom(2_000, 9_000, 20_000),
			polls: upTo(3),
		}),
		{ minLength: 2, maxLength: 8 },
	)
	.map((rounds) =>
		rounds.flatMap(({ count, latency, polls }) => [
			{ kind: 'arrive' as const, count, every: 20 },
			...Array.from({ length: polls }, () => ({ kind: 'poll' as const, ...QUIET, latency })),
		]),
	);

/**
 * What is dated an hour behind is promised only where it is among the 1,000 newest by that date: it
 * is left out where much else arrives.
 */
function withoutCrowds(all: Step[]): Step[] {
	const count = all.reduce((sum, each) => sum + ('count' in each ? each.count : 0), 0);
	if (count < 900) return all;
	return all.filter((each) => each.kind !== 'arrive' || each.isBehind !== true);
}

const steps = fc
	.array(
		fc.oneof(
			{ weight: 30, arbitrary: step.map((each) => [each]) },
			{ weight: 1, arbitrary: slowBacklog },
		),
		{ minLength: 3, maxLength: 20 },
	)
	.map((all) => withoutCrowds(all.flat()));

/** Where ten rows take twenty seconds, thousands that wait take days: docs/limits.md. */
function withoutCrawl<S extends Scene>(scene: S): S {
	const { habits, latency } = scene;
	const isCrawl = latency > 0 && (habits.cap === 10 || habits.refusedAbove !== undefined);
	return isCrawl ? { ...scene, latency: 0 } : scene;
}

const scenes: fc.Arbitrary<Scene & { steps: Step[] }> = fc.record({
	habits: fc.record({
		total: mostly(3, 'true', fc.constantFrom('zero', 'text', 'constant', 'page')),
		hasDate: mostly(5, true, fc.constant(false)),
		cap: mostly(5, undefined, fc.constant(10), fc.constant(30)),
		refusedAbove: mostly(9, undefined, fc.constant(50)),
		deepest: mostly(9, undefined, fc.constant(2_500)),
		beyond: mostly(8, undefined, fc.constantFrom('first', 'last')),
	}),
	pageSize: fc.constantFrom(100, 100, 100, 20),
	maxEvents: fc.constantFrom(1_000, 1_000, 1_000, 1_000, 120, 40),
	engine: fc.constantFrom('default', 'durable', 'scheduled'),
	latency: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 0, 0, 20_000),
	empty: mostly(20, 0, fc.constantFrom(1, 2)),
	off: fc.record({
		whose: mostly(10, 'none', fc.constantFrom('service', 'local')),
		days: fc.constantFrom(-30, -5, 6, 400),
	}),
	old: fc.oneof({ weight: 20, arbitrary: fc.constantFrom(0, 3, 120, 250) }, fc.constant(1_300)),
	steps,
	seed: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
});
const scenario = scenes.map(withoutCrawl);

test(`fires every event that appears exactly once, in ${RUNS} storms`, async () => {
	const given = process.env.STORM_SEED ?? fc.readConfigureGlobal().seed;
	const seed = Number(given ?? Date.now() % 2 ** 31);
	let fired = 0;
	console.log(`storm seed ${seed}, ${RUNS} runs (STORM_SEED, STORM_RUNS)`);
	await fc.assert(
		fc.asyncProperty(scenario, async (scene) => {
			const storm = new Storm(scene);
			await storm.start();
			for (const next of scene.steps) await storm.take(next);
			await storm.settle();
			jest.restoreAllMocks();
			fired += storm.fired.size;
			tally('storm', { schedules: 1, ...storm.counted() });
			expect(storm.verdict()).toEqual({ doubled: [], lost: [], wrong: [] });
		}),
		{ seed, numRuns: RUNS, endOnFailure: process.env.STORM_SHRINK === undefined },
	);
	expect(fired).toBeGreaterThan(0);
	console.log(`${fired} events fired`);
}, 3_600_000);
