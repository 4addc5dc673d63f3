import type { Pace, PaceOf } from '../../nodes/PaymentsGateway/gateway/pace';
import { createPaces } from '../../nodes/PaymentsGateway/gateway/pace';
import type { Rate, Refusal, Service } from './simulatedService';
import { seeded, VirtualTime, withHands, withMostAtOnce, withRate, work } from './simulatedService';

/** The pace against services with every kind of limit, in virtual time. */

let time: VirtualTime;
let paceOf: PaceOf;
beforeEach(() => {
	time = new VirtualTime();
	paceOf = createPaces(time);
});

const run = async (service: Service, requests: number, pace = paceOf('merchant')) =>
	await time.run(work(time, pace, service, requests));
/** All that may leave at once, of a pace that has learned nothing. */
const full = async (pace: Pace) => await Promise.all([1, 2, 3, 4, 5].map(() => pace.enter()));
const random = seeded(7);
const always = (value: number) => () => value;
/** One thing until so many milliseconds have passed, another after that. */
const later = (ms: number, before: number, after: number) => () =>
	time.now() < ms ? before : after;

/** How long it may take, how many may be refused, and how many may be under way at once. */
function holds(
	name: string,
	requests: number,
	service: () => Service,
	ms: number,
	{ refused = 0, most = 64 } = {},
): void {
	test(`${name}: ${requests} requests`, async () => {
		const seen = await run(service(), requests);
		expect(seen.failed).toBe(0);
		expect(seen.ms).toBeLessThanOrEqual(ms);
		expect(seen.refusals.length).toBeLessThanOrEqual(refused);
		expect(seen.most).toBeLessThanOrEqual(most);
	});
}

const taking = (latency: () => number) => () => withHands(time, latency);
const at20ms = taking(always(20));

describe('a gateway that takes everything', () => {
	const oneInFifty = () => (random() < 0.02 ? 2_000 : 20);
	holds('two seconds, one in fifty', 1_000, taking(oneInFifty), 3_000);
	holds('slower for good', 4_000, taking(later(30, 20, 100)), 8_000);

	test('is asked five at once, and soon 64; a few wait for nothing', async () => {
		expect((await run(at20ms(), 4)).ms).toBe(20);
		const { departures, most, ms } = await run(at20ms(), 500, paceOf('another'));
		expect(departures.filter((at) => at < 40)).toHaveLength(5);
		expect(departures.filter((at) => at < 101).length).toBeGreaterThan(60);
		expect([most, ms]).toEqual([64, expect.closeTo(240, -2)]);
	});

	test('is asked many at once when quick and slow endpoints are mixed', async () => {
		const service = withHands(time, (name) => (name === 'addCustomer' ? 200 : 20));
		const endpoint = (index: number) => (index % 2 ? 'customer' : 'addCustomer');
		const seen = await time.run(work(time, paceOf('merchant'), service, 1_000, endpoint));
		expect(seen.most).toBe(64);
		expect(seen.ms).toBeLessThanOrEqual(3_000);
	});
});

describe('a gateway with a fixed number of hands is kept busy, and not flooded', () => {
	const hands = (count: () => number) => () => withHands(time, always(40), count);
	for (const count of [1, 8, 30]) {
		const most = Math.max(16, 2.5 * count);
		holds(`${count} of them`, 500, hands(always(count)), (1.25 * 500 * 40) / count, { most });
	}
	holds('later more', 2_000, hands(later(2_500, 3, 20)), 1.2 * 6_124);
	holds('later fewer', 1_000, hands(later(2_500, 8, 3)), 1.2 * 9_167, { most: 32 });
});

describe('a gateway with a rate', () => {
	const second: Refusal = { retryAfterMs: 1_000 };
	const rate =
		(perSecond: number, burst: number, refusal = second, latency = 20) =>
		() =>
			withRate(time, () => [perSecond, burst], latency, refusal);
	const changing = (before: Rate, after: Rate) => () =>
		withRate(time, () => (time.now() < 10_000 ? before : after), 20, second);

	// The least time is that of the requests beyond the burst, one after another.
	holds('50 a second', 400, rate(50, 10), 1.2 * 7_800, { refused: 40 });
	// It settles: the limit is not found out anew every few seconds.
	holds('50 a second, for a minute', 3_000, rate(50, 10), 1.2 * 59_800, { refused: 15 });
	holds('no burst', 220, rate(20, 1, second, 300), 2 * 10_950, { refused: 33 });
	holds('a long pause', 400, rate(50, 10, { retryAfterMs: 5_000 }), 1.8 * 7_800, { refused: 60 });
	holds('no Retry-After', 400, rate(10, 10, {}), 1.2 * 39_000, { refused: 40 });
	holds('later fewer', 1_500, changing([100, 10], [25, 10]), 56_000, { refused: 30 });
	holds('later more', 3_000, changing([25, 10], [200, 50]), 65_000, { refused: 30 });
});

describe('a gateway that refuses when too many are at once', () => {
	const jitter = () => 5 + 30 * random();
	const atOnce =
		(count: () => number, latency = always(20)) =>
		() =>
			withMostAtOnce(time, latency, count);
	holds('more than 1', 40, atOnce(always(1), jitter), 1_344, { refused: 16 });
	holds('more than 10', 400, atOnce(always(10), jitter), 1_344, { refused: 30 });
	holds('30, later 5', 4_000, atOnce(later(1_000, 30, 5)), 50_400, { refused: 120 });
	holds('5, later 30', 4_000, atOnce(later(1_000, 5, 30)), 8_400, { refused: 120 });
});

describe('Retry-After', () => {
	/** Refuses a few, once. */
	const refusing = (from: number, count: number, refusal: Refusal): Service => {
		let asked = 0;
		return async () => {
			const nth = ++asked;
			await time.sleep(20);
			return nth > from && nth <= from + count ? refusal : undefined;
		};
	};
	test('holds back every run of that merchant, and no other merchant', async () => {
		const service = refusing(3, 2, { retryAfterMs: 5_000 });
		const [one, two, elsewhere] = await time.run(
			Promise.all([
				work(time, paceOf('merchant'), service, 30),
				work(time, paceOf('merchant'), service, 30),
				work(time, paceOf('another'), at20ms(), 200),
			]),
		);
		const refusedAt = Math.min(...one.refusals, ...two.refusals);
		const held = (at: number) => at > refusedAt && at < refusedAt + 5_000;
		expect([...one.departures, ...two.departures].filter(held)).toEqual([]);
		expect(elsewhere.ms).toBeLessThanOrEqual(200);
	});

	test('turns away who cannot wait so long, and whoever comes meanwhile', async () => {
		const pace = paceOf('merchant');
		const [first, second] = await full(pace);
		const patient = pace.enter();
		const hasty = pace.enter(2_000);
		first?.done({ refusedFor: 3_000 });
		expect(await hasty).toBeUndefined();
		expect(await pace.enter(2_999)).toBeUndefined();
		expect(pace.heldFor()).toBe(3_000);
		// Nobody waits for more than a minute, and nobody is locked out for more than ten.
		second?.done({ refusedFor: 1e12 });
		expect(await patient).toBeUndefined();
		expect(await paceOf('merchant').enter()).toBeUndefined();
		expect(pace.heldFor()).toBe(600_000);
		await time.run(time.sleep(540_000));
		expect(await time.run(pace.enter())).toBeDefined();
		expect(time.now()).toBe(600_000);
	});

	// Of half a minute it speaks of a quota: nothing is spaced afterwards.
	const quota = { retryAfterMs: 30_000 };
	holds('of half a minute', 200, () => refusing(20, 1, quota), 30_500, { refused: 1 });

	test('of nought, again and again, is no invitation to hurry', async () => {
		const always: Service = async () => {
			await time.sleep(20);
			return { retryAfterMs: 0 };
		};
		const seen = await run(always, 5);
		expect(seen.departures).toHaveLength(25);
		expect(seen.ms).toBeGreaterThanOrEqual(2_500);
	});
});

describe('the line', () => {
	const settle = async () => await new Promise((resume) => setImmediate(resume));
	const enter = (pace: Pace, name: string, log: string[], ended?: AbortSignal) => {
		void pace.enter(Infinity, ended).then((place) => log.push(place ? name : `${name} gone`));
	};

	test('is first come, first served, whichever run it is', async () => {
		const log: string[] = [];
		const pace = paceOf('merchant');
		const places = await full(pace);
		for (const name of ['a1', 'b1', 'a2', 'b2']) enter(paceOf('merchant'), name, log);
		for (const place of places) place?.done();
		await settle();
		expect(log).toEqual(['a1', 'b1', 'a2', 'b2']);
	});

	test('is passed by a charge, which takes a place all the same', async () => {
		const log: string[] = [];
		const pace = paceOf('merchant');
		const charges = [1, 2, 3, 4, 5, 6].map(() => pace.pass());
		enter(pace, 'read', log);
		await settle();
		expect(log).toEqual([]);
		charges[0]?.done();
		charges[1]?.done();
		await settle();
		expect(log).toEqual(['read']);
	});

	test('is left at once by a run that has ended', async () => {
		const log: string[] = [];
		const ending = new AbortController();
		const pace = paceOf('merchant');
		const places = await full(pace);
		places[0]?.done({ refusedFor: 50_000 });
		enter(pace, 'this run', log, ending.signal);
		enter(pace, 'another run', log);
		ending.abort();
		await settle();
		expect(log).toEqual(['this run gone']);
		expect(await pace.enter(Infinity, ending.signal)).toBeUndefined();
	});
});

describe('what was learned', () => {
	test.each([
		['is there for ten minutes', 599_000, 0, 64],
		['is forgotten after that', 601_000, 0, 5],
		['is kept beside 99 other merchants', 0, 99, 64],
		['is forgotten beside 150, as the longest unused', 0, 150, 5],
	])('%s', async (_, pause, others, atOnce) => {
		await run(at20ms(), 500);
		await time.run(time.sleep(pause));
		for (let index = 0; index < others; index++) paceOf(`merchant ${index}`);
		const { departures } = await run(at20ms(), 100);
		expect(departures.filter((at) => at === departures[0])).toHaveLength(atOnce);
	});
});
