import type { FailedTry } from '../../nodes/PaymentsGateway/gateway/retry';
import {
	BLOCKED,
	CREDENTIAL_ERROR,
	isRefusal,
	nextTry,
	readRetryAfter,
} from '../../nodes/PaymentsGateway/gateway/retry';
import type { Effect } from '../../nodes/PaymentsGateway/wire';

const half = () => 0.5;

// What came back, whether a read and whether a write is sent again.
test.each<[FailedTry, boolean, boolean]>([
	[{ status: 429 }, true, true],
	[{ status: 500 }, true, false],
	[{ status: 499 }, false, false],
	[{ status: 302 }, false, false],
	[{ code: 'ETIMEDOUT' }, true, false],
	[{ code: 'ETIMEDOUT', unsent: true }, true, true],
	[{ code: 'ECONNREFUSED' }, true, true],
	[{ code: 'ENOTFOUND' }, true, true],
	[{ code: 'EAI_AGAIN' }, true, true],
	[{ code: 'ERR_CANCELED', unsent: true }, false, false],
	[{ code: CREDENTIAL_ERROR }, false, false],
	[{ code: BLOCKED }, false, false],
])('after %j: read again %p, written again %p, never charged again', (failed, read, write) => {
	expect(nextTry('read', failed, 1, half) !== undefined).toBe(read);
	expect(nextTry('write', failed, 1, half) !== undefined).toBe(write);
	expect(nextTry('charge', failed, 1, half)).toBeUndefined();
	const tries = failed.status === 429 ? 5 : 3;
	expect(nextTry('read', failed, tries - 1, half) !== undefined).toBe(read);
	expect(nextTry('read', failed, tries, half)).toBeUndefined();
});

test('fewer statuses refuse a charge than refuse a write, unless that is told to have failed', () => {
	const refusals = [400, 401, 402, 403, 404, 405, 422, 429];
	const statuses = [200, 399, 408, 409, 499, 500, ...refusals];
	const refusing = (effect: Effect, isToldFailed = false) =>
		statuses.filter((status) => isRefusal(effect, { status, isToldFailed }));
	expect(refusing('charge', true)).toEqual(refusals);
	expect(refusing('write')).toEqual([409, 499, ...refusals]);
	expect(refusing('write', true)).toEqual(statuses);
});

test.each<[FailedTry, number, number, number | undefined]>([
	// Longer each time, with full jitter.
	[{ status: 500 }, 1, 0.5, 400],
	[{ status: 500 }, 2, 1, 1_600],
	// The pace spaces these.
	[{ status: 429 }, 2, 1, 0],
	// Never earlier than it says, not all at the same moment, and not beyond a minute.
	[{ status: 503, retryAfterMs: 0 }, 1, 0, 0],
	[{ status: 503, retryAfterMs: 2_000 }, 1, 0, 2_000],
	[{ status: 429, retryAfterMs: 2_000 }, 1, 0.5, 2_200],
	[{ status: 503, retryAfterMs: 60_000 }, 1, 0, 60_000],
	[{ status: 503, retryAfterMs: 60_001 }, 1, 0, undefined],
])('after %j, try %i, with %d at random, it waits %d ms', (failed, tried, random, wait) => {
	expect(nextTry('read', failed, tried, () => random)).toBe(wait);
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
