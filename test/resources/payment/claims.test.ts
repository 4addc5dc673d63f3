import fc from 'fast-check';

import { DeduplicationStore } from '../../engine';
import type { Fault } from './claimingWorkers';
import { WORKERS, settle, startChance, useVirtualTime, wait, workerOf } from './claimingWorkers';

/**
 * Workers of n8n that claim charges at once, in a store that loses writes as n8n's does, whose
 * accesses take long, fail before or after they are carried out, or never end, and in processes that
 * die. Whatever happens, no cart is charged twice.
 */

useVirtualTime();

const RUNS = Number(process.env.CLAIM_RUNS ?? 150);
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let carts = 0;
const freshCart = () => `cart-${++carts}`;

interface Attempt {
	worker: number;
	cart: string;
	/** When it begins, and how long the service takes to answer, in milliseconds. */
	at: number;
	takes: number;
	/** An attempt that is `dropped` finds its cart paid while it is claimed, or cannot find out. */
	answer: 'charged' | 'refused' | 'dropped';
}

type Plan = ReadonlyMap<number, Fault | 'dies'>;

/** Runs attempts. The store's accesses take these times, in their order, and fail as planned. */
async function play(
	attempts: readonly Attempt[],
	delays: readonly number[],
	{
		store = new DeduplicationStore(),
		plan = new Map(),
	}: { store?: DeduplicationStore; plan?: Plan } = {},
) {
	startChance();
	let steps = 0;
	store.step = async (at) => {
		if (at !== 'written') await wait(delays[steps++ % delays.length] ?? 0);
	};
	let accesses = 0;
	const dead = new Set<number>();
	const faultsOf = (worker: number) => () => {
		const fault = plan.get(accesses++);
		if (dead.has(worker)) return 'hangs';
		if (fault !== 'dies') return fault;
		dead.add(worker);
		return 'unanswered';
	};
	const verdicts: string[] = [];
	/** Charges that stand or are under way, and the most that there were of one cart at once. */
	const standing = new Map<string, number>();
	let most = 0;
	const count = (cart: string, by: 1 | -1) => {
		const now = (standing.get(cart) ?? 0) + by;
		standing.set(cart, now);
		most = Math.max(most, now);
	};
	// In a process charges of one cart take turns, and what it has sent it does not send again.
	const turns = new Map<string, Promise<unknown>>();
	const sentBy = new Set<string>();
	const attempt = async ({ worker, cart, takes, answer }: Attempt, turn: string) => {
		if (dead.has(worker) || sentBy.has(turn)) return;
		const claim = workerOf(worker, store, { faults: faultsOf(worker) }).claim(cart);
		claim.begin();
		if (answer === 'dropped') {
			await wait(takes % 300);
			return await claim.release({ isPaid: takes % 2 === 0 });
		}
		const verdict = await claim.win();
		verdicts.push(verdict);
		if (verdict !== 'ours') return await claim.release();
		if (dead.has(worker)) return;
		count(cart, 1);
		if (answer === 'charged') sentBy.add(turn);
		await Promise.all([wait(takes), claim.hold()]);
		// Whatever is answered to a process that has died, nobody gives its claim back.
		if (dead.has(worker) || answer === 'charged') return;
		count(cart, -1);
		await claim.release();
	};
	const all = attempts.map(async (each) => {
		await wait(each.at);
		const turn = `${each.worker} ${each.cart}`;
		const run = (turns.get(turn) ?? Promise.resolve()).then(async () => await attempt(each, turn));
		turns.set(turn, run);
		await run;
	});
	const over = Promise.all(all);
	await jest.advanceTimersByTimeAsync(400_000);
	await over;
	delete store.step;
	return { most, standing, verdicts };
}

const NAMES = ['A', 'B', 'C'];
const attemptsOf = (
	among: number,
	answers: ReadonlyArray<Attempt['answer']>,
	{ names = NAMES, within = 900, most = 8 } = {},
) =>
	fc
		.array(
			fc.record({
				worker: fc.nat({ max: among - 1 }),
				cart: fc.constantFrom(...names),
				at: fc.nat({ max: within }),
				takes: fc.nat({ max: 900 }),
				answer: fc.constantFrom(...answers),
			}),
			{ minLength: 2, maxLength: most },
		)
		.map((attempts) => {
			// Tokens are remembered, so each play has carts of its own.
			const fresh = new Map(names.map((name) => [name, freshCart()]));
			return attempts.map((each) => ({ ...each, cart: fresh.get(each.cart) ?? '' }));
		});
const quick = fc.array(fc.nat({ max: 90 }), { minLength: 1, maxLength: 40 });
/** Two of them make an access: some take longer than the pause. */
const slow = fc.array(
	fc.oneof(
		fc.nat({ max: 20 }),
		fc.integer({ min: 80, max: 120 }),
		fc.integer({ min: 120, max: 300 }),
	),
	{ minLength: 1, maxLength: 40 },
);
const planOf = (...faults: Array<Fault | 'dies'>) =>
	fc
		.array(fc.tuple(fc.nat({ max: 60 }), fc.constantFrom(...faults)), { maxLength: 6 })
		.map((each): Plan => new Map(each));

/** Whether a worker can claim a cart; what it has claimed it keeps. */
const taken = async (store: DeduplicationStore, worker: number, cart: string) =>
	await settle(workerOf(worker, store).claim(cart).take());

test('of two workers with one cart exactly one charges, whichever way their accesses interleave', async () => {
	// Each of the first six accesses is quick or slow: 64 ways, at each of six distances.
	for (const distance of [0, 1, 50, 100, 180, 260]) {
		for (let bits = 0; bits < 64; bits++) {
			const delays = Array.from({ length: 6 }, (_, index) => ((bits >> index) & 1 ? 90 : 2));
			const attempt = { cart: freshCart(), takes: 100, answer: 'charged' } as const;
			const two = [
				{ ...attempt, worker: 0, at: 0 },
				{ ...attempt, worker: 1, at: distance },
			];
			const { verdicts, standing } = await play(two, delays);
			expect([distance, delays, verdicts.sort(), [...standing.values()]]).toEqual([
				distance,
				delays,
				['charging', 'ours'],
				[1],
			]);
		}
	}
}, 60_000);

describe('at random', () => {
	test('no cart is charged twice, and hardly one is charged by nobody', async () => {
		let unpaid = 0;
		const all = attemptsOf(3, ['charged']);
		await fc.assert(
			fc.asyncProperty(all, quick, async (attempts, delays) => {
				const { most, standing, verdicts } = await play(attempts, delays);
				expect(most).toBeLessThanOrEqual(1);
				const asked = new Set(attempts.map(({ cart }) => cart));
				if (!verdicts.includes('failed') && standing.size < asked.size) unpaid += 1;
			}),
			{ numRuns: RUNS },
		);
		// Where three write at once, two that claim one cart can each see nobody but the other.
		expect(unpaid).toBeLessThanOrEqual(Math.floor(RUNS / 500));
	}, 1_800_000);

	test('nor when some are refused or dropped, or an access takes long', async () => {
		const all = attemptsOf(WORKERS, ['charged', 'refused', 'dropped'], { most: 16 });
		await fc.assert(
			fc.asyncProperty(all, slow, async (attempts, delays) => {
				expect((await play(attempts, delays)).most).toBeLessThanOrEqual(1);
			}),
			{ numRuns: RUNS },
		);
	}, 1_800_000);

	test('nor when accesses fail, hang or end with their process', async () => {
		const all = attemptsOf(4, ['charged', 'refused', 'refused', 'dropped'], {
			names: ['A'],
			within: 6_000,
		});
		const plans = planOf('refused', 'lost', 'lost', 'hangs', 'unanswered', 'dies');
		await fc.assert(
			fc.asyncProperty(all, quick, plans, async (attempts, delays, plan) => {
				expect((await play(attempts, delays, { plan })).most).toBeLessThanOrEqual(1);
			}),
			{ numRuns: RUNS },
		);
	}, 1_800_000);

	test('one access that is not carried out blocks no cart for long, unless it decides', async () => {
		const all = attemptsOf(1, ['refused', 'dropped'], { names: ['A'], within: 6_000 });
		const plans = fc.tuple(fc.nat({ max: 40 }), fc.constantFrom<Fault>('refused', 'hangs'));
		await fc.assert(
			fc.asyncProperty(all, quick, plans, async (attempts, delays, [nth, fault]) => {
				const store = new DeduplicationStore();
				const plan = new Map([[nth, fault]]);
				const { verdicts } = await play(attempts, delays, { store, plan });
				if (verdicts.includes('perhapsSent')) return;
				const [{ cart } = { cart: '' }] = attempts;
				expect(await taken(store, 5, cart)).toBe('ours');
				expect(await taken(store, 4, cart)).toBe('charging');
			}),
			{ numRuns: RUNS },
		);
	}, 1_800_000);
});

test('a claim says for two minutes that the charge is under way, and for three days that it is sent', async () => {
	const store = new DeduplicationStore();
	const cart = freshCart();
	expect(await taken(store, 0, cart)).toBe('ours');
	expect(await taken(store, 1, cart)).toBe('charging');
	await jest.advanceTimersByTimeAsync(2 * MINUTE);
	// Who asks, even each day, makes it no longer.
	for (let day = 1; day <= 3; day++) {
		expect(await taken(store, day, cart)).toBe('sent');
		await jest.advanceTimersByTimeAsync(DAY);
	}
	await jest.advanceTimersByTimeAsync(DAY);
	expect(await taken(store, 1, cart)).toBe('ours');
});

test('a worker that died before its claim was won blocks its cart for two minutes', async () => {
	const store = new DeduplicationStore();
	const cart = freshCart();
	workerOf(0, store).claim(cart).begin();
	await jest.advanceTimersByTimeAsync(5_000);
	expect(await taken(store, 1, cart)).toBe('charging');
	await jest.advanceTimersByTimeAsync(2 * MINUTE);
	expect(await taken(store, 1, cart)).toBe('ours');
});

test('at midnight and at the full minute, two workers do not both charge', async () => {
	for (const before of [10, 150, 400, 700]) {
		jest.setSystemTime(new Date('2026-03-01T00:00:00Z').getTime() - before);
		const attempt = { cart: freshCart(), takes: 100, answer: 'charged' } as const;
		const two = [
			{ ...attempt, worker: 0, at: 0 },
			{ ...attempt, worker: 1, at: before + 20 },
		];
		expect((await play(two, [5])).standing.get(attempt.cart)).toBe(1);
	}
});

const faults: Fault[] = ['refused', 'lost', 'hangs', 'unanswered'];

test.each(faults)(
	'an access that is %s blocks the cart for days only where it decides',
	async (fault) => {
		const outcomes: unknown[] = [];
		for (let nth = 1; nth <= 4; nth++) {
			const store = new DeduplicationStore();
			const cart = freshCart();
			let adds = 0;
			const worker = workerOf(0, store, {
				faults: (kind) => (kind === 'add' && ++adds === nth ? fault : undefined),
			});
			const claim = worker.claim(cart);
			const verdict = await settle(claim.take());
			await settle(claim.release());
			await jest.advanceTimersByTimeAsync(2 * MINUTE);
			outcomes.push([verdict, await taken(store, 1, cart)]);
		}
		const isCarriedOut = fault === 'lost' || fault === 'unanswered';
		expect(outcomes).toEqual([
			['failed', 'ours'],
			['failed', 'ours'],
			['perhapsSent', isCarriedOut ? 'sent' : 'ours'],
			['perhapsSent', 'sent'],
		]);
	},
);

test.each(faults)('a removal that is %s after a refusal leaves no cart blocked', async (fault) => {
	for (let nth = 1; nth <= 2; nth++) {
		const store = new DeduplicationStore();
		const cart = freshCart();
		let removals = 0;
		const worker = workerOf(0, store, {
			faults: (kind) => (kind === 'remove' && ++removals === nth ? fault : undefined),
		});
		const claim = worker.claim(cart);
		expect(await settle(claim.take())).toBe('ours');
		await settle(claim.hold());
		await settle(claim.release());
		expect([nth, await taken(store, 1, cart)]).toEqual([nth, 'ours']);
	}
});

test('what was refused leaves nothing of it in the store, and what was charged eight hashes', async () => {
	const store = new DeduplicationStore();
	const rows = () => [...store.rows.values()].flat().length;
	const refused = workerOf(0, store).claim(freshCart());
	await settle(refused.take());
	await settle(refused.release());
	expect(rows()).toBe(0);
	await taken(store, 0, freshCart());
	expect(rows()).toBe(8);
});

test('two pauses take at most 0.6 seconds, and what is paid waits for none', async () => {
	const store = new DeduplicationStore();
	const started = performance.now();
	let took = 0;
	await settle(
		workerOf(0, store)
			.claim(freshCart())
			.take()
			.then(() => (took = performance.now() - started)),
	);
	expect(took).toBeLessThanOrEqual(600);
	const dropped = workerOf(0, store).claim(freshCart());
	dropped.begin();
	await jest.advanceTimersByTimeAsync(20);
	let isOver = false;
	void dropped.release({ isPaid: true }).then(() => (isOver = true));
	await jest.advanceTimersByTimeAsync(10);
	expect(isOver).toBe(true);
});

test('sixty executions at once, and a store that takes its time: each gets its claim', async () => {
	const store = new DeduplicationStore();
	store.step = async (at) => {
		if (at !== 'written') await wait(30);
	};
	const tasks = Array.from({ length: 60 }, async () => {
		return await workerOf(0, store).claim(freshCart()).take();
	});
	const verdicts = await settle(Promise.all(tasks), 120_000);
	expect(new Set(verdicts)).toEqual(new Set(['ours']));
});

test('a store that is too slow to be sure lets nothing through', async () => {
	const store = new DeduplicationStore();
	store.step = async (at) => {
		if (at !== 'written') await wait(130);
	};
	expect(await settle(workerOf(0, store).claim(freshCart()).take(), 2 * MINUTE)).toBe('failed');
});

describe('an access that never ends', () => {
	const hanging = (nth: number) => {
		let adds = 0;
		return () => (++adds === nth ? ('hangs' as const) : undefined);
	};

	test('ends the claim after five seconds, and no other waits for it long', async () => {
		const store = new DeduplicationStore();
		const first = workerOf(0, store, { faults: hanging(1) })
			.claim(freshCart())
			.take();
		// Those of another workflow at once, and those of this one some seconds later.
		const other = workerOf(0, store, { workflow: 'workflow-2' }).claim(freshCart()).take();
		expect(await settle(other, 2_000)).toBe('ours');
		const same = workerOf(0, store).claim(freshCart()).take();
		expect(await settle(first, 4_000)).toBe('failed');
		expect(await settle(same, 2_000)).toBe('ours');
	});

	test('after the charge has left, does not keep back its answer', async () => {
		const store = new DeduplicationStore();
		const cart = freshCart();
		const claim = workerOf(0, store, { faults: hanging(5) }).claim(cart);
		expect(await settle(claim.take())).toBe('ours');
		const started = performance.now();
		let held = Infinity;
		void claim.hold().then(() => (held = performance.now() - started));
		await jest.advanceTimersByTimeAsync(10_000);
		expect(held).toBeLessThan(2_500);
		// Refused, it can still be given back.
		await settle(claim.release());
		expect(await taken(store, 1, cart)).toBe('ours');
	});
});

describe('where n8n has no store, nothing is claimed', () => {
	const failing = (code: string) => {
		const store = new DeduplicationStore();
		const failure = Object.assign(new Error(`SQLITE_CONSTRAINT: ${code} constraint failed`), {
			code,
		});
		store.checkProcessedAndRecord = async () => await Promise.reject(failure);
		store.removeProcessed = async () => await Promise.reject(failure);
		return store;
	};

	test.each([
		['it was never started', failing('ERR_ASSERTION'), 'workflow-1'],
		['it knows no such workflow', failing('FOREIGN KEY'), 'workflow-1'],
		['the workflow was never saved', new DeduplicationStore(), ''],
	])('as when %s', async (_, store, workflow) => {
		for (let times = 0; times < 2; times++) {
			const claim = workerOf(0, store, { workflow }).claim('any');
			expect(await settle(claim.take())).toBe('ours');
			await settle(claim.hold());
			await settle(claim.release());
		}
		expect(store.rows.size).toBe(0);
	});

	test('but of two workers that write the first row at once, one finds the other', async () => {
		const store = new DeduplicationStore();
		const cart = freshCart();
		const verdicts = [0, 1].map(async (worker) => await workerOf(worker, store).claim(cart).take());
		expect((await settle(Promise.all(verdicts))).sort()).toEqual(['charging', 'ours']);
	});
});
