import { createHash, randomUUID } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import { memoriesOf } from '../../operation/memories';

/** What is known of a charge that was sent: not its outcome, or that it went through. */
export type Note =
	| { state: 'sent'; transactionID?: string }
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
 * n8n's Retry On Fail and through the batches of a loop, and in that of the whole execution, for a
 * second node that charges. Hashes only, as n8n stores them.
 */
export interface Attempts {
	/** An attempt of this execution under any of these names. */
	earlier(names: readonly string[]): Earlier | undefined;
	/** Writes an attempt down under all of its names. */
	note(names: readonly string[], note: Note): void;
	/** The service has plainly refused it: it may be tried again. */
	forget(names: readonly string[]): void;
	/** This item of this run, and no other. */
	readonly here: string;
}

/** A key of its own for each charge: n8n notices what is written at the top, and nothing is copied. */
const PREFIX = 'paymentsGatewayCharge:';

export function hash(scope: string, name: string): string {
	return createHash('sha256')
		.update(JSON.stringify([scope, name]))
		.digest('hex');
}

type Context = Pick<IExecuteFunctions, 'getContext' | 'getNode'>;

export function attemptsOf(
	context: Context,
	scope: string,
	itemIndex: number,
	runIndex: number,
): Attempts {
	const memories = memoriesOf(context);
	// Nothing is run again where there is no context, so no two calls there are the same.
	const here =
		memories.length === 0
			? randomUUID()
			: JSON.stringify([context.getNode().name, runIndex, itemIndex]);
	const by = hash(scope, here);
	const keyOf = (name: string) => PREFIX + hash(scope, name);
	return {
		here,
		earlier(names) {
			for (const memory of memories) {
				for (const name of names) {
					const found = memory[keyOf(name)] as Kept | undefined;
					if (found) return { note: found.note, isRetry: found.by === by };
				}
			}
			return undefined;
		},
		note(names, note) {
			for (const memory of memories) {
				for (const name of names) memory[keyOf(name)] = { note, by };
			}
		},
		forget(names) {
			for (const memory of memories) {
				for (const name of names) delete memory[keyOf(name)];
			}
		},
	};
}
