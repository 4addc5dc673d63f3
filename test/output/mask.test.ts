import fc from 'fast-check';

import { createMask } from '../../nodes/PaymentsGateway/output/mask';
import { redactNode } from '../../nodes/PaymentsGateway/output/redactNode';
import * as secrets from '../reliability/secrets';

/** What is secret by its name or its value is masked; that nothing else is, harmless.test.ts shows. */

const { ACCOUNT_NAMES, CODE_NAMES, PLACES, SPELLINGS, foundIn, standingIn } = secrets;
const HEADER = 'hdr_9f/Kq+2"x\\y==';
const PRIVATE = 'prv-71c0ffee';
const ACCOUNT = '000123456789';
const mask = createMask([HEADER, PRIVATE]);
const RUNS = Number(process.env.MASKED_NUMBERS ?? 300);

describe('by its name', () => {
	describe.each(Object.entries(PLACES))('in %s', (_, within) => {
		test('an account is cut to its last four, under each of its names', () => {
			for (const name of ACCOUNT_NAMES) {
				const value = within(name, ACCOUNT);
				const left = mask.value(value);
				expect([name, foundIn(left, ['123456789'])]).toEqual([name, []]);
				expect([name, standingIn(left, ['••••6789'])]).toEqual([name, ['••••6789']]);
				expect(standingIn(mask.value(value, true), ['123456789'])).toHaveLength(1);
				// Lists are masked page by page, and once more when all is there.
				expect(mask.value(left)).toBe(left);
			}
		});

		test('a security code or a sent token does not leave, under each of its names', () => {
			for (const name of CODE_NAMES) {
				const value = within(name, '7370');
				expect([name, foundIn(mask.value(value), ['7370', name])]).toEqual([name, []]);
				expect(standingIn(mask.value(value, true), ['7370'])).toHaveLength(1);
			}
		});
	});

	const nothing = { accountNumber: null, iban: '', pan: undefined, list: [null] };
	test.each<[string, unknown, unknown]>([
		['a card', { card: { number: '4111 1111-1111 1111' } }, { card: { number: '••••1111' } }],
		['one of a list', { cards: [{ number: '41111111' }] }, { cards: [{ number: '••••1111' }] }],
		['what is cut', { accountNumber: 'XXXXXXXX6789' }, { accountNumber: 'XXXXXXXX6789' }],
		['nothing', nothing, nothing],
		['a token too', { accountNumber: '12345 ' + PRIVATE }, { accountNumber: '••••2345' }],
		['any code', { cvc: null, cvv: true, a: 1 }, { a: 1 }],
		['no metadata', { metadata: { csc: [1] }, cvc: '1' }, { metadata: { csc: [1] } }],
		['below half a name', { account: { code: { cvc: '1' } } }, { account: { code: {} } }],
		[
			'pieces of JSON',
			'[402] "To" {"iban":"00012345"} {"cvv":1} ]',
			'[402] "To" {"iban":"••••2345"} {} ]',
		],
		['JSON in lines', '{"cvc":1,"a":"}\\""}\n{"cvc":2}\n', '{"a":"}\\""}\n{}\n'],
		['JSON within an open bracket', '[ERROR {"cvc":1,"a":2}', '[ERROR {"a":2}'],
		['JSON that was encoded', '"{\\"cvc\\":1}" ', '"{}" '],
	])('masks %s: %j', (_, value, left) => {
		expect(mask.value(value)).toEqual(left);
		expect(mask.value([{ deep: value }])).toEqual([{ deep: left }]);
	});

	test('also in the payload of an event that broke off', () => {
		const broken =
			'{"a":{"iban":"DE00012345","cvc" : "123","id":1,"account_no":9876543,"pan":"4111112';
		const left =
			'{"a":{"iban":"••••2345","cvc" : "••••","id":1,"account_no":••••6543,"pan":"••••1112';
		const encoded = (words: string) => JSON.stringify(words).slice(0, -1);
		for (const spelled of [String, encoded]) {
			const payload = spelled(broken);
			expect(mask.value([{ payload }])).toEqual([{ payload: spelled(left) }]);
			expect(mask.value({ payload }, true)).toEqual({ payload });
		}
	});

	test('what is masked is a copy, and what came stays as it was; all else is no copy', () => {
		const other = { c: { d: [2] }, date: new Date(0), empty: {}, __proto__: null };
		const row = { a: [{ cvc: '123', b: [{ iban: 'DE89370400440532' }, 1] }], other };
		const before = structuredClone(row);
		const left = mask.value(row);
		expect(left).toEqual({ a: [{ b: [{ iban: '••••0532' }, 1] }], other });
		expect(left.other).toBe(other);
		expect(row).toEqual(before);
		const hostile: unknown = JSON.parse('{"__proto__":{"cvc":"1","a":1}}');
		expect(JSON.stringify(mask.value(hostile))).toBe('{"__proto__":{"a":1}}');
	});
});

describe('a token', () => {
	test('never leaves, whatever signs it has and however it is spelled and nested', () => {
		const token = fc.oneof(
			fc.constantFrom(HEADER, 'a b&c=d<e>f;g%41h', '-._~!*()', '900112233445566'),
			fc
				.array(fc.constantFrom(...'abcXYZ0189_-.~+/=%&"\\: é'), { minLength: 8, maxLength: 40 })
				.map((signs) => `k${signs.join('')}7z`),
		);
		const spelling = fc.constantFrom(...Object.values(SPELLINGS));
		const layers = ['list', 'field', 'accountNumber', 'metadata', 'name', 'text', 'JSON'];
		const nesting = fc.array(fc.constantFrom(...layers), { maxLength: 4 });
		fc.assert(
			fc.property(token, spelling, nesting, fc.boolean(), (secret, spelled, kinds, reveal) => {
				const nested = kinds.reduce<unknown>((value, kind) => {
					const words = typeof value === 'string' ? value : JSON.stringify(value);
					if (kind === 'list') return [1, value];
					if (kind === 'name') return { [words]: 1 };
					if (kind === 'text') return `is ${words} it?`;
					return kind === 'JSON' ? JSON.stringify({ a: value }) : { id: 'a', [kind]: value };
				}, spelled(secret));
				const left = createMask([secret, PRIVATE]).value(nested, reveal);
				expect(foundIn(left, [secret, spelled(secret)])).toEqual([]);
			}),
			{ numRuns: RUNS },
		);
	});

	test.each<[string, string[], unknown, unknown]>([
		['also as a number', ['90011223'], { a: 90011223, b: 9 }, { a: '••••', b: 9 }],
		['whole', ['abcdefgh', 'abcdefghij'], 'abcdefghij abcdefgh', '•••• ••••'],
		['in a form', ['a b&c=d+e'], 'token=a+b%26c%3Dd%2Be', 'token=••••'],
		['in JSON by its codes', ['a&b&c&d&e'], 'a\\u0026b\\u0026c\\u0026d\\u0026e', '••••'],
		['not where it has other signs', ['a&b&c&d&e'], 'a+b+c+d+e', 'a+b+c+d+e'],
		['without the sign before it', ['abcdefgh'], 'C:\\abcdefgh', 'C:\\••••'],
		['in the name of a field', [PRIVATE], { [`x ${PRIVATE} y`]: null }, { 'x •••• y': null }],
		['not where it is a short word', ['', 'test', 'sandbox'], 'test.com/latest', 'test.com/latest'],
	])('is masked %s', (_, tokens, value, left) => {
		for (const reveal of [false, true])
			expect(createMask(tokens).value(value, reveal)).toEqual(left);
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
	const knowing = mask.knowing(sent);

	test.each([
		['No 000123456789, (123456789), 21000021', 'No ••••6789, (••••6789), ••••0021'],
		['737 and 4711', '•••• and ••••'],
		["'21000021-000123456789', acct_000123456789", "'••••0021-••••6789', acct_••••6789"],
		['a=%7B%22b%22%3A%22737%22%7D', 'a=%7B%22b%22%3A%22••••%22%7D'],
		['tok_visa/4242, tok_visa%2F4242, tok_visa\\/4242', '••••, ••••, ••••'],
	])('is not in an error: %s', (words, left) => {
		expect(knowing.text(words)).toBe(left);
	});

	test('does not hide what only looks like it, nor what stood in metadata', () => {
		const words =
			'Order 7370 or 00737 of INV-737, 1000123456789, a737, 12, gp-1, 08/29, 55512345, null';
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

	test.each(['=', 'x'])('may be as long as it likes, and so may a token: of %s', (sign) => {
		for (const length of [2_000, 2_001, 100_000]) {
			const long = sign.repeat(length);
			for (const knows of [createMask([long]), mask.knowing({ cardToken: long })]) {
				expect(knows.text(`Bad: ${long}`)).toBe('Bad: ••••');
				expect(knows.text(`Bad: ${encodeURIComponent(long)}`)).toBe('Bad: ••••');
				// Known by its beginning, a very long one takes along what follows.
				const after = length > 2_000 ? '' : ' (400)';
				expect(knows.text(`Bad: ${long} (400)`)).toBe(`Bad: ••••${after}`);
				expect(knows.text(`Bad: ${sign.repeat(100)}`)).toBe(`Bad: ${sign.repeat(100)}`);
			}
		}
	});
});

test("an error's node is the node without what was typed under a sensitive name", () => {
	const position: [number, number] = [0, 0];
	const node = {
		...{ id: '1', name: 'Payments Gateway', type: 'paymentsGateway', typeVersion: 1, position },
		parameters: {
			card: { details: { cardToken: '={{ "tok_" + "visa" }}', cvc: 737, expiryDate: '08/29' } },
			ach: { details: [{ accountNumber: '={{ "00012345" }}', iban: [ACCOUNT] }] },
			lineItemsJson: `[{"cvc": "737", "note": "${PRIVATE}"}]`,
		},
	};
	const parameters = {
		card: { details: { expiryDate: '08/29' } },
		ach: { details: [{ accountNumber: '••••2345', iban: ['••••6789'] }] },
		lineItemsJson: '[{"note":"••••"}]',
	};
	expect(redactNode(node, mask)).toEqual({ ...node, parameters });
	expect(JSON.stringify(redactNode(node))).toContain(PRIVATE);
	expect(node.parameters.card.details.cvc).toBe(737);
});

describe('what is nested deep', () => {
	const nested = (inner: unknown, depth: number) => {
		let value = inner;
		for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value };
		return value;
	};
	const secret = { accountNumber: ACCOUNT, cvc: '737', note: PRIVATE };
	const shown = (reveal: boolean) =>
		reveal ? { ...secret, note: '••••' } : { accountNumber: '••••6789', note: '••••' };
	const cut = '(nested too deep to be shown)';

	test.each([998, 3_000, 100_000])('leaves without its secrets, or cut: %i', (depth) => {
		for (const reveal of [false, true]) {
			const left = JSON.stringify(mask.value({ deep: nested(secret, depth) }, reveal));
			expect(left).toContain(depth < 1_000 ? JSON.stringify(shown(reveal)) : cut);
			expect(standingIn(left, [PRIVATE])).toEqual([]);
		}
		// An error does not fail for it, and what is not too deep is known again.
		const masked = mask.knowing(nested(secret, depth)).text('code 737');
		expect(masked).toBe(depth < 1_000 ? 'code ••••' : 'code 737');
	});

	test.each([900, 3_000, 10_000])('leaves without its secrets as JSON in text: %i', (depth) => {
		const left = mask.text(`${'['.repeat(depth)}${JSON.stringify(secret)}${']'.repeat(depth)}`);
		expect(foundIn(left, ['123456789', '737', PRIVATE])).toEqual([]);
		expect(left).toContain(depth < 1_000 ? JSON.stringify(shown(false)) : cut);
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
