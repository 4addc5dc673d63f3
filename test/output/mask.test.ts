import { createHash } from 'node:crypto';

import fc from 'fast-check';

import { createMask } from '../../nodes/PaymentsGateway/output/mask';
import {
	ACCOUNT_NAMES,
	CODE_NAMES,
	foundIn,
	standingIn,
	LOOKALIKES,
	PARTED,
	PLACES,
	SPELLINGS,
} from '../reliability/secrets';

const HEADER = 'hdr_9f/Kq+2"x\\y==';
const PRIVATE = 'prv-71c0ffee';
const mask = createMask([HEADER, PRIVATE]);

const sent = {
	card: { details: { cardToken: 'tok_visa_4242', cvc: '737', expiryDate: '08/29' } },
	ach: { details: { accountNumber: '000123456789', routingNumber: '021000021' } },
	gpecomm: { details: { id: 'gp-1', cvv: '9911' } },
};
const knowing = mask.knowing(sent);
const RUNS = Number(process.env.MASKED_NUMBERS ?? 100);
const SECRETS = ['737', '000123456789', '123456789', '021000021', '21000021', '9911', 'tok_visa'];

describe('values of an answer', () => {
	test('lose their security codes and keep the last four of numbers, wherever they stand', () => {
		const answer = {
			id: 'cus_1',
			paymentCards: [
				{ cvc: '123', accountNumber: '000123456789', routing_number: '021000021', last4: '6789' },
				{ cvv: '1', CVC: 2, securityCode: '3', 'Account-Number': 4444455555, cardNumber: '4242' },
			],
			deep: [[{ accountNumber: ['000123456789'] }, { accountNumber: { raw: '000123456789' } }]],
		};
		expect(mask.value(answer)).toEqual({
			id: 'cus_1',
			paymentCards: [
				{ accountNumber: '••••6789', routing_number: '••••0021', last4: '6789' },
				{ 'Account-Number': '••••5555', cardNumber: '••••' },
			],
			deep: [[{ accountNumber: '••••' }, { accountNumber: '••••' }]],
		});
	});

	test.each([null, '', undefined])('an account number that is %j stays what it is', (nothing) => {
		expect(mask.value({ accountNumber: nothing, a: 1 })).toEqual(
			nothing === undefined ? { a: 1 } : { accountNumber: nothing, a: 1 },
		);
	});

	test('show account data when they are revealed, and the tokens never', () => {
		const answer = { cvc: '123', accountNumber: '000123456789', note: `x ${PRIVATE} ${HEADER} y` };
		expect(mask.value(answer, true)).toEqual({
			cvc: '123',
			accountNumber: '000123456789',
			note: 'x •••• •••• y',
		});
	});

	test('that a request has sent are known again under any name, also as a number', () => {
		const echo = {
			bank: '000123456789',
			noLeadingZeros: 123456789,
			routing: 21000021,
			code: '737',
			why: 'code 737 for 000123456789',
			amount: 737,
			total: 9911,
		};
		expect(knowing.value(echo)).toEqual({
			bank: '••••6789',
			noLeadingZeros: '••••6789',
			routing: '••••0021',
			code: '••••',
			why: 'code •••• for ••••6789',
			// A code of three digits is an amount as well.
			amount: 737,
			total: 9911,
		});
	});

	test('stay as they are when nothing in them is sensitive', () => {
		fc.assert(
			fc.property(
				fc.dictionary(
					fc.constantFrom('a', 'b', 'amount', '__proto__', 'toString'),
					fc.oneof(fc.constant('text'), fc.integer(), fc.boolean(), fc.constant(null), fc.double()),
				),
				(value) => {
					expect(mask.value([value])).toEqual([value]);
				},
			),
		);
	});

	test('keep a field that is named __proto__', () => {
		const hostile: unknown = JSON.parse('{"__proto__":{"cvc":"1","a":1}}');
		expect(JSON.stringify(mask.value(hostile))).toBe('{"__proto__":{"a":1}}');
	});
});

describe('running text', () => {
	const forms: Array<[string, (value: unknown) => string]> = [
		['as it is', (value) => String(value)],
		['in JSON', (value) => JSON.stringify({ token: value })],
		['in JSON in JSON', (value) => JSON.stringify(JSON.stringify({ token: value }))],
		['in JSON with escaped slashes', (value) => JSON.stringify({ value }).replaceAll('/', '\\/')],
		['in a URL', (value) => `?token=${encodeURIComponent(String(value))}&x=1`],
		['in a URL in small letters', (value) => encodeURIComponent(String(value)).toLowerCase()],
	];

	test.each(forms)('never holds a token %s', (name, written) => {
		const plain = createMask(['hdr_9f/kq+2==', PRIVATE]);
		for (const token of ['hdr_9f/kq+2==', PRIVATE]) {
			for (const reveal of [false, true]) {
				const masked = plain.value(`Bearer ${written(token)} was refused`, reveal);
				expect(masked).toContain('••••');
				expect(foundIn(masked, [token === PRIVATE ? '71c0ffee' : '9f'])).toEqual([]);
			}
		}
		if (name !== 'in a URL in small letters' && name !== 'in JSON in JSON') {
			expect(mask.text(written(HEADER))).not.toContain('9f');
		}
	});

	test('a token with blanks does not leave in the body of a form', () => {
		const token = 'my secret & 71c0ffee';
		const form = new URLSearchParams({ token, x: '1' }).toString();
		expect(createMask([token]).text(form)).toBe('token=••••&x=1');
	});

	test('a token that begins with another leaves nothing of either', () => {
		expect(createMask(['abcd', 'abcdefgh']).text('abcdefgh abcd')).toBe('•••• ••••');
	});

	test('a token of two letters does not hide half of every text', () => {
		expect(createMask(['', 'ab']).text('about a cab')).toBe('about a cab');
	});

	test.each([
		['Account number 000123456789 is closed', 'Account number ••••6789 is closed'],
		['account number is: 000123456789', 'account number is: ••••6789'],
		['accountNumber=000123456789&x=1', 'accountNumber=••••6789&x=1'],
		['account_number: "000123456789"', 'account_number: "••••6789"'],
		['{"accountNumber":"000123456789"}', '{"accountNumber":"••••6789"}'],
		['"{\\"accountNumber\\":\\"000123456789\\"}"', '"{\\"accountNumber\\":\\"••••6789\\"}"'],
		['accountNumber%22%3A%22000123456789%22', 'accountNumber%22%3A%22••••6789%22'],
		['accountNumber%3d000123456789', 'accountNumber%3d••••6789'],
		['Account No. 0001 2345 6789', 'Account No. ••••6789'],
		['routing number 021-000-021', 'routing number ••••0021'],
		['routing number #(021000021)', 'routing number #(••••0021)'],
		['CVC 123 does not match', 'CVC •••• does not match'],
		['cvv2:"0123"', 'cvv2:"••••"'],
		['security code is 999', 'security code is ••••'],
		['R02: account 000123456789 is closed', 'R02: account ••••6789 is closed'],
		['000123456789 is not a valid account number', '••••6789 is not a valid account number'],
		['000123456789 is an unknown bank account', '••••6789 is an unknown bank account'],
		['Routing 021000021 unknown', 'Routing ••••0021 unknown'],
		['Account no. ending with 000123456789', 'Account no. ending with ••••6789'],
		['Bank account: "000123456789"', 'Bank account: "••••6789"'],
		['acct 000123456789', 'acct ••••6789'],
		['{"a":"12345678 is a wrong account"}', '{"a":"••••5678 is a wrong account"}'],
		['The account with number 000123456789.', 'The account with number ••••6789.'],
		['Card 4111 1111 1111 1111 expired', 'Card ••••1111 expired'],
		['myCvc: 123, cvc_code=123, PAN4111111111111111', 'myCvc: ••••, cvc_code=••••, PAN••••1111'],
		['The account number must have 9 digits', 'The account number must have 9 digits'],
		['Order 123 of 456', 'Order 123 of 456'],
	])('%j becomes %j', (words, masked) => {
		expect(mask.text(words)).toBe(masked);
	});

	test.each([
		'The bank does not know 000123456789',
		'0001 2345 6789 at 0210 00021',
		'0001-2345-6789',
		'Got {"a":"000123456789","b":"737"}',
		'Got "{\\"a\\":\\"000123456789\\",\\"b\\":\\"737\\"}"',
		'a=%7B%22a%22%3A%22000123456789%22%2C%22b%22%3A%22737%22%7D',
		'b%3A%22021000021%22',
		'{\\u0022a\\u0022:\\u0022000123456789\\u0022,\\u0022b\\u0022:\\u0022737\\u0022}',
		'&quot;000123456789&quot; &#34;737&#34;',
		'code=737',
		'(9911)',
		'tok_visa_4242 is used up',
		'000123456789',
	])('%j does not give away what the request has sent', (words) => {
		const masked = knowing.text(words);
		expect(masked).toContain('••••');
		expect(foundIn(masked, SECRETS)).toEqual([]);
	});

	test('that only looks like what was sent stays', () => {
		const words = 'Order 7370 of INV-737, 1000123456789, a737';
		expect(knowing.text(words)).toBe(words);
	});

	test('never holds an account number, however it is spaced and wherever it stands', () => {
		const digits = fc
			.array(fc.integer({ min: 0, max: 9 }), { minLength: 6, maxLength: 17 })
			.map((numbers) => numbers.join(''));
		const around = fc.constantFrom(
			'',
			' ',
			'"',
			'\\"',
			'%22',
			':',
			'=',
			'(',
			'\n',
			'x',
			'€',
			'\\u0022',
		);
		fc.assert(
			fc.property(
				digits,
				fc.constantFrom('', ' ', '-', '%20'),
				around,
				around,
				(number, gap, a, z) => {
					const written = number.replace(/(\d{4})(?=\d)/g, `$1${gap}`);
					const masked = mask.knowing({ accountNumber: number }).text(`${a}${written}${z}`);
					expect(foundIn(masked, [number])).toEqual([]);
					expect(masked).toContain('••••');
				},
			),
			{ numRuns: RUNS },
		);
	});
});

describe('a token', () => {
	const TOKENS = [HEADER, PRIVATE, 'a b&c=d<e>f;g%41h', 'Zm9vYmFyYmF6cXV4', '900112233445566'];
	const carried: Array<[string, (token: string) => unknown]> = [
		['a text', (token) => token],
		['a field', (token) => ({ a: [{ b: token }] })],
		['the name of a field', (token) => ({ a: { [token]: { b: 1 } } })],
		['a part of a name', (token) => [{ [`x ${token} y`]: null }]],
		['JSON in a string', (token) => JSON.stringify({ a: JSON.stringify([{ b: token }]) })],
		[
			'a name in JSON in a string',
			(token) => JSON.stringify({ a: JSON.stringify({ [token]: 1 }) }),
		],
		['a link', (token) => `https://x.example/?token=${encodeURIComponent(token)}&y=1`],
		['Base64 of JSON', (token) => Buffer.from(JSON.stringify({ a: token })).toString('base64')],
	];

	describe.each(Object.entries(SPELLINGS))('%s', (_, spelled) => {
		test.each(carried)('never leaves in %s', (__, within) => {
			const knows = createMask(TOKENS);
			for (const token of TOKENS) {
				for (const reveal of [false, true]) {
					const left = knows.value(within(spelled(token)), reveal);
					expect(foundIn(left, [token, spelled(token)], 2)).toEqual([]);
				}
			}
		});
	});

	test.each(Object.entries(LOOKALIKES))('never leaves %s', (_, spelled) => {
		for (const [, within] of carried.slice(0, 7)) {
			const left = mask.value(within(spelled(HEADER)));
			expect(foundIn(left, [HEADER], 2)).toEqual([]);
		}
	});

	test('never leaves, through whatever chain of spellings, in whatever it is nested', () => {
		const token = fc
			.array(fc.constantFrom(...'abcXYZ0189_-.~+/=%&"\\:'), { minLength: 16, maxLength: 40 })
			.map((signs) => `k${signs.join('')}7z`);
		const chain = fc.array(fc.constantFrom(...Object.keys(SPELLINGS)), { maxLength: 4 });
		const nesting = fc.array(fc.constantFrom('list', 'field', 'name', 'text', 'JSON'), {
			maxLength: 4,
		});
		fc.assert(
			fc.property(token, chain, nesting, fc.boolean(), (secret, spellings, layers, reveal) => {
				const spelled = spellings.reduce((text, name) => SPELLINGS[name]?.(text) ?? text, secret);
				const nested = layers.reduce<unknown>((value, layer) => {
					if (layer === 'list') return [1, value];
					if (layer === 'field') return { id: 'a', value };
					if (layer === 'text') return typeof value === 'string' ? `is ${value} it?` : value;
					if (layer === 'JSON') return JSON.stringify(value);
					return { [typeof value === 'string' ? value : JSON.stringify(value)]: 1 };
				}, spelled);
				const left = createMask([secret, PRIVATE]).value(nested, reveal);
				expect(foundIn(left, [secret, spelled])).toEqual([]);
				expect(JSON.stringify(left)).not.toBe(JSON.stringify(nested));
			}),
			{ numRuns: RUNS },
		);
	});

	test('of digits never leaves as a number', () => {
		const knows = createMask(['900112233445566', '000123456789012']);
		const left = knows.value({
			a: 900112233445566,
			b: [123456789012],
			c: 'is 123456789012',
			d: 9001,
		});
		expect(left).toEqual({ a: '••••', b: ['••••'], c: 'is ••••', d: 9001 });
	});

	test('two names that hold one stay two', () => {
		expect(mask.value({ [HEADER]: 1, [PRIVATE]: 2 })).toEqual({ '••••': 1, '•••• (2)': 2 });
	});

	test('that is encoded once more than anybody could read hides the text', () => {
		const encoded = `${'%25'.repeat(30_000)}41 ${PRIVATE}`;
		expect(mask.text(encoded)).not.toContain(PRIVATE);
		let deep = `${PRIVATE} =`;
		for (let depth = 0; depth < 60; depth++) deep = encodeURIComponent(deep);
		expect(mask.text(deep)).toMatch(/^•••• ?%/);
	});
});

describe('account data', () => {
	const account = '000123456789';
	const places = Object.entries(PLACES);

	describe.each(places)('in %s', (_, within) => {
		test.each(ACCOUNT_NAMES)('%s is cut to its last four', (name) => {
			const left = mask.value(within(name, account));
			expect(foundIn(left, [account, '123456789'], 3)).toEqual([]);
			const revealed = mask.value(within(name, account), true);
			expect(standingIn(revealed, ['123456789'], 4)).toHaveLength(1);
		});

		test.each(CODE_NAMES)('%s does not leave', (name) => {
			expect(foundIn(mask.value(within(name, '737')), ['737'], 3)).toEqual([]);
		});
	});

	test.each(Object.entries(PARTED))('under a name in two parts is cut: %s', (_, within) => {
		const left = mask.value(within(account));
		expect(foundIn(left, ['123456789'], 2)).toEqual([]);
		expect(JSON.stringify(left)).toContain('6789');
	});

	test.each([
		{ security: { code: '737' } },
		'<security><code>737</code></security>',
		'security[code]=737',
	])('a code under a name in two parts does not leave: %j', (value) => {
		expect(foundIn(mask.value(value), ['737'])).toEqual([]);
	});

	test.each(places)('masked twice is as masked once: in %s', (_, within) => {
		for (const name of [...ACCOUNT_NAMES, ...CODE_NAMES]) {
			const once = mask.value(within(name, account));
			expect(createMask([HEADER, PRIVATE]).value(once)).toEqual(once);
		}
	});

	const ways = [
		'in JSON',
		'with \\u003d',
		'URL-encoded',
		'URL-encoded twice',
		'with &#x3D;',
		'in Base64',
	];
	test('does not leave, through whatever chain of spellings', () => {
		fc.assert(
			fc.property(
				fc.constantFrom(...places),
				fc.constantFrom(...ACCOUNT_NAMES, ...CODE_NAMES),
				fc.array(fc.constantFrom(...ways), { minLength: 1, maxLength: 3 }),
				fc.integer({ min: 100, max: 999 }),
				([, within], name, chain, code) => {
					const secret = CODE_NAMES.includes(name) ? String(code) : `${code}00123${code}`;
					const placed = within(name, secret);
					const text = typeof placed === 'string' ? placed : JSON.stringify(placed);
					const spelled = chain.reduce((words, way) => SPELLINGS[way]?.(words) ?? words, text);
					const left = mask.text(spelled);
					expect(left).not.toBe(spelled);
					expect(foundIn(left, CODE_NAMES.includes(name) ? [] : [secret], 3)).toEqual([]);
				},
			),
			{ numRuns: RUNS },
		);
	});

	test.each([
		'0001 2345 6789',
		'0001-2345-6789',
		'123456789.0',
		'０００１２３４５６７８９',
		'000\u200b123\u200b456\u200b789',
		'&#48;&#48;&#48;123456789',
		'%30%30%30123456789',
	])('is known however its digits are written: %s', (written) => {
		for (const text of [`accountNumber: ${written}`, `<accountNo>${written}</accountNo>`]) {
			expect(mask.text(text)).toContain('••••');
			expect(foundIn(mask.text(text), ['123456789'], 2)).toEqual([]);
		}
		for (const value of [
			written,
			{ a: written },
			{ [`x ${written}`]: 1 },
			JSON.stringify({ a: written }),
		]) {
			expect(foundIn(knowing.value(value), ['123456789'], 2)).toEqual([]);
			expect(JSON.stringify(knowing.value(value))).toContain('••••');
		}
	});

	test.each([
		[
			'{"a":1,"cvc":"737","list":[{"accountNumber":"000123456789"}]}',
			'{"a":1,"list":[{"accountNumber":"••••6789"}]}',
		],
		['Refused: {"cvc":737,"a":[1]} (2)', 'Refused: {"a":[1]} (2)'],
		['{"p":"{\\"routingNumber\\":21000021}"}', '{"p":"{\\"routingNumber\\":\\"••••0021\\"}"}'],
	])('in a string of JSON leaves JSON: %s', (json, left) => {
		expect(mask.text(json)).toBe(left);
	});
});

describe('what is not sensitive', () => {
	const clean: unknown[] = [
		{ cvv_result: 'M', cvvResult: '1', cvcCheck: '123', avs_action: '5' },
		{ transactionID: '123456789012', customer_id: '737', cardID: 'pm_123456789012' },
		{ referenceID: 'ACCTNO123456', reference: 'account-no-123456789', accountId: '123456789012' },
		{ phone: '+1 503 555 0123', customer_phone: '5035550123', zip: '97205-1234' },
		{ masked_number_last4: 'XXXXXXXXXXXX4242', last4: '4242', expires: '08/29' },
		{ amount: 1999, amountFormatted: '$19.99', total: 250000, discount: 12345678 },
		{ accountType: 'CHECKING', accountHolderType: 'PERSONAL', accountName: 'Main 12345678' },
		{ accountNumber: '', last4: '4242', hasCvc: true, company: '123456789' },
		{ errors: { accountNumber: 'is required' } },
		[
			{ name: 'amount', value: 123456789 },
			{ field: 'phone', value: '5035550123' },
		],
		[{ name: 'Account number', message: 'is wrong', code: 400 }],
		['name', 'accountNumber', 'cvc', 'zip'],
		{ order: { number: '123456789012' }, account: { id: '123456789012', code: 'A1' } },
		{ status: { code: 400 }, links: [{ href: 'https://x.example/?page=123456789' }] },
		'{"accountNumber":"","last4":"4242","phone":"5035550123"}',
		'<accountNumber/><zip>97205</zip>',
		'<accountNumber></accountNumber><zip>97205</zip>',
		'<cvvResult>1</cvvResult><amount>199900</amount>',
		'<td>Phone</td><td>5035550123</td>',
		'a=1&name=amount&value=250000',
		'Account number missing, order 123456789',
		'Invoice of account: ok, total value: 250000',
		'Card no. 2 of 3, card ending in 4242, routing 5 of 6',
		'Japan 123456789, Company no. 12345678',
		'AT&T 12345678, 100%25 of 20% \\o/ C:\\temp\\123456789',
		'https://x.example/pay/abcDEF123?x=%20y&z=1',
		'2026-11-21T10:00:00.000Z',
		'550e8400-e29b-41d4-a716-446655440000',
		Buffer.from('hello world, all is fine').toString('base64'),
		{ email: 'csc2024@example.com', note: 'Ask ada@cvc360.example or pan-12345@example.com' },
		{ email: 'account-no-123456789@example.com' },
		{ onSuccessUrl: 'https://csc101.example.com/thanks', site: 'https://pay.example/p/k3cvc481Zq' },
		{ url: 'https://pay.example.com/p/CSC/1042?account-number=123456789' },
		{ paymentData: 'CVC 123 k3cvc=481Zq', token: 'k3cvc/481' },
		{ referenceID: 'CSC-1042', paymentData: 'ab+/12', metadata: { seat: '12A' }, text: '12' },
		{ referenceID: 'card-no-7', data: '12345678', value: 25, description: 'PAN-1042' },
		[{ name: 'CSC-1042', value: 25 }, { name: 'Ada Mcsc', value: '123' }, ['PAN-12', '12345678']],
		'{"referenceID":"CSC-1042","metadata":{"seat":"12A","size":42},"email":"csc2024@example.com"}',
		'use Get Status with the reference "CSC-10045", "CVC1001" or PAN_10045',
		'Account 20 of order 123456789, card payment for invoice 20261121',
		'Account reference 123456789, account ID 123456789012, card-12345678, account since 2026-11-21',
		'Order 123456789 is paid by card, 12345678 is the order of this account',
		'account 12345678-9abc-4def-8123-456789abcdef, account: 12345678.90',
		'A letter that does not exist: \u{1d4a4} 123',
		'José Ørsted 李小龍 👩‍👩‍👧 123456',
	];

	test.each(clean)('%j leaves as it came', (value) => {
		expect(mask.value(value)).toBe(value);
		const row = { a: [value] };
		expect(mask.value(row)).toBe(row);
	});

	test('leaves as it came, where a request has sent the same few digits', () => {
		const knows = mask.knowing({ cvc: '737', gpecomm: { cvv: '4242' } });
		const row = {
			id: '4242',
			referenceID: 'INV 737',
			last4: '4242',
			zip: '97737',
			date: '2026-11-21T10:00:00.737+00:00',
			amount: 737,
			amountFormatted: '$737.00',
			phone: '503-737-4242',
			billingAddress: '737 Main St',
		};
		expect(knows.value(row)).toBe(row);
		expect(knows.text(JSON.stringify(row))).toBe(JSON.stringify(row));
	});

	test.each([['a@a.csc'], ['https://a.csc']])('leaves what stands beside %s', (address) => {
		const row = { id: [address, '0'] };
		expect(mask.value(row)).toBe(row);
	});

	/** Three random letters can be the name of a security code, and then they are one. */
	const NAME_BY_CHANCE = /c[sv][cdnv]|acc|aba|iban|pan|rout|tran/i;
	/** Also where a long number is read as the code of some text. */
	const readingsOf = (words: string) => [
		words,
		...(words.match(/[\da-f]{12,}/gi) ?? []).flatMap((code) =>
			[0, 1].map((from) => Buffer.from(code.slice(from), 'hex').toString('latin1')),
		),
	];

	test('leaves as it came, whatever it says', () => {
		const words = fc
			.oneof(
				fc.string(),
				fc.string({ unit: 'grapheme' }),
				fc.uuid(),
				fc.webUrl({ withQueryParameters: true }),
				fc.emailAddress(),
				fc.lorem(),
				fc.base64String(),
				fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
				fc.bigInt().map(String),
			)
			.filter((each) => !readingsOf(each).some((reading) => NAME_BY_CHANCE.test(reading)));
		const names = fc.constantFrom('id', 'name', 'email', 'phone', 'note', 'payload', '__proto__');
		const row = fc.dictionary(
			names,
			fc.oneof(words, fc.double(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(words)),
		);
		fc.assert(
			fc.property(row, (value) => {
				expect(mask.value(value)).toBe(value);
			}),
			{ numRuns: RUNS },
		);
	});
});

describe('what is worked with later', () => {
	test('stays, whatever letters are in it by chance', () => {
		for (let seed = 0; seed < 500; seed++) {
			const noise = createHash('sha512').update(String(seed)).digest('base64');
			for (const name of ['cvc', 'CSC', 'pan', 'iban', 'accNo', 'cardNo']) {
				const paymentData = `${noise}${name}/4812345678${noise}`;
				expect(mask.value({ paymentData })).toEqual({ paymentData });
				// Also where nobody knows what it is.
				const other = `${noise.slice(0, 40)}x${name.toLowerCase()}481Zq${noise.slice(40)}`;
				expect(mask.value({ other })).toEqual({ other });
			}
		}
	});

	test.each(['paymentData', 'url', 'token'])('holds no token of the credential: %s', (name) => {
		expect(mask.value({ [name]: `x/${PRIVATE}/y` })).toEqual({ [name]: 'x/••••/y' });
		expect(knowing.value({ [name]: 'x/000123456789/y' })).toEqual({ [name]: 'x/••••6789/y' });
	});

	test('is an ID as the service gave it, also one like what was sent, but no token', () => {
		const row = { paymentCardID: 'tok_visa_4242', customerID: 'cus-021000021', id: '000123456789' };
		expect(knowing.value(row)).toBe(row);
		expect(knowing.value({ customerID: `cus-${PRIVATE}` })).toEqual({ customerID: 'cus-••••' });
	});
});

describe('an account number', () => {
	test.each([
		{ accountNumber: 'Wells Fargo 000123456789' },
		{ accountNumber: 'checking account 000123456789 of Ada Lovelace' },
		{ iban: 'MT84 MALT 0110 0001 2345 6789 MTLC AST0 01S' },
		{ account: { details: { number: '000123456789' } } },
		{ account: [{ data: { info: { number: 123456789 } } }] },
		{ accountNumberEncrypted: '000123456789' },
		{ acct: '000123456789' },
	])('is cut to its last letters in %j', (value) => {
		const left = JSON.stringify(mask.value(value));
		expect(left).toContain('••••');
		expect(foundIn(left, ['123456789', '0110 0001 2345'])).toEqual([]);
	});

	test('stays hidden as a pair under each key that a name stands under', () => {
		for (const key of ['name', 'key', 'id', 'type', 'kind', 'title', 'property', 'attributeName']) {
			expect(mask.value({ [key]: 'iban', value: '000123456789' })).toEqual({
				[key]: 'iban',
				value: '••••6789',
			});
		}
	});
});

describe('what is nested deep', () => {
	const nested = (inner: unknown, depth: number) => {
		let value = inner;
		for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value };
		return value;
	};
	const innermost = (value: unknown) => {
		let inner = value;
		for (;;) {
			const next: unknown = Array.isArray(inner) ? inner[0] : Reflect.get(Object(inner), 'a');
			if (next === undefined) return inner;
			inner = next;
		}
	};

	const secret = { accountNumber: '000123456789', cvc: '737', note: PRIVATE };

	test('leaves without its secrets', () => {
		const value = nested(secret, 999);
		expect(innermost(mask.value(value))).toEqual({ accountNumber: '••••6789', note: '••••' });
		expect(innermost(mask.value(value, true))).toEqual({
			accountNumber: '000123456789',
			cvc: '737',
			note: '••••',
		});
	});

	test('leaves as it came when it holds none', () => {
		const value = nested('x', 1_000);
		expect(mask.value(value)).toBe(value);
	});

	test.each([1_001, 3_000, 100_000])('leaves cut, %i deep: n8n could not store it', (depth) => {
		for (const reveal of [false, true]) {
			const left = mask.value({ id: 'cus_1', deep: nested('x', depth) }, reveal);
			expect(left.id).toBe('cus_1');
			expect(innermost(left.deep)).toBe('(nested too deep to be shown)');
			expect(() => JSON.stringify(left)).not.toThrow();
		}
		expect(innermost(mask.value(nested(secret, depth)))).toBe('(nested too deep to be shown)');
	});

	test('is known all the same when it was sent', () => {
		expect(mask.knowing(nested({ cvc: '737' }, 100_000)).text('code 737')).toBe('code ••••');
	});

	test.each([900, 3_000, 10_000])('leaves without its secrets as JSON in a string, %i', (depth) => {
		const inner = '{"accountNumber":"000123456789","cvc":"737"}';
		const left = mask.text(`${'['.repeat(depth)}${inner}${']'.repeat(depth)}`);
		expect(foundIn(left, ['123456789', '737'])).toEqual([]);
		if (depth < 1_000) expect(left).toContain('••••6789');
	});
});

describe('what was typed into a node', () => {
	test('is not shown under a sensitive name, as an expression neither', () => {
		const expression = '={{ "000123" + 456789 }}';
		const left = mask.typed({
			resource: 'paymentMethod',
			operation: 'add',
			customerId: { __rl: true, mode: 'id', value: 'cus_1' },
			card: { details: { cardToken: '={{ "tok_" + "visa" }}', cvc: 737, expiryDate: '08/29' } },
			ach: { details: [{ accountNumber: expression, routingNumber: '' }] },
			gpecomm: { details: { id: 'gp-1', cvv: '9911' } },
			notes: '={{ { cardToken: "tok_visa_4242" } }}',
			fields: [{ name: 'cardToken', value: 'tok_visa_4242' }],
		});
		expect(left).toMatchObject({
			resource: 'paymentMethod',
			operation: 'add',
			customerId: { __rl: true, mode: 'id', value: 'cus_1' },
			card: { details: { cardToken: '••••', cvc: '••••', expiryDate: '08/29' } },
			ach: { details: [{ accountNumber: '••••', routingNumber: '' }] },
			gpecomm: { details: { id: 'gp-1', cvv: '••••' } },
		});
		expect(foundIn(left, ['tok_', '737', '456789', '9911'])).toEqual([]);
	});
});

test.each<[string, number, (text: string) => string]>([
	['JSON in JSON', 11, (text) => JSON.stringify({ a: text })],
	['JSON in a URL in JSON', 25, (text) => JSON.stringify({ a: encodeURIComponent(text) })],
	[
		'JSON in Base64 in JSON',
		8,
		(text) => Buffer.from(JSON.stringify({ a: text })).toString('base64'),
	],
])(
	'an account number does not leave, nor take for ever, in %s, %i times over',
	(_, times, wrap) => {
		let text = '{"accountNumber":"000123456789"}';
		for (let time = 0; time < times; time++) text = wrap(text);
		const left = mask.text(text);
		expect(left).not.toBe(text);
		expect(left).not.toContain('000123456789');
	},
);

test.each([
	'%25'.repeat(30_000),
	'&amp;'.repeat(20_000),
	`&${'amp;'.repeat(25_000)}`,
	'\\'.repeat(100_000),
	'A'.repeat(100_000),
	'0'.repeat(100_000),
	'accountNumber'.repeat(8_000),
	'accountNumber:'.repeat(8_000),
	'{'.repeat(100_000),
	'{"cvc":'.repeat(10_000),
	'<accountNumber '.repeat(7_000),
	'cvc value '.repeat(10_000),
	'cvc "    '.repeat(10_000),
	'1 '.repeat(50_000),
	'TUFB'.repeat(25_000),
	`card ${'1 '.repeat(50_000)}`,
	'account: '.repeat(11_000),
	`12345678 account${' '.repeat(100_000)}(`,
	'12345678 is not a valid card '.repeat(3_500),
])('a text made to be slow takes no time to speak of: %.20s', (text) => {
	const started = performance.now();
	knowing.text(text);
	mask.value({ [text]: text });
	expect(performance.now() - started).toBeLessThan(10_000);
});

test('what was shown for once is masked the next time', () => {
	const { value } = createMask([]);
	const row = { accountNumber: '000123456789' };
	expect(value(row, true)).toEqual(row);
	expect(value(row)).toEqual({ accountNumber: '••••6789' });
});

test('a security code behind its name in a list is hidden as a whole, however long it is', () => {
	const { value } = createMask([]);
	expect(value({ list: ['cvc', '123456'] })).toEqual({ list: ['cvc', '••••'] });
	expect(value({ list: ['accountNumber', '000123456789'] })).toEqual({
		list: ['accountNumber', '••••6789'],
	});
});

test('names that are hidden stay apart', () => {
	const tokens = ['token-aaaaaa', 'token-bbbbbb', 'token-cccccc'];
	const named = Object.fromEntries(tokens.map((token, index) => [token, index]));
	expect(createMask(tokens).value(named)).toEqual({ '••••': 0, '•••• (2)': 1, '•••• (3)': 2 });
});

test.each([null, undefined, ''])('a secret that was left %j in the form stays so', (left) => {
	expect(createMask([]).typed({ cvc: left, accountNumber: left })).toStrictEqual({
		cvc: left,
		accountNumber: left,
	});
});

describe('what a name says of its value', () => {
	test.each<[unknown, unknown]>([
		// A card may be many things, and is hidden where it is a long number.
		[{ card: '4111 1111-1111 1111' }, { card: '••••1111' }],
		[{ card: 4111111111111111 }, { card: '••••1111' }],
		[{ card: ['4111111111111111', 'VISA'] }, { card: ['••••1111', 'VISA'] }],
		[{ routing: 'ABA021000021' }, { routing: '••••0021' }],
		[{ card: 'paid for order 12345678' }, { card: 'paid for order 12345678' }],
		[{ card: '12345678 is the order' }, { card: '12345678 is the order' }],
		[
			{ card: '1234567', acct: null },
			{ card: '1234567', acct: null },
		],
		[
			{ card: { toString: 1 }, iban: { toString: 1 } },
			{ card: { toString: 1 }, iban: '••••' },
		],
		// Words about an account are no account.
		[{ accountNumber: 'needs 9 digits' }, { accountNumber: 'needs 9 digits' }],
		[{ accountNumber: 'AB12' }, { accountNumber: '••••' }],
		[{ accountNumber: '123456 of Wells Fargo' }, { accountNumber: '••••argo' }],
		[{ accountNumber: 'is missing' }, { accountNumber: 'is missing' }],
		[
			{ accountNumber: true, cvc: false },
			{ accountNumber: true, cvc: false },
		],
		// A name and a value.
		[
			{ name: 'cvc', value: '' },
			{ name: 'cvc', value: '' },
		],
		[
			{ name: 'cvc', value: null },
			{ name: 'cvc', value: null },
		],
		[
			{ name: 'cvc', value: 'cvc', text: 7 },
			{ name: 'cvc', value: 'cvc' },
		],
		[
			{ name: 'cvc', amount: 7 },
			{ name: 'cvc', amount: 7 },
		],
		[
			{ note: 'cvc', value: 7 },
			{ note: 'cvc', value: 7 },
		],
		[
			{ a: { b: { name: 'cvc' } }, value: 7 },
			{ a: { b: { name: 'cvc' } }, value: 7 },
		],
		[{ name: 'cvc', value: { a: [7] } }, { name: 'cvc' }],
		[
			{ name: 'iban', value: { a: [7] } },
			{ name: 'iban', value: '••••' },
		],
		[
			{ name: 'amount', key: 'cvc', value: 7 },
			{ name: 'amount', key: 'cvc' },
		],
		// A list of them.
		[
			['cvc', 123, '456'],
			['cvc', '••••', '456'],
		],
		[
			['cvc', 'code', 'cvc', ['123']],
			['cvc', 'code', 'cvc', ['123']],
		],
		[
			['cardToken', 'tok_1', 'iban', 12345678],
			['cardToken', 'tok_1', 'iban', '••••5678'],
		],
		[
			['123', 'cvc'],
			['123', 'cvc'],
		],
		// In parts.
		[{ account: { data: [{ no: '12345678' }] } }, { account: { data: [{ no: '••••5678' }] } }],
		[{ account: { x: { number: '12345678' } } }, { account: { x: { number: '12345678' } } }],
		[{ security: { value: { code: '123', a: 1 } } }, { security: { value: { a: 1 } } }],
		[
			{ card: { code: '123' }, number: '12345678' },
			{ card: { code: '123' }, number: '12345678' },
		],
		// An address that people follow is left alone, another is read.
		[{ url: 'https://x/?cvc=123' }, { url: 'https://x/?cvc=123' }],
		[{ returnUrl: 'https://x/?cvc=123' }, { returnUrl: 'https://x/?cvc=••••' }],
	])('%j leaves as %j', (value, left) => {
		expect(mask.value(value)).toEqual(left);
		expect(mask.value([{ deep: value }])).toEqual([{ deep: left }]);
		expect(mask.value(value, true)).toEqual(value);
	});

	test('a number that holds what was sent is hidden, and a small one is a figure', () => {
		const knows = createMask(['90011', '900112233']).knowing({ cvc: '737', iban: '1234567' });
		expect(
			knows.value([737, 90011, 900112233, 1234567, -1234567, 12345678, 19.737, 1e21, Number.NaN]),
		).toEqual([737, 90011, '••••', '••••4567', '-••••4567', 12345678, 19.737, 1e21, Number.NaN]);
		expect(knows.value({ id: 1234567, customerID: 900112233 })).toEqual({
			id: 1234567,
			customerID: '••••',
		});
	});

	test('what was typed is hidden whole, and where it names a secret', () => {
		expect(
			mask.typed({
				...{ cardToken: 'tok', cvc: { a: 1 }, iban: ['1'], hasCvc: true, cvv: false },
				...{ notes: 'my card token is tok', more: ['={{ $json.cvc }}', 'text', '', 7] },
				...{ list: ['url', 'accountNumber', 'url'], card: '12345678' },
			}),
		).toEqual({
			...{ cardToken: '••••', cvc: '••••', iban: '••••', hasCvc: true, cvv: false },
			...{ notes: '••••', more: ['••••', 'text', '', 7] },
			...{ list: ['url', '••••', 'url'], card: '••••5678' },
		});
	});

	test('an object without fields stays what it is, beside what is masked', () => {
		const date = new Date(0);
		const left = mask.value({ date, empty: {}, none: [], cvc: 1, nested: [[], {}, [date]] });
		expect(left).toEqual({ date, empty: {}, none: [], nested: [[], {}, [date]] });
		expect(left.date).toBe(date);
	});

	test('what is masked is a copy, and what came stays as it was', () => {
		const row = { a: [{ cvc: '123', b: [{ iban: 'DE89370400440532' }, 1] }], c: { d: 2 } };
		const before = structuredClone(row);
		expect(mask.value(row)).toEqual({ a: [{ b: [{ iban: '••••0532' }, 1] }], c: { d: 2 } });
		expect(row).toEqual(before);
	});

	test('what was masked once is not searched again', () => {
		let looks = 0;
		const row = {
			get a() {
				looks++;
				return 'text';
			},
		};
		for (const reveal of [false, true, false]) expect(mask.value(row, reveal)).toBe(row);
		expect(looks).toBe(1);
	});

	test('a request that holds no secret needs no mask of its own', () => {
		expect(mask.knowing({ amount: 1999, note: 'cvc', card: {} })).toBe(mask);
	});
});
