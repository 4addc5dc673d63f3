import fc from 'fast-check';

import { createMask } from '../../nodes/PaymentsGateway/output/mask';
import { redactNode } from '../../nodes/PaymentsGateway/output/redactNode';
import { foundIn } from '../reliability/secrets';

/** What is secret by its name or its value is masked; that nothing else is, harmless.test.ts shows. */

const HEADER = 'hdr_9f/Kq+2"x\\y==';
const PRIVATE = 'prv-71c0ffee';
const ACCOUNT = '000123456789';
const mask = createMask([HEADER, PRIVATE]);
const json = (value: unknown) => JSON.stringify(value);
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
	'what is nested deep': (name, value) => ({ a: [[{ b: { c: [{ [name]: value }] } }]] }),
	'a payload': (name, value) => ({ payload: json({ refund: { [name]: value } }) }),
	'a payload that was encoded twice': (name, value) => ({ payload: json(json({ [name]: value })) }),
	'JSON in JSON with blanks': (name, value) =>
		`\n${json({ p: `  ${json([{ [name]: value }])}\n` })}`,
};

describe.each(Object.entries(PLACES))('in %s', (_, within) => {
	test.each(NUMBER_NAMES)('%s is cut to its last four', (name) => {
		const left = mask.value(within(name, ACCOUNT));
		expect(foundIn(left, ['123456789', '••••6789'])).toEqual(['••••6789']);
		// What was masked can be masked again.
		expect(mask.value(left)).toEqual(left);
	});

	test.each(CODE_NAMES)('%s is left out', (name) => {
		expect(foundIn(mask.value(within(name, '7370')), ['7370', name])).toEqual([]);
	});
});

const nothing = { accountNumber: null, iban: '', list: [null] };
test.each<[string, unknown, unknown]>([
	['a number with blanks and dashes', { pan: '4111 1111-1111 1111' }, { pan: '••••1111' }],
	['no number that is cut already', { pan: 'XXXXXXXX6789' }, { pan: 'XXXXXXXX6789' }],
	['nothing that is not there', nothing, nothing],
	['a token in the place of a number', { pan: '12345 ' + PRIVATE }, { pan: '••••2345' }],
	['a code of any type', { cvc: null, cvv: true, a: 1 }, { a: 1 }],
	['nothing by name below metadata', { metadata: { cvc: [1] } }, { metadata: { cvc: [1] } }],
	['a token below metadata', { metadata: { cvc: PRIVATE } }, { metadata: { cvc: '••••' } }],
	['a token as a number', { a: 90011223, b: 9 }, { a: '••••', b: 9 }],
	['a token in the name of a field', { [`x ${PRIVATE} y`]: 1 }, { 'x •••• y': 1 }],
	['the longer token first', 'longtoken longtoken-2', '•••• ••••'],
	['no token that is a short word', 'test.example/latest', 'test.example/latest'],
	['JSON where something is masked in it', '{"cvc":1,"a":10.50}', '{"a":10.5}'],
	['no JSON where nothing is', ' {"a":10.50, "b":"c"}', ' {"a":10.50, "b":"c"}'],
	['no JSON within other words', 'Row 1: {"cvc":1}', 'Row 1: {"cvc":1}'],
])('masks %s', (_, value, left) => {
	const tokens = ['longtoken', 'longtoken-2', '90011223', 'test', '', PRIVATE];
	expect(createMask(tokens).value([{ deep: value }])).toEqual([{ deep: left }]);
});

test('what came in stays as it was', () => {
	const row = { a: [{ cvc: '123', b: [{ iban: 'DE89370400440532' }, 1] }] };
	const before = structuredClone(row);
	expect(mask.value(row)).toEqual({ a: [{ b: [{ iban: '••••0532' }, 1] }] });
	expect(row).toEqual(before);
});

test('a token never leaves, whatever signs it has and wherever it stands', () => {
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
	const layers = fc.array(fc.constantFrom('list', 'field', 'pan', 'metadata', 'JSON'), {
		maxLength: 4,
	});
	fc.assert(
		fc.property(token, spelling, beside, layers, (secret, spelled, besides, kinds) => {
			const nested = kinds.reduce<unknown>(
				(value, kind) => {
					if (kind === 'list') return [1, value];
					return kind === 'JSON' ? json({ a: value }) : { id: 'a', [kind]: value };
				},
				besides(spelled(secret)),
			);
			const left = createMask([secret, PRIVATE]).value(nested);
			expect(foundIn(left, [secret, spelled(secret)])).toEqual([]);
		}),
		{ numRuns: RUNS },
	);
});

describe('what a request has sent', () => {
	const knowing = mask.knowing({
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
		expect(knowing.text(words)).toBe(left);
	});

	test('does not hide what only looks like it, nor what stood in metadata', () => {
		const words = 'Order 7370 or 00737 of INV-737, 1000123456789, a737, 12, 08/29, 55512345, null';
		expect(knowing.text(words)).toBe(words);
	});

	test('never stands in an error, whatever it is and whatever stands around it', () => {
		const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 5 });
		const value = fc.oneof(digits, fc.string({ minLength: 3, maxLength: 30 }));
		const around = fc.constantFrom('', ' ', '"', ':', '=', '(', '\n', '€', '/');
		const name = fc.constantFrom(...NUMBER_NAMES, ...CODE_NAMES);
		const isLong = (words: string) => words.trim().length > 2;
		fc.assert(
			fc.property(value.filter(isLong), name, around, around, (sent, field, a, z) => {
				const words = sent.trim();
				const left = mask.knowing({ form: { [field]: sent } }).text(`${a}${words}${z}`);
				expect(left).toContain('••••');
				if (/[a-z\d]{3}/i.test(words)) expect(foundIn(left, [words])).toEqual([]);
			}),
			{ numRuns: RUNS },
		);
	});
});

test("an error's node is the node without what was typed under a sensitive name", () => {
	const position: [number, number] = [0, 0];
	const parameters = {
		card: { details: { cardToken: '={{ "tok_" + "visa" }}', cvc: 737, expiryDate: '08/29' } },
		ach: { details: { accountNumber: '={{ "00012345" }}', iban: [ACCOUNT] } },
		lineItemsJson: `[{"cvc": "737", "note": "${PRIVATE}"}]`,
	};
	const node = { id: '1', name: 'Pay', type: 'paymentsGateway', typeVersion: 1, position };
	expect(redactNode({ ...node, parameters }, mask)).toEqual({
		...node,
		parameters: {
			card: { details: { expiryDate: '08/29' } },
			ach: { details: { accountNumber: '••••2345', iban: ['••••6789'] } },
			lineItemsJson: '[{"note":"••••"}]',
		},
	});
	expect(parameters.card.details.cvc).toBe(737);
});
