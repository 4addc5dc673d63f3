import fc from 'fast-check';

import type { WebhookEvent } from '../../nodes/PaymentsGateway/wire';
import {
	eventType,
	momentOf,
	referenceOf,
	simplify,
	unfold,
} from '../../nodes/PaymentsGateway/output/event';

const event = (payload: unknown, given: Partial<WebhookEvent> = {}): WebhookEvent => ({
	eventID: 'evt-1',
	date: '2026-03-01T12:00:00.000Z',
	type: 'payment_success',
	payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
	...given,
});
const simplified = (payload: unknown) => simplify(unfold(event(payload)));
const head = { eventID: 'evt-1', date: '2026-03-01T12:00:00.000Z', type: 'payment_success' };

const transaction = {
	id: 'txn-1',
	status: 'CAPTURED',
	amount: 1999,
	currency: 'USD',
	customer_id: 'cus-1',
	customer_name: 'Ada',
	customer_email: 'ada@example.com',
	brand: 'VISA',
	masked_number_last4: 'XXXXXXXXXXXX4242',
	message: 'Approved',
	referenceID: 'INV-1',
};
const lines = [{ total: 1999, amount: 1, product: { sku: 'A', name: 'A', price: 1999 } }];

describe('a simplified event', () => {
	test('of a success holds what a merchant works with, flat', () => {
		const lineItems = { customerId: 'cus-2', lineItems: lines, referenceID: 'INV-2' };
		// Nor is anything there as undefined.
		expect(simplified({ transaction, lineItems })).toStrictEqual({
			...head,
			referenceID: 'INV-1',
			transactionID: 'txn-1',
			status: 'CAPTURED',
			amount: 1999,
			amountFormatted: '$19.99',
			currency: 'USD',
			customerID: 'cus-1',
			customerName: 'Ada',
			customerEmail: 'ada@example.com',
			brand: 'VISA',
			last4: '4242',
			lineItems: lines,
			message: 'Approved',
		});
	});

	test('of a refund is read from the refund', () => {
		expect(simplified({ refund: { ...transaction, status: 'REVERSED' } })).toMatchObject({
			status: 'REVERSED',
			referenceID: 'INV-1',
			amountFormatted: '$19.99',
		});
	});

	test('leaves out what the event does not say', () => {
		const silent = { id: 't', amount: 0, currency: '', brand: null, masked_number_last4: '' };
		expect(simplified({ transaction: silent, lineItems: { lineItems: [] } })).toStrictEqual({
			...head,
			transactionID: 't',
			amount: 0,
			amountFormatted: '0.00',
		});
	});

	test.each([
		['a record under another name', { payment: transaction }],
		['a record at the top', transaction],
		['a record beside others', { meta: { a: 1 }, failure: transaction }],
	])('finds %s', (_, payload) => {
		expect(simplified(payload)).toMatchObject({
			transactionID: 'txn-1',
			amount: 1999,
			referenceID: 'INV-1',
		});
	});

	test('finds a record that tells its status alone', () => {
		const payload = { meta: { a: 1 }, payment: { id: 'txn-1', status: 'DECLINED' } };
		expect(simplified(payload)).toMatchObject({ transactionID: 'txn-1', status: 'DECLINED' });
	});

	test('finds a record that tells its amount alone', () => {
		const payload = { meta: { a: 1 }, payment: { id: 'txn-1', amount: 5 } };
		expect(simplified(payload)).toMatchObject({ transactionID: 'txn-1', amount: 5 });
	});

	test('whose payload came as an object is read as such', () => {
		const given = event('', { payload: { transaction } as never });
		expect(simplify(unfold(given))).toEqual(simplified({ transaction }));
		expect(unfold(given)).toEqual({ ...head, payload: { transaction } });
	});

	test.each([0.5, 1e21, Number.NaN])('has no written amount of %d', (amount) => {
		const payload = { transaction: { ...transaction, amount } };
		expect(simplify({ ...head, payload })).not.toHaveProperty('amountFormatted');
	});

	test.each(['{broken', '', 'just words'])('of %j keeps the text, and says why', (payload) => {
		const words = payload === '' ? {} : { payload };
		expect(simplified(payload)).toEqual({
			...head,
			...words,
			payloadError: 'The payload is not JSON',
		});
	});

	test.each([
		'null',
		'[]',
		'7',
		'"x"',
		'"see {1}"',
		'"see{1}"',
		'{}',
		'{"transaction":null}',
		'{"transaction":[]}',
	])('of %s is what stands around it', (payload) => {
		expect(simplified(payload)).toEqual(head);
	});

	test('is read also where it was encoded twice or more, or begins with a mark', () => {
		const json = JSON.stringify({ transaction });
		const twice = JSON.stringify(json);
		for (const payload of [twice, JSON.stringify(twice), `\uFEFF${json}`]) {
			expect(simplified(payload)).toEqual(simplified(json));
		}
	});

	test('keeps such a mark within its words', () => {
		const message = 'Approved\uFEFF.';
		expect(simplified({ transaction: { ...transaction, message } })).toMatchObject({ message });
	});

	test('is read also where a part of it was encoded by itself', () => {
		const whole = { transaction, lineItems: { lineItems: lines } };
		for (const part of ['transaction', 'lineItems'] as const) {
			const payload = { ...whole, [part]: JSON.stringify(whole[part]) };
			expect(simplified(payload)).toEqual(simplified(whole));
		}
		const inner = {
			payment: JSON.stringify({ id: 'txn_9', status: 'CAPTURED', referenceID: 'R-9' }),
		};
		expect(simplified({ data: JSON.stringify(inner) })).toMatchObject({ referenceID: 'R-9' });
	});

	test.each([
		['2500', 2500],
		[' -300 ', -300],
		['25.00', undefined],
		['2,500', undefined],
	])('has the amount %j as %j', (amount, read) => {
		expect(simplified({ transaction: { ...transaction, amount } }).amount).toBe(read);
	});

	test('of anything at all never throws', () => {
		fc.assert(
			fc.property(fc.oneof(fc.string(), fc.json()), (payload) => {
				expect(simplified(payload)).toMatchObject({ eventID: 'evt-1' });
			}),
		);
	});
});

describe('the reference of an event', () => {
	test.each([
		[{ transaction: { referenceID: 'a' }, refund: { referenceID: 'b' } }, 'a'],
		[{ transaction: { referenceID: '' }, refund: { referenceID: 'b' } }, 'b'],
		[{ transaction: { referenceID: ' ' }, lineItems: { referenceID: 'c' } }, 'c'],
		[{ meta: { referenceID: 'other' }, transaction: { referenceID: 'a' } }, 'a'],
		[{ referenceID: 'other', lineItems: { referenceID: ' c ' } }, 'c'],
		[{ data: { order: [{ referenceID: 'd' }] } }, 'd'],
		[{ a: { b: { c: { referenceID: 'near' } } }, z: { referenceID: 'nearer' } }, 'nearer'],
		[{ a: { referenceID: '' }, b: { c: { referenceID: 'deeper' } } }, 'deeper'],
		[{ transaction: { referenceID: 7 } }, '7'],
		[{ transaction: { referenceID: 7.5 } }, ''],
		[{ transaction: { referenceID: true } }, ''],
		[{ reference: 'no' }, ''],
		['text', ''],
		[[{ referenceID: 'e' }], 'e'],
	])('of %j is %j', (payload, reference) => {
		expect(referenceOf({ payload })).toBe(reference);
	});

	test.each([
		[6, 'deep'],
		[7, ''],
	])('under %d others is %j', (depth, reference) => {
		let payload: object = { referenceID: 'deep' };
		for (let level = 0; level < depth; level++) payload = { inner: payload };
		expect(referenceOf({ payload })).toBe(reference);
	});

	test('is not looked for without end', () => {
		const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`k${at}`, [at]]));
		expect(referenceOf({ payload: { ...wide, z: { referenceID: 'far' } } })).toBe('');
	});
});

test.each([
	['payment.success', 'payment_success'],
	['payment_success', 'payment_success'],
	[' payment.refund ', 'payment_refund'],
	['a.b.c', 'a_b_c'],
	['PAYMENT_SUCCESS', 'payment_success'],
	['Payment-Failed', 'payment_failed'],
	['payment refund', 'payment_refund'],
	['Dispute-Opened', 'Dispute-Opened'],
	['', ''],
	[undefined, ''],
	[7, ''],
])('the type %j is %j', (type, name) => {
	expect(eventType(type)).toBe(name);
});

test.each([
	['2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00.000Z'],
	['2026-03-01T12:00:00+02:00', '2026-03-01T10:00:00.000Z'],
	['2026-03-01T12:00:00-0530', '2026-03-01T17:30:00.000Z'],
	// Without a zone it is the clock of the service.
	['2026-03-01T12:00:00', '2026-03-01T12:00:00.000Z'],
	['2026-03-01 12:00:00', '2026-03-01T12:00:00.000Z'],
	['2026-03-01', '2026-03-01T00:00:00.000Z'],
	['2026-03-01T12:00:00.123456Z', '2026-03-01T12:00:00.123Z'],
	['2026-03-01T12:00:00,500Z', '2026-03-01T12:00:00.500Z'],
	['2026-03-01T12:00:00+00', '2026-03-01T12:00:00.000Z'],
	['2026-03-01 12:00:00.5 -05', '2026-03-01T17:00:00.500Z'],
	['2026-03-01T12:30Z', '2026-03-01T12:30:00.000Z'],
	['2026-03-01T12Z', '2026-03-01T12:00:00.000Z'],
	['20260301T120000Z', '2026-03-01T12:00:00.000Z'],
	['20260301T120000.250+0200', '2026-03-01T10:00:00.250Z'],
	['2026-03-01t12:00:00z', '2026-03-01T12:00:00.000Z'],
	['2026-03-01T25:00:00Z', undefined],
	['2026-03-01T12:00:00Z, or so', undefined],
	['2026-13-01T12:00:00Z', undefined],
	['event 7', undefined],
	['', undefined],
	[null, undefined],
	[1_772_366_400_000, undefined],
])('the date %j is the moment %s', (date, moment) => {
	const found = momentOf(date);
	expect(found === undefined ? undefined : new Date(found).toISOString()).toBe(moment);
});
