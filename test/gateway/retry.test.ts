import type { FailedTry } from '../../nodes/PaymentsGateway/gateway/retry';
import {
	nextTry,
	readRetryAfter,
	wasNotCarriedOut,
} from '../../nodes/PaymentsGateway/gateway/retry';
import type { Effect } from '../../nodes/PaymentsGateway/wire';

const half = () => 0.5;

// What came back, whether a read and whether a write is sent again.
test.each<[FailedTry, boolean, boolean]>([
	[{ status: 429 }, true, true],
	[{ status: 500 }, true, false],
	[{ status: 503 }, true, false],
	[{ status: 503, retryAfterMs: 0 }, true, false],
	[{ status: 499 }, false, false],
	[{ status: 302 }, false, false],
	[{ code: 'ETIMEDOUT' }, true, false],
	[{ unsent: true }, false, false],
	[{ status: 429, unsent: true, retryAfterMs: 0 }, false, false],
	[{ code: 'ECONNREFUSED' }, true, true],
	[{ code: 'ENOTFOUND' }, true, true],
	[{ code: 'EAI_AGAIN' }, true, true],
	[{ code: 'ERR_CANCELED' }, false, false],
])('after %j: read again %p, written again %p, never charged again', (failed, read, write) => {
	expect(nextTry('read', failed, 1, half) !== undefined).toBe(read);
	expect(nextTry('write', failed, 1, half) !== undefined).toBe(write);
	expect(nextTry('charge', failed, 1, half)).toBeUndefined();
	const tries = failed.status === 429 ? 5 : 3;
	expect(nextTry('read', failed, tries - 1, half) !== undefined).toBe(read);
	expect(nextTry('read', failed, tries, half)).toBeUndefined();
});

const CHARGE_REFUSALS = [400, 401, 402, 403, 404, 405, 422, 429];
const statuses = [200, 302, 408, 409, 499, 500, ...CHARGE_REFUSALS];

test('fewer statuses refuse a charge than refuse a write, unless that is told to have failed', () => {
	const refusing = (effect: Effect, isToldFailed = false) =>
		statuses.filter((status) => wasNotCarriedOut(effect, { status, isToldFailed }));
	expect(refusing('charge', true)).toEqual(CHARGE_REFUSALS);
	expect(refusing('write')).toEqual([409, 499, ...CHARGE_REFUSALS]);
	expect(refusing('write', true)).toEqual(statuses);
	expect(wasNotCarriedOut('charge', { code: 'ECONNREFUSED' })).toBe(true);
	expect(wasNotCarriedOut('charge', { unsent: true })).toBe(true);
	expect(wasNotCarriedOut('charge', { code: 'ETIMEDOUT' })).toBe(false);
});

// Service model, 10.
test.each<[string, readonly number[]]>([
	['CAPTURED', []],
	...['DECLINED', 'failed', 'REFUSED', 'REJECTED', 'VOIDED'].map((status): [string, number[]] => [
		status,
		[200, ...CHARGE_REFUSALS],
	]),
	['PENDING', CHARGE_REFUSALS],
	['', CHARGE_REFUSALS],
])('a charge that is answered as %j is refused with %j', (said, refusing) => {
	const payment = { transactionID: 'tx_1', status: said };
	const refused = statuses.filter((status) => wasNotCarriedOut('charge', { status, payment }));
	expect(refused).toEqual(refusing);
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
