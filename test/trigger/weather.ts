import fc from 'fast-check';

import type { Step, StepKind } from './storm';

/** What happens around a trigger: all that the service model allows, at random. */

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
export function mostly<const Usual, Other>(
	weight: number,
	usual: Usual,
	...others: Array<fc.Arbitrary<Other>>
): fc.Arbitrary<Usual | Other> {
	return fc.oneof({ weight, arbitrary: fc.constant(usual) }, ...others);
}

const upTo = (max: number) => fc.integer({ min: 1, max });
const between = (min: number, max: number) => fc.double({ min, max, noNaN: true });

export const total = mostly(3, 'true', fc.constantFrom('zero', 'text'));

export const weather = fc.record({
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

/** What happens between two polls. */
const incidents = [
	often(1, 'arrive', backlog, fc.constant(20)),
	often(2, 'moment', fc.integer({ min: 2, max: 160 })),
	often(4, 'late', upTo(5), between(0.01, 90)),
	often(2, 'future', upTo(50_000)),
	often(1, 'repeat', fc.integer({ min: 0, max: 150 }), fc.boolean()),
	often(1, 'noEvent', fc.integer({ min: 0, max: 150 })),
	often(2, 'restart'),
	often(1, 'clock', fc.constantFrom(-400, -30, -2, -0.1, 0, 0.1, 2, 400)),
	often(1, 'total', total),
];
export const incident: fc.Arbitrary<Step> = fc.oneof(...incidents);

export const step: fc.Arbitrary<Step> = fc.oneof(
	...incidents,
	often(10, 'pollIn', weather),
	often(5, 'arrive', upTo(130), fc.constantFrom(0, 1, 40, 400)),
	often(1, 'purge', between(0, 30)),
	often(4, 'wait', fc.constantFrom(0.01, 1, 1, 5, 61, 600, 2_000)),
	often(1, 'cap', fc.constantFrom(10, 25, 50)),
);
