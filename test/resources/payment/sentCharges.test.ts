import {
	chargesSent,
	rememberCharge,
} from '../../../nodes/PaymentsGateway/resources/payment/sentCharges';
import type { SentCharge } from '../../../nodes/PaymentsGateway/resources/payment/sentCharges';

/** Which charges this process remembers: 10,000 of them at most, for 72 hours at most. */

const HOUR = 3_600_000;
let now = 0;
beforeEach(() => {
	// What one test has left is too old in the next one.
	now += 100 * HOUR;
	jest.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => jest.restoreAllMocks());

const keysOf = (item: string) => ({ item, shared: [item], node: 'node' });
function sent(item: string): SentCharge {
	const charge: SentCharge = {
		...{ keys: keysOf(item), referenceID: 'R', total: 1, state: 'sent' },
		...{ notBefore: 0 },
	};
	rememberCharge(charge);
	return charge;
}
const known = (item: string) => chargesSent(keysOf(item), false);

test('a charge is known for 72 hours, and then gone', () => {
	const charge = sent('old');
	now += 72 * HOUR - 1;
	expect(known('old')).toEqual([charge]);
	now += 1;
	const younger = sent('new');
	expect([known('old'), known('new')]).toEqual([[], [younger]]);
});

test('of more than 10,000 the oldest goes', () => {
	for (let index = 0; index < 10_000; index++) sent(`${index}`);
	expect(known('0')).toHaveLength(1);
	sent('one more');
	expect(known('0')).toEqual([]);
	expect([known('1'), known('one more')]).toMatchObject([[{}], [{}]]);
});
