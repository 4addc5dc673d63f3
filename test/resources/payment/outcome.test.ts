import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { outcomeOf } from '../../../nodes/PaymentsGateway/resources/payment/outcome';
import { paymentEventOf } from '../../../nodes/PaymentsGateway/resources/payment/paymentEvent';
import type { PaymentEvent } from '../../../nodes/PaymentsGateway/resources/payment/paymentEvent';

/** The one rule for what a payment came to, shared by Get Status and the charge. */

let made = 0;
/** An event of noon plus so many minutes, with a record of $25, or another payload. */
function told(
	type: string,
	record: IDataObject = {},
	minute = 0,
	{ key = 'transaction', ...more }: { key?: string; eventID?: string; date?: string } = {},
): PaymentEvent {
	made += 1;
	const date = new Date(Date.UTC(2026, 2, 1, 12, minute)).toISOString();
	const payload = { [key]: { id: `txn_${made}`, amount: 2500, currency: 'USD', ...record } };
	return paymentEventOf({
		...{ eventID: `evt_${made}`, type, date, payload: JSON.stringify(payload) },
		...more,
	});
}
type Given = Parameters<typeof told> extends [string, ...infer Rest] ? Rest : never;
const paid = (...given: Given) => told('payment_success', ...given);
const failed = (...given: Given) => told('payment_failed', ...given);
const other = (...given: Given) => told('payment_settled', ...given);
const back = (record: IDataObject = {}, minute = 0, more: object = {}) =>
	told('payment_refund', record, minute, { key: 'refund', ...more });

const succeeded = (amount?: number) => ({ outcome: 'succeeded', amount });
const partly = (amount?: number) => ({ outcome: 'partiallyRefunded', amount });
const refunded = (amount?: number) => ({ outcome: 'refunded', amount });
const returned = (amount?: number) => ({ outcome: 'returned', amount, paid: amount });
const again = { ...succeeded(2500), paid: 2500, refunded: 0 };
const twiceRefunded = { ...refunded(0), paid: 2500, refunded: 2500 };
const failure = { outcome: 'failed', amount: 2500, paid: undefined };
const notFound = { outcome: 'notFound', amount: undefined, paid: undefined };

const a = { id: 'a' };
const half = { amount: 1250 };
const third = { amount: 300 };
const [ofA, ofB] = [{ parentTransactionId: 'a' }, { parentTransactionId: 'b' }];
const halfOf = (parent: object) => back({ id: '', ...half, ...parent });
const halfUnder = (id: string) => back({ id, ...half });
const cameBack = [paid(a), failed(a, 1)];
const inRefund = { key: 'refund' };

test.each<[string, PaymentEvent[], object]>([
	['nothing', [], notFound],
	['an event of no known type', [other()], notFound],
	['a success', [paid()], succeeded(2500)],
	['one that is written with a dot', [told('payment.success')], succeeded(2500)],
	['a capture under a type of its own', [other({ status: 'captured' })], succeeded(2500)],
	['a refund under a type of its own', [other({ status: 'CAPTURED' }, 0, inRefund)], notFound],
	['a failure', [failed()], failure],

	['a returned payment', cameBack, returned(2500)],
	['one that failed first', [failed(a), paid(a, 1)], succeeded(2500)],
	['one that failed at that moment', [paid(a), failed(a)], succeeded(2500)],
	['one that went through again', [...cameBack, paid(a, 2)], succeeded(2500)],
	['a failure of another ID', [paid(a), failed({ id: 'b' }, 1)], succeeded(2500)],
	['neither with an ID', [paid({ id: '' }), failed({ id: '' }, 1)], succeeded(2500)],
	['one returned, one not', [...cameBack, paid(third)], succeeded(300)],
	['one returned and given back', [...cameBack, back(ofA, 2)], refunded(0)],
	['that one and another', [...cameBack, back(ofA, 2), paid(third, 3)], succeeded(300)],
	['its refund naming none', [...cameBack, back({}, 2), paid(third, 3)], succeeded(300)],
	['a refund of the other', [...cameBack, paid({}, 2), back(half, 3)], partly(1250)],
	['one whose refund failed', [paid(a), failed(a, 1, inRefund)], succeeded(2500)],
	['a failed refund alone', [failed(a, 0, inRefund)], notFound],

	['a refund', [paid(), back()], refunded(0)],
	['one with a sign', [paid(), back({ amount: -2500 })], refunded(0)],
	['one of more than was paid', [paid(), back({ amount: 2600 })], refunded(0)],
	['one of a part', [paid(), back(half)], partly(1250)],
	['one whose payment does not show', [back({ id: 'b' })], { ...refunded(), transactionID: 'b' }],
	['one without an amount', [paid(), back({ amount: null })], partly()],
	['one in another currency', [paid(), back({ currency: 'EUR' })], partly()],
	['one that names no currency', [paid(), back({ ...half, currency: '' })], partly(1250)],
	['a currency in small letters', [paid(), back({ ...half, currency: 'usd' })], partly(1250)],

	['two refunds with IDs of their own', [paid(), back(half), back(half)], refunded(0)],
	['one refund told twice', [paid(), halfUnder('r'), halfUnder('r')], partly(1250)],
	['two under the ID of their payment', [paid(a), halfUnder('a'), halfUnder('a')], refunded(0)],
	['two without an ID', [paid(a), halfOf(ofA), halfOf(ofA)], refunded(0)],
	['of two parents', [paid(a), paid({ id: 'b' }), halfOf(ofA), halfOf(ofB)], partly(2500)],

	['one refunded, and paid again', [paid(a), back(ofA, 1), paid({}, 2)], again],
	['its refund naming none', [paid(a), back({}, 1), paid({}, 2)], again],
	['one of two refunded', [paid(a), paid({ id: 'b' }), back(ofA, 1)], again],
	['a part of it only', [paid(a), back({ ...ofA, ...half }, 1), paid({}, 2)], partly(3750)],
	['both refunded', [paid(a), back(ofA, 1), paid({ id: 'b' }, 2), back(ofB, 3)], twiceRefunded],
	['both returned', [...cameBack, paid({ id: 'b' }, 2), failed({ id: 'b' }, 3)], returned(2500)],

	['one transaction told by two events', [paid(a), paid(a, 1)], succeeded(2500)],
	['two payments', [paid(), paid()], succeeded(5000)],
	['two without an ID', [paid({ id: '' }), paid({ id: '' })], succeeded(5000)],
])('%s, listed in either order', (_, events, settled) => {
	expect(outcomeOf(events)).toMatchObject(settled);
	expect(outcomeOf([...events].reverse())).toMatchObject(settled);
});

test('the newest payment gives its ID, the newest event its date, by instant', () => {
	const early = paid({ id: 'early' }, 0, { date: '2026-03-01T23:30:00+05:00' });
	const late = paid({ id: 'late' }, 0, { date: '2026-03-01T19:00:00Z' });
	const undated = paid({ id: 'undated' }, 0, { date: 'soon' });
	const refund = back({ amount: 1 }, 0, { date: '2026-03-01T21:00:00-01:00' });
	const is = (id: string, { date }: PaymentEvent) => ({ transactionID: id, date });
	expect(outcomeOf([late, early, undated])).toMatchObject(is('late', late));
	expect(outcomeOf([late, refund, early])).toMatchObject(is('late', refund));
	expect(outcomeOf([failed({ id: 'z' }), failed({ id: 'b', amount: 1 }, 5)])).toMatchObject({
		transactionID: 'b',
		amount: 1,
	});
});

test('who has ever paid is never told as one who has not, nor with more than was paid', () => {
	const maybe = (...words: string[]) => fc.constantFrom('', ...words);
	const record = fc.record({
		id: maybe('a', 'b', 'r'),
		parentTransactionId: maybe('a', 'b'),
		amount: fc.constantFrom(1, 2, 3, null),
	});
	const type = fc.constantFrom('payment_success', 'payment_refund', 'payment_failed', 'other');
	const event = fc.tuple(type, record, fc.nat({ max: 3 })).map((each) => told(...each));
	fc.assert(
		fc.property(fc.array(event, { maxLength: 8 }), (events) => {
			const { outcome, amount = 0, paid: sum = 0 } = outcomeOf(events);
			const successes = events.filter((each) => each.type === 'payment_success');
			const isUnpaid = outcome === 'failed' || outcome === 'notFound';
			if (isUnpaid) expect(successes).toEqual([]);
			const all = successes.reduce((total, each) => total + (each.amount || 0), 0);
			expect(sum).toBeLessThanOrEqual(all);
			expect(amount).toBeGreaterThanOrEqual(0);
			if (!isUnpaid) expect(amount).toBeLessThanOrEqual(all);
		}),
	);
});
