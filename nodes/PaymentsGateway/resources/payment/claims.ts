import { randomUUID } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { withinLimit } from '../../gateway/timeLimit';
import { createTurns } from '../../operation/turns';
import { textOf, valueAt } from '../../wire/json';

/**
 * Claims a charge across n8n's workers and restarts, in n8n's deduplication store.
 *
 * That store is one row of hashes for each node, which n8n reads, changes in memory and writes back
 * without a lock: of two writes at once one is lost, and a third can put an old version of the row
 * back. So a claim is made in two steps, each with a token of its own, and a step counts only when two
 * looks, each after a pause, find it standing: by then whoever had read the row before it has written
 * too. This holds while no write takes longer than the pauses of both looks: after one that did, what
 * the next look finds does not count yet. The second look is for writes of others that are nearly as
 * slow, which can put two versions of the row back in turns for a while.
 *
 * The first step says that a charge is about to be made, and lapses after a minute or two, whatever
 * a failing store or a worker that died has left of it. The second says that it is sent, for three
 * days. Each name ends in the minute or day in which it was written; who comes later asks for those
 * of the last minutes and days. n8n looks and writes in one call, so what is asked for is written too.
 */

/** Milliseconds before each look. */
const PAUSE = 112;
/** How many in a row must find a claim. */
const LOOKS = 2;
/** After a write that took longer, the next look does not count. */
const LONGEST_WRITE = 200;
/** An access that takes longer has failed. */
const LONGEST_ACCESS = 5_000;
/** A charge's answer is held up by no more than this while its claim is looked at. */
const LONGEST_HOLD = 2_000;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const HELD_DAYS = 3;
const MOST_RELEASES = 2;
/** A charge takes eight, so that a row has room for about 3,000. */
const OPTIONS = { mode: 'entries', maxEntries: 25_000 } as const;

/** In a process one access to a row follows the other. */
const inTurn = createTurns();

interface Look {
	/** Which of the entries were there before. */
	known: ReadonlySet<string>;
	/** Milliseconds from before the read to after the write. */
	took: number;
}

/** A node's row in n8n's store. What fails here is told by who asked. */
export interface Store {
	/** Adds what is not there; undefined where n8n has no store. */
	add: (entries: readonly string[]) => Promise<Look | undefined>;
	remove: (entries: readonly string[]) => Promise<void>;
}

const wordsOf = (error: unknown) => textOf(valueAt(error, 'message'));

/** n8n was started without its store, or the workflow was never saved and has perhaps no ID. */
function isMissing(error: unknown): boolean {
	return valueAt(error, 'code') === 'ERR_ASSERTION' || /foreign key/i.test(wordsOf(error));
}

export function storeOf(context: IExecuteFunctions): Store {
	const { checkProcessedAndRecord, removeProcessed } = context.helpers;
	const row = JSON.stringify([context.getWorkflow().id, context.getNode().id]);
	const access = async <T>(run: () => Promise<T>): Promise<T> =>
		await inTurn([row], async () => await withinLimit(LONGEST_ACCESS, undefined, run));
	const add = async (entries: readonly string[], mayRepeat = true): Promise<Look | undefined> =>
		await access(async () => {
			const started = performance.now();
			const { processed } = await checkProcessedAndRecord([...entries], 'node', OPTIONS);
			return { known: new Set(processed.map(String)), took: performance.now() - started };
		}).catch(async (error: unknown) => {
			// Of two that write the first row at once, one is refused, and then finds it.
			if (mayRepeat && /unique|duplicate/i.test(wordsOf(error))) return await add(entries, false);
			if (isMissing(error)) return undefined;
			throw error;
		});
	const remove = async (entries: readonly string[]) =>
		await access(async () => await removeProcessed([...entries], 'node', OPTIONS));
	return { add, remove };
}

interface Step {
	names: readonly string[];
	token: string;
}

/** The claim of another: a name stands without the token that was written with ours. */
function isAnothers({ names, token }: Step, known: ReadonlySet<string>): boolean {
	return names.some((name) => known.has(name)) && !known.has(token);
}

/** What becomes of a claim: ours, or why it is not. */
export type Verdict = 'ours' | 'charging' | 'sent' | 'failed' | 'perhapsSent';

/** Holds hardly more than texts, so that it can be remembered with its charge. */
export class Claim {
	private readonly began = performance.now();
	private readonly first: Step;
	private readonly second: Step;
	private holding: Promise<boolean | undefined> | undefined;

	/** `charge` tells it from all others in all rows. */
	constructor(charge: string) {
		const step = (kind: string, period: number, before: number): Step => {
			const now = Math.floor(Date.now() / period);
			const nameOf = (_: unknown, ago: number) => `${charge}:${kind}${now - ago}`;
			return {
				names: Array.from({ length: before + 1 }, nameOf),
				token: `${charge}:${randomUUID()}`,
			};
		};
		this.first = step('minute', MINUTE, 1);
		this.second = step('day', DAY, HELD_DAYS);
	}

	/** Makes both steps. Once it is ours, the charge counts as sent for all others. */
	async take(store: Store): Promise<Verdict> {
		// Undefined where the store has failed.
		const first = await this.stand(store, [this.first]).catch(nothing);
		if (first === undefined) return 'failed';
		if (!first) return 'charging';
		const both = await this.stand(store, [this.first, this.second]).catch(nothing);
		if (both === undefined) return 'perhapsSent';
		return both ? 'ours' : 'sent';
	}

	/**
	 * Writes the claim again if a write that took very long has gone over it. To be called as the
	 * charge leaves, and waited for together with its answer, which it does not hold up for long.
	 */
	async hold(store: Store): Promise<void> {
		this.holding = this.stand(store, [this.first, this.second]).catch(nothing);
		await withinLimit(LONGEST_HOLD, undefined, async () => await this.holding).catch(nothing);
	}

	/** Nothing was charged under it, so that it may be tried again. Quiet where the store fails. */
	async release(store: Store): Promise<void> {
		const isHeld = await this.holding;
		await store.remove(entriesOf([this.first, this.second])).catch(nothing);
		// An access that failed may yet write our token beside the claim of another, whose names this
		// would then remove.
		if (isHeld !== undefined) await this.removeAgain(store).catch(nothing);
	}

	/** Another worker that was writing meanwhile has perhaps put it back. */
	private async removeAgain(store: Store): Promise<void> {
		const { token } = this.second;
		for (let times = 1; times <= MOST_RELEASES; times++) {
			await sleep(LOOKS * pauseAfter(0));
			const look = await store.add([token]);
			if (!look?.known.has(token)) return await store.remove([token]);
			await store.remove(entriesOf([this.first, this.second]));
		}
	}

	/**
	 * Writes steps until looks find all of them: only then is nobody left who has read the row before
	 * they stood in it and writes over them. False where they are another's.
	 */
	private async stand(store: Store, steps: readonly Step[]): Promise<boolean> {
		const entries = entriesOf(steps);
		let wasWriteQuick = false;
		let found = 0;
		while (performance.now() - this.began < MINUTE) {
			const look = await store.add(entries);
			// Without a store, turns and events alone protect the charge.
			if (look === undefined) return true;
			const { known, took } = look;
			if (steps.some((step) => isAnothers(step, known))) {
				// Left there, the names of this minute would prolong the claim of the other.
				await store.remove(entries.filter((each) => !known.has(each))).catch(nothing);
				return false;
			}
			found = wasWriteQuick && entries.every((each) => known.has(each)) ? found + 1 : 0;
			if (found === LOOKS) return true;
			// A write that slow may have gone over a claim that another worker has won meanwhile.
			wasWriteQuick = took <= LONGEST_WRITE;
			await sleep(pauseAfter(took));
		}
		throw new Error('The store was too slow');
	}
}

const nothing = () => undefined;

function entriesOf(steps: readonly Step[]): string[] {
	return steps.flatMap(({ names, token }) => [...names, token]);
}

/**
 * Longer where accesses are slow, since so are those of others. Never two workers in step, or one
 * would overwrite the other again and again.
 */
function pauseAfter(took: number): number {
	return Math.max(PAUSE, 3 * took) * (1 + Math.random() / 3);
}
