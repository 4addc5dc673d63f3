import fc from 'fast-check';

import type { WebhookEvent } from '../../nodes/PaymentsGateway/wire';
import {
	isAbout,
	minorOf,
	recordOf,
	simplify,
	unfold,
} from '../../nodes/PaymentsGateway/output/event';

/** What an event says to people, whatever the shape of its payload. */

const json = (value: unknown) => JSON.stringify(value);
const head = { eventID: 'evt-1', date: '2026-03-01T12:00:00.000Z' };
const event = (payload: unknown, type = 'payment_success'): WebhookEvent => ({
	...head,
	type,
	payload: typeof payload === 'string' ? payload : json(payload),
});
const simplified = (payload: unknown, type?: string) => simplify(unfold(event(payload, type)));

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
	referenceID: '7',
};
const NO = 'Card declined';
const lines = [{ total: 1999, amount: 1, product: { sku: 'A', name: 'A', price: 1999 } }];
const documented = {
	summary: 'Payment of $19.99 by Ann Lee <ann@example.com> succeeded (reference 7)',
	type: 'payment_success',
	amountFormatted: '$19.99',
	customerName: 'Ann Lee',
	customerEmail: 'ann@example.com',
	referenceID: '7',
	message: 'Approved',
	status: 'CAPTURED',
	amount: 19.99,
	currency: 'USD',
	customerID: 'cus-1',
	brand: 'VISA',
	last4: '4242',
	transactionID: 'txn-1',
	lineItems: lines,
	date: head.date,
	eventID: head.eventID,
};
/** All keys are always there, null where the event does not say it. */
const silent = {
	...Object.fromEntries(Object.keys(documented).map((key) => [key, null])),
	...head,
	type: 'payment_success',
	summary: 'Payment succeeded',
};

describe('a simplified event', () => {
	test('holds what a merchant works with, in the order of what people read', () => {
		const lineItems = { customerId: 'cus-2', lineItems: lines, referenceID: 'INV-2' };
		const found = simplified({ transaction, lineItems });
		expect(Object.entries(found)).toStrictEqual(Object.entries(documented));
	});

	test('says null for what the event does not say, and leaves no key out', () => {
		const nothing = { id: '', amount: null, currency: '', brand: null, masked_number_last4: '' };
		const found = simplified({ transaction: nothing, lineItems: { lineItems: [] } });
		expect(Object.entries(found)).toStrictEqual(Object.entries(silent));
	});

	test('never throws and never says undefined, whatever the payload is', () => {
		fc.assert(
			fc.property(fc.oneof(fc.string(), fc.json()), fc.string(), (payload, type) => {
				const found = simplified(payload, type);
				expect(Object.keys(found).slice(0, 17)).toEqual(Object.keys(silent));
				expect(found.summary).not.toMatch(/undefined|null|\[object/);
			}),
		);
	});

	const who = 'Ann Lee <ann@example.com>';
	test.each<[string, object, string]>([
		['payment.failed', transaction, `Payment of $19.99 by ${who} failed (reference 7)`],
		['payment_refund', transaction, `Refund of $19.99 to ${who} succeeded (reference 7)`],
		['payment_refund', { amount: -500, currency: 'USD' }, 'Refund of $5.00 succeeded'],
		['payment_refund', { status: 'Failed', message: 'Closed.' }, 'Refund failed: Closed'],
		['payment_refund', { status: 'PENDING', amount: 5 }, 'Refund of 0.05 is pending'],
		['payment_refund', { status: 'REFUND_FAILED', amount: 5 }, 'Refund of 0.05 failed'],
		['payment_refund', { status: 'Failed', message: 'No. 5.' }, 'Refund failed: No. 5'],
		['a.b', transaction, `Event a_b of $19.99 for ${who}: Approved (reference 7)`],
		['', {}, 'Event'],
		['payment_success', { amount: 0, currency: 'USD' }, 'Payment of $0.00 succeeded'],
		['payment_failed', { amount: 5 }, 'Payment of 0.05 failed'],
		['payment_failed', { amount: 5, type: 'refund' }, 'Refund of 0.05 failed'],
		['payment_failed', { amount: 5, type: 'refund', status: 'No return' }, 'Refund of 0.05 failed'],
		['payment_failed', { amount: 5, type: 'refund', status: 'RETURNED' }, 'Payment of 0.05 failed'],
		[
			'payment_failed',
			{ customer_name: 'Ann', message: ' No\n\tway. ' },
			'Payment by Ann failed: No way',
		],
		['payment_failed', { customer_email: 'ann@x.com' }, 'Payment by ann@x.com failed'],
	])('of the type %j with %j is one sentence', (type, record, summary) => {
		expect(simplified({ transaction: record }, type).summary).toBe(summary);
	});
});

describe('a refund told beside its payment', () => {
	const told = (type: string, refund: object, beside: object = {}) =>
		simplified({ transaction, refund, ...beside }, type);

	test('is not said to be of the whole payment', () => {
		const said = {
			amount: null,
			amountFormatted: null,
			summary: expect.stringMatching(/^Refund to/),
		};
		expect(told('payment_refund', { id: 'r', status: 'REVERSED' })).toMatchObject(said);
		expect(told('payment_refund', { id: 'r' }, { amount: 500 })).toMatchObject({ amount: 5 });
	});

	test('that failed is no failed payment, and one of nothing is no refund', () => {
		const failed = (refund: object) => told('payment_failed', refund).summary;
		expect(failed({ id: 'r', amount: 500, message: NO })).toMatch(/^Refund of .*5\.00 .*failed: /);
		expect(failed({ id: null })).toMatch(/^Payment of \$19\.99 .* failed/);
	});
});

describe('a failed payment, whose payload is not documented,', () => {
	const person = { id: 'cus-1', name: 'Ann Lee', email: 'ann@example.com' };
	const sum = { id: 'txn-1', amount: 1999, currency: 'USD', referenceID: '7' };
	const { id, name, email } = person;
	const core = { ...sum, customer_id: id, customer_name: name, customer_email: email };
	const camel = {
		...{ transactionId: 'txn-1', amount: 1999, currency: 'USD', referenceId: '7' },
		...{ customerId: id, customerName: name, customerEmail: email },
	};
	const payer = { payer_id: 1, ...person, name: '', first_name: 'Ann', lastName: 'Lee' };
	const dollars = { value: '19.99', currency: 'USD' };
	const beside = {
		lineItems: [{ amount: 2, message: 'Thanks' }],
		metadata: { amount: 7, customer: { name: 'Bob' } },
		merchant: { email: 'shop@example.com' },
	};

	test.each<[string, unknown]>([
		['flat', { ...core, message: NO }],
		['under payment, in camelCase', { payment: { ...camel, failureMessage: NO } }],
		['with an error of a status', { error: { status: 402, message: NO }, payment: core }],
		['with a list of errors', { ...core, errors: [null, { code: 51, detail: NO }] }],
		['that came back', { ...core, message: 'Approved', result: 'OK', returnReason: NO }],
		['with its customer as an object', { payment: { ...sum, customer: person, message: NO } }],
		['with a payer in parts', { payment: { ...sum, reason: NO, payer } }],
		['with the amount as text', { ...core, amount: ' 1999 ', message: NO }],
		['with the amount as dollars in text', { ...core, amount: '19.99', message: NO }],
		['with another amount', { ...core, amount: dollars, balance: { amount: 9 }, message: NO }],
		['with the amount as an object', { ...core, amount: dollars, message: NO }],
		['in cents by name', { ...core, amount: null, amount_cents: 1999, reason: NO }],
		['as JSON in text', { data: '\n\t' + json({ payment: json({ ...core, error: NO }) }) }],
		['in a list', [{ ...core, error: { errors: ['', NO] } }]],
		['among what is sold and added', { ...beside, attempt: { ...core, message: NO } }],
	])('is understood %s', (_, payload) => {
		const { lineItems, brand, last4, status, ...told } = documented;
		expect([lineItems, brand, last4, status]).not.toContain(null);
		expect(simplified(payload, 'payment_failed')).toMatchObject({
			...told,
			type: 'payment_failed',
			summary: `Payment of $19.99 by Ann Lee <ann@example.com> failed: ${NO} (reference 7)`,
			message: NO,
		});
	});

	test.each<[string, unknown, object]>([
		['an ID', { payment: { customer: 'c-1' } }, { customerID: 'c-1', customerEmail: null }],
		['nobody, and staff', { createdBy: person, business: person }, { customerEmail: null }],
		['an email', { a: 1, customer: 'a@x.com' }, { customerID: null, customerEmail: 'a@x.com' }],
		['no reason beyond four levels', { error: [[[[['x']]]]] }, { message: null }],
		['a reason within four levels', { error: [[[['x']]]] }, { message: 'x' }],
		['what says more', { message: 'Declined.', reason: 'No funds' }, { message: 'No funds' }],
		['a code in words', { message: 'Payment failed', result: 'NO_FUNDS' }, { message: 'NO_FUNDS' }],
		['no bare number', { message: 'Declined', result: '51' }, { message: 'Declined' }],
		['what has a status', { meta: { a: 1 }, p: { id: 't', status: 'X' } }, { status: 'X' }],
		['the buyer', { transaction: {}, lineItems: { customerId: 'c-2' } }, { customerID: 'c-2' }],
		['dinars', { amount: 1999, currency: 'kwd' }, { amount: 1.999 }],
		[
			'no state of a city',
			{ payment: {}, billing: { city: 'Bend', state: 'OR' } },
			{ status: null },
		],
		['no state of a ZIP', { amount: 5, zip: '97201', state: 'OR' }, { status: null }],
		['no state of an address', { customer: { address: { state: 'OR' } } }, { status: null }],
	])('says what it can: %s', (_, payload, found) => {
		expect(simplified(payload, 'payment_failed')).toMatchObject(found);
	});

	test('says a reason as it came, and makes none up', () => {
		for (const message of ['51', 'Not OK', '"see[1]"', '{"no', 'OK, but closed']) {
			expect(simplified({ message }, 'payment_failed').message).toBe(message);
		}
		expect(
			simplified({ amount: 5, description: 'Invoice 7' }, 'payment_failed').message,
		).toBeNull();
	});

	test('takes no part of the amount for all of it', () => {
		const sold = ['items', 'order_items', 'lineItems', 'quantityAmounts', 'products'];
		const added = ['tip', 'tip_money', 'tax', 'taxes', 'fee', 'surcharge', 'discount', 'shipping'];
		for (const part of [...sold, ...added]) {
			for (const whole of ['total', 'total_amount']) {
				const payment = { id: 'p', [whole]: 500, [part]: [{ amount: 2, value: 2 }] };
				expect([part, simplified({ payment }, 'payment_failed').amount]).toEqual([part, 5]);
			}
		}
		for (const payload of [
			{ tipAmount: { value: 5 }, amounts: 5 },
			{ lineItems: [{ amount: 2 }] },
		]) {
			expect(simplified(payload, 'payment_failed').amount).toBeNull();
		}
	});
});

test.each([
	['message', '', 'message reason failure_reason failureMessage declineReason error_message'],
	['message', '', 'statusMessage status_reason responseMessage responseText error errors failure'],
	['message', '', 'error_description refusalDescription response_summary processorResponseText'],
	['message', '', 'responseReasonText responseReasonDescription'],
	['message', 'notificationItems', 'reason'],
	['message', '', 'result failure_code declineCode errorCode'],
	['message', '', 'declineMessage gatewayResponse'],
	['message', 'error failure', 'message reason description detail text title code result'],
	['status', '', 'status state payment_status'],
	['currency', '', 'currency currency_code currencyIsoCode'],
	['customerName', '', 'customerName payer_name cardholderName nameOnCard'],
	['customerName', 'customer payer buyer cardholder billing', 'name full_name'],
	['customerEmail', '', 'customerEmail payer_email billing_email receiptEmail email'],
	['customerID', '', 'customerId customer'],
	['customerID', 'customer buyer', 'id'],
	['brand', '', 'brand cardBrand'],
	['brand', 'card storedCard payment_method', 'brand card_brand'],
	['last4', '', 'last4 lastFour card_last4 masked_number_last4'],
	['transactionID', '', 'id transactionId payment_id transaction tx_id'],
	['transactionID', 'payment transaction charge object', 'id'],
	['referenceID', '', 'referenceID reference_id'],
])('what stands in %s is found (within %j) by the names %s', (field, places, names) => {
	const value = field === 'customerEmail' ? 'a@x.com' : 'abcd';
	for (const place of places.split(' ')) {
		for (const name of names.split(' ')) {
			const inner = { [name]: value };
			// Not the record itself, whose ID is the transaction's in any case.
			const payload = place === '' ? inner : { amount: 1, [place]: inner };
			expect([place, name, simplified(payload)[field]]).toEqual([place, name, value]);
		}
	}
});

describe('the payload', () => {
	test.each<[string, unknown, string]>([
		['its type', { transaction }, 'subscription_cancelled'],
		['the record of a success', { payment: transaction }, 'payment_success'],
		['its record', { subscription: { plan: 'gold' } }, 'payment_failed'],
		['why it failed', { transaction: { ...transaction, message: '' } }, 'payment_failed'],
	])('goes along where the document, or the event, does not say %s', (_, payload, type) => {
		const found = simplified(payload, type);
		expect(Object.keys(found)).toEqual([...Object.keys(silent), 'payload']);
		expect(found.payload).toEqual(payload);
	});

	test('does not go along with what the document describes', () => {
		for (const type of ['payment_success', 'payment.failed', 'payment_refund']) {
			expect(simplified({ refund: { ...transaction, message: NO } }, type)).not.toHaveProperty(
				'payload',
			);
		}
	});

	test('that is none, holds nothing or is not JSON is no record', () => {
		for (const payload of [null, [], 7, 'see {1}', 'see{1}', {}, { transaction: null }]) {
			expect(simplified(json(payload))).toEqual({ ...silent, payload });
		}
		const broken = { payload: '{broken', payloadError: 'The payload is not JSON' };
		expect(simplified('{broken')).toEqual({ ...silent, ...broken });
	});

	const whole = { transaction, lineItems: { lineItems: lines } };
	test.each<[string, unknown]>([
		['was encoded three times', json(json(json(whole)))],
		['begins with a byte order mark', `\uFEFF${json(whole)}`],
		['has its record encoded', { ...whole, transaction: json(transaction) }],
		['is wrapped in data', { data: whole }],
		['is wrapped in event', { event: json(whole) }],
		['is wrapped in a payload', { payload: { body: whole } }],
		['has its lines encoded', { ...whole, lineItems: json(whole.lineItems) }],
	])('is read also where it %s', (_, payload) => {
		expect(simplify(unfold({ ...event(''), payload: payload as string }))).toEqual(documented);
	});

	test.each<[string, unknown, unknown]>([
		['payment_success', { refund: { id: 'r' }, transaction: { id: 't' } }, { id: 't' }],
		['payment_refund', { data: { transaction: { id: 't' }, refund: { id: 'r' } } }, { id: 'r' }],
		['payment_refund', { event: { transaction: { amount: 9 }, refund: { id: 'r' } } }, { id: 'r' }],
		['payment_failed', { refund: { id: 'r' }, transaction: { id: 't' } }, { id: 'r' }],
		['payment_failed', { refund: {}, transaction: { id: 't' } }, { id: 't' }],
		['x', { items: Array(5_000).fill({ amount: 1 }), refund: { id: 'r' } }, { id: 'r' }],
		['x', { a: { amount: null }, b: { amount: '' }, c: { status: 'x' } }, { status: 'x' }],
	])('of a %s is about its record', (type, payload, record) => {
		expect(recordOf({ type, payload })).toEqual(record);
	});
});

describe('the reference of an event', () => {
	const under = (depth: number) =>
		Array.from({ length: depth }).reduce<object>((inner) => ({ inner }), { referenceID: 'deep' });
	const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`k${at}`, [at]]));

	test.each<[string, unknown, string | null]>([
		['lines', { transaction: { referenceID: ' ' }, lineItems: { referenceID: 'c' } }, 'c'],
		['no other', { data: { meta: { referenceID: 'x' }, lineItems: { referenceID: 'c' } } }, 'c'],
		['the nearest', { a: { b: { c: { referenceID: 'n' } } }, z: { referenceID: 'z' } }, 'z'],
		['what says it', { a: { referenceID: '' }, b: { c: { referenceID: 'deeper' } } }, 'deeper'],
		['six levels', under(6), 'deep'],
		['no more levels', under(7), null],
		['not all of it', { ...wide, z: { referenceID: 'far' } }, null],
	])('is found in %s', (_, payload, reference) => {
		expect(simplified(payload).referenceID).toBe(reference);
	});

	test.each([
		['{"transaction":{"referenceID":"x"},"lineItems":{"referenceID":"A-1"}}', 'A-1', true],
		['{"a":{"referenceID":"x"},"referenceID" : "A\\/1","amou', 'A/1', true],
		['{"referenceID":"A-10","amou', 'A-1', false],
		['{"referenceID":"\\u00dcber\\/1","amou', 'Über/1', true],
		['{"referenceID": 1042,"amou', '1042', true],
		['{"referenceID":1042', '1042', false],
		['{"reference_id":" A-1 ","amou', 'A-1', true],
	])('in %s is %s: %p, also where the payload broke off', (payload, reference, is) => {
		expect(isAbout(unfold(event(payload)), reference)).toBe(is);
	});
});

test.each<[unknown, string, number | undefined]>([
	[' -300 ', '', -300],
	[true, '', undefined],
	['1.999', 'KWD', 1999],
	['25.00', 'JPY', undefined],
	['2,500', 'USD', undefined],
	[19.99, 'USD', undefined],
	['9'.repeat(16), '', undefined],
])('the amount %j of %j is %j in minor units', (value, currency, minor) => {
	expect(minorOf(value, currency)).toBe(minor);
});
