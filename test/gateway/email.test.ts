import { sameEmail } from '../../nodes/PaymentsGateway/gateway/email';

test.each([
	['Ada@Example.com', 'ada@example.com', true],
	[' ada@example.com\u200b', 'ada@example.com', true],
	['ren\u0065\u0301@example.com', 'REN\u00c9@example.com', true],
	['stra\u00dfe@example.com', 'strasse@example.com', false],
	['\u0131@example.com', 'i@example.com', false],
	['ada.b@example.com', 'adab@example.com', false],
])('%j and %j are one email: %p', (one, other, isSame) => {
	expect(sameEmail(one) === sameEmail(other)).toBe(isSame);
});
