import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { outcomeOf } from '../../nodes/PaymentsGateway/events/outcome';
import { paymentEventOf } from '../../nodes/PaymentsGateway/events/paymentEvent';
import type { PaymentEvent } from '../../nodes/PaymentsGateway/events/paymentEvent';
import { createMask } from '../../nodes/PaymentsGateway/output/mask';

/** What the events of one reference add up to, for Get Status and for Charge. */

let made = 0;
/** An event at noon plus `minute` minutes. `record` is laid over a $25 transaction, under `key`. */
function eventOf(
	type: string,
	record: IDataObject = {},
	minute = 0,
	{ key = 'transaction', ...more }: { key?: string; eventID?: string; date?: string } = {},
): PaymentEvent {
	made += 1;
	const date = new Date(Date.UTC(2026, 2, 1, 12, minute)).toISOString();
	const payload = { [key]: { id: `txn_${made}`, amount: 2500, currency: 'USD', ...record } };
	const row = { eventID: `evt_${made}`, type, date, payload: JSON.stringify(payload), ...more };
	return paymentEventOf(row, createMask([]));
}
type Given = Parameters<typeof eventOf> extends [string, ...infer Rest] ? Rest : never;
const payment = (...given: Given) => eventOf('payment_success', ...given);
const failed = (...given: Given) => eventOf('payment_failed', ...given);
const unknown = (...given: Given) => eventOf('payment_settled', ...given);
const refund = (record: IDataObject = {}, minute = 0, more: object = {}) =>
	eventOf('payment_refund', record, minute, { key: 'refund', ...more });

const succeeded = (amount?: number) => ({ outcome: 'succeeded', amount });
const partly = (amount?: number) => ({ outcome: 'partiallyRefunded', amount });
const refunded = (amount?: number) => ({ outcome: 'refunded', amount });
const returned = (amount?: number) => ({ outcome: 'returned', amount, paid: amount });
const paidAgain = { ...partly(2500), paid: 5000, refunded: 2500 };
const twiceRefunded = { ...refunded(0), paid: 5000, refunded: 5000 };
const failure = { outcome: 'failed', amount: 2500, paid: undefined };
const notFound = { outcome: 'notFound', amount: undefined, paid: undefined };

const [a, b] = [{ id: 'a' }, { id: 'b' }];
const half = { amount: 1250 };
const threeDollars = { amount: 300 };
const noID = { id: '' };
const [ofA, ofB] = [{ parentTransactionId: 'a' }, { parentTransactionId: 'b' }];
const halfOf = (parent: object, minute = 0) => refund({ ...noID, ...half, ...parent }, minute);
const halfUnder = (id: string) => refund({ id, ...half });
const returnedA = [payment(a), failed(a, 1)];
const halfPaid = [payment({}, 2), refund(half, 3)];
const lost = { ...returned(2500), payments: 0 };
const asRefund = { key: 'refund' };

test.each<[string, PaymentEvent[], object]>([
	['nothing', [], notFound],
	['an event of an unknown type', [unknown()], notFound],
	['a success', [payment()], succeeded(2500)],
	['a success written with a dot', [eventOf('payment.success')], succeeded(2500)],
	['a capture of an unknown type', [unknown({ status: 'captured' })], succeeded(2500)],
	['a refund of an unknown type', [unknown({ status: 'CAPTURED' }, 0, asRefund)], notFound],
	['a failure', [failed()], failure],

	['a returned payment', returnedA, returned(2500)],
	['a payment after a failure', [failed(a), payment(a, 1)], succeeded(2500)],
	['a payment and a failure of one moment', [payment(a), failed(a)], succeeded(2500)],
	['a returned payment that went through again', [...returnedA, payment(a, 2)], succeeded(2500)],
	['a payment, and a failure of another ID', [payment(a), failed(b, 1)], succeeded(2500)],
	['a payment and its failure without an ID', [payment(noID), failed(noID, 1)], succeeded(2500)],
	['a returned payment, and another', [...returnedA, payment(threeDollars)], succeeded(300)],
	['a returned and refunded payment', [...returnedA, refund(ofA, 2)], refunded(0)],
	['a partly refunded, then returned payment', [payment(a), halfOf(ofA, 1), failed(a, 2)], lost],
	[
		'a returned and refunded payment, and another',
		[...returnedA, refund(ofA, 2), payment(threeDollars, 3)],
		succeeded(300),
	],
	[
		'a returned payment, a refund that names none, and another payment',
		[...returnedA, refund({}, 2), payment(threeDollars, 3)],
		succeeded(300),
	],
	['a returned payment, and a refund of another', [...returnedA, ...halfPaid], partly(1250)],
	['a payment whose refund failed', [payment(a), failed(a, 1, asRefund)], succeeded(2500)],
	['a failed refund alone', [failed(a, 0, asRefund)], notFound],

	['a refunded payment', [payment(), refund()], refunded(0)],
	['a refund with a minus', [payment(), refund({ amount: -2500 })], refunded(0)],
	['a refund of more than was paid', [payment(), refund({ amount: 2600 })], refunded(0)],
	['a refund of a part', [payment(), refund(half)], partly(1250)],
	['a refund without its payment', [refund(b)], { ...refunded(), transactionID: 'b' }],
	['a refund without an amount', [payment(), refund({ amount: null })], partly()],
	['a refund in another currency', [payment(), refund({ currency: 'EUR' })], partly()],
	['a refund that names no currency', [payment(), refund({ ...half, currency: '' })], partly(1250)],
	['a refund in usd', [payment(), refund({ ...half, currency: 'usd' })], partly(1250)],

	['two refunds with IDs of their own', [payment(), refund(half), refund(half)], refunded(0)],
	['one refund in two events', [payment(), halfUnder('r'), halfUnder('r')], partly(1250)],
	['two refunds under its ID', [payment(a), halfUnder('a'), halfUnder('a')], refunded(0)],
	['two refunds without an ID', [payment(a), halfOf(ofA), halfOf(ofA)], refunded(0)],
	['a refund of each payment', [payment(a), payment(b), halfOf(ofA), halfOf(ofB)], partly(2500)],

	['a refunded payment, and another', [payment(a), refund(ofA, 1), payment({}, 2)], paidAgain],
	['a payment, a refund, and another', [payment(a), refund({}, 1), payment({}, 2)], paidAgain],
	['two payments, one refunded', [payment(a), payment(b), refund(ofA, 1)], paidAgain],
	['a half refunded payment, and another', [payment(a), halfOf(ofA, 1), payment()], partly(3750)],
	['two refunded payments', [payment(a), refund(ofA), payment(b), refund(ofB)], twiceRefunded],
	['two returned payments', [...returnedA, payment(b, 2), failed(b, 3)], returned(2500)],

	['one transaction in two events', [payment(a), payment(a, 1)], succeeded(2500)],
	['two payments', [payment(), payment()], succeeded(5000)],
	['two payments without an ID', [payment(noID), payment(noID)], succeeded(5000)],
])('%s has this outcome, listed in either order', (_, events, outcome) => {
	expect(outcomeOf(events)).toMatchObject(outcome);
	expect(outcomeOf([...events].reverse())).toMatchObject(outcome);
});

test('the newest payment gives the ID, and the newest payment or refund the date, compared as moments', () => {
	const early = payment({ id: 'early' }, 0, { date: '2026-03-01T23:30:00+05:00' });
	const late = payment({ id: 'late' }, 0, { date: '2026-03-01T19:00:00Z' });
	const undated = payment({ id: 'undated' }, 0, { date: 'soon' });
	const partOfIt = refund({ amount: 1 }, 0, { date: '2026-03-01T21:00:00-01:00' });
	const is = (id: string, { date }: PaymentEvent) => ({ transactionID: id, date });
	expect(outcomeOf([late, early, undated])).toMatchObject(is('late', late));
	expect(outcomeOf([late, partOfIt, early])).toMatchObject(is('late', partOfIt));
	const failures = [failed({ id: 'z' }), failed({ id: 'b', amount: 1 }, 5)];
	expect(outcomeOf(failures)).toMatchObject({ transactionID: 'b', amount: 1 });
});

test('a reference with a payment is never failed or not found, and shows no more than was paid', () => {
	const maybe = (...words: string[]) => fc.constantFrom('', ...words);
	const record = fc.record({
		id: maybe('a', 'b', 'r'),
		parentTransactionId: maybe('a', 'b'),
		amount: fc.constantFrom(1, 2, 3, null),
	});
	const type = fc.constantFrom('payment_success', 'payment_refund', 'payment_failed', 'other');
	const event = fc.tuple(type, record, fc.nat({ max: 3 })).map((each) => eventOf(...each));
	fc.assert(
		fc.property(fc.array(event, { maxLength: 8 }), (events) => {
			const { outcome, amount = 0, paid: sum = 0 } = outcomeOf(events);
			const successes = events.filter(({ kind }) => kind === 'payment');
			const isUnpaid = outcome === 'failed' || outcome === 'notFound';
			if (isUnpaid) expect(successes).toEqual([]);
			const all = successes.reduce((total, each) => total + (each.amount || 0), 0);
			expect(sum).toBeLessThanOrEqual(all);
			expect(amount).toBeGreaterThanOrEqual(0);
			if (!isUnpaid) expect(amount).toBeLessThanOrEqual(all);
		}),
	);
});
