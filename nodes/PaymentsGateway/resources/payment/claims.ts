import { randomUUID } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { createKeyedMutex } from '../../gateway/keyedMutex';
import { withinLimit } from '../../gateway/timeLimit';
import { textOf, valueAt } from '../../wire/json';

/**
 * Claims a charge across n8n's workers and restarts, in n8n's deduplication store.
 *
 * That store is one row of hashes for each node. n8n reads it, changes it in memory and writes it back
 * without a lock: of two writes at once one is lost, and a third can bring back an old version of the
 * row. So a claim is made in two phases, each with a token of its own, and a phase counts only when
 * two looks, each after a pause, find it standing: by then whoever had read the row before has written
 * too, unless a write took longer than the pauses.
 *
 * The first phase says that a charge is about to be made, and lapses within two minutes, whatever a
 * worker that died has left of it. The second says that the charge is sent, for 30 to 40 days. Each name
 * ends in a minute or a period of ten days. As the store adds whatever it is asked for, a claim asks for the names of
 * now and of the periods before in one go.
 */

/** Milliseconds before each look. */
const PAUSE = 112;
/** How many in a row must find a claim. */
const LOOKS = 2;
/** After a write that took longer, the next look does not count. */
const LONGEST_WRITE = 200;
/** An access that takes longer has failed. */
const LONGEST_ACCESS = 5_000;
const MINUTE = 60_000;
const TEN_DAYS = 10 * 24 * 60 * MINUTE;
/** Names of a charge that stay: of its period, and of the one before for a worker whose clock is behind. */
const LASTING = 2;
/** With its token a charge takes three, so that a row has room for 8,300. */
const OPTIONS = { mode: 'entries', maxEntries: 25_000 } as const;

/**
 * In a process, one claim at a time uses a row, for all of its accesses. If the claims shared the pauses
 * between them, a busy process would access the row without a break: it would read nothing but its own
 * writes, and drop those of another worker that does the same.
 */
const mutex = createKeyedMutex();

/** A node's row in n8n's store. Its errors are for who asks. */
type Store = ReturnType<typeof storeOf>;

export function storeOf(context: IExecuteFunctions) {
	const { checkProcessedAndRecord, removeProcessed } = context.helpers;
	const row = JSON.stringify([context.getWorkflow().id, context.getNode().id]);
	const access = async <T>(run: () => Promise<T>): Promise<T> =>
		await withinLimit(LONGEST_ACCESS, undefined, run);
	const record = async (entries: string[]) =>
		await access(async () => {
			const started = performance.now();
			const { processed } = await checkProcessedAndRecord(entries, 'node', OPTIONS);
			/** What was there before, and milliseconds from before the read to after the write. */
			return { known: new Set(processed.map(String)), took: performance.now() - started };
		});
	return {
		/** Runs a task when no other claim of this process uses the row. */
		inTurn: async <T>(run: () => Promise<T>): Promise<T> => await mutex.run([row], run),
		/** Adds what is not there. Undefined where n8n has no store. */
		add: async (entries: string[]) =>
			await record(entries).catch(async (error: unknown) => {
				const words = textOf(valueAt(error, 'message'));
				// Of two that write the first row at once, one is refused, and then finds it.
				if (/unique|duplicate/i.test(words)) return await record(entries);
				// n8n was started without its store, or the workflow was never saved and has perhaps no ID.
				const hasNoStore = valueAt(error, 'code') === 'ERR_ASSERTION' || /foreign key/i.test(words);
				if (hasNoStore) return undefined;
				throw error;
			}),
		remove: async (entries: string[]) =>
			await access(async () => await removeProcessed(entries, 'node', OPTIONS)),
	};
}

/** Names by which others find a claim, and a token that is written with them and tells whose they are. */
interface Phase {
	names: string[];
	token: string;
}

function phaseOf(charge: string, kind: string, period: number, periodsBack: number): Phase {
	const now = Math.floor(Date.now() / period);
	const names = Array.from(
		{ length: periodsBack + 1 },
		(_, ago) => `${charge}:${kind}${now - ago}`,
	);
	return { names, token: `${charge}:${randomUUID()}` };
}

const entriesOf = (phases: Phase[]) => phases.flatMap(({ names, token }) => [...names, token]);

/** What becomes of a claim: ours, or why it is not. */
export type Verdict = 'ours' | 'charging' | 'sent' | 'failed';

/** Holds hardly more than texts, so that it can be remembered with its charge. */
export class Claim {
	private charging: Phase;
	private sent: Phase;
	private hasStoreFailed = false;

	/** `charge` tells it from all others in all rows. */
	constructor(private readonly charge: string) {
		this.charging = phaseOf(charge, 'minute', MINUTE, 1);
		this.sent = phaseOf(charge, 'tenDays', TEN_DAYS, 3);
	}

	/** Makes both phases. Once it is ours, the charge counts as sent for all others. */
	async take(store: Store): Promise<Verdict> {
		return await store.inTurn(async () => {
			// The names are those of now: other charges can have used the row for minutes.
			this.charging = phaseOf(this.charge, 'minute', MINUTE, 1);
			this.sent = phaseOf(this.charge, 'tenDays', TEN_DAYS, 3);
			// Later than this, the first phase may have lapsed.
			const until = performance.now() + MINUTE;
			try {
				if (!(await this.stand(store, [this.charging], until))) return 'charging';
				return (await this.stand(store, [this.charging, this.sent], until)) ? 'ours' : 'sent';
			} catch {
				return 'failed';
			}
		});
	}

	/**
	 * Writes the claim again if a write that took very long has gone over it, and removes what it needs
	 * no longer. To be called as the charge leaves, and waited for together with its answer.
	 */
	async hold(store: Store): Promise<void> {
		const { names, token } = this.sent;
		const lasting = { names: names.slice(0, LASTING), token };
		const hold = async () => {
			await this.stand(store, [lasting], performance.now() + MINUTE);
			await store.remove([...entriesOf([this.charging]), ...names.slice(LASTING)]);
		};
		await store.inTurn(hold).catch(() => (this.hasStoreFailed = true));
	}

	/** Nothing was charged under it, so that it may be tried again. Quiet where the store fails. */
	async release(store: Store): Promise<void> {
		await store.inTurn(async () => {
			const remove = async () =>
				await store.remove(entriesOf([this.charging, this.sent])).catch(nothing);
			await remove();
			const { token } = this.sent;
			// Another worker that was writing meanwhile has perhaps brought it back. Where an access has
			// failed, that may yet write our token beside another's claim, whose names this would remove.
			for (let times = 1; times <= 2 && !this.hasStoreFailed; times++) {
				await sleep(LOOKS * pauseAfter(0));
				const look = await store.add([token]).catch(nothing);
				if (!look?.known.has(token)) return await store.remove([token]).catch(nothing);
				await remove();
			}
		});
	}

	/**
	 * Writes phases until looks find all of them: only then is nobody left who has read the row before
	 * they stood in it and writes over them. False where they are another's.
	 */
	private async stand(store: Store, phases: Phase[], until: number): Promise<boolean> {
		const entries = entriesOf(phases);
		let wasWriteQuick = false;
		let found = 0;
		while (performance.now() < until) {
			const look = await store.add(entries);
			// Without a store, turns and events alone protect the charge.
			if (look === undefined) return true;
			const { known, took } = look;
			const isAnothers = ({ names, token }: Phase) =>
				names.some((name) => known.has(name)) && !known.has(token);
			if (phases.some(isAnothers)) {
				// Left there, the names of this minute would prolong the claim of the other.
				const own = entriesOf(phases.filter((phase) => !isAnothers(phase)));
				const added = entries.filter((entry) => !known.has(entry));
				await store.remove([...own, ...added]).catch(nothing);
				return false;
			}
			found = wasWriteQuick && entries.every((entry) => known.has(entry)) ? found + 1 : 0;
			if (found === LOOKS) return true;
			// A write that slow may have gone over a claim that another worker has won meanwhile.
			wasWriteQuick = took <= LONGEST_WRITE;
			await sleep(pauseAfter(took));
		}
		throw new Error('The store was too slow');
	}
}

const nothing = () => undefined;

/**
 * Longer where accesses are slow, since so are those of others. Never two workers in step, or one
 * would overwrite the other again and again.
 */
function pauseAfter(took: number): number {
	return Math.max(PAUSE, 3 * took) * (1 + Math.random() / 3);
}
