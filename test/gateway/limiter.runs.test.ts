import fc from 'fast-check';

import { Limiter } from '../../nodes/PaymentsGateway/gateway/limiter';
import { seeded } from '../seed';
import type { Gateway, RateLimit } from './rateLimitedGateways';
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

type MakeGateway = (clock: SimulatedClock) => Gateway;

async function run(makeGateway: MakeGateway, requests: number) {
	const clock = new SimulatedClock();
	const gateway = makeGateway(clock);
	return await clock.run(sendAll(clock, new Limiter(clock), gateway, requests));
}

const always =
	<T>(value: T) =>
	() =>
		value;
const random = seeded(7);
const jitter = () => 5 + 30 * random();
const second = refusal(1_000);
const RATE_25 = { perSecond: 25, burst: 10 };
const RATE_100 = { perSecond: 100, burst: 10 };
/** `before` for `ms` milliseconds, `after` from then on. */
const changing = <T>(clock: SimulatedClock, ms: number, before: T, after: T) => {
	const startedAt = clock.now();
	return () => (clock.now() < startedAt + ms ? before : after);
};
const rate =
	(perSecond: number, burst: number, refused = second): MakeGateway =>
	(clock) =>
		withRate(clock, always<RateLimit>({ perSecond, burst }), refused);
const queued =
	(concurrency: number): MakeGateway =>
	(clock) =>
		withConcurrency(clock, concurrency, 40);
const atOnce =
	(most: number, latency: () => number): MakeGateway =>
	(clock) =>
		withMostAtOnce(clock, always(most), latency);
const changingRate =
	(before: RateLimit, after: RateLimit): MakeGateway =>
	(clock) =>
		withRate(clock, changing(clock, 10_000, before, after), second);
const changingAtOnce =
	(before: number, after: number): MakeGateway =>
	(clock) =>
		withMostAtOnce(clock, changing(clock, 1_000, before, after), always(20));

// At best, a slot of "n at once" serves one request in 21 ms.
test.each<[string, number, leastMs: number, factor: number, mostRefused: number, MakeGateway]>([
	['answers every request', 500, 160, 1.35, 0, (clock) => unlimited(clock, always(20))],
	['processes 8 at a time and queues the rest', 500, 2_520, 1.1, 0, queued(8)],
	['processes 1 at a time and queues the rest', 100, 4_000, 1.1, 0, queued(1)],
	['takes 50 a second, with Retry-After', 400, 7_800, 1.35, 40, rate(50, 10)],
	['takes 50 a second, without Retry-After', 400, 7_800, 1.3, 40, rate(50, 10, refusal())],
	['takes 50 a second, for a minute', 3_000, 59_800, 1.2, 60, rate(50, 10)],
	['takes 10 at once', 500, 1_050, 1.8, 50, atOnce(10, always(20))],
	['takes 10 at once, now quicker, now slower', 500, 1_050, 1.8, 50, atOnce(10, jitter)],
	['takes 1 at once', 40, 840, 2.5, 20, atOnce(1, always(20))],
	['takes 100 a second, later 25', 1_500, 29_600, 1.7, 60, changingRate(RATE_100, RATE_25)],
	['takes 25 a second, later 100', 1_500, 22_400, 2.3, 60, changingRate(RATE_25, RATE_100)],
	['takes 30 at once, later 5', 2_000, 3_400, 3.5, 120, changingAtOnce(30, 5)],
	['takes 5 at once, later 30', 2_000, 2_200, 2, 120, changingAtOnce(5, 30)],
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
	await clock.run(sendAll(clock, limiter, unlimited(clock, always(20)), 5));
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
			const refused = refusal(retryAfterMs);
			const byRate: MakeGateway = (clock) =>
				withRate(clock, always({ perSecond, burst }), refused, latency);
			expect((await run(byRate, 150)).failed).toBe(0);
			expect((await run(atOnce(most, always(latency)), 150)).failed).toBe(0);
		}),
		{ numRuns: Number(process.env.RANDOM_LIMITS ?? 30) },
	);
});
