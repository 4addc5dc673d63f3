import fc from 'fast-check';

import { DeduplicationStore } from '../../engine';
import type { Fault, Faults } from './claimingWorkers';
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
	answer: 'charged' | 'refused';
}

/** What becomes of the accesses to the store, by their number. */
type Plan = ReadonlyMap<number, Fault | 'dies'>;

/** Runs attempts. The store's accesses take these times, in their order, and fail as planned. */
async function play(
	attempts: readonly Attempt[],
	delays: readonly number[],
	plan: Plan = new Map(),
	store = new DeduplicationStore(),
) {
	startChance();
	let steps = 0;
	store.step = async (at) => {
		if (at !== 'written') await wait(delays[steps++ % delays.length] ?? 0);
	};
	let accesses = 0;
	const dead = new Set<number>();
	const faultsOf =
		(worker: number): Faults =>
		() => {
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
		const verdict = await claim.take();
		verdicts.push(verdict);
		if (verdict !== 'ours' || dead.has(worker)) return;
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
	await settle(Promise.all(all), 400_000);
	delete store.step;
	return { most, standing, verdicts };
}

/** Whether a worker can claim a cart; what it has claimed it keeps. */
const taken = async (store: DeduplicationStore, worker: number, cart: string) =>
	await settle(workerOf(worker, store).claim(cart).take());

/** Two workers that charge one cart, the second so much later. */
const twoOf = (cart: string, at: number): Attempt[] => [
	{ worker: 0, cart, at: 0, takes: 100, answer: 'charged' },
	{ worker: 1, cart, at, takes: 100, answer: 'charged' },
];

test.each([
	['writes are lost', ['another']],
	['the row is yet to be made', undefined],
])(
	'of two workers with one cart exactly one charges, whichever way their accesses interleave, where %s',
	async (_, row) => {
		// Each of the first six accesses is quick or slow: 64 ways, at each of six distances.
		for (const distance of [0, 1, 50, 100, 180, 260]) {
			for (let bits = 0; bits < 64; bits++) {
				const store = new DeduplicationStore();
				if (row) store.rows.set('workflow-1 n:node-1', row);
				const delays = Array.from({ length: 6 }, (_, index) => ((bits >> index) & 1 ? 90 : 2));
				const two = twoOf(freshCart(), distance);
				const { verdicts, standing } = await play(two, delays, undefined, store);
				const come = { verdicts: verdicts.sort(), charges: [...standing.values()] };
				const one = { verdicts: ['charging', 'ours'], charges: [1] };
				expect({ distance, delays, ...come }).toEqual({ distance, delays, ...one });
			}
		}
	},
	60_000,
);

test('at midnight and at the full minute, two workers do not both charge', async () => {
	for (const before of [10, 150, 400, 700]) {
		jest.setSystemTime(new Date('2026-03-01T00:00:00Z').getTime() - before);
		const cart = freshCart();
		expect((await play(twoOf(cart, before + 20), [5])).standing.get(cart)).toBe(1);
	}
});

test('of two versions of the row that slow writes put back in turns, one is believed', async () => {
	const [A, B, C] = [freshCart(), freshCart(), freshCart()];
	const attempts: Array<[worker: number, cart: string, at: number]> = [
		[0, A, 0],
		[0, A, 0],
		[4, A, 437],
		[3, B, 337],
		[2, A, 13],
		[0, A, 0],
		[2, B, 230],
		[3, A, 28],
		[2, C, 13],
	];
	const { standing } = await play(
		attempts.map(([worker, cart, at]) => ({ worker, cart, at, takes: 0, answer: 'charged' })),
		[0, 223, 14, 105, 0, 2, 5, 111],
	);
	expect([...standing.values()]).toEqual([1, 1, 1]);
});

describe('at random', () => {
	const attemptsOf = (
		among: number,
		answers: ReadonlyArray<Attempt['answer']>,
		{ names = ['A', 'B', 'C'], within = 900, most = 8 } = {},
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
	const delaysOf = (...ranges: Array<[min: number, max: number]>) => {
		const delay = fc.oneof(...ranges.map(([min, max]) => fc.integer({ min, max })));
		return fc.array(delay, { minLength: 1, maxLength: 40 });
	};
	const quick = delaysOf([0, 90]);
	/** Two of them make an access: some take longer than the pause. */
	const slow = delaysOf([0, 20], [80, 120], [120, 300]);
	const planOf = (...faults: Array<Fault | 'dies'>) =>
		fc
			.array(fc.tuple(fc.nat({ max: 60 }), fc.constantFrom(...faults)), { maxLength: 6 })
			.map((each): Plan => new Map(each));
	const one = { names: ['A'], within: 6_000 };

	const noFaults = fc.constant<Plan>(new Map());
	const faults = planOf('refused', 'lost', 'lost', 'hangs', 'unanswered', 'dies');

	test.each<[string, fc.Arbitrary<Attempt[]>, fc.Arbitrary<number[]>, fc.Arbitrary<Plan>, number]>([
		// Where three write at once, two that claim one cart can each see nobody but the other.
		['and hardly one by nobody', attemptsOf(3, ['charged']), quick, noFaults, RUNS / 500],
		[
			'also when some are refused, or an access takes long',
			attemptsOf(WORKERS, ['charged', 'refused'], { most: 16 }),
			slow,
			noFaults,
			Infinity,
		],
		[
			'also when accesses fail, hang or end with their process',
			attemptsOf(4, ['charged', 'refused', 'refused'], one),
			quick,
			faults,
			Infinity,
		],
	])(
		'no cart is charged twice, %s',
		async (_, attempts, delays, plans, mostUnpaid) => {
			let unpaid = 0;
			await fc.assert(
				fc.asyncProperty(attempts, delays, plans, async (all, times, planned) => {
					const { most, standing, verdicts } = await play(all, times, planned);
					expect(most).toBeLessThanOrEqual(1);
					const asked = new Set(all.map(({ cart }) => cart));
					if (!verdicts.includes('failed') && standing.size < asked.size) unpaid += 1;
				}),
				{ numRuns: RUNS },
			);
			expect(unpaid).toBeLessThanOrEqual(mostUnpaid);
		},
		1_800_000,
	);

	test('one access that is not carried out blocks no cart for long, unless it decides', async () => {
		const fault = fc.tuple(fc.nat({ max: 40 }), fc.constantFrom<Fault>('refused', 'hangs'));
		await fc.assert(
			fc.asyncProperty(
				attemptsOf(1, ['refused'], one),
				quick,
				fault,
				async (all, delays, fails) => {
					const store = new DeduplicationStore();
					const { verdicts } = await play(all, delays, new Map([fails]), store);
					if (verdicts.includes('perhapsSent')) return;
					await jest.advanceTimersByTimeAsync(2 * MINUTE);
					const cart = all[0]?.cart ?? '';
					expect(await taken(store, 5, cart)).toBe('ours');
					expect(await taken(store, 4, cart)).toBe('charging');
				},
			),
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

describe('an access that fails', () => {
	const kinds: Fault[] = ['refused', 'lost', 'hangs', 'unanswered'];
	/** The nth access of its kind meets it. */
	const nthOf = (which: 'add' | 'remove', nth: number, fault: Fault): Faults => {
		let accesses = 0;
		return (kind) => (kind === which && ++accesses === nth ? fault : undefined);
	};

	test.each(kinds)('and is %s blocks the cart for days only where it decides', async (fault) => {
		const outcomes: unknown[] = [];
		for (let nth = 1; nth <= 6; nth++) {
			const store = new DeduplicationStore();
			const cart = freshCart();
			const faults = nthOf('add', nth, fault);
			const verdict = await settle(workerOf(0, store, { faults }).claim(cart).take());
			await jest.advanceTimersByTimeAsync(2 * MINUTE);
			outcomes.push([verdict, await taken(store, 1, cart)]);
		}
		const isCarriedOut = fault === 'lost' || fault === 'unanswered';
		expect(outcomes).toEqual([
			...Array.from({ length: 3 }, () => ['failed', 'ours']),
			['perhapsSent', isCarriedOut ? 'sent' : 'ours'],
			['perhapsSent', 'sent'],
			['perhapsSent', 'sent'],
		]);
	});

	test.each(kinds)('and is %s as a claim is given back leaves no cart blocked', async (fault) => {
		for (const nth of [1, 2]) {
			const store = new DeduplicationStore();
			const cart = freshCart();
			const claim = workerOf(0, store, { faults: nthOf('remove', nth, fault) }).claim(cart);
			expect(await settle(claim.take())).toBe('ours');
			await settle(claim.hold());
			await settle(claim.release());
			expect([nth, await taken(store, 1, cart)]).toEqual([nth, 'ours']);
		}
	});

	test('and never ends does so after five seconds, and no other waits for it long', async () => {
		const store = new DeduplicationStore();
		const faults = nthOf('add', 1, 'hangs');
		const first = workerOf(0, store, { faults }).claim(freshCart()).take();
		// Those of another workflow at once, and those of this one some seconds later.
		const other = workerOf(0, store, { workflow: 'workflow-2' }).claim(freshCart()).take();
		expect(await settle(other, 2_000)).toBe('ours');
		const same = workerOf(0, store).claim(freshCart()).take();
		expect(await settle(first, 4_000)).toBe('failed');
		expect(await settle(same, 2_000)).toBe('ours');
	});

	test('after the charge has left keeps back no answer, and the claim can be given back', async () => {
		const store = new DeduplicationStore();
		const cart = freshCart();
		const claim = workerOf(0, store, { faults: nthOf('add', 7, 'hangs') }).claim(cart);
		expect(await settle(claim.take())).toBe('ours');
		const started = performance.now();
		let held = Infinity;
		void claim.hold().then(() => (held = performance.now() - started));
		await jest.advanceTimersByTimeAsync(10_000);
		expect(held).toBeLessThan(2_500);
		await settle(claim.release());
		expect(await taken(store, 1, cart)).toBe('ours');
	});
});

test('what was refused leaves nothing of it in the store, and what was charged eight hashes', async () => {
	const store = new DeduplicationStore();
	const rows = () => [...store.rows.values()].flat().length;
	const refused = workerOf(0, store).claim(freshCart());
	await settle(refused.take());
	await settle(refused.release());
	expect(rows()).toBe(0);
	const cart = freshCart();
	for (const worker of [0, 1]) await taken(store, worker, cart);
	expect(rows()).toBe(8);
});

test('a claim that a write of long ago goes over is written again as its charge leaves', async () => {
	const store = new DeduplicationStore();
	const cart = freshCart();
	const claim = workerOf(0, store).claim(cart);
	expect(await settle(claim.take())).toBe('ours');
	store.rows.clear();
	await settle(claim.hold());
	expect(await taken(store, 1, cart)).toBe('charging');
});

test('the pauses take at most 0.6 seconds', async () => {
	const started = performance.now();
	let took = Infinity;
	const claim = workerOf(0, new DeduplicationStore()).claim(freshCart());
	await settle(claim.take().then(() => (took = performance.now() - started)));
	expect(took).toBeLessThanOrEqual(600);
});

test('sixty executions at once each get their claim, also from a store that takes its time', async () => {
	const store = new DeduplicationStore();
	store.step = async (at) => {
		if (at !== 'written') await wait(30);
	};
	const all = Array.from({ length: 60 }, () => workerOf(0, store).claim(freshCart()).take());
	const verdicts = await settle(Promise.all(all), 120_000);
	expect(new Set(verdicts)).toEqual(new Set(['ours']));
});

test('a store that is too slow to be sure lets nothing through', async () => {
	const store = new DeduplicationStore();
	store.step = async (at) => {
		if (at !== 'written') await wait(130);
	};
	expect(await settle(workerOf(0, store).claim(freshCart()).take(), 2 * MINUTE)).toBe('failed');
});

describe('where n8n has no store, nothing is claimed', () => {
	const failing = (code: string) => {
		const store = new DeduplicationStore();
		const words = `SQLITE_CONSTRAINT: ${code} constraint failed`;
		const failure = Object.assign(new Error(words), { code });
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
});
