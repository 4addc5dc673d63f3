import fc from 'fast-check';

import type { WebhookEvent } from '../../nodes/PaymentsGateway/wire';
import { parseEvent } from '../../nodes/PaymentsGateway/events/facts';
import { simplify } from '../../nodes/PaymentsGateway/events/simplify';
import { createMask } from '../../nodes/PaymentsGateway/output/mask';

/** What an event looks like to people, whatever the shape of its payload. */

const json = (value: unknown) => JSON.stringify(value);
const head = { eventID: 'evt-1', date: '2026-03-01T12:00:00.000Z' };
const event = (payload: unknown, type = 'payment_success'): WebhookEvent => ({
	...head,
	type,
	payload: typeof payload === 'string' ? payload : json(payload),
});
const mask = createMask(['a-token-of-16-chars.', 'a-token<of>16chars']);
const simplified = (payload: unknown, type?: string) =>
	simplify(parseEvent(event(payload, type)), mask);

const transaction = {
	id: 'txn-1',
	transactionId: 'of-another',
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
const lineItems = { customerId: 'cus-2', lineItems: lines, total: 5, referenceID: 'INV-2' };
const documented = {
	summary: 'Payment of $19.99 by Ann Lee (ann@example.com) succeeded (reference 7)',
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
/** Every field is always there, null if the event does not give it. */
const empty = {
	...Object.fromEntries(Object.keys(documented).map((key) => [key, null])),
	...head,
	type: 'payment_success',
	summary: 'Payment succeeded',
};

describe('a simplified event', () => {
	test('holds all fields of a documented event, in the order in which people read them', () => {
		const found = simplified({ transaction, lineItems });
		expect(Object.entries(found)).toStrictEqual(Object.entries(documented));
	});

	test('never throws and never shows undefined, whatever the payload is', () => {
		fc.assert(
			fc.property(fc.oneof(fc.string(), fc.json()), fc.string(), (payload, type) => {
				const found = simplified(payload, type);
				expect(Object.keys(found).slice(0, Object.keys(empty).length)).toEqual(Object.keys(empty));
				expect(found.summary).not.toMatch(/undefined|null|\[object|[<>]/);
			}),
		);
	});

	const who = 'Ann Lee (ann@example.com)';
	const failed = { transaction: { ...transaction, message: 'No. 5.' } };
	// Never the amount of the payment that it gives back.
	const refundOfUnknown = { transaction, refund: { id: 'r' } };
	const customer = { customer_name: 'Ann', message: ' No\n\tway. ' };
	test.each<[string, object, string]>([
		['payment.failed', failed, `Payment of $19.99 by ${who} failed: No. 5 (reference 7)`],
		['payment_refund', { transaction }, `Refund of $19.99 to ${who} succeeded (reference 7)`],
		['payment_refund', { refund: { amount: 500, currency: 'USD' } }, 'Refund of $5.00 succeeded'],
		['payment_refund', refundOfUnknown, `Refund to ${who} succeeded (reference 7)`],
		['payment_failed', { refund: { amount: 5, reason: NO } }, `Refund of 0.05 failed: ${NO}`],
		['a.b', { transaction }, `Event a_b of $19.99 for ${who}: Approved (reference 7)`],
		['', {}, 'Event'],
		['payment_success', { transaction: { amount: 0 } }, 'Payment of 0.00 succeeded'],
		['payment_failed', { payment: customer }, 'Payment by Ann failed: No way'],
	])('has one sentence for the type %j with %j', (type, payload, summary) => {
		expect(simplified(payload, type).summary).toBe(summary);
	});
});

test('the sentence holds no markup that a payer has typed, and the fields beside it stay as they came', () => {
	const hostile = {
		referenceID: '<!channel>',
		customer_name: '<a href="https://evil.example">Ann</a>',
		customer_email: '<@U1>',
		message: '<https://evil.example|Pay here>',
	};
	const {
		referenceID,
		customer_name: customerName,
		customer_email: customerEmail,
		message,
	} = hostile;
	const payload = { transaction: { ...transaction, ...hostile } };
	expect(simplified(payload, 'payment_failed')).toMatchObject({
		summary:
			'Payment of $19.99 by ‹a href="https://evil.example"›Ann‹/a› (‹@U1›) failed: ‹https://evil.example|Pay here› (reference ‹!channel›)',
		...{ referenceID, customerName, customerEmail, message },
	});
});

test.each([
	['a-token-of-16-chars.', '••••'],
	['a-token<of>16chars', '••••'],
	['{"cardNumber":"4111111111111111","cvv":"7370"}', '{"cardNumber":"••••1111"}'],
])('the sentence shows %s as the masked field does: %s', (message, shown) => {
	const failed = simplified({ transaction: { id: 't', message } }, 'payment_failed');
	expect(mask.value(failed)).toMatchObject({
		message: shown,
		summary: `Payment failed: ${shown}`,
	});
});

describe('a failed payment, whose payload is not documented,', () => {
	const person = { id: 'cus-1', name: 'Ann Lee', email: 'ann@example.com' };
	const sum = { id: 'txn-1', amount: 1999, currency: 'USD', referenceID: '7' };
	const { id, name, email } = person;
	const core = { ...sum, customer_id: id, customer_name: name, customer_email: email };
	const ofCustomer = { customerId: id, customerName: name, customerEmail: email };
	const { amount, currency } = sum;
	const camel = { transactionId: 'txn-1', referenceId: '7', amount, currency, ...ofCustomer };
	const total = { amount: null, total: 1999 };
	const others = {
		lineItems: [{ amount: 2, message: 'Thanks' }],
		items: [{ status: 'sold' }],
		order: { amount: null },
		metadata: { amount: 7, reason: 'A gift', customer: { name: 'Bob' } },
		merchant: { email: 'shop@example.com', name: 'Shop' },
	};

	test.each<[string, unknown]>([
		['under transaction, as a success has it', { transaction: { ...core, message: NO } }],
		['under payment, in camelCase', { payment: { ...camel, failureMessage: NO } }],
		['with an error beside it', { errors: [null, { code: 51, message: NO }], payment: core }],
		['if the bank returned it', { ...core, message: 'Approved', result: 'OK', returnReason: NO }],
		['with its customer as an object', { payment: { ...sum, customer: person, message: NO } }],
		['with the amount as text', { ...core, amount: '1999', message: NO }],
		['in wrappers, with a total', { data: { attempt: { ...core, ...total, error: NO } } }],
		['as JSON in text', { data: `\n\t${json({ payment: json({ ...core, error: NO }) })}` }],
		['beside line items and the merchant', { ...others, attempt: { ...core, message: NO } }],
	])('is understood %s', (_, payload) => {
		const { lineItems: sold, brand, last4, status, ...expected } = documented;
		expect([sold, brand, last4, status]).not.toContain(null);
		expect(simplified(payload, 'payment_failed')).toMatchObject({
			...expected,
			type: 'payment_failed',
			summary: `Payment of $19.99 by Ann Lee (ann@example.com) failed: ${NO} (reference 7)`,
			message: NO,
		});
	});
});

test.each([
	['message', '', 'failureReason failure_message declineReason return_reason errorMessage reason'],
	['message', '', 'message error errors failure result failure_code declineCode errorCode'],
	['status', '', 'status payment_status'],
	['currency', '', 'currency currency_code'],
	['customerName', '', 'customer_name cardholderName nameOnCard'],
	['customerName', 'customer payer', 'name'],
	['customerEmail', '', 'customer_email email'],
	['customerID', '', 'customer_id'],
	['customerID', 'customer payer lineItems', 'customerId'],
	['brand', 'card', 'brand cardBrand'],
	['last4', 'card', 'masked_number_last4 last4'],
	['transactionID', '', 'id transactionId payment_id tx_id'],
	['transactionID', 'payment', 'transactionId'],
	['referenceID', '', 'referenceID reference_id'],
])('the %s is found (within %j) by the names %s', (field, places, names) => {
	for (const place of places.split(' ')) {
		for (const name of names.split(' ')) {
			const inner = { [name]: 'abcd' };
			// Beside the record, which is what holds the amount.
			const payload = place === '' ? inner : { amount: 1, [place]: inner };
			expect([place, name, simplified(payload)[field]]).toEqual([place, name, 'abcd']);
		}
	}
});

test.each<[unknown, string, number | null]>([
	[1999, 'USD', 19.99],
	['-300', 'USD', -3],
	[2500, 'jpy', 2500],
	[19.99, 'USD', null],
	['19.99', 'USD', null],
	[{ value: 1999 }, 'USD', null],
])('the amount %j of %j in minor units is shown as %j', (amount, currency, shown) => {
	const found = simplified({ transaction: { id: 't', amount, currency, tip: { amount: 5 } } });
	expect(found.amount).toBe(shown);
	expect(found.amountFormatted === null).toBe(shown === null);
});

describe('the payload', () => {
	test.each<[string, unknown, string]>([
		['its type', { transaction }, 'subscription_cancelled'],
		['the record of a success', { payment: transaction }, 'payment_success'],
		['why it failed', { transaction: { id: 't' } }, 'payment_failed'],
	])('is added if the document, or the event, does not say %s', (_, payload, type) => {
		const found = simplified(payload, type);
		expect(Object.keys(found)).toEqual([...Object.keys(empty), 'payload']);
		expect(found.payload).toEqual(payload);
	});

	test('is added if it is null, empty or not JSON, and every fact is null', () => {
		for (const payload of [null, [], 7, 'see {1}', {}, { transaction: null, lineItems: {} }]) {
			expect(simplified(json(payload))).toEqual({ ...empty, payload });
		}
		const broken = { payload: '{broken', payloadError: 'The payload is not JSON' };
		expect(simplified('{broken')).toEqual({ ...empty, ...broken });
	});
});

const under = (depth: number) =>
	Array.from({ length: depth }).reduce<object>((inner) => ({ inner }), { referenceID: 'deep' });
const cart = { lineItems: { referenceID: 'c' } };
test.each<[string, unknown, string | null]>([
	['in the cart, if the payment has none', { transaction: { referenceID: ' ' }, ...cart }, 'c'],
	['in the cart, before any other object', { a: { b: { referenceID: 'x' }, ...cart } }, 'c'],
	['in the outermost object', { a: { b: { referenceID: 'n' } }, z: { referenceID: 'z' } }, 'z'],
	['six levels deep', under(6), 'deep'],
	['not seven levels deep', under(7), null],
])('the reference of an event is found %s', (_, payload, reference) => {
	expect(simplified(payload).referenceID).toBe(reference);
});
