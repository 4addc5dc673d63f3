import type { IExecuteFunctions } from 'n8n-workflow';

import type * as chargeLockModule from '../../nodes/PaymentsGateway/charge/chargeLock';
import type * as lockStoreModule from '../../nodes/PaymentsGateway/charge/lockStore';
import type { DeduplicationStore } from '../engine';
import { loadInNewProcess } from '../newProcess';

/**
 * Workers of n8n that lock charges at the same time. Each runs the real code in its own process, by a
 * clock that the test advances. Their accesses to the store can fail as a database's do.
 */

type Process = typeof chargeLockModule & typeof lockStoreModule;

export const WORKERS = 6;
/** They share only the store. */
const workers = Array.from({ length: WORKERS }, () =>
	loadInNewProcess<Process>(() => ({
		...jest.requireActual('../../nodes/PaymentsGateway/charge/chargeLock'),
		...jest.requireActual('../../nodes/PaymentsGateway/charge/lockStore'),
	})),
);

/** The test advances timers and time limits. */
export function useVirtualTime(): void {
	beforeEach(() => {
		jest.useFakeTimers();
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

/** The result of a task after this much of the test's time. */
export async function resultOf<T>(task: Promise<T>, ms = 30_000): Promise<T> {
	await jest.advanceTimersByTimeAsync(ms);
	return await task;
}

/**
 * How an access fails: it is `refused` and not carried out, or carried out and its answer is `lost`. It
 * never ends if it `hangs`, which is not carried out, or is `unanswered`, which is.
 */
export type Fault = 'refused' | 'lost' | 'hangs' | 'unanswered';
type Method = 'checkProcessedAndRecord' | 'removeProcessed';
export type Faults = (method: Method, entries: readonly string[]) => Fault | undefined;

interface Conditions {
	faults?: Faults;
	workflow?: string;
}

/** A worker's lock on the charge of a cart, in its node's row of a store. */
export function lockBy(
	worker: number,
	store: DeduplicationStore,
	cart: string,
	{ faults = () => undefined, workflow = 'workflow-1' }: Conditions = {},
) {
	const { ChargeLock, lockStoreOf } = workers[worker] as Process;
	const place = { workflow: { id: workflow }, node: { id: 'node-1' } };
	const access = (method: Method) => async (items: string[], scope: 'node', options: never) => {
		const fault = faults(method, items);
		if (fault === 'refused') throw new Error('database is locked');
		if (fault === 'hangs') return await new Promise<never>(() => {});
		const answer = await store[method](items, scope, place as never, options);
		if (fault === 'lost') throw new Error('Connection terminated unexpectedly');
		if (fault === 'unanswered') return await new Promise<never>(() => {});
		return answer;
	};
	const row = lockStoreOf({
		helpers: {
			checkProcessedAndRecord: access('checkProcessedAndRecord'),
			removeProcessed: access('removeProcessed'),
		},
		getWorkflow: () => place.workflow,
		getNode: () => place.node,
	} as unknown as IExecuteFunctions);
	let lock: chargeLockModule.ChargeLock | undefined;
	return {
		acquire: async () => {
			const acquired = await ChargeLock.acquire(row, cart);
			if (typeof acquired === 'string') return acquired;
			lock = acquired;
			return 'acquired';
		},
		renew: async () => await lock?.renew(row),
		release: async () => await lock?.release(row),
	};
}
