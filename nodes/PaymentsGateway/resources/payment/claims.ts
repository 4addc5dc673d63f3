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
 * without a lock: of two writes at once, one is lost. So in a process one access follows the other.
 * Between processes a claim is written together with a token of its own, twice: first to see who
 * else claims, then as won. Each time it counts only when a look after a pause finds it standing,
 * for by then whoever had read the store before it has written too. This holds while no write takes
 * longer than the pause; a look that took longer does not count.
 */
export interface Claims {
	/**
	 * Undefined when the charge is claimed already, unless that one has `failed`: transactions that
	 * the service has said to have failed.
	 */
	take(name: string, failed: readonly string[]): Promise<Claim | undefined>;
}

export interface Claim {
	/**
	 * Writes the claim again if a write that took very long has gone over it. To be called as the
	 * charge leaves, and waited for together with its answer.
	 */
	hold(): Promise<void>;
	/** The answer has named a transaction, and only the events will say what became of it. */
	keep(transactionID: string): Promise<void>;
	/** Nothing was charged, so that it may be tried again. */
	release(): Promise<void>;
}

const PAUSE = 250;
const LONGEST_WRITE = 200;
/** Whoever has not won by then gives up. */
const WON_WITHIN = 10_000;
/** How often a claim is written again that others overwrite. */
const HOLDS = 8;
const RELEASES = 3;
const OPTIONS = { mode: 'entries', maxEntries: 20_000 } as const;

const inTurn = createTurns();

interface Unsent {
	token: string;
	/** The entries of a claim that was won may stand beside it. */
	mayBeWon: boolean;
}

/**
 * Claims under which nothing was sent, and which may still stand in the store, since it failed when
 * they were made or given back. By its token this process knows its own again.
 */
const unsent = new Map<string, Unsent>();
const MOST_UNSENT = 10_000;

function keepUnsent(key: string, claim: Unsent): void {
	unsent.set(key, claim);
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

/** Never two workers in step, or one would overwrite the other again and again. */
async function pause(times: number): Promise<void> {
	await sleep(PAUSE * times * (1 + Math.random() / 3));
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

	/**
	 * Writes entries until a look a pause later finds all of them: only then is nobody left who has
	 * read the store before they stood in it and writes over them. `isLost` sees every look.
	 */
	const stand = async (
		entries: string[],
		isLost: (look: Look) => boolean,
		isLate: () => boolean,
	): Promise<'standing' | 'lost' | 'late' | 'no store'> => {
		for (let wasQuick = false; ;) {
			const look = await add(entries);
			if (look === undefined) return 'no store';
			if (isLost(look)) {
				await remove(entries.filter((each) => !look.known.has(each)));
				return 'lost';
			}
			if (isLate()) return 'late';
			if (wasQuick && entries.every((each) => look.known.has(each))) return 'standing';
			// A write that slow may have overwritten a claim that another worker has won meanwhile.
			wasQuick = look.took <= LONGEST_WRITE;
			await pause(wasQuick ? 1 : 2);
		}
	};

	/** Undefined when another has claimed it. */
	const compete = async (entry: string, mine: Unsent): Promise<Claim | undefined> => {
		const own = ownOf(entry, mine.token);
		const started = performance.now();
		const isLate = () => performance.now() - started >= WON_WITHIN;
		const isAnothers = ({ known }: Look) => known.has(entry) && !known.has(own);
		let standing = await stand([entry, own], isAnothers, isLate);
		if (standing === 'standing') {
			let mayBeOwn = mine.mayBeWon;
			mine.mayBeWon = true;
			const isLost = (look: Look) => {
				const isWonByOther = !mayBeOwn && look.known.has(wonOf(entry));
				mayBeOwn = true;
				return isAnothers(look) || isWonByOther;
			};
			standing = await stand(wonEntries(entry, own), isLost, isLate);
		}
		if (standing === 'standing') return claimOf(entry, mine.token);
		if (standing === 'lost') return undefined;
		if (standing === 'no store') return NO_CLAIM;
		await claimOf(entry, mine.token).release();
		throw complain(
			"Nothing was charged: n8n's database is too slow to make sure that no other worker makes the same charge",
			'Run this again when n8n has less to do.',
		);
	};

	const keyOf = (entry: string) => JSON.stringify([workflow, context.getNode().id, entry]);

	const takeOne = async (entry: string): Promise<Claim | undefined> => {
		const key = keyOf(entry);
		const mine = unsent.get(key) ?? { token: randomUUID(), mayBeWon: false };
		unsent.delete(key);
		let isOver = false;
		try {
			const claim = await compete(entry, mine);
			isOver = true;
			return claim;
		} finally {
			if (!isOver) keepUnsent(key, mine);
		}
	};

	const claimOf = (entry: string, token: string): Claim => ({
		async hold() {
			const entries = wonEntries(entry, ownOf(entry, token));
			try {
				for (let tried = 1; tried <= HOLDS; tried++) {
					await pause(1);
					const look = await add(entries);
					if (entries.every((each) => look?.known.has(each))) return;
				}
			} catch {
				context.logger.debug('The note of a charge could not be looked at again');
			}
		},
		async keep(transactionID) {
			try {
				// More than once, as another worker may write back what it has read before.
				for (let tried = 1; tried <= RELEASES; tried++) {
					await add([wasOf(entry, transactionID)]);
					await remove([unnamedOf(entry)]);
					if (tried < RELEASES) await pause(1);
				}
			} catch {
				context.logger.debug('The transaction of a charge could not be noted');
			}
		},
		async release() {
			const own = ownOf(entry, token);
			try {
				for (let tried = 1; tried <= RELEASES; tried++) {
					await remove(wonEntries(entry, own));
					// Another worker that was writing meanwhile has perhaps put it back.
					await pause(1);
					const look = await add([own]);
					if (!look?.known.has(own)) return await remove([own]);
				}
			} catch {
				keepUnsent(keyOf(entry), { token, mayBeWon: true });
				context.logger.debug('The note of a refused charge could not be removed');
			}
		},
	});

	/** The transaction that a claim's charge has ended as, if that is one of those that failed. */
	const endedAs = async (entry: string, failed: readonly string[]): Promise<string | undefined> => {
		const unnamed = unnamedOf(entry);
		const entries = [unnamed, ...failed.map((each) => wasOf(entry, each))];
		const known = (await add(entries))?.known ?? new Set<string>();
		await remove(entries.filter((each) => !known.has(each)));
		return known.has(unnamed) ? undefined : failed.find((each) => known.has(wasOf(entry, each)));
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

const nothing = async () => {};
const NO_CLAIM: Claim = { hold: nothing, keep: nothing, release: nothing };

async function unclaimed(): Promise<Claim> {
	return NO_CLAIM;
}

function ownOf(entry: string, token: string): string {
	return `${entry}:${token}`;
}

/** Stands beside a claim that was won, whose charge has been sent or is about to be. */
function wonOf(entry: string): string {
	return `${entry}:won`;
}

/** Stands beside it as long as nobody knows which transaction its charge is. */
function unnamedOf(entry: string): string {
	return `${entry}:unnamed`;
}

function wasOf(entry: string, transactionID: string): string {
	return `${entry}:was:${transactionID}`;
}

function wonEntries(entry: string, own: string): string[] {
	return [entry, own, wonOf(entry), unnamedOf(entry)];
}
