import type { Slot } from '../../nodes/PaymentsGateway/gateway/limiter';
import { createLimiters, Limiter } from '../../nodes/PaymentsGateway/gateway/limiter';
import type { Gateway } from './rateLimitedGateways';
import { refusal, sendAll, SimulatedClock, unlimited } from './rateLimitedGateways';

/** What a limiter does with requests and answers. How quick that makes a run: limiter.runs.test.ts. */

let clock: SimulatedClock;
let limiter: Limiter;
beforeEach(() => {
	clock = new SimulatedClock();
	limiter = new Limiter(clock);
});

const pass = async (ms: number) => await clock.run(clock.sleep(ms));
const run = async (gateway: Gateway, requests: number, used = limiter) =>
	await clock.run(sendAll(clock, used, gateway, requests));

/** All slots that a new limiter hands out. */
async function acquireEight(): Promise<Slot[]> {
	const slots = await clock.run(
		Promise.all(Array.from({ length: 8 }, async () => await limiter.acquire())),
	);
	return slots.filter((slot) => slot !== undefined);
}

describe('the window of requests in flight', () => {
	/** Many requests wait. In each round, all that get a slot succeed. Returns how many each time. */
	async function inRounds(rounds: number): Promise<number[]> {
		const sizes: number[] = [];
		const slots: Slot[] = [];
		for (let request = 0; request < 64 * rounds; request++) {
			void limiter.acquire().then((slot) => slot && slots.push(slot));
		}
		while (sizes.length < rounds) {
			await pass(30);
			sizes.push(slots.length);
			for (const slot of slots.splice(0)) slot.release('success');
		}
		return sizes;
	}

	test('starts at 8, and doubles with each round of successes up to 64', async () => {
		expect(await inRounds(5)).toEqual([8, 16, 32, 64, 64]);
	});

	test('is halved by a refusal, and then grows by one with each round of successes', async () => {
		for (const slot of await acquireEight()) slot.release(refusal());
		expect(await inRounds(7)).toEqual([4, 4, 5, 6, 7, 8, 9]);
	});

	test('is halved once for all refusals of one pause, and does not grow until it ends', async () => {
		const [first, ...others] = await acquireEight();
		for (let request = 0; request < 8; request++) void limiter.acquire();
		first?.release(refusal());
		for (const slot of others.slice(0, 5)) slot.release('success');
		await pass(50);
		expect(limiter.parallel).toBe(4);
		for (const slot of others.slice(5)) slot.release(refusal());
		await pass(50);
		expect(limiter.parallel).toBe(4);
	});

	test('is halved even if a charge comes between the pause and the next request', async () => {
		for (const slot of await acquireEight()) slot.release(refusal());
		await pass(2_000);
		limiter.acquireNow().release('success');
		expect(await inRounds(1)).toEqual([4]);
	});

	test('is halved by a time-out, without a pause', async () => {
		for (const slot of await acquireEight()) slot.release('timeout');
		expect(limiter.pauseLeftMs).toBe(0);
		expect(await inRounds(1)).toEqual([4]);
	});

	test('does not grow with answers that take more than ten seconds', async () => {
		const { maxInFlight } = await run(unlimited(() => 10_001)(clock), 20);
		expect([maxInFlight, limiter.parallel]).toEqual([8, 8]);
	});

	test('does not grow while it is not used', async () => {
		for (let request = 0; request < 20; request++) await run(unlimited()(clock), 1);
		expect(limiter.parallel).toBe(8);
	});
});

describe('the rate', () => {
	/** Seven successes and a refusal in 0.1 s, and a pause of 1 s: 7 / √(0.1 * 1.1) = 21 a second. */
	async function givenRateOf21(): Promise<void> {
		const [last, ...others] = await acquireEight();
		await pass(100);
		for (const slot of others) slot.release('success');
		last?.release(refusal(1_000));
		await pass(1_000);
	}

	/** When `count` requests that come together get their slots. */
	async function sendTimes(count: number): Promise<number[]> {
		const startedAt = clock.now();
		const times: number[] = [];
		const send = async () => {
			slots.push(await limiter.acquire());
			times.push(clock.now() - startedAt);
		};
		await clock.run(Promise.all(Array.from({ length: count }, send)));
		return times;
	}
	let slots: Array<Slot | undefined>;
	beforeEach(() => (slots = []));

	test('spaces requests from the first one after a pause or a break, without catching up', async () => {
		await givenRateOf21();
		expect(await sendTimes(3)).toEqual([0, 48, 96]);
		for (const slot of slots) slot?.release();
		await pass(2_000);
		expect(await sendTimes(3)).toEqual([0, 48, 96]);
	});

	test('grows even with answers that come after a refusal', async () => {
		await givenRateOf21();
		await sendTimes(8);
		// Without Retry-After, and with others in flight: the window is to be lowered, not the rate.
		slots.shift()?.release(refusal());
		for (const slot of slots.splice(0)) slot?.release('success');
		await pass(1_000);
		// Seven more: 28 a second.
		expect(await sendTimes(3)).toEqual([0, 36, 72]);
	});
});

describe('a refusal', () => {
	test('with Retry-After pauses all runs of the merchant, and those of no other', async () => {
		const limiterFor = createLimiters(clock);
		let requests = 0;
		const refusesThird: Gateway = async () => {
			const isThird = ++requests === 3;
			await clock.sleep(20);
			return isThird ? refusal(5_000) : 'success';
		};
		const [one, two, other] = await clock.run(
			Promise.all([
				sendAll(clock, limiterFor('merchant'), refusesThird, 20),
				sendAll(clock, limiterFor('merchant'), refusesThird, 20),
				sendAll(clock, limiterFor('another'), unlimited()(clock), 200),
			]),
		);
		const [refusedAt = NaN] = [...one.refusedAt, ...two.refusedAt];
		const isPaused = (at: number) => at > refusedAt && at < refusedAt + 5_000;
		expect([...one.sentAt, ...two.sentAt].filter(isPaused)).toEqual([]);
		expect(other.ms).toBeLessThan(200);
	});

	test.each([undefined, 0])(
		'with Retry-After %s pauses for longer with each try, for more than a second in all',
		async (retryAfterMs) => {
			const gateway: Gateway = async () => await Promise.resolve(refusal(retryAfterMs));
			const { sentAt, failed } = await run(gateway, 1);
			const pauses = sentAt.slice(1).map((at, index) => Math.round(at - (sentAt[index] ?? 0)));
			expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
			// Many gateways count requests by the second.
			expect(pauses.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(1_000);
			expect(failed).toBe(1);
		},
	);

	test('with Retry-After beyond a minute fails all that wait, and all that come meanwhile', async () => {
		const [first] = await acquireEight();
		const waiting = limiter.acquire();
		first?.release(refusal(61_000));
		expect(await waiting).toBeUndefined();
		expect(await limiter.acquire()).toBeUndefined();
		expect(limiter.pauseLeftMs).toBe(61_000);
	});

	test('with Retry-After beyond ten minutes blocks the merchant for ten minutes', async () => {
		limiter.acquireNow().release(refusal(1e12));
		expect(limiter.pauseLeftMs).toBe(600_000);
		await pass(540_000);
		expect(await clock.run(limiter.acquire())).toBeDefined();
		expect(limiter.pauseLeftMs).toBe(0);
	});

	test('fails a request that cannot wait for the end of the pause', async () => {
		const [first] = await acquireEight();
		const waiting = limiter.acquire({ withinMs: 2_000 });
		first?.release(refusal(3_000));
		expect(await waiting).toBeUndefined();
		expect(await limiter.acquire({ withinMs: 2_999 })).toBeUndefined();
		expect(await clock.run(limiter.acquire({ withinMs: 3_001 }))).toBeDefined();
	});
});

describe('the queue', () => {
	/** Logs the name of a request when it gets its slot, or when it is turned away. */
	function wait(name: string, log: string[], request: Parameters<Limiter['acquire']>[0]): void {
		void limiter.acquire(request).then((slot) => log.push(slot ? name : `${name} fails`));
	}
	const passTwoMs = async () => await pass(2);

	test('is first come, first served, but refused requests go first, the most often refused before the others', async () => {
		const log: string[] = [];
		const slots = await acquireEight();
		wait('a', log, { tries: 1 });
		wait('b', log, { tries: 1 });
		wait('refused once', log, { tries: 2 });
		wait('refused twice', log, { tries: 3 });
		wait('c', log, { tries: 1 });
		for (const slot of slots.slice(0, 5)) slot.release();
		await passTwoMs();
		expect(log).toEqual(['refused twice', 'refused once', 'a', 'b', 'c']);
	});

	test('is skipped by a charge, which counts as in flight', async () => {
		const log: string[] = [];
		const [first] = await acquireEight();
		wait('read', log, {});
		// The window is full, but the charge gets a slot.
		const charge = limiter.acquireNow();
		first?.release();
		await passTwoMs();
		expect(log).toEqual([]);
		charge.release();
		await passTwoMs();
		expect(log).toEqual(['read']);
	});

	test('drops the requests of a run as soon as it ends, even in a pause', async () => {
		const log: string[] = [];
		const ended = new AbortController();
		const addListener = jest.spyOn(ended.signal, 'addEventListener');
		const [first] = await acquireEight();
		first?.release(refusal(50_000));
		for (const name of ['this', 'that']) wait(name, log, { signal: ended.signal });
		wait('another run', log, {});
		ended.abort();
		await new Promise(setImmediate);
		expect(log).toEqual(['this fails', 'that fails']);
		// Node warns of a signal with more than ten listeners.
		expect(addListener).not.toHaveBeenCalled();
		expect(await limiter.acquire({ signal: ended.signal })).toBeUndefined();
	});

	test('keeps no timer when nobody waits any more', async () => {
		const ended = new AbortController();
		limiter.acquireNow().release(refusal(50_000));
		void limiter.acquire({ signal: ended.signal });
		expect(clock.sleeping).toBe(1);
		ended.abort();
		await new Promise(setImmediate);
		expect(clock.sleeping).toBe(0);
	});
});

test('requests that were released within a millisecond are sent together', async () => {
	const log: number[] = [];
	const slots = await acquireEight();
	for (let request = 0; request < 3; request++) {
		void limiter.acquire().then(() => log.push(clock.now()));
	}
	const startedAt = clock.now();
	for (const slot of slots.slice(0, 3)) {
		slot.release('success');
		await clock.run(clock.sleep(0.3));
	}
	await pass(2);
	expect(log.map((at) => at - startedAt)).toEqual([1, 1, 1]);
});

describe('what a limiter has learned', () => {
	let limiterFor: ReturnType<typeof createLimiters>;
	beforeEach(() => (limiterFor = createLimiters(clock)));

	test.each([
		['is kept for ten minutes', 599_000, 64],
		['is forgotten after that', 601_000, 8],
	])('%s', async (_, ms, parallel) => {
		await run(unlimited()(clock), 500, limiterFor('merchant'));
		await pass(ms);
		expect(limiterFor('merchant').parallel).toBe(parallel);
	});
});
