import fc from 'fast-check';

import { tally } from '../reliability/tally';
import type { Scene, Step, StepKind } from './storm';
import { Storm } from './storm';

/** Random schedules of all that the service model allows. */

const RUNS = Number(process.env.STORM_RUNS ?? (process.env.STORM ? 10_000 : 200));

/** A step of this kind, so many times as often as one that happens once. */
function often<Given extends unknown[]>(
	weight: number,
	kind: StepKind,
	...given: { [Key in keyof Given]: fc.Arbitrary<Given[Key]> }
) {
	const arbitrary = fc.tuple(...given).map((all) => [kind, ...all] as Step);
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
const total = mostly(3, 'true', fc.constantFrom('zero', 'text'));

const weather = fc.record({
	failAt: mostly(4, 0, upTo(12)),
	failWith: fc.constantFrom('503', '429', 'drip'),
	arriveAt: upTo(6),
	arrive: mostly(1, 0, upTo(15)),
	lateAt: mostly(3, 0, upTo(5)),
	latency: fc.constantFrom(0, 0, 0, 0, 300, 1_000),
	dies: mostly(15, false, fc.constant(true)),
});
const backlog = fc.oneof(
	{ weight: 6, arbitrary: fc.integer({ min: 150, max: 500 }) },
	fc.integer({ min: 1_000, max: 2_300 }),
);

const step: fc.Arbitrary<Step> = fc.oneof(
	often(10, 'pollIn', weather),
	often(5, 'arrive', upTo(130), fc.constantFrom(0, 1, 40, 400)),
	often(1, 'arrive', backlog, fc.constant(20)),
	often(2, 'moment', fc.integer({ min: 2, max: 160 })),
	often(4, 'late', upTo(5), fc.double({ min: 0.01, max: 90, noNaN: true })),
	often(2, 'future', upTo(50_000)),
	often(1, 'repeat', rank, fc.boolean()),
	often(1, 'purge', fc.double({ min: 0, max: 30, noNaN: true })),
	often(4, 'wait', fc.constantFrom(0.01, 1, 1, 5, 61, 600, 2_000)),
	often(2, 'restart'),
	often(1, 'clock', fc.constantFrom(-30, -2, -0.1, 0.1, 2, 400)),
	often(1, 'cap', fc.constantFrom(10, 25, 50)),
	often(1, 'total', total),
);

const scenario: fc.Arbitrary<Scene & { steps: Step[] }> = fc.record({
	habits: fc.record({
		total,
		hasDate: mostly(5, true, fc.constant(false)),
		cap: mostly(5, undefined, fc.constantFrom(10, 30)),
		refusedAbove: mostly(9, undefined, fc.constant(50)),
		beyond: mostly(2, undefined, fc.constantFrom('last', 'refused')),
	}),
	maxEvents: fc.constantFrom(1_000, 1_000, 1_000, 1_000, 120, 40),
	engine: fc.constantFrom('default', 'durable', 'scheduled'),
	empty: mostly(20, 0, fc.constantFrom(1, 2)),
	clock: mostly(15, 0, fc.constantFrom(-30, -2, 2, 400)),
	old: fc.oneof({ weight: 20, arbitrary: fc.constantFrom(0, 3, 120, 250) }, fc.constant(1_300)),
	steps: fc.array(step, { minLength: 3, maxLength: 20 }),
});

test(`fires every event that appears exactly once, in ${RUNS} storms`, async () => {
	const given = process.env.STORM_SEED ?? fc.readConfigureGlobal().seed;
	const seed = Number(given ?? Date.now() % 2 ** 31);
	let fired = 0;
	await fc.assert(
		fc.asyncProperty(scenario, async (scene) => {
			const storm = new Storm(scene);
			await storm.start();
			for (const next of scene.steps) await storm.happen(next);
			await storm.settle();
			jest.restoreAllMocks();
			fired += storm.fired.length;
			tally('storm', { schedules: 1, ...storm.counted() });
			expect(storm.verdict()).toEqual({ doubled: [], lost: [], wrong: [] });
		}),
		{ seed, numRuns: RUNS, endOnFailure: process.env.STORM_SHRINK === undefined },
	);
	expect(fired).toBeGreaterThan(RUNS);
}, 3_600_000);
