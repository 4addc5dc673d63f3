import { randomUUID } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { withinLimit } from '../../gateway/timeLimit';
import type { Work } from '../../operation/operation';
import { createTurns } from '../../operation/turns';
import { hash } from './attempts';

/**
 * Claims a charge across n8n's workers and restarts, in n8n's deduplication store.
 *
 * That store is one row of hashes for each node, which n8n reads, changes in memory and writes back
 * without a lock: of two writes at once, one is lost. So in a process one access to a row follows the
 * other. Between processes a claim is written twice, each time with tokens of its own: first to see
 * who else claims, then as won, which decides. Each time it counts only when a look after a pause
 * finds it standing, for by then whoever had read the store before it has written too. This holds
 * while no write takes longer than the pause; a look that took longer does not count.
 *
 * A look writes what it does not find, and an access that fails may have been carried out. So a token
 * whose access failed may stand beside the claim of another, and is never relied on again.
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
	 * charge is handed on to be sent, and waited for together with its answer, which it does not hold
	 * up for long.
	 */
	hold(): Promise<void>;
	/** The answer has named a transaction, and only the events will say what became of it. */
	keep(transactionID: string): Promise<void>;
	/** Nothing was charged, so that it may be tried again. */
	release(): Promise<void>;
}

const PAUSE = 250;
const LONGEST_WRITE = 200;
/** An access that takes longer has failed. */
const LONGEST_ACCESS = 5_000;
/** How long the answer of a charge waits until its claim is looked at again. */
const LONGEST_HOLD = 2_000;
/** How often a claim is written again that others overwrite. */
const MOST_LOOKS = 12;
const RELEASES = 3;
const OPTIONS = { mode: 'entries', maxEntries: 25_000 } as const;

const inTurn = createTurns();

/** What this process has written: its own as long as one of the tokens stands with it. */
interface Mine {
	entries: string[];
	/** Only those of which every access was answered. */
	tokens: string[];
}

/**
 * Claims under which nothing was sent, and which may still stand in the store, since it failed when
 * they were made or given back.
 */
const unsent = new Map<string, Mine>();
const MOST_UNSENT = 10_000;

function keepUnsent(key: string, mine: Mine): void {
	unsent.set(key, mine);
	for (const oldest of unsent.keys()) {
		if (unsent.size <= MOST_UNSENT) break;
		unsent.delete(oldest);
	}
}

function wordsOf(error: unknown): string {
	return typeof error === 'object' && error !== null ? String(Reflect.get(error, 'message')) : '';
}

/** n8n was started without its store, or the workflow was never saved. */
function isMissing(error: unknown): boolean {
	if (typeof error !== 'object' || error === null) return false;
	return Reflect.get(error, 'code') === 'ERR_ASSERTION' || /foreign key/i.test(wordsOf(error));
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

/** The entry of another, since it stands without the token that was written with ours. */
function isAnothers({ known }: Look, entry: string, token: string): boolean {
	return known.has(entry) && !known.has(token);
}

export function claimsOf({ client, complain, context }: Omit<Work, 'itemIndex'>): Claims {
	const helpers: Partial<IExecuteFunctions['helpers']> = context.helpers;
	const { checkProcessedAndRecord, removeProcessed } = helpers;
	const { id: workflow } = context.getWorkflow();
	if (!workflow || !checkProcessedAndRecord || !removeProcessed) return { take: unclaimed };

	const keyOf = (...entry: string[]) => JSON.stringify([workflow, context.getNode().id, ...entry]);

	const failedStore = () =>
		complain(
			"Nothing was charged: n8n's database failed, and a charge that it does not note could be made twice",
			'Run this again when it works. If it keeps failing, look at the log of n8n.',
		);

	const slowStore = () =>
		complain(
			"Nothing was charged: n8n's database is too slow to make sure that no other worker makes the same charge",
			'Run this again when n8n has less to do.',
		);

	const inTime = async <T>(access: () => Promise<T>): Promise<T> =>
		await withinLimit(LONGEST_ACCESS, undefined, access);

	/** Adds what is not there; undefined where n8n has no store. */
	const add = async (entries: string[]): Promise<Look | undefined> =>
		await inTurn(keyOf(), async () => {
			for (let tried = 1; ; tried++) {
				const started = performance.now();
				try {
					const { processed } = await inTime(
						async () => await checkProcessedAndRecord(entries, 'node', OPTIONS),
					);
					return { known: new Set(processed.map(String)), took: performance.now() - started };
				} catch (error) {
					if (isMissing(error)) return undefined;
					// Of two that write the first row at once, one is refused, and then finds it.
					if (tried > 1 || !/unique|duplicate/i.test(wordsOf(error))) throw failedStore();
				}
			}
		});

	const remove = async (entries: string[]): Promise<void> =>
		await inTurn(keyOf(), async () => {
			try {
				await inTime(async () => await removeProcessed(entries, 'node', OPTIONS));
			} catch {
				throw failedStore();
			}
		});

	/**
	 * Writes entries with a token until a look a pause later finds all of them: only then is nobody
	 * left who has read the store before they stood in it and writes over them. Each look can bring a
	 * spare token, which is written by it alone, to know the entries by when a later look fails.
	 */
	const stand = async (
		mine: Mine,
		token: string,
		isLost: (look: Look) => boolean,
		spare: () => string[] = none,
	): Promise<'standing' | 'lost' | 'late' | 'no store'> => {
		const { entries } = mine;
		for (let looks = 1, wasQuick = false; looks <= MOST_LOOKS; looks++) {
			const older = mine.tokens.filter((each) => each !== token);
			mine.tokens = older;
			const fresh = spare();
			const look = await add([...entries, token, ...fresh]);
			if (look === undefined) return 'no store';
			if (isLost(look)) {
				mine.tokens = [];
				const ours = entries.filter((each) => !look.known.has(each));
				await remove([...ours, token, ...fresh, ...older]).catch(nothing);
				return 'lost';
			}
			mine.tokens = [token, ...fresh, ...older];
			if (wasQuick && [...entries, token].every((each) => look.known.has(each))) return 'standing';
			// A write that slow may have overwritten a claim that another worker has won meanwhile.
			wasQuick = look.took <= LONGEST_WRITE;
			await pause(wasQuick ? 1 : 2);
		}
		return 'late';
	};

	/** Whether what was written is still there, and still ours. */
	const isStanding = async (mine: Mine): Promise<boolean> => {
		for (let token = mine.tokens.shift(); token !== undefined; token = mine.tokens.shift()) {
			const look = await add([token]);
			if (look?.known.has(token)) {
				mine.tokens.unshift(token);
				return true;
			}
			await remove([token]);
		}
		return false;
	};

	/**
	 * More than once, as another worker that was writing meanwhile has perhaps put it back. False
	 * where nobody has seen that it is gone.
	 */
	const giveBack = async (mine: Mine): Promise<boolean> => {
		for (let tried = 1; tried <= RELEASES; tried++) {
			if (!(await isStanding(mine))) return true;
			await remove([...mine.entries, ...mine.tokens]);
			await pause(1);
		}
		return false;
	};

	/** Gives back what is left from before. Whatever fails from here on leaves `mine` for later. */
	const begin = async (entry: string) => {
		const left = unsent.get(keyOf(entry));
		if (left && !(await giveBack(left))) throw slowStore();
		const mine: Mine = { entries: [entry], tokens: [] };
		keepUnsent(keyOf(entry), mine);
		// A write that failed has perhaps been carried out.
		return { mine, mayBeMine: left !== undefined, end: () => unsent.delete(keyOf(entry)) };
	};

	/** Undefined when another has claimed it. */
	const takeOne = async (entry: string): Promise<Claim | undefined> => {
		const { mine, mayBeMine, end } = await begin(entry);
		const [first, second] = [ownOf(entry), ownOf(entry)];
		const won = wonOf(entry);
		const isTaken = (look: Look) => !mayBeMine && isAnothers(look, entry, first);
		const isLost = (look: Look) => isTaken(look) || isAnothers(look, won, second);
		let standing = await stand(mine, first, isTaken);
		// The claim itself may be another's then, and is not to be taken away.
		if (mayBeMine) mine.tokens = [];
		if (standing === 'standing') {
			mine.entries = [entry, first, won];
			mine.tokens = [];
			standing = await stand(mine, second, isLost, () => [ownOf(entry)]);
		}
		if (standing === 'late') {
			await giveBack(mine);
			throw slowStore();
		}
		end();
		if (standing === 'lost') return undefined;
		return standing === 'no store' ? NO_CLAIM : claimOf(entry, mine, isLost);
	};

	const claimOf = (entry: string, mine: Mine, isLost: (look: Look) => boolean): Claim => {
		let holding: Promise<unknown> | undefined;
		const quietly = async (failed: string, task: () => Promise<unknown>) => {
			try {
				await task();
			} catch {
				context.logger.debug(failed);
			}
		};
		return {
			async hold() {
				const [token = ''] = mine.tokens;
				holding = quietly(
					'The note of a charge could not be looked at again',
					async () => await stand(mine, token, isLost),
				);
				const limit = withinLimit(LONGEST_HOLD, undefined, async () => await holding);
				await limit.catch(nothing);
			},
			async keep(transactionID) {
				await holding;
				await quietly('The transaction of a charge could not be noted', async () => {
					if (!(await isStanding(mine))) return;
					const was = wasOf(entry, transactionID);
					// More than once, as another worker may write back what it has read before.
					for (let tried = 1; tried <= RELEASES; tried++) {
						if ((await add([was]))?.known.has(was)) return;
						await pause(1);
					}
				});
			},
			async release() {
				await holding;
				keepUnsent(keyOf(entry), mine);
				await quietly('The note of a refused charge could not be removed', async () => {
					if (await giveBack(mine)) unsent.delete(keyOf(entry));
				});
			},
		};
	};

	/**
	 * The transaction that a claim's charge has ended as, if that is one of those that failed. To look
	 * for them writes them all, so nobody else looks until those that were not there are gone again.
	 */
	const endedAs = async (entry: string, failed: readonly string[]): Promise<string | undefined> => {
		const asked = askedOf(entry);
		const { mine, end } = await begin(asked);
		const token = ownOf(asked);
		const isLost = (look: Look) => isAnothers(look, asked, token);
		const standing = await stand(mine, token, isLost, () => [ownOf(asked)]);
		let ended: string | undefined;
		if (standing === 'standing') {
			const was = failed.map((each) => wasOf(entry, each));
			mine.entries = [asked, ...was];
			mine.tokens = mine.tokens.filter((each) => each !== token);
			const known = (await add([asked, token, ...was]))?.known;
			mine.entries = [asked, token, ...was.filter((each) => !known?.has(each))];
			ended = failed.find((each) => known?.has(wasOf(entry, each)));
		}
		if (await giveBack(mine)) end();
		return ended;
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
const none = (): string[] => [];
const NO_CLAIM: Claim = { hold: nothing, keep: nothing, release: nothing };

async function unclaimed(): Promise<Claim> {
	return NO_CLAIM;
}

function ownOf(entry: string): string {
	return `${entry}:${randomUUID()}`;
}

/** Stands beside a claim that was won, whose charge has been sent or is about to be. */
function wonOf(entry: string): string {
	return `${entry}:won`;
}

/** Stands while somebody asks how a claim has ended. */
function askedOf(entry: string): string {
	return `${entry}:asked`;
}

function wasOf(entry: string, transactionID: string): string {
	return `${entry}:was:${transactionID}`;
}
