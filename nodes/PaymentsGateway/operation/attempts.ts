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
}

/**
 * Remembers every charge that this execution has sent: in the node's context, which lives through
 * n8n's Retry On Fail and through the batches of a loop, and, where n8n has one, in its
 * deduplication store, which lives through executions. Hashes only, as n8n keeps both.
 */
export interface Attempts {
	/** An attempt of this execution under any of these names. */
	earlier(names: readonly string[]): Earlier | undefined;
	/** Writes an attempt down under all of its names. */
	note(names: readonly string[], note: Note): void;
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

function memoryOf(context: IExecuteFunctions): IDataObject {
	try {
		return context.getContext('node');
	} catch {
		return contextless;
	}
}

export function attemptsOf(
	context: IExecuteFunctions,
	scope: string,
	itemIndex: number,
	runIndex: number,
): Attempts {
	const memory = memoryOf(context);
	// Nothing is run again where there is no context, so no two calls there are the same.
	const by = memory === contextless ? randomUUID() : `${runIndex}:${itemIndex}`;
	const kept = () => (memory[STORE] ?? {}) as Record<string, Kept>;
	const helpers: Partial<IExecuteFunctions['helpers']> = context.helpers;
	const options = { mode: 'entries', maxEntries: MOST_REMEMBERED } as const;
	return {
		here: by,
		earlier(names) {
			for (const name of names) {
				const found = kept()[hash(scope, name)];
				if (found) return { note: found.note, isRetry: found.by === by };
			}
			return undefined;
		},
		note(names, note) {
			// A new object each time: n8n does not notice what changes deeper down.
			const added = Object.fromEntries(names.map((name) => [hash(scope, name), { note, by }]));
			memory[STORE] = { ...kept(), ...added };
		},
		forget(names) {
			const gone = new Set(names.map((name) => hash(scope, name)));
			memory[STORE] = Object.fromEntries(Object.entries(kept()).filter(([key]) => !gone.has(key)));
		},
		async claim(name) {
			try {
				const known = await helpers.checkProcessedAndRecord?.([hash(scope, name)], 'node', options);
				return known === undefined || known.processed.length === 0;
			} catch {
				// n8n has no store here, as in a single run from the command line.
				return true;
			}
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
