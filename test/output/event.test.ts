import fc from 'fast-check';

import type { WebhookEvent } from '../../nodes/PaymentsGateway/wire';
import {
	eventType,
	minorOf,
	momentOf,
	recordOf,
	referenceOf,
	shaped,
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
const simplified = (payload: unknown, type = 'payment_success') =>
	simplify(unfold(event(payload, { type })));

const transaction = {
	id: 'txn-1',
	status: 'CAPTURED',
	amount: 1999,
	currency: 'USD',
	customer_id: 'cus-1',
	customer_name: 'Ann Lee',
	customer_email: 'ann@example.com',
	brand: 'VISA',
	masked_number_last4: 'XXXXXXXXXXXX4242',
	message: 'Approved',
	result: 'OK',
	referenceID: '1042',
};
const lines = [{ total: 1999, amount: 1, product: { sku: 'A', name: 'A', price: 1999 } }];
/** All keys in their order: what people read stands first. */
const silent = {
	summary: 'Payment succeeded',
	type: 'payment_success',
	amountFormatted: null,
	customerName: null,
	customerEmail: null,
	referenceID: null,
	message: null,
	status: null,
	amount: null,
	currency: null,
	customerID: null,
	brand: null,
	last4: null,
	transactionID: null,
	lineItems: null,
	date: '2026-03-01T12:00:00.000Z',
	eventID: 'evt-1',
};

describe('a simplified event', () => {
	test('of a success holds what a merchant works with, in the order of what people read', () => {
		const lineItems = { customerId: 'cus-2', lineItems: lines, referenceID: 'INV-2' };
		const found = simplified({ transaction, lineItems });
		expect(Object.entries(found)).toStrictEqual(
			Object.entries({
				summary: 'Payment of $19.99 by Ann Lee <ann@example.com> succeeded (reference 1042)',
				type: 'payment_success',
				amountFormatted: '$19.99',
				customerName: 'Ann Lee',
				customerEmail: 'ann@example.com',
				referenceID: '1042',
				message: 'Approved',
				status: 'CAPTURED',
				amount: 19.99,
				currency: 'USD',
				customerID: 'cus-1',
				brand: 'VISA',
				last4: '4242',
				transactionID: 'txn-1',
				lineItems: lines,
				date: '2026-03-01T12:00:00.000Z',
				eventID: 'evt-1',
			}),
		);
	});

	test('says null for what the event does not say, and leaves no key out', () => {
		const nothing = { id: '', amount: null, currency: '', brand: null, masked_number_last4: '' };
		const found = simplified({ transaction: nothing, lineItems: { lineItems: [] } });
		expect(Object.entries(found)).toStrictEqual(Object.entries(silent));
	});

	test('of nought says so', () => {
		const free = { ...transaction, amount: 0, message: '', result: '' };
		expect(simplified({ transaction: free })).toMatchObject({
			summary: 'Payment of $0.00 by Ann Lee <ann@example.com> succeeded (reference 1042)',
			amount: 0,
			message: null,
		});
	});

	test('has the customer of its line items where the record names none', () => {
		const { customer_id, ...guest } = transaction;
		const lineItems = { customerId: 'cus-2' };
		expect(customer_id).toBeDefined();
		expect(simplified({ transaction: guest, lineItems })).toMatchObject({ customerID: 'cus-2' });
		expect(simplified({ transaction, lineItems })).toMatchObject({ customerID: 'cus-1' });
	});

	test.each([
		[1999, 'EUR', 19.99, '€19.99'],
		[1999, 'JPY', 1999, '¥1,999'],
		[1999, 'kwd', 1.999, 'KWD\u00a01.999'],
		['1999', 'USD', 19.99, '$19.99'],
		[0.5, 'USD', null, null],
		[1e21, 'USD', null, null],
		[true, 'USD', null, null],
	])('of %j %s is over %j', (amount, currency, major, formatted) => {
		expect(simplified({ transaction: { ...transaction, amount, currency } })).toMatchObject({
			amount: major,
			amountFormatted: formatted,
		});
	});

	test.each([
		[
			'payment_success',
			'Payment of $19.99 by Ann Lee <ann@example.com> succeeded (reference 1042)',
		],
		[
			'payment.failed',
			'Payment of $19.99 by Ann Lee <ann@example.com> failed: Approved (reference 1042)',
		],
		['payment_refund', 'Refund of $19.99 to Ann Lee <ann@example.com> succeeded (reference 1042)'],
		[
			'dispute.opened',
			'Event dispute_opened of $19.99 for Ann Lee <ann@example.com>: Approved (reference 1042)',
		],
	])('of the type %s is one sentence', (type, summary) => {
		expect(simplified({ transaction }, type).summary).toBe(summary);
	});

	test.each<[object, string]>([
		[{}, 'Payment failed'],
		[{ amount: 5 }, 'Payment of 0.05 failed'],
		[{ customer_name: 'Ann Lee', message: 'No.' }, 'Payment by Ann Lee failed: No'],
		[{ customer_email: 'ann@example.com' }, 'Payment by ann@example.com failed'],
		[{ message: ' Card\n\tdeclined ' }, 'Payment failed: Card declined'],
		[{ referenceID: 'A-1' }, 'Payment failed (reference A-1)'],
	])('of %j says nothing of what is unknown', (record, summary) => {
		expect(simplified({ transaction: record }, 'payment_failed').summary).toBe(summary);
	});
});

describe('a failed payment, whose payload is not documented,', () => {
	const who = { customer_id: 'cus-1', customer_name: 'Ann Lee', customer_email: 'ann@example.com' };
	const money = { id: 'txn-1', amount: 1999, currency: 'USD' };
	const core = { ...money, ...who, referenceID: '1042' };
	const person = { id: 'cus-1', name: 'Ann Lee', email: 'ann@example.com' };
	const camel = {
		transactionId: 'txn-1',
		amount: 1999,
		currency: 'USD',
		customerId: 'cus-1',
		customerName: 'Ann Lee',
		customerEmail: 'ann@example.com',
		referenceId: '1042',
	};

	test.each<[string, unknown]>([
		['flat', { ...core, message: 'Card declined' }],
		['flat, with a reason', { ...core, reason: 'Card declined' }],
		['under transaction', { transaction: { ...core, message: 'Card declined' } }],
		[
			'under transaction, with the reason beside it',
			{ transaction: core, message: 'Card declined' },
		],
		[
			'under transaction, with an error beside it',
			{ transaction: core, error: { message: 'Card declined' } },
		],
		['under payment', { payment: { ...core, failure_reason: 'Card declined' } }],
		['under payment, in camelCase', { payment: { ...camel, failureMessage: 'Card declined' } }],
		['under data', { type: 'payment_failed', data: { ...core, errorMessage: 'Card declined' } }],
		['under data.object', { data: { object: { ...core, decline_reason: 'Card declined' } } }],
		['under object', { id: 'evt-9', object: { ...core, error: 'Card declined' } }],
		['under failure', { failure: { ...core, reason: 'Card declined' } }],
		[
			'with an error of a status',
			{ error: { status: 402, message: 'Card declined' }, payment: core },
		],
		['with a list of errors', { ...core, errors: [{ code: 51, detail: 'Card declined' }] }],
		['with a result alone', { transaction: { ...core, message: '', result: 'Card declined' } }],
		['with a code alone', { charge: { ...core, failure: { code: 'Card declined' } } }],
		[
			'with its customer as an object',
			{
				payment: {
					...money,
					customer: person,
					reference_id: '1042',
					status_message: 'Card declined',
				},
			},
		],
		[
			'with its customer beside it',
			{
				customer: person,
				transaction: { ...money, referenceID: '1042' },
				failure: 'Card declined',
			},
		],
		[
			'with a payer in parts',
			{
				payment: {
					...money,
					referenceID: '1042',
					responseText: 'Card declined',
					payer: {
						payer_id: 1,
						first_name: 'Ann',
						lastName: 'Lee',
						email: 'ann@example.com',
						id: 'cus-1',
					},
				},
			},
		],
		['with the amount as text', { ...core, amount: ' 1999 ', message: 'Card declined' }],
		['with the amount as dollars in text', { ...core, amount: '19.99', message: 'Card declined' }],
		[
			'with the amount as an object',
			{ ...core, amount: { value: '19.99', currency: 'USD' }, message: 'Card declined' },
		],
		['in cents by name', { ...core, amount: null, amount_cents: 1999, message: 'Card declined' }],
		[
			'with its parts as JSON in text',
			{ data: JSON.stringify({ payment: JSON.stringify({ ...core, message: 'Card declined' }) }) },
		],
		['in a list', [{ ...core, error: { errors: ['', 'Card declined'] } }]],
		[
			'among what is sold and added',
			{
				lineItems: [{ amount: 2, message: 'Thanks' }],
				metadata: { amount: 7, customer: { name: 'Bob' } },
				merchant: { email: 'shop@example.com' },
				attempt: { ...core, message: 'Card declined' },
			},
		],
	])('is understood %s', (_, payload) => {
		expect(simplified(payload, 'payment_failed')).toMatchObject({
			summary:
				'Payment of $19.99 by Ann Lee <ann@example.com> failed: Card declined (reference 1042)',
			amount: 19.99,
			currency: 'USD',
			customerName: 'Ann Lee',
			customerEmail: 'ann@example.com',
			customerID: 'cus-1',
			message: 'Card declined',
			referenceID: '1042',
			transactionID: 'txn-1',
		});
	});

	test.each<[unknown, object]>([
		[{ payment: { customer: 'cus-1' } }, { customerID: 'cus-1', customerEmail: null }],
		[
			{ amount: 1, customer: 'ann@example.com' },
			{ customerID: null, customerEmail: 'ann@example.com' },
		],
		[
			{ status: 'DECLINED', card: { brand: 'VISA', last4: '4242' } },
			{ status: 'DECLINED', brand: 'VISA', last4: '4242' },
		],
		[{ error: true, failure: 51 }, { message: null }],
		[{ payment: { amount: 5, description: 'Invoice 7' } }, { message: null }],
		[{ lineItems: [{ amount: 2 }] }, { amount: null }],
		[
			{ meta: { a: 1 }, payment: { id: 'txn-1', status: 'DECLINED' } },
			{ transactionID: 'txn-1', status: 'DECLINED' },
		],
	])('of %j says what it can', (payload, found) => {
		expect(simplified(payload, 'payment_failed')).toMatchObject(found);
	});
});

describe('an event that is not documented', () => {
	test.each<[string, unknown, string]>([
		['its type', { transaction }, 'subscription_cancelled'],
		['the record of a success', { payment: transaction }, 'payment_success'],
		['its record', { subscription: { plan: 'gold' } }, 'payment_failed'],
		['all of it', ['x', 1], 'x'],
	])('by %s carries its payload as well', (_, payload, type) => {
		const found = simplified(payload, type);
		expect(Object.keys(found)).toEqual([...Object.keys(silent), 'payload']);
		expect(found.payload).toEqual(payload);
	});

	test.each(['payment_success', 'payment.failed', 'payment_refund'])('is none of %s', (type) => {
		expect(simplified({ transaction }, type)).not.toHaveProperty('payload');
		expect(simplified({ refund: transaction }, type)).not.toHaveProperty('payload');
	});

	test.each(['{broken', 'just words'])('as %j keeps the text, and says why', (payload) => {
		const payloadError = 'The payload is not JSON';
		expect(simplified(payload)).toEqual({ ...silent, payload, payloadError });
	});

	test.each(['null', '[]', '7', '"x"', '"see {1}"', '"see{1}"', '{}', '{"transaction":null}'])(
		'as %s is what stands around it',
		(payload) => {
			expect(simplified(payload)).toEqual({ ...silent, payload: JSON.parse(payload) as unknown });
		},
	);

	test('never throws, whatever it is', () => {
		fc.assert(
			fc.property(fc.oneof(fc.string(), fc.json()), fc.string(), (payload, type) => {
				const found = simplified(payload, type);
				expect(Object.keys(found).slice(0, 17)).toEqual(Object.keys(silent));
				expect(found.summary).not.toMatch(/undefined|null|\[object/);
			}),
		);
	});
});

describe('a payload', () => {
	test('is read also where it came as an object', () => {
		const given = event('', { payload: { transaction } as never });
		expect(simplify(unfold(given))).toEqual(simplified({ transaction }));
	});

	test('is read also where it was encoded twice or more, or begins with a mark', () => {
		const json = JSON.stringify({ transaction });
		const twice = JSON.stringify(json);
		for (const payload of [twice, JSON.stringify(twice), `\uFEFF${json}`]) {
			expect(simplified(payload)).toEqual(simplified(json));
		}
		const message = 'Approved\uFEFF.';
		expect(simplified({ transaction: { ...transaction, message } })).toMatchObject({ message });
	});

	test('is read also where a part of it was encoded by itself', () => {
		const whole = { transaction, lineItems: { lineItems: lines } };
		for (const part of ['transaction', 'lineItems'] as const) {
			const payload = { ...whole, [part]: JSON.stringify(whole[part]) };
			expect(simplified(payload)).toEqual(simplified(whole));
		}
	});

	test.each<[unknown, unknown]>([
		[{ refund: { id: 'r' }, transaction: { id: 't' } }, { id: 't' }],
		[{ items: Array(5_000).fill({ amount: 1 }), refund: { id: 'r' } }, { id: 'r' }],
		[{ status: 'x', a: { amount: 1 } }, { amount: 1 }],
		[{ a: { status: 'x' }, b: 1 }, { status: 'x' }],
		[{ a: 1 }, { a: 1 }],
		['text', {}],
	])('%.60j is about its record', (payload, record) => {
		expect(recordOf({ type: 'payment_success', payload })).toEqual(record);
	});

	test('of a refund is about the refund, also beside its payment', () => {
		const payment = { id: 't', amount: 2500, currency: 'USD' };
		const refund = { id: 'r', amount: 501, currency: 'USD' };
		for (const payload of [
			{ transaction: payment, refund },
			{ refund, transaction: payment },
		]) {
			expect(simplified(payload, 'Payment.Refund')).toMatchObject({
				amount: 5.01,
				transactionID: 'r',
			});
		}
	});

	test('leaves parsed, and its type as it came, when it is not simplified', () => {
		const given = event({ transaction }, { type: 'Payment.Success' });
		const { eventID, date } = given;
		expect(Object.entries(shaped(given, false))).toEqual(
			Object.entries({ eventID, type: 'Payment.Success', date, payload: { transaction } }),
		);
		expect(shaped(given, true)).toEqual(simplified({ transaction }));
	});
});

test.each<[unknown, string, number | undefined]>([
	[2500, '', 2500],
	['2500', '', 2500],
	[' -300 ', '', -300],
	['25.00', '', 2500],
	['25.00', 'USD', 2500],
	['1.999', 'KWD', 1999],
	['25.00', 'JPY', undefined],
	['25.0', 'USD', undefined],
	['2,500', 'USD', undefined],
	['', '', undefined],
	[19.99, 'USD', undefined],
	[null, '', undefined],
	['9'.repeat(16), '', undefined],
])('the amount %j of %j is %j in minor units', (value, currency, minor) => {
	expect(minorOf(value, currency)).toBe(minor);
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
		[{ metadata: { reference_id: 'f' } }, 'f'],
		[{ payment: { referenceId: 'g' } }, 'g'],
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
