import {
	chargesSent,
	forgetCharge,
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

const sent = (...names: string[]): SentCharge => {
	const charge: SentCharge = { names, referenceID: 'R', payments: 0, note: { state: 'sent' } };
	rememberCharge(charge);
	return charge;
};

test('a charge is known by each of its names, and told once', () => {
	const charge = sent('data', 'reference');
	const other = sent('other', 'reference');
	expect(chargesSent(['data'])).toEqual([charge]);
	expect(chargesSent(['data', 'reference'])).toEqual([charge, other]);
	expect(chargesSent(['none'])).toEqual([]);
	forgetCharge(charge);
	expect(chargesSent(['data', 'reference'])).toEqual([other]);
});

test('it is known for 72 hours', () => {
	const charge = sent('a');
	now += 72 * HOUR - 1;
	expect(chargesSent(['a'])).toEqual([charge]);
	now += 1;
	expect(chargesSent(['a'])).toEqual([]);
	now -= 1;
	expect(chargesSent(['a'])).toEqual([]);
});

test('what is too old goes when another is sent', () => {
	sent('old');
	now += 72 * HOUR;
	sent('new');
	now -= HOUR;
	expect(chargesSent(['old'])).toEqual([]);
	expect(chargesSent(['new'])).toHaveLength(1);
});

test('of more than 10,000 the oldest goes', () => {
	for (let index = 0; index < 10_000; index++) sent(`charge ${index}`);
	expect(chargesSent(['charge 0'])).toHaveLength(1);
	sent('one more');
	expect(chargesSent(['charge 0'])).toEqual([]);
	expect(chargesSent(['charge 1', 'one more'])).toHaveLength(2);
});
