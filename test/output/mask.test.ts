import fc from 'fast-check';

import { createMask } from '../../nodes/PaymentsGateway/output/mask';
import { ACCOUNT_NAMES, CODE_NAMES, foundIn, PLACES, SPELLINGS } from '../reliability/secrets';
import { standingIn } from '../reliability/secrets';

/** What is secret by its name or its value is masked; that nothing else is, harmless.test.ts shows. */

const HEADER = 'hdr_9f/Kq+2"x\\y==';
const PRIVATE = 'prv-71c0ffee';
const ACCOUNT = '000123456789';
const mask = createMask([HEADER, PRIVATE]);
const RUNS = Number(process.env.MASKED_NUMBERS ?? 300);

describe('by its name', () => {
	const places = Object.entries(PLACES);

	describe.each(places)('in %s', (_, within) => {
		test('an account is cut to its last four, under each of its names', () => {
			for (const name of ACCOUNT_NAMES) {
				const left = mask.value(within(name, ACCOUNT));
				expect([name, foundIn(left, [ACCOUNT, '123456789'])]).toEqual([name, []]);
				expect([name, standingIn(left, ['••••6789'])]).toEqual([name, ['••••6789']]);
				expect(standingIn(mask.value(within(name, ACCOUNT), true), ['123456789'])).toHaveLength(1);
				// Lists are masked page by page, and once more when all is there.
				expect(mask.value(left)).toBe(left);
			}
		});

		test('a security code or a sent token does not leave, under each of its names', () => {
			for (const name of CODE_NAMES) {
				const left = mask.value(within(name, '7370'));
				expect([name, foundIn(left, ['7370', name])]).toEqual([name, []]);
				expect(standingIn(mask.value(within(name, '7370'), true), ['7370'])).toHaveLength(1);
			}
		});
	});

	test.each<[unknown, unknown]>([
		[{ card: { number: '4111 1111-1111 1111' } }, { card: { number: '••••1111' } }],
		[{ credit_card: { number: 4111111111111111 } }, { credit_card: { number: '••••1111' } }],
		[{ order: { number: '123456789012' } }, { order: { number: '123456789012' } }],
		[{ accountNumber: 'XXXXXXXX6789' }, { accountNumber: 'XXXXXXXX6789' }],
		[{ accountNumber: '6789' }, { accountNumber: '6789' }],
		[{ accountNumber: 'Wells Fargo 000123456789' }, { accountNumber: '••••6789' }],
		[{ iban: 'MT84 MALT 0110 0001 2345 6789' }, { iban: '••••6789' }],
		[{ accountNumber: 'must have 9 digits' }, { accountNumber: 'must have 9 digits' }],
		[
			{ accountNumber: { raw: null }, iban: true },
			{ accountNumber: { raw: null }, iban: true },
		],
		[{ accountNumber: '12345 ' + PRIVATE }, { accountNumber: '••••2345' }],
		[{ cvc: null, cvv: true, a: 1 }, { a: 1 }],
		[{ metadata: { cvc: '123', csc: [1] }, cvc: '123' }, { metadata: { cvc: '123', csc: [1] } }],
		[{ metadata: [`is ${PRIVATE}`] }, { metadata: ['is ••••'] }],
		['{"a":1,"cvc":"737","b":[{"iban":"000123456789"}]}', '{"a":1,"b":[{"iban":"••••6789"}]}'],
		['Refused: {"cvc":737,"a":[1]} (2)', 'Refused: {"a":[1]} (2)'],
		['{"p":"{\\"routingNumber\\":21000021}"}', '{"p":"{\\"routingNumber\\":\\"••••0021\\"}"}'],
		['"{\\"cvc\\":1}" ', '"{}" '],
	])('%j leaves as %j', (value, left) => {
		expect(mask.value(value)).toEqual(left);
		expect(mask.value([{ deep: value }])).toEqual([{ deep: left }]);
	});

	test.each([null, '', undefined])('a number that is %j stays what it is', (nothing) => {
		const value = { accountNumber: nothing, a: [nothing] };
		expect(mask.value(value)).toBe(value);
	});

	test('what is masked is a copy, and what came stays as it was; all else is no copy', () => {
		const other = { c: { d: [2] }, date: new Date(0), empty: {}, __proto__: null };
		const row = { a: [{ cvc: '123', b: [{ iban: 'DE89370400440532' }, 1] }], other };
		const before = structuredClone(row);
		const left = mask.value(row);
		expect(left).toEqual({ a: [{ b: [{ iban: '••••0532' }, 1] }], other });
		expect(left.other).toBe(other);
		expect(row).toEqual(before);
		expect(mask.value(row.a[0]?.b[1])).toBe(1);
	});

	test('a field that is named __proto__ stays a field', () => {
		const hostile: unknown = JSON.parse('{"__proto__":{"cvc":"1","a":1}}');
		expect(JSON.stringify(mask.value(hostile))).toBe('{"__proto__":{"a":1}}');
	});
});

describe('a token', () => {
	const TOKENS = [HEADER, PRIVATE, 'a b&c=d<e>f;g%41h', '-._~!*()', '900112233445566'];
	const carried: Array<[string, (token: string) => unknown]> = [
		['a text', (token) => `Bearer ${token} was refused`],
		['a field', (token) => ({ a: [{ b: token }] })],
		['an account number', (accountNumber) => ({ accountNumber })],
		['metadata', (token) => ({ metadata: { note: `is ${token}` } })],
		['the name of a field', (token) => [{ [`x ${token} y`]: null }]],
		['JSON in a string', (token) => JSON.stringify({ a: JSON.stringify([{ [token]: token }]) })],
	];

	describe.each(Object.entries(SPELLINGS))('%s', (_, spelled) => {
		test.each(carried)('never leaves in %s', (__, within) => {
			const knows = createMask(TOKENS);
			for (const token of TOKENS) {
				for (const reveal of [false, true]) {
					const left = knows.value(within(spelled(token)), reveal);
					expect(foundIn(left, [token, spelled(token)])).toEqual([]);
					expect(JSON.stringify(left)).toContain('••••');
				}
			}
		});
	});

	test('never leaves, whatever signs it has and however it is nested', () => {
		const token = fc
			.array(fc.constantFrom(...'abcXYZ0189_-.~+/=%&"\\: é'), { minLength: 8, maxLength: 40 })
			.map((signs) => `k${signs.join('')}7z`);
		const spelling = fc.constantFrom(...Object.values(SPELLINGS));
		const nesting = fc.array(fc.constantFrom('list', 'field', 'name', 'text', 'JSON'), {
			maxLength: 4,
		});
		fc.assert(
			fc.property(token, spelling, nesting, fc.boolean(), (secret, spelled, layers, reveal) => {
				const nested = layers.reduce<unknown>((value, layer) => {
					const words = typeof value === 'string' ? value : JSON.stringify(value);
					if (layer === 'list') return [1, value];
					if (layer === 'field') return { id: 'a', value };
					if (layer === 'text') return `is ${words} it?`;
					return layer === 'JSON' ? JSON.stringify({ a: value }) : { [words]: 1 };
				}, spelled(secret));
				const left = createMask([secret, PRIVATE]).value(nested, reveal);
				expect(foundIn(left, [secret, spelled(secret)])).toEqual([]);
			}),
			{ numRuns: RUNS },
		);
	});

	test('of digits does not leave as a number', () => {
		const knows = createMask(['900112233445566']);
		expect(knows.value({ a: 900112233445566, b: 9001 })).toEqual({ a: '••••', b: 9001 });
	});

	test('that begins with another leaves nothing of either', () => {
		expect(createMask(['abcdefgh', 'abcdefghijkl']).text('abcdefghijkl abcdefgh')).toBe(
			'•••• ••••',
		);
	});

	test('that is a short word such as test is cut out of nothing', () => {
		const row = { name: 'test', url: 'https://test.example/latest', token: 'test' };
		expect(createMask(['', 'test', 'sandbox']).value(row)).toBe(row);
	});
});

describe('what a request has sent', () => {
	const sent = {
		card: { details: { cardToken: 'tok_visa/4242', cvc: '737', expiryDate: '08/29' } },
		ach: { details: [{ accountNumber: ACCOUNT, routingNumber: 21000021, iban: '4711' }] },
		gpecomm: { details: { id: 'gp-1', cvv: '9911' } },
		metadata: { accountNumber: '55512345' },
		page: { cvc: '', iban: null, csc: '12' },
	};
	const SECRETS = ['737', '123456789', '21000021', '9911', 'tok_visa', 'visa%2F', '4711'];
	const knowing = mask.knowing(sent);

	test.each([
		'The bank does not know 000123456789',
		'As a number: 123456789, (9911)',
		'Got {"a":"000123456789","b":"737"}',
		'Got "{\\"a\\":\\"000123456789\\",\\"b\\":\\"737\\"}"',
		'a=%7B%22a%22%3A%22000123456789%22%2C%22b%22%3A%22737%22%7D',
		'tok_visa/4242 is used up, and so are tok_visa%2F4242 and tok_visa\\/4242',
		'code=737&routing=21000021',
		'4711',
		PRIVATE,
	])('is not in an error: %s', (words) => {
		const masked = knowing.text(words);
		expect(masked).toContain('••••');
		expect(foundIn(masked, [...SECRETS, PRIVATE])).toEqual([]);
	});

	test('is named by its last four', () => {
		expect(knowing.text('No 000123456789, 21000021, 737')).toBe('No ••••6789, ••••0021, ••••');
	});

	test('does not hide what only looks like it, nor what stood in metadata', () => {
		const words = 'Order 7370 of INV-737, 1000123456789, a737, 12, gp-1, 08/29, 55512345, null';
		expect(knowing.text(words)).toBe(words);
	});

	test('never stands in an error, whatever it is and whatever stands around it', () => {
		const value = fc.oneof(
			fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 3, maxLength: 17 }),
			fc.string({ minLength: 3, maxLength: 30 }).filter((words) => words.trim().length > 2),
		);
		const around = fc.constantFrom('', ' ', '"', '\\"', '%22', ':', '=', '(', '\n', '€', '/');
		const name = fc.constantFrom(...ACCOUNT_NAMES, ...CODE_NAMES);
		fc.assert(
			fc.property(value, name, around, around, (secret, field, a, z) => {
				const words = secret.trim();
				const masked = mask.knowing({ form: { [field]: secret } }).text(`${a}${words}${z}`);
				expect(masked).toContain('••••');
				if (/[a-z\d]{3}/i.test(words)) expect(foundIn(masked, [words])).toEqual([]);
			}),
			{ numRuns: RUNS },
		);
	});

	test.each(['=', 'x'])('may be as long as it likes: 100,000 of %s', (sign) => {
		const long = sign.repeat(100_000);
		for (const [length, token] of [
			[2_000, sign.repeat(2_000)] as const,
			[100_000, long] as const,
		]) {
			const said = `Bad: ${token}, ${encodeURIComponent(token)}, {"a":"${token}"}`;
			expect([length, createMask([token]).text(said)]).toEqual([
				length,
				'Bad: ••••, ••••, {"a":"••••"}',
			]);
		}
		expect(createMask([]).knowing({ cardToken: long }).text(`Bad: ${long}`)).toBe('Bad: ••••');
		expect(createMask([long]).text(`Bad: ${sign.repeat(2_000)}`)).toContain(sign.repeat(2_000));
	});

	test('is known however deep it stood', () => {
		let deep: unknown = { cvc: '737' };
		for (let level = 0; level < 400; level++) deep = level % 2 ? [deep] : { deep };
		expect(mask.knowing(deep).text('code 737')).toBe('code ••••');
		for (let level = 0; level < 50_000; level++) deep = level % 2 ? [deep] : { deep };
		expect(mask.knowing(deep).text('code 1')).toBe('code 1');
	});
});

test('what was typed into a node is not shown under a sensitive name, as an expression neither', () => {
	const left = mask.typed({
		resource: 'paymentMethod',
		customerId: { __rl: true, mode: 'id', value: 'cus_1' },
		card: { details: { cardToken: '={{ "tok_" + "visa" }}', cvc: 737, expiryDate: '08/29' } },
		ach: { details: [{ accountNumber: '={{ "000" + 1 }}', routingNumber: '', iban: ['1'] }] },
		gpecomm: { details: { id: 'gp-1', cvv: null } },
		lineItemsJson: `[{"cvc": "737", "note": "${PRIVATE}"}]`,
	});
	expect(left).toEqual({
		resource: 'paymentMethod',
		customerId: { __rl: true, mode: 'id', value: 'cus_1' },
		card: { details: { cardToken: '••••', cvc: '••••', expiryDate: '08/29' } },
		ach: { details: [{ accountNumber: '••••', routingNumber: '', iban: '••••' }] },
		gpecomm: { details: { id: 'gp-1', cvv: null } },
		lineItemsJson: '[{"cvc":"••••","note":"••••"}]',
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
	const secret = { accountNumber: ACCOUNT, cvc: '737', note: PRIVATE };

	test('leaves without its secrets', () => {
		const value = nested(secret, 990);
		expect(innermost(mask.value(value))).toEqual({ accountNumber: '••••6789', note: '••••' });
		expect(innermost(mask.value(value, true))).toEqual({ ...secret, note: '••••' });
	});

	test.each([3_000, 100_000])('leaves cut, %i deep: n8n could not store it', (depth) => {
		for (const reveal of [false, true]) {
			const left = mask.value({ id: 'cus_1', deep: nested(secret, depth) }, reveal);
			expect(left.id).toBe('cus_1');
			expect(innermost(left.deep)).toBe('(nested too deep to be shown)');
			expect(() => JSON.stringify(left)).not.toThrow();
		}
	});

	test.each([900, 3_000, 10_000])('leaves without its secrets as JSON in a string, %i', (depth) => {
		const inner = `{"accountNumber":"${ACCOUNT}","cvc":"737"}`;
		const left = mask.text(`${'['.repeat(depth)}${inner}${']'.repeat(depth)}`);
		expect(foundIn(left, ['123456789', '737'])).toEqual([]);
		if (depth < 1_000) expect(left).toContain('••••6789');
	});

	test('leaves without its secrets as JSON in JSON, eleven times over', () => {
		let text = `{"accountNumber":"${ACCOUNT}"}`;
		for (let time = 0; time < 11; time++) text = JSON.stringify({ a: text });
		expect(foundIn(mask.text(text), ['123456789'])).toEqual([]);
	});
});

test.each(['\\', '{', '[{', '%25', '"', ' ', 'accountNumber', '{"cvc":', '0', '1 ', 'card_no_2'])(
	'a text made to be slow takes no time to speak of: %j',
	(part) => {
		const text = part.repeat(100_000);
		const knowing = createMask(['-"\\/-"\\/']).knowing({ cvc: '\\\\\\', iban: '000000012345' });
		const started = performance.now();
		knowing.text(text);
		mask.value({ [text]: text });
		expect(performance.now() - started).toBeLessThan(5_000);
	},
);
