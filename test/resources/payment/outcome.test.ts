import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import * as payment from '../../../nodes/PaymentsGateway/resources/payment/outcome';

/** The one rule for what became of a payment, shared by Get Status and the charge. */

const { isPaid } = payment;
/** Of events whose records say nothing more. */
const outcomeOf = (events: readonly IDataObject[]) =>
	payment.outcomeOf(events.map((event) => ({ event, record: {} })));

let made = 0;
const event = (type: string, fields: IDataObject = {}): IDataObject => ({
	eventID: `evt_${++made}`,
	type,
	date: '2026-03-01T12:00:00.000Z',
	transactionID: `txn_${made}`,
	amount: 2500,
	currency: 'USD',
	...fields,
});
const success = (fields?: IDataObject) => event('payment_success', fields);
const refund = (fields?: IDataObject) => event('payment_refund', fields);
const failure = (fields?: IDataObject) => event('payment_failed', fields);

describe('the verdict', () => {
	test.each<[string, IDataObject[], object]>([
		['nothing yet', [], { outcome: 'pending', amount: undefined }],
		['events of no known type', [event('payment_created')], { outcome: 'pending' }],
		['a success', [success()], { outcome: 'succeeded', amount: 2500 }],
		[
			'a capture under a type of its own',
			[event('payment_settled', { status: 'CAPTURED' })],
			{ outcome: 'succeeded', amount: 2500 },
		],
		[
			'a capture in small letters under a type of its own',
			[event('payment_settled', { status: 'captured' })],
			{ outcome: 'succeeded', amount: 2500 },
		],
		[
			'a capture that is told under two types',
			[
				success({ transactionID: 'txn_a' }),
				event('x', { status: 'CAPTURED', transactionID: 'txn_a' }),
			],
			{ outcome: 'succeeded', amount: 2500 },
		],
		[
			'a reversal under a type of its own',
			[success(), event('payment_voided', { status: 'REVERSED' })],
			{ outcome: 'refunded', amount: 0 },
		],
		[
			'a payment told twice, whose transaction is a number',
			[success({ transactionID: 17 }), success({ transactionID: 17 })],
			{ outcome: 'succeeded', amount: 2500, transactionID: '17' },
		],
		['two payments', [success(), success()], { outcome: 'succeeded', amount: 5000 }],
		['a failure', [failure()], { outcome: 'failed', amount: 2500 }],
		['a failure, then a success', [failure(), success()], { outcome: 'succeeded', amount: 2500 }],
		['a success, then a failure', [success(), failure()], { outcome: 'succeeded', amount: 2500 }],
		[
			'a part back',
			[success(), refund({ amount: 1 })],
			{ outcome: 'partiallyRefunded', amount: 2499 },
		],
		[
			'all back in parts',
			[success(), refund({ amount: 2000 }), refund({ amount: 500 })],
			{ outcome: 'refunded', amount: 0 },
		],
		[
			'all back, and paid anew',
			[success(), refund(), success()],
			{ outcome: 'partiallyRefunded', amount: 2500 },
		],
		[
			'back with a sign',
			[success(), refund({ amount: -2500 })],
			{ outcome: 'refunded', amount: 0 },
		],
		[
			'more back than came',
			[success(), refund({ amount: 9999 })],
			{ outcome: 'refunded', amount: 0, lacksPayment: true },
		],
		[
			'back, and nobody saw it come',
			[refund()],
			{ outcome: 'refunded', amount: 0, lacksPayment: true },
		],
		[
			'a success without an amount',
			[success({ amount: '25.00' })],
			{ outcome: 'succeeded', amount: undefined },
		],
		[
			'a refund without an amount',
			[success(), refund({ amount: undefined })],
			{ outcome: 'partiallyRefunded', amount: undefined },
		],
	])('%s', (_, events, settled) => {
		expect(outcomeOf(events)).toMatchObject(settled);
	});

	test('an event that is listed twice counts once', () => {
		const [paid, back] = [success(), refund({ amount: 1000 })];
		expect(outcomeOf([paid, paid, back, back, paid])).toMatchObject({ amount: 1500, payments: 1 });
	});

	test('a payment that is told by two events is one payment', () => {
		const paid = [success({ transactionID: 'a' }), success({ transactionID: 'a' })];
		expect(outcomeOf(paid)).toMatchObject({ amount: 2500, payments: 1 });
	});

	test('a refund that is told by two events goes back once', () => {
		const back = { transactionID: 'b', amount: 1250 };
		expect(outcomeOf([success(), refund(back), refund(back)])).toMatchObject({
			outcome: 'partiallyRefunded',
			amount: 1250,
		});
	});

	describe('two refunds of one amount, under the ID of their payment,', () => {
		const record = {
			tx_id: 'TRN_1',
			authcode: 'A1',
			brand_reference: 'R1',
			created_at: '2026-03-01T12:00:00.000Z',
		};
		const paid = { event: success({ transactionID: 'a' }), record };
		const back = (date: string, more: object = {}) => ({
			event: refund({ transactionID: 'a', amount: 1250, date }),
			record: { ...record, ...more },
		});
		const later = '2026-03-01T12:01:00.000Z';

		test.each<[string, object]>([
			['the same record', {}],
			['a record made a minute later', { created_at: later }],
			['a record that says less', { tx_id: '', authcode: undefined, created_at: 'soon' }],
			['another batch and parent', { batch_id: 'B2', parentTransactionId: 'b' }],
		])('are one with %s', (_, more) => {
			const told = [paid, back('2026-03-01T12:00:00Z'), back(later, more)];
			expect(payment.outcomeOf(told)).toMatchObject({ outcome: 'partiallyRefunded', amount: 1250 });
			expect(payment.outcomeOf([...told].reverse())).toMatchObject({ amount: 1250 });
		});

		test.each<[string, object]>([
			['another transaction number', { tx_id: 'TRN_2' }],
			['another authorization', { authcode: 'A2' }],
			['another number at the card brand', { brand_reference: 'R2' }],
			['a record made days later', { created_at: '2026-03-04T09:00:00.000Z' }],
		])('are two with %s', (_, more) => {
			const told = [paid, back('2026-03-01T12:00:00Z'), back(later, more)];
			expect(payment.outcomeOf(told)).toMatchObject({ outcome: 'refunded', amount: 0 });
		});

		test('are one when the other has an ID of its own, and two when both have', () => {
			const own = (transactionID: string) => ({
				event: refund({ transactionID, amount: 1250 }),
				record: {},
			});
			expect(payment.outcomeOf([paid, back(later), own('b')])).toMatchObject({ amount: 1250 });
			expect(payment.outcomeOf([paid, own('b'), own('c')])).toMatchObject({ amount: 0 });
		});
	});

	test('a transaction has failed when no payment of the same ID shows', () => {
		const told = [
			failure({ transactionID: 'a' }),
			failure({ transactionID: 'b' }),
			failure({ transactionID: undefined }),
			success({ transactionID: 'b' }),
		];
		expect(outcomeOf(told)).toMatchObject({
			failedAs: new Set(['a']),
			paidAs: new Set(['b']),
		});
	});

	test('the newest payment gives its ID, the newest event its date, by instant', () => {
		const early = success({ transactionID: 'early', date: '2026-03-01T23:30:00+05:00' });
		const late = success({ transactionID: 'late', date: '2026-03-01T19:00:00Z' });
		const dateless = success({ transactionID: 'dateless', date: undefined });
		const back = refund({ amount: 1, date: '2026-03-01T21:00:00-01:00' });
		expect(outcomeOf([late, early, dateless])).toMatchObject({
			transactionID: 'late',
			date: late.date,
		});
		expect(outcomeOf([late, back, early])).toMatchObject({
			transactionID: 'late',
			date: back.date,
		});
		const anew = success({ transactionID: 'anew', date: '2026-03-02T00:00:00Z' });
		expect(outcomeOf([late, back, anew])).toMatchObject({
			transactionID: 'anew',
			date: anew.date,
		});
	});

	test('of several failures the newest is told', () => {
		const failures = [
			failure({ transactionID: 'b', amount: 200, date: '2026-03-02T00:00:00Z' }),
			failure({ transactionID: 'a', amount: 100, date: '2026-03-01T00:00:00Z' }),
		];
		expect(outcomeOf(failures)).toMatchObject({
			outcome: 'failed',
			amount: 200,
			transactionID: 'b',
			date: '2026-03-02T00:00:00Z',
		});
	});
});

describe('for any events', () => {
	const events = fc.array(
		fc.record({
			eventID: fc.constantFrom('e1', 'e2', 'e3', 'e4', 'e5', 'e6', 'e7'),
			type: fc.constantFrom('payment_success', 'payment_refund', 'payment_failed', 'other'),
			transactionID: fc.constantFrom('t1', 't2', 't3', ''),
			date: fc.constantFrom('2026-03-01T12:00:00Z', '2026-03-01T12:00:00+02:00', 'soon'),
			amount: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constant('2.50')),
			currency: fc.constantFrom('USD', 'EUR'),
		}),
		{ maxLength: 9 },
	);
	/** The same ID is the same event. */
	const asListed = (rows: IDataObject[]): IDataObject[] =>
		rows.map(({ eventID }) => rows.find((row) => row.eventID === eventID) ?? {});

	test('the verdict is of a piece', () => {
		fc.assert(
			fc.property(events.map(asListed), (rows) => {
				const { outcome, amount, payments, transactionID } = outcomeOf(rows);
				const has = (type: string) => rows.some((row) => row.type === type);
				const moved = has('payment_success') || has('payment_refund');
				expect(moved).toBe(!['failed', 'pending'].includes(outcome));
				expect(outcome === 'failed').toBe(!moved && has('payment_failed'));
				expect(outcome === 'succeeded').toBe(moved && !has('payment_refund'));
				expect(payments > 0).toBe(has('payment_success'));
				expect(isPaid({ ...outcomeOf(rows) })).toBe(
					outcome === 'succeeded' || outcome === 'partiallyRefunded',
				);
				if (amount !== undefined) expect(amount).toBeGreaterThanOrEqual(0);
				if (outcome === 'refunded') expect(amount).toBe(0);
				if (transactionID !== undefined) expect(transactionID).not.toBe('');
			}),
		);
	});

	test('listing them twice changes nothing', () => {
		fc.assert(
			fc.property(events.map(asListed), (rows) => {
				expect(outcomeOf([...rows, ...rows])).toEqual(outcomeOf(rows));
			}),
		);
	});

	test('their order changes nothing', () => {
		const distinct = fc.uniqueArray(
			fc.record({
				eventID: fc.uuid(),
				type: fc.constantFrom('payment_success', 'payment_refund', 'payment_failed'),
				// Refunds of one amount, with an ID of their own, that of their payment, or none.
				transactionID: fc.constantFrom('t1', 't2', 't3', ''),
				date: fc.constantFrom('2026-03-01T12:00:00Z', '2026-03-01T12:00:00+02:00', 'soon'),
				amount: fc.constantFrom(1, 2),
			}),
			{ selector: ({ eventID }) => eventID, maxLength: 6 },
		);
		const shuffles = distinct.chain((rows) =>
			fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length })),
		);
		fc.assert(
			fc.property(shuffles, ([rows, shuffled]) => {
				expect(outcomeOf(shuffled)).toEqual(outcomeOf(rows));
			}),
		);
	});

	test('a refund never leaves more than was paid', () => {
		const amounts = fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1 });
		fc.assert(
			fc.property(amounts, amounts, (ins, outs) => {
				const rows = [
					...ins.map((amount) => success({ amount })),
					...outs.map((amount) => refund({ amount })),
				];
				const paid = ins.reduce((sum, amount) => sum + amount, 0);
				const back = outs.reduce((sum, amount) => sum + amount, 0);
				const { outcome, amount, lacksPayment } = outcomeOf(rows);
				expect(amount).toBe(Math.max(0, paid - back));
				expect(outcome).toBe(paid > back ? 'partiallyRefunded' : 'refunded');
				expect(lacksPayment).toBe(back > paid);
			}),
		);
	});
});
