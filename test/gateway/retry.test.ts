import fc from 'fast-check';

import type { FailedTry } from '../../nodes/PaymentsGateway/gateway/retry';
import {
	BLOCKED,
	CREDENTIAL_ERROR,
	LONGEST_WAIT,
	neverSent,
	nextTry,
	readRetryAfter,
} from '../../nodes/PaymentsGateway/gateway/retry';

const half = () => 0.5;
const repeats = (effect: 'read' | 'write' | 'charge', outcome: FailedTry) =>
	nextTry(effect, outcome, 1, half) !== undefined;

const outcomes: Array<[string, FailedTry, boolean, boolean]> = [
	// what came back, whether a read and whether a write is sent again
	['a limit', { status: 429 }, true, true],
	['500', { status: 500 }, true, false],
	['502', { status: 502 }, true, false],
	['503', { status: 503 }, true, false],
	['504', { status: 504 }, true, false],
	['a timeout', { code: 'ETIMEDOUT' }, true, false],
	['a reset', { code: 'ECONNRESET' }, true, false],
	['a hang-up', { code: 'EPIPE' }, true, false],
	['an unknown network error', {}, true, false],
	['a refused connection', { code: 'ECONNREFUSED' }, true, true],
	['an unknown address', { code: 'ENOTFOUND' }, true, true],
	['an address that cannot be looked up', { code: 'EAI_AGAIN' }, true, true],
	['200 with an odd answer', { status: 200 }, false, false],
	['a redirect', { status: 302 }, false, false],
	['400', { status: 400 }, false, false],
	['401', { status: 401 }, false, false],
	['402', { status: 402 }, false, false],
	['404', { status: 404 }, false, false],
	['422', { status: 422 }, false, false],
	['a cancelled execution', { code: 'ERR_CANCELED' }, false, false],
	['a request that was given up', { code: 'ABORT_ERR' }, false, false],
	['a cancelled execution, before it left', { code: 'ERR_CANCELED', unsent: true }, false, false],
	['a credential that is not complete', { code: CREDENTIAL_ERROR }, false, false],
	['an address that n8n does not let it ask', { code: BLOCKED }, false, false],
];

test.each(outcomes)('after %s: %j, read again %p, written again %p', (_, outcome, read, write) => {
	expect(repeats('read', outcome)).toBe(read);
	expect(repeats('write', outcome)).toBe(write);
	expect(repeats('charge', outcome)).toBe(false);
	const tries = outcome.status === 429 ? 5 : 3;
	expect(nextTry('read', outcome, tries - 1, half) !== undefined).toBe(read);
	expect(nextTry('read', outcome, tries, half)).toBeUndefined();
});

test('what is written again cannot have been carried out', () => {
	for (const [, outcome, , write] of outcomes) {
		if (write) expect(outcome.status === 429 || neverSent(outcome)).toBe(true);
	}
});

test('waits longer each time, with full jitter', () => {
	const waits = (random: () => number) =>
		[1, 2].map((tried) => nextTry('read', { status: 500 }, tried, random));
	expect(waits(() => 0)).toEqual([0, 0]);
	expect(waits(() => 0.5)).toEqual([400, 800]);
	fc.assert(
		fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (random) => {
			const [first = NaN, second = NaN] = waits(() => random);
			expect(first).toBeLessThanOrEqual(800);
			expect(second).toBeLessThanOrEqual(1600);
		}),
	);
});

test('waits as long as Retry-After says, and not beyond a minute', () => {
	const after = (retryAfterMs: number, random = 0) =>
		nextTry('read', { status: 503, retryAfterMs }, 1, () => random);
	expect(after(0)).toBe(0);
	expect(after(2_000)).toBe(2_000);
	expect(after(LONGEST_WAIT)).toBe(60_000);
	expect(after(LONGEST_WAIT + 1)).toBeUndefined();
	// Never earlier, and not all of those that were refused together at the same moment.
	expect(after(2_000, 0.5)).toBe(2_200);
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
	['2 minutes and more', undefined],
	['', undefined],
	[undefined, undefined],
	[['1'], undefined],
])('Retry-After %j is %s ms', (header, wait) => {
	expect(readRetryAfter(header, now)).toBe(wait);
});
