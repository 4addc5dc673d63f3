import fc from 'fast-check';
import { sleep as wait } from 'n8n-workflow';

import { createKeyedMutex } from '../../../nodes/PaymentsGateway/gateway/keyedMutex';
import { DeduplicationStore } from '../../engine';
import type { Fault, Faults } from './claimingWorkers';
import { WORKERS, claimBy, settle, startChance, useVirtualTime } from './claimingWorkers';

/**
 * Workers of n8n that claim charges at once, in a store that loses writes as n8n's does, whose
 * accesses take long, fail before or after they are carried out, or never end, and in processes that
 * die. Whatever happens, no cart is charged twice.
 */

useVirtualTime();

const RUNS = Number(process.env.CLAIM_RUNS ?? 60);
/** Busy rows, with one reference each that all workers want. */
const BUSY_RUNS = Math.ceil(RUNS / 3);
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const CART = 'cart';

interface Attempt {
	worker: number;
	cart: string;
	/** When it begins, and how long the gateway takes to answer, in milliseconds. */
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
	/** Milliseconds before a read; one of the delays if it is left out. */
	beforeRead?: number,
) {
	startChance();
	let steps = 0;
	store.step = async (at) => {
		if (at === 'written') return;
		const isRead = at === 'read' && beforeRead !== undefined;
		await wait(isRead ? beforeRead : (delays[steps++ % delays.length] ?? 0));
	};
	let accesses = 0;
	const dead = new Set<number>();
	/** A fault met a write that was to say that a charge is sent. */
	let hasDecided = false;
	const faultsOf =
		(worker: number): Faults =>
		(method, entries) => {
			const fault = plan.get(accesses++);
			const isAdded = method === 'checkProcessedAndRecord';
			hasDecided ||= fault !== undefined && isAdded && /:tenDays\d/.test(entries.join());
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
	const mutex = createKeyedMutex();
	const sentBy = new Set<string>();
	const attempt = async ({ worker, cart, takes, answer }: Attempt) => {
		if (dead.has(worker) || sentBy.has(`${worker} ${cart}`)) return;
		const claim = claimBy(worker, store, cart, faultsOf(worker));
		const verdict = await claim.take();
		verdicts.push(verdict);
		if (verdict !== 'ours' || dead.has(worker)) return;
		count(cart, 1);
		if (answer === 'charged') sentBy.add(`${worker} ${cart}`);
		await Promise.all([wait(takes), claim.hold()]);
		// Whatever is answered to a process that has died, nobody gives its claim back.
		if (dead.has(worker) || answer === 'charged') return;
		count(cart, -1);
		await claim.release();
	};
	const all = attempts.map(async (each) => {
		await wait(each.at);
		await mutex.run([`${each.worker} ${each.cart}`], async () => await attempt(each));
	});
	await settle(Promise.all(all), 400_000);
	delete store.step;
	return { most, standing, verdicts, hasDecided };
}

/** Whether a worker can claim a cart; what it has claimed it keeps. */
const taken = async (store: DeduplicationStore, worker: number) =>
	await settle(claimBy(worker, store, CART).take());

/** Two workers that charge one cart, the second so much later. */
const twoAfter = (at: number): Attempt[] => [
	{ worker: 0, cart: CART, at: 0, takes: 100, answer: 'charged' },
	{ worker: 1, cart: CART, at, takes: 100, answer: 'charged' },
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
				const { verdicts, standing } = await play(twoAfter(distance), delays, undefined, store);
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
		const { standing } = await play(twoAfter(before + 20), [5]);
		expect(standing.get(CART)).toBe(1);
	}
});

test('of two versions of the row that slow writes put back in turns, one is believed', async () => {
	const attempts: Array<[worker: number, cart: string, at: number]> = [
		[0, 'A', 0],
		[4, 'A', 437],
		[3, 'B', 337],
		[2, 'A', 13],
		[0, 'A', 31],
		[2, 'B', 249],
		[0, 'A', 28],
		[5, 'C', 13],
	];
	const { standing } = await play(
		attempts.map(([worker, cart, at]) => ({ worker, cart, at, takes: 0, answer: 'charged' })),
		[0, 260, 14, 80, 0, 0, 0, 113],
	);
	expect([...standing.values()]).toEqual([1, 1, 1]);
});

describe('at random', () => {
	const attemptsOf = (
		among: number,
		answers: ReadonlyArray<Attempt['answer']>,
		{ carts = ['A', 'B', 'C'], within = 900, most = 8 } = {},
	) =>
		fc.array(
			fc.record({
				worker: fc.nat({ max: among - 1 }),
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
	/** Two of them make an access: some take longer than the pause. */
	const slow = delaysOf([0, 20], [80, 120], [120, 300]);
	const one = { carts: [CART], within: 6_000 };

	const kinds: Fault[] = ['refused', 'lost', 'hangs', 'unanswered'];
	const fault = fc.tuple(fc.nat({ max: 60 }), fc.constantFrom(...kinds, 'lost', 'dies'));
	const faults = fc.array(fault, { maxLength: 6 }).map((each): Plan => new Map(each));
	const none = fc.constant<Plan>(new Map());

	const refusals = attemptsOf(WORKERS, ['charged', 'refused'], { most: 16 });
	const mostlyRefused = attemptsOf(4, ['charged', 'refused', 'refused'], one);

	test.each([
		// Where three write at once, two that claim one cart can each see nobody but the other.
		['and hardly one by nobody', attemptsOf(3, ['charged']), quick, none, RUNS / 500],
		['where some are refused, or an access takes long', refusals, slow, none, Infinity],
		['where accesses fail, hang or end with their process', mostlyRefused, quick, faults, Infinity],
	])(
		'no cart is charged twice, %s',
		async (_, attempts, delays, plans, blocked) => {
			let unpaid = 0;
			const holds = async (all: Attempt[], times: number[], planned: Plan) => {
				const { most, standing, verdicts } = await play(all, times, planned);
				expect(most).toBeLessThanOrEqual(1);
				const asked = new Set(all.map(({ cart }) => cart));
				if (!verdicts.includes('failed') && standing.size < asked.size) unpaid += 1;
			};
			await fc.assert(fc.asyncProperty(attempts, delays, plans, holds), { numRuns: RUNS });
			expect(unpaid).toBeLessThanOrEqual(blocked);
		},
		1_800_000,
	);

	test('in a busy row, with ten other charges a worker, each cart is charged exactly once', async () => {
		const busy = fc.array(fc.nat({ max: 900 }), { minLength: 10, maxLength: 10 });
		const worker = fc.record({ at: fc.nat({ max: 900 }), others: busy });
		const workers = fc.tuple(worker, worker, worker);
		const long = fc.array(fc.integer({ min: 20, max: 150 }), { minLength: 40, maxLength: 40 });
		const came = { twice: 0, byNobody: 0 };
		await fc.assert(
			fc.asyncProperty(workers, long, async (all, delays) => {
				const attempts = all.flatMap(({ at, others }, worker): Attempt[] =>
					[at, ...others].map((begins, index) => {
						const cart = index === 0 ? CART : `${worker} ${index}`;
						return { worker, cart, at: begins, takes: 300, answer: 'charged' };
					}),
				);
				const { standing } = await play(attempts, delays, undefined, undefined, 1);
				came.twice += [...standing.values()].filter((charges) => charges > 1).length;
				came.byNobody += 31 - standing.size;
			}),
			{ numRuns: BUSY_RUNS },
		);
		expect(came).toEqual({ twice: 0, byNobody: 0 });
	}, 1_800_000);

	test('one access that fails blocks no cart for long, unless it decides', async () => {
		const failure = fc.tuple(fc.nat({ max: 40 }), fc.constantFrom(...kinds));
		const refused = attemptsOf(1, ['refused'], one);
		await fc.assert(
			fc.asyncProperty(refused, quick, failure, async (all, delays, fails) => {
				const store = new DeduplicationStore();
				const { verdicts, hasDecided } = await play(all, delays, new Map([fails]), store);
				// Where a write fails that says it is sent, it may have been carried out.
				if (hasDecided && verdicts.includes('failed')) return;
				await jest.advanceTimersByTimeAsync(2 * MINUTE);
				expect([await taken(store, 5), await taken(store, 4)]).toEqual(['ours', 'charging']);
			}),
			{ numRuns: RUNS },
		);
	}, 1_800_000);
});

test('a claim says for two minutes that the charge is under way, and for 30 days that it is sent', async () => {
	const store = new DeduplicationStore();
	expect(await taken(store, 0)).toBe('ours');
	expect(await taken(store, 1)).toBe('charging');
	await jest.advanceTimersByTimeAsync(2 * MINUTE);
	// Who asks, even each day, makes it no longer than to the end of its period of ten days.
	const later = async (days: number) => await jest.advanceTimersByTimeAsync(days * DAY);
	for (let day = 1; day <= 30; day++) {
		expect([day, await taken(store, day % WORKERS)]).toEqual([day, 'sent']);
		await later(1);
	}
	await later(10);
	expect(await taken(store, 1)).toBe('ours');
});

test('an access that never ends fails after five seconds, and no other waits for it long', async () => {
	const store = new DeduplicationStore();
	let accesses = 0;
	const faults = () => (++accesses === 1 ? 'hangs' : undefined);
	const first = claimBy(0, store, CART, faults).take();
	// Those of another workflow at once, and those of this one some seconds later.
	const other = claimBy(0, store, 'cart 2', undefined, 'workflow-2').take();
	expect(await settle(other, 2_000)).toBe('ours');
	const same = claimBy(0, store, 'cart 3').take();
	expect(await settle(first, 4_000)).toBe('failed');
	expect(await settle(same, 2_000)).toBe('ours');
});

const rowsIn = (store: DeduplicationStore) => [...store.rows.values()].flat().length;

test('a claim takes 0.6 seconds, and leaves nothing in the store if it was refused', async () => {
	const store = new DeduplicationStore();
	const refused = claimBy(0, store, CART);
	expect(await settle(refused.take(), 600)).toBe('ours');
	await settle(refused.release());
	expect(rowsIn(store)).toBe(0);
});

test('what was sent is found by a worker whose clock is still in the period before', async () => {
	const store = new DeduplicationStore();
	jest.setSystemTime(new Date('2026-03-01T00:00:10Z'));
	const claim = claimBy(0, store, CART);
	expect(await settle(claim.take())).toBe('ours');
	await settle(claim.hold());
	jest.setSystemTime(new Date('2026-02-28T23:59:00Z'));
	expect(await taken(store, 1)).toBe('sent');
});

test('a charge that was sent takes three entries in the store, and 8,300 of them have room', async () => {
	const store = new DeduplicationStore();
	const claim = claimBy(0, store, CART);
	expect(await settle(claim.take())).toBe('ours');
	await settle(claim.hold());
	expect(await taken(store, 1)).toBe('sent');
	expect(rowsIn(store)).toBe(3);
	// Those of 8,300 others, without the half second that each takes.
	const [[row, entries] = ['', []]] = store.rows;
	store.rows.set(row, [...entries, ...Array.from({ length: 3 * 8_300 }, (_, index) => `${index}`)]);
	const later = claimBy(0, store, 'other cart');
	expect(await settle(later.take())).toBe('ours');
	await settle(later.hold());
	expect(await taken(store, 1)).toBe('sent');
});

test('a claim that a write of long ago goes over is written again as its charge leaves', async () => {
	const store = new DeduplicationStore();
	const claim = claimBy(0, store, CART);
	expect(await settle(claim.take())).toBe('ours');
	store.rows.clear();
	await settle(claim.hold());
	expect(await taken(store, 1)).toBe('sent');
});

test('a claim that the write of another puts back after it was given up is given up again', async () => {
	const store = new DeduplicationStore();
	const claim = claimBy(0, store, CART);
	expect(await settle(claim.take())).toBe('ours');
	await settle(claim.hold());
	store.step = async (at) => {
		if (at !== 'write') return;
		delete store.step;
		await wait(100);
	};
	const other = claimBy(1, store, 'other cart').take();
	await jest.advanceTimersByTimeAsync(50);
	await settle(claim.release());
	expect(await other).toBe('ours');
	expect(await taken(store, 2)).toBe('ours');
});

test.each([
	['sixty executions at once each get their claim', 60, 30, 'ours'],
	['nothing gets through where it is too slow to be sure', 1, 130, 'failed'],
])('from a store that takes its time %s', async (_, executions, delay, verdict) => {
	const store = new DeduplicationStore();
	store.step = async (at) => {
		if (at !== 'written') await wait(delay);
	};
	const all = Array.from(
		{ length: executions },
		async (__, index) => await claimBy(0, store, `cart ${index}`).take(),
	);
	const verdicts = await settle(Promise.all(all), 2 * MINUTE);
	expect(new Set(verdicts)).toEqual(new Set([verdict]));
});

test.each([
	['it was never started', 'ERR_ASSERTION', 'workflow-1'],
	['it knows no such workflow', 'FOREIGN KEY', 'workflow-1'],
	['the workflow was never saved', '', ''],
])('where n8n has no store, as when %s, nothing is claimed', async (_, code, workflow) => {
	const store = new DeduplicationStore();
	const words = `SQLITE_CONSTRAINT: ${code} constraint failed`;
	store.step = () => {
		if (code !== '') throw Object.assign(new Error(words), { code });
	};
	for (let times = 0; times < 2; times++) {
		const claim = claimBy(0, store, 'any', undefined, workflow);
		expect(await settle(claim.take())).toBe('ours');
		await settle(claim.hold());
		await settle(claim.release());
	}
	expect(store.rows.size).toBe(0);
});
