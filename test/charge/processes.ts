import type { IExecuteFunctions } from 'n8n-workflow';
import * as n8nWorkflow from 'n8n-workflow';

import type * as chargeModule from '../../nodes/PaymentsGateway/charge/chargeOnce';
import type * as statusModule from '../../nodes/PaymentsGateway/resources/payment/getStatus';
import { DAY, MINUTE } from '../durations';
import { loadInNewProcess } from '../newProcess';

/**
 * Processes of n8n for tests, and a clock that they share. Each process runs the real code and
 * remembers only what it has done itself. A pause moves the clock and takes no time.
 */

export type Process = Pick<typeof chargeModule, 'chargeOnce'> &
	Pick<typeof statusModule, 'getStatus'>;

export const START = Date.UTC(2026, 0, 10, 12);
/** After this long, a process has forgotten everything. */
const FORGETTING_TAKES = 400 * DAY;

let date = START;
let uptime = 0;

export const clock = {
	now: () => date,
	advance: (ms: number) => {
		date += ms;
		uptime += ms;
	},
	/** Goes back to the first date. The processes have forgotten everything. */
	restart: () => {
		date = START;
		uptime += FORGETTING_TAKES;
	},
};

export function startProcess(): Process {
	const sleep = async (ms: number) => await Promise.resolve(clock.advance(ms));
	const folder = '../../nodes/PaymentsGateway';
	return loadInNewProcess<Process>(
		() => ({
			...jest.requireActual(`${folder}/charge/chargeOnce`),
			...jest.requireActual(`${folder}/resources/payment/getStatus`),
		}),
		{ ...n8nWorkflow, sleep },
	);
}

/** The code under test reads the time from `clock`, and no time limit is ever reached. */
export function useClock(): void {
	const { now } = Date;
	const { timeout, any } = AbortSignal;
	const { stackTraceLimit } = Error;
	const never = new AbortController().signal;
	// Not by jest's spies, which remember each of millions of calls. No test reads a stack.
	beforeEach(() => {
		Object.assign(Date, { now: clock.now });
		Object.assign(performance, { now: () => uptime });
		Object.assign(AbortSignal, { timeout: () => never, any: () => never });
		Error.stackTraceLimit = 0;
	});
	afterEach(() => {
		Object.assign(Date, { now });
		Reflect.deleteProperty(performance, 'now');
		Object.assign(AbortSignal, { timeout, any });
		Error.stackTraceLimit = stackTraceLimit;
	});
}

/** The names of locks end in the number of such a period. Milliseconds. */
const PERIODS: Readonly<Record<string, number>> = { minute: MINUTE, tenDays: 10 * DAY };
const OLDEST_PERIOD = 3;

/** n8n's deduplication store for one node, in memory. Its next access can be made to fail. */
export class Store {
	private entries: readonly string[] = [];
	failsNext = false;

	/** The kind and the age, in periods, of each entry that may still block. */
	lockAges(): string[] {
		return this.entries.flatMap((entry) => {
			const [, kind = '', period] = /:([A-Za-z]+)(\d+)$/.exec(entry) ?? [];
			const age = Math.floor(clock.now() / (PERIODS[kind] ?? NaN)) - Number(period);
			return age <= OLDEST_PERIOD ? [`${kind} ${age}`] : [];
		});
	}

	readonly helpers: Pick<
		IExecuteFunctions['helpers'],
		'checkProcessedAndRecord' | 'removeProcessed'
	> = {
		checkProcessedAndRecord: async (items) => {
			this.access();
			const processed = items.filter((item) => this.entries.includes(String(item)));
			const added = items.filter((item) => !processed.includes(item));
			this.entries = [...this.entries, ...added.map(String)];
			return await Promise.resolve({ new: added, processed });
		},
		removeProcessed: async (items) => {
			this.access();
			this.entries = this.entries.filter((entry) => !items.map(String).includes(entry));
			await Promise.resolve();
		},
	};

	private access(): void {
		const fails = this.failsNext;
		this.failsNext = false;
		if (fails) throw new Error('database is locked');
	}
}
