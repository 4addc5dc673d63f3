import fc from 'fast-check';
import { sleep } from 'n8n-workflow';

import type { DeduplicationStore, RunOptions, RunResult } from '../../engine';
import { engine, withDeduplicationStore } from '../../engine';
import type { Fault } from '../../sandbox';
import { SEED } from '../../seed';
import { controlTimeLimit } from '../../timeLimits';
import { CHARGE, useCharges, withClockAhead } from './charges';

/**
 * Everything together: carts are delivered again and again, simultaneously, from other nodes and after
 * restarts of n8n, while answers are lost or drip, events lag, payments are refunded, and n8n's store
 * fails or loses writes. No cart is charged twice, none that may be charged stays blocked, and no refused
 * charge is reported as unknown.
 */

const { sandbox, runCharge, startOver } = useCharges();

const RUNS = Number(process.env.CHARGE_STORMS ?? 12);
const REFERENCES = ['SALE-1', 'SALE-2', 'SALE-3'];

let limit: ReturnType<typeof controlTimeLimit>;
/** True once the time limit has cut off every request under way. */
let hasDripped = false;
function drip(): void {
	hasDripped = true;
	// By then every request has reached the gateway. A request cut off earlier would be reported as
	// unknown although nothing was charged.
	limit.expireSoon(300);
}
beforeAll(() => (limit = controlTimeLimit(120_000)));
afterAll(() => limit.restore());

const answerFaults: Fault[] = [
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
const others = fc.constantFrom(
	'answer with a status',
	'lag',
	'refund',
	'fail the store',
	'restart',
);
const step = fc.record({
	kind: fc.oneof(
		{ weight: 5, arbitrary: fc.constant('deliver') },
		{ weight: 3, arbitrary: fc.constant('break the answer') },
		{ weight: 5, arbitrary: others },
	),
	references: fc.array(fc.constantFrom(...REFERENCES), { minLength: 1, maxLength: 5 }),
	place: fc.constantFrom('here', 'other node', 'other workflow'),
	fault: fc.constantFrom(...answerFaults),
	/** The status in an answer. Without one, the charge is refused. */
	status: fc.constantFrom('', 'DECLINED', 'PENDING'),
	isBehind: fc.boolean(),
	at: fc.nat({ max: 5 }),
});
const storm = fc.record({
	/** Restarts with one node, or other nodes and workflows without restarts: see the README. */
	hasRestarts: fc.boolean(),
	hasOtherWorker: fc.boolean(),
	steps: fc.array(step, { minLength: 4, maxLength: 12 }),
});
type Storm = typeof storm extends fc.Arbitrary<infer S> ? S : never;
type Step = Storm['steps'][number];

/** Another worker reads the row and writes it back later, again and again. */
async function overwrite({ rows }: DeduplicationStore, row: string, isOver: () => boolean) {
	for (let times = 0; !isOver(); times++) {
		const before = rows.get(row);
		await sleep(15);
		if (before) rows.set(row, [...before, `other ${times}`]);
		await sleep(85);
	}
}

let storms = 0;

class ChargeStorm {
	// On a busy machine, locks of the last storm are still being written: this one gets its own row.
	private readonly workflow = { id: `workflow-${++storms}` };
	private readonly carts = new Map(
		REFERENCES.map((referenceID) => [referenceID, sandbox.addCart({ referenceID })]),
	);
	private executions = 0;
	/** How many answers to charges were set up by `answerWith`. */
	private answered = 0;
	/** The transaction that was refunded last. */
	private refunded = '';

	constructor(
		private readonly storm: Storm,
		private readonly store: DeduplicationStore,
	) {}

	/** Returns the runs of the last delivery, by reference. */
	async play(): Promise<Map<string, RunResult>> {
		for (const step of this.storm.steps) await this.actions[step.kind](step);
		this.endFaults();
		// By then, an intent that a failing store kept has lapsed.
		return await withClockAhead(130_000, async () => await this.deliver(REFERENCES, 'here'));
	}

	private readonly actions: Record<Step['kind'], (step: Step) => Promise<unknown> | void> = {
		deliver: async ({ references, place }) =>
			await this.deliver(references, this.storm.hasRestarts ? 'here' : place),
		'break the answer': ({ fault }) => sandbox.fault({ on: CHARGE, ...fault }),
		'answer with a status': ({ status }) => this.answerWith(status),
		lag: ({ isBehind }) => void (sandbox.settings.eventLag = isBehind ? Infinity : 0),
		refund: () => this.refundNewest(),
		'fail the store': ({ at }) => this.failStore(at),
		restart: () => this.restart(),
	};

	private async deliver(references: readonly string[], place: Step['place']) {
		let isOver = false;
		const other = this.storm.hasOtherWorker
			? overwrite(this.store, `${this.workflow.id} n:node-paymentsGateway`, () => isOver)
			: undefined;
		const { workflow } = this;
		const runs = references.map(async (reference) => {
			const options: Partial<RunOptions> = {
				executionId: `execution-${++this.executions}`,
				workflow: place === 'other workflow' ? { id: `${workflow.id}-other` } : workflow,
				...(place === 'other node' && { settings: { name: 'Charge Again', id: 'node-2' } }),
			};
			const run = await runCharge({ paymentData: this.carts.get(reference) }, options);
			return [reference, run] as const;
		});
		const delivered = new Map<string, RunResult>(await Promise.all(runs));
		isOver = true;
		await other;
		return delivered;
	}

	private answerWith(status: Step['status']): void {
		const body = { transactionID: `txn_answered_${++this.answered}`, status };
		sandbox.fault({ on: CHARGE, ...(status === '' ? { status: 402 } : { body }) });
	}

	private refundNewest(): void {
		const { transactionID = '' } = sandbox.charges.at(-1) ?? {};
		if (transactionID !== this.refunded) sandbox.refund(transactionID);
		this.refunded = transactionID;
	}

	/** From now on, two accesses to the store fail. */
	private failStore(first: number): void {
		let accesses = 0;
		this.store.step = () => {
			const access = accesses++;
			if (access === first || access === first + 1) throw new Error('Away');
		};
	}

	private restart(): void {
		// Only its own process can charge a pending reference again: README, limits of a charge.
		const isPending = this.storm.steps.some(
			({ kind, status }) => kind === 'answer with a status' && status === 'PENDING',
		);
		if (this.storm.hasRestarts && !isPending) engine.restart();
	}

	/** Everything works again, and what was declined or pending shows as failed. */
	private endFaults(): void {
		sandbox.clearFaults();
		delete this.store.step;
		sandbox.settings.eventLag = 0;
		for (const referenceID of REFERENCES) {
			for (let nth = 1; nth <= this.answered; nth++) {
				const transactionID = `txn_answered_${nth}`;
				sandbox.addEvent({ type: 'payment_failed', referenceID, transactionID });
			}
		}
	}
}

/** Every request to charge the reference was answered, or none was sent. */
function isCertain(reference: string): boolean {
	return sandbox.requestsTo(CHARGE).every(({ body, status }) => {
		const cart = sandbox.carts.find((each) => each.paymentData === body.data.paymentData);
		const isAnswered = !hasDripped && [200, 402, 429].includes(status ?? 0);
		return cart?.referenceID !== reference || isAnswered;
	});
}

test(`${RUNS} storms: no cart is charged twice, and none that may be charged is blocked`, async () => {
	process.stderr.write(`${RUNS} charge storms, FC_SEED=${SEED}\n`);
	await fc.assert(
		fc.asyncProperty(storm, async (each) => {
			hasDripped = false;
			const last = await new ChargeStorm(each, await withDeduplicationStore()).play();
			const charged = sandbox.charges.map(({ referenceID }) => referenceID);
			const stuck = REFERENCES.filter(
				(reference) => isCertain(reference) && !charged.includes(reference),
			).map((reference) => [reference, last.get(reference)?.error?.message]);
			startOver();
			expect(stuck).toEqual([]);
		}),
		{ numRuns: RUNS, endOnFailure: true },
	);
}, 1_800_000);
