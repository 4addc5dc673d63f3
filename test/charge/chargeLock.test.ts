import fc from 'fast-check';
import { sleep as wait } from 'n8n-workflow';

import { createKeyedMutex } from '../../nodes/PaymentsGateway/gateway/keyedMutex';
import { DAY, MINUTE } from '../durations';
import { DeduplicationStore } from '../engine';
import type { Fault, Faults } from './lockingWorkers';
import { WORKERS, lockBy, resultOf, useVirtualTime } from './lockingWorkers';

/**
 * Workers of n8n lock charges at the same time, in a store that loses writes as n8n's does. Its accesses
 * take long, fail before or after they are carried out, or never end; processes die. Whatever happens,
 * no cart is charged twice.
 */

useVirtualTime();

const RUNS = Number(process.env.LOCK_RUNS ?? 60);
/** Runs in which three workers charge one cart in a busy row: 20 did not show that the mutex was missing. */
const BUSY_RUNS = Math.ceil(RUNS / 2);

const CART = 'cart';

interface Attempt {
	worker: number;
	cart: string;
	/** When it begins, and how long the gateway takes to answer, in milliseconds. */
	at: number;
	takes: number;
	answer: 'charged' | 'refused';
}

/** How accesses to the store fail, by their number. `dies` ends their process, too. */
type Plan = ReadonlyMap<number, Fault | 'dies'>;

/** Lets accesses to the store fail as planned. */
class PlannedFaults {
	/** Workers whose process has ended. */
	readonly dead = new Set<number>();
	/** A write of the phase `sent` has failed. It may have been carried out all the same. */
	hasSentFailed = false;
	private accesses = 0;

	constructor(private readonly plan: Plan) {}

	of(worker: number): Faults {
		return (method, entries) => {
			const fault = this.plan.get(this.accesses++);
			const isAdded = method === 'checkProcessedAndRecord';
			this.hasSentFailed ||= fault !== undefined && isAdded && /:tenDays\d/.test(entries.join());
			if (this.dead.has(worker)) return 'hangs';
			if (fault !== 'dies') return fault;
			this.dead.add(worker);
			return 'unanswered';
		};
	}
}

interface Conditions {
	/** Milliseconds before the reads and writes of the store, in their order, again and again. */
	delays: readonly number[];
	/** Milliseconds before each read, which then takes none of the delays. */
	beforeReadMs?: number;
	plan?: Plan;
	store?: DeduplicationStore;
}

async function play(
	attempts: readonly Attempt[],
	{ delays, beforeReadMs, plan = new Map(), store = new DeduplicationStore() }: Conditions,
) {
	let steps = 0;
	store.step = async (at) => {
		if (at === 'written') return;
		const isFixed = at === 'read' && beforeReadMs !== undefined;
		await wait(isFixed ? beforeReadMs : (delays[steps++ % delays.length] ?? 0));
	};
	const faults = new PlannedFaults(plan);
	/** Charges of each cart that were made or are under way. */
	const charges = new Map<string, number>();
	const chargedTwice = new Set<string>();
	const results: string[] = [];
	// A process charges a cart in one execution at a time, and never again what it has sent.
	const mutex = createKeyedMutex();
	const sentBy = new Set<string>();
	const attempt = async ({ worker, cart, takes, answer }: Attempt) => {
		if (faults.dead.has(worker) || sentBy.has(`${worker} ${cart}`)) return;
		const lock = lockBy(worker, store, cart, { faults: faults.of(worker) });
		const result = await lock.acquire();
		results.push(result);
		if (result !== 'acquired' || faults.dead.has(worker)) return;
		const others = charges.get(cart) ?? 0;
		if (others > 0) chargedTwice.add(cart);
		charges.set(cart, others + 1);
		if (answer === 'charged') sentBy.add(`${worker} ${cart}`);
		await Promise.all([wait(takes), lock.renew()]);
		// A process that has died releases no lock.
		if (faults.dead.has(worker) || answer === 'charged') return;
		charges.set(cart, (charges.get(cart) ?? 0) - 1);
		await lock.release();
	};
	const all = attempts.map(async (each) => {
		await wait(each.at);
		await mutex.run([`${each.worker} ${each.cart}`], async () => await attempt(each));
	});
	await resultOf(Promise.all(all), 400_000);
	delete store.step;
	return { charges, chargedTwice, results, hasSentFailed: faults.hasSentFailed };
}

/** Lets a worker try to acquire the lock of the cart, and keep it. */
const acquireBy = async (store: DeduplicationStore, worker: number) =>
	await resultOf(lockBy(worker, store, CART).acquire());

/** A lock on the cart, acquired by worker 0. */
async function givenLock(store: DeduplicationStore, cart = CART) {
	const lock = lockBy(0, store, cart);
	expect(await resultOf(lock.acquire(), 600)).toBe('acquired');
	return lock;
}

/** A lock whose charge is on its way. */
async function givenLockOfSentCharge(store: DeduplicationStore, cart = CART) {
	const lock = await givenLock(store, cart);
	await resultOf(lock.renew());
	return lock;
}

/** Attempts to charge, which succeed and all take equally long. */
const chargesTaking = (
	takes: number,
	starts: ReadonlyArray<Pick<Attempt, 'worker' | 'cart' | 'at'>>,
): Attempt[] => starts.map((start) => ({ ...start, takes, answer: 'charged' }));

/** Two workers that charge one cart, the second this much later. */
const twoAfter = (at: number) =>
	chargesTaking(100, [
		{ worker: 0, cart: CART, at: 0 },
		{ worker: 1, cart: CART, at },
	]);

const ROW = 'workflow-1 n:node-1';

test.each([
	['the row exists already', ['another']],
	['the row does not exist yet', undefined],
])(
	'of two workers with one cart exactly one charges, however their accesses interleave, if %s',
	async (_, row) => {
		// Each of the first six accesses is quick or slow: 64 ways, at each of six distances.
		for (const distance of [0, 1, 50, 100, 180, 260]) {
			for (let bits = 0; bits < 64; bits++) {
				const store = new DeduplicationStore();
				if (row) store.rows.set(ROW, row);
				const delays = Array.from({ length: 6 }, (_, index) => ((bits >> index) & 1 ? 90 : 2));
				const { results, charges } = await play(twoAfter(distance), { delays, store });
				const counts = [...charges.values()];
				expect({ distance, delays, results: results.sort(), counts }).toEqual({
					distance,
					delays,
					results: ['acquired', 'charging'],
					counts: [1],
				});
			}
		}
	},
	60_000,
);

test('at midnight and at the full minute, two workers do not both charge', async () => {
	for (const before of [10, 150, 400, 700]) {
		jest.setSystemTime(new Date('2026-03-01T00:00:00Z').getTime() - before);
		const { charges } = await play(twoAfter(before + 20), { delays: [5] });
		expect(charges.get(CART)).toBe(1);
	}
});

test('if slow writes restore two versions of the row alternately, one charge per cart is made', async () => {
	const attempts = chargesTaking(0, [
		{ worker: 0, cart: 'A', at: 0 },
		{ worker: 4, cart: 'A', at: 437 },
		{ worker: 3, cart: 'B', at: 337 },
		{ worker: 2, cart: 'A', at: 13 },
		{ worker: 0, cart: 'A', at: 31 },
		{ worker: 2, cart: 'B', at: 249 },
		{ worker: 0, cart: 'A', at: 28 },
		{ worker: 5, cart: 'C', at: 13 },
	]);
	const { charges } = await play(attempts, { delays: [0, 260, 14, 80, 0, 0, 0, 113] });
	expect([...charges.values()]).toEqual([1, 1, 1]);
});

test('if accesses are slow, the pauses are long enough for one of two workers to charge', async () => {
	const attempts = chargesTaking(50, [
		{ worker: 2, cart: 'A', at: 157 },
		{ worker: 5, cart: 'B', at: 63 },
		{ worker: 3, cart: 'A', at: 8 },
	]);
	const delays = [
		180, 0, 183, 69, 2, 183, 98, 5, 17, 5, 156, 91, 3, 181, 183, 7, 6, 0, 3, 193, 185, 2, 7, 14, 1,
		191, 20, 0, 27, 1,
	];
	const { charges } = await play(attempts, { delays, beforeReadMs: 1 });
	expect([...charges.values()]).toEqual([1, 1]);
});

test('no cart is charged twice if an access takes 0.7 seconds and a slow write restores an old row', async () => {
	const store = new DeduplicationStore();
	store.rows.set(ROW, ['another']);
	// With one check instead of two, both workers would charge A.
	const attempts = chargesTaking(50, [
		{ worker: 0, cart: 'A', at: 100 },
		{ worker: 1, cart: 'A', at: 700 },
		{ worker: 2, cart: 'C', at: 50 },
	]);
	const delays = [0, 600, 0, 0, 0, 600, 0, 0, 0, 400, 0, 0, 0, 300, 0, 600, 0];
	const { chargedTwice } = await play(attempts, { delays, store });
	expect([...chargedTwice]).toEqual([]);
});

describe('at random', () => {
	const crowd = { carts: ['A', 'B', 'C'], within: 900, most: 8 };
	const largeCrowd = { ...crowd, most: 16 };
	const sameCart = { carts: [CART], within: 6_000, most: 8 };
	/** Lists of attempts: each begins within these milliseconds, and ends with one of these answers. */
	const attemptsBy = (
		workers: number,
		answers: ReadonlyArray<Attempt['answer']>,
		{ carts, within, most }: typeof crowd,
	) =>
		fc.array(
			fc.record({
				worker: fc.nat({ max: workers - 1 }),
				cart: fc.constantFrom(...carts),
				at: fc.nat({ max: within }),
				takes: fc.nat({ max: 900 }),
				answer: fc.constantFrom(...answers),
			}),
			{ minLength: 2, maxLength: most },
		);
	const delaysOf = (...ranges: Array<[min: number, max: number]>) => {
		const delay = fc.oneof(...ranges.map(([min, max]) => fc.integer({ min, max })));
		return fc.array(delay, { minLength: 1, maxLength: 40 });
	};
	const quick = delaysOf([0, 90]);
	/** An access takes two of these delays, and can take longer than the lock's pause. */
	const slow = delaysOf([0, 20], [80, 120], [120, 300]);

	const kinds: Fault[] = ['refused', 'lost', 'hangs', 'unanswered'];
	const fault = fc.tuple(fc.nat({ max: 60 }), fc.constantFrom(...kinds, 'lost', 'dies'));
	const faults = fc.array(fault, { maxLength: 6 }).map((each): Plan => new Map(each));
	const none = fc.constant<Plan>(new Map());

	const charged = attemptsBy(3, ['charged'], crowd);
	const someRefused = attemptsBy(WORKERS, ['charged', 'refused'], largeCrowd);
	const mostRefused = attemptsBy(4, ['charged', 'refused', 'refused'], sameCart);

	test.each([
		// If three workers write together, two with the same cart can each find the other's names, and
		// both give up.
		['and at most one run in 500 leaves a cart uncharged', charged, quick, none, RUNS / 500],
		['if some are refused, or an access takes long', someRefused, slow, none, Infinity],
		['if accesses fail, hang or end with their process', mostRefused, quick, faults, Infinity],
	])(
		'no cart is charged twice, %s',
		async (_, attempts, delays, plans, mostUncharged) => {
			let uncharged = 0;
			const holds = async (all: Attempt[], times: number[], plan: Plan) => {
				const { chargedTwice, charges, results } = await play(all, { delays: times, plan });
				expect([...chargedTwice]).toEqual([]);
				const carts = new Set(all.map(({ cart }) => cart));
				if (!results.includes('storeFailed') && charges.size < carts.size) uncharged += 1;
			};
			await fc.assert(fc.asyncProperty(attempts, delays, plans, holds), { numRuns: RUNS });
			expect(uncharged).toBeLessThanOrEqual(mostUncharged);
		},
		1_800_000,
	);

	test('each cart is charged exactly once in a busy row, with ten other charges a worker', async () => {
		const busy = fc.array(fc.nat({ max: 900 }), { minLength: 10, maxLength: 10 });
		const worker = fc.record({ at: fc.nat({ max: 900 }), others: busy });
		const workers = fc.tuple(worker, worker, worker);
		const long = fc.array(fc.integer({ min: 20, max: 150 }), { minLength: 40, maxLength: 40 });
		const wrong = { twice: 0, byNobody: 0 };
		await fc.assert(
			fc.asyncProperty(workers, long, async (all, delays) => {
				const starts = all.flatMap(({ at, others }, worker) => [
					{ worker, cart: CART, at },
					...others.map((begins, index) => ({ worker, cart: `${worker} ${index}`, at: begins })),
				]);
				const attempts = chargesTaking(300, starts);
				const { charges, chargedTwice } = await play(attempts, { delays, beforeReadMs: 1 });
				wrong.twice += chargedTwice.size;
				wrong.byNobody += 31 - charges.size;
			}),
			{ numRuns: BUSY_RUNS },
		);
		expect(wrong).toEqual({ twice: 0, byNobody: 0 });
	}, 1_800_000);

	test('one access that fails blocks no cart for long, unless it may have stored that the charge was sent', async () => {
		const failure = fc.tuple(fc.nat({ max: 40 }), fc.constantFrom(...kinds));
		const refused = attemptsBy(1, ['refused'], sameCart);
		await fc.assert(
			fc.asyncProperty(refused, quick, failure, async (all, delays, fails) => {
				const store = new DeduplicationStore();
				const plan: Plan = new Map([fails]);
				const { results, hasSentFailed } = await play(all, { delays, plan, store });
				if (hasSentFailed && results.includes('storeFailed')) return;
				await jest.advanceTimersByTimeAsync(2 * MINUTE);
				const later = [await acquireBy(store, 5), await acquireBy(store, 4)];
				expect(later).toEqual(['acquired', 'charging']);
			}),
			{ numRuns: RUNS },
		);
	}, 1_800_000);
});

test('for two minutes a lock shows that the charge is under way, and for 30 days that it was sent', async () => {
	const store = new DeduplicationStore();
	await givenLock(store);
	expect(await acquireBy(store, 1)).toBe('charging');
	await jest.advanceTimersByTimeAsync(2 * MINUTE);
	// Daily attempts do not prolong it beyond the end of its period of ten days.
	for (let day = 1; day <= 30; day++) {
		expect([day, await acquireBy(store, day % WORKERS)]).toEqual([day, 'sent']);
		await jest.advanceTimersByTimeAsync(DAY);
	}
	await jest.advanceTimersByTimeAsync(10 * DAY);
	expect(await acquireBy(store, 1)).toBe('acquired');
});

test('a worker whose clock is still in the period before finds that the charge was sent', async () => {
	const store = new DeduplicationStore();
	jest.setSystemTime(new Date('2026-03-01T00:00:10Z'));
	await givenLockOfSentCharge(store);
	jest.setSystemTime(new Date('2026-02-28T23:59:00Z'));
	expect(await acquireBy(store, 1)).toBe('sent');
});

const entriesIn = (store: DeduplicationStore) => [...store.rows.values()].flat().length;

test('a charge that was sent keeps three entries in the store, which has room for 8,300 charges', async () => {
	const store = new DeduplicationStore();
	await givenLockOfSentCharge(store);
	expect(await acquireBy(store, 1)).toBe('sent');
	expect(entriesIn(store)).toBe(3);
	// The entries of 8,300 other charges. Locking each of them would take long.
	store.rows.get(ROW)?.push(...Array.from({ length: 3 * 8_300 }, (_, index) => `${index}`));
	await givenLockOfSentCharge(store, 'other cart');
	expect(await acquireBy(store, 1)).toBe('sent');
});

test('a free lock is acquired within 0.6 seconds, and leaves nothing in the store after a refusal', async () => {
	const store = new DeduplicationStore();
	const refused = await givenLock(store);
	await resultOf(refused.release());
	expect(entriesIn(store)).toBe(0);
});

test('a lock that a very slow write has dropped is restored while its charge is under way', async () => {
	const store = new DeduplicationStore();
	const lock = await givenLock(store);
	store.rows.clear();
	await resultOf(lock.renew());
	expect(await acquireBy(store, 1)).toBe('sent');
});

test('a lock that the write of another worker restores after its release is released again', async () => {
	const store = new DeduplicationStore();
	const lock = await givenLockOfSentCharge(store);
	store.step = async (at) => {
		if (at !== 'write') return;
		delete store.step;
		await wait(100);
	};
	const other = lockBy(1, store, 'other cart').acquire();
	await jest.advanceTimersByTimeAsync(50);
	await resultOf(lock.release());
	expect(await other).toBe('acquired');
	expect(await acquireBy(store, 2)).toBe('acquired');
});

test('an access that never ends fails after five seconds, and other charges go on', async () => {
	const store = new DeduplicationStore();
	let accesses = 0;
	const faults = () => (++accesses === 1 ? 'hangs' : undefined);
	const first = lockBy(0, store, CART, { faults }).acquire();
	// Another workflow does not wait; this one waits five seconds.
	const other = lockBy(0, store, 'cart 2', { workflow: 'workflow-2' }).acquire();
	expect(await resultOf(other, 2_000)).toBe('acquired');
	const same = lockBy(0, store, 'cart 3').acquire();
	expect(await resultOf(first, 4_000)).toBe('storeFailed');
	expect(await resultOf(same, 2_000)).toBe('acquired');
});

test.each([
	['sixty simultaneous executions each acquire their lock', 60, 30, 'acquired'],
	['nothing is charged, since the lock cannot be confirmed in time', 1, 130, 'storeFailed'],
])('if the store is slow, %s', async (_, executions, delay, result) => {
	const store = new DeduplicationStore();
	store.step = async (at) => {
		if (at !== 'written') await wait(delay);
	};
	const all = Array.from(
		{ length: executions },
		async (__, index) => await lockBy(0, store, `cart ${index}`).acquire(),
	);
	const results = await resultOf(Promise.all(all), 2 * MINUTE);
	expect(new Set(results)).toEqual(new Set([result]));
});

const notStarted = Object.assign(new Error('Not started'), { code: 'ERR_ASSERTION' });
const unknownWorkflow = new Error('SQLITE_CONSTRAINT: FOREIGN KEY constraint failed');

test.each([
	['the store was never started', notStarted, 'workflow-1'],
	['the database does not have the workflow', unknownWorkflow, 'workflow-1'],
	['the workflow was never saved', undefined, ''],
])('every lock is acquired if n8n has no store for the node: %s', async (_, error, workflow) => {
	const store = new DeduplicationStore();
	store.step = () => {
		if (error !== undefined) throw error;
	};
	for (let times = 0; times < 2; times++) {
		const lock = lockBy(0, store, 'any', { workflow });
		expect(await resultOf(lock.acquire())).toBe('acquired');
		await resultOf(lock.renew());
		await resultOf(lock.release());
	}
	expect(store.rows.size).toBe(0);
});
