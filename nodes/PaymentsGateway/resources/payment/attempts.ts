import { createHash, randomUUID } from 'crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

/** What is known of a charge that was sent. */
export type Note =
	| { state: 'sent' }
	| { state: 'charged'; transactionID: string; status: string; computedTotal: number };

interface Kept {
	note: Note;
	/** The item and the run it was sent for. */
	by: string;
}

export interface Earlier {
	note: Note;
	/** The same item of the same run, which n8n runs again. */
	isRetry: boolean;
	/** Empty once only what n8n stores is left. */
	referenceID: string;
}

/**
 * Remembers every charge that this execution has sent: in the node's context, which lives through
 * n8n's Retry On Fail and through the batches of a loop, in that of the whole execution, for a
 * second node that charges, and, where n8n has one, in its deduplication store, which lives through
 * executions. Hashes only, as n8n keeps them all.
 */
export interface Attempts {
	/** An attempt of this execution under any of these names. */
	earlier(names: readonly string[]): Earlier | undefined;
	/** Writes an attempt down under all of its names. The reference itself is not stored. */
	note(names: readonly string[], note: Note, referenceID: string): void;
	/** The service has plainly refused it: it may be tried again. */
	forget(names: readonly string[]): void;
	/** Claims a charge for this execution; false when an earlier execution has sent it. */
	claim(name: string): Promise<boolean>;
	release(name: string): Promise<void>;
	/** This item of this run, and no other. */
	readonly here: string;
}

const STORE = 'paymentsGatewayCharges';
const MOST_REMEMBERED = 10_000;

function hash(scope: string, name: string): string {
	return createHash('sha256')
		.update(JSON.stringify([scope, name]))
		.digest('hex');
}

/**
 * The newest way in which n8n lets an agent call a node gives it no context at all. An agent that
 * asks twice is the last that may be forgotten, so this process remembers for it.
 */
const contextless: IDataObject = {};

type Context = Pick<IExecuteFunctions, 'getContext' | 'getNode' | 'helpers' | 'logger'>;

/** The references of attempts, as long as this process has their execution in memory. */
const references = new WeakMap<IDataObject, Map<string, string>>();

function memoriesOf(context: Context): IDataObject[] {
	try {
		return [context.getContext('node'), context.getContext('flow')];
	} catch {
		return [contextless];
	}
}

function keptIn(memory: IDataObject): Record<string, Kept> {
	return (memory[STORE] ?? {}) as Record<string, Kept>;
}

export function attemptsOf(
	context: Context,
	scope: string,
	itemIndex: number,
	runIndex: number,
): Attempts {
	const memories = memoriesOf(context);
	// Nothing is run again where there is no context, so no two calls there are the same.
	const here = memories.includes(contextless)
		? randomUUID()
		: JSON.stringify([context.getNode().name, runIndex, itemIndex]);
	const by = hash(scope, here);
	const helpers: Partial<IExecuteFunctions['helpers']> = context.helpers;
	const options = { mode: 'entries', maxEntries: MOST_REMEMBERED } as const;
	/** Undefined where n8n has no store, as in a single run from the command line. */
	const isNew = async (name: string): Promise<boolean | undefined> => {
		try {
			const known = await helpers.checkProcessedAndRecord?.([hash(scope, name)], 'node', options);
			return known && known.processed.length === 0;
		} catch {
			return undefined;
		}
	};
	return {
		here,
		earlier(names) {
			for (const memory of memories) {
				for (const name of names) {
					const key = hash(scope, name);
					const found = keptIn(memory)[key];
					if (!found) continue;
					const referenceID = references.get(memory)?.get(key) ?? '';
					return { note: found.note, isRetry: found.by === by, referenceID };
				}
			}
			return undefined;
		},
		note(names, note, referenceID) {
			const keys = names.map((name) => hash(scope, name));
			const added = Object.fromEntries(keys.map((key) => [key, { note, by }]));
			for (const memory of memories) {
				// A new object each time: n8n does not notice what changes deeper down.
				memory[STORE] = { ...keptIn(memory), ...added };
				const known = references.get(memory) ?? new Map<string, string>();
				for (const key of keys) known.set(key, referenceID);
				references.set(memory, known);
			}
		},
		forget(names) {
			const gone = new Set(names.map((name) => hash(scope, name)));
			for (const memory of memories) {
				const left = Object.entries(keptIn(memory)).filter(([key]) => !gone.has(key));
				memory[STORE] = Object.fromEntries(left);
			}
		},
		async claim(name) {
			// Two that write the first row at once collide; the one that failed then finds it.
			return (await isNew(name)) ?? (await isNew(name)) ?? true;
		},
		async release(name) {
			try {
				await helpers.removeProcessed?.([hash(scope, name)], 'node', options);
			} catch {
				context.logger.debug('The note of a refused charge could not be removed');
			}
		},
	};
}
