import type { Bounds, Gate } from '../../nodes/PaymentsGateway/gateway/gate';
import { boundOf, createGates } from '../../nodes/PaymentsGateway/gateway/gate';
import type { Refusal, Seen, Service, Work } from './simulatedService';
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

let time: VirtualTime;
let gateOf: (scope: string, bounds?: Bounds) => Gate;
beforeEach(() => {
	time = new VirtualTime();
	gateOf = createGates(time);
});

const run = async (service: Service, job: Work, gate = gateOf('merchant')): Promise<Seen> =>
	await time.run(work(time, gate, service, job));
const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), 0);
const second: Refusal = { retryAfterMs: 1000 };
const perSecond = (rate: number, burst: number) => () => ({ perSecond: rate, burst });

describe('a service that takes everything', () => {
	test('is asked five at once, and soon as many as there may be', async () => {
		const seen = await run(
			open(time, () => 20),
			{ requests: 500 },
		);
		expect(seen.underWay.slice(0, 5)).toEqual([1, 2, 3, 4, 5]);
		expect(most(seen.underWay.filter((_, index) => (seen.departures[index] ?? 0) < 20))).toBe(5);
		expect(most(seen.underWay.slice(0, 100))).toBeGreaterThanOrEqual(32);
		expect(seen.most).toBe(64);
		expect(seen.ms).toBeLessThanOrEqual(280);
	});

	test.each<[string, (random: () => number) => number, number]>([
		// milliseconds that 1,000 requests may take at most
		['no latency', () => 0, 1],
		['jitter', (random) => 10 + 90 * random(), 2_500],
		['a long tail', (random) => 10 / (1.001 - random()) ** 0.7, 2_000],
		['an answer in fifty that takes two seconds', (random) => (random() < 0.02 ? 2000 : 20), 3_000],
	])('is asked many at once with %s', async (_, latency, atMost) => {
		const random = seeded(7);
		const seen = await run(
			open(time, () => latency(random)),
			{ requests: 1_000 },
		);
		expect(seen.most).toBe(64);
		expect(seen.ms).toBeLessThanOrEqual(atMost);
	});

	test('is asked no less because of a single slow answer', async () => {
		let asked = 0;
		const service = open(time, () => (++asked === 300 ? 5_000 : 20));
		const seen = await run(service, { requests: 2_000 });
		expect(Math.min(...seen.underWay.slice(350, 1_900))).toBeGreaterThanOrEqual(1);
		// The 63 others go on at their pace.
		const others = seen.departures.at(-1) ?? Infinity;
		expect(others).toBeLessThanOrEqual(900);
	});

	test('is not held to be slow because it started slowly', async () => {
		const seen = await run(
			open(time, () => (time.now() < 1_000 ? 500 : 20)),
			{ requests: 1_000 },
		);
		expect(seen.ms).toBeLessThanOrEqual(1_500);
	});

	test('is not held to be slow because its first answers were quicker than all others', async () => {
		const seen = await run(
			open(time, () => (time.now() < 5 ? 10 : 19)),
			{ requests: 2_000 },
		);
		expect(seen.most).toBe(64);
		expect(seen.ms).toBeLessThanOrEqual(800);
	});

	test('is not held to be slow because it was quicker for a run that asked little', async () => {
		const service = open(time, () => (time.now() < 1_000 ? 10 : 100));
		await run(service, { requests: 300 }, gateOf('merchant', { bound: boundOf(3) }));
		const seen = await run(service, { requests: 2_000 });
		expect(seen.most).toBe(64);
		expect(seen.ms).toBeLessThanOrEqual(6_000);
	});

	test('is asked as much as before when it was slow for a while', async () => {
		const isSlow = () => time.now() > 1_000 && time.now() < 4_000;
		const seen = await run(
			open(time, () => (isSlow() ? 200 : 40)),
			{ requests: 6_000 },
		);
		const during = seen.departures.filter((at) => at > 1_000 && at < 4_000).length;
		const after = seen.departures.filter((at) => at > 4_500 && at < 5_500).length;
		// Five at once would be 75; 64 at once, 960.
		expect(during).toBeGreaterThanOrEqual(400);
		expect(after).toBeGreaterThanOrEqual(1_400);
	});

	test('is asked many at once when quick and slow endpoints are mixed', async () => {
		const job = { requests: 1_000, endpoint: (index: number) => (index % 10 ? 'read' : 'commit') };
		const service = open(time, (endpoint) => (endpoint === 'commit' ? 2_000 : 20));
		const seen = await run(service, job);
		expect(seen.most).toBe(64);
		// A hundred commits, 64 at once, and some reads beside them.
		expect(seen.ms).toBeLessThanOrEqual(5_000);
	});

	test('a few requests go at once, and wait for nothing', async () => {
		const seen = await run(
			open(time, () => 20),
			{ requests: 4 },
		);
		expect(seen.ms).toBe(20);
		expect(time.sleepers).toBe(0);
	});
});

describe('a service with a fixed number of hands', () => {
	test.each([1, 2, 4, 8, 16, 30])('%i of them are kept busy, and not flooded', async (hands) => {
		const seen = await run(
			withHands(
				time,
				() => hands,
				() => 40,
			),
			{ requests: 500 },
		);
		expect(seen.ms).toBeLessThanOrEqual((500 / hands) * 40 * 1.2);
		expect(seen.most).toBeLessThanOrEqual(Math.max(10, 2.5 * hands));
	});

	test('answers that vary do not mislead it', async () => {
		const random = seeded(11);
		const service = withHands(
			time,
			() => 8,
			() => 20 + 40 * random(),
		);
		const seen = await run(service, { requests: 500 });
		expect(seen.ms).toBeLessThanOrEqual(3_000);
		expect(seen.most).toBeLessThanOrEqual(32);
	});

	test.each([
		['fewer', 8, 3, 1_000],
		['more', 3, 20, 2_000],
	])('finds out when there are %s of them', async (_, first, later, requests) => {
		const service = withHands(
			time,
			() => (time.now() < 2_500 ? first : later),
			() => 40,
		);
		const seen = await run(service, { requests });
		const done = (2_500 / 40) * first;
		expect(seen.ms).toBeLessThanOrEqual((2_500 + ((requests - done) / later) * 40) * 1.2);
		const late = seen.underWay.filter((__, index) => (seen.departures[index] ?? 0) > 4_000);
		expect(most(late)).toBeLessThanOrEqual(Math.max(10, 2.5 * later));
	});
});

describe('a service with a rate', () => {
	test.each([0, 5, 20, 50, 100])(
		'400 reads at 50 a second take hardly longer than it allows, %i ms an answer',
		async (latency) => {
			const service = withRate(time, perSecond(50, 10), latency, second);
			const seen = await run(service, { requests: 400 });
			expect(seen.failed).toBe(0);
			expect(seen.ms).toBeLessThanOrEqual(((400 - 10) / 50) * 1_000 * 1.2);
			expect(seen.refused).toBeLessThan(0.1 * 400);
		},
	);

	test.each([
		// a second, burst, Retry-After, requests, of the shortest time there is
		[50, 50, 1_000, 400, 1.3],
		[50, 1, 1_000, 400, 2.5],
		[10, 10, 1_000, 200, 1.2],
		[200, 100, 1_000, 2_000, 1.3],
		[200, 10, 1_000, 2_000, 2.5],
		[100, 10, 1_000, 5_000, 1.3],
		[50, 10, 5_000, 400, 1.8],
		[2, 2, 1_000, 60, 1.3],
	])(
		'%i a second, burst %i, Retry-After %i',
		async (rate, burst, retryAfterMs, requests, ratio) => {
			const service = withRate(time, perSecond(rate, burst), 20, { retryAfterMs });
			const seen = await run(service, { requests });
			expect(seen.failed).toBe(0);
			expect(seen.ms).toBeLessThanOrEqual(((requests - burst) / rate) * 1_000 * ratio);
			expect(seen.refused).toBeLessThanOrEqual(Math.max(10, 0.1 * requests));
		},
	);

	test.each([
		// a second, burst, Retry-After, milliseconds an answer, requests, of the shortest time there is
		[20, 1, 1_000, 300, 220, 4],
		[50, 1, 1_000, 300, 460, 6],
		[200, 10, 1_000, 300, 1_660, 5],
	])(
		'%i a second, burst %i, Retry-After %i, and answers that take %i ms',
		async (rate, burst, retryAfterMs, latency, requests, ratio) => {
			const service = withRate(time, perSecond(rate, burst), latency, { retryAfterMs });
			const seen = await run(service, { requests });
			expect(seen.failed).toBe(0);
			expect(seen.ms).toBeLessThanOrEqual(((requests - burst) / rate) * 1_000 * ratio);
			expect(seen.refused).toBeLessThanOrEqual(0.15 * requests);
		},
	);

	test('50 a second where requests overtake each other and timers are late', async () => {
		const ratios: number[] = [];
		for (let seed = 1; seed <= 20; seed++) {
			const random = seeded(seed);
			time = new VirtualTime();
			const { now } = time;
			const late = async (ms: number, signal?: AbortSignal) =>
				await time.sleep(ms + Math.floor(8 * random()), signal);
			const gate = createGates({ now, sleep: late })('merchant');
			const limited = withRate(time, perSecond(50, 10), 16, second);
			const service: Service = async (endpoint) => {
				await time.sleep(Math.floor(30 * random() ** 2));
				return await limited(endpoint);
			};
			const seen = await run(service, { requests: 400 }, gate);
			expect(seen.failed).toBe(0);
			ratios.push(seen.ms / 7_800);
		}
		// The pause that it asks for is 10 %; the rest is what one refusal cannot show of rate and burst.
		expect(ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length).toBeLessThanOrEqual(1.25);
		expect(Math.max(...ratios)).toBeLessThanOrEqual(1.35);
	});

	test('500 a second where timers are late: what was due goes out together', async () => {
		const random = seeded(1);
		const { now } = time;
		const late = async (ms: number, signal?: AbortSignal) =>
			await time.sleep(ms + Math.floor(50 * random()), signal);
		const gate = createGates({ now, sleep: late })('merchant');
		const service = withRate(time, perSecond(500, 200), 20, second);
		const seen = await run(service, { requests: 5_000 }, gate);
		expect(seen.failed).toBe(0);
		expect(seen.ms).toBeLessThanOrEqual(((5_000 - 200) / 500) * 1_000 * 1.22);
	});

	test.each([10, 50])('%i a second without Retry-After: it backs off by itself', async (rate) => {
		const service = withRate(time, perSecond(rate, 10), 20, {});
		const seen = await run(service, { requests: 400 });
		expect(seen.failed).toBe(0);
		expect(seen.ms).toBeLessThanOrEqual((390 / rate) * 1_000 * 1.2);
		expect(seen.refused).toBeLessThan(40);
	});

	test.each([10, 50, 200])('%i in every second of the clock', async (each) => {
		const seen = await run(withWindow(time, each, 20, second), { requests: 10 * each });
		expect(seen.failed).toBe(0);
		expect(seen.ms).toBeLessThanOrEqual(15_000);
		expect(seen.refused).toBeLessThanOrEqual(1.2 * each);
	});

	test('finds out when it takes less, and when it takes more', async () => {
		const rate = () => ({ perSecond: time.now() < 10_000 ? 100 : 25, burst: 10 });
		const gate = gateOf('less');
		const less = await run(withRate(time, rate, 20, second), { requests: 1_500 }, gate);
		const later = less.departures.filter((at) => at > 20_000 && at < 30_000).length;
		expect(later).toBeGreaterThanOrEqual(150);
		expect(less.refused).toBeLessThanOrEqual(100);
		const more = withRate(time, perSecond(200, 50), 20, second);
		const seen = await run(more, { requests: 8_000 }, gate);
		// At 25 a second it would be 320 s, at 200 it is 40.
		expect(seen.ms).toBeLessThanOrEqual(100_000);
		expect(seen.refused).toBeLessThanOrEqual(100);
	});

	test('settles near what was accepted instead of swinging', async () => {
		const seen = await run(withRate(time, perSecond(50, 10), 20, second), { requests: 3_000 });
		// Refusals become rare: it is not found out anew every few seconds.
		const groups = seen.refusals.filter((at, index, all) => at - (all[index - 1] ?? -1e9) > 500);
		expect(groups.length).toBeLessThanOrEqual(6);
		const held = (at: number) => groups.some((from) => at >= from - 20 && at <= from + 2_000);
		for (let from = 5_000; from < 50_000; from += 1_000) {
			if (held(from) || held(from + 1_000)) continue;
			const each = seen.departures.filter((at) => at >= from && at < from + 1_000).length;
			expect(each).toBeGreaterThanOrEqual(40);
			expect(each).toBeLessThanOrEqual(60);
		}
	});
});

describe('a service that refuses when too many are at once', () => {
	test('500 reads, the eleventh refused, without Retry-After', async () => {
		const seen = await run(
			withMostAtOnce(
				time,
				() => 10,
				() => 20,
			),
			{ requests: 500, tries: 3 },
		);
		expect(seen.failed).toBe(0);
		expect(seen.ms).toBeLessThanOrEqual(1.5 * 50 * 21);
		expect(seen.refused).toBeLessThanOrEqual(50);
	});

	test.each([1, 3, 10, 30])('%i at once, with jitter', async (atOnce) => {
		const random = seeded(5);
		const service = withMostAtOnce(
			time,
			() => atOnce,
			() => 5 + 30 * random(),
		);
		const seen = await run(service, { requests: 40 * atOnce });
		expect(seen.failed).toBe(0);
		expect(seen.ms).toBeLessThanOrEqual(1.6 * 40 * 21);
		expect(seen.refused).toBeLessThanOrEqual(20);
	});

	test.each([
		[30, 5],
		[5, 30],
	])('%i at once, later %i', async (first, later) => {
		const service = withMostAtOnce(
			time,
			() => (time.now() < 1_000 ? first : later),
			() => 20,
		);
		const seen = await run(service, { requests: 4_000 });
		expect(seen.failed).toBe(0);
		expect(seen.refused).toBeLessThanOrEqual(100);
		expect(seen.ms).toBeLessThanOrEqual(3 * (4_000 / later) * 21);
	});
});

describe('Retry-After', () => {
	/** Refuses the first few of a burst, once. */
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
		const other = open(time, () => 20);
		const [one, two, elsewhere] = await time.run(
			Promise.all([
				work(time, gateOf('merchant'), service, { requests: 30 }),
				work(time, gateOf('merchant'), service, { requests: 30 }),
				work(time, gateOf('another'), other, { requests: 200 }),
			]),
		);
		const refusedAt = Math.min(...one.refusals, ...two.refusals);
		const held = (at: number) => at > refusedAt && at < refusedAt + 5_000;
		expect([...one.departures, ...two.departures].filter(held)).toEqual([]);
		expect(elsewhere.ms).toBeLessThanOrEqual(200);
	});

	test('lets them in again one after another', async () => {
		const seen = await run(refusing(20, 5, second), { requests: 200 });
		const back = seen.departures.filter((at) => at > 1_000);
		expect(back.length).toBeGreaterThan(20);
		for (const [index, at] of back.slice(0, 20).entries()) {
			const together = back.slice(index).filter((each) => each - at < 5).length;
			expect(together).toBeLessThanOrEqual(4);
		}
	});

	test('turns away who cannot wait so long, and whoever comes meanwhile', async () => {
		const gate = gateOf('merchant');
		const first = await gate.enter();
		const places = await Promise.all([1, 2, 3, 4].map(async () => await gate.enter()));
		const patient = gate.enter();
		const hasty = gate.enter(2_000);
		first?.done({ refused: true, retryAfterMs: 3_000 });
		expect(await hasty).toBeUndefined();
		expect(await gate.enter(2_999)).toBeUndefined();
		expect(gate.heldFor()).toBe(3_000);
		expect(await time.run(patient)).toBeDefined();
		expect(time.now()).toBe(3_000);
		for (const place of places) place?.done();
	});

	test('of more than a minute is waited for by nobody', async () => {
		const gate = gateOf('merchant');
		const first = await gate.enter();
		const rest = await Promise.all([1, 2, 3, 4].map(async () => await gate.enter()));
		const waiting = gate.enter();
		first?.done({ refused: true, retryAfterMs: 61_000 });
		expect(await waiting).toBeUndefined();
		expect(await gateOf('merchant').enter()).toBeUndefined();
		for (const place of rest) place?.done();
		await time.run(time.sleep(1_500));
		expect(await time.run(gate.enter())).toBeDefined();
	});

	test('of half a minute speaks of a quota: nothing is spaced afterwards', async () => {
		const seen = await run(refusing(20, 1, { retryAfterMs: 30_000 }), { requests: 200 });
		expect(seen.ms).toBeLessThanOrEqual(30_500);
	});

	test('of nought, again and again, is no invitation to hurry', async () => {
		const always: Service = async () => {
			await time.sleep(20);
			return { retryAfterMs: 0 };
		};
		const seen = await run(always, { requests: 5, tries: 10 });
		expect(seen.sent).toBe(50);
		expect(seen.ms).toBeGreaterThanOrEqual(5_000);
	});
});

describe('the line', () => {
	/** All that can leave without any answer, each with its name. */
	const enter = (gate: Gate, name: string, log: string[]) => {
		void gate.enter().then((permit) => log.push(permit ? name : `${name} gone`));
	};
	const settle = async () => await new Promise((resume) => setImmediate(resume));

	test('is first come, first served, whichever run it is', async () => {
		const log: string[] = [];
		const [a, b] = [gateOf('merchant'), gateOf('merchant')];
		const under = await Promise.all([1, 2, 3, 4, 5].map(async () => await a.enter()));
		for (const [gate, name] of [
			[a, 'a1'],
			[b, 'b1'],
			[a, 'a2'],
			[b, 'b2'],
		] as const) {
			enter(gate, name, log);
		}
		for (const permit of under) permit?.done();
		await settle();
		expect(log).toEqual(['a1', 'b1', 'a2', 'b2']);
	});

	test('a run that has all it may have does not stop another', async () => {
		const log: string[] = [];
		const narrow = gateOf('merchant', { bound: boundOf(1) });
		enter(narrow, 'n1', log);
		enter(narrow, 'n2', log);
		enter(gateOf('merchant'), 'w1', log);
		await settle();
		expect(log).toEqual(['n1', 'w1']);
	});

	test('a run that has ended leaves it at once', async () => {
		const log: string[] = [];
		const ending = new AbortController();
		const cancelled = gateOf('merchant', { ended: ending.signal });
		const other = gateOf('merchant');
		const under = await Promise.all([1, 2, 3, 4, 5].map(async () => await other.enter()));
		under[0]?.done({ refused: true, retryAfterMs: 50_000 });
		enter(cancelled, 'c1', log);
		enter(cancelled, 'c2', log);
		await settle();
		expect(time.sleepers).toBe(1);
		ending.abort();
		await settle();
		expect(log).toEqual(['c1 gone', 'c2 gone']);
		// Nor does a timer stay behind.
		expect(time.sleepers).toBe(0);
		expect(await cancelled.enter()).toBeUndefined();
	});

	test.each([1, 3, 20, 100])('no run has more under way than its %i', async (bound) => {
		const seen = await run(
			open(time, () => 20),
			{ requests: 3_000, workers: 200 },
			gateOf('merchant', { bound: boundOf(bound) }),
		);
		expect(seen.most).toBe(bound);
	});

	test('a run of several merchants has no more under way than its bound, and starves none', async () => {
		const bound = boundOf(4);
		const service = open(time, () => 20);
		const seen = await time.run(
			Promise.all(
				['one', 'two', 'three'].map(
					async (name) => await work(time, gateOf(name, { bound }), service, { requests: 100 }),
				),
			),
		);
		const departures = seen.flatMap((each) => each.departures).sort((a, b) => a - b);
		for (const [index, at] of departures.entries()) {
			expect((departures[index + 4] ?? Infinity) - at).toBeGreaterThanOrEqual(20);
		}
		expect(most(departures)).toBeLessThanOrEqual(75 * 20);
		for (const { departures } of seen) expect(departures[49]).toBeLessThanOrEqual(50 * 20);
	});

	test('two runs share what is learned, and each keeps to its own bound', async () => {
		const service = withHands(
			time,
			() => 8,
			() => 40,
		);
		const [narrow, wide] = await time.run(
			Promise.all([
				work(time, gateOf('merchant', { bound: boundOf(3) }), service, { requests: 100 }),
				work(time, gateOf('merchant'), service, { requests: 400 }),
			]),
		);
		expect(narrow.most).toBeLessThanOrEqual(3);
		expect(narrow.most + wide.most).toBeLessThanOrEqual(32);
		expect(Math.max(narrow.ms, wide.ms)).toBeLessThanOrEqual(2_500 * 1.2);
	});
});

describe('what was learned', () => {
	const first = async (pause: number, before = 500): Promise<number> => {
		const service = open(time, () => 20);
		await run(service, { requests: before });
		if (pause > 0) await time.run(time.sleep(pause));
		const seen = await run(service, { requests: 100 });
		const [started = 0] = seen.departures;
		return seen.departures.filter((at) => at === started).length;
	};

	test.each([
		['is there for the next batch', 0, 64],
		['is there for ten minutes', 599_000, 64],
		['is forgotten after that', 601_000, 5],
	])('%s', async (_, pause, atOnce) => {
		expect(await first(pause)).toBe(atOnce);
	});

	test('is no more than was tried: a run that asks few at once shows nothing of many', async () => {
		const narrow = gateOf('merchant', { bound: boundOf(3) });
		await run(
			open(time, () => 20),
			{ requests: 500 },
			narrow,
		);
		expect(await first(0, 0)).toBe(5);
	});

	test.each([
		[99, 'kept', 64],
		[150, 'forgotten, as the longest unused', 5],
	])('is, beside %i other merchants, %s', async (others, _, atOnce) => {
		const service = open(time, () => 20);
		await run(service, { requests: 500 });
		for (let index = 0; index < others; index++) gateOf(`merchant ${index}`);
		expect(await first(0, 0)).toBe(atOnce);
	});

	test('a merchant that is being waited for is not forgotten', async () => {
		const gate = gateOf('merchant');
		const permit = await gate.enter();
		permit?.done({ refused: true, retryAfterMs: 30_000 });
		const waiting = gate.enter();
		for (let index = 0; index < 150; index++) gateOf(`merchant ${index}`);
		expect(gateOf('merchant').heldFor()).toBe(30_000);
		expect(await time.run(waiting)).toBeDefined();
	});
});
