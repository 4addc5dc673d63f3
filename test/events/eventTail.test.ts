import { countUnseen } from '../../nodes/PaymentsGateway/events/eventTail';
import type { Tail } from '../../nodes/PaymentsGateway/events/eventTail';
import { paymentEventOf } from '../../nodes/PaymentsGateway/events/paymentEvent';
import { createMask } from '../../nodes/PaymentsGateway/output/mask';

/**
 * A tail is the oldest rows of a list and the list's count. Two tails show what was listed between them.
 *
 * Every letter is an event, whose place in the alphabet is its date. A capital is another event of the same
 * date. The oldest comes first.
 */

const timeOf = (letter: string) => letter.toLowerCase().charCodeAt(0) * 1000;
function tail(letters: string, count: number | undefined): Tail {
	return { rows: [...letters].map((key) => ({ key, at: timeOf(key) })), count };
}
const mask = createMask([]);
const events = (letters: string) =>
	[...letters].map((eventID) => {
		const date = new Date(timeOf(eventID)).toISOString();
		return paymentEventOf({ eventID, date, type: 'payment_success', payload: '{}' }, mask);
	});

const before = tail('bcdef', 9);

test.each<[what: string, after: Tail, seen: string, unseen: number]>([
	['nothing changed', tail('bcdef', 9), '', 0],
	['two came, and were seen', tail('bcdef', 11), 'yz', 0],
	['two came, and one was seen', tail('bcdef', 11), 'z', 1],
	['one came late into the tail, and was seen', tail('bCcde', 10), 'C', 0],
	['one came late while the oldest was removed', tail('cdefg', 9), '', 1],
	['one came late, older than all, while the oldest was removed', tail('acdef', 9), '', 1],
	['the two oldest were removed', tail('defgh', 7), '', 0],
	['one was seen and then removed, and another came', tail('bcdef', 10), 'a', 1],
])('%s: the events that nobody saw are counted', (_, after, seen, unseen) => {
	expect(countUnseen(before, after, events(seen))).toBe(unseen);
});

test.each<[why: string, before: Tail, after: Tail]>([
	['the list is not counted', tail('bcdef', undefined), tail('bcdef', 9)],
	['the list is no longer counted', tail('bcdef', 9), tail('bcdef', undefined)],
	['all of the tail was removed', tail('bcdef', 9), tail('ghijk', 9)],
	['an event above the tail may have the date of the anchor', tail('bB', 9), tail('bB', 9)],
	['the list was empty, and is now longer than its tail', tail('', 0), tail('b', 2)],
])('nothing is concluded if %s', (_, first, second) => {
	expect(countUnseen(first, second)).toBeUndefined();
});

test('a tail that is the whole list shows everything, even events of one date', () => {
	expect(countUnseen(tail('bB', 2), tail('B', 1))).toBe(0);
	expect(countUnseen(tail('bB', 2), tail('bBz', 3), events('z'))).toBe(0);
	expect(countUnseen(tail('bB', 2), tail('yz', 2), events('z'))).toBe(1);
});
