import { checkedEmail } from '../../nodes/PaymentsGateway/form/email';
import { emailKey } from '../../nodes/PaymentsGateway/wire/email';

test.each([
	['Ada@Example.com', 'ada@example.com', true],
	[' ada@example.com\u200b', 'ada@example.com', true],
	['ren\u0065\u0301@example.com', 'REN\u00c9@example.com', true],
	['stra\u00dfe@example.com', 'strasse@example.com', false],
	['\u0131@example.com', 'i@example.com', false],
	['ada.b@example.com', 'adab@example.com', false],
])('%j and %j are one email: %p', (one, other, isSame) => {
	expect(emailKey(one) === emailKey(other)).toBe(isSame);
});

const check = (typed: string) => checkedEmail(typed, (words) => new Error(words) as never);

test.each([
	['ada@example.com', 'ada@example.com'],
	[' Ada.Lovelace+x@Example.co.uk ', 'Ada.Lovelace+x@Example.co.uk'],
	['\u200eada@exam\u00adple.com\u200b', 'ada@example.com'],
	['zoé@exämple.de', 'zoé@exämple.de'],
])('%j is the email %s', (typed, email) => {
	expect(check(typed)).toBe(email);
});

test.each([
	...['n/a', '@', 'ada@', '@example.com', 'a@b@c', 'a b@c.de', 'a@b c', 'a@b,c@d', 'a@b;'],
	...["'ada@x.com'", 'ada@x.com.', 'ada@x.com/bob', 'ada@x.com?'],
	...['Ada <ada@x.com>', 'a\u00a0@b', 'mailto:ada@x.com', '<ada@x.com>', '"ada@x.com"'],
])('%j is refused by the name of the field', (typed) => {
	expect(() => check(typed)).toThrow(/^'Email' takes one email address/);
	expect(() => check(typed)).toThrow(`not "${typed}"`);
});

test('invisible signs alone are no email', () => {
	expect(() => check('\u200e ')).toThrow("'Email' is empty");
});
