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
	// One n8n-workflow for all of them; it takes long to load.
	jest.doMock('n8n-workflow', () => n8nWorkflow);
	const loaded: Module[] = [];
	jest.isolateModules(() => {
		loaded.push(jest.requireActual('../../../nodes/PaymentsGateway/resources/payment/claims'));
	});
	const [only] = loaded;
	if (only === undefined) throw new Error('Not loaded');
	return only;
}

export const WORKERS = 6;
const workers = Array.from({ length: WORKERS }, load);

export const wait = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));

/** The same in each play, so that a failure can be played again. */
let chance = 1;
export function startChance(): void {
	chance = 1;
}

/** Timers, time limits and chance are those of the test. */
export function useVirtualTime(): void {
	beforeEach(() => {
		jest.useFakeTimers();
		jest.spyOn(Math, 'random').mockImplementation(() => {
			chance = (chance * 48_271) % 2_147_483_647;
			return chance / 2_147_483_647;
		});
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
type Kind = 'add' | 'remove';
export type Faults = (kind: Kind, entries: readonly string[]) => Fault | undefined;

/** A worker's way to the store, and what it makes claims with. */
export function workerOf(
	index: number,
	store: DeduplicationStore,
	{
		workflow = 'workflow-1',
		faults = () => undefined,
	}: { workflow?: string; faults?: Faults } = {},
) {
	const worker = workers[index] ?? load();
	const place = { workflow: { id: workflow }, node: { id: 'node-1' } } as never;
	const through =
		(kind: Kind, method: 'checkProcessedAndRecord' | 'removeProcessed') =>
		async (items: string[], scope: 'node', options: never): Promise<unknown> => {
			const fault = faults(kind, items);
			if (fault === 'refused') throw new Error('database is locked');
			if (fault === 'hangs') return await new Promise<never>(() => {});
			const answer = await store[method](items, scope, place, options);
			if (fault === 'lost') throw new Error('Connection terminated unexpectedly');
			if (fault === 'unanswered') return await new Promise<never>(() => {});
			return answer;
		};
	const helpers = {
		checkProcessedAndRecord: through('add', 'checkProcessedAndRecord'),
		removeProcessed: through('remove', 'removeProcessed'),
	};
	const context = {
		helpers,
		getWorkflow: () => ({ id: workflow }),
		getNode: () => ({ id: 'node-1' }),
	} as unknown as IExecuteFunctions;
	const row = worker.storeOf(context);
	return {
		claim: (cart: string) => {
			const claim = new worker.Claim(cart);
			return {
				take: async () => await claim.take(row),
				hold: async () => await claim.hold(row),
				release: async () => await claim.release(row),
			};
		},
	};
}
