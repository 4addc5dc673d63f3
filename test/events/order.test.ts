import { runsAgainst, timeOf } from '../../nodes/PaymentsGateway/events/order';

/** Whether a list runs against the order that was asked for. Readers that stop at a date ask this. */

const rising = [1_000, 2_000, 3_000];
const falling = [...rising].reverse();

test('a list that plainly runs the other way round is recognised, in both orders', () => {
	expect(runsAgainst('desc', rising)).toBe(true);
	expect(runsAgainst('desc', falling)).toBe(false);
	expect(runsAgainst('asc', falling)).toBe(true);
	expect(runsAgainst('asc', rising)).toBe(false);
});

test.each<[string, number[]]>([
	['two rows', [1_000, 2_000]],
	['rows of one second', [1_001, 1_002, 1_003]],
	['no order at all', [2_000, 1_000, 3_000]],
	['rows whose dates cannot be read', [NaN, NaN, NaN]],
])('%s prove nothing', (_, dates) => {
	expect(runsAgainst('desc', dates)).toBe(false);
});

test('a date that cannot be read is passed over', () => {
	expect(['1970-01-01T00:00:01Z', 'soon'].map((date) => timeOf({ date }))).toEqual([1_000, NaN]);
	expect(runsAgainst('desc', [NaN, ...rising, NaN])).toBe(true);
});
