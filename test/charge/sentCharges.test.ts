import { findSent, remember } from '../../nodes/PaymentsGateway/charge/sentCharges';

/** Which charges this process remembers: 10,000 of them at most, for 30 days at most. */

const DAY = 24 * 3_600_000;
let now = 0;
beforeEach(() => {
	// What one test has left is too old in the next one.
	now += 40 * DAY;
	jest.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => jest.restoreAllMocks());

const keysOf = (item: string) => ({ item, identities: [item], node: 'node', lock: 'lock' });
const send = (item: string) => {
	const cart = { referenceID: 'R', total: 1 };
	const unanswered = { state: 'unanswered', transactionID: '', status: '' } as const;
	const times = { sentAfter: 0, earlierFailures: new Set<string>() };
	remember({ cart, keys: keysOf(item), lock: undefined, ...times, ...unanswered });
};
const isKnown = (item: string) => findSent(keysOf(item), false).length === 1;

test('a charge is known for 30 days, and then gone', () => {
	send('old');
	now += 30 * DAY - 1;
	expect(isKnown('old')).toBe(true);
	now += 1;
	send('new');
	expect(['old', 'new'].filter(isKnown)).toEqual(['new']);
});

test('of more than 10,000 the oldest goes', () => {
	for (let index = 0; index < 10_000; index++) send(`${index}`);
	expect(isKnown('0')).toBe(true);
	send('one more');
	expect(['0', '1', 'one more'].filter(isKnown)).toEqual(['1', 'one more']);
});
