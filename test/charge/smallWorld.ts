import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { OperationContext } from '../../nodes/PaymentsGateway/operation/operation';
import { Store, clock, startProcess } from './processes';
import type { Process } from './processes';
import { CENTS, REFERENCE, SimulatedGateway } from './simulatedGateway';
import type { Answer, Kind, Listed } from './simulatedGateway';

/**
 * A world so small that each order of a few actions can be tried: one reference, one cart of $25, a
 * gateway, the store of n8n and two of its processes, A and B. A can be restarted. An action takes
 * less than three minutes, so four of them happen while a process remembers the events it has read.
 *
 * After each action the world says what is wrong with it (`faults`). It knows what really happened:
 * which charges were sent, and what the list of events showed as an action began.
 */

const MINUTE = 60_000;
export const DAY = 24 * 60 * MINUTE;
/** Longer than the two minutes in which a charge that is about to be sent blocks others. */
const STEP = 2.5 * MINUTE;
/** What remains of what a process has read is forgotten after this. */
const READINGS_LAST = 10 * MINUTE;
const BLOCKED_FOR = 30 * DAY;
/** A lock's names are those of periods of ten days, so it can last for one period longer. */
const LOCKED_FOR = 40 * DAY;
const LOOK_BACK = 30 * DAY;
const LATE_BY = 2 * DAY;
/** Dates of the events of other customers that are listed at the start, as days before it. */
const OTHERS = [0.01, 0.1, 1, 2.5, 4, 6, 8, 10];

/** A charge that a process has sent. */
interface Sent {
	readonly transaction: string;
	readonly at: number;
	readonly by: Process;
	readonly answer: Answer;
	readonly execution: string;
}

/** What a charge or Get Status has returned, or the message of its error. */
interface Outcome {
	readonly result?: Readonly<Record<string, unknown>>;
	readonly error?: string;
}

/** What the list showed of the reference as an action began. */
interface Shown {
	readonly successes: readonly string[];
	readonly failures: readonly Listed[];
	readonly refunded: ReadonlySet<string>;
	readonly returned: ReadonlySet<string>;
}

/** The rows that a process has read, as far as it can remember them. */
interface Reading {
	readonly began: number;
	readonly at: number;
	readonly rows: ReadonlySet<Listed>;
	/** The list as it was last read. */
	readonly list: readonly Listed[];
}

/** The next world uses the same processes again. */
const pool: Process[] = [];

export class World {
	readonly gateway = new SimulatedGateway();
	readonly store = new Store();
	readonly faults: string[] = [];
	private readonly startedAt: number;
	private readonly sent: Sent[] = [];
	private readonly transactionsOfPaylinks: string[] = [];
	private readonly readings = new Map<Process, Reading>();
	private a = processFor(0);
	private readonly b = processFor(1);
	private restarts = 0;
	private executions = 0;

	constructor() {
		clock.restart();
		this.startedAt = clock.now();
		for (const days of OTHERS) this.gateway.list('other', `other-${days}`, days * DAY);
	}

	// What an action can do.

	async charge(by: 'A' | 'B', answer: Answer, execution = `execution-${++this.executions}`) {
		const process = by === 'A' ? this.a : this.b;
		const before = this.shown();
		const hasStoreFailed = this.store.failsNext;
		this.gateway.nextAnswer = answer;
		const count = this.gateway.charges.length;
		const outcome = await outcomeOf(
			process.chargeOnce(this.contextOf(process, execution), {
				data: { paymentData: 'cart', dynamicData: {}, customerInfo: { paymentType: 'card' } },
				...{ expectedTotal: undefined, mostPerCharge: undefined },
				...{ lookBackDays: LOOK_BACK / DAY, allowRepeat: false },
			}),
		);
		this.store.failsNext = false;
		const earlier = [...this.sent];
		for (let nth = count + 1; nth <= this.gateway.charges.length; nth++) {
			const transaction = `transaction-${nth}`;
			this.sent.push({ transaction, at: clock.now(), by: process, answer, execution });
		}
		const sentNow = this.sent.slice(earlier.length);
		this.checkMoney(earlier, sentNow, before);
		this.checkChargeOutcome(outcome, {
			process,
			execution,
			earlier,
			sentNow,
			before,
			hasStoreFailed,
		});
	}

	async retry(): Promise<void> {
		const last = this.sent.at(-1);
		if (last) await this.charge('A', 'captured', last.execution);
	}

	async getStatus(by: 'A' | 'B'): Promise<void> {
		const process = by === 'A' ? this.a : this.b;
		const before = this.shown();
		const parameters = {
			...{ referenceId: REFERENCE, waitForOutcome: false, options: {} },
			expectedAmount: CENTS,
		};
		const ctx = this.contextOf(process, `status-${this.executions}`);
		const outcome = await outcomeOf(process.getStatus.run(parameters as never, ctx));
		const right = [this.statusOf(process, before), this.statusOf(process, this.shown())].flat();
		const said = outcome.error ?? String(outcome.result?.outcome);
		if (!right.includes(said))
			this.faults.push(`Get Status of ${by}: ${said}, not ${right.join()}`);
	}

	payByPaylink(ago = 0): void {
		const transaction = `paylink-${this.transactionsOfPaylinks.length + 1}`;
		this.transactionsOfPaylinks.push(transaction);
		this.gateway.list('success', transaction, ago);
	}

	payLate = () => this.payByPaylink(LATE_BY);

	/** The gateway keeps its newest events alone. */
	otherComesAndOldestGoes(): void {
		this.gateway.list('other', `other-${clock.now()}`);
		this.gateway.removeOldest();
	}

	/** While a process reads: something is paid late further down, and the oldest event goes. */
	payLateDuringNextReading(): void {
		this.gateway.afterNextPage = () => {
			this.payLate();
			this.gateway.removeOldest();
		};
	}

	/** The event of a charge shows, dated as the charge. */
	show(kind: 'success' | 'failure'): void {
		const due = this.due(kind);
		if (due) this.gateway.list(kind, due.transaction, clock.now() - due.at);
	}

	/** A refund, or a failure after the payment: the bank has returned it. */
	takeBack(kind: 'refund' | 'failure'): void {
		const payment = this.payment(kind === 'refund');
		if (payment) this.gateway.list(kind, payment.transaction);
	}

	restart(): void {
		this.a = processFor(++this.restarts + 1);
	}

	/** What is captured shows by then, and other customers pay. */
	pass(days: number): void {
		clock.advance(days * DAY);
		for (let due = this.due('success'); due; due = this.due('success')) this.show('success');
		for (const ago of OTHERS.slice(0, 4)) {
			this.gateway.list('other', `other-${clock.now()}-${ago}`, ago * DAY);
		}
	}

	/** What a process does takes minutes. What happens at the gateway takes a moment. */
	async act({ run, takes = 1 }: Action): Promise<void> {
		await run(this);
		clock.advance(takes);
	}

	// What is possible.

	/** A charge whose event is yet to show. Charges that were captured settle before those pending. */
	due(kind: 'success' | 'failure'): Sent | undefined {
		const isDue = ({ answer }: Sent) =>
			answer === 'pending' ||
			(kind === 'success' && answer !== 'refused' && answer !== 'lostNever');
		return this.sent.find((each) => isDue(each) && !this.isListed(each.transaction));
	}

	/** A payment that is listed and was not returned; nor refunded, if that is asked for. */
	payment(isUnrefunded: boolean): Listed | undefined {
		const { refunded, returned } = this.shown();
		return this.gateway.rows.find(
			({ kind, transaction, at }) =>
				kind === 'success' &&
				at >= clock.now() - LOOK_BACK &&
				!returned.has(transaction) &&
				!(isUnrefunded && refunded.has(transaction)),
		);
	}

	get isOldestAnother(): boolean {
		return this.gateway.rows.at(-1)?.kind === 'other';
	}

	get hasSent(): boolean {
		return this.sent.some(({ by }) => by === this.a);
	}

	get hasReadByA(): boolean {
		return this.readings.has(this.a);
	}

	// What must hold.

	private checkMoney(earlier: readonly Sent[], sentNow: readonly Sent[], before: Shown): void {
		if (sentNow.length === 0) return;
		if (sentNow.length > 1) this.faults.push('one charge sent two requests');
		const open = earlier.filter(
			(each) => this.mayBeCharged(each) && clock.now() - each.at < BLOCKED_FOR,
		);
		if (open.length > 0) this.faults.push(`charged again after ${open[0]?.answer}`);
		if (before.successes.length > 0) this.faults.push('charged although the list showed a payment');
	}

	private checkChargeOutcome(
		{ result, error = '' }: Outcome,
		given: {
			process: Process;
			execution: string;
			earlier: readonly Sent[];
			sentNow: readonly Sent[];
			before: Shown;
			hasStoreFailed: boolean;
		},
	): void {
		const { process, execution, earlier, sentNow, before, hasStoreFailed } = given;
		const [now] = sentNow;
		const is = (expected: boolean, what: string) => {
			const said = error || JSON.stringify(result);
			if (!expected) this.faults.push(`${what} (sent: ${now?.answer ?? 'nothing'}; said: ${said})`);
		};
		const own = earlier.filter(({ by }) => by === process);
		const hasPaid = before.successes.length > 0 || this.shown().successes.length > 0;
		if (result?.charged === true) {
			const ofItem = own.some((each) => each.answer === 'captured' && each.execution === execution);
			is(now?.answer === 'captured' || ofItem, 'it said that it charged');
			is(result.amount === CENTS / 100, 'another amount');
		} else if (result?.charged === null) {
			const isPending = own.some((each) => each.answer === 'pending' && this.mayBeCharged(each));
			is(now?.answer === 'pending' || isPending, 'it said that it is pending');
		} else if (result) {
			is(now === undefined, 'it charged and said that it did not');
			is(hasPaid || own.some(({ answer }) => answer === 'captured'), 'it said that it is paid');
			const { outcome } = result;
			const { refunded, returned } = this.shown();
			is(outcome !== 'refunded' || refunded.size > 0, 'it said that it is refunded');
			is(outcome !== 'returned' || returned.size > 0, 'it said that it is returned');
			const isStanding = this.payment(true) !== undefined;
			is(outcome === 'alreadyPaid' || !isStanding, 'it said that nothing is paid any more');
		} else if (now) {
			const isRefused = /declined/.test(error);
			is(isRefused === (now.answer === 'refused'), 'it said that it was refused');
			is(isRefused || now.answer.startsWith('lost'), 'it did not say what the gateway answered');
			is(isRefused || /not known/.test(error), 'it did not say that the outcome is unknown');
		} else if (/Nothing more was charged/.test(error)) {
			const kept = [before, this.shown()].map(({ successes, refunded, returned }) =>
				successes.filter((each) => !refunded.has(each) && !returned.has(each)),
			);
			const isOne = kept.every(({ length }) => length === 1);
			is(hasPaid && !isOne, 'it said that another amount was paid');
		} else if (/not known/.test(error)) {
			const open = earlier.filter((each) => this.blocks(each, process));
			is(open.length > 0, 'it said that a charge was sent');
			const isKnown = open.every(({ by, answer }) => by === process && !answer.startsWith('lost'));
			is(!isKnown, 'it said that it does not know what it knows');
		} else {
			is(/Nothing was charged: n8n's database/.test(error) && hasStoreFailed, 'it failed');
		}
		const isFree = !hasPaid && earlier.every((each) => !this.blocks(each, process));
		if (isFree && !hasStoreFailed) is(now !== undefined, 'it did not charge, for no reason');
	}

	/** The outcomes that Get Status may tell. */
	private statusOf(process: Process, { successes, failures, refunded, returned }: Shown): string[] {
		const back = successes.filter((each) => returned.has(each));
		const standing = successes.filter((each) => !returned.has(each));
		if (standing.length > 0) {
			const given = standing.filter((each) => refunded.has(each)).length;
			if (given === 0) return ['succeeded'];
			return [given === standing.length ? 'refunded' : 'partiallyRefunded'];
		}
		if (back.length > 0)
			return back.some((each) => refunded.has(each)) ? ['refunded', 'returned'] : ['returned'];
		const own = this.sent.filter(
			(each) =>
				each.by === process && this.mayBeCharged(each) && clock.now() - each.at < BLOCKED_FOR,
		);
		const last = Math.max(-Infinity, ...failures.map(({ at }) => at));
		if (own.some(({ answer }) => answer === 'captured')) return ['succeeded'];
		if (own.some(({ at }) => at > last)) return ['pending'];
		if (failures.length > 0) return own.length > 0 ? ['failed', 'pending'] : ['failed'];
		return [own.length > 0 ? 'pending' : 'notFound'];
	}

	/** The customer was charged, or may have been. */
	private mayBeCharged({ answer, transaction }: Sent): boolean {
		const hasFailed = this.gateway.rows.some(
			(row) => row.kind === 'failure' && row.transaction === transaction,
		);
		return answer !== 'refused' && !(hasFailed && answer === 'pending');
	}

	/** Only the process that sent it frees a charge that the events show as failed. */
	private blocks(each: Sent, process: Process): boolean {
		if (each.answer === 'refused' || clock.now() - each.at > LOCKED_FOR) return false;
		return each.by !== process || this.mayBeCharged(each);
	}

	private shown(): Shown {
		const rows = this.gateway.rows.filter(
			({ kind, at }) => kind !== 'other' && at >= clock.now() - LOOK_BACK,
		);
		const ofKind = (wanted: Kind) => rows.filter(({ kind }) => kind === wanted);
		const successes = ofKind('success').map(({ transaction }) => transaction);
		const failures = ofKind('failure').filter((row) => !successes.includes(row.transaction));
		const transactionsOf = (wanted: Kind) =>
			new Set(ofKind(wanted).map(({ transaction }) => transaction));
		return {
			...{ successes, failures },
			refunded: transactionsOf('refund'),
			returned: new Set([...transactionsOf('failure')].filter((each) => successes.includes(each))),
		};
	}

	private isListed(transaction: string): boolean {
		return this.gateway.rows.some((row) => row.transaction === transaction);
	}

	private contextOf(process: Process, execution: string): OperationContext {
		const { gateway, store } = this;
		const client = gateway.client(() =>
			this.readings.set(process, readingAfter(this.readings.get(process), gateway.rows)),
		);
		const node = { id: 'node', name: 'Charge', type: 'paymentsGateway' };
		const context = {
			helpers: store.helpers,
			getExecutionId: () => execution,
			getWorkflow: () => ({ id: 'workflow' }),
			getNode: () => node,
			getWorkflowDataProxy: () => ({ $runIndex: 0 }),
			getExecutionCancelSignal: () => undefined,
		} as unknown as IExecuteFunctions;
		const fieldError = (message: string) => new NodeOperationError(node as never, message);
		return { client, context, itemIndex: 0, fieldError };
	}

	/**
	 * Worlds with the same key go on in the same way. Of times only that counts which the code compares:
	 * how long ago they are, in seconds.
	 */
	get key(): string {
		const ago = (at: number) => Math.round((clock.now() - at) / 1000);
		const rowOf = ({ kind, transaction, at }: Listed) =>
			kind === 'other' ? ago(at) : [kind, transaction, ago(at)];
		const rowsOf = (rows: Iterable<Listed>) =>
			[...rows].filter(({ at }) => at >= clock.now() - LOCKED_FOR).map(rowOf);
		const nameOf = (process: Process) =>
			process === this.a ? 'A' : process === this.b ? 'B' : 'ended';
		const openOnes = this.sent.filter(({ answer }) => answer !== 'refused');
		const readingOf = (process: Process) => {
			const reading = this.readings.get(process);
			if (!reading || isForgotten(reading)) return 'none';
			const { began, at, rows, list } = reading;
			return [ago(began), ago(at), rowsOf(rows), list.length, rowsOf(list.slice(-1))];
		};
		return JSON.stringify([
			rowsOf(this.gateway.rows),
			this.gateway.rows.length,
			this.gateway.afterNextPage !== undefined,
			openOnes.map(({ by, at, answer }) => [nameOf(by), ago(at), answer]),
			nameOf(this.sent.at(-1)?.by ?? this.b),
			[readingOf(this.a), readingOf(this.b)],
			this.store.namesFrom(clock.now()),
			Math.round((clock.now() - this.startedAt) / DAY) % 10,
		]);
	}
}

const isForgotten = ({ began }: Reading) => clock.now() - began >= READINGS_LAST;

/** What a process can remember once it has read a page of a list. */
function readingAfter(before: Reading | undefined, list: readonly Listed[]): Reading {
	const at = clock.now();
	if (!before || isForgotten(before)) return { began: at, at, rows: new Set(list), list };
	return { ...before, at, rows: new Set([...before.rows, ...list]), list };
}

function processFor(index: number): Process {
	return (pool[index] ??= startProcess());
}

async function outcomeOf(task: Promise<object>): Promise<Outcome> {
	return await task.then(
		(result) => ({ result: { ...result } }),
		(error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
	);
}

export interface Action {
	readonly name: string;
	/** Without it: always. */
	readonly isPossible?: (world: World) => boolean;
	readonly run: (world: World) => Promise<void> | void;
	/** In milliseconds. */
	readonly takes?: number;
}

export const ACTIONS: readonly Action[] = [
	{ name: 'A charges', run: async (world) => await world.charge('A', 'captured'), takes: STEP },
	{
		name: 'A charges, the answer is lost',
		run: async (world) => await world.charge('A', 'lostCaptured'),
		takes: STEP,
	},
	{
		name: 'A charges, the request is lost',
		run: async (world) => await world.charge('A', 'lostNever'),
		takes: STEP,
	},
	{
		name: 'A charges, refused',
		run: async (world) => await world.charge('A', 'refused'),
		takes: STEP,
	},
	{
		name: 'A charges, pending',
		run: async (world) => await world.charge('A', 'pending'),
		takes: STEP,
	},
	{ name: 'B charges', run: async (world) => await world.charge('B', 'captured'), takes: STEP },
	{
		name: 'A charges, the store fails',
		run: async (world) => {
			world.store.failsNext = true;
			await world.charge('A', 'captured');
		},
		takes: STEP,
	},
	{
		name: 'A runs its item again',
		isPossible: (world) => world.hasSent,
		run: async (world) => await world.retry(),
		takes: STEP,
	},
	{ name: 'A gets the status', run: async (world) => await world.getStatus('A'), takes: STEP },
	{ name: 'a paylink is paid', run: (world) => world.payByPaylink() },
	{ name: 'a paylink is paid, late', run: (world) => world.payLate() },
	{
		name: 'a paylink is paid, late, as a process reads',
		isPossible: ({ isOldestAnother, gateway }) => isOldestAnother && !gateway.afterNextPage,
		run: (world) => world.payLateDuringNextReading(),
	},
	{
		name: 'the oldest event is removed',
		isPossible: ({ isOldestAnother }) => isOldestAnother,
		run: ({ gateway }) => gateway.removeOldest(),
	},
	{
		name: 'another customer pays and the oldest event is removed',
		isPossible: ({ isOldestAnother }) => isOldestAnother,
		run: (world) => world.otherComesAndOldestGoes(),
	},
	{
		name: 'a charge shows as paid',
		isPossible: (world) => world.due('success') !== undefined,
		run: (world) => world.show('success'),
	},
	{
		name: 'a pending charge shows as failed',
		isPossible: (world) => world.due('failure') !== undefined,
		run: (world) => world.show('failure'),
	},
	{
		name: 'a payment is refunded',
		isPossible: (world) => world.payment(true) !== undefined,
		run: (world) => world.takeBack('refund'),
	},
	{
		name: 'a payment is returned',
		isPossible: (world) => world.payment(false) !== undefined,
		run: (world) => world.takeBack('failure'),
	},
	{
		name: 'A restarts',
		isPossible: (world) => world.hasSent || world.hasReadByA,
		run: (world) => world.restart(),
	},
	{ name: 'four days pass', run: (world) => world.pass(4) },
	{ name: '31 days pass', run: (world) => world.pass(31) },
];
