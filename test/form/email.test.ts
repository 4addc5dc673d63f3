import { checkedEmail } from '../../nodes/PaymentsGateway/form/email';

const check = (typed: string) => checkedEmail(typed, (words) => new Error(words) as never);

test.each(['Ada.Lovelace+x@Example.co.uk', 'zoé@exämple.de', 'ada@localhost'])(
	'%j is an email',
	(typed) => expect(check(typed)).toBe(typed),
);

test.each([
	...['n/a', 'unknown', '@', 'ada@', '@example.com', 'a@b@c', 'a b@c.de', 'a@b c', 'a@b,c', 'a@b;'],
	...['Ada <ada@x.com>', 'a\u00a0@b'],
])('%j is refused by the name of the field', (typed) => {
	const words = `'Email' takes one email address, such as name@email.com, not "${typed}"`;
	expect(() => check(typed)).toThrow(new Error(words));
});
