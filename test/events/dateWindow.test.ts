import { hasPassed, isWithin } from '../../nodes/PaymentsGateway/events/dateWindow';
import type { SortOrder } from '../../nodes/PaymentsGateway/wire';

/** Which events are within a window of dates, and when a sorted list has passed it. */

const march = { from: Date.parse('2026-03-01'), until: Date.parse('2026-04-01') };
const eventOf = (date: string) => ({ eventID: date, type: 'payment_success', date, payload: '{}' });

test.each([
	['2026-02-28T23:59:59Z', false],
	['2026-03-01', true],
	['2026-03-31T23:59:59Z', true],
	['2026-04-01', false],
	['soon', false],
])('an event of %s is within March: %s', (date, expected) => {
	expect(isWithin(march, eventOf(date))).toBe(expected);
});

test.each<[SortOrder, string, boolean]>([
	['desc', '2026-03-01', false],
	['desc', '2026-02-28T23:59:59Z', true],
	['desc', 'soon', false],
	['asc', '2026-03-31T23:59:59Z', false],
	['asc', '2026-04-01', true],
	['asc', 'soon', false],
])('a list sorted %s has passed March if a page ends with %s: %s', (order, last, expected) => {
	expect(hasPassed(march, order, ['2026-03-15', last].map(eventOf))).toBe(expected);
});

test('an empty page does not show that a list has passed the window', () => {
	expect(hasPassed(march, 'desc', [])).toBe(false);
	expect(hasPassed(march, 'asc', [])).toBe(false);
});
