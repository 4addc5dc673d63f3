import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { outcomeOf } from '../../../nodes/PaymentsGateway/resources/payment/outcome';
import type { PaymentEvent } from '../../../nodes/PaymentsGateway/resources/payment/paymentEvent';

/** The one rule for what a payment came to, shared by Get Status and the charge. */

let made = 0;
/** An event of noon plus so many minutes, with a record of $25. */
function told(
	type: string,
	record: IDataObject = {},
	minute = 0,
	event: Partial<PaymentEvent> = {},
): PaymentEvent {
	made += 1;
	const date = new Date(Date.UTC(2026, 2, 1, 12, minute)).toISOString();
	return {
		...{ eventID: `evt_${made}`, type, date, payload: null },
		...event,
		record: { id: `txn_${made}`, amount: 2500, currency: 'USD', ...record },
	};
}
type Given = Parameters<typeof told> extends [string, ...infer Rest] ? Rest : never;
const paid = (...given: Given) => told('payment_success', ...given);
const back = (...given: Given) => told('payment_refund', ...given);
const failed = (...given: Given) => told('payment_failed', ...given);
const other = (...given: Given) => told('payment_settled', ...given);

const succeeded = (amount?: number) => ({ outcome: 'succeeded', amount });
const partly = (amount?: number) => ({ outcome: 'partiallyRefunded', amount });
const refunded = (amount?: number) => ({ outcome: 'refunded', amount });
const failure = { outcome: 'failed', amount: 2500 };
const notFound = { outcome: 'notFound', amount: undefined };
const a = { id: 'a' };
const half = { amount: 1250 };

const b = { id: 'b' };
const nameless = { id: '', ...half };
const [ofA, ofB] = [{ parentTransactionId: 'a' }, { parentTransactionId: 'b' }];
const halfOf = (parent: object) => back({ ...nameless, ...parent });
const halfUnder = () => back({ ...a, ...half });
const failedBack = (minute = 0) => back({ ...b, ...ofA, status: 'FAILED' }, minute);
const returned = [paid(a), failed(a, 1)];
const third = { amount: 300 };
const isAbove = { payload: { transaction_id: 'a', failure: {} } };
const ofRefund = { payload: { transactionId: 'a', refund: { id: 'r' } } };
const withCode = { payload: { error: { return_code: 'R01', message: 'No funds' } } };
const earlier = { ...a, created_at: '2026-03-01T11:59:00Z' };
const later = { ...a, created_at: '2026-03-01T12:00:00Z' };
const asDuplicate = { payload: { transaction: { id: 'a', message: 'Duplicate transaction' } } };
const underPayment = { payload: { refund: { id: 'a' }, transaction: { id: 'a' } } };
const noRefund = { payload: { refund: { id: null }, transaction: { id: 'a' } } };
const inRefund = { payload: { refund: ofA } };
const captured = { status: 'CAPTURED' };
const ofOneMoment = [
	back(b, 0, { eventID: 'evt_a' }),
	back({ ...b, status: 'pending' }, 0, { eventID: 'evt_b' }),
];
const inEuro = { value: 2500, currency: 'EUR' };
const namedBeside = { payload: { amount: 2500, payment: { id: 'x' } } };
const inYen = { payload: { currency: 'JPY' } };

test.each<[string, PaymentEvent[], object]>([
	['nothing', [], notFound],
	['an event of no known type', [other()], notFound],
	['a success', [paid()], succeeded(2500)],
	['a capture under a type of its own', [other({ status: 'captured' })], succeeded(2500)],
	['a reversal under a type of its own', [paid(), other({ status: 'REVERSED' })], refunded(0)],
	['a failure', [failed()], failure],
	['one by another name', [failed({ id: '', transactionId: 'x' })], { transactionID: 'x' }],
	['one named beside its record', [failed({ id: '' }, 0, namedBeside)], { transactionID: 'x' }],

	['a returned payment', returned, failure],
	['one that failed first', [failed(a), paid(a, 1)], succeeded(2500)],
	['one that failed at that moment', [paid(a), failed(a)], succeeded(2500)],
	['one that went through again', [paid(a), failed(a, 1), paid(a, 2)], succeeded(2500)],
	['neither with an ID', [paid({ id: '' }), failed({ id: '' }, 1)], succeeded(2500)],
	['a failure of another ID', [paid({ tx_id: 't' }), failed({ tx_id: 't' }, 1)], succeeded(2500)],
	['one returned, one not', [...returned, paid(third)], succeeded(300)],
	['one returned by another name', [paid(a), failed({ id: 'x', transactionID: 'a' }, 1)], failure],
	['one returned by a name beside', [paid(a), failed({ id: '' }, 1, isAbove)], failure],
	['one whose refund failed, by it', [paid(a), failed({}, 1, ofRefund)], succeeded(2500)],
	['one whose refund failed, under its ID', [paid(a), failed(a, 1, underPayment)], succeeded(2500)],
	['one returned, without a refund', [paid(a), failed(a, 1, noRefund)], failure],
	['one that was tried once more', [paid(a), failed(a, 1, asDuplicate)], succeeded(2500)],
	[
		'one whose second try the result tells',
		[paid(a), failed({ ...a, result: 'DUPLICATE' }, 1)],
		succeeded(2500),
	],
	[
		'one returned under an ID of its own',
		[paid(a), failed({ ...b, ...ofA, status: 'RETURNED' }, 1)],
		failure,
	],
	[
		'one returned, by its status alone',
		[paid(a), failed({ ...b, ...ofA, status: 'ACH_RETURNED' }, 1)],
		failure,
	],
	['one returned, by a code beside', [paid(a), failed({ ...b, ...ofA }, 1, withCode)], failure],
	['one returned as R24', [paid(a), failed({ ...a, message: 'R24 Duplicate Entry' }, 1)], failure],
	[
		'one returned, by words that it has not been paid',
		[paid(a), failed({ ...a, message: 'The debit has not been paid' }, 1)],
		failure,
	],
	[
		'one already captured',
		[paid(a), failed({ ...a, message: 'Already captured' }, 1)],
		succeeded(2500),
	],
	[
		'one whose refund failed, in words',
		[paid(a), failed({ ...a, reason: 'Refund failed: no funds' }, 1)],
		succeeded(2500),
	],
	[
		'one returned in such words',
		[paid(a), failed({ ...a, message: 'Settled, then returned' }, 1)],
		failure,
	],
	['one whose first try is told late', [paid(later), failed(earlier, 1)], succeeded(2500)],
	['one returned, of that time', [paid(later), failed(later, 1)], failure],
	['a failed refund alone', [failed(a, 1, underPayment)], succeeded()],
	['a renewal that was returned', [paid(a), paid({ ...b, ...ofA }), failed(b, 1)], succeeded(2500)],
	['one whose refund failed', [paid(a), failed({ id: 'x', ...ofA }, 1)], succeeded(2500)],
	['one returned and back, one not', [...returned, back(ofA), paid(third)], succeeded(300)],
	['one returned and given back', [...returned, back(ofA)], refunded()],

	['back with a sign', [paid(), back({ amount: -2500 })], refunded(0)],
	['back, and nobody saw it come', [back(b)], { ...refunded(), transactionID: 'b' }],
	['a refund without an amount', [paid(), back({ amount: null })], partly()],
	['a refund in another currency', [paid(), back({ currency: 'EUR' })], partly()],
	['a refund that names no currency', [paid(), back({ ...half, currency: '' })], partly(1250)],
	[
		'an amount as an object',
		[failed({ amount: inEuro, currency: '' })],
		{ amount: 2500, currency: 'EUR' },
	],
	['a currency beside it', [failed({ currency: '' }, 0, inYen)], { currency: 'JPY' }],
	['a currency in small letters', [paid(), back({ ...half, currency: 'usd' })], partly(1250)],

	['two refunds with IDs of their own', [paid(), back(half), back(half)], refunded(0)],
	['one under its payment, twice', [paid(a), halfUnder(), halfUnder()], partly(1250)],
	['two under their payment', [paid(a), halfUnder(), back({ ...a, ...third })], partly(950)],
	['of two parents', [paid(a), paid(b), halfOf(ofA), halfOf(ofB)], partly(2500)],
	['one of a parent, and one under its ID', [paid(a), halfOf(ofA), halfUnder()], partly(1250)],
	['equal ones that say nothing', [paid(), back(nameless), back(nameless)], partly(1250)],

	['one transaction told by two events', [paid(a), paid(a, 1)], succeeded(2500)],
	['an authorisation and its capture', [paid(a), paid(ofA)], succeeded(2500)],
	['a payment and its renewal', [paid({ ...a, ...captured }), paid(ofA)], succeeded(5000)],
	[
		'a declined card that is let go',
		[failed(a), back({ ...b, ...ofA, status: 'REVERSED' }, 1)],
		failure,
	],
	['one let go under its ID, and paid', [failed(a), back(a, 1), paid(b, 2)], succeeded(2500)],
	['a payment that was voided', [paid(a), back({ ...a, status: 'VOIDED' })], refunded(0)],
	['a payment that was cancelled', [paid(a), back({ ...a, status: 'CANCELED' })], refunded(0)],
	['a refund long after a failure', [failed(a), back({ ...b, ...ofA }, 61)], refunded()],
	[
		'a refund that was voided',
		[paid(a), back({ ...b, ...ofA, status: 'VOIDED' })],
		succeeded(2500),
	],
	['a refund that waits', [paid(a), back({ ...ofA, status: 'REFUND_PENDING' })], succeeded(2500)],
	['a refund in review', [paid(a), back({ ...ofA, status: 'In Review' })], succeeded(2500)],
	['a refund under way', [paid(a), back({ ...ofA, status: 'PENDING' })], succeeded(2500)],
	['one that was under way', [paid(a), back({ ...b, status: 'pending' }), back(b, 1)], refunded(0)],
	['one that was under way in that moment', [paid(a), ...ofOneMoment], refunded(0)],
	[
		'one by a type of its own',
		[paid(a), other({ ...half, ...captured }, 1, inRefund)],
		partly(1250),
	],
	['a refund called off', [paid(a), back({ ...ofA, status: 'Canceled' })], succeeded(2500)],
	['a refund that failed', [paid(a), back({ ...ofA, status: 'FAILED' })], succeeded(2500)],
	['one that failed after all', [paid(a), back({ ...b, ...ofA }), failedBack(1)], succeeded(2500)],
	['one that failed, and nobody saw the payment', [failed(), failedBack()], succeeded()],
	['one that failed, of a returned payment', [...returned, failedBack(2)], failure],
	['one that failed at first', [paid(a), failedBack(), back({ ...b, ...ofA }, 1)], refunded(0)],
	['no ID', [paid({}, 0, { eventID: '' }), paid({}, 0, { eventID: '' })], succeeded(5000)],
])('%s', (_, events, settled) => {
	expect(outcomeOf(events)).toMatchObject(settled);
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

test('a transaction has failed by each of its names, but for those by which one went through', () => {
	const created_at = '2026-03-01T12:00:00Z';
	const names = (id: string) => ({ id, tx_id: `${id}-tx`, pmt_id: 'shared', created_at });
	const { failed: failures } = outcomeOf([
		paid(names('a')),
		failed(names('b')),
		paid({ id: 'c' }),
		failed({ id: 'c' }, 1),
		failed({ id: '', tx_id: null }),
		failed({ id: 'd' }, 0, { date: 'soon' }),
		failed({ id: 'e' }, 0, asDuplicate),
		// One that may be of several attempts, which nothing tells apart.
		failed({ id: '', pmt_id: 'p' }),
		// A charge that names no transaction is none of these.
		failed({ id: 'f', tx_id: '', created_at }),
	]);
	expect([...failures.keys()].sort()).toEqual(['b', 'b-tx', 'c', 'd', 'f']);
	expect(failures.get('b')?.madeAt).toBe(Date.parse(created_at));
	expect(failures.get('d')).toEqual({ toldAt: -Infinity, madeAt: NaN });
});

describe('for any events', () => {
	const maybe = (...words: string[]) => fc.constantFrom('', ...words);
	const listed = fc.array(
		fc
			.record({
				type: fc.constantFrom('payment_success', 'payment_refund', 'payment_failed', 'other'),
				id: maybe('a', 'b', 'r'),
				parentTransactionId: maybe('a', 'b'),
				amount: fc.constantFrom(1, 2, 3, null),
				minute: fc.integer({ min: 0, max: 3 }),
				eventID: maybe('e1', 'e2', 'e3'),
			})
			.map(({ type, minute, eventID, ...record }) =>
				told(type, record, minute, { eventID: eventID || `evt_${++made}` }),
			),
		{ maxLength: 8 },
	);

	test('order and repetition change nothing', () => {
		const shuffled = listed.chain((events) =>
			fc.tuple(
				fc.constant(events),
				fc.shuffledSubarray([...events, ...events], { minLength: 2 * events.length }),
			),
		);
		fc.assert(
			fc.property(shuffled, ([events, again]) => {
				expect(outcomeOf(again)).toEqual(outcomeOf(events));
			}),
		);
	});

	test('the verdict is of a piece, and money is made up nowhere', () => {
		fc.assert(
			fc.property(listed, (events) => {
				const { outcome, amount, refunded: gone } = outcomeOf(events);
				const all = events
					.filter(({ type }) => type === 'payment_success')
					.reduce((sum, { record }) => sum + Number(record.amount), 0);
				expect(amount ?? 0).toBeGreaterThanOrEqual(0);
				if (outcome === 'succeeded') expect(gone).toBe(0);
				if (outcome === 'partiallyRefunded') expect(amount).not.toBe(0);
				if (outcome === 'refunded') expect(amount ?? 0).toBe(0);
				if (outcome === 'notFound') expect(amount).toBeUndefined();
				if (outcome !== 'failed') expect(amount ?? 0).toBeLessThanOrEqual(all);
			}),
		);
	});
});
