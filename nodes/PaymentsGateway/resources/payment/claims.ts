import { randomUUID } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type { Work } from '../../operation/operation';
import { createTurns } from '../../operation/turns';
import { hash } from './attempts';

/**
 * Claims a charge across n8n's workers and restarts, in n8n's deduplication store.
 *
 * That store is one row of hashes for each node, which n8n reads, changes in memory and writes back
 * without a lock: of two writes at once, one is lost. So in a process one access follows the other,
 * and between processes a claim is written together with a token of its own and looked at again
 * after a pause. Of two that claimed at once, only one then finds its token. This holds while no
 * write takes longer than the pause, so a claim that took longer is taken back and made anew.
 */
export interface Claims {
	/**
	 * Undefined when the charge is claimed already, unless that one has `failed`: transactions that
	 * the service has said to have failed.
	 */
	take(name: string, failed: readonly string[]): Promise<Claim | undefined>;
}

export interface Claim {
	/** The charge was sent, so the claim stays; `transactionID` where only the events say more. */
	keep(transactionID?: string): Promise<void>;
	/** Nothing was charged, so that it may be tried again. */
	release(): Promise<void>;
}

const PAUSE = 250;
const LONGEST_WRITE = 200;
/** How often a claim is made anew that others have overwritten, or that took too long. */
const TRIES = 8;
const OPTIONS = { mode: 'entries', maxEntries: 10_000 } as const;

const inTurn = createTurns();

/**
 * The tokens of claims under which nothing was sent, and which may still stand in the store: it
 * failed when they were made or given back. By them this process knows its own again.
 */
const unsent = new Map<string, string>();
const MOST_UNSENT = 10_000;

function keepToken(key: string, token: string): void {
	unsent.set(key, token);
	for (const oldest of unsent.keys()) {
		if (unsent.size <= MOST_UNSENT) break;
		unsent.delete(oldest);
	}
}

/** n8n was started without its store, or the workflow was never saved. */
function isMissing(error: unknown): boolean {
	if (typeof error !== 'object' || error === null) return false;
	const words = String(Reflect.get(error, 'message'));
	return Reflect.get(error, 'code') === 'ERR_ASSERTION' || /foreign key/i.test(words);
}

interface Look {
	/** Which of the entries were there before. */
	known: ReadonlySet<string>;
	/** Milliseconds from before the read to after the write. */
	took: number;
}

export function claimsOf({ client, complain, context }: Omit<Work, 'itemIndex'>): Claims {
	const helpers: Partial<IExecuteFunctions['helpers']> = context.helpers;
	const { checkProcessedAndRecord, removeProcessed } = helpers;
	const { id: workflow } = context.getWorkflow();
	if (!workflow || !checkProcessedAndRecord || !removeProcessed) return { take: unclaimed };

	const failedStore = () =>
		complain(
			"Nothing was charged: n8n's database failed, and a charge that it does not note could be made twice",
			'Run this again when it works. If it keeps failing, look at the log of n8n.',
		);

	/** Adds what is not there; undefined where n8n has no store. */
	const add = async (entries: string[]): Promise<Look | undefined> =>
		await inTurn('store', async () => {
			const started = performance.now();
			for (let tried = 1; ; tried++) {
				try {
					const { processed } = await checkProcessedAndRecord(entries, 'node', OPTIONS);
					return { known: new Set(processed.map(String)), took: performance.now() - started };
				} catch (error) {
					if (isMissing(error)) return undefined;
					// Two that write the first row at once collide, and the one that failed then finds it.
					if (tried > 1) throw failedStore();
				}
			}
		});

	const remove = async (entries: string[]): Promise<void> =>
		await inTurn('store', async () => {
			try {
				await removeProcessed(entries, 'node', OPTIONS);
			} catch {
				throw failedStore();
			}
		});

	const takeOne = async (entry: string): Promise<Claim | undefined> => {
		const key = JSON.stringify([workflow, context.getNode().id, entry]);
		let token = unsent.get(key) ?? randomUUID();
		let isWritten = false;
		for (let tried = 1; tried <= TRIES; tried++) {
			keepToken(key, token);
			const own = `${entry}:${token}`;
			const open = openOf(entry);
			const entries = isWritten ? [entry, own, open] : [entry, own];
			const look = await add(entries);
			if (look === undefined) {
				unsent.delete(key);
				return NO_CLAIM;
			}
			if (look.known.has(entry) && !look.known.has(own)) {
				await remove(entries.filter((each) => !look.known.has(each)));
				unsent.delete(key);
				return undefined;
			}
			if (isWritten && look.known.has(entry)) {
				unsent.delete(key);
				return claimOf(key, token, [entry, own, open]);
			}
			isWritten = look.took <= LONGEST_WRITE;
			if (isWritten) {
				await sleep(PAUSE);
			} else {
				// It may have overwritten a claim that was looked at meanwhile. Whoever made that one writes
				// it again once its charge is answered.
				await remove([entry, own, open]);
				token = randomUUID();
				await sleep(4 * PAUSE);
			}
		}
		await claimOf(key, token, [entry, `${entry}:${token}`, openOf(entry)]).release();
		throw complain(
			"Nothing was charged: n8n's database is too slow to make sure that no other worker makes the same charge",
			'Run this again when n8n has less to do.',
		);
	};

	const claimOf = (key: string, token: string, entries: string[]): Claim => ({
		async keep(transactionID) {
			const [entry = '', own = '', open = ''] = entries;
			try {
				if (transactionID === undefined) {
					await add(entries);
				} else {
					await add([entry, own, wasOf(entry, transactionID)]);
					await remove([open]);
				}
			} catch {
				context.logger.debug('The note of a charge could not be written again');
			}
		},
		async release() {
			try {
				await remove(entries);
				// Another worker that was writing meanwhile has perhaps put it back.
				await sleep(PAUSE / 2);
				await remove(entries);
			} catch {
				keepToken(key, token);
				context.logger.debug('The note of a refused charge could not be removed');
			}
		},
	});

	/** The transaction that a claim's charge has ended as, if that is one of those that failed. */
	const endedAs = async (entry: string, failed: readonly string[]): Promise<string | undefined> => {
		const open = openOf(entry);
		const entries = [open, ...failed.map((each) => wasOf(entry, each))];
		const known = (await add(entries))?.known ?? new Set<string>();
		// Looking is writing, too.
		await remove(entries.filter((each) => !known.has(each)));
		return known.has(open) ? undefined : failed.find((each) => known.has(wasOf(entry, each)));
	};

	return {
		async take(name, failed) {
			for (let next = name; ;) {
				const entry = hash(client.scope, next);
				const claim = await takeOne(entry);
				if (claim || failed.length === 0) return claim;
				const ended = await endedAs(entry, failed);
				if (ended === undefined) return undefined;
				// A claim of its own for who tries again after it.
				next = JSON.stringify([next, ended]);
			}
		},
	};
}

const NO_CLAIM: Claim = { keep: async () => {}, release: async () => {} };

async function unclaimed(): Promise<Claim> {
	return NO_CLAIM;
}

/** Stands beside a claim as long as nobody knows which transaction its charge is. */
function openOf(entry: string): string {
	return `${entry}:open`;
}

function wasOf(entry: string, transactionID: string): string {
	return `${entry}:was:${transactionID}`;
}
