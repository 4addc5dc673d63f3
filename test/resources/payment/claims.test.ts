import fc from 'fast-check';

import type * as claimsModule from '../../../nodes/PaymentsGateway/resources/payment/claims';
import { DeduplicationStore } from '../../engine';
import { claimsIn, load, startChance, useVirtualTime, wait, workers } from './claimingWorkers';

/**
 * Workers of n8n that claim charges at once, in a store that loses writes as n8n's does: all of them
 * run the real code, each in a process of its own, by a clock that the test turns.
 */

useVirtualTime();

interface Attempt {
	worker: number;
	cart: string;
	/** When it begins, and how long the service takes to answer, in milliseconds. */
	at: number;
	takes: number;
	answer: 'charged' | 'refused';
}

interface Seen {
	/** Charges that were made or may have been made, by cart. */
	sent: Map<string, number>;
	/** Nothing was sent, and nobody else had claimed it. */
	errors: number;
	turnedAway: number;
}

/** Runs attempts; `delays` are those of the store's reads and writes, in the order of access. */
async function play(
	store: DeduplicationStore,
	attempts: readonly Attempt[],
	delays: readonly number[],
): Promise<Seen> {
	startChance();
	let accesses = 0;
	store.step = async (at) => {
		if (at !== 'written') await wait(delays[accesses++ % delays.length] ?? 0);
	};
	const seen: Seen = { sent: new Map(), errors: 0, turnedAway: 0 };
	// In a process charges of one cart take turns, and what it has sent it does not send again.
	const turns = new Map<string, Promise<unknown>>();
	const sentBy = new Set<string>();
	const attempt = async ({ worker, cart, takes, answer }: Attempt) => {
		if (sentBy.has(`${worker} ${cart}`)) return;
		try {
			const claims = claimsIn(store, workers[worker] ?? load());
			const claim = await claims.take(cart, []);
			if (!claim) {
				seen.turnedAway += 1;
				return;
			}
			if (answer !== 'refused') {
				sentBy.add(`${worker} ${cart}`);
				seen.sent.set(cart, (seen.sent.get(cart) ?? 0) + 1);
			}
			await Promise.all([wait(takes), claim.hold()]);
			if (answer === 'refused') await claim.release();
		} catch {
			seen.errors += 1;
		}
	};
	const all = attempts.map(async (each) => {
		await wait(each.at);
		const key = `${each.worker} ${each.cart}`;
		const turn = (turns.get(key) ?? Promise.resolve()).then(async () => await attempt(each));
		turns.set(key, turn);
		await turn;
	});
	const over = Promise.all(all);
	await jest.advanceTimersByTimeAsync(120_000);
	await over;
	delete store.step;
	return seen;
}

let run = 0;
/** Processes remember their tokens, so each play has carts of its own. */
const carts = () => [`A${++run}`, `B${run}`, `C${run}`];
const twice = ({ sent }: Seen) => [...sent.values()].filter((count) => count > 1);

describe('two workers with the same cart', () => {
	const quick = [2, 90];

	test('never both charge, and one of them does, whichever way their accesses interleave', async () => {
		// Each of the first six accesses is quick or slow: 64 ways, at each of six distances.
		for (const distance of [0, 1, 50, 100, 180, 260]) {
			for (let bits = 0; bits < 64; bits++) {
				const delays = Array.from({ length: 6 }, (_, index) => quick[(bits >> index) & 1] ?? 0);
				const [cart = ''] = carts();
				const attempt = { cart, takes: 100, answer: 'charged' } as const;
				const seen = await play(
					new DeduplicationStore(),
					[
						{ ...attempt, worker: 0, at: 0 },
						{ ...attempt, worker: 1, at: distance },
					],
					delays,
				);
				expect([distance, delays, [...seen.sent.values()], seen.errors]).toEqual([
					distance,
					delays,
					[1],
					0,
				]);
			}
		}
	});

	test('charge anew when what was sent has been refused', async () => {
		const store = new DeduplicationStore();
		const [cart = ''] = carts();
		const attempts: Attempt[] = [
			{ worker: 0, cart, at: 0, takes: 50, answer: 'refused' },
			{ worker: 1, cart, at: 2_000, takes: 50, answer: 'charged' },
			{ worker: 2, cart, at: 4_000, takes: 50, answer: 'charged' },
		];
		const seen = await play(store, attempts, [5]);
		expect([...seen.sent]).toEqual([[cart, 1]]);
		expect(seen).toMatchObject({ turnedAway: 1, errors: 0 });
	});
});

const attempt = (
	among: number,
	names: readonly string[],
	answers: ReadonlyArray<Attempt['answer']>,
) =>
	fc.record({
		worker: fc.nat({ max: among - 1 }),
		cart: fc.constantFrom(...names),
		at: fc.nat({ max: 900 }),
		takes: fc.nat({ max: 900 }),
		answer: fc.constantFrom(...answers),
	});

describe('several workers, three carts, at random', () => {
	const runs = Number(process.env.CLAIM_RUNS ?? 150);
	const names = ['A', 'B', 'C'];
	const own = (attempts: readonly Attempt[], fresh = carts()) =>
		attempts.map((each) => ({ ...each, cart: fresh[names.indexOf(each.cart)] ?? '' }));

	test('no cart is charged twice, and hardly one is charged by nobody', async () => {
		let unpaid = 0;
		const schedules = fc.tuple(
			fc.array(attempt(3, names, ['charged']), { minLength: 2, maxLength: 8 }),
			fc.array(fc.nat({ max: 90 }), { minLength: 1, maxLength: 40 }),
		);
		await fc.assert(
			fc.asyncProperty(schedules, async ([attempts, delays]) => {
				const mine = own(attempts);
				const seen = await play(new DeduplicationStore(), mine, delays);
				expect(twice(seen)).toEqual([]);
				// A store that is too slow is told as such, and then nothing was charged.
				const asked = new Set(mine.map(({ cart }) => cart));
				if (seen.errors === 0 && seen.sent.size < asked.size) unpaid += 1;
			}),
			{ numRuns: runs },
		);
		// Where three write at once, two that claim one cart can each see nobody but the other.
		expect(unpaid).toBeLessThanOrEqual(Math.floor(runs / 500));
	}, 1_800_000);

	test('no cart is charged twice when some are refused, or an access takes long', async () => {
		const schedules = fc.tuple(
			fc.array(attempt(6, names, ['charged', 'refused']), { minLength: 2, maxLength: 16 }),
			// Two of them make an access: some take longer than the pause.
			fc.array(
				fc.oneof(
					fc.nat({ max: 20 }),
					fc.integer({ min: 80, max: 120 }),
					fc.integer({ min: 120, max: 300 }),
				),
				{ minLength: 1, maxLength: 40 },
			),
		);
		await fc.assert(
			fc.asyncProperty(schedules, async ([attempts, delays]) => {
				const seen = await play(new DeduplicationStore(), own(attempts), delays);
				expect(twice(seen)).toEqual([]);
			}),
			{ numRuns: runs },
		);
	}, 1_800_000);
});

test('a store that fails lets nothing through, and afterwards the same cart can be charged', async () => {
	for (const at of ['read', 'write', 'written'] as const) {
		for (let nth = 1; nth <= 4; nth++) {
			const store = new DeduplicationStore();
			const [cart = ''] = carts();
			let counted = 0;
			store.step = (step) => {
				// Twice, as the first failure may have been a collision.
				if (step === at && ++counted >= nth && counted <= nth + 1) throw new Error('Away');
			};
			const [worker] = workers;
			const take = async () => {
				const result = claimsIn(store, worker ?? load()).take(cart, []);
				const settled = result.then(
					(claim) => (claim ? 'claimed' : 'taken'),
					({ message }: Error) => message,
				);
				await jest.advanceTimersByTimeAsync(30_000);
				return await settled;
			};
			const first = await take();
			if (nth <= 2) expect(first).toMatch(/^Nothing was charged: n8n's database failed/);
			delete store.step;
			// Where the write that decides was carried out unheard, nobody can say whose it is.
			const again = at === 'written' && nth === 3 ? 'taken' : 'claimed';
			if (first !== 'claimed') expect([at, nth, await take()]).toEqual([at, nth, again]);
			// Whoever has claimed it and sent it keeps it.
			expect(await take()).toBe('taken');
		}
	}
});

test('a charge that failed by the events may be made again, once for each failure', async () => {
	const store = new DeduplicationStore();
	const [cart = ''] = carts();
	const take = async (worker: number, failed: string[]) => {
		const claim = claimsIn(store, workers[worker] ?? load()).take(cart, failed);
		await jest.advanceTimersByTimeAsync(30_000);
		return await claim;
	};
	const first = await take(0, []);
	await Promise.all([
		first?.hold().then(async () => await first.keep('txn_1')),
		jest.advanceTimersByTimeAsync(5_000),
	]);
	// Another transaction has failed, or nothing has as far as the events go.
	for (const failed of [[], ['txn_9'], ['txn_9']]) expect(await take(1, failed)).toBeUndefined();
	const second = await take(1, ['txn_9', 'txn_1']);
	expect(second).toBeDefined();
	// Its answer is lost, so whatever failed before says nothing of it.
	await Promise.all([second?.hold(), jest.advanceTimersByTimeAsync(1_000)]);
	expect(await take(2, ['txn_9', 'txn_1'])).toBeUndefined();
	expect(await take(0, ['txn_1', 'txn_8'])).toBeUndefined();
});

test.each<[string, (store: DeduplicationStore) => claimsModule.Claims]>([
	['was never started', () => claimsIn(missing('ERR_ASSERTION'), workers[0] ?? load())],
	['knows no such workflow', () => claimsIn(missing('FOREIGN KEY'), workers[0] ?? load())],
	[
		'has no workflow to write it to',
		(store) => claimsIn(store, workers[0] ?? load(), { workflow: '' }),
	],
])('where n8n has no store, as when it %s, nothing is claimed', async (_, make) => {
	const claims = make(new DeduplicationStore());
	for (let times = 0; times < 2; times++) expect(await claims.take('any', [])).toBeDefined();
});

function missing(code: string): DeduplicationStore {
	const store = new DeduplicationStore();
	const failure = Object.assign(new Error(`SQLITE_CONSTRAINT: ${code} constraint failed`), {
		code,
	});
	store.checkProcessedAndRecord = async () => await Promise.reject(failure);
	return store;
}
