import fc from 'fast-check';

import { Limiter } from '../../nodes/PaymentsGateway/gateway/limiter';
import { seeded } from '../seed';
import {
	refusal,
	sendAll,
	SimulatedClock,
	unlimited,
	withConcurrency,
	withMostAtOnce,
	withRate,
} from './rateLimitedGateways';

/**
 * How long a run of many requests takes, divided by the least time: that of a client that knows the
 * limit. For 400 requests at 50 a second with a burst of 10, that is (400 − 10) ÷ 50 = 7.8 s.
 *
 * No gateway here is the one that the limiter was made for; it must do well with all of them. Do not
 * tune the limiter to one: what helps with one gateway costs time with another.
 */

type MakeGateway = ReturnType<typeof unlimited>;

async function run(makeGateway: MakeGateway, requests: number) {
	const clock = new SimulatedClock();
	return await clock.run(sendAll(clock, new Limiter(clock), makeGateway(clock), requests));
}

const random = seeded(7);
const jitter = () => 5 + 30 * random();
const rate = (perSecond: number, burst: number, refused?: ReturnType<typeof refusal>) =>
	withRate(() => ({ perSecond, burst }), refused);
const atOnce = (most: number, latency?: () => number) => withMostAtOnce(() => most, latency);
/** `before` for `firstMs` milliseconds, `after` from then on. */
const changing =
	<T>(firstMs: number, before: T, after: T) =>
	(ms: number) =>
		ms < firstMs ? before : after;
const RATE_25 = { perSecond: 25, burst: 10 };
const RATE_100 = { perSecond: 100, burst: 10 };
const rate100Then25 = withRate(changing(10_000, RATE_100, RATE_25));
const rate25Then100 = withRate(changing(10_000, RATE_25, RATE_100));

// At best, a slot of "n at once" serves one request in 21 ms.
test.each<[string, number, leastMs: number, factor: number, mostRefused: number, MakeGateway]>([
	['answers every request', 500, 160, 1.35, 0, unlimited()],
	['processes 8 at a time and queues the rest', 500, 2_520, 1.1, 0, withConcurrency(8)],
	['processes 1 at a time and queues the rest', 100, 4_000, 1.1, 0, withConcurrency(1)],
	['takes 50 a second, with Retry-After', 400, 7_800, 1.35, 40, rate(50, 10)],
	['takes 50 a second, without Retry-After', 400, 7_800, 1.3, 40, rate(50, 10, refusal())],
	['takes 50 a second, for a minute', 3_000, 59_800, 1.2, 60, rate(50, 10)],
	['takes 10 at once', 500, 1_050, 1.8, 50, atOnce(10)],
	['takes 10 at once, now quicker, now slower', 500, 1_050, 1.8, 50, atOnce(10, jitter)],
	['takes 1 at once', 40, 840, 2.5, 20, atOnce(1)],
	['takes 100 a second, later 25', 1_500, 29_600, 1.7, 60, rate100Then25],
	['takes 25 a second, later 100', 1_500, 22_400, 2.3, 60, rate25Then100],
	['takes 30 at once, later 5', 2_000, 3_400, 3.5, 120, withMostAtOnce(changing(1_000, 30, 5))],
	['takes 5 at once, later 30', 2_000, 2_200, 2, 120, withMostAtOnce(changing(1_000, 5, 30))],
])(
	'a gateway that %s answers %i requests (%i ms at best) in at most %f times that time, with at most %i refusals',
	async (_, requests, leastMs, factor, mostRefused, makeGateway) => {
		const { ms, failed, refusedAt, maxInFlight } = await run(makeGateway, requests);
		expect(failed).toBe(0);
		expect(refusedAt.length).toBeLessThanOrEqual(mostRefused);
		expect(maxInFlight).toBeLessThanOrEqual(64);
		expect(ms / leastMs).toBeLessThanOrEqual(factor);
	},
);

test('36 other limits take at most 1.4 times the least time on average, and each at most 1.7 times', async () => {
	const LEAST_SECONDS = 20;
	const factors: number[] = [];
	for (const perSecond of [5, 20, 100, 400]) {
		for (const burst of [perSecond / 5, Math.ceil(perSecond / 2), perSecond]) {
			for (const refused of [refusal(), refusal(1_000), refusal(2_000)]) {
				const requests = burst + LEAST_SECONDS * perSecond;
				const { ms, failed } = await run(rate(perSecond, burst, refused), requests);
				expect(failed).toBe(0);
				factors.push(ms / 1_000 / LEAST_SECONDS);
			}
		}
	}
	expect(factors).toHaveLength(36);
	expect(factors.reduce((sum, factor) => sum + factor, 0) / 36).toBeLessThanOrEqual(1.4);
	expect(Math.max(...factors)).toBeLessThanOrEqual(1.7);
}, 120_000);

test('an idle hour does not count towards the measured rate', async () => {
	const clock = new SimulatedClock();
	const limiter = new Limiter(clock);
	await clock.run(sendAll(clock, limiter, unlimited()(clock), 5));
	await clock.run(clock.sleep(3_600_000));
	const { ms } = await clock.run(sendAll(clock, limiter, rate(50, 10)(clock), 400));
	expect(ms / 7_800).toBeLessThanOrEqual(1.35);
});

test('under a random limit, every request succeeds within five tries', async () => {
	const limits = fc.record({
		perSecond: fc.integer({ min: 5, max: 300 }),
		burst: fc.integer({ min: 1, max: 100 }),
		most: fc.integer({ min: 1, max: 80 }),
		latency: fc.integer({ min: 5, max: 300 }),
		retryAfterMs: fc.constantFrom(undefined, 0, 1_000, 3_000),
	});
	await fc.assert(
		fc.asyncProperty(limits, async ({ perSecond, burst, most, latency, retryAfterMs }) => {
			const byRate = withRate(() => ({ perSecond, burst }), refusal(retryAfterMs), latency);
			expect((await run(byRate, 150)).failed).toBe(0);
			const byNumber = atOnce(most, () => latency);
			expect((await run(byNumber, 150)).failed).toBe(0);
		}),
		{ numRuns: Number(process.env.RANDOM_LIMITS ?? 30) },
	);
});
