import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { OperationContext } from '../../nodes/PaymentsGateway/operation/operation';
import { DAY, MINUTE } from '../durations';
import { REFERENCE, ChargeGateway } from './chargeGateway';
import type { Answer, Listed } from './chargeGateway';
import {
	LOCKS_FOR,
	LOOK_BACK_DAYS,
	faultsOfCharge,
	keptOf,
	mayBeCharged,
	shownBy,
	statusesOf,
} from './expected';
import type { Outcome, Sent, Shown } from './expected';
import { START, Store, clock, startProcess } from './processes';
import type { Process } from './processes';

/**
 * A world so small that every order of a few actions can be tried: one reference, one cart of $25, a
 * gateway, the store of n8n and two of its processes, A and B. A can be restarted. An action of a process
 * takes two and a half minutes, so four of them fit into the time for which a process keeps the events
 * that it has read. An action at the gateway takes a millisecond.
 *
 * After each action, `faults` has what is wrong. expected.ts decides it.
 */

/** Longer than the two minutes for which a charge that is about to be sent blocks others. */
const STEP = 2.5 * MINUTE;
/** After this long, a process reads all events again. */
const CACHE_LASTS = 10 * MINUTE;
const LATE_BY = 2 * DAY;
/** The events of other customers that are listed at the start, as days before it. */
const OTHERS = [0.01, 0.1, 1, 4, 8];
/** Those listed while time passes. */
const OTHERS_MEANWHILE = [0.01, 0.1, 1];

/** The rows that a process can remember. */
interface Reading {
	readonly began: number;
	readonly at: number;
	readonly rows: ReadonlySet<Listed>;
	/** The list as it was last read. */
	readonly list: readonly Listed[];
}

type Name = 'A' | 'B';

/** What each charge asks for. */
const REQUEST = {
	data: { paymentData: 'cart', dynamicData: {}, customerInfo: { paymentType: 'card' } },
	expectedTotal: undefined,
	mostPerCharge: undefined,
	lookBackDays: LOOK_BACK_DAYS,
	allowRepeat: false,
} as const;

/** All worlds use the same processes: loading one is slow. */
const pool: Process[] = [];
const processFor = (index: number): Process => (pool[index] ??= startProcess());

export class SmallChargeWorld {
	readonly gateway = new ChargeGateway();
	readonly store = new Store();
	readonly faults: string[] = [];
	private readonly sent: Sent[] = [];
	private readonly readings = new Map<Process, Reading>();
	private readonly processes = { A: processFor(0), B: processFor(1) };
	/** A restart takes the next process of the pool. */
	private nextProcess = 2;
	/** Numbers executions and paylinks. */
	private count = 0;

	constructor() {
		clock.restart();
		for (const days of OTHERS) this.gateway.list('other', 'other', days * DAY);
	}

	async act({ run, takes = 1 }: ChargeWorldAction): Promise<void> {
		await run(this);
		clock.advance(takes);
	}

	// What an action can do.

	async charge(by: Name, answer: Answer, execution = `execution-${++this.count}`) {
		const process = this.processes[by];
		const { gateway, store, shown: before } = this;
		const earlier = [...this.sent];
		const hasStoreFailed = store.failsNext;
		gateway.nextAnswer = answer;
		const ctx = this.contextOf(process, execution);
		const outcome = await outcomeOf(process.chargeOnce(ctx, REQUEST));
		store.failsNext = false;
		const at = clock.now();
		const sentNow = gateway
			.takeCharges()
			.map((transaction) => ({ transaction, at, by: process, answer, execution }));
		this.sent.push(...sentNow);
		const known = { process, execution, earlier, sentNow, before, hasStoreFailed, outcome };
		this.faults.push(...faultsOfCharge({ ...known, after: this.shown, rows: gateway.rows }));
	}

	/** A repeats the execution of the last charge, whichever process sent it. */
	async retry(): Promise<void> {
		const last = this.sent.at(-1);
		if (last) await this.charge('A', 'captured', last.execution);
	}

	async getStatus(by: Name): Promise<void> {
		const process = this.processes[by];
		const right = () => statusesOf(process, this.shown, this.sent, this.gateway.rows);
		const before = right();
		const parameters = { referenceId: REFERENCE, waitForOutcome: false, options: {} };
		const ctx = this.contextOf(process, `execution-${++this.count}`);
		const { result, error } = await outcomeOf(process.getStatus.run(parameters as never, ctx));
		const reported = error ?? String(result?.outcome);
		if ([...before, ...right()].includes(reported)) return;
		this.faults.push(`Get Status of ${by}: ${reported}, not ${before.join(' or ')}`);
	}

	payByPaylink(ago = 0): void {
		this.gateway.list('success', `paylink-${++this.count}`, ago);
	}

	/** While a process reads, something is paid late further down and the oldest event goes. */
	payLateDuringNextReading(): void {
		this.gateway.afterNextPage = () => {
			this.payByPaylink(LATE_BY);
			if (this.canRemoveOldest) this.gateway.removeOldest();
		};
	}

	/** The event of a charge shows, with the date of the charge. */
	show(kind: 'success' | 'failure'): void {
		const due = this.due(kind);
		if (due) this.gateway.list(kind, due.transaction, clock.now() - due.at);
	}

	/** A refund, or a later failure of the payment: the bank has returned it. */
	takeBack(kind: 'refund' | 'failure'): void {
		const payment = this.payment(kind);
		if (payment) this.gateway.list(kind, payment);
	}

	restart(): void {
		this.processes.A = processFor(this.nextProcess++);
	}

	/** Meanwhile all charges that may have gone through show as paid, and other customers pay. */
	pass(days: number): void {
		clock.advance(days * DAY);
		while (this.due('success')) this.show('success');
		for (const ago of OTHERS_MEANWHILE) this.gateway.list('other', 'other', ago * DAY);
	}

	// What is possible.

	/** A charge whose event does not show yet. */
	due(kind: 'success' | 'failure'): Sent | undefined {
		const answers = kind === 'success' ? ['captured', 'answerLost', 'pending'] : ['pending'];
		const listed = new Set(this.gateway.rows.map(({ transaction }) => transaction));
		return this.sent.find((each) => answers.includes(each.answer) && !listed.has(each.transaction));
	}

	/** A payment that can be taken back. */
	payment(kind: 'refund' | 'failure'): string | undefined {
		const { paid, returned } = this.shown;
		return kind === 'refund' ? keptOf(this.shown)[0] : paid.find((each) => !returned.has(each));
	}

	/**
	 * Only another customer's event is removed: a process would still remember a removed payment that `shown`
	 * no longer has.
	 */
	get canRemoveOldest(): boolean {
		return this.gateway.rows.at(-1)?.kind === 'other';
	}

	/** Whether a restart would make the process forget anything. */
	hasMemory(name: Name): boolean {
		return this.readings.has(this.processes[name]) || this.hasSent(name);
	}

	hasSent(name: Name): boolean {
		return this.sent.some(({ by }) => by === this.processes[name]);
	}

	private get shown(): Shown {
		return shownBy(this.gateway.rows);
	}

	private contextOf(process: Process, execution: string): OperationContext {
		const { gateway, store, readings } = this;
		const client = gateway.client(() =>
			readings.set(process, readingAfter(readings.get(process), gateway.rows)),
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
	 * Worlds with the same key have the same future. The code compares ages, so the key has seconds ago
	 * instead of dates. Only locks depend on the date: their names count periods of ten days. The readings
	 * mirror what EventCache keeps.
	 */
	get key(): string {
		const { A, B } = this.processes;
		const ago = (at: number) => Math.round((clock.now() - at) / 1000);
		const rowsOf = (rows: Iterable<Listed>) =>
			[...rows]
				// Nothing older matters: the look-back is 30 days, and a lock lasts for at most 40.
				.filter(({ at }) => at >= clock.now() - LOCKS_FOR)
				.map(({ kind, transaction, at }) =>
					kind === 'other' ? ago(at) : [kind, transaction, ago(at)],
				);
		const names = new Map([
			[A, 'A'],
			[B, 'B'],
		]);
		const nameOf = (process: Process) => names.get(process) ?? 'ended';
		const readingOf = (process: Process) => {
			const reading = this.readings.get(process);
			if (!reading || isForgotten(reading)) return 'none';
			const { began, at, rows, list } = reading;
			return [ago(began), ago(at), rowsOf(rows), list.length, rowsOf(list.slice(-1))];
		};
		const { rows, afterNextPage } = this.gateway;
		return JSON.stringify([
			[rowsOf(rows), rows.length, afterNextPage !== undefined],
			this.sent
				.filter((sent) => mayBeCharged(sent, []))
				.map(({ by, at, answer }) => [nameOf(by), ago(at), answer]),
			this.sent.slice(-1).map(({ by }) => nameOf(by)),
			[readingOf(A), readingOf(B)],
			this.store.lockAges(),
			// The day within a period of ten days.
			Math.round((clock.now() - START) / DAY) % 10,
		]);
	}
}

const isForgotten = ({ began }: Reading) => clock.now() - began >= CACHE_LASTS;

/** The rows that a process can remember once it has read a page of a list. */
function readingAfter(before: Reading | undefined, list: readonly Listed[]): Reading {
	const at = clock.now();
	if (!before || isForgotten(before)) return { began: at, at, rows: new Set(list), list };
	return { ...before, at, rows: new Set([...before.rows, ...list]), list };
}

async function outcomeOf(task: Promise<object>): Promise<Outcome> {
	return await task.then(
		(result) => ({ result: { ...result } }),
		(error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
	);
}

export interface ChargeWorldAction {
	readonly name: string;
	/** Without it: always. */
	readonly isPossible?: (world: SmallChargeWorld) => boolean;
	readonly run: (world: SmallChargeWorld) => Promise<void> | void;
	/** In milliseconds. */
	readonly takes?: number;
}

const chargeBy = (name: string, by: Name, answer: Answer): ChargeWorldAction => {
	return { name, run: async (world) => await world.charge(by, answer), takes: STEP };
};

export const ACTIONS: readonly ChargeWorldAction[] = [
	chargeBy('A charges', 'A', 'captured'),
	chargeBy('A charges, the answer is lost', 'A', 'answerLost'),
	chargeBy('A charges, the request is lost', 'A', 'requestLost'),
	chargeBy('A charges, refused', 'A', 'refused'),
	chargeBy('A charges, pending', 'A', 'pending'),
	chargeBy('B charges', 'B', 'captured'),
	{
		name: 'A charges, the store fails',
		run: async (world) => {
			world.store.failsNext = true;
			await world.charge('A', 'captured');
		},
		takes: STEP,
	},
	{
		name: 'A repeats the last execution',
		isPossible: (world) => world.hasSent('A'),
		run: async (world) => await world.retry(),
		takes: STEP,
	},
	{ name: 'A gets the status', run: async (world) => await world.getStatus('A'), takes: STEP },
	{ name: 'a paylink is paid', run: (world) => world.payByPaylink() },
	{ name: 'a paylink is paid, late', run: (world) => world.payByPaylink(LATE_BY) },
	{
		name: 'a paylink is paid, late, as a process reads',
		isPossible: ({ canRemoveOldest, gateway }) => canRemoveOldest && !gateway.afterNextPage,
		run: (world) => world.payLateDuringNextReading(),
	},
	{
		name: 'the oldest event is removed',
		isPossible: ({ canRemoveOldest }) => canRemoveOldest,
		run: ({ gateway }) => gateway.removeOldest(),
	},
	{
		name: 'another customer pays and the oldest event is removed',
		isPossible: ({ canRemoveOldest }) => canRemoveOldest,
		run: ({ gateway }) => {
			// The gateway keeps only its newest events.
			gateway.list('other', 'other');
			gateway.removeOldest();
		},
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
		isPossible: (world) => world.payment('refund') !== undefined,
		run: (world) => world.takeBack('refund'),
	},
	{
		name: 'a payment is returned',
		isPossible: (world) => world.payment('failure') !== undefined,
		run: (world) => world.takeBack('failure'),
	},
	{
		name: 'A restarts',
		isPossible: (world) => world.hasMemory('A'),
		run: (world) => world.restart(),
	},
	{ name: 'four days pass', run: (world) => world.pass(4) },
	{ name: '31 days pass', run: (world) => world.pass(31) },
];
