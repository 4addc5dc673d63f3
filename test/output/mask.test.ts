import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { createMask } from '../../nodes/PaymentsGateway/output/mask';
import { redactNode } from '../../nodes/PaymentsGateway/output/redactNode';
import { log, output } from '../engine';
import { secretsIn } from '../reliability/secrets';
import { by } from '../resources/locator';
import { useNode } from '../useNode';

/**
 * Values that are secret by name or by value are masked, and nothing else is. For the events that the
 * trigger fires, see trigger/poll.test.ts.
 */

const HEADER = 'hdr_9f/Kq+2"x\\y==';
const PRIVATE = 'prv-71c0ffee';
const ACCOUNT = '000123456789';
const mask = createMask([HEADER, PRIVATE]);
const json = (value: unknown) => JSON.stringify(value);
const { sandbox, run } = useNode();
const RUNS = Number(process.env.MASKED_NUMBERS ?? 300);

/** As the document names them, and as they are commonly spelled. */
const NUMBER_NAMES = [
	'accountNumber, account_number, ACCOUNT-NUMBER, Account Number, accountNo, acctNumber, acct_no',
	'bankAccountNumber, primaryAccountNumber, routingNumber, routing_no, achRoutingNumber, abaNumber',
	'cardNumber, card_number, card_no, creditCardNumber, cc_number, pan, PAN, iban, clabe',
].flatMap((line) => line.split(', '));
const CODE_NAMES = [
	'cvc, CVC, cvv, cvc2, CVV2, cvn, csc, card_cvv, cardCvc, cvvNumber, cvv_value, securityCode',
	'security_code, cardSecurityCode, card_code, cardVerificationCode, cardToken, card_token',
].flatMap((line) => line.split(', '));

type Place = (name: string, value: unknown) => unknown;
const PLACES: Readonly<Record<string, Place>> = {
	'a field': (name, value) => ({ id: 'a', [name]: value }),
	'a number': (name, value) => ({ [name]: Number(value) }),
	'a list under the name': (name, value) => ({ [name]: [value, value] }),
	'a payload that was encoded twice': (name, value) => ({ payload: json(json({ [name]: value })) }),
	'JSON in JSON with blanks': (name, value) => `\n${json({ p: ` ${json([{ [name]: value }])}` })}`,
};

describe.each(Object.entries(PLACES))('in %s', (_, within) => {
	test.each(NUMBER_NAMES)('%s is cut to its last four', (name) => {
		const left = mask.value(within(name, ACCOUNT));
		expect(secretsIn(left, ['123456789', '••••6789'])).toEqual(['••••6789']);
		// What was masked can be masked again.
		expect(mask.value(left)).toEqual(left);
	});

	test.each(CODE_NAMES)('%s is left out', (name) => {
		expect(secretsIn(mask.value(within(name, '7370')), ['7370', name])).toEqual([]);
	});
});

const LONG_TOKEN = '12345678901234567890';
const nothing = { accountNumber: null, iban: '', list: [null] };
test.each<[string, unknown, unknown]>([
	['a number with blanks and dashes', { pan: '4111 1111-1111 1111' }, { pan: '••••1111' }],
	['no number that is cut already', { pan: 'XXXXXXXX6789' }, { pan: 'XXXXXXXX6789' }],
	['nothing that is not there', nothing, nothing],
	['a code of any type', { cvc: null, cvv: true, a: 1 }, { a: 1 }],
	['a token as a number', { a: 90011223, b: 9 }, { a: '••••', b: 9 }],
	['the longer token first', 'longtoken longtoken-2', '•••• ••••'],
	['JSON, which is then written anew: 10.50 becomes 10.5', '{"cvc":1,"a":10.50}', '{"a":10.5}'],
	['a token that JavaScript rounds', `{"a":${LONG_TOKEN},"b":10.50}`, '{"a":••••,"b":10.50}'],
	['JSON that is nested too deep to be read', '['.repeat(9_999) + ']'.repeat(9_999), '••••'],
	['no JSON within other words', 'Row 1: {"cvc":1}', 'Row 1: {"cvc":1}'],
])('masks %s', (_, value, left) => {
	const tokens = ['longtoken', 'longtoken-2', '90011223', LONG_TOKEN];
	expect(createMask(tokens).value([{ deep: value }])).toEqual([{ deep: left }]);
});

/**
 * A merchant's own words, much like what is masked: a destroyed order number is as bad as a leaked
 * account. Keys are names of fields under which they stand.
 */
const HARMLESS: Readonly<Record<string, unknown>> = {
	// Words and links that speak of what is secret
	...{ product: 'Gift card no. 12345678', description: 'Account 0012345678 - July bill' },
	...{ notes: 'Order 737 of 4242, seat 12A', subject: 'accountNumber: 000123456789' },
	...{ letters: 'José Ørsted 李小龍 👩‍👩‍👧 \ud800 123456', html: '&lt;cvc&gt;123&lt;/cvc&gt;' },
	...{ onFailureUrl: 'https://shop.example/retry?q=%7B%22cvc%22%3A%22123%22%7D&card_no=12345678' },
	...{ site: 'https://test.example/latest/contest', email: 'card.no.12345678@example.com' },
	// Numbers, codes and names that are nearly sensitive
	...{ referenceID: 'ACCTNO123456', orderNumber: '123456789012', no: 7, number: '12345678' },
	...{ invoiceNumber: 202611210001, trackingNumber: '1Z999AA10123456784', amount: 1999 },
	...{ accountId: '123456789012', accountType: 'CHECKING', accountHolderType: 'PERSONAL' },
	...{ account: '123456789', accountCode: '400012345', routing: 'queue-12345' },
	...{ cardName: '12345678', cardID: 'pm_123456789012', giftCard: '1234567890123456' },
	...{ card: '12345678 is the order', gift_card_number: '12345678', giftCardCode: 'GIFT-1042' },
	...{ discountCode: 'SECURITY2026', paymentCardID: 'tok_visa_4242', token: 'pk_test_4242' },
	...{ paymentData: 'CVC 123 k3cvc=481Zq+/accountNumber', last4: '4242', cvv_result: 'M' },
	...{ masked_number_last4: 'XXXXXXXXXXXX4242', cvcCheck: 'pass 123', civic: '123' },
	...{ csv_file: '123456', pancakes: '12345678' },
	// What is no JSON, hides in a code, or names a field as a value
	...{ base64: 'eyJjdmMiOiIxMjMifQ==', brokenJson: '{"cvc":"123', brackets: '[PAN] {cvc: 123}' },
	...{ json: '{"orderNumber":"12345678","cvvResult":"M","price":10.50}' },
	...{ pair: { name: 'cvc', value: '123' }, errors: { accountNumber: 'is required' } },
	metadata: {
		...{ accountNumber: '55512345', csc: '101', json: '{"cvc":"123"}' },
		card: { number: '12345678', token: { cardToken: 'x1' } },
	},
	...{ empty: '', nothing: null, yes: true },
};

test.each(Object.entries(HARMLESS))('%s stays unchanged', (name, value) => {
	const mask = createMask(['a-header-token', 'test', '100']);
	const row = { id: '1', lineItems: [{ [name]: value }], [name]: value };
	expect(mask.value(row)).toEqual(row);
	const text = json({ [name]: value });
	expect(mask.text(text)).toBe(text);
});

test('an output keeps every harmless value and hides secrets; an error keeps a harmless note and hides what its request sent', async () => {
	const words = JSON.parse(json(HARMLESS)) as IDataObject;
	const { headerToken, privateToken } = sandbox.credentials;
	const details = { accountNumber: ACCOUNT, routingNumber: '021000021' };
	const form = { customerId: by('id', 'cus_1'), instrument: 'ach', ach: { details } };
	const add = { resource: 'paymentMethod', operation: 'add', ...form };
	const secrets = [headerToken, privateToken, ...Object.values(details)];
	const message = `${String(words.notes)}: ${secrets.join(', ')}`;
	sandbox.fault({ status: 400, body: { message } });
	const { error } = await run(add);
	expect(error?.message).toBe('Order 737 of 4242, seat 12A: ••••, ••••, ••••6789, ••••0021');
	expect(secretsIn([error, log.lines], secrets)).toEqual([]);
	const secret = { accountNumber: ACCOUNT, cvc: '7370', text: '{"card_no":"4111111111111111"}' };
	const answer = { customerID: 'cus_1', paymentCardID: '1', words, secret, [headerToken]: 1 };
	sandbox.fault({ body: { ...answer, token: privateToken } });
	const left = { accountNumber: '••••6789', text: '{"card_no":"••••1111"}' };
	expect(output(await run(add))).toMatchObject([{ words, secret: left, token: '••••', '••••': 1 }]);
});

test('a token is hidden in any of these spellings, whatever its characters, at any depth', () => {
	const signs = fc.constantFrom(...'abcXYZ0189_-.~+/=%&"\\: é');
	const token = fc.oneof(
		fc.constantFrom(HEADER, 'a b&c=d<e>f;g%41h', '-._~!*()', '"quoted"', '900112233445566'),
		fc.array(signs, { minLength: 8, maxLength: 40 }).map((each) => `k${each.join('')}7z`),
	);
	const spelling = fc.constantFrom<(text: string) => string>(
		(text) => text,
		(text) => json(text),
		(text) => json(text).replaceAll('/', '\\/'),
		(text) => `?token=${encodeURIComponent(text)}&x=1`,
		(text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
	);
	const beside = fc.constantFrom<(text: string) => unknown>(
		(text) => text,
		(text) => `is ${text} it?`,
		(text) => ({ [text]: 1 }),
	);
	const kinds = fc.constantFrom('list', 'field', 'pan', 'metadata', 'JSON');
	const within = (value: unknown, kind: string): unknown => {
		if (kind === 'list') return [1, value];
		return kind === 'JSON' ? json({ a: value }) : { id: 'a', [kind]: value };
	};
	const layers = fc.array(kinds, { maxLength: 4 });
	fc.assert(
		fc.property(token, spelling, beside, layers, (secret, spelled, besides, around) => {
			const nested = around.reduce<unknown>(within, besides(spelled(secret)));
			const left = createMask([secret, PRIVATE]).value(nested);
			expect(secretsIn(left, [secret, spelled(secret)])).toEqual([]);
		}),
		{ numRuns: RUNS },
	);
});

describe('what a request has sent', () => {
	const requestMask = mask.hidingValuesOf({
		card: { details: { cardToken: 'tok_visa/4242', cvc: '737', expiryDate: '08/29' } },
		ach: [{ accountNumber: ACCOUNT, routingNumber: 21000021, iban: '4711' }],
		metadata: { accountNumber: '55512345' },
		page: { cvc: '', iban: null, csc: '12' },
	});

	test.each([
		['No 000123456789, (123456789), 21000021', 'No ••••6789, (123456789), ••••0021'],
		['737 and 4711', '•••• and ••••'],
		["'21000021-000123456789', acct_000123456789", "'••••0021-••••6789', acct_••••6789"],
		['tok_visa/4242, tok_visa%2F4242, tok_visa\\/4242', '••••, ••••, ••••'],
		[`{"message":"cvc 737","sent":"${PRIVATE}"}`, '{"message":"cvc ••••","sent":"••••"}'],
	])('is not in an error: %s', (words, left) => {
		expect(requestMask.text(words)).toBe(left);
	});

	test('stays if it is part of a longer word or number, too short, or from metadata', () => {
		const words = 'Order 7370 or 00737 of INV-737, 1000123456789, a737, 12, 08/29, 55512345, null';
		expect(requestMask.text(words)).toBe(words);
	});

	test('is masked in an error, between blanks or any of these signs', () => {
		const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 5 });
		const value = fc.oneof(digits, fc.string({ minLength: 3, maxLength: 30 }));
		const around = fc.constantFrom('', ' ', '"', ':', '=', '(', '\n', '€', '/');
		const name = fc.constantFrom(...NUMBER_NAMES, ...CODE_NAMES);
		const isLong = (words: string) => words.trim().length > 2;
		fc.assert(
			fc.property(value.filter(isLong), name, around, around, (sent, field, a, z) => {
				const words = sent.trim();
				const left = mask.hidingValuesOf({ form: { [field]: sent } }).text(`${a}${words}${z}`);
				expect(left).toContain('••••');
				if (/[a-z\d]{3}/i.test(words)) expect(secretsIn(left, [words])).toEqual([]);
			}),
			{ numRuns: RUNS },
		);
	});
});

test("an error's node is the node without what was typed under a sensitive name", () => {
	const card = { cardToken: '={{ "tok_" + "visa" }}', cvc: 737, expiryDate: '08/29' };
	const parameters = { card, iban: [ACCOUNT], lineItemsJson: `[{"cvc": "7", "a": "${PRIVATE}"}]` };
	const position: [number, number] = [0, 0];
	const node = { id: '1', name: 'Pay', type: 'paymentsGateway', typeVersion: 1, position };
	const left = { iban: ['••••6789'], lineItemsJson: '[{"a":"••••"}]' };
	expect(redactNode({ ...node, parameters }, mask)).toEqual({
		...node,
		parameters: { card: { expiryDate: '08/29' }, ...left },
	});
	// The node itself stays as it was.
	expect(card.cvc).toBe(737);
});
