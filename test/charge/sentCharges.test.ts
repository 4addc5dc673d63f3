import { findSent, remember } from '../../nodes/PaymentsGateway/charge/sentCharges';
import { DAY } from '../durations';

/** A process remembers at most 10,000 charges, and each for 30 days. */

let now = 0;
beforeEach(() => {
	// The charges of one test are too old in the next one.
	now += 40 * DAY;
	jest.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => jest.restoreAllMocks());

const keysOf = (item: string) => ({ item, identities: [item], node: 'node', lock: 'lock' });
const send = (item: string) => {
	remember({
		cart: { referenceID: 'R', total: 1 },
		keys: keysOf(item),
		lock: undefined,
		sentAfter: 0,
		earlierFailures: new Set(),
		state: 'unanswered',
		transactionID: '',
		status: '',
	});
};
const isKnown = (item: string) => findSent(keysOf(item), false).length === 1;

test('a charge is remembered for 30 days, and then forgotten', () => {
	send('old');
	now += 30 * DAY - 1;
	expect(isKnown('old')).toBe(true);
	now += 1;
	send('new');
	expect(['old', 'new'].filter(isKnown)).toEqual(['new']);
});

test('beyond 10,000 charges, the oldest is forgotten', () => {
	for (let index = 0; index < 10_000; index++) send(`${index}`);
	expect(isKnown('0')).toBe(true);
	send('one more');
	expect(['0', '1', 'one more'].filter(isKnown)).toEqual(['1', 'one more']);
});
