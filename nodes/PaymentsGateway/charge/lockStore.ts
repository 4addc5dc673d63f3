import type { IExecuteFunctions } from 'n8n-workflow';

import { createKeyedMutex } from '../gateway/keyedMutex';
import { withinLimit } from '../gateway/timeLimit';
import { textOf, valueAt } from '../wire/json';
import { nodeKeyOf } from './keys';

/**
 * Stores locks in n8n's deduplication store, which keeps one row of entries for each node. n8n reads
 * the row, changes it in memory and writes it back, without a lock of its own.
 */

export type LockStore = ReturnType<typeof lockStoreOf>;

/** Once renewed, a lock keeps two names and a token: room for 8,300. n8n drops the oldest first. */
const OPTIONS = { mode: 'entries', maxEntries: 25_000 } as const;
/** Milliseconds. An access that takes longer counts as failed: the node's other charges wait behind it. */
const ACCESS_TIMEOUT = 5_000;

/** Within a process, one lock at a time uses a row: see chargeLock.ts. */
const mutex = createKeyedMutex();

export function lockStoreOf(context: IExecuteFunctions) {
	const { checkProcessedAndRecord, removeProcessed } = context.helpers;
	const row = nodeKeyOf(context);
	const inTime = async <T>(access: () => Promise<T>): Promise<T> =>
		await withinLimit(ACCESS_TIMEOUT, undefined, access);
	const addOnce = async (entries: string[]) =>
		await inTime(async () => {
			const startedAt = performance.now();
			const { processed } = await checkProcessedAndRecord(entries, 'node', OPTIONS);
			return {
				/** The entries that were there before. */
				found: new Set(processed.map(String)),
				/** Milliseconds from before the read to after the write. */
				took: performance.now() - startedAt,
			};
		});
	return {
		/** Runs a task once no other lock of this process uses the row. */
		exclusively: async <T>(task: () => Promise<T>): Promise<T> => await mutex.run([row], task),
		/** Adds the entries that are not there yet. Undefined if n8n has no store for this node. */
		add: async (entries: string[]) =>
			await addOnce(entries).catch(async (error: unknown) => {
				const message = textOf(valueAt(error, 'message'));
				// Another worker has just created the row: now there is one.
				if (/unique|duplicate/i.test(message)) return await addOnce(entries);
				// n8n runs without the store, or the workflow was never saved and may have no ID.
				const isAssertion = valueAt(error, 'code') === 'ERR_ASSERTION';
				if (isAssertion || /foreign key/i.test(message)) return undefined;
				throw error;
			}),
		remove: async (entries: string[]) =>
			await inTime(async () => await removeProcessed(entries, 'node', OPTIONS)),
	};
}
