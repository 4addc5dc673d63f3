import { eventType } from '../../nodes/PaymentsGateway/wire/event';
import { momentOf } from '../../nodes/PaymentsGateway/wire/moment';

test.each([
	[' payment.refund ', 'payment_refund'],
	['payment_failed', 'payment_failed'],
	['Dispute-Opened', 'Dispute-Opened'],
	[undefined, ''],
])('the type %j is %j', (type, name) => {
	expect(eventType(type)).toBe(name);
});

test.each([
	// Without a zone it is the clock of the gateway.
	['2026-03-01T12:00:00', '2026-03-01T12:00:00.000Z'],
	['2026-03-01', '2026-03-01T00:00:00.000Z'],
	['2026-03-01 12:00:00.5-0500', '2026-03-01T17:00:00.500Z'],
	['2026-03-01T12:30Z', '2026-03-01T12:30:00.000Z'],
	['2026-03-01T12:00:00.250+02:00', '2026-03-01T10:00:00.250Z'],
	// An offset in hours, a comma and the basic form are ISO 8601, too.
	['2026-03-01 12:00:00.123456+00', '2026-03-01T12:00:00.123Z'],
	['2026-03-01T12:00:00,5-05', '2026-03-01T17:00:00.500Z'],
	['20260301T120000Z', '2026-03-01T12:00:00.000Z'],
	['2026-0301', undefined],
	['2026-03-01T25:00:00Z', undefined],
	['2026-03-01T12:00:00Z, or so', undefined],
	['1772366400', undefined],
	[null, undefined],
])('the date %j is the moment %s', (date, moment) => {
	const found = momentOf(date);
	expect(found === undefined ? undefined : new Date(found).toISOString()).toBe(moment);
});
