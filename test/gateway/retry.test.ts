import type { FailedTry } from '../../nodes/PaymentsGateway/gateway/retry';
import {
	readRetryAfter,
	retryDelayMs,
	wasNotCarriedOut,
} from '../../nodes/PaymentsGateway/gateway/retry';

// What an answer to a charge means: test/resources/payment/charge.answer.test.ts.
test.each<[FailedTry, read: boolean, write: boolean, notCharged: boolean]>([
	[{ status: 429 }, true, true, true],
	[{ status: 500 }, true, false, false],
	[{ status: 503 }, true, false, false],
	[{ status: 503, retryAfterMs: 0 }, true, false, false],
	[{ status: 499 }, false, false, false],
	[{ status: 302 }, false, false, false],
	[{ code: 'ETIMEDOUT' }, true, false, false],
	[{ unsent: true }, false, false, true],
	[{ status: 429, unsent: true, retryAfterMs: 0 }, false, false, true],
	[{ code: 'ECONNREFUSED' }, true, true, true],
	[{ code: 'ENOTFOUND' }, true, true, true],
	[{ code: 'EAI_AGAIN' }, true, true, true],
	[{ code: 'ERR_CANCELED' }, false, false, false],
])(
	'after %j: read again %p, written again %p, certainly not charged %p',
	(failed, read, write, notCharged) => {
		expect(retryDelayMs('read', failed, 1) !== undefined).toBe(read);
		expect(retryDelayMs('write', failed, 1) !== undefined).toBe(write);
		expect(retryDelayMs('charge', failed, 1)).toBeUndefined();
		expect(wasNotCarriedOut('charge', failed)).toBe(notCharged);
		const mostTries = failed.status === 429 ? 5 : 3;
		expect(retryDelayMs('read', failed, mostTries - 1) !== undefined).toBe(read);
		expect(retryDelayMs('read', failed, mostTries)).toBeUndefined();
	},
);

test.each<[FailedTry, number, number, number | undefined]>([
	// A random delay from zero to a bound that doubles with each try.
	[{ status: 500 }, 1, 0, 0],
	[{ status: 500 }, 1, 0.5, 400],
	[{ status: 500 }, 2, 1, 1_600],
	// The limiter spaces these: as long as the gateway asks for, but no longer than a minute.
	[{ status: 429 }, 2, 1, 0],
	[{ status: 503, retryAfterMs: 0 }, 1, 1, 0],
	[{ status: 429, retryAfterMs: 2_000 }, 1, 1, 2_000],
	[{ status: 503, retryAfterMs: 60_000 }, 1, 0, 60_000],
	[{ status: 503, retryAfterMs: 60_001 }, 1, 0, undefined],
])('after %j, try %i, with %d at random, the delay is %s ms', (failed, tries, random, delayMs) => {
	jest.spyOn(Math, 'random').mockReturnValue(random);
	expect(retryDelayMs('read', failed, tries)).toBe(delayMs);
});

const now = Date.parse('2026-03-01T12:00:00Z');
test.each([
	['2', 2_000],
	[' 0 ', 0],
	['1.5', 1_500],
	[3, 3_000],
	['Sun, 01 Mar 2026 12:00:05 GMT', 5_000],
	['Sun, 01 Mar 2026 11:00:00 GMT', 0],
	['soon', undefined],
	[['1'], undefined],
])('Retry-After %j is %s ms', (header, wait) => {
	expect(readRetryAfter(header, now)).toBe(wait);
});
