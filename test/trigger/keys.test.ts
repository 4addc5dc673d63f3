import { eventHash, STATES, triggerKey } from '../../nodes/PaymentsGateway/trigger/keys';
import { parseSeen, storeSeen } from '../../nodes/PaymentsGateway/trigger/state';

/** The keys of stored states must never change: otherwise every installed trigger would start anew. */

test('a trigger finds its state under the same key for ever', () => {
	expect(STATES).toBe('paymentsGatewayTriggers');
	expect(triggerKey('workflow-1', 'node-2')).toBe('workflow-1/node-2');
});

test.each([
	['its ID', 'evt_1', 'iB5cupgq'],
	['an ID with blanks around it', ' evt_1 ', 'iB5cupgq'],
	['a number', 7, 'RE6jJVGY'],
	['its content, without an ID', '', 'cXgcObKB'],
])('an event is known by the hash of %s for ever', (_, eventID, hash) => {
	const event = { date: '2026-01-10T12:00:00Z', type: 't', payload: '' };
	expect(eventHash({ eventID: eventID as string, ...event })).toBe(hash);
});

test('a seen event takes 22 characters of the state, and is read back as it was', () => {
	const seen = new Map([['iB5cupgq', Date.UTC(2026, 0, 10, 12)]]);
	const stored = storeSeen(seen, 0);
	expect(stored).toEqual({ iB5cupgq: 'mk896dc0' });
	// An entry is 21 characters and a comma; here, two braces instead.
	expect(JSON.stringify(stored)).toHaveLength(21 + 2);
	expect(parseSeen(stored)).toEqual(seen);
});
