import fc from 'fast-check';

import type { Claim } from '../../../nodes/PaymentsGateway/resources/payment/claims';
import { DeduplicationStore } from '../../engine';
import type { Fault } from './claimingWorkers';
import {
	claimsIn,
	load,
	settle,
	startChance,
	useVirtualTime,
	wait,
	workers,
} from './claimingWorkers';

/**
 * Claims in a store whose accesses fail: before they are carried out, after, or by never ending. A
 * process may die with any of them. Whatever happens, a cart is never charged twice.
 */

useVirtualTime();

const FAILED = /^Nothing was charged: n8n's database failed/;
const runs = Number(process.env.CLAIM_RUNS ?? 150);
let carts = 0;
const freshCart = () => `cart-${++carts}`;

interface Attempt {
	worker: number;
	/** When it begins, and how long the service takes to answer, in milliseconds. */
	at: number;
	takes: number;
	/** `pending` and `declined` name a transaction; the events show that a declined one has failed. */
	answer: 'charged' | 'refused' | 'pending' | 'declined';
}

type Plan = ReadonlyMap<number, Fault | 'dies'>;

/** The most charges of the cart that stood or were under way at once, and who could charge it after. */
async function play(
	store: DeduplicationStore,
	cart: string,
	attempts: readonly Attempt[],
	delays: readonly number[],
	plan: Plan,
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
	/** Another payment of the reference has failed, which says nothing of these. */
	const failed = ['txn_other'];
	let standing = 0;
	let most = 0;
	let sent = 0;
	const send = () => {
		sent += 1;
		standing += 1;
		most = Math.max(most, standing);
		return `txn_${sent}`;
	};
	const settleAs = async (claim: Claim, answer: Attempt['answer'], transactionID: string) => {
		if (answer === 'refused') {
			standing -= 1;
			await claim.release();
		} else if (answer !== 'charged') {
			await claim.keep(transactionID);
			if (answer === 'pending') return;
			await wait(500);
			standing -= 1;
			failed.push(transactionID);
		}
	};
	// In a process charges of one cart take turns, and what it has sent it does not send again.
	const turns = new Map<number, Promise<unknown>>();
	const openAt = new Map<number, string>();
	const attempt = async ({ worker, takes, answer }: Attempt) => {
		const open = openAt.get(worker);
		if (dead.has(worker) || (open !== undefined && !failed.includes(open))) return;
		try {
			const claims = claimsIn(store, workers[worker] ?? load(), { faults: faultsOf(worker) });
			const claim = await claims.take(cart, [...failed]);
			if (!claim || dead.has(worker)) return;
			const transactionID = send();
			openAt.set(worker, transactionID);
			await Promise.all([wait(takes), claim.hold()]);
			// Whatever is answered to a process that has died, nobody gives its claim back.
			if (dead.has(worker)) return;
			if (answer === 'refused') openAt.delete(worker);
			await settleAs(claim, answer, transactionID);
		} catch (error) {
			expect(String(error)).toMatch(/Nothing was charged: n8n's database/);
		}
	};
	const all = attempts.map(async (each) => {
		await wait(each.at);
		const turn = (turns.get(each.worker) ?? Promise.resolve()).then(
			async () => await attempt(each),
		);
		turns.set(each.worker, turn);
		await turn;
	});
	const over = Promise.all(all);
	await jest.advanceTimersByTimeAsync(400_000);
	await over;
	delete store.step;
	return { most, sent, standing, dead, failed };
}

const attempts = (...answers: Array<Attempt['answer']>) =>
	fc.array(
		fc.record({
			worker: fc.nat({ max: 3 }),
			at: fc.nat({ max: 6_000 }),
			takes: fc.nat({ max: 900 }),
			answer: fc.constantFrom(...answers),
		}),
		{ minLength: 2, maxLength: 9 },
	);
const delays = fc.array(fc.nat({ max: 60 }), { minLength: 1, maxLength: 20 });
const planOf = (...faults: Array<Fault | 'dies'>) =>
	fc
		.array(fc.tuple(fc.nat({ max: 60 }), fc.constantFrom(...faults)), { maxLength: 6 })
		.map((each): Plan => new Map(each));

test('whichever accesses fail, hang or end with their process, no cart is charged twice', async () => {
	const all = attempts('charged', 'refused', 'refused', 'pending', 'declined');
	const plans = planOf('refused', 'lost', 'lost', 'hangs', 'unanswered', 'dies');
	await fc.assert(
		fc.asyncProperty(all, delays, plans, async (mine, slow, plan) => {
			const { most } = await play(new DeduplicationStore(), freshCart(), mine, slow, plan);
			expect(most).toBeLessThanOrEqual(1);
		}),
		{ numRuns: runs },
	);
}, 3_600_000);

test('one access that is not carried out blocks no cart for good', async () => {
	const plans = fc.tuple(fc.nat({ max: 40 }), fc.constantFrom<Fault>('refused', 'hangs'));
	await fc.assert(
		fc.asyncProperty(attempts('refused'), delays, plans, async (mine, slow, [nth, fault]) => {
			const store = new DeduplicationStore();
			const cart = freshCart();
			await play(store, cart, mine, slow, new Map([[nth, fault]]));
			const after: Array<Claim | string | undefined> = [];
			for (const worker of workers)
				after.push(await settle(claimsIn(store, worker).take(cart, [])));
			expect(after.filter((each) => typeof each === 'object')).toHaveLength(1);
		}),
		{ numRuns: runs },
	);
}, 3_600_000);

const [one = load(), two = load(), three = load()] = workers;
const taken = async (store: DeduplicationStore, worker: typeof one, cart: string, failed = ['']) =>
	typeof (await settle(claimsIn(store, worker).take(cart, failed))) === 'object';

/** A worker's claims in a store that fails one access of a kind. */
function failing(store: DeduplicationStore, worker: typeof one, kind: 'add' | 'remove') {
	const next: { nth: number; fault: Fault } = { nth: 0, fault: 'refused' };
	let nth = 0;
	const faults = (of: 'add' | 'remove') =>
		of === kind && ++nth === next.nth ? next.fault : undefined;
	return { claims: claimsIn(store, worker, { faults }), next };
}

async function claimed(task: Promise<Claim | undefined>): Promise<Claim> {
	const claim = await settle(task);
	if (typeof claim !== 'object') throw new Error(`Not claimed: ${claim}`);
	return claim;
}

const kinds: Array<[string, Fault]> = [
	['is refused', 'refused'],
	['is carried out, and its answer lost', 'lost'],
	['never ends', 'hangs'],
	['is carried out, and never answered', 'unanswered'],
];

test.each(kinds)(
	'a removal %s while a refused charge is given back: no cart is held by two',
	async (_, fault) => {
		for (const nth of [1, 2, 3]) {
			const store = new DeduplicationStore();
			const cart = freshCart();
			const { claims, next } = failing(store, one, 'remove');
			Object.assign(next, { nth, fault });
			const claim = await claimed(claims.take(cart, []));
			await settle(claim.hold());
			const releasing = claim.release();
			// The same cart, waiting in another worker.
			await jest.advanceTimersByTimeAsync(50);
			const hasOther = await taken(store, two, cart);
			await settle(releasing);
			const hasAgain = await taken(store, one, cart);
			expect([nth, hasOther && hasAgain, hasOther || hasAgain]).toEqual([nth, false, true]);
		}
	},
);

test.each(kinds)(
	'a removal %s while it is asked how a claim has ended: a charge under way is not made again',
	async (_, fault) => {
		for (const nth of [1, 2, 3]) {
			const store = new DeduplicationStore();
			const cart = freshCart();
			const claim = await claimed(claimsIn(store, one).take(cart, []));
			await settle(claim.hold());
			// Another payment of the reference has failed, and this one is named later.
			const { claims, next } = failing(store, two, 'remove');
			Object.assign(next, { nth, fault });
			await settle(claims.take(cart, ['txn_other']));
			await settle(claim.keep('txn_pending'));
			for (const worker of [two, three]) {
				expect([nth, await taken(store, worker, cart, ['txn_other'])]).toEqual([nth, false]);
			}
		}
	},
);

test('the answer of one write is lost: only where that write decides, the cart stays blocked', async () => {
	const outcomes: Array<[number, unknown, boolean]> = [];
	for (let nth = 1; nth <= 5; nth++) {
		const store = new DeduplicationStore();
		const cart = freshCart();
		const { claims, next } = failing(store, one, 'add');
		Object.assign(next, { nth, fault: 'lost' });
		const first = await settle(claims.take(cart, []));
		if (nth < 5) expect(first).toMatch(FAILED);
		else expect(first).toBeInstanceOf(Object);
		outcomes.push([nth, typeof first, await taken(store, one, cart)]);
		expect(await taken(store, two, cart)).toBe(false);
	}
	// The third write is the one that decides. Nobody can say whose it is, so nobody charges.
	expect(outcomes).toEqual([
		[1, 'string', true],
		[2, 'string', true],
		[3, 'string', false],
		[4, 'string', true],
		[5, 'object', false],
	]);
});

test('sixty executions at once, and a store that takes its time: each gets its claim', async () => {
	const store = new DeduplicationStore();
	store.step = async (at) => {
		if (at !== 'written') await wait(30);
	};
	const tasks = Array.from({ length: 60 }, async () => {
		return await claimsIn(store, one).take(freshCart(), []);
	});
	const claims = await settle(Promise.all(tasks), 120_000);
	expect(claims).toEqual(Array.from({ length: 60 }, () => expect.any(Object)));
});

describe('an access that never ends', () => {
	test('ends the charge before it is sent, and no other charge waits for it long', async () => {
		const store = new DeduplicationStore();
		const { claims, next } = failing(store, one, 'add');
		Object.assign(next, { nth: 1, fault: 'hangs' });
		const hanging = claims.take(freshCart(), []);
		// That of another workflow at once, and those of this one some seconds later.
		const other = claimsIn(store, one, { workflow: 'workflow-2' }).take(freshCart(), []);
		expect(await settle(other, 2_000)).toBeInstanceOf(Object);
		const same = claimsIn(store, one).take(freshCart(), []);
		expect(await settle(hanging, 4_000)).toMatch(FAILED);
		expect(await settle(same, 2_000)).toBeInstanceOf(Object);
	});

	test('after the charge has left, does not keep back its answer', async () => {
		const store = new DeduplicationStore();
		const { claims, next } = failing(store, one, 'add');
		const cart = freshCart();
		Object.assign(next, { nth: 5, fault: 'hangs' });
		const claim = await claimed(claims.take(cart, []));
		const started = performance.now();
		let held = Infinity;
		void claim.hold().then(() => (held = performance.now() - started));
		await jest.advanceTimersByTimeAsync(10_000);
		expect(held).toBeLessThan(2_500);
		// Refused, it can still be given back.
		await settle(claim.release());
		expect(await taken(store, two, cart)).toBe(true);
	});
});
