import type { IExecuteFunctions } from 'n8n-workflow';
import * as n8nWorkflow from 'n8n-workflow';

import type * as chargeLockModule from '../../nodes/PaymentsGateway/charge/chargeLock';
import type * as lockStoreModule from '../../nodes/PaymentsGateway/charge/lockStore';
import type { DeduplicationStore } from '../engine';

/**
 * Workers of n8n that lock charges at once. All of them run the real code, each in a process of its
 * own, by a clock that the test advances. Their accesses to the store can fail as a database's do.
 */

type Process = typeof chargeLockModule & typeof lockStoreModule;

/** Modules that are loaded anew make a process of their own: workers share nothing but the store. */
function startProcess(): Process {
	const started: Process[] = [];
	// One n8n-workflow for all of them; it takes long to load.
	jest.doMock('n8n-workflow', () => n8nWorkflow);
	jest.isolateModules(() => {
		started.push({
			...jest.requireActual('../../nodes/PaymentsGateway/charge/chargeLock'),
			...jest.requireActual('../../nodes/PaymentsGateway/charge/lockStore'),
		});
	});
	return started[0] as Process;
}

export const WORKERS = 6;
const workers = Array.from({ length: WORKERS }, startProcess);

let state = 1;
/** Each run begins with the same random numbers, so that a failure can be repeated. */
export const resetRandom = () => void (state = 1);
function random(): number {
	state = (state * 48_271) % 2_147_483_647;
	return state / 2_147_483_647;
}

/** Timers, time limits and random numbers are those of the test. */
export function useVirtualTime(): void {
	beforeEach(() => {
		jest.useFakeTimers();
		jest.spyOn(Math, 'random').mockImplementation(random);
		jest.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
			const limit = new AbortController();
			setTimeout(() => limit.abort(), milliseconds);
			return limit.signal;
		});
	});
	afterEach(() => {
		jest.useRealTimers();
		jest.restoreAllMocks();
	});
}

/** The result of a task, after so much of the test's time. */
export async function resultOf<T>(task: Promise<T>, ms = 30_000): Promise<T> {
	await jest.advanceTimersByTimeAsync(ms);
	return await task;
}

/**
 * What becomes of an access: it is `refused` and not carried out, its answer is `lost` after it was,
 * or no answer ever comes, whether it `hangs` before or is `unanswered` after it was carried out.
 */
export type Fault = 'refused' | 'lost' | 'hangs' | 'unanswered';
type Method = 'checkProcessedAndRecord' | 'removeProcessed';
export type Faults = (method: Method, entries: readonly string[]) => Fault | undefined;

/** A worker's lock on the charge of a cart, in its node's row of a store. */
export function lockBy(
	worker: number,
	store: DeduplicationStore,
	cart: string,
	faults: Faults = () => undefined,
	workflow = 'workflow-1',
) {
	const { ChargeLock, lockStoreOf } = workers[worker] as Process;
	const node = { id: 'node-1' };
	const access = (method: Method) => async (items: string[], scope: 'node', options: never) => {
		const fault = faults(method, items);
		if (fault === 'refused') throw new Error('database is locked');
		if (fault === 'hangs') return await new Promise<never>(() => {});
		const where = { workflow: { id: workflow }, node } as never;
		const answer = await store[method](items, scope, where, options);
		if (fault === 'lost') throw new Error('Connection terminated unexpectedly');
		if (fault === 'unanswered') return await new Promise<never>(() => {});
		return answer;
	};
	const context = {
		helpers: {
			checkProcessedAndRecord: access('checkProcessedAndRecord'),
			removeProcessed: access('removeProcessed'),
		},
		getWorkflow: () => ({ id: workflow }),
		getNode: () => node,
	} as unknown as IExecuteFunctions;
	const row = lockStoreOf(context);
	const lock = new ChargeLock(cart);
	return {
		acquire: async () => await lock.acquire(row),
		renew: async () => await lock.renew(row),
		release: async () => await lock.release(row),
	};
}
