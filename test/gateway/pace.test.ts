import type { Pace, PaceOf } from '../../nodes/PaymentsGateway/gateway/pace';
import { createPaces } from '../../nodes/PaymentsGateway/gateway/pace';
import type { Rate, Refusal, Service, Work } from './simulatedService';
import {
	open,
	seeded,
	withHands,
	withMostAtOnce,
	withRate,
	withWindow,
	work,
} from './simulatedService';
import { VirtualTime } from './virtualTime';

/** The pace against services with every kind of limit, in virtual time. */

let time: VirtualTime;
let paceOf: PaceOf;
beforeEach(() => {
	time = new VirtualTime();
	paceOf = createPaces(time);
});

const run = async (service: Service, job: Work | number, pace = paceOf('merchant')) =>
	await time.run(work(time, pace, service, typeof job === 'number' ? { requests: job } : job));
/** All that may leave at once, of a pace that has learned nothing. */
const full = async (pace: Pace) => await Promise.all([1, 2, 3, 4, 5].map(() => pace.enter()));
const random = seeded(7);
const between = (least: number, greatest: number) => least + (greatest - least) * random();

/** What may come of a simulation at most: milliseconds, refusals, and requests under way. */
interface Bounds {
	ms: number;
	refused?: number;
	most?: number;
}
type Case = [name: string, requests: number, service: () => Service, bounds: Bounds];

function holds(cases: Case[]): void {
	test.each(cases)('%s, %i requests', async (_, requests, service, bounds) => {
		const seen = await run(service(), requests);
		expect(seen.failed).toBe(0);
		expect(seen.ms).toBeLessThanOrEqual(bounds.ms);
		expect(seen.refusals.length).toBeLessThanOrEqual(bounds.refused ?? 0);
		expect(seen.most).toBeLessThanOrEqual(bounds.most ?? 64);
	});
}

const taking = (latency: () => number) => () => open(time, latency);
const at20ms = taking(() => 20);

describe('a service that takes everything', () => {
	holds([
		['20 ms an answer', 500, taking(() => 20), { ms: 300 }],
		['no latency', 1_000, taking(() => 0), { ms: 1 }],
		['10 to 100 ms', 1_000, taking(() => between(10, 100)), { ms: 2_500 }],
		['a long tail', 1_000, taking(() => 10 / (1.001 - random()) ** 0.7), { ms: 2_000 }],
		[
			'two seconds, one in fifty',
			1_000,
			taking(() => (random() < 0.02 ? 2_000 : 20)),
			{ ms: 3_000 },
		],
		['a slow start', 1_000, taking(() => (time.now() < 1_000 ? 500 : 20)), { ms: 1_500 }],
		['a quick start', 2_000, taking(() => (time.now() < 5 ? 10 : 19)), { ms: 800 }],
		[
			'slower for three seconds',
			6_000,
			taking(() => (time.now() > 1_000 && time.now() < 4_000 ? 200 : 40)),
			{ ms: 6_500 },
		],
		['slower for good', 4_000, taking(() => (time.now() < 30 ? 20 : 100)), { ms: 8_000 }],
	]);

	test('is asked five at once, and soon 64', async () => {
		const seen = await run(at20ms(), 500);
		expect(seen.underWay.slice(0, 5)).toEqual([1, 2, 3, 4, 5]);
		expect(seen.departures[5]).toBe(20);
		expect(Math.max(...seen.underWay.slice(0, 100))).toBeGreaterThanOrEqual(32);
		expect(seen.most).toBe(64);
	});

	test('is asked many at once when quick and slow endpoints are mixed', async () => {
		const service = open(time, (name) => (name === 'addCustomer' ? 200 : 20));
		const endpoint = (index: number) => (index % 2 ? 'customer' : 'addCustomer');
		const seen = await run(service, { requests: 1_000, endpoint });
		expect(seen.most).toBe(64);
		expect(seen.ms).toBeLessThanOrEqual(3_000);
	});

	test('a few requests go at once, and wait for nothing', async () => {
		expect((await run(at20ms(), 4)).ms).toBe(20);
		expect(time.sleepers).toBe(0);
	});
});

describe('a service with a fixed number of hands', () => {
	const hands =
		(count: (now: number) => number, latency = () => 40) =>
		() =>
			withHands(time, () => count(time.now()), latency);
	const varying = () => between(20, 60);
	const least = (count: number, requests = 500) => (requests / count) * 40;

	holds([
		...[1, 2, 4, 8, 16, 30].map((count): Case => [
			`${count} of them are kept busy, and not flooded`,
			500,
			hands(() => count),
			{ ms: 1.25 * least(count), most: Math.max(16, 2.5 * count) },
		]),
		['varying answers', 500, hands(() => 8, varying), { ms: 3_000, most: 32 }],
		['later more', 2_000, hands((now) => (now < 2_500 ? 3 : 20)), { ms: 1.2 * 6_124 }],
		['later fewer', 1_000, hands((now) => (now < 2_500 ? 8 : 3)), { ms: 1.2 * 9_167, most: 32 }],
	]);
});

describe('a service with a rate', () => {
	const second: Refusal = { retryAfterMs: 1_000 };
	const rate =
		(perSecond: number, burst: number, refusal = second, latency = 20) =>
		() =>
			withRate(time, () => ({ perSecond, burst }), latency, refusal);
	const changing = (before: Rate, after: Rate) => () =>
		withRate(time, () => (time.now() < 10_000 ? before : after), 20, second);
	const of = (perSecond: number, burst = 10): Rate => ({ perSecond, burst });
	const least = (perSecond: number, burst: number, requests: number) =>
		((requests - burst) / perSecond) * 1_000;

	holds([
		...[0, 5, 20, 50, 100].map((latency): Case => [
			`50 a second, ${latency} ms an answer`,
			400,
			rate(50, 10, second, latency),
			{ ms: 1.2 * 7_800, refused: 40 },
		]),
		// a second, burst, Retry-After, milliseconds an answer, requests, of the shortest time there is
		...(
			[
				[50, 50, 1_000, 20, 400, 1.3],
				[50, 1, 1_000, 20, 400, 2.5],
				[10, 10, 1_000, 20, 200, 1.2],
				[200, 100, 1_000, 20, 2_000, 1.3],
				[200, 10, 1_000, 20, 2_000, 2.5],
				[100, 10, 1_000, 20, 5_000, 1.3],
				[50, 10, 5_000, 20, 400, 1.8],
				[2, 2, 1_000, 20, 60, 1.3],
				[20, 1, 1_000, 300, 220, 2],
				[50, 1, 1_000, 300, 460, 6],
				[200, 10, 1_000, 300, 1_660, 5],
			] as const
		).map(([perSecond, burst, retryAfterMs, latency, requests, ratio]): Case => [
			`${perSecond} a second, burst ${burst}, Retry-After ${retryAfterMs}, ${latency} ms`,
			requests,
			rate(perSecond, burst, { retryAfterMs }, latency),
			{ ms: ratio * least(perSecond, burst, requests), refused: Math.max(15, 0.15 * requests) },
		]),
		...[10, 50].map((perSecond): Case => [
			`${perSecond} a second without Retry-After`,
			400,
			rate(perSecond, 10, {}),
			{ ms: 1.2 * least(perSecond, 10, 400), refused: 40 },
		]),
		...[10, 50, 200].map((each): Case => [
			`${each} in every second of the clock`,
			10 * each,
			() => withWindow(time, each, 20, second),
			{ ms: 15_000, refused: Math.max(20, each) },
		]),
		[
			'50 in every second of the clock, where Retry-After is too short',
			500,
			() => withWindow(time, 50, 20, { retryAfterMs: 200 }),
			{ ms: 17_500, refused: 60 },
		],
		['100, later 25', 1_500, changing(of(100), of(25)), { ms: 56_000, refused: 30 }],
		['25, later 200', 3_000, changing(of(25), of(200, 50)), { ms: 65_000, refused: 30 }],
	]);

	test('50 a second where requests overtake each other and timers are late', async () => {
		const ratios: number[] = [];
		for (let seed = 1; seed <= 20; seed++) {
			const chance = seeded(seed);
			time = new VirtualTime();
			const { now } = time;
			const late = async (ms: number, signal?: AbortSignal) =>
				await time.sleep(ms + Math.floor(8 * chance()), signal);
			const limited = rate(50, 10, second, 16)();
			const service: Service = async (endpoint) => {
				await time.sleep(Math.floor(30 * chance() ** 2));
				return await limited(endpoint);
			};
			const seen = await run(service, 400, createPaces({ now, sleep: late })('merchant'));
			expect(seen.failed).toBe(0);
			ratios.push(seen.ms / 7_800);
		}
		expect(ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length).toBeLessThanOrEqual(1.25);
		expect(Math.max(...ratios)).toBeLessThanOrEqual(1.35);
	});

	test('is remembered by who asks little in between', async () => {
		const service = rate(50, 10)();
		await run(service, 400);
		for (let second = 0; second < 60; second++) {
			await time.run(time.sleep(1_000));
			await run(service, 1);
		}
		const seen = await run(service, 400);
		expect(seen.refusals.length).toBeLessThanOrEqual(5);
		expect(seen.ms).toBeLessThanOrEqual(1.3 * 7_800);
	});

	test('settles near what was accepted instead of swinging', async () => {
		const seen = await run(rate(50, 10)(), 3_000);
		// Refusals become rare: it is not found out anew every few seconds.
		const groups = seen.refusals.filter((at, index, all) => at - (all[index - 1] ?? -1e9) > 500);
		expect(groups.length).toBeLessThanOrEqual(6);
		expect(seen.ms).toBeLessThanOrEqual(1.2 * least(50, 10, 3_000));
	});
});

describe('a service that refuses when too many are at once', () => {
	const atOnce =
		(count: (now: number) => number, latency = () => 20) =>
		() =>
			withMostAtOnce(time, () => count(time.now()), latency);
	const jitter = () => between(5, 35);

	holds([
		['the eleventh', 500, atOnce(() => 10), { ms: 1.5 * 50 * 21, refused: 50 }],
		...[1, 3, 10, 30].map((count): Case => [
			`more than ${count}, with jitter`,
			40 * count,
			atOnce(() => count, jitter),
			{ ms: 1.6 * 40 * 21, refused: 15 + 1.5 * count },
		]),
		['30, later 5', 4_000, atOnce((now) => (now < 1_000 ? 30 : 5)), { ms: 50_400, refused: 120 }],
		['5, later 30', 4_000, atOnce((now) => (now < 1_000 ? 5 : 30)), { ms: 8_400, refused: 120 }],
	]);
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
				work(time, paceOf('merchant'), service, { requests: 30 }),
				work(time, paceOf('merchant'), service, { requests: 30 }),
				work(time, paceOf('another'), at20ms(), { requests: 200 }),
			]),
		);
		const refusedAt = Math.min(...one.refusals, ...two.refusals);
		const held = (at: number) => at > refusedAt && at < refusedAt + 5_000;
		expect([...one.departures, ...two.departures].filter(held)).toEqual([]);
		expect(elsewhere.ms).toBeLessThanOrEqual(200);
	});

	test('lets them in again one after another', async () => {
		const seen = await run(refusing(20, 5, { retryAfterMs: 1_000 }), 200);
		const back = seen.departures.filter((at) => at > 1_000);
		expect(back.length).toBeGreaterThan(20);
		for (const [index, at] of back.slice(0, 20).entries()) {
			expect(back.slice(index).filter((each) => each - at < 5).length).toBeLessThanOrEqual(4);
		}
	});

	test('turns away who cannot wait so long, and whoever comes meanwhile', async () => {
		const pace = paceOf('merchant');
		const [first, ...others] = await full(pace);
		const patient = pace.enter();
		const hasty = pace.enter(2_000);
		first?.done({ refused: true, retryAfterMs: 3_000 });
		expect(await hasty).toBeUndefined();
		expect(await pace.enter(2_999)).toBeUndefined();
		expect(pace.heldFor()).toBe(3_000);
		expect(await time.run(patient)).toBeDefined();
		expect(time.now()).toBe(3_000);
		for (const place of others) place?.done();
	});

	test('of more than a minute is waited for by nobody', async () => {
		const pace = paceOf('merchant');
		const [first, ...others] = await full(pace);
		const waiting = pace.enter();
		first?.done({ refused: true, retryAfterMs: 61_000 });
		expect(await waiting).toBeUndefined();
		expect(await paceOf('merchant').enter()).toBeUndefined();
		for (const place of others) place?.done();
		await time.run(time.sleep(1_500));
		expect(await time.run(pace.enter())).toBeDefined();
	});

	test('of years locks nobody out for more than ten minutes', async () => {
		const pace = paceOf('merchant');
		(await pace.enter())?.done({ refused: true, retryAfterMs: 1e12 });
		expect(pace.heldFor()).toBe(600_000);
	});

	test('of half a minute speaks of a quota: nothing is spaced afterwards', async () => {
		const seen = await run(refusing(20, 1, { retryAfterMs: 30_000 }), 200);
		expect(seen.ms).toBeLessThanOrEqual(30_500);
	});

	test('of nought, again and again, is no invitation to hurry', async () => {
		const always: Service = async () => {
			await time.sleep(20);
			return { retryAfterMs: 0 };
		};
		const seen = await run(always, { requests: 5, tries: 10 });
		expect(seen.departures).toHaveLength(50);
		expect(seen.ms).toBeGreaterThanOrEqual(5_000);
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
		places[0]?.done({ refused: true, retryAfterMs: 50_000 });
		enter(pace, 'c1', log, ending.signal);
		enter(pace, 'c2', log, ending.signal);
		await settle();
		expect(time.sleepers).toBe(1);
		ending.abort();
		await settle();
		expect(log).toEqual(['c1 gone', 'c2 gone']);
		// Nor does a timer stay behind.
		expect(time.sleepers).toBe(0);
		expect(await pace.enter(Infinity, ending.signal)).toBeUndefined();
	});

	test('two runs share what is learned', async () => {
		const eight = () => 8;
		const service = withHands(time, eight, () => 40);
		const runs = await Promise.all([run(service, 100), run(service, 400)]);
		expect(Math.max(...runs.map(({ ms }) => ms))).toBeLessThanOrEqual(2_500 * 1.2);
		expect(runs.reduce((sum, each) => sum + each.most, 0)).toBeLessThanOrEqual(40);
	});
});

describe('what was learned', () => {
	/** How many requests leave together at once. */
	const together = async (): Promise<number> => {
		const { departures } = await run(at20ms(), 100);
		return departures.filter((at) => at === departures[0]).length;
	};

	test.each([
		['is there for the next batch', 0, 64],
		['is there for ten minutes', 599_000, 64],
		['is forgotten after that', 601_000, 5],
	])('%s', async (_, pause, atOnce) => {
		await run(at20ms(), 500);
		if (pause > 0) await time.run(time.sleep(pause));
		expect(await together()).toBe(atOnce);
	});

	test('is no more than was tried: a run that asks few at once shows nothing of many', async () => {
		await run(at20ms(), { requests: 500, workers: 3 });
		expect(await together()).toBe(5);
	});

	test.each([
		[99, 'kept', 64],
		[150, 'forgotten, as the longest unused', 5],
	])('is, beside %i other merchants, %s', async (others, _, atOnce) => {
		await run(at20ms(), 500);
		for (let index = 0; index < others; index++) paceOf(`merchant ${index}`);
		expect(await together()).toBe(atOnce);
	});

	test('is not forgotten of a merchant that is being waited for', async () => {
		const pace = paceOf('merchant');
		(await pace.enter())?.done({ refused: true, retryAfterMs: 30_000 });
		const waiting = pace.enter();
		for (let index = 0; index < 150; index++) paceOf(`merchant ${index}`);
		expect(paceOf('merchant').heldFor()).toBe(30_000);
		expect(await time.run(waiting)).toBeDefined();
	});
});
