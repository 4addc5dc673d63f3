import type { IExecuteFunctions } from 'n8n-workflow';
import * as n8nWorkflow from 'n8n-workflow';

import type * as claimsModule from '../../../nodes/PaymentsGateway/resources/payment/claims';
import type { DeduplicationStore } from '../../engine';

/**
 * Workers of n8n that claim charges at once: all of them run the real code, each in a process of its
 * own, by a clock that the test turns. Their accesses to the store can fail as a database's do.
 */

type Module = typeof claimsModule;

/** A load of its own is a process of its own: it shares nothing but the store. */
function load(): Module {
	const loaded: Module[] = [];
	// One n8n-workflow for all of them; it takes long to load.
	jest.doMock('n8n-workflow', () => n8nWorkflow);
	jest.isolateModules(() => {
		loaded.push(jest.requireActual('../../../nodes/PaymentsGateway/resources/payment/claims'));
	});
	return loaded[0] as Module;
}

export const WORKERS = 6;
const workers = Array.from({ length: WORKERS }, load);

let state = 1;
/** The same in each play, so that a failure can be played again. */
export const startChance = () => void (state = 1);
function chance(): number {
	state = (state * 48_271) % 2_147_483_647;
	return state / 2_147_483_647;
}

/** Timers, time limits and chance are those of the test. */
export function useVirtualTime(): void {
	beforeEach(() => {
		jest.useFakeTimers();
		jest.spyOn(Math, 'random').mockImplementation(chance);
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

/** What comes of it in so much of the test's time. */
export async function settle<T>(task: Promise<T>, ms = 30_000): Promise<T> {
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

/** The claim of a cart by a worker, in its node's row of a store. */
export function claimBy(
	worker: number,
	store: DeduplicationStore,
	cart: string,
	faults: Faults = () => undefined,
	workflow = 'workflow-1',
) {
	const { Claim, storeOf } = workers[worker] as Module;
	const node = { id: 'node-1' };
	const access = (method: Method) => async (items: string[], scope: 'node', options: never) => {
		const fault = faults(method, items);
		if (fault === 'refused') throw new Error('database is locked');
		if (fault === 'hangs') return await new Promise<never>(() => {});
		const place = { workflow: { id: workflow }, node } as never;
		const answer = await store[method](items, scope, place, options);
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
	const row = storeOf(context);
	const claim = new Claim(cart);
	return {
		take: async () => await claim.take(row),
		hold: async () => await claim.hold(row),
		release: async () => await claim.release(row),
	};
}
