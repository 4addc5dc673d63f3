import { checkedEmail } from '../../nodes/PaymentsGateway/form/email';
import { emailKey } from '../../nodes/PaymentsGateway/wire/email';

test.each([
	[' Ada@Example.com ', 'ada@example.com', true],
	['REN\u00c9@example.com', 'ren\u00e9@example.com', true],
	['ada.b@example.com', 'adab@example.com', false],
])('%j and %j are one email: %p', (one, other, isSame) => {
	expect(emailKey(one) === emailKey(other)).toBe(isSame);
});

const check = (typed: string) => checkedEmail(typed, (words) => new Error(words) as never);

test.each([
	['ada@example.com', 'ada@example.com'],
	[' Ada.Lovelace+x@Example.co.uk ', 'Ada.Lovelace+x@Example.co.uk'],
	['zoé@exämple.de', 'zoé@exämple.de'],
])('%j is the email %s', (typed, email) => {
	expect(check(typed)).toBe(email);
});

test.each([
	...['n/a', 'unknown', '@', 'ada@', '@example.com', 'a@b@c', 'a b@c.de', 'a@b c', 'a\u00a0@b'],
	...['a@b,c@d', 'a@b;', 'Ada <ada@x.com>'],
])('%j is refused by the name of the field', (typed) => {
	expect(() => check(typed)).toThrow(/^'Email' takes one email address/);
	expect(() => check(typed)).toThrow(`not "${typed}"`);
});

test('blanks alone are no email', () => {
	expect(() => check('  ')).toThrow("'Email' is empty");
});
