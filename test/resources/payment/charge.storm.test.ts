import fc from 'fast-check';
import { sleep } from 'n8n-workflow';

import type { DeduplicationStore, RunOptions, RunResult } from '../../engine';
import { engine, withDeduplicationStore } from '../../engine';
import type { Fault } from '../../sandbox';
import { shortenLimit } from '../../timeLimits';
import { CHARGE, useCharges } from './charges';

/**
 * Everything at once: carts delivered again and again, together, from other nodes, after restarts of
 * n8n, while answers are lost or drip, events lag, payments are refunded, and n8n's store fails or
 * loses what was written. No cart is charged twice, none is blocked for good that may be charged, and
 * no refused charge is reported as unknown.
 */

const { sandbox, runCharge, startOver } = useCharges();

const RUNS = Number(process.env.CHARGE_STORMS ?? 12);
const REFERENCES = ['SALE-1', 'SALE-2', 'SALE-3'];

let limit: ReturnType<typeof shortenLimit>;
/** True once the time limit has cut off every request under way. */
let hasDripped = false;
function drip(): void {
	hasDripped = true;
	// By then every request has reached the gateway. A request cut off earlier would be reported as
	// unknown although nothing was charged.
	limit.expireSoon(300);
}
beforeAll(() => (limit = shortenLimit(120_000)));
afterAll(() => limit.restore());

const lost: Fault[] = [
	{ drop: 'before' },
	{ drop: 'after' },
	{ status: 500, workFirst: true },
	{ status: 429 },
	{ status: 302, headers: { Location: '/' } },
	{ status: 200, body: '<p>Hello', workFirst: true },
	{ status: 200, body: '{"transactionID": "txn_1', workFirst: true },
	{ drip: 'headers', run: () => drip() },
	{ drip: 'body', run: () => drip() },
];
const step = fc.record({
	kind: fc.oneof(
		{ weight: 5, arbitrary: fc.constant('deliver') },
		{ weight: 3, arbitrary: fc.constant('lose') },
		{ weight: 5, arbitrary: fc.constantFrom('decline', 'lag', 'refund', 'fail', 'restart') },
	),
	references: fc.array(fc.constantFrom(...REFERENCES), { minLength: 1, maxLength: 5 }),
	place: fc.constantFrom('here', 'other node', 'other workflow'),
	fault: fc.constantFrom(...lost),
	/** The status in an answer, or a plain refusal. */
	declined: fc.constantFrom('', 'DECLINED', 'PENDING'),
	isBehind: fc.boolean(),
	at: fc.nat({ max: 5 }),
});
const storms = fc.record({
	/** Restarts with one node, or other nodes and workflows without a restart: see the README. */
	hasRestarts: fc.boolean(),
	hasOtherWorker: fc.boolean(),
	steps: fc.array(step, { minLength: 4, maxLength: 12 }),
});
type Storm = typeof storms extends fc.Arbitrary<infer S> ? S : never;

/** What another worker does that has read the row before, and writes it back after. */
async function overwrite({ rows }: DeduplicationStore, row: string, isOver: () => boolean) {
	for (let times = 0; !isOver(); times++) {
		const before = rows.get(row);
		await sleep(15);
		if (before) rows.set(row, [...before, `other ${times}`]);
		await sleep(85);
	}
}

let plays = 0;

async function play({ hasRestarts, hasOtherWorker, steps }: Storm) {
	hasDripped = false;
	// On a busy machine, locks of the last play are still being written: this one gets its own row.
	const workflow = { id: `workflow-${++plays}` };
	const store = await withDeduplicationStore();
	const carts = new Map(
		REFERENCES.map((referenceID) => [referenceID, sandbox.addCart({ referenceID })]),
	);
	let executions = 0;
	let declined = 0;
	let refunded = '';
	/** The newest charge goes back. */
	const refund = () => {
		const { transactionID = '' } = sandbox.charges.at(-1) ?? {};
		if (transactionID !== refunded) sandbox.refund(transactionID);
		refunded = transactionID;
	};
	const deliver = async (references: readonly string[], place = 'here') => {
		let isOver = false;
		const other = hasOtherWorker
			? overwrite(store, `${workflow.id} n:node-paymentsGateway`, () => isOver)
			: undefined;
		const runs = references.map(async (reference) => {
			const options: Partial<RunOptions> = {
				executionId: `execution-${++executions}`,
				workflow: place === 'other workflow' ? { id: `${workflow.id}-other` } : workflow,
				...(place === 'other node' && { settings: { name: 'Charge Again', id: 'node-2' } }),
			};
			return [reference, await runCharge({ paymentData: carts.get(reference) }, options)] as const;
		});
		const delivered = new Map<string, RunResult>(await Promise.all(runs));
		isOver = true;
		await other;
		return delivered;
	};
	for (const each of steps) {
		switch (each.kind) {
			case 'deliver':
				await deliver(each.references, hasRestarts ? 'here' : each.place);
				break;
			case 'lose':
				sandbox.fault({ on: CHARGE, ...each.fault });
				break;
			case 'decline': {
				const body = { transactionID: `txn_declined_${++declined}`, status: each.declined };
				sandbox.fault({ on: CHARGE, ...(each.declined === '' ? { status: 402 } : { body }) });
				break;
			}
			case 'lag':
				sandbox.settings.eventLag = each.isBehind ? Infinity : 0;
				break;
			case 'refund':
				refund();
				break;
			case 'fail': {
				let accesses = 0;
				store.step = () => {
					const nth = accesses++;
					if (nth === each.at || nth === each.at + 1) throw new Error('Away');
				};
				break;
			}
			case 'restart': {
				// What is pending is free again in its own process alone: README, limits of a charge.
				const isPending = steps.some(
					({ kind, declined: status }) => kind === 'decline' && status === 'PENDING',
				);
				if (hasRestarts && !isPending) engine.restart();
			}
		}
	}
	// All is well again, and what the gateway has declined shows as failed.
	sandbox.clearFaults();
	delete store.step;
	sandbox.settings.eventLag = 0;
	for (const referenceID of REFERENCES) {
		for (let nth = 1; nth <= declined; nth++) {
			const transactionID = `txn_declined_${nth}`;
			sandbox.addEvent({ type: 'payment_failed', referenceID, transactionID });
		}
	}
	// By then an intent that a failing store has left has lapsed.
	const now = Date.now.bind(Date);
	const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + 130_000);
	return await deliver(REFERENCES).finally(() => clock.mockRestore());
}

/** Every request to charge it was refused or declined, or none was sent. */
function isCertain(reference: string): boolean {
	return sandbox.requestsTo(CHARGE).every(({ body, status }) => {
		const cart = sandbox.carts.find((each) => each.paymentData === body.data.paymentData);
		const isTold = !hasDripped && [200, 402, 429].includes(status ?? 0);
		return cart?.referenceID !== reference || isTold;
	});
}

test(`${RUNS} storms: none is charged twice, and none is blocked that may be charged`, async () => {
	const given = process.env.CHARGE_STORM_SEED ?? fc.readConfigureGlobal().seed;
	const seed = Number(given ?? Date.now() % 2 ** 31);
	process.stderr.write(`${RUNS} charge storms, CHARGE_STORM_SEED=${seed}\n`);
	await fc.assert(
		fc.asyncProperty(storms, async (storm) => {
			const last = await play(storm);
			const charged = sandbox.charges.map(({ referenceID }) => referenceID);
			const stuck = REFERENCES.filter(
				(reference) => isCertain(reference) && !charged.includes(reference),
			).map((reference) => [reference, last.get(reference)?.error?.message]);
			startOver();
			expect(stuck).toEqual([]);
		}),
		{ numRuns: RUNS, seed, endOnFailure: true },
	);
}, 1_800_000);
