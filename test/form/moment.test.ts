import { tryToParseDateTime } from 'n8n-workflow';

import { readMoment } from '../../nodes/PaymentsGateway/form/moment';

/** Moments as they are typed or given by expressions, in the workflow's timezone. */

const NEW_YORK = 'America/New_York';

test.each<[unknown, string]>([
	['2026-01-31', '2026-01-31T05:00:00.000Z'],
	['2026-01-31T18:00', '2026-01-31T23:00:00.000Z'],
	[' 2026-01-31 18:00:05.1 ', '2026-01-31T23:00:05.100Z'],
	['2026-03-08T02:30', '2026-03-08T07:30:00.000Z'],
	// These say their zone themselves.
	['2026-01-31T18:00Z', '2026-01-31T18:00:00.000Z'],
	['2026-01-31T23:00+01:30', '2026-01-31T21:30:00.000Z'],
	['2026-01-31T23:00-10:00', '2026-02-01T09:00:00.000Z'],
	// A DateTime of n8n, and a Date.
	[tryToParseDateTime('2026-01-31T18:00', 'Europe/Berlin'), '2026-01-31T17:00:00.000Z'],
	[new Date('2026-01-31T17:00:00Z'), '2026-01-31T17:00:00.000Z'],
])('%j in New York is %s', (typed, moment) => {
	expect(readMoment(typed, NEW_YORK)).toBe(moment);
});

test.each([
	['2026-01-31', '2026-02-01T04:59:59.999Z'],
	['2026-01-31T18:00', '2026-01-31T23:00:00.000Z'],
	['2026-02-31', undefined],
])('%j ends at %s where the whole day counts', (typed, moment) => {
	expect(readMoment(typed, NEW_YORK, { endsDay: true })).toBe(moment);
});

test.each<unknown>([
	...['2026-02-29', '2026-02-30', '2026-04-31', '2026-01-00', '2026-13-01'],
	...['2026-1-1', '01/31/2026'],
	...['2026-01-30T24:00', '2026-01-30T18:60', 'now', 'on 2026-01-31', '2026-01-31 or so', ''],
	...[new Date(NaN), { toISO: () => '2026-01-31' }, {}, ['2026-01-31'], null, 1_772_366_400_000],
])('%j is no moment', (typed) => {
	expect(readMoment(typed, NEW_YORK)).toBeUndefined();
});
