import fc from 'fast-check';

import { tally } from '../reliability/tally';
import type { Habits } from './eventModel';
import type { Scene, Step } from './storm';
import { Storm } from './storm';

const RUNS = Number(process.env.STORM_RUNS ?? (process.env.STORM ? 10_000 : 1_000));

const step: fc.Arbitrary<Step> = fc.oneof(
	{
		weight: 10,
		arbitrary: fc.record({
			kind: fc.constant('poll' as const),
			failAt: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 12 })),
			failWith: fc.constantFrom('503' as const, '404' as const, '429' as const, 'drip' as const),
			arriveAt: fc.integer({ min: 1, max: 6 }),
			arrive: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 15 })),
			lateAt: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 5 })),
			vanishAt: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 9 })),
			latency: fc.constantFrom(0, 0, 0, 0, 0, 0, 2_000, 9_000, 20_000, 25_000),
			dies: fc.oneof({ weight: 15, arbitrary: fc.constant(false) }, fc.constant(true)),
		}),
	},
	{
		weight: 5,
		arbitrary: fc.record({
			kind: fc.constant('arrive' as const),
			count: fc.integer({ min: 1, max: 130 }),
			every: fc.constantFrom(0, 1, 40, 400),
		}),
	},
	{
		weight: 2,
		arbitrary: fc.record({
			kind: fc.constant('moment' as const),
			count: fc.integer({ min: 2, max: 160 }),
			second: fc.boolean(),
		}),
	},
	{
		weight: 4,
		arbitrary: fc.record({
			kind: fc.constant('late' as const),
			count: fc.integer({ min: 1, max: 5 }),
			hours: fc.double({ min: 0.01, max: 90, noNaN: true }),
		}),
	},
	{
		weight: 2,
		arbitrary: fc.record({
			kind: fc.constant('future' as const),
			hours: fc.integer({ min: 1, max: 50_000 }),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constant('undated' as const),
			rank: fc.oneof(fc.integer({ min: 0, max: 120 }), fc.constant(100_000)),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constant('repeat' as const),
			rank: fc.integer({ min: 0, max: 150 }),
			isNow: fc.boolean(),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constant('purge' as const),
			keep: fc.double({ min: 0, max: 1, noNaN: true }),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constant('swap' as const),
			rank: fc.integer({ min: 0, max: 150 }),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constant('vanish' as const),
			rank: fc.integer({ min: 0, max: 1_500 }),
			count: fc.integer({ min: 1, max: 400 }),
		}),
	},
	{
		weight: 4,
		arbitrary: fc.record({
			kind: fc.constant('wait' as const),
			minutes: fc.constantFrom(0.01, 1, 1, 5, 61, 600, 2_000),
		}),
	},
	{ weight: 2, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('rename' as const) }) },
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constant('null' as const),
			rank: fc.integer({ min: 0, max: 150 }),
		}),
	},
	{
		weight: 2,
		arbitrary: fc.record({
			kind: fc.constant('clock' as const),
			whose: fc.constantFrom('service' as const, 'local' as const, 'none' as const),
			days: fc.constantFrom(-30, -5, -1, 0.1, 2, 6, 400),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({ kind: fc.constant('cap' as const), to: fc.constantFrom(10, 25, 50) }),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constant('burst' as const),
			count: fc.oneof(
				{ weight: 6, arbitrary: fc.integer({ min: 150, max: 500 }) },
				fc.integer({ min: 1_000, max: 2_300 }),
			),
		}),
	},
);

const scenario: fc.Arbitrary<Scene & { steps: Step[] }> = fc.record({
	habits: fc
		.record({
			total: fc.oneof(
				{ weight: 3, arbitrary: fc.constant('true' as const) },
				fc.constantFrom('zero' as const, 'text' as const, 'constant' as const, 'page' as const),
			),
			hasDate: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)),
			cap: fc.oneof(
				{ weight: 5, arbitrary: fc.constant(undefined) },
				fc.constant(10),
				fc.constant(30),
			),
			refusedAbove: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, fc.constant(50)),
			deepest: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, fc.constant(2_500)),
			beyond: fc.oneof(
				{ weight: 8, arbitrary: fc.constant(undefined) },
				fc.constantFrom('first' as const, 'last' as const),
			),
		})
		.map(({ beyond, cap, refusedAbove, deepest, ...habits }): Habits => ({
			...habits,
			...(beyond && { beyond }),
			...(cap && { cap }),
			...(refusedAbove && { refusedAbove }),
			...(deepest && { deepest }),
		})),
	pageSize: fc.constantFrom(100, 100, 100, 20),
	maxEvents: fc.constantFrom(1_000, 1_000, 1_000, 1_000, 120, 40),
	engine: fc.constantFrom('default' as const, 'durable' as const, 'scheduled' as const),
	latency: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 0, 0, 20_000),
	empty: fc.oneof({ weight: 20, arbitrary: fc.constant(0) }, fc.constantFrom(1, 2)),
	off: fc.record({
		whose: fc.oneof(
			{ weight: 10, arbitrary: fc.constant('none' as const) },
			fc.constantFrom('service' as const, 'local' as const),
		),
		days: fc.constantFrom(-30, -5, 6, 400),
	}),
	old: fc.oneof({ weight: 20, arbitrary: fc.constantFrom(0, 3, 120, 250) }, fc.constant(1_300)),
	steps: fc.array(step, { minLength: 3, maxLength: 20 }),
	seed: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
});

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
