import {
	byName,
	mayHoldName,
	meaningOf,
	namesIn,
	namesSecret,
	sensitiveName,
} from '../../nodes/PaymentsGateway/output/names';
import { ACCOUNT_NAMES, CODE_NAMES } from '../reliability/secrets';

/**
 * What a name says is the same in each of its spellings. A name that only holds the same letters
 * says nothing.
 */

const CODES = `cvc_2, CVD, cvn2, card-verification-code, cardVerificationNumber, cvcEncrypted,
	confirmCvc, cvvConfirmation, cvcInput, cvvs, cvc2Value, security.code, %63vc`;
const ACCOUNTS = `aba_no, transitNumber, routing#, Account #, acct#, card nr, panFull, fullPan, cardPan,
	rawPAN, ibanText, accountNumberConfirmed, account_number_2, cardNum`;

const KINDS: Readonly<Record<string, string>> = {
	code: `${CODES}, ${CODE_NAMES.join()}`,
	account: `${ACCOUNTS}, ${ACCOUNT_NAMES.join()}`,
	maybeAccount: `routing, aba, rtn, bankRouting, achRtn, bankAccount, acct, ach_acct, bankAcct, card,
		creditCard, debit-card`,
	cardToken: 'cardToken, card_tokens, paymentCardToken',
	identifier: `id, ids, customerID, card_id, referenceID, reference, references, ref, txnRef, sku,
		orderNumber, invoice_no, transactionNumber, trackingNo`,
	opaque: `paymentData, token, url, link, shortUrl, checkoutLink, paylink_url, payment-link`,
	figure: `last4, lastFour, expiryDate, exp_month, expYear, expires, zip, postalCode, post_code, phone,
		mobile, fax, amount, total, price, quantity, address, street, date, time, created_at,
		amountFormatted, expDate`,
	other: `name, note, cvvResult, cvcCheck, accountName, accountType, company, japan, span, panel, paid,
		valid, void, href, returnUrl, onSuccessUrl, paymentDataX, accountNumberType, cardTokenType, cards,
		discard, number, code, rejectedCardX, myrouting, cscx`,
};

test.each(
	Object.entries(KINDS).flatMap(([kind, names]) =>
		names.split(/,\s*/).map((name) => [name, kind] as const),
	),
)('%j is a name of the kind %s', (name, kind) => {
	expect(meaningOf(name).kind).toBe(kind);
});

test('of an endless name the end is read', () => {
	expect(meaningOf(`${'x'.repeat(100_000)} cvc`).kind).toBe('code');
	expect(meaningOf(`cvc${'x'.repeat(100_000)}`).kind).toBe('other');
});

test.each<[string, 'isValue' | 'isNaming' | 'isFiller' | 'isPart', string, string]>([
	[
		'what a value beside a name is called',
		'isValue',
		`, v, t, s, n, _, value, values, fieldValue, $val, content, text, rowData, input, answer, string, raw,
			given, received, actual, entered, old, new, before, after, from, to, newValues`,
		'x, vv, metadata, meta_data, name, amount, valuex, contents_of, id',
	],
	[
		'what a name beside a value stands under',
		'isNaming',
		`k, n, id, @name, fieldName, key, field, label, title, type, kind, path, pointer, param, parameter,
			property, prop, attribute, attr, orderID.path`,
		'x, kk, customerId, names, value, keys, description',
	],
	[
		'a name that says nothing of its own',
		'isFiller',
		'detail, details, data, info, information, attributes, fields, value',
		'card, detail_of, mydata, values',
	],
	[
		'a part of a name',
		'isPart',
		'number, num, nbr, nr, no, code, No.',
		'numbers, order, nos, codes, mynumber',
	],
])('%s', (_, property, names, others) => {
	const are = (text: string) => text.split(/,\s*/).filter((name) => meaningOf(name)[property]);
	expect(are(names)).toEqual(names.split(/,\s*/));
	expect(are(others)).toEqual([]);
});

test('what nobody may change is no value of a pair', () => {
	expect(meaningOf('paymentData').isValue).toBe(false);
});

test.each([
	['cvc', 'code'],
	['Security code', 'code'],
	['%63vc', 'code'],
	['x cvc', 'code'],
	['card cvc 12', 'code'],
	['cvv2', 'code'],
	['accountNumber', 'account'],
	['account_number_2', 'account'],
	['pan', 'account'],
	['cardToken', 'cardToken'],
	['card token', 'cardToken'],
	['token', undefined],
	['card', undefined],
	['cv', undefined],
	['', undefined],
	['Ada Mcsc', undefined],
	['cvcResult', undefined],
	['account number must have 9 digits', undefined],
	['csc@example.com', undefined],
	['card@csc.example', undefined],
	['https://csc', undefined],
	// Numbers of orders.
	['CSC-1042', undefined],
	['CSC1042', undefined],
	['CVC 12', undefined],
	['cvc21', undefined],
	['PAN_12', undefined],
	['IBAN#12', undefined],
	['cvc-2', undefined],
	[`${'x '.repeat(40)}cvc`, undefined],
])('as a value, %j names the value beside it: %j', (words, kind) => {
	expect(sensitiveName(words)).toBe(kind);
});

test.each([
	['={{ $json.cvc }}', true],
	['={{ $json["account_number"] }}', true],
	['{ cardToken: 1 }', true],
	['card  token', true],
	['\\u0063vc', true],
	['a token of the card', false],
	['={{ $json.amount }}', false],
])('what was typed, %j, names a secret: %j', (words, isSecret) => {
	expect(namesSecret(words)).toBe(isSecret);
});

test.each([
	['accountNumber and cvc', ['accountNumber', 'cvc']],
	['myCvc, cardcvc, x_cvc, MYCVC2', ['Cvc', 'cvc', 'cvc']],
	['mycvc, xcvc, cvcx, cvct, écvc, cvcé, 1cvc', []],
	['cvc1234, CVC-123, csc_123, cvc/1', []],
	['PAN4111111111111111 or pan-4111 1111 1111', ['PAN', 'pan']],
	['PAN41111111', []],
	['cvc41111111111111111', []],
	['account-number-12', ['account-number']],
	[
		'account_number_12, cvc[0], card[cvc], accountNumber_123',
		['account_number_12', 'cvc[0]', 'cvc]', 'accountNumber'],
	],
	['csc@example.com, csc.x+y@example.com, ada@csc.example, https://csc.example', []],
	['https://x.example/?cvc=1', ['cvc']],
	['card not, card no 5, discard no 5, mycvc code 5', ['card no', 'cvc code']],
	[
		'account[number], account["number"], <account><number>, "account": { "number"',
		['account[number]', 'account["number', 'account><number', 'account": { "number'],
	],
])('in %j stand the names %j', (text, names) => {
	expect([...namesIn(text)].map(({ from, to }) => text.slice(from, to))).toEqual(names);
});

test('each name in a text is known for a code or an account', () => {
	for (const [names, isCode] of [
		[CODE_NAMES, true],
		[ACCOUNT_NAMES, false],
	] as const) {
		for (const name of names.filter((each) => !each.includes('\u200b'))) {
			expect([...namesIn(`the ${name} is`)]).toMatchObject([{ isCode }]);
			expect(mayHoldName(name)).toBe(true);
		}
	}
	expect(mayHoldName('a name of no kind: 12345')).toBe(false);
});

describe('a name is worked out once', () => {
	const worked: string[] = [];
	const lengthOf = byName((name) => {
		worked.push(name);
		return name.length;
	});
	const timesOf = (name: string) => {
		worked.length = 0;
		expect([lengthOf(name), lengthOf(name)]).toEqual([name.length, name.length]);
		return worked.length;
	};

	test('unless it is longer than names are', () => {
		expect(timesOf('x'.repeat(64))).toBe(1);
		expect(timesOf('x'.repeat(65))).toBe(2);
	});

	test('and of a thousand no more are kept', () => {
		for (let at = 1; at <= 2_000; at++) lengthOf(`name ${at}`);
		expect(timesOf('one too many')).toBe(2);
		worked.length = 0;
		lengthOf('name 900');
		expect(worked).toEqual([]);
	});
});
